"""Run both versions, a process each, in the same surroundings."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent
SURROUNDINGS = {
    "COLUMNS": "100",
    "NO_COLOR": "1",
    "POLARS_MAX_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "SPARK_LOCAL_IP": "127.0.0.1",
}


@dataclass(frozen=True)
class Side:
    """A version's code, the folder that it writes into, and what it is called."""

    label: str
    source: Path
    folder: Path
    seed: int
    """Of the hashes of strings: each side has its own, as no output may depend on it."""


class RunError(Exception):
    """What was asked for cannot be run, or did not come to its end."""


def lacks_for_spark() -> str:
    """Return what Spark lacks to run, or nothing."""
    lacks = [] if importlib.util.find_spec("pyspark") else ["the package pyspark"]
    return " and ".join(lacks if shutil.which("java") else [*lacks, "java on the path"])


def run(sides: list[Side], cases: Path, *, in_turn: bool) -> None:
    """Run the cases on every side, at the same time unless in turn; on an interrupt, end what was started."""
    started: list[tuple[Side, subprocess.Popen[bytes]]] = []
    try:
        for side in sides:
            started.append((side, _start(side, cases)))
            if in_turn:
                _wait(*started[-1])
        for side, process in started:
            _wait(side, process)
    finally:
        for _, process in started:
            _end(process)


def _start(side: Side, cases: Path) -> subprocess.Popen[bytes]:
    side.folder.mkdir(parents=True)
    path = os.pathsep.join([str(side.source), str(TOOLS)])
    environment = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "SPARK_REMOTE")}
    environment |= SURROUNDINGS | {"PYTHONPATH": path, "PYTHONHASHSEED": str(side.seed)}
    command = [sys.executable, "-P", "-m", "same.child", str(cases), str(side.folder), side.label]
    with _log(side).open("wb") as log:
        return subprocess.Popen(command, env=environment, stdout=sys.stderr, stderr=log, start_new_session=True)


def _wait(side: Side, process: subprocess.Popen[bytes]) -> None:
    if code := process.wait():
        last = _log(side).read_text("utf-8", errors="replace").strip().splitlines()[-20:]
        raise RunError("\n".join([f"{side.label} ended with code {code} before all cases were run", *last]))


def _log(side: Side) -> Path:
    """Return where what the process itself says goes: Python, Java."""
    return side.folder.with_name(f"{side.folder.name}.log")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process, and all that it started, unless it has ended."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
