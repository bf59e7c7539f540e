"""How alike items of one cluster are: the intra-class correlation by analysis of variance, and the design effect."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClusterCorrelation:
    """NaN where clusters cannot be told from items: one cluster, one item each, or equal scores everywhere."""

    icc: float
    design_effect: float
    """How many times the variance of a mean is that of independent items; at least 1."""
    items: int

    @property
    def effective_items(self) -> float:
        """How many independent items would tell as much."""
        return self.items / self.design_effect


def cluster_correlation(n: NDArray[Any], total: NDArray[Any], squares: NDArray[Any]) -> ClusterCorrelation:
    """Return the ICC from each cluster's number of items, their sum and their sum of squares; no order matters.

    With mean squares B between and W within clusters: (B − W)/(B + (m − 1)W), m = (N − Σn²/N)/(clusters − 1).
    """
    present = np.asarray(n) > 0
    n, total, squares = (np.asarray(array, dtype=np.float64)[present] for array in (n, total, squares))
    items, clusters = float(n.sum()), len(n)
    if clusters < 2 or items <= clusters:
        return ClusterCorrelation(nan, nan, int(items))
    mean = fsum(total) / items
    of_clusters = total / n
    between = fsum(n * (of_clusters - mean) ** 2) / (clusters - 1)
    # rounding may leave a little of what is 0
    spread = squares - total * of_clusters
    within = fsum(np.where(spread > 1e-12 * squares, spread, 0.0)) / (items - clusters)
    size = (items - fsum(n * n) / items) / (clusters - 1)
    variance = between + (size - 1) * within
    if not variance > 0:
        return ClusterCorrelation(nan, nan, int(items))
    icc = (between - within) / variance
    return ClusterCorrelation(icc, max(1.0, 1 + icc * (fsum(n * n) / items - 1)), int(items))
