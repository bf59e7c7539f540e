"""Blocks as HTML for a notebook's cell. All text is escaped: it may come from the data."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

from slicewise.render.blocks import FAINT, Block, Grid, Sentence
from slicewise.render.figures import Figure

STYLES = {"plain": "", "warning": "color:#9a6700", "aside": "opacity:.65", "title": "font-weight:bold"}
SIGN = "display:inline-block;width:.5em"
"""The place of the sign of faint values: as wide in all cells of a column, so that digits stay in line."""


def as_html(blocks: Iterable[Block], figures: Sequence[Figure] = ()) -> str:
    """Return the first chart, as a picture that needs no script, and blocks as one piece of HTML."""
    drawn = next((_picture(figure) for figure in figures if figure.has_chart), "")
    return "<div>" + drawn + "".join(_block(block) for block in blocks) + "</div>"


def _picture(figure: Figure) -> str:
    data = b64encode(figure.rendered("svg")).decode()
    return f'<img alt="{escape(figure.caption)}" src="data:image/svg+xml;base64,{data}">'


def _block(block: Block) -> str:
    if isinstance(block, Sentence):
        return f'<p style="margin:.2em 0;{STYLES[block.tone]}">{escape(block.text)}</p>'
    return _table(block)


def _table(grid: Grid) -> str:
    head = "".join(f'<th style="text-align:{c.align}">{escape(c.title)}</th>' for c in grid.columns)
    body = "".join(f"<tr>{_row(grid, i)}</tr>" for i in range(len(grid.rows)))
    note = f'<p style="opacity:.65;margin:.2em 0">{escape(grid.full_note)}</p>' if grid.full_note else ""
    lead = f'<p style="margin:.2em 0">{escape(grid.lead)}</p>' if grid.lead else ""
    return (
        f'<p style="font-weight:bold;margin:.8em 0 .2em">{escape(grid.title)}</p>{lead}'
        f"<table><thead>{_groups(grid)}<tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"
    )


def _groups(grid: Grid) -> str:
    heads = (f'<th colspan="{n}" style="text-align:center">{escape(title)}</th>' for title, n in grid.groups)
    return f"<tr>{''.join(heads)}</tr>" if grid.groups else ""


def _row(grid: Grid, i: int) -> str:
    with_sign = grid.faint_columns
    return "".join(_cell(grid, i, j, with_sign=j in with_sign) for j in range(len(grid.columns)))


def _cell(grid: Grid, i: int, j: int, *, with_sign: bool) -> str:
    faint = (i, j) in grid.faint
    style = f"text-align:{grid.columns[j].align}"
    style += ";font-weight:bold" if (i, j) in grid.marked else ""
    style += ";color:#b42318" if (i, j) in grid.worst else ""
    style += ";opacity:.5" if faint else ""
    sign = f'<span style="{SIGN}">{FAINT if faint else ""}</span>' if with_sign else ""
    return f'<td style="{style}">{escape(grid.rows[i][j])}{sign}</td>'
