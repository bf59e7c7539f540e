"""Who has what, as bit patterns: bins, pairs and votes of S systems come from how often each pattern occurs.

A row (a unit) has one bit per system. Rows with the same bits in the same slice are one pattern with a count, so that
nothing that follows looks at rows again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slicewise.stats.canonical import mixed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Bits = NDArray[np.bool_]
    Counts = NDArray[np.int64]
    Slices = NDArray[np.int64] | NDArray[np.bool_]

BLOCK = 2**16
"""Rows that are coded at a time: their codes stay in the cache."""
MOST_CODES = 2**22
"""As many codes are counted in a table; more are sorted."""
AT_ONCE = 2**18
"""Multiplications of a product that one thread does by itself."""
CODE_BITS = 62
RANK_BITS = 31


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct patterns with how often each occurs, in the order of slices."""

    bits: Bits
    """`(patterns, systems)`."""
    slices: Counts
    """The slice of each pattern."""
    counts: Counts
    size: int
    """How many slices there are."""

    @classmethod
    def of(cls, columns: Sequence[Bits], slices: Slices | None = None, size: int = 1) -> Patterns:
        """Count the patterns of rows; a column per system, and the slice of each row."""
        if _few(len(columns), len(columns[0]), size):
            return _counted(columns, slices, size)
        return _sorted(columns, slices, size)

    @classmethod
    def of_matrix(cls, matrix: NDArray[np.uint8], slices: Slices | None = None, size: int = 1) -> Patterns:
        """Count the patterns of a 0/1 table, rows × systems."""
        columns = matrix.T if _few(matrix.shape[1], len(matrix), size) else np.ascontiguousarray(matrix.T)
        return cls.of(list(columns.view(np.bool_)), slices, size)

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return int(self.bits.shape[1])

    @cached_property
    def votes(self) -> Counts:
        """How many systems have each pattern."""
        return np.asarray(self.bits.sum(axis=1, dtype=np.int64))

    def where(self, chosen: Bits) -> Patterns:
        """Return some of the patterns."""
        return Patterns(self.bits[chosen], self.slices[chosen], self.counts[chosen], self.size)

    def bins(self) -> Bins:
        """Return how many rows n systems have, and how many of these each system has."""
        top = self.systems + 1
        totals = np.bincount(self.votes, weights=self.counts, minlength=top)
        weights = self.counts.astype(np.float64)
        found = [np.bincount(self.votes, weights=weights * own, minlength=top) for own in self.bits.T]
        return Bins(totals.astype(np.int64), np.array(found).reshape(-1, top).astype(np.int64))

    def totals(self) -> Counts:
        """Return the number of rows per slice and number of systems that have them, `(size, systems + 1)`."""
        top = self.systems + 1
        found = np.bincount(self.slices * top + self.votes, weights=self.counts, minlength=self.size * top)
        return found.reshape(self.size, top).astype(np.int64)

    def bin_counts(self, system: int) -> Counts:
        """Return the rows that a system has, per slice and number of systems that have them."""
        return self.where(self.bits[:, system]).totals()

    def shared(self) -> Counts:
        """Return how many rows each two systems both have, `(systems, systems)`; a system with itself: its own."""
        kind = np.float32 if self.counts.sum() < 2**24 else np.float64  # in which sums of whole numbers are exact
        rows = max(16, AT_ONCE // self.systems**2)
        found = np.zeros((self.systems, self.systems), kind)
        for start in range(0, len(self.counts), rows):
            bits = self.bits[start : start + rows].astype(kind)
            found += bits.T @ (bits * self.counts[start : start + rows, None].astype(kind))
        return np.rint(found).astype(np.int64)

    def shared_with(self, systems: slice) -> Counts:
        """Return per slice how many rows some systems share with all, `(size, some, systems)`."""
        some = range(*systems.indices(self.systems))
        found = np.zeros((self.size, len(some), self.systems), np.int64)
        for place, system in enumerate(some):
            own = np.flatnonzero(self.bits[:, system])
            if len(own):
                at = self.slices[own]
                first = np.flatnonzero(np.concatenate([[True], at[1:] != at[:-1]]))
                found[at[first], place] = np.add.reduceat(self.bits[own] * self.counts[own, None], first, axis=0)
        return found

    def hashes(self, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return a hash of each pattern; systems enter it by their keys, not by their places."""
        return mixed(np.where(self.bits, mixed(keys), np.uint64(0)).sum(axis=1, dtype=np.uint64))

    def fingerprints(self, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return a hash of what is in each slice, whatever the order of rows."""
        found = np.zeros(self.size, np.uint64)
        np.add.at(found, self.slices, self.hashes(keys) * self.counts.astype(np.uint64))
        return found


@dataclass(frozen=True, eq=False)
class Bins:
    """Units by the number n of systems that have them."""

    totals: Counts
    """`(systems + 1,)`: how many units n systems have."""
    found: Counts
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

    def shares(self) -> NDArray[np.float64]:
        """Return each system's share of each bin; NaN where the bin is empty."""
        shares = np.full(self.found.shape, np.nan)
        np.divide(self.found, self.totals, out=shares, where=np.broadcast_to(self.totals, shares.shape) > 0)
        return shares

    def leave_one_out(self) -> tuple[Counts, Counts]:
        """Return for each system the bins that the others alone make, `(systems, systems)`, and what it has of them."""
        found = self.found[:, 1:]
        return found + self.totals[:-1] - self.found[:, :-1], found


def _few(systems: int, rows: int, size: int) -> bool:
    """Tell whether all patterns that there could be are few enough for a table."""
    return systems < CODE_BITS and size << systems <= min(MOST_CODES, max(BLOCK, rows))


def _counted(columns: Sequence[Bits], slices: Slices | None, size: int) -> Patterns:
    """Count the patterns in a table of all that there could be."""
    width, rows = len(columns), len(columns[0])
    kind: type[np.uint16 | np.uint32] = np.uint16 if size << width <= 2**16 else np.uint32
    table = np.zeros(size << width, np.int64)
    block = max(BLOCK, len(table))
    shifted = np.empty(min(block, rows), kind)
    for start in range(0, rows, block):
        stop = min(start + block, rows)
        codes = np.zeros(stop - start, kind)
        if slices is not None:
            np.left_shift(slices[start:stop].astype(kind), width, out=codes)
        room = shifted[: stop - start]
        for i, column in enumerate(columns):
            np.left_shift(column[start:stop].view(np.uint8), kind(i), out=room, dtype=kind)
            np.bitwise_or(codes, room, out=codes)
        table += np.bincount(codes, minlength=len(table))
    there = np.flatnonzero(table)
    bits = (there >> np.arange(width)[:, None] & 1).astype(np.bool_).T
    return Patterns(bits, there >> width, table[there], size)


def _sorted(columns: Sequence[Bits], slices: Slices | None, size: int) -> Patterns:
    """Count the patterns that occur by putting them in order, as many bits at a time as a number holds."""
    rows = len(columns[0])
    keys = np.zeros(rows, np.int64) if slices is None else slices.astype(np.int64)
    used = max(1, int(size).bit_length())
    for column in columns:
        if used == CODE_BITS:  # as many as there are rows can be told apart by their rank, in the same order
            keys, used = np.unique(keys, return_inverse=True)[1], RANK_BITS
        keys <<= 1
        keys |= column
        used += 1
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    bits = np.array([column[first] for column in columns]).T
    at = np.zeros(len(first), np.int64) if slices is None else slices[first].astype(np.int64)
    return Patterns(bits, at, counts.astype(np.int64), size)
