"""Annotations of one file: items with tokens, tags, spans or one answer each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints, Mask
from slicewise.data_warnings import DataWarning
from slicewise.errors import UserError

OUTSIDE = "O"
CONFIDENCES = ("confidence", "probability", "prob")
"""Fields that say how sure a system is of its output."""
UNTYPED = "_"
"""The label of spans whose tags carry no type (`B`, `I` alone, as in word segmentation)."""
ODD_KINDS = {pl.Struct: "objects", pl.List: "lists", pl.Array: "lists", pl.Duration: "durations", pl.Object: "objects"}
"""Types that have no text."""


class Task(StrEnum):
    """The six kinds of work that can be evaluated."""

    SPANS = "spans"
    TOKENS = "tokens"
    LABELS = "labels"
    MULTILABEL = "multilabel"
    TEXT = "text"
    SCORES = "scores"

    @property
    def has_units(self) -> bool:
        """Whether the task is scored by comparing sets of units."""
        return self not in {Task.TEXT, Task.SCORES}


def as_text(values: pl.Series, refuse: Callable[[str, int], UserError]) -> pl.Series:
    """Return plain values as text, and lists of them as lists of texts.

    `refuse` makes the error for what cannot be text, of what it is and the first item that it is of.
    """
    kind = values.dtype
    listed = isinstance(kind, pl.List)
    inner: Any = kind.inner if isinstance(kind, pl.List) else kind
    for odd, name in ODD_KINDS.items():
        if inner == odd:
            raise refuse(f"lists of {name}" if listed else name, 0)
    try:
        return values.cast(pl.List(pl.String) if listed else pl.String)
    except pl.exceptions.ComputeError:
        if inner != pl.Binary:
            raise
        rows = values.to_list() if listed else [[value] for value in values]
        row = next((i for i, held in enumerate(rows) if not all(map(_is_utf8, held or ()))), 0)
        raise refuse("bytes that are not valid UTF-8", row) from None


def _is_utf8(value: bytes | None) -> bool:
    try:
        (value or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


def code_type(names: int) -> type[np.uint16 | np.uint32]:
    """Return the smaller type that can number so many names."""
    return np.uint16 if names < 2**16 else np.uint32


@dataclass(frozen=True)
class Tags:
    """The tags of all tokens of a file as small integers; code 0 is always `O`."""

    codes: NDArray[np.uint8 | np.uint16 | np.uint32]
    names: tuple[str, ...]

    @classmethod
    def encode(cls, tags: pl.Series) -> Tags:
        """Encode a column of tags; most are `O`, so only the others are looked up."""
        tagged = tags != OUTSIDE
        rare = tags.filter(tagged)
        names = rare.unique().sort().to_list()
        codes = np.zeros(len(tags), dtype=code_type(len(names) + 1))
        if names:
            codes[tagged.to_numpy()] = rare.cast(pl.Enum(names)).to_physical().to_numpy() + 1
        return cls(codes, (OUTSIDE, *names))

    @classmethod
    def joined(cls, parts: Sequence[Tags]) -> Tags:
        """Return the tags of a file's pieces, one after the other."""
        names = (OUTSIDE, *sorted({name for part in parts for name in part.names[1:]}))
        index = {name: i for i, name in enumerate(names)}
        codes = np.empty(sum(len(part.codes) for part in parts), dtype=code_type(len(names)))
        end = 0
        for part in parts:
            start, end = end, end + len(part.codes)
            codes[start:end] = np.array([index[name] for name in part.names], codes.dtype)[part.codes]
        return cls(codes, names)

    def take(self, keep: Mask) -> Tags:
        """Return the tags of some tokens."""
        return Tags(self.codes[keep], self.names)

    def between(self, start: int, stop: int) -> Tags:
        """Return the tags of some tokens, one after the other."""
        return Tags(self.codes[start:stop], self.names)

    def compact(self) -> Tags:
        """Return the same in as little memory as their number allows, to be kept."""
        return Tags(self.codes.astype(np.uint8), self.names) if len(self.names) <= 2**8 else self

    def written(self) -> pl.Series:
        """Return the tags as they stand in the file."""
        return pl.Series(self.names, dtype=pl.String).gather(self.codes)

    def first(self, code: int) -> int:
        """Return the index of the first token with this tag."""
        return int(np.argmax(self.codes == code))


