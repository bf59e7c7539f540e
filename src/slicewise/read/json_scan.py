"""A vectorised scan of JSON lines for errors that the fast parser ignores.

Outside of strings a colon follows a key, and braces and brackets tell how deep it stands. Keys of one object are
compared by their hashes. A line that may be wrong is looked at again with care, so nothing here has to be sure that a
line is wrong; that a line is right it has to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Ints

Bytes = NDArray[np.uint8]

PIECE = 200_000
"""Bytes that are looked at together: their arrays stay near the processor."""
MOST_LEVELS = 64
"""How deep values may stand within values."""
HASHED = 64
"""Bytes of a key that its hash is of."""
QUOTE, ESCAPE = b'"\\'
COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST = MARKS = b":{}[]"
WORD = 8


@dataclass(frozen=True)
class Nested:
    """How many objects and lists there are, at all levels."""

    objects: int = 0
    lists: int = 0

    def __add__(self, other: Nested) -> Nested:
        return Nested(self.objects + other.objects, self.lists + other.lists)


def scan(pieces: Iterable[bytes], look: Callable[[bytes, int], object]) -> Nested:
    """Count objects and lists in pieces of whole lines.

    A line that may have a key twice in an object, half of a surrogate pair, or more levels than are read, goes to
    `look` with its number.
    """
    total, line = Nested(), 1
    for piece in pieces:
        data = np.frombuffer(piece + bytes(HASHED + WORD), np.uint8)
        marks = _Marks.of(data)
        odd = np.concatenate([marks.keys_twice(), marks.deep(), _half_pairs(data, marks.escapes)])
        if len(odd):
            lines, ends = piece.split(b"\n"), np.flatnonzero(data == ord("\n"))
            for number in np.unique(np.searchsorted(ends, odd)).tolist():
                look(lines[number], line + number)
        total += marks.nested
        line += piece.count(b"\n")
    return total


@dataclass(frozen=True)
class _Marks:
    """The marks of JSON that stand outside of strings, and where the strings are."""

    data: Bytes
    places: Ints
    kinds: Bytes
    strings: NDArray[np.int32]
    """How many quotes stand before each mark."""
    quotes: Ints
    """Where strings begin and end, in turn."""
    escapes: Ints

    @classmethod
    def of(cls, data: Bytes) -> _Marks:
        """Find them."""
        escapes = np.flatnonzero(data == ESCAPE)
        marked = data == QUOTE
        marked[_escaped(escapes)] = False
        for mark in MARKS:
            marked |= data == mark
        places = np.flatnonzero(marked)
        kinds = data[places]
        is_quote = kinds == QUOTE
        before = np.cumsum(is_quote, dtype=np.int32)
        outside = np.flatnonzero(((before & 1) == 0) & ~is_quote)
        return cls(data, places[outside], kinds[outside], before[outside], places[is_quote], escapes)

    @property
    def nested(self) -> Nested:
        """How many objects and lists there are."""
        return Nested(int((self.kinds == OPEN).sum()), int((self.kinds == OPEN_LIST).sum()))

    def deep(self) -> Ints:
        """Return where too many objects and lists are open."""
        opened = (self.kinds == OPEN) | (self.kinds == OPEN_LIST)
        closed = (self.kinds == CLOSE) | (self.kinds == CLOSE_LIST)
        return self.places[np.cumsum(opened.astype(np.int8) - closed, dtype=np.int64) > MOST_LEVELS]

    def keys_twice(self) -> Ints:
        """Return places of keys that an object may have twice."""
        colon = (self.kinds == COLON) & (self.strings > 1)
        count = self.strings[colon]
        start, end = self.quotes[count - 2] + 1, self.quotes[count - 1]
        hashes = _hashes(self.data, start, end) ^ _mixed(self._objects()[colon])
        ordered = np.sort(hashes)
        same = ordered[1:] == ordered[:-1]
        twice: Ints = start[np.isin(hashes, ordered[1:][same])] if same.any() else start[:0]
        if len(self.escapes):  # \u0061 is another way to write a
            last = self.escapes[np.searchsorted(self.escapes, end) - 1]
            twice = np.concatenate([twice, start[(start <= last) & (last < end)]])
        return twice

    def _objects(self) -> NDArray[np.uint64]:
        """Return a number of the object that each mark stands in; all of a level are numbered in their order."""
        opened = self.kinds == OPEN
        depth = np.cumsum(opened.astype(np.int8) - (self.kinds == CLOSE), dtype=np.int64)
        if depth.max(initial=0) < 2:
            return np.cumsum(opened, dtype=np.uint64)
        order = np.argsort(np.clip(depth, 0, 255).astype(np.uint8), kind="stable")
        numbers = np.empty(len(depth), np.uint64)
        numbers[order] = np.cumsum(opened[order])
        return numbers


def _escaped(escapes: Ints) -> Ints:
    """Return the places behind backslashes that are not themselves behind one: the first, third … of a run."""
    number = np.arange(len(escapes))
    begins = np.diff(escapes, prepend=-2) != 1
    run = np.maximum.accumulate(np.where(begins, number, 0))
    behind: Ints = escapes[((number - run) & 1) == 0] + 1
    return behind


def _hashes(data: Bytes, start: Ints, end: Ints) -> NDArray[np.uint64]:
    """Return hashes of stretches of bytes, of the first bytes of long ones."""
    words = np.ndarray(len(data) - WORD + 1, "<u8", data.data, strides=(1,))  # one begins at every byte
    length = end - start
    hashes = _mixed(length.astype(np.uint64))
    at, left = np.arange(len(start)), length
    for done in range(0, HASHED, WORD):
        more = left > done
        if not more.all():
            at, left = at[more], left[more]
        if not len(at):
            break
        unused = 8 * np.maximum(WORD - (left - done), 0)
        hashes[at] = _mixed(hashes[at] ^ (words[start[at] + done] << unused.astype(np.uint64)))
    return hashes


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed: NDArray[np.uint64] = (numbers ^ (numbers >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    return mixed


def _half_pairs(data: Bytes, escapes: Ints) -> Ints:
    r"""Return where \ud800 to \udfff stand without their other half."""
    at: Ints = escapes[(data[escapes + 1] == ord("u")) & (data[escapes + 2] | 32 == ord("d"))]
    if not len(at):
        return at
    digit = data[at + 3] | 32
    first, second = np.isin(digit, list(b"89ab")), np.isin(digit, list(b"cdef"))
    follows = np.isin(at, at[first] + 6)
    followed = np.isin(at, at[second] - 6)
    alone: Ints = at[(first & ~followed) | (second & ~follows)]
    return alone
