"""The mean of scores that were given elsewhere."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.metrics.metric import Metric
from slicewise.stats.ratio import ratio


def score_statistics(gold: pl.Series | None, outputs: pl.Series) -> Array:  # noqa: ARG001 (a score needs no reference)
    """Each item once, with its score."""
    return np.column_stack([np.ones(len(outputs)), outputs.to_numpy()])


def mean(sums: Array) -> Array:
    """Sum of scores/items."""
    return ratio(sums[..., 1], sums[..., 0])


def items(sums: Array) -> Array:
    """Return how many items there are."""
    return sums[..., 0]


METRICS = [
    Metric(
        name="mean",
        summary="mean of the given scores",
        tasks=frozenset({Task.SCORES}),
        statistics=score_statistics,
        finish=mean,
        best=None,
        worst=None,
    )
]
