"""What few buckets cannot show: the rank correlation of an attribute with being right, over all units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.lenses.inference import bounds_of
from slicewise.results.base import defined
from slicewise.results.score import Value
from slicewise.stats.canonical import canonical_order
from slicewise.stats.intervals import percentile_interval
from slicewise.stats.ranks import average_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.breakdown import Breakdown, Sliced
    from slicewise.stats.intervals import Resamples

    Array = NDArray[np.float64]


def correlations(
    evaluation: Evaluation, sliced: Sliced, broken: Breakdown, drawn: Resamples | None, confidence: float
) -> list[Value] | None:
    """Return for each system Spearman's correlation of the attribute with gold units found, or with items' scores.

    In the draws, ranks stay those of the whole data. None where the attribute has no order or differs between systems.
    """
    described = broken.described
    if not (broken.shared and described.numeric and broken.buckets.ordered):
        return None
    x = described.values[0].cast(pl.Float64).to_numpy().astype(np.float64)
    y, group = _right(evaluation, sliced, broken)
    if described.gold is not None:
        x = x[described.gold]
    known = ~(np.isnan(x) | np.isnan(y).any(axis=1))
    own = y[known] if described.rows is not None else np.column_stack([_centred(scores) for scores in y[known].T])
    sums = _sums(_centred(x[known]), own, group[known], evaluation.aligned.clusters.groups)
    values = _correlation(sums.sum(axis=0))
    if drawn is None:
        return [Value(value=defined(float(v)), ci=None) for v in values]
    found = percentile_interval(_correlation(drawn.sums(sums[_order(sums)])), confidence=confidence)
    rows = zip(values, found.lo, found.hi, found.undefined, strict=True)
    return [
        Value(value=defined(float(v)), ci=bounds_of(float(lo), float(hi)), undefined_draws=int(undefined))
        for v, lo, hi, undefined in rows
    ]


def _right(evaluation: Evaluation, sliced: Sliced, broken: Breakdown) -> tuple[Array, NDArray[np.int64]]:
    """Return per gold unit whether each system found it, or per item the rank of its score; and the group of each."""
    rows, metric = broken.described.rows, sliced.measure.metric
    if rows is not None:
        gold = rows.frame["gold"].to_numpy()
        found = [rows.frame[name].to_numpy()[gold] for name in evaluation.systems]
        return np.column_stack(found).astype(np.float64), rows.frame["group"].to_numpy()[gold].astype(np.int64)
    if metric is None:
        raise ValueError("items without a metric")
    width = len(sliced.statistics) // len(evaluation.systems)
    columns = list(sliced.statistics.values())
    scores = [metric.value(np.column_stack(columns[i : i + width])) for i in range(0, len(columns), width)]
    return np.column_stack(scores), evaluation.aligned.clusters.group.astype(np.int64)


def _centred(values: Array) -> Array:
    """Return twice the average ranks, which are whole, less their mean."""
    known = int((~np.isnan(values)).sum())
    return 2 * average_ranks(values) - (known + 1)


def _sums(x: Array, y: Array, group: NDArray[np.int64], groups: int) -> Array:
    """Return n, Σx, Σx² and, per system, Σy, Σy², Σxy of each group; whole numbers, so that no order matters."""
    columns = [np.ones(len(x)), x, x * x]
    for own in y.T:
        columns += [own, own * own, x * own]
    return np.column_stack([np.bincount(group, weights=column, minlength=groups) for column in columns])


def _order(sums: Array) -> NDArray[np.int64]:
    """Return an order of the groups that comes from their content."""
    own = sums[:, 3:].reshape(len(sums), -1, 3)
    shared = np.broadcast_to(sums[:, None, :3], own.shape)
    return canonical_order(np.concatenate([shared, own], axis=2))


def _correlation(sums: Array) -> Array:
    """Return Pearson's correlation of the sums, `(..., systems)`; NaN where either side is constant."""
    n, x, xx = (sums[..., i, None] for i in range(3))
    rest = sums[..., 3:].reshape(*sums.shape[:-1], -1, 3)
    y, yy, xy = (rest[..., i] for i in range(3))
    spread = (n * xx - x * x) * (n * yy - y * y)
    found = np.full(spread.shape, np.nan)
    np.divide(n * xy - x * y, np.sqrt(np.maximum(spread, 0)), out=found, where=spread > 0)
    return np.asarray(np.clip(found, -1, 1))
