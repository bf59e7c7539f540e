"""Tables of very many systems, truncated for people; files have all rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from slicewise.errors import counted
from slicewise.render.blocks import Column, Grid

MOST_ROWS = 30
MOST_COLUMNS = 20
GAP = "…"
NO_CELL = -1


def capped(grid: Grid, *, rows: bool = True) -> Grid:
    """Return a table with its first rows and the last one, and its first and last columns, where it has too many."""
    down = _kept(len(grid.rows), MOST_ROWS, 1) if rows else list(range(len(grid.rows)))
    across = _kept(len(grid.columns), MOST_COLUMNS, MOST_COLUMNS // 2)
    left = _left_out(len(grid.rows), down, "row") + _left_out(len(grid.columns), across, "column")
    if not left:
        return grid
    return replace(
        grid,
        columns=tuple(Column(GAP) if j == NO_CELL else grid.columns[j] for j in across),
        rows=tuple(tuple(GAP if NO_CELL in (i, j) else grid.rows[i][j] for j in across) for i in down),
        note=f"{grid.note} {' and '.join(left)} more: --csv DIR and --json FILE have all.".strip(),
        marked=_moved(grid.marked, down, across),
        faint=_moved(grid.faint, down, across),
        worst=_moved(grid.worst, down, across),
    )


def _kept(size: int, limit: int, last: int) -> list[int]:
    """Return the indices that are kept: the first, a gap and the last."""
    if size <= limit:
        return list(range(size))
    return [*range(limit - last - 1), NO_CELL, *range(size - last, size)]


def _left_out(size: int, kept: Sequence[int], noun: str) -> list[str]:
    """Return how many are not shown."""
    return [counted(size - len(kept) + 1, noun)] if NO_CELL in kept else []


def _moved(cells: frozenset[tuple[int, int]], down: Sequence[int], across: Sequence[int]) -> frozenset[tuple[int, int]]:
    """Return cells at their new places."""
    return frozenset((i, j) for i, row in enumerate(down) for j, column in enumerate(across) if (row, column) in cells)
