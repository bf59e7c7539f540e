"""Agreement of two clusterings, whatever the classes are called."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.metrics.metric import Metric, class_counts, undefined
from slicewise.metrics.reading import references
from slicewise.stats.ratio import ratio


def class_numbers(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """(gold class, returned class) of an item, by number."""
    return np.column_stack([references(gold).to_numpy(), outputs.to_numpy()]).astype(np.float64)


def mutual_information(statistics: Array, weights: Array) -> Array:
    """2I/(H₁ + H₂) of items that are counted so many times; undefined where both sides have one class only."""
    expected, returned = statistics.T
    combined = expected * (returned.max(initial=0) + 1) + returned
    gold_entropy, returned_entropy, joint = (_entropy(classes, weights) for classes in (expected, returned, combined))
    return np.clip(ratio(2 * (gold_entropy + returned_entropy - joint), gold_entropy + returned_entropy), 0, 1)


def _entropy(classes: Array, weights: Array) -> Array:
    """Return the entropy of classes in every draw."""
    counts, _ = class_counts(classes, weights)
    shares = ratio(counts, np.broadcast_to(counts.sum(axis=0), counts.shape))
    return np.asarray(-(shares * np.log(np.where(shares > 0, shares, 1))).sum(axis=0))


METRICS = [
    Metric(
        name="nmi",
        summary="normalised mutual information of gold and returned classes, 2I/(H₁ + H₂)",
        tasks=frozenset({Task.LABELS, Task.TEXT}),
        statistics=class_numbers,
        coded=True,
        pooled=mutual_information,
        finish=undefined,
        item_score=False,
    )
]
