"""Agreement of gold and system beyond chance, over all classes, the negative label among them."""

from __future__ import annotations

import numpy as np

from slicewise.arrays import Array
from slicewise.metrics.counts import CASES, N_GOLD, N_PRED, ONE_LABEL, RIGHT, classes
from slicewise.metrics.metric import Metric
from slicewise.stats.ratio import ratio


def kappa(sums: Array) -> Array:
    """Cohen's kappa, (observed − expected)/(1 − expected) agreement; undefined where chance alone agrees always."""
    n, right = sums[..., CASES], sums[..., RIGHT]
    counts = classes(sums)
    expected = (counts[..., N_GOLD] * counts[..., N_PRED]).sum(axis=-1)
    return ratio(n * right - expected, n * n - expected)


def matthews(sums: Array) -> Array:
    """Matthews correlation of several classes (Gorodkin 2004); undefined where either side has one class only."""
    n, right = sums[..., CASES], sums[..., RIGHT]
    counts = classes(sums)
    gold, returned = counts[..., N_GOLD], counts[..., N_PRED]
    above = n * right - (gold * returned).sum(axis=-1)
    spread = (n * n - (gold * gold).sum(axis=-1)) * (n * n - (returned * returned).sum(axis=-1))
    return ratio(above, np.sqrt(np.maximum(spread, 0)))


METRICS = [
    Metric(name="kappa", summary="Cohen's kappa", tasks=ONE_LABEL, finish=kappa, worst=-1.0, item_score=False),
    Metric(
        name="mcc",
        summary="Matthews correlation coefficient",
        tasks=ONE_LABEL,
        finish=matthews,
        worst=-1.0,
        item_score=False,
    ),
]
