"""What features are adjusted for: rows of about the same length, or of one category, are compared with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from slicewise.arrays import Array, Ints

LENGTH = "length"
"""The number of tokens of an item's input."""
OF_LENGTH = frozenset({"sLen", "tokens", "chars"})
"""Attributes that say how long an item is, which are not compared among items of one length."""
FEWEST = 10
"""A stratum with fewer rows than that joins a neighbour."""
BITS = 62
"""Of a whole number, in which counts of several strata travel."""


@dataclass(frozen=True)
class Adjuster:
    """A number or a category by which rows are put into strata."""

    name: str
    cuts: tuple[float, ...] = ()
    """Of a number: the upper ends of all strata but the last."""
    names: tuple[str, ...] | None = None
    """Of a category: those that have a stratum of their own."""

    @property
    def codes(self) -> int:
        """How many codes there are, with one for what is missing (or is another category)."""
        return (len(self.cuts) + 1 if self.names is None else len(self.names)) + 1

    def coded(self, values: pl.Series | Array) -> Ints:
        """Return the code of each value."""
        if self.names is not None and isinstance(values, pl.Series):
            numbers = pl.Series(range(len(self.names)), dtype=pl.Int64)
            names = pl.Series(self.names, dtype=pl.String)
            codes = values.replace_strict(names, numbers, default=None, return_dtype=pl.Int64)
            return codes.fill_null(self.codes - 1).to_numpy()
        present = np.asarray(values, np.float64)
        return np.where(np.isnan(present), self.codes - 1, np.searchsorted(self.cuts, present, side="left"))


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of a list's rows."""

    adjusters: tuple[Adjuster, ...]
    stratum: Ints
    """Of each combination of codes; −1 where no row has it."""
    sizes: Ints
    """How many rows each stratum has."""

    def of(self, values: Sequence[pl.Series | Array]) -> Ints:
        """Return the stratum of each row."""
        return self.stratum[combined(self.adjusters, values)]

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def _bits(self) -> int:
        return int(self.sizes.max()).bit_length()

    @property
    def words(self) -> int:
        """How many whole numbers the counts of all strata but the last take."""
        return -(-(len(self) - 1) // (BITS // self._bits))

    def packed(self, strata: Ints) -> list[Ints]:
        """Return for each row whole numbers whose sums hold how many rows are of each stratum; those of −1 of none."""
        per = BITS // self._bits
        words = []
        for word in range(self.words):
            place = strata - word * per
            last = min(per, len(self) - 1 - word * per)
            words.append(np.where((place >= 0) & (place < last), np.int64(1) << (self._bits * place.clip(0, per)), 0))
        return words

    def unpacked(self, words: Ints, n: Ints) -> Ints:
        """Return how many rows of each stratum were summed, by feature; `n` of all."""
        per = BITS // self._bits
        columns = [
            (words[:, k // per] >> (self._bits * (k % per))) & ((1 << self._bits) - 1) for k in range(len(self) - 1)
        ]
        counts = np.column_stack(columns)
        return np.column_stack([counts, n - counts.sum(axis=1)])


def combined(adjusters: Sequence[Adjuster], values: Sequence[pl.Series | Array]) -> Ints:
    """Return the combination of codes of each row as one number."""
    code = np.zeros(len(values[0]), np.int64)
    for adjuster, column in zip(adjusters, values, strict=True):
        code = code * adjuster.codes + adjuster.coded(column)
    return code


def merge_small(n: Ints) -> tuple[Ints, Ints]:
    """Return the stratum of each code and how many rows each has: a small one joins the smaller of its neighbours."""
    codes = np.flatnonzero(n)
    groups = [[int(code)] for code in codes]
    sizes = n[codes].tolist()
    while len(sizes) > 1 and min(sizes) < FEWEST:
        at = sizes.index(min(sizes))
        beside = min((k for k in (at - 1, at + 1) if 0 <= k < len(sizes)), key=lambda k: sizes[k])
        first, second = sorted((at, beside))
        groups[first] += groups.pop(second)
        sizes[first] += sizes.pop(second)
    stratum = np.full(len(n), -1, np.int64)
    for number, members in enumerate(groups):
        stratum[members] = number
    return stratum, np.array(sizes, np.int64)
