"""The distinct values of an attribute over all data, with counts and ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.bucketing import Distinct
from slicewise.engine.protocols import Ranked
from slicewise.stats.exact import exact_total
from slicewise.stats.ranks import from_order

LARGEST = 1e290
"""Larger values have no mean: their sum overflows."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """Twice the average rank of each value less the mean: whole numbers."""

    values: NDArray[np.float64]
    """In order."""
    doubled: Ints
    remote: tuple[int, int] | None = None
    """Of ranks that are not collected: the column, and the number of units."""

    @classmethod
    def of_remote(cls, ranked: Ranked, column: int) -> Ranks:
        """Return ranks that are not collected."""
        sizes = ranked.sizes(column)
        return cls(np.zeros(0), np.zeros(0, np.int64), (column, int((sizes["n"] * sizes["groups"]).sum())))

    def with_ranks(self, ranks: pl.DataFrame) -> Ranks:
        """Return the ranks of a partition's values."""
        if self.remote is None:
            return self
        column = ranks.filter(pl.col("column") == self.remote[0]).sort("value")
        return Ranks(from_order(column["value"].to_numpy()), column["doubled"].to_numpy() - self.remote[1] - 1)

    @classmethod
    def of(cls, values: NDArray[np.float64], counts: Ints) -> Ranks:
        """Rank values that so many units have each."""
        known, place = np.unique(values, return_inverse=True)
        n = np.bincount(place, counts, minlength=len(known)).astype(np.int64)
        return cls(known, 2 * (np.cumsum(n) - n) + n - n.sum())

    def of_values(self, values: pl.Series) -> Ints:
        """Return the ranks of values; one that no unit has may have any."""
        place = np.searchsorted(self.values, values.cast(pl.Float64).to_numpy())
        return np.append(self.doubled, 0)[place]


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """An attribute's values, and what they are ranked against."""

    values: Distinct
    ranks: tuple[Ranks, ...] | None
    """Of the values; of items, also of each system's scores. None where the values have no order, or differ between
    systems."""
    apart: RemoteSummary | None = None
    """Of values that are not collected."""


@dataclass(frozen=True)
class RemoteSummary:
    """A summary of values that are not collected."""

    different: int
    mean: float | None
    """Over gold units; None where they have none."""


def mean_of(values: Distinct) -> float | None:
    """Return the mean over gold units; None where there are no numbers, or no sum of them."""
    if not values.numeric:
        return None
    numbers, counts = values.of_gold()
    return exact_total(numbers, counts) / int(counts.sum()) if len(numbers) and summable(numbers).all() else None


def summable(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which numbers have a mean."""
    return np.asarray(np.abs(numbers) <= LARGEST)
