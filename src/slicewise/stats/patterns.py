"""Outcomes of systems as bit patterns: bins, pairs and votes of S systems follow from the counts of patterns.

A row (a unit) has one bit per system. Rows with the same bits in the same slice are counted together, and what follows
from bits is worked out once for each pattern, so that nothing looks at rows again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints, Mask
from slicewise.stats.canonical import mixed
from slicewise.stats.products import EXACT_IN_SINGLE
from slicewise.stats.ratio import ratio

Index = NDArray[np.integer[Any]]
Slices = NDArray[np.integer[Any]] | Mask

BLOCK = 2**16
"""Rows that are coded at a time: their codes stay in the cache."""
MOST_CODES = 2**22
"""As many codes are counted in a table; more are sorted."""
ALL_KINDS = 2**12, 2**18
"""So many patterns are numbered without a look at which of them occur: with few rows, and with many."""
AT_ONCE = 2**18
"""Multiplications of a product that one thread does by itself."""
LONGEST_RUN = 64
"""Patterns of one slice that are multiplied at a time."""
WORD = 62
"""Bits of a pattern that one number holds."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """The pattern of each row, by number."""

    bits: Mask
    """`(patterns, systems)`: all that there could be, or those that occur."""
    of: Index

    @classmethod
    def among(cls, columns: Sequence[Mask]) -> Kinds:
        """Encode each row by the number of its pattern; a column per system."""
        width = len(columns)
        return cls.of_words([_codes(columns[start : start + WORD]) for start in range(0, width, WORD)], width)

    @classmethod
    def of_words(cls, words: Sequence[Index], width: int) -> Kinds:
        """Encode patterns that are given as words of 62 bits."""
        few, most = ALL_KINDS
        if width < most.bit_length() and 1 << width <= max(few, min(most, len(words[0]))):
            return cls((np.arange(1 << width)[:, None] >> np.arange(width) & 1).astype(np.bool_), words[0])
        keys, first, of = np.unique(words[0], return_index=True, return_inverse=True)
        for word in words[1:]:
            codes, place = np.unique(word, return_inverse=True)
            keys, first, of = np.unique(of * len(codes) + place, return_index=True, return_inverse=True)
        bits = [(words[i // WORD][first] >> (i % WORD) & 1).astype(np.bool_) for i in range(width)]
        return cls(np.column_stack(bits).reshape(len(keys), width), of)

    def words(self) -> list[Ints]:
        """Return the patterns as numbers, 62 bits each."""
        parts = [self.bits[:, start : start + WORD] for start in range(0, self.bits.shape[1], WORD)]
        return [part @ (1 << np.arange(part.shape[1], dtype=np.int64)) for part in parts]


@dataclass(frozen=True, eq=False)
class Patterns:
    """Patterns with how often each occurs in each slice, in the order of slices."""

    kinds: Mask
    """`(patterns, systems)`."""
    kind: Index
    """Which of the patterns it is."""
    slices: Ints
    """The slice that it is in."""
    counts: Ints
    size: int
    """How many slices there are."""

    @classmethod
    def of(cls, columns: Sequence[Mask], slices: Slices | None = None, size: int = 1) -> Patterns:
        """Count the patterns of rows; a column per system, and the slice of each row."""
        return cls.counted(Kinds.among(columns), slices, size)

    @classmethod
    def of_matrix(cls, matrix: NDArray[np.uint8], slices: Slices | None = None, size: int = 1) -> Patterns:
        """Count the patterns of a 0/1 table, rows × systems."""
        return cls.of(list(matrix.T.view(np.bool_)), slices, size)

    @classmethod
    def counted(cls, kinds: Kinds, slices: Slices | None, size: int) -> Patterns:
        """Count rows by slice and pattern."""
        width, rows = max(1, len(kinds.bits)), len(kinds.of)
        if size * width <= max(BLOCK, min(MOST_CODES, rows)):
            table = np.zeros(size * width, np.int64)
            for block in blocks(rows, max(BLOCK, len(table))):
                table += np.bincount(_cells(kinds, slices, block), minlength=len(table))
            occurring = np.flatnonzero(table)
            return cls(kinds.bits, occurring % width, occurring // width, table[occurring], size)
        cells: Index = np.empty(rows, np.uint32 if size * width <= 2**32 else np.uint64)
        for block in blocks(rows, BLOCK):
            cells[block] = _cells(kinds, slices, block)
        cells.sort()
        first = _starts(cells)
        at, kind = np.divmod(cells[first], cells.dtype.type(width))
        counts = np.diff(np.append(first, rows))
        return cls(kinds.bits, kind.astype(np.int32 if width < 2**31 else np.int64), at.astype(np.int64), counts, size)

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return int(self.kinds.shape[1])

    @property
    def bits(self) -> Mask:
        """Who has each, `(rows, systems)`."""
        return np.asarray(self.kinds[self.kind])

    @cached_property
    def votes(self) -> Ints:
        """How many systems have each pattern."""
        return np.asarray(self.kinds.sum(axis=1, dtype=np.int64)[self.kind])

    def where(self, chosen: Mask) -> Patterns:
        """Return some of the patterns."""
        return Patterns(self.kinds, self.kind[chosen], self.slices[chosen], self.counts[chosen], self.size)

    def among(self, slices: Ints, size: int) -> Patterns:
        """Return the same patterns in other slices, those that are the same counted together."""
        width = max(1, len(self.kinds))
        cells = slices * width + self.kind
        if size * width <= max(BLOCK, min(MOST_CODES, len(cells))):
            table = np.bincount(cells, weights=self.counts, minlength=size * width).astype(np.int64)
            occurring = np.flatnonzero(table)
            return Patterns(self.kinds, occurring % width, occurring // width, table[occurring], size)
        order = np.argsort(cells, kind="stable")
        first = _starts(cells[order])
        at, kind = np.divmod(cells[order[first]], width)
        return Patterns(self.kinds, kind, at, _added(self.counts[order], first), size)

    def of_systems(self, members: Sequence[int]) -> Patterns:
        """Return what some of the systems have."""
        return Patterns(self.kinds[:, list(members)], self.kind, self.slices, self.counts, self.size)

    def bins(self) -> Bins:
        """Return how many rows n systems have, and how many of these each system has."""
        top = self.systems + 1
        weights = self._by_kind
        votes = self.kinds.sum(axis=1, dtype=np.int64)
        totals = np.bincount(votes, weights=weights, minlength=top)
        by_system = [np.bincount(votes, weights=weights * has, minlength=top) for has in self.kinds.T]
        return Bins(totals.astype(np.int64), np.array(by_system).reshape(-1, top).astype(np.int64))

    @cached_property
    def _by_kind(self) -> Array:
        """How often each pattern occurs in all slices together."""
        counts = np.bincount(self.kind, weights=self.counts, minlength=len(self.kinds))
        return counts.astype(np.float64)  # of nothing, whole numbers

    def totals(self) -> Ints:
        """Return the number of rows per slice and number of systems that have them, `(size, systems + 1)`."""
        return self._summed(self.counts)

    def _summed(self, weights: NDArray[np.number[Any]]) -> Ints:
        """Return the sums of weights per slice and number of systems."""
        top = self.systems + 1
        sums = np.bincount(self._cells, weights=weights, minlength=self.size * top)
        return sums.reshape(self.size, top).astype(np.int64)

    @cached_property
    def _cells(self) -> Ints:
        """The slice and the number of systems as one number."""
        return self.slices * (self.systems + 1) + self.votes

    def bin_counts(self, system: int) -> Ints:
        """Return the rows that a system has, per slice and number of systems that have them."""
        return self._summed(self.counts * self.kinds[:, system][self.kind])

    def shared(self) -> Ints:
        """Return how many rows each two systems both have, `(systems, systems)`; a system with itself: its own."""
        occurring = np.flatnonzero(self._by_kind)
        counts = self._by_kind[occurring]
        kind = np.float32 if counts.sum() < EXACT_IN_SINGLE else np.float64  # in which sums of whole numbers are exact
        rows = max(16, AT_ONCE // self.systems**2)
        products = np.zeros((self.systems, self.systems), kind)
        for block in blocks(len(occurring), rows):
            bits = self.kinds[occurring[block]].astype(kind)
            products += bits.T @ (bits * counts[block, None].astype(kind))
        return np.rint(products).astype(np.int64)

    def shared_with(self, systems: slice) -> Ints:
        """Return per slice how many rows some systems share with all, `(size, some, systems)`."""
        chosen = range(*systems.indices(self.systems))
        shared = np.zeros((self.size, len(chosen), self.systems), np.int64)
        if not len(self.counts):
            return shared
        first = _starts(self.slices)
        sizes = np.diff(np.append(first, len(self.slices)))
        run = min(LONGEST_RUN, 1 << max(2, int(sizes.mean()).bit_length()))
        parts = -(-sizes // run)  # a slice is as many runs, the last of them filled up
        part = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        begin = np.repeat(first, parts) + part * run
        size = np.minimum(np.repeat(sizes, parts) - part * run, run)
        at = self.slices[begin]
        exact = np.float32 if int(self.counts.max()) * run < EXACT_IN_SINGLE else np.float64
        kinds = self.kinds.astype(exact)
        for block in blocks(len(begin), max(1, BLOCK // run)):
            rows = begin[block, None] + np.minimum(np.arange(run), size[block, None] - 1)
            weights = np.where(np.arange(run) < size[block, None], self.counts[rows], 0).astype(exact)
            bits = kinds[self.kind[rows]]
            products = (bits[:, :, systems] * weights[:, :, None]).transpose(0, 2, 1) @ bits
            starts = _starts(at[block])
            shared[at[block][starts]] += np.add.reduceat(products, starts, axis=0, dtype=np.float64).astype(np.int64)
        return shared

    def hashes(self, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return a hash of each pattern, by its number; systems enter it by their keys, not by their places."""
        return mixed(np.where(self.kinds, mixed(keys), np.uint64(0)).sum(axis=1, dtype=np.uint64))

    def fingerprints(self, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return a hash of what is in each slice, whatever the order of rows."""
        sums = np.zeros(self.size, np.uint64)
        hashes = self.hashes(keys)
        for block in blocks(len(self.counts), BLOCK):
            np.add.at(sums, self.slices[block], hashes[self.kind[block]] * self.counts[block].astype(np.uint64))
        return sums


@dataclass(frozen=True, eq=False)
class Bins:
    """Units by the number n of systems that have them."""

    totals: Ints
    """`(systems + 1,)`: how many units n systems have."""
    found: Ints
    """`(systems, systems + 1)`: how many of them each system has."""

    def check(self) -> None:
        """Check the laws that all bins obey, but for what stands in the totals of bin 0."""
        size = len(self.totals) - 1
        laws = {
            "no system has a unit of bin 0": not self.found[:, 0].any(),
            "every system has all of the last bin": bool((self.found[:, size] == self.totals[size]).all()),
            "bin n has n systems per unit": bool(
                (self.found.sum(axis=0) == np.arange(size + 1) * self.totals)[1:].all()
            ),
            "no system has more than there is": bool((self.found <= self.totals).all() and (self.found >= 0).all()),
        }
        if broken := [law for law, holds in laws.items() if not holds]:
            raise ValueError(f"bins break a law: {', '.join(broken)}")

    def shares(self) -> Array:
        """Return each system's share of each bin; NaN where the bin is empty."""
        return ratio(self.found, self.totals)

    def leave_one_out(self) -> tuple[Ints, Ints]:
        """Return for each system the bins that the others alone make, `(systems, systems)`, and what it has of them."""
        has = self.found[:, 1:]
        return has + self.totals[:-1] - self.found[:, :-1], has


def blocks(rows: int, size: int = BLOCK) -> Iterator[slice]:
    """Yield slices of at most `size` rows."""
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def _cells(kinds: Kinds, slices: Slices | None, block: slice) -> Index:
    """Return the number that stands for the slice and the pattern of some rows."""
    of = kinds.of[block].astype(np.int64)
    return of if slices is None else slices[block].astype(np.int64) * len(kinds.bits) + of


def _starts(ordered: Index) -> Ints:
    """Return where another number begins."""
    return np.flatnonzero(np.concatenate([[True] * min(1, len(ordered)), ordered[1:] != ordered[:-1]]))


def _added(counts: Ints, first: Ints) -> Ints:
    return np.asarray(np.add.reduceat(counts, first) if len(first) else counts)


def _codes(columns: Sequence[Mask]) -> Index:
    """Return the bits of each row as a number, that of the first column the lowest."""
    width, rows = len(columns), len(columns[0])
    kind = next(k for k in (np.uint8, np.uint16, np.uint32, np.uint64) if width <= np.iinfo(k).bits)
    codes: Index = np.zeros(rows, kind)
    room = np.empty(min(rows, BLOCK), kind)
    for block in blocks(rows, BLOCK):
        shifted = room[: block.stop - block.start]
        for i, column in enumerate(columns):
            np.left_shift(column[block].view(np.uint8), kind(i), out=shifted, dtype=kind)
            np.bitwise_or(codes[block], shifted, out=codes[block])
    return codes
