"""Run a command in a fresh process and measure it. This process imports nothing large: see `run`."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import IO, TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

Name = TypeVar("Name", str, tuple[str, str])

PYTHON = sys.executable
SLICEWISE = str(Path(sysconfig.get_path("scripts")) / "slicewise")
WORK = str(Path(__file__).with_name("work.py"))
KILOBYTES = 1 if sys.platform != "darwin" else 1 / 1024  # macOS counts the peak in bytes


@dataclass(frozen=True)
class Job:
    """A command to measure; `timed`: it prints how long its own work took, without starting and preparing."""

    command: tuple[str, ...]
    timed: bool = False


@dataclass(frozen=True)
class Run:
    """One run, or the medians of several."""

    cpu: float
    wall: float
    megabytes: float
    output: str


def slicewise(*arguments: str) -> Job:
    """Return the command line of Slicewise."""
    return Job((SLICEWISE, *arguments))


def work(job: str, *arguments: str, timed: bool = False) -> Job:
    """Return one of the jobs in `work.py`."""
    return Job((PYTHON, WORK, job, *arguments), timed)


def measure(jobs: Mapping[Name, Job], repetitions: int) -> dict[Name, Run]:
    """Run all jobs in turn, several times over, and return the medians: a slow minute then hits all alike."""
    runs: dict[Name, list[Run]] = {name: [] for name in jobs}
    for repetition in range(repetitions):
        for name, job in jobs.items():
            found = run(job)
            runs[name].append(found)
            print(
                f"  {repetition + 1}/{repetitions} {shown(name)}: CPU {found.cpu:.2f} s, wall {found.wall:.2f} s, "
                f"{found.megabytes:,.0f} MB",
                file=sys.stderr,
            )
    return {name: _median(shown(name), some) for name, some in runs.items()}


def sized(size: str, jobs: Mapping[str, Job]) -> dict[tuple[str, str], Job]:
    """Return jobs under a size and their name."""
    return {(size, name): job for name, job in jobs.items()}


def of_size(size: str, runs: Mapping[tuple[str, str], Run]) -> dict[str, Run]:
    """Return the runs of one size by their name."""
    return {name: run for (s, name), run in runs.items() if s == size}


def shown(name: str | tuple[str, ...]) -> str:
    """Return a job's name in one line."""
    return name if isinstance(name, str) else ", ".join(name)


def _median(name: str, runs: list[Run]) -> Run:
    def answer(run: Run) -> str:
        return str(json.loads(run.output)["values"]) if run.output.startswith("{") else run.output

    if len({answer(run) for run in runs}) > 1:
        raise SystemExit(f"{name}: the runs do not print the same")
    return Run(
        cpu=median(run.cpu for run in runs),
        wall=median(run.wall for run in runs),
        megabytes=median(run.megabytes for run in runs),
        output=answer(runs[0]),
    )


def run(job: Job) -> Run:
    """Run a job and wait for it; CPU seconds (user and system, all threads) and peak memory are the kernel's.

    A process inherits the peak of the one that started it, so this one has to stay smaller than any that it measures.
    """
    with tempfile.TemporaryFile("w+b") as output, tempfile.TemporaryFile("w+b") as errors:
        begun = time.perf_counter()
        process = _start(job.command, output, errors)
        _, status, usage = os.wait4(process, 0)
        wall = time.perf_counter() - begun
        output.seek(0)
        text = output.read().decode()
        if os.waitstatus_to_exitcode(status):
            errors.seek(0)
            raise SystemExit(f"{' '.join(job.command)} failed:\n{errors.read().decode()}")
    megabytes = usage.ru_maxrss * KILOBYTES / 1024
    if job.timed:
        own = json.loads(text)
        return Run(own["cpu"], own["wall"], megabytes, text)
    return Run(usage.ru_utime + usage.ru_stime, wall, megabytes, text)


def _start(command: tuple[str, ...], output: IO[bytes], errors: IO[bytes]) -> int:
    """Start a process and return its id."""
    streams = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, output.fileno(), 1),
        (os.POSIX_SPAWN_DUP2, errors.fileno(), 2),
    ]
    return os.posix_spawn(command[0], command, os.environ, file_actions=streams)
