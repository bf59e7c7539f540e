"""A breakdown with its values, and both in every bootstrap draw."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slicewise.arrays import Array
from slicewise.lenses.intervals import Estimate, IntervalMethod, listed_bounds, of_differences
from slicewise.lenses.slicing.breakdown import Breakdown, Measure
from slicewise.lenses.slicing.rank_correlation import correlations
from slicewise.metrics.counts import N_GOLD
from slicewise.results.base import Bounds
from slicewise.results.estimates import Value
from slicewise.stats.intervals import Interval, Resamples
from slicewise.stats.ratio import ratio
from slicewise.stats.student import normal_quantile

SMALL = 30
"""A bucket with fewer gold units is marked."""


@dataclass(frozen=True, eq=False)
class BucketDraws:
    """A breakdown with its values and their draws."""

    broken: Breakdown
    values: Array
    """`(systems, slots)`."""
    draws: Array | None
    """Statistics in every draw, `(draws, systems, slots, k)`."""
    drawn_values: Array | None
    method: IntervalMethod
    measure: Measure
    correlations: list[Value] | None

    @classmethod
    def of(cls, broken: Breakdown, measure: Measure, drawn: Resamples | None, confidence: float) -> BucketDraws:
        """Compute the values, their draws, and the unit-level correlations."""
        values = measure.finish(broken.totals)
        draws = None if drawn is None else _draws(broken, measure, drawn)
        drawn_values = None if draws is None else measure.finish(draws)
        method = IntervalMethod(len(broken.cells), confidence)
        companion = correlations(broken, drawn, method)
        return cls(broken, values, draws, drawn_values, method, measure, companion)

    @cached_property
    def own_intervals(self) -> Interval | None:
        """The intervals of the values."""
        return self.intervals(self.measure)

    def squared_errors(self) -> Array:
        """Return the squares of the values' standard errors, by the width of their intervals; NaN without draws."""
        interval = self.own_intervals
        if interval is None:
            return np.full(self.values.shape, np.nan)
        return ratio(interval.hi - interval.lo, 2 * normal_quantile(self.method.confidence)) ** 2

    def intervals(self, measure: Measure) -> Interval | None:
        """Return the intervals of a measure in every slot, `(systems, slots)`; None without draws."""
        if self.draws is None:
            return None
        totals, size, limits = self.broken.totals, measure.size, measure.limits
        slots = Estimate.of_sums(totals, self.draws, measure.finish, size, limits)
        if size is None:
            return self.method.slices(slots, slots)
        corpus, drawn = totals.sum(axis=1, keepdims=True), self.draws.sum(axis=2, keepdims=True)
        return self.method.slices(slots, Estimate.of_sums(corpus, drawn, measure.finish, size, limits))

    def difference_bounds(self, values: Array, drawn: Array) -> list[Bounds | None]:
        """Return the bounds of differences between values of slots, from their draws `(draws, values)`."""
        estimate = Estimate(values, drawn, limits=of_differences(self.measure.limits))
        return [bounds for bounds, _ in listed_bounds(self.method.corpus(estimate))]


def _draws(broken: Breakdown, measure: Measure, drawn: Resamples) -> Array:
    """Return the statistics of every draw, slot by slot, from the groups that have units there.

    Gold counts, which all systems share, are summed once.
    """
    cells = broken.cells
    _, systems, slots, k = cells.shape
    result = np.empty((drawn.draws, systems, slots, k))
    once = measure.metric is None and broken.shared
    for slot in range(slots):
        slot_cells = cells[:, :, slot]
        groups = np.flatnonzero(slot_cells.any(axis=(1, 2)))
        if not once:
            result[:, :, slot] = drawn.sums(slot_cells[groups], groups)
            continue
        returned = slot_cells[groups, :, :N_GOLD].reshape(len(groups), systems * N_GOLD)
        sums = drawn.sums(np.column_stack([returned, slot_cells[groups, 0, N_GOLD]]), groups)
        result[:, :, slot, :N_GOLD] = sums[:, :-1].reshape(-1, systems, N_GOLD)
        result[:, :, slot, N_GOLD] = sums[:, -1, None]
    return result
