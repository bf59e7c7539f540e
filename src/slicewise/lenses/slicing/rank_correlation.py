"""The rank correlation of an attribute with correctness, over all units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.lenses.intervals import Estimate, IntervalMethod, listed_bounds
from slicewise.lenses.slicing.breakdown import Breakdown
from slicewise.results.base import defined
from slicewise.results.estimates import Value
from slicewise.stats.canonical import canonical_order
from slicewise.stats.intervals import Resamples

LIMITS = (-1.0, 1.0)


def correlations(broken: Breakdown, drawn: Resamples | None, method: IntervalMethod) -> list[Value] | None:
    """Return for each system Spearman's correlation of the attribute with gold units found, or with items' scores.

    In the draws, ranks stay those of the whole data. None where the attribute has no order or differs between systems.
    """
    sums = broken.rank_sums
    if sums is None:
        return None
    values = _correlation(sums.sum(axis=0))
    if drawn is None:
        return [Value(value=defined(float(v)), ci=None) for v in values]
    estimate = Estimate(values, _correlation(drawn.sums(sums[_order(sums)])), limits=LIMITS)
    bounds = listed_bounds(method.corpus(estimate))
    return [
        Value(value=defined(float(v)), ci=ci, undefined_draws=undefined)
        for v, (ci, undefined) in zip(values, bounds, strict=True)
    ]


def _order(sums: Array) -> NDArray[np.int64]:
    """Return an order of the groups that comes from their content."""
    by_system = sums[:, 3:].reshape(len(sums), -1, 3)
    shared = np.broadcast_to(sums[:, None, :3], by_system.shape)
    return canonical_order(np.concatenate([shared, by_system], axis=2))


def _correlation(sums: Array) -> Array:
    """Return Pearson's correlation of the sums, `(..., systems)`; NaN where either side is constant."""
    n, x, xx = (sums[..., i, None] for i in range(3))
    rest = sums[..., 3:].reshape(*sums.shape[:-1], -1, 3)
    y, yy, xy = (rest[..., i] for i in range(3))
    spread = (n * xx - x * x) * (n * yy - y * y)
    correlation = np.full(spread.shape, np.nan)
    np.divide(n * xy - x * y, np.sqrt(np.maximum(spread, 0)), out=correlation, where=spread > 0)
    return np.asarray(np.clip(correlation, -1, 1))
