"""Self-diagnosis: the best and the worst bucket of a system, tested before they are picked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.evaluation import Evaluation
from slicewise.lenses.buckets.result import Diagnosis
from slicewise.lenses.slicing.breakdown import Measure, sizes
from slicewise.lenses.slicing.draws import BucketDraws
from slicewise.results.base import defined
from slicewise.stats.contrasts import differences_p, shrunk_variance
from slicewise.stats.multiplicity import benjamini_hochberg
from slicewise.stats.shrinkage import bucket_factors

FEWEST = 3
"""Clusters that a bucket's units must come from to be tested."""


@dataclass(frozen=True, eq=False)
class Picked:
    """The best and the worst slot of each system, and the test of their difference; -1 where there are none."""

    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    p: Array
    q: Array
    believed: Array
    """Which part of each system's gap is to be believed: it was picked for being large. 1 without draws."""


def picked_buckets(evaluation: Evaluation, tallies: Sequence[BucketDraws], measure: Measure) -> dict[str, Picked]:
    """Test every two buckets of every attribute and system, correct over all of them, then pick."""
    p_values = [_gap_p(t, measure) for t in tallies]
    flat = [p[:, np.triu(np.ones(p.shape[1:], np.bool_), 1)] for p in p_values]
    corrected = benjamini_hochberg(np.concatenate([f.ravel() for f in flat])) if flat else np.zeros(0)
    picked: dict[str, Picked] = {}
    believed = _believed(tallies, len(evaluation.systems))
    at = 0
    for k, (tally, p, part) in enumerate(zip(tallies, p_values, flat, strict=True)):
        q = np.full(p.shape, np.nan)
        upper = np.triu_indices(p.shape[1], 1)
        q[:, upper[0], upper[1]] = corrected[at : at + part.size].reshape(part.shape)
        q = np.fmax(q, q.swapaxes(1, 2))
        at += part.size
        best, worst = _extremes(measure.sign * tally.values)
        rows = np.arange(len(evaluation.systems) if p.shape[1] else 0)
        picked[tally.broken.name] = Picked(
            best, worst, p[rows, best[rows], worst[rows]], q[rows, best[rows], worst[rows]], believed[k]
        )
    return picked


def _believed(tallies: Sequence[BucketDraws], systems: int) -> Array:
    """Return which part of the gap is to be believed, `(attributes, systems)`, pooled over a system's attributes."""
    errors = [tally.squared_errors() for tally in tallies]
    factors = [
        bucket_factors([(tally.values[i], error[i]) for tally, error in zip(tallies, errors, strict=True)])
        for i in range(systems)
    ]
    shrunk = np.array(factors).reshape(systems, len(tallies)).T
    return np.where(np.isnan(shrunk), 1.0, shrunk)


def _gap_p(tally: BucketDraws, measure: Measure) -> Array:
    """Return the p of the difference of every two slots, `(systems, slots, slots)`."""
    if tally.drawn_values is None or tally.draws is None:
        return np.full((*tally.values.shape, tally.values.shape[1]), np.nan)
    expected, returned = sizes(tally.broken, measure)
    overall = measure.finish(tally.draws.sum(axis=2))
    floor = shrunk_variance(tally.drawn_values, overall, (expected + returned) / 2)
    groups = tally.broken.cells.any(axis=3).sum(axis=0)
    testable = np.where(groups < FEWEST, np.nan, tally.values)
    return differences_p(testable, tally.drawn_values, floor, groups - 1)


def _extremes(values: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each row is largest and smallest, the first of equals; the same place where fewer than two are."""
    if not values.shape[1]:
        return np.zeros(len(values), np.int64), np.zeros(len(values), np.int64)
    high = np.argmax(np.where(np.isnan(values), -np.inf, values), axis=1)
    low = np.argmin(np.where(np.isnan(values), np.inf, values), axis=1)
    few = (~np.isnan(values)).sum(axis=1) < 2
    return np.where(few, 0, high), np.where(few, 0, low)


def diagnosis_of(tally: BucketDraws, picked: Picked, i: int, rho: float | None, sigma: float | None) -> Diagnosis:
    """Return one system's diagnosis by one attribute."""
    best, worst = int(picked.best[i]), int(picked.worst[i])
    companion = None if tally.correlations is None else tally.correlations[i]
    filled = (~np.isnan(tally.values[i])).sum()
    if filled < 2:
        return Diagnosis(spearman=rho, std=sigma, best=None, worst=None, gap=None, correlation=companion)
    raw = abs(float(tally.values[i, best] - tally.values[i, worst]))
    ci = None
    if tally.drawn_values is not None:
        drawn = tally.drawn_values[:, i, best] - tally.drawn_values[:, i, worst]
        ci = tally.difference_bounds(tally.values[i, [best]] - tally.values[i, [worst]], drawn[:, None])[0]
    slots = tally.broken.slots
    return Diagnosis(
        spearman=rho,
        std=sigma,
        best=slots[best].name,
        worst=slots[worst].name,
        gap=defined(raw * float(picked.believed[i])),
        raw_gap=defined(raw),
        ci=None if ci is None else ci if tally.values[i, best] >= tally.values[i, worst] else (-ci[1], -ci[0]),
        p=defined(float(picked.p[i])),
        q=defined(float(picked.q[i])),
        correlation=companion,
    )
