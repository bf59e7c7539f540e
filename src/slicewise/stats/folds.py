"""Cross-validation: which clusters are in which fold, and intervals of what folds share the data of."""

from __future__ import annotations

from math import sqrt

import numpy as np

from slicewise.arrays import Ints
from slicewise.stats.canonical import splitmix64


def folds_of(position: Ints, folds: int) -> Ints:
    """Return the fold of each cluster, given its place in an order by content; folds differ by at most one cluster.

    Clusters of equal content are neighbours there: taken in turns, every fold would be like the others, and what is
    best without it would be best in it, too. So places are shuffled first, always in the same way.
    """
    shuffled = np.empty(len(position), np.int64)
    shuffled[np.argsort(splitmix64(np.arange(len(position), dtype=np.uint64)))] = np.arange(len(position))
    return np.asarray(shuffled[position] % folds)


def widened_for_folds(value: float, lo: float, hi: float, folds: int) -> tuple[float, float]:
    """Widen an interval around its value by √(1 + K/(K−1)), K the folds.

    The bootstrap holds the choices fixed. Other data would have led to other choices: their variance is added, that
    of an estimate on the share (K−1)/K of the data.
    """
    factor = sqrt(1 + folds / (folds - 1))
    return value + factor * (lo - value), value + factor * (hi - value)
