"""Blocks in a terminal, by rich: coloured there, plain text when piped."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from slicewise.render.blocks import Grid, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slicewise.render.blocks import Block

TONES = {"plain": "", "warning": "yellow", "aside": "dim", "title": "bold"}


def _clean(text: str) -> str:
    """Return text from the data without what would move the cursor or change the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def show(blocks: Iterable[Block], console: Console | None = None) -> None:
    """Print blocks to standard output, in colour if that is a terminal, or to the console given."""
    if console is None:
        console = Console(highlight=False)
        if not console.is_terminal:
            console.file.write(as_text(blocks, console.width) + "\n")
            return
    for block in blocks:
        if isinstance(block, Sentence):
            console.print(Text(_clean(block.text), style=TONES[block.tone]))
        else:
            console.print()
            console.print(Text(_clean(block.title), style="bold"))
            console.print(_table(block))
            if block.note:
                console.print(Text(_clean(block.note), style="dim"))


def as_text(blocks: Iterable[Block], width: int = 80) -> str:
    """Return blocks as plain text."""
    buffer = StringIO()
    show(blocks, Console(file=buffer, width=width, highlight=False, color_system=None))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def _table(grid: Grid) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="")
    for column in grid.columns:
        left = column.align == "left"
        table.add_column(
            Text(_clean(column.title)),
            justify=column.align,
            no_wrap=not left,
            overflow="fold",
            min_width=6 if left else None,
        )
    for i, row in enumerate(grid.rows):
        table.add_row(
            *(Text(_clean(cell), style="bold green" if (i, j) in grid.marked else "") for j, cell in enumerate(row))
        )
    return table
