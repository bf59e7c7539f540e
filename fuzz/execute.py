"""Run a case in this process, as a shell would run it in another: streams, exit code, files."""

from __future__ import annotations

import gc
import io
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from fuzz.case import PIPE

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Mapping

    from fuzz.case import Case

LIMIT = 20.0
"""Seconds of computing that a case may take."""
WAITING = 6
"""How many times as long it may take with waiting: other programs want the machine, too."""
LARGEST_PIPE = 60_000
"""Bytes that a pipe holds."""
_written = 1_700_000_000_000_000_000


STOPPED = (130, 143)
"""Exit codes after Ctrl-C, and after being told to end."""


class TooSlow(BaseException):
    """A case took longer than it may."""


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    code: int | None
    out: str
    err: str
    error: BaseException | None
    """What ended it: `SystemExit`, with what it was raised for, or what nobody caught."""
    left: dict[str, bytes]
    """New files, by name."""
    changed: tuple[str, ...]
    """Files of the case that are not what they were."""
    seconds: float
    megabytes: float
    """By how much the largest memory use grew."""


class Sandbox:
    """A folder where one case after the other runs."""

    def __init__(self, folder: Path, main: Callable[[], None] | None = None) -> None:
        self.folder = folder / "here"
        self._streams = {1: tempfile.TemporaryFile(), 2: tempfile.TemporaryFile()}  # noqa: SIM115 (to the end)
        self._main = main

    def close(self) -> None:
        """Remove the folder."""
        for stream in self._streams.values():
            stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, case: Case, limit: float = LIMIT) -> Outcome:
        """Run a case."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, data in case.files.items():
            _write(self.folder / name, data)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.perf_counter()
        error: BaseException | None = None
        words, stdin = _redirected(case.arguments)
        with (
            _inside(self.folder),
            self._captured(stdin),
            _piped(words, case.files) as piped,
            _arguments(piped),
            _as_warned(),
            _limited(limit),
        ):
            try:
                (self._main or _program)()
            except KeyboardInterrupt:
                raise
            except BaseException as ended:  # whatever it is, it is the finding
                error = ended
        if _code(error) in STOPPED:
            raise KeyboardInterrupt  # it was this process that was told to end
        seconds = time.perf_counter() - began
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        out, err = (self._read(number) for number in (1, 2))
        found = {
            str(path.relative_to(self.folder)): path for path in sorted(self.folder.rglob("*")) if not path.is_dir()
        }
        changed = [name for name, data in case.read.items() if name not in found or found[name].read_bytes() != data]
        left = {name: path.read_bytes() for name, path in found.items() if name not in case.files}
        return Outcome(_code(error), out, err, error, left, tuple(changed), seconds, grown)

    @contextmanager
    def _captured(self, stdin: str) -> Iterator[None]:
        """Take what is written to standard output and error, by libraries that are not Python too."""
        sys.stdout.flush()
        sys.stderr.flush()
        kept = {number: os.dup(number) for number in self._streams}
        python = sys.stdout, sys.stderr, sys.stdin
        given = os.open(stdin if Path(stdin).exists() else os.devnull, os.O_RDONLY)
        try:
            for number, stream in self._streams.items():
                stream.seek(0)
                stream.truncate()
                os.dup2(stream.fileno(), number)
            sys.stdout, sys.stderr = (_stream(number) for number in (1, 2))
            sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(given)))
            yield
        finally:
            for written in (sys.stdout, sys.stderr):
                written.flush()
            sys.stdin.close()
            sys.stdout, sys.stderr, sys.stdin = python
            for number, copy in kept.items():
                os.dup2(copy, number)
                os.close(copy)

    def _read(self, number: int) -> str:
        stream = self._streams[number]
        stream.seek(0)
        return stream.read().decode(errors="backslashreplace")


def prepare() -> None:
    """Make runs in this process cheap: what is there now stays, and cycles are looked for seldom."""
    from slicewise.cli import main

    assert callable(main)
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


def _program() -> None:
    import typer.main

    from slicewise.cli import main

    kept = typer.main.get_command
    typer.main.get_command = _commands  # made of its functions once, and not again for every run
    try:
        main()
    finally:
        typer.main.get_command = kept


@cache
def _commands(app: Any) -> Any:
    from typer.main import get_group

    return get_group(app)


def _write(path: Path, data: bytes) -> None:
    """Write a file with a time of change of its own: what is remembered of files goes by it."""
    global _written  # noqa: PLW0603 (a clock)
    _written += 1000
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, ns=(_written, _written))


def _stream(number: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(io.FileIO(number, "w", closefd=False)), encoding="utf-8")


def _code(error: BaseException | None) -> int | None:
    if error is None:
        return 0
    if not isinstance(error, SystemExit):
        return None
    return error.code if isinstance(error.code, int) else 0 if error.code is None else 1


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    kept = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(kept)


@contextmanager
def _arguments(words: list[str]) -> Iterator[None]:
    kept = sys.argv
    sys.argv = ["slicewise", *words]
    try:
        yield
    finally:
        sys.argv = kept


def _redirected(words: list[str]) -> tuple[list[str], str]:
    """Return the words without a redirection, and the file that is standard input."""
    if "<" not in words[:-1]:
        return words, os.devnull
    at = words.index("<")
    return words[:at] + words[at + 2 :], words[at + 1]


@contextmanager
def _piped(words: list[str], files: Mapping[str, bytes]) -> Iterator[list[str]]:
    """Give files as pipes, each of which can be read once; they are small enough to wait in them."""
    opened: list[int] = []

    def pipe(found: re.Match[str]) -> str:
        data = files.get(found[1], b"")
        reading, writing = os.pipe()
        os.write(writing, data[:LARGEST_PIPE])
        os.close(writing)
        opened.append(reading)
        return f"/dev/fd/{reading}"

    try:
        yield [PIPE.sub(pipe, word) for word in words]
    finally:
        for reading in opened:
            os.close(reading)


@contextmanager
def _as_warned() -> Iterator[None]:
    """Show what Python warns of to a user, each time and not only the first."""
    with warnings.catch_warnings():
        warnings.showwarning = _warned
        warnings.resetwarnings()
        warnings.simplefilter("always")
        for quiet in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", quiet)
        yield


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,  # noqa: ARG001 (as Python calls it)
    line: str | None = None,  # noqa: ARG001
) -> None:
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TooSlow(f"{seconds:g} s")

    timers = {signal.ITIMER_PROF: (signal.SIGPROF, seconds), signal.ITIMER_REAL: (signal.SIGALRM, WAITING * seconds)}
    kept = {number: signal.signal(number, stop) for number, _ in timers.values()}
    for timer, (_, limit) in timers.items():
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for timer, (number, _) in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, kept[number])
