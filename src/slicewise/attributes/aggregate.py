"""F(x, φ, E): the share of the members of E whose φ equals φ(x). Aggregate attributes are one line each with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints

NOWHERE = -1
"""A key that equals no other."""


def share(values: Ints, members: Ints, within: Ints | None = None) -> Array:
    """Return F(x, φ, E) for many x: `values` are φ(x), `members` are φ(ε) of all ε in E.

    `within`: the size of E for each x, where E depends on x (its own surface form's occurrences); 0 where it is empty.
    """
    size = np.full(len(values), len(members)) if within is None else within
    shares = np.zeros(len(values))
    np.divide(count(values, members), size, out=shares, where=size > 0)
    return shares


def count(values: Ints, members: Ints) -> Ints:
    """Return how many members equal each value."""
    known, times = np.unique(members[members != NOWHERE], return_counts=True)
    if not len(known):
        return np.zeros(len(values), np.int64)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, times[at], 0)


def paired(a: Ints, b: Ints, sizes: int) -> Ints:
    """Return one key for two; `b` is below `sizes`."""
    return np.where((a == NOWHERE) | (b == NOWHERE), NOWHERE, a * sizes + b)


def ratio(part: NDArray[Any], whole: Ints) -> pl.Series:
    """Return one number over the other, null over nothing."""
    ratios = np.full(len(whole), np.nan)
    np.divide(part, whole, out=ratios, where=whole > 0)
    return pl.Series(ratios).fill_nan(None)
