"""Progress on standard error."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from slicewise.errors import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from slicewise.cli.data_options import DataOptions


class Steps:
    """Shows the current step; of large data also the items done, the rate and the time left."""

    def __init__(self, show: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._show = show
        self._clock = clock
        self._begin("")

    def __call__(self, text: str) -> None:
        """Show the next step."""
        self._begin(text)
        self._show(text)

    def _begin(self, text: str) -> None:
        self._doing, self._pass, self._done = text, 1, 0
        self._begun = self._reported = self._clock()

    def part(self, done: int, total: int) -> None:
        """Show the number of items done of all; a smaller number than before belongs to another pass."""
        if done <= self._done:
            self._begun, self._pass = self._reported, self._pass + 1
        self._done, self._reported = done, self._clock()
        seconds = self._reported - self._begun
        again = f" (pass {self._pass})" if self._pass > 1 else ""
        text = f"{self._doing}{again}: {done:,} of {total:,} items"
        if seconds > 0 and done < total:
            rate = done / seconds
            text += f", {rate:,.0f} a second, {_span((total - done) / rate)} left"
        self._show(text)


def _span(seconds: float) -> str:
    minutes, remainder = divmod(round(seconds), 60)
    return f"{minutes} min {remainder} s" if minutes else f"{remainder} s"


@contextmanager
def progress(data: DataOptions) -> Iterator[Steps]:
    """Show progress on standard error; nothing where it is no terminal, or with --quiet."""
    if data.quiet or not sys.stderr.isatty():
        yield Steps(lambda _: None)
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield Steps(lambda text: bar.update(task, description=escape(printable(text))))
