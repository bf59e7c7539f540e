"""A number that rows have: as a table of how many rows have which value and which rank, or what comes of one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slicewise.arrays import Array, Ints
from slicewise.extract.family import Kind, quarter
from slicewise.stats.kendall import Agreement, agreement_of


@dataclass(frozen=True, eq=False)
class Numbers:
    """A number over the rows of a population, of those that have it."""

    kind: Kind
    space: str
    name: str
    values: Array
    doubled: Ints
    """Doubled ranks of scores."""
    n: Ints
    """How many rows have each value with each rank."""

    @property
    def size(self) -> int:
        """How many rows have a value."""
        return int(self.n.sum())

    @property
    def alike(self) -> bool:
        """Whether all have the same."""
        return bool((self.values == self.values[:1]).all())

    def cut(self, *, large: bool) -> float:
        """Return where the quarter of the rows begins that have the largest or smallest values."""
        values, where = np.unique(self.values, return_inverse=True)
        return quarter(values, np.bincount(where, self.n).astype(np.int64), large=large)

    def extreme(self, *, large: bool) -> tuple[int, int]:
        """Return how many rows that quarter has, with the value at its end, and the sum of their doubled ranks."""
        cut = self.cut(large=large)
        mask = self.values >= cut if large else self.values <= cut
        return int(self.n[mask].sum()), int((self.n[mask] * self.doubled[mask]).sum())

    @cached_property
    def agreement(self) -> Agreement:
        """How the number goes with scores."""
        return agreement_of(self.doubled, self.values, self.n)


@dataclass(frozen=True, eq=False)
class RemoteNumber:
    """What comes of a number of which there are too many combinations with ranks to be brought together."""

    kind: Kind
    space: str
    name: str
    agreement: Agreement
    alike: bool
    cuts: tuple[float, float]
    """Where the quarters with the largest and the smallest values begin."""
    extremes: tuple[tuple[int, int], tuple[int, int]]

    @property
    def size(self) -> int:
        """How many rows have a value."""
        return self.agreement.n

    def cut(self, *, large: bool) -> float:
        """Return where the quarter of the rows begins that have the largest or smallest values."""
        return self.cuts[not large]

    def extreme(self, *, large: bool) -> tuple[int, int]:
        """Return how many rows that quarter has, and the sum of their doubled ranks."""
        return self.extremes[not large]


Number = Numbers | RemoteNumber
