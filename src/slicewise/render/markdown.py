"""Blocks as Markdown with GitHub's tables. All text is escaped: it may come from the data."""

from __future__ import annotations

import re
from collections.abc import Iterable

from slicewise.errors import printable
from slicewise.render.blocks import FAINT, Block, Grid, Sentence

ALIGNS = {"left": ":---", "right": "---:", "center": ":---:"}
TONES = {"plain": "{}", "warning": "> {}", "aside": "*{}*", "title": "## {}"}
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
SPECIAL = re.compile(r"[\\`*_\[\]|~#$]|:(?=//)")
"""Marks of Markdown, and the colon that would make an address a link."""
LEADING = re.compile(r"^(\d*)([-+.)])(?=[\s-]|$)")
"""What would make a list or a rule of a paragraph."""


def as_markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as one Markdown text."""
    parts = (_sentence(block) if isinstance(block, Sentence) else _table(block) for block in blocks)
    return "\n\n".join(part for part in parts if part) + "\n"


def _sentence(sentence: Sentence) -> str:
    text = LEADING.sub(r"\1\\\2", _escaped(sentence.text))
    return TONES[sentence.tone].format(text) if text else ""


def _table(grid: Grid) -> str:
    titles = (f"{group} {c.title}" for group, c in zip(grid.group_of, grid.columns, strict=True))
    lines = [
        _line(_escaped(title) for title in titles),
        _line(ALIGNS[column.align] for column in grid.columns),
        *(_line(_cell(grid, i, j) for j in range(len(grid.columns))) for i in range(len(grid.rows))),
    ]
    note = _sentence(Sentence(grid.full_note, "aside"))
    lead = f"{_sentence(Sentence(grid.lead))}\n\n" if grid.lead else ""
    return f"### {_escaped(grid.title)}\n\n{lead}" + "\n".join(lines) + (f"\n\n{note}" if note else "")


def _cell(grid: Grid, i: int, j: int) -> str:
    text = _escaped(grid.rows[i][j] + (FAINT if (i, j) in grid.faint else ""))
    return f"**{text}**" if text and (i, j) in grid.marked else text


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Return text on one line that shows as it is."""
    line = SPECIAL.sub(r"\\\g<0>", printable(" ".join(text.split())))
    return "".join(ENTITIES.get(c, c) for c in line)