@dataclass(frozen=True)
class Places:
    """The file and line of each item; several files stand one after the other."""

    files: tuple[str, ...]
    starts: Ints
    """The first item of each file."""
    lines: Ints
    first: int = 0
    """Of a part: the number of its first item."""

    def of(self, item: int) -> tuple[str, int | None]:
        """Return the name of an item's file, and its line there."""
        item += self.first
        file = int(np.searchsorted(self.starts, item, side="right")) - 1
        return self.files[file], int(self.lines[item]) if item < len(self.lines) else None

    def error(self, message: str, item: int) -> UserError:
        """Return an error about an item."""
        where, line = self.of(item)
        return UserError(message, where=where, line=line)


@dataclass(frozen=True, kw_only=True)
class Annotations:
    """One file's items. What the file does not have is None.

    Tokens of all items stand one after the other; those of item i are `offsets[i]:offsets[i + 1]`.
    """

    name: str
    items: int
    column: str | None = None
    """The column of the file that the user named."""
    places: Places | None = None
    """Where each item stands, where it is not at its first token."""
    offsets: Ints | None = None
    tokens: pl.Series | None = None
    token_rows: Mask | None = None
    """Which lines of the file are tokens; line numbers are computed only when a message needs one."""
    token_columns: dict[str, pl.Series] = field(default_factory=dict)
    tags: Tags | None = None
    own_gold: Tags | None = None
    """The gold tags that a system's file brings along."""
    spans: pl.DataFrame | None = None
    """Columns item, start, end, label; offsets count characters when the file has `texts`, else tokens."""
    texts: pl.Series | None = None
    answers: pl.Series | None = None
    """One value per item: a label, a text or a score; a list of strings for several labels."""
    tabs_separate: bool = False
    """Whether a tab in an answer separates several references."""
    metadata: pl.DataFrame = field(default_factory=pl.DataFrame)
    documents: Ints | None = None
    docstarts: Mask | None = None
    """With `-DOCSTART-` lines: which tokens of the file, those lines included, they are."""
    notes: tuple[DataWarning, ...] = ()
    """What the user should know about the file; they become warnings."""

    @property
    def called(self) -> str:
        """The file as the user named it."""
        return self.name if self.column is None else f"{self.name}:{self.column}"

    def token_line(self, token: int) -> int | None:
        """Return the line of a token, from 1."""
        if self.token_rows is not None:
            lines = np.flatnonzero(self.token_rows)
            return int(lines[min(token, len(lines) - 1)]) + 1
        if self.places is None or self.offsets is None:
            return None
        return self.item_line(int(np.searchsorted(self.offsets, token, side="right")) - 1)

    def item_line(self, item: int) -> int | None:
        """Return the line on which an item begins, from 1."""
        if self.places is not None:
            return self.places.of(item)[1]
        return None if self.offsets is None else self.token_line(int(self.offsets[item]))

    def error(self, message: str, *, item: int | None = None) -> UserError:
        """Return an error about the file, or about one of its items."""
        if item is None:
            return UserError(message, where=self.name)
        where, line = (self.name, self.item_line(item)) if self.places is None else self.places.of(item)
        return UserError(message, where=where, line=line)

    def as_text(self, values: pl.Series) -> pl.Series:
        """Return values of its items as text, or lists of texts, or say what they are instead."""
        return as_text(
            values, lambda what, item: self.error(f"{what}; expected text or numbers; name another column", item=item)
        )

    @property
    def lengths(self) -> Ints:
        """The number of tokens of each item."""
        return np.zeros(0, np.int64) if self.offsets is None else np.diff(self.offsets)
