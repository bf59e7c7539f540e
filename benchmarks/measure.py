"""Run a command in a fresh process and measure it. This process imports nothing large: see `run`."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from statistics import median
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import resource
    from collections.abc import Iterator, Mapping

PYTHON = sys.executable
SLICEWISE = str(Path(sysconfig.get_path("scripts")) / "slicewise")
WORK = str(Path(__file__).with_name("work.py"))
BYTES = 1 if sys.platform == "darwin" else 1024  # in which the kernel counts the peak
ENOUGH = 15  # seconds: a job that has taken so long in all is not run again
LONGEST = 2**20  # bytes of output that are looked at
LIMIT = 900  # seconds: a job that takes longer has failed
ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER of Linux


@dataclass(frozen=True)
class Job:
    """A command to measure; `timed`: it prints how long its own work took, without starting and preparing."""

    command: tuple[str, ...]
    timed: bool = False


@dataclass(frozen=True)
class Size:
    """How much data a job gets, as a number and as a reader sees it."""

    count: int
    shown: str


@dataclass(frozen=True)
class Run:
    """One run, or the medians of several; one that failed has no figures."""

    cpu: float
    wall: float
    megabytes: float
    output: str = ""
    elapsed: float = 0.0
    """Seconds from start to end, also where `wall` is that of the work alone."""
    times: int = 1
    failed: str = ""
    """The last line of what a failed job said."""


Measured = dict[Size, dict[str, Run]]


def smallest(measured: Measured) -> tuple[Size, dict[str, Run]]:
    """Return the first of the sizes that were measured, with its runs."""
    return next(iter(measured.items()))


def largest(measured: Measured) -> tuple[Size, dict[str, Run]]:
    """Return the last of the sizes that were measured, with its runs."""
    return list(measured.items())[-1]


class JobError(Exception):
    """A job without which a section cannot be measured has failed."""


def slicewise(*arguments: str) -> Job:
    """Return the command line of Slicewise."""
    return Job((SLICEWISE, *arguments))


def work(job: str, *arguments: str, timed: bool = False) -> Job:
    """Return a function of the folder `jobs`, as `file.function`."""
    return Job((PYTHON, WORK, job, *arguments), timed)


def counted(count: int, what: str) -> Size:
    """Return a size that is a number of things."""
    return Size(count, f"{count:,} {what}")


def measure(jobs: Mapping[Size, Mapping[str, Job]], repetitions: int) -> Measured:
    """Run all jobs in turn, several times over, and return the medians: a slow minute then hits all alike."""
    runs: dict[tuple[Size, str], list[Run]] = {(size, name): [] for size, named in jobs.items() for name in named}
    for repetition in range(repetitions):
        for (size, name), some in runs.items():
            if sum(run.elapsed for run in some) < ENOUGH and not any(run.failed for run in some):
                some.append(run(jobs[size][name]))
                _tell(f"{repetition + 1}/{repetitions} {size.shown or 'all'}, {name}", some[-1])
    return {size: {name: _median(runs[size, name]) for name in named} for size, named in jobs.items()}


def _tell(what: str, run: Run) -> None:
    figures = f"CPU {run.cpu:.2f} s, wall {run.wall:.2f} s, {run.megabytes:,.0f} MB"
    print(f"  {what}: {f'failed: {run.failed}' if run.failed else figures}", file=sys.stderr)


def _median(runs: list[Run]) -> Run:
    """Return the medians of runs that all worked and print the same, else what went wrong."""
    if runs[-1].failed:
        return runs[-1]
    if len({run.output for run in runs}) > 1:
        return _failure("its runs do not print the same", runs[-1].elapsed)
    return replace(
        runs[0],
        cpu=median(run.cpu for run in runs),
        wall=median(run.wall for run in runs),
        megabytes=median(run.megabytes for run in runs),
        times=len(runs),
    )


def _failure(why: str, elapsed: float) -> Run:
    return Run(nan, nan, nan, elapsed=elapsed, failed=why)


def done(job: Job) -> str:
    """Run a job that is not measured, and return what it prints."""
    found = run(job)
    if found.failed:
        raise JobError(f"{' '.join(job.command[:4])} …: {found.failed}")
    return found.output


def run(job: Job) -> Run:
    """Run a job and wait for it and for what it started; CPU seconds (user and system) and peak are the kernel's.

    A process inherits the peak of the one that started it, so this one has to stay smaller than any that it measures.
    """
    with tempfile.TemporaryFile("w+b") as output, tempfile.TemporaryFile("w+b") as errors:
        begun = time.perf_counter()
        try:
            usages, code, wall = _waited(_start(job.command, output, errors), begun)
        except (OSError, TimeoutError) as error:
            return _failure(str(error), time.perf_counter() - begun)
        if code:
            return _failure(_last_line(errors) or f"exit code {code}", wall)
        output.seek(0)
        text = output.read(LONGEST).decode(errors="replace")
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    megabytes = max(usage.ru_maxrss for usage in usages) * BYTES / 1e6
    if job.timed:
        own = json.loads(text)
        return Run(own["cpu"], own["wall"], megabytes, str(own["values"]), elapsed=wall)
    return Run(cpu, wall, megabytes, text, elapsed=wall)


def _waited(process: int, begun: float) -> tuple[list[resource.struct_rusage], int, float]:
    """Return what a process and the processes it left behind used, its exit code and how long it took."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LIMIT)
    try:
        _, status, usage = os.wait4(process, 0)
        wall = time.perf_counter() - begun
        return [usage, *_orphans()], os.waitstatus_to_exitcode(status), wall
    except BaseException:
        _end(process)
        raise
    finally:
        signal.alarm(0)


def _too_long(*_: object) -> None:
    raise TimeoutError(f"took more than {LIMIT} s")


def _orphans() -> Iterator[resource.struct_rusage]:
    """Wait for the processes that a finished one left behind: a Java machine ends after the Python that started it."""
    while True:
        try:
            yield os.wait4(-1, 0)[2]
        except ChildProcessError:
            return


def _end(process: int) -> None:
    """End a process and all of its group."""
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        return
    for _ in _orphans():
        pass


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _start(command: tuple[str, ...], output: IO[bytes], errors: IO[bytes]) -> int:
    """Start a process in a group of its own and return its id; processes that it leaves behind become ours."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    streams = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, output.fileno(), 1),
        (os.POSIX_SPAWN_DUP2, errors.fileno(), 2),
    ]
    return os.posix_spawn(command[0], command, os.environ, file_actions=streams, setpgroup=0)
