"""What a result shows to a person: sentences and small tables of text, before any medium is chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Column:
    """A column's heading and how its cells stand."""

    title: str
    align: Literal["left", "right", "center"] = "right"


@dataclass(frozen=True)
class Grid:
    """A table of text."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    marked: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    """(row, column) of the best values."""


@dataclass(frozen=True)
class Sentence:
    """A line of plain text; a `warning` asks for attention, an `aside` may be passed over."""

    text: str
    tone: Literal["plain", "warning", "aside", "title"] = "plain"


Block = Grid | Sentence
