"""The numbers of GEval 1.42, for comparison with published figures: normal tails that take no notice of ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slicewise.stats.kendall import kendall
from slicewise.stats.tails import Tail, lower_normal


@dataclass(frozen=True)
class GevalNumber:
    """A numerical feature."""

    p: float
    """Two-sided."""
    direction: Literal["-", "+"]
    """`-`: small values are bad, `+`: large ones."""
    count: int
    """A quarter of the items, rounded down."""
    mean: float
    """Their mean score: of those with the smallest or the largest values; NaN if a quarter is no item."""


def geval_tail(n: int, n1: NDArray[Any], doubled_sum: NDArray[Any]) -> Tail:
    """Return p of features that `n1` of `n` items have, the doubled ranks of which sum to `doubled_sum`."""
    n1 = np.asarray(n1, dtype=np.int64)
    spread = np.sqrt(n1.astype(np.float64) * (n - n1) * (n + 1) / 3)
    beyond = np.asarray(doubled_sum, dtype=np.int64) - n1 * (n + 1)
    return lower_normal(np.divide(beyond, spread, out=np.zeros(len(n1)), where=spread > 0))


def geval_number(ranks: NDArray[Any], scores: NDArray[Any], values: NDArray[Any]) -> GevalNumber | None:
    """Return what the tool says of a number that every item has, or None where all have the same.

    Only the order of `ranks` matters, lowest = worst; the scores may be of a metric that is better when lower.
    """
    z = kendall(ranks, values).z
    if np.isnan(z):
        return None
    ranks, values = np.asarray(ranks), np.asarray(values)
    small = z > 0
    # ties at the cut: the best first among the smallest values, the worst first among the largest
    order = np.lexsort((-ranks, values) if small else (ranks, -values))
    quarter = np.asarray(scores, dtype=np.float64)[order[: len(values) // 4]]
    mean = float(quarter.mean()) if len(quarter) else float("nan")
    return GevalNumber(2 * float(lower_normal(np.asarray(-abs(z))).p), "-" if small else "+", len(quarter), mean)
