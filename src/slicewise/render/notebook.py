"""Blocks as HTML for a notebook's cell. All text is escaped: it may come from the data."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from slicewise.render.blocks import Grid, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slicewise.render.blocks import Block

STYLES = {"plain": "", "warning": "color:#9a6700", "aside": "opacity:.65", "title": "font-weight:bold"}


def as_html(blocks: Iterable[Block]) -> str:
    """Return blocks as one piece of HTML."""
    return "<div>" + "".join(_block(block) for block in blocks) + "</div>"


def _block(block: Block) -> str:
    if isinstance(block, Sentence):
        return f'<p style="margin:.2em 0;{STYLES[block.tone]}">{escape(block.text)}</p>'
    return _table(block)


def _table(grid: Grid) -> str:
    head = "".join(f'<th style="text-align:{c.align}">{escape(c.title)}</th>' for c in grid.columns)
    body = "".join(f"<tr>{_row(grid, i)}</tr>" for i in range(len(grid.rows)))
    note = f'<p style="opacity:.65;margin:.2em 0">{escape(grid.note)}</p>' if grid.note else ""
    return (
        f'<p style="font-weight:bold;margin:.8em 0 .2em">{escape(grid.title)}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"
    )


def _row(grid: Grid, i: int) -> str:
    weights = [";font-weight:bold" if (i, j) in grid.marked else "" for j in range(len(grid.columns))]
    return "".join(
        f'<td style="text-align:{column.align}{weight}">{escape(cell)}</td>'
        for column, cell, weight in zip(grid.columns, grid.rows[i], weights, strict=True)
    )
