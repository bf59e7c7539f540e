"""What is being done, on standard error."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from slicewise.cli.data_options import DataOptions


@contextmanager
def progress(data: DataOptions) -> Iterator[Callable[[str], None]]:
    """Say on standard error what is being done, for how long; nothing when it is no terminal, or --quiet."""
    if data.quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("starting", total=None)
        yield lambda text: shown.update(task, description=escape(text))
