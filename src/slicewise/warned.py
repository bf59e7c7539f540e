"""Warnings as words and numbers, so that what parts of the data say alike becomes what the whole says.

A warning is a row of pieces: words, numbers that are added up, and the place of the first case, which is that of the
first part.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class When(StrEnum):
    """When a warning of parts is one of the whole."""

    ANY = "any"
    """Said of any part."""
    EVERY = "every"
    """Said of all parts: that something is nowhere."""
    FIRST = "first"
    """Said of the first part: it is about the first row."""
    NEVER = "never"
    """Only the whole can tell."""


@dataclass(frozen=True)
class Number:
    """A number with the words that go with one and with many."""

    n: int
    one: str
    many: str

    def __str__(self) -> str:
        return (self.one if self.n == 1 else self.many).format(self.n)


@dataclass(frozen=True)
class Total:
    """How many there are of something in all of the data."""

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


Piece = str | Number | Total | First


@dataclass(frozen=True)
class Warned:
    """What the user should know."""

    pieces: tuple[Piece, ...]
    when: When = When.ANY

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))

    def to_json(self) -> str:
        """Return it as text that can travel."""
        return json.dumps([self.when, [_written(piece) for piece in self.pieces]])

    @classmethod
    def from_json(cls, text: str) -> Warned:
        """Read it again."""
        when, pieces = json.loads(text)
        return cls(tuple(_read(*piece) for piece in pieces), When(when))

    def shape(self) -> tuple[object, ...]:
        """Return what warnings have in common that are one in the whole."""
        return (self.when, *map(_words, self.pieces))


def warned(*pieces: Piece, when: When = When.ANY) -> Warned:
    """Return a warning of some pieces."""
    return Warned(pieces, when)


def number(n: int, noun: str) -> Number:
    """Return a number with its noun: `1 item`, `1,287 items`."""
    return Number(n, f"{{:,}} {noun}", f"{{:,}} {noun}s")


def verb(n: int, one: str, many: str) -> Number:
    """Return the word that goes with so many."""
    return Number(n, one, many)


def of_whole(said: Sequence[tuple[int, Warned]], parts: int, totals: Mapping[str, int]) -> list[Warned]:
    """Return what is said of the whole data from what is said of its parts, each with the number of its first item."""
    alike: dict[tuple[object, ...], list[tuple[int, Warned]]] = {}
    for start, one in sorted(said, key=lambda each: each[0]):
        alike.setdefault(one.shape(), []).append((start, one))
    found = []
    for several in alike.values():
        start, first = several[0]
        holds = {When.ANY: True, When.EVERY: len(several) == parts, When.FIRST: start == 0, When.NEVER: False}
        if holds[first.when]:
            columns = zip(*(one.pieces for _, one in several), strict=True)
            found.append(replace(first, pieces=tuple(_added(start, column, totals) for column in columns)))
    return found


def _added(start: int, pieces: Sequence[Piece], totals: Mapping[str, int]) -> Piece:
    """Return what a piece of several parts, the first of which begins at an item, is in the whole."""
    match pieces[0]:
        case Number() as first:
            return replace(first, n=sum(piece.n for piece in pieces if isinstance(piece, Number)))
        case Total() as first:
            return replace(first, n=totals[first.of])
        case First(item=int(item)) as first:
            return replace(first, item=item + start)
        case first:
            return first


def _words(piece: Piece) -> object:
    """Return what does not change from part to part."""
    match piece:
        case Number() | Total():
            return replace(piece, n=0)
        case First():
            return First
        case _:
            return piece


KINDS: dict[str, type[Number | Total | First]] = {"number": Number, "total": Total, "first": First}


def _written(piece: Piece) -> tuple[object, ...]:
    if isinstance(piece, str):
        return ("words", piece)
    return (next(name for name, kind in KINDS.items() if isinstance(piece, kind)), *astuple(piece))


def _read(kind: str, *values: Any) -> Piece:
    return str(values[0]) if kind == "words" else KINDS[kind](*values)
