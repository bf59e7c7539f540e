"""Blocks of a result for people: sentences and small tables of text, independent of the medium."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

FAINT = "°"
"""Stands after a value that is not significant, so that colour is not the only sign."""


@dataclass(frozen=True)
class Column:
    """A column's heading and alignment."""

    title: str
    align: Literal["left", "right", "center"] = "right"
    beside: bool = False
    """Whether it belongs to the column before it, as an interval does."""


@dataclass(frozen=True)
class Grid:
    """A table of text."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    marked: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    """(row, column) of the best values."""
    faint: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    """(row, column) of the values that are not significant."""
    name: str = ""
    """A short name, for a file or a label: `model-wise-spearman`."""
    groups: tuple[tuple[str, int], ...] = ()
    """Headings over runs of columns, as (title, number of columns); an empty title for none."""
    worst: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    """(row, column) of the worst values, if marked; the cells carry a sign as well."""
    lead: str = ""
    """What is to be known before the table is read."""

    @property
    def full_note(self) -> str:
        """The note, with what the sign of faint values means."""
        return f"{self.note} {FAINT} not significant, or not tested.".strip() if self.faint else self.note

    @property
    def faint_columns(self) -> frozenset[int]:
        """The columns with faint values: the others of their cells leave room for the sign."""
        return frozenset(j for _, j in self.faint)

    @property
    def group_of(self) -> tuple[str, ...]:
        """The group's title of every column."""
        return tuple(title for title, n in self.groups for _ in range(n)) or ("",) * len(self.columns)


@dataclass(frozen=True)
class Sentence:
    """A line of plain text; a `warning` asks for attention, an `aside` may be passed over."""

    text: str
    tone: Literal["plain", "warning", "aside", "title"] = "plain"


Block = Grid | Sentence
