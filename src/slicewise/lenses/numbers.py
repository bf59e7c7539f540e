"""A number that rows have, as a table: how many rows have which value and which rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.extract.family import quarter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.extract.family import Kind

    Array = NDArray[np.float64]
    Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Numbers:
    """A number over the rows of a population, of those that have it."""

    kind: Kind
    space: str
    name: str
    values: Array
    doubled: Index
    """Doubled ranks of scores."""
    n: Index
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
        here = self.values >= cut if large else self.values <= cut
        return int(self.n[here].sum()), int((self.n[here] * self.doubled[here]).sum())


def number_table(values: Array, doubled: Index) -> pl.DataFrame:
    """Count the rows by value and rank; those without a value are left out."""
    frame = pl.DataFrame({"value": values + 0.0, "doubled": doubled}).filter(pl.col("value").is_not_nan())
    return frame.group_by("value", "doubled").agg(n=pl.len().cast(pl.Int64)).sort("value", "doubled")
