"""How much work something is, counted and not timed: the same on every machine, whatever else runs there."""

from __future__ import annotations

import signal
import sys
import tracemalloc
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import slicewise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

SOURCE = str(Path(slicewise.__file__).parent)


@dataclass(frozen=True)
class Work:
    """Lines of the package that were run, and the most bytes that were held at once (arrays are among them)."""

    lines: int
    peak: int


def work_of(call: Callable[[], object]) -> Work:
    """Count the work of a call; lines in a first run, bytes in a second."""
    lines = 0

    def traced(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(SOURCE):
            return None
        lines += event == "line"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        call()
    finally:
        sys.settrace(before)
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Work(lines, peak)


def assert_proportional(call: Callable[[int], object], size: int) -> None:
    """Check that four times the size is about four times the work; of a square it would be sixteen."""
    small, large = work_of(lambda: call(size)), work_of(lambda: call(4 * size))
    assert large.lines <= 6 * small.lines, (small, large)
    assert large.peak <= 6 * small.peak, (small, large)


@contextmanager
def no_hang(seconds: int = 300) -> Iterator[None]:
    """Fail where one would wait for ever: for what takes a second of this process's time, or hours."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"has worked for {seconds} s and would go on")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
