"""What is being done, on standard error."""

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
    """Says what is being done; of large data also how much of it is done, how fast, and how long it still takes."""

    def __init__(self, show: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._show = show
        self._clock = clock
        self._begin("")

    def __call__(self, text: str) -> None:
        """Say what is done from now on."""
        self._begin(text)
        self._show(text)

    def _begin(self, text: str) -> None:
        self._doing, self._pass, self._done = text, 1, 0
        self._begun = self._told = self._clock()

    def part(self, done: int, total: int) -> None:
        """Say how many items of all are done; fewer than before are those of another pass over all of them."""
        if done <= self._done:
            self._begun, self._pass = self._told, self._pass + 1
        self._done, self._told = done, self._clock()
        seconds = self._told - self._begun
        again = f" (pass {self._pass})" if self._pass > 1 else ""
        text = f"{self._doing}{again}: {done:,} of {total:,} items"
        if seconds > 0 and done < total:
            rate = done / seconds
            text += f", {rate:,.0f} a second, {_span((total - done) / rate)} left"
        self._show(text)


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def progress(data: DataOptions) -> Iterator[Steps]:
    """Say on standard error what is being done, for how long; nothing when it is no terminal, or --quiet."""
    if data.quiet or not sys.stderr.isatty():
        yield Steps(lambda _: None)
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("starting", total=None)
        yield Steps(lambda text: shown.update(task, description=escape(printable(text))))
