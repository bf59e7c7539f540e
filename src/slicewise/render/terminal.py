"""Blocks in a terminal, by rich: coloured there, plain text when piped.

A table that is too wide is cut between columns, into parts that each have the first columns again; no number is cut.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from slicewise.errors import printable
from slicewise.render.blocks import Grid, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slicewise.render.blocks import Block

TONES = {"plain": "", "warning": "yellow", "aside": "dim", "title": "bold"}
GAP = 2
"""Between columns."""


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
            continue
        console.print()
        console.print(Text(_clean(block.title), style="bold"))
        for i, columns in enumerate(_parts(block, console.width)):
            if i:
                console.print()
            console.print(_table(block, columns))
        if block.note:
            console.print(Text(_clean(block.note), style="dim"))


def as_text(blocks: Iterable[Block], width: int = 80) -> str:
    """Return blocks as plain text."""
    buffer = StringIO()
    show(blocks, Console(file=buffer, width=width, highlight=False, color_system=None))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def _clean(text: str) -> str:
    """Return text from the data without what would move the cursor or change the terminal."""
    return "\n".join(printable(line) for line in text.split("\n"))


def _parts(grid: Grid, width: int) -> list[list[int]]:
    """Return the columns of each part: the leading names, and as many others as fit."""
    widths = [
        max(cell_len(_clean(text)) for text in (column.title, *(row[j] for row in grid.rows)))
        for j, column in enumerate(grid.columns)
    ]
    names = next((j for j, column in enumerate(grid.columns) if column.align != "left"), len(widths))
    if names == len(widths):
        return [list(range(names))]
    parts: list[list[int]] = []
    room = 0
    for j in range(names, len(widths)):
        if not parts or widths[j] + GAP > room:
            parts.append(list(range(names)))
            room = width - sum(min(w, _most(width, names)) + GAP for w in widths[:names]) + GAP
        parts[-1].append(j)
        room -= widths[j] + GAP
    return parts


def _most(width: int, names: int) -> int:
    """Return how wide a column of names may be before it is folded."""
    return max(8, (width // 2 - GAP) // names)


def _table(grid: Grid, columns: list[int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="")
    for j in columns:
        column = grid.columns[j]
        left = column.align == "left"
        title = Text(_clean(column.title))
        table.add_column(title, justify=column.align, no_wrap=not left, overflow="fold", min_width=4 if left else None)
    for i, row in enumerate(grid.rows):
        cells = [Text(_clean(row[j]), style="bold green" if (i, j) in grid.marked else "") for j in columns]
        table.add_row(*cells)
    return table
