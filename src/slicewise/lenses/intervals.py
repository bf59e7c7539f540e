"""Which interval a value gets, the same in all lenses.

Proportions have Wilson intervals with an effective n, everything else percentiles of the draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.lenses.inference import bounds_of
from slicewise.results.base import Bounds
from slicewise.stats.contrasts import variance_of_draws
from slicewise.stats.intervals import Interval, percentile_interval, widened
from slicewise.stats.student import normal_quantile, t_quantile
from slicewise.stats.wilson import (
    design_effects,
    expected_effects,
    few_clusters_factor,
    or_independent,
    pooled_effects,
    units_together,
    wilson_bounds,
)

Limits = tuple[float, float]

NO_LIMITS: Limits = (-math.inf, math.inf)
OF_SHARES: Limits = (0.0, 1.0)


def of_differences(limits: Limits) -> Limits:
    """Return the limits of the difference of two values that have limits."""
    width = limits[1] - limits[0]
    return -width, width


@dataclass(frozen=True, eq=False)
class Estimate:
    """Values with what is needed for their intervals."""

    values: Array
    draws: Array
    """The values in every draw, `(draws, ...)`."""
    sizes: Array | None = None
    """Of proportions: how many units each is a share of. None: they are no proportions."""
    size_draws: Array | None = None
    """The same in every draw."""
    limits: Limits = NO_LIMITS

    @classmethod
    def of_sums(
        cls,
        sums: NDArray[Any],
        draws: NDArray[Any],
        finish: Callable[[Array], Array],
        size: Callable[[Array], Array] | None,
        limits: Limits = OF_SHARES,
    ) -> Estimate:
        """Return what is computed from summed statistics."""
        sizes, size_draws = (None, None) if size is None else (size(sums), size(draws))
        return cls(finish(sums), finish(draws), sizes, size_draws, limits)


@dataclass(frozen=True)
class IntervalMethod:
    """How intervals are made from draws of so many clusters."""

    clusters: int
    confidence: float

    def corpus(self, estimate: Estimate) -> Interval:
        """Return the intervals of values over the whole corpus."""
        if estimate.sizes is None:
            return self._percentiles(estimate)
        effects = or_independent(self._effects(estimate, estimate.sizes, self.clusters))
        return self._wilson(estimate, estimate.sizes / effects, t_quantile(self.confidence, self.clusters - 1))

    def slices(self, estimate: Estimate, corpus: Estimate) -> Interval:
        """Return the intervals of values of slices of a corpus, whose own values broadcast against them."""
        sizes = estimate.sizes
        if sizes is None or corpus.sizes is None:
            return self._percentiles(estimate)
        together, corpus_together = self._together(estimate), self._together(corpus)
        overall = or_independent(self._effects(corpus, corpus.sizes, self.clusters))
        observed = self._effects(estimate, sizes, sizes / together)
        effects = pooled_effects(observed, expected_effects(overall, together, corpus_together), sizes)
        return self._wilson(estimate, sizes / effects, normal_quantile(self.confidence))

    def _effects(self, estimate: Estimate, sizes: Array, clusters: NDArray[Any] | int) -> Array:
        variance = variance_of_draws(estimate.draws) * few_clusters_factor(np.asarray(clusters))
        return design_effects(estimate.values, variance, sizes)

    def _together(self, estimate: Estimate) -> Array:
        if estimate.sizes is None or estimate.size_draws is None:
            raise ValueError("slices of a proportion need the draws of their sizes")
        return units_together(estimate.sizes, variance_of_draws(estimate.size_draws), self.clusters)

    def _wilson(self, estimate: Estimate, effective: Array, quantile: float) -> Interval:
        lo, hi = wilson_bounds(estimate.values, effective, quantile)
        return Interval(lo, hi, np.isnan(estimate.draws).sum(axis=0))

    def _percentiles(self, estimate: Estimate) -> Interval:
        interval = percentile_interval(estimate.draws, confidence=self.confidence)
        return widened(
            interval, estimate.values, clusters=self.clusters, confidence=self.confidence, limits=estimate.limits
        )


def listed_bounds(interval: Interval) -> list[tuple[Bounds | None, int]]:
    """Return the bounds one by one, and in how many draws each value was undefined."""
    rows = zip(interval.lo.ravel(), interval.hi.ravel(), interval.undefined.ravel(), strict=True)
    return [(bounds_of(float(lo), float(hi)), int(undefined)) for lo, hi, undefined in rows]
