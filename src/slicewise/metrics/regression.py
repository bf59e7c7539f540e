"""Metrics of regression: errors and correlations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.metrics.mean import mean
from slicewise.metrics.metric import class_counts, text_loss, text_metric, undefined
from slicewise.metrics.reading import numbers, references
from slicewise.stats.ratio import ratio

CONSTANT = 1e-11
"""Numbers whose variance is below this share of their mean square differ by no more than rounding."""


def mean_of(error: Callable[[Array, Array], Array]) -> Callable[[pl.Series | None, pl.Series], Array]:
    """Return the statistics of a mean: each item once, with its error."""

    def statistics(gold: pl.Series | None, outputs: pl.Series) -> Array:
        expected, returned = gold_and_output(gold, outputs)
        return np.column_stack([np.ones(len(returned)), error(expected, returned)])

    return statistics


def gold_and_output(gold: pl.Series | None, outputs: pl.Series) -> tuple[Array, Array]:
    """Return what was expected and what was returned."""
    return numbers(references(gold), "reference"), numbers(outputs, "output")


def squared(expected: Array, returned: Array) -> Array:
    """(e − o)²."""
    return (expected - returned) ** 2


def absolute(expected: Array, returned: Array) -> Array:
    """|e − o|."""
    return np.abs(expected - returned)


def symmetric(expected: Array, returned: Array) -> Array:
    """100 · |e − o|/(|e| + |o|), 0 where both are 0."""
    return 100 * np.nan_to_num(ratio(np.abs(expected - returned), np.abs(expected) + np.abs(returned)))


def root_of_mean(sums: Array) -> Array:
    """√(sum of squares/items)."""
    return np.sqrt(mean(sums))


def moments(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """(1, x, y, x², y², xy) of an item, counted from the median of gold so that large numbers lose no digits."""
    expected, returned = gold_and_output(gold, outputs)
    middle = np.median(expected) if len(expected) else 0.0
    x, y = expected - middle, returned - middle
    return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])


def pearson(sums: Array) -> Array:
    """Return the correlation; undefined where either side does not vary."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread = np.sqrt(_spread(n, x, xx)) * np.sqrt(_spread(n, y, yy))
    return np.clip(ratio(n * xy - x * y, spread), -1, 1)


def _spread(n: Array, total: Array, squares: Array) -> Array:
    """n² times the variance; 0 where it is no more than rounding."""
    spread = n * squares - total * total
    return np.where(spread > CONSTANT * n * squares, spread, 0)


def values(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """(e, o) of an item."""
    return np.column_stack(gold_and_output(gold, outputs))


def spearman(statistics: Array, weights: Array) -> Array:
    """Return the rank correlation of weighted items, ties averaged."""
    (x, spread_x), (y, spread_y) = (_ranks(statistics[:, side], weights) for side in (0, 1))
    together = np.einsum("ij,ij,ij->j", weights, x, y)
    return np.clip(ratio(together, np.sqrt(spread_x) * np.sqrt(spread_y)), -1, 1)


def _ranks(column: Array, weights: Array) -> tuple[Array, Array]:
    """Return twice each item's rank less the mean rank, `(items, draws)`, and the sum of their squares, `(draws,)`."""
    counts, place = class_counts(column, weights)
    ranks = np.cumsum(counts, axis=0)
    ranks *= 2
    ranks -= counts
    ranks -= counts.sum(axis=0)
    return ranks.take(place, axis=0), np.einsum("ij,ij,ij->j", counts, ranks, ranks)


METRICS = [
    text_loss("mse", "mean squared error", mean_of(squared), mean),
    text_loss(
        "rmse", "root of the mean squared error; of one item, the absolute error", mean_of(squared), root_of_mean
    ),
    text_loss("mae", "mean absolute error", mean_of(absolute), mean),
    text_loss("smape", "symmetric mean absolute percentage error, 0 to 100", mean_of(symmetric), mean, worst=100.0),
    text_metric("pearson", "Pearson's correlation of numbers", moments, pearson, worst=-1.0, item_score=False),
    text_metric(
        "spearman",
        "Spearman's rank correlation of numbers",
        values,
        undefined,
        pooled=spearman,
        worst=-1.0,
        item_score=False,
    ),
]
