"""Blocks in a terminal, by rich: coloured there, plain text when piped.

A table that is too wide is cut between columns, into parts that each have the first columns again; no number is cut.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from slicewise.errors import printable
from slicewise.render.blocks import FAINT, Block, Grid, Sentence

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
        if block.lead:
            console.print(Text(_clean(block.lead)))
        columns = [_texts(block, j) for j in range(len(block.columns))]
        for i, part in enumerate(_parts(block, columns, console.width)):
            if i:
                console.print()
            console.print(_table(block, columns, part))
        if block.full_note:
            console.print(Text(_clean(block.full_note), style="dim"))


def as_text(blocks: Iterable[Block], width: int = 80) -> str:
    """Return blocks as plain text."""
    buffer = StringIO()
    show(blocks, Console(file=buffer, width=width, highlight=False, color_system=None))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def _clean(text: str) -> str:
    """Return text from the data without what would move the cursor or change the terminal."""
    return "\n".join(printable(line) for line in text.split("\n"))


def _texts(grid: Grid, j: int) -> list[str]:
    """Return a column's heading, under that of its group, and its cells.

    A column with faint values is set to the right here: the sign hangs, so that digits stay in line.
    """
    title = f"{grid.group_of[j]}\n{grid.columns[j].title}" if grid.groups else grid.columns[j].title
    texts = [_clean(text) for text in (title, *(row[j] for row in grid.rows))]
    if j not in grid.faint_columns:
        return texts
    texts[1:] = [text + (FAINT if (i, j) in grid.faint else " ") for i, text in enumerate(texts[1:])]
    return texts if grid.columns[j].align != "right" else [_right_aligned(text, _width(texts)) for text in texts]


def _width(texts: list[str]) -> int:
    return max(cell_len(line) for text in texts for line in text.split("\n"))


def _right_aligned(text: str, width: int) -> str:
    return "\n".join(" " * (width - cell_len(line)) + line for line in text.split("\n"))


def _parts(grid: Grid, columns: list[list[str]], width: int) -> list[list[int]]:
    """Return the columns of each part: the leading names, and as many others as fit."""
    widths = [_width(texts) for texts in columns]
    names = next((j for j, column in enumerate(grid.columns) if column.align != "left"), len(widths))
    if names == len(widths):
        return [list(range(names))]
    parts: list[list[int]] = []
    room = 0
    for j in range(names, len(widths)):
        follows = next((k for k in range(j + 1, len(widths)) if not grid.columns[k].beside), len(widths))
        needed = sum(w + GAP for w in widths[j:follows])
        if not parts or (needed > room and not grid.columns[j].beside):
            parts.append(list(range(names)))
            room = width - sum(min(w, _name_width(width, names)) + GAP for w in widths[:names]) + GAP
        parts[-1].append(j)
        room -= widths[j] + GAP
    return parts


def _name_width(width: int, names: int) -> int:
    """Return how wide a column of names may be before it is folded."""
    return max(8, (width // 2 - GAP) // names)


def _table(grid: Grid, columns: list[list[str]], part: list[int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="")
    for j in part:
        align = grid.columns[j].align
        left = align == "left"
        is_set = align == "right" and j in grid.faint_columns
        table.add_column(
            Text(columns[j][0]),
            justify="left" if is_set else align,  # rich would take away the room for the sign
            no_wrap=not left,
            overflow="fold",
            min_width=4 if left else None,
        )
    for i in range(len(grid.rows)):
        table.add_row(*(Text(columns[j][i + 1], style=_style(grid, i, j)) for j in part))
    return table


def _style(grid: Grid, i: int, j: int) -> str:
    best = "bold green" if (i, j) in grid.marked else "red" if (i, j) in grid.worst else ""
    return f"{best} dim".strip() if (i, j) in grid.faint else best
