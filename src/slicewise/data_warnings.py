"""Warnings about the data as words and counts, so that equal warnings of several partitions merge into one.

A warning is a sequence of pieces: words, counts that are summed, and the position of the first case, which is that of
the first partition.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from typing import Any


class When(StrEnum):
    """When a warning about partitions is one about all data."""

    ANY = "any"
    """Raised by any partition."""
    EVERY = "every"
    """Raised by all partitions: something is absent everywhere."""
    FIRST = "first"
    """Raised by the first partition: it is about the first row."""
    NEVER = "never"
    """Needs all data."""


@dataclass(frozen=True)
class Plural:
    """A count with its words in the singular and in the plural."""

    n: int
    singular: str
    plural: str

    def __str__(self) -> str:
        return (self.singular if self.n == 1 else self.plural).format(self.n)


@dataclass(frozen=True)
class Total:
    """The number of items or tokens in all data."""

    n: int
    of: str

    def __str__(self) -> str:
        return f"{self.n:,}"


@dataclass(frozen=True)
class First:
    """Where the first case is."""

    text: str
    item: int | None = None
    """The item that is named after the text, counted from 0."""

    def __str__(self) -> str:
        return self.text if self.item is None else f"{self.text}{self.item + 1:,}"


Piece = str | Plural | Total | First


@dataclass(frozen=True)
class DataWarning:
    """A warning for the user."""

    pieces: tuple[Piece, ...]
    when: When = When.ANY

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))

    def to_json(self) -> str:
        """Serialise it."""
        return json.dumps([self.when, [_written(piece) for piece in self.pieces]])

    @classmethod
    def from_json(cls, text: str) -> DataWarning:
        """Deserialise it."""
        when, pieces = json.loads(text)
        return cls(tuple(_read(*piece) for piece in pieces), When(when))

    def shape(self) -> tuple[object, ...]:
        """Return the key of warnings that merge into one."""
        return (self.when, *map(_words, self.pieces))


def warning(*pieces: Piece, when: When = When.ANY) -> DataWarning:
    """Return a warning made of pieces."""
    return DataWarning(pieces, when)


def number(n: int, noun: str) -> Plural:
    """Return a number with its noun: `1 item`, `1,287 items`."""
    return Plural(n, f"{{:,}} {noun}", f"{{:,}} {noun}s")


def verb(n: int, singular: str, plural: str) -> Plural:
    """Return a verb in the number that agrees with n."""
    return Plural(n, singular, plural)


def merge_warnings(
    warnings: Sequence[tuple[int, DataWarning]], parts: int, totals: Mapping[str, int]
) -> list[DataWarning]:
    """Merge the warnings of partitions, each with the number of the partition's first item."""
    groups: dict[tuple[object, ...], list[tuple[int, DataWarning]]] = {}
    for start, raised in sorted(warnings, key=lambda located: located[0]):
        groups.setdefault(raised.shape(), []).append((start, raised))
    merged = []
    for group in groups.values():
        start, first = group[0]
        holds = {When.ANY: True, When.EVERY: len(group) == parts, When.FIRST: start == 0, When.NEVER: False}
        if holds[first.when]:
            columns = zip(*(raised.pieces for _, raised in group), strict=True)
            merged.append(replace(first, pieces=tuple(_added(start, column, totals) for column in columns)))
    return merged


def _added(start: int, pieces: Sequence[Piece], totals: Mapping[str, int]) -> Piece:
    """Merge one piece of several partitions' warnings; `start`: the first item of the first of them."""
    match pieces[0]:
        case Plural() as first:
            return replace(first, n=sum(piece.n for piece in pieces if isinstance(piece, Plural)))
        case Total() as first:
            return replace(first, n=totals[first.of])
        case First(item=int(item)) as first:
            return replace(first, item=item + start)
        case first:
            return first


def _words(piece: Piece) -> object:
    """Return what is equal in all partitions."""
    match piece:
        case Plural() | Total():
            return replace(piece, n=0)
        case First():
            return First
        case _:
            return piece


KINDS: dict[str, type[Plural | Total | First]] = {"number": Plural, "total": Total, "first": First}


def _written(piece: Piece) -> tuple[object, ...]:
    if isinstance(piece, str):
        return ("words", piece)
    return (next(name for name, kind in KINDS.items() if isinstance(piece, kind)), *astuple(piece))


def _read(kind: str, *values: Any) -> Piece:
    return str(values[0]) if kind == "words" else KINDS[kind](*values)
