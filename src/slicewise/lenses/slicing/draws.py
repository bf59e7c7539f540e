"""A breakdown with its values, and both in every bootstrap draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slicewise.arrays import Array
from slicewise.lenses.inference import bounds_of
from slicewise.lenses.slicing.breakdown import Breakdown, Measure
from slicewise.lenses.slicing.rank_correlation import correlations
from slicewise.metrics.counts import N_GOLD
from slicewise.results.base import Bounds
from slicewise.results.estimates import Value
from slicewise.stats.intervals import Resamples, percentile_interval

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
    confidence: float
    correlations: list[Value] | None

    @classmethod
    def of(
        cls,
        broken: Breakdown,
        measure: Measure,
        drawn: Resamples | None,
        confidence: float,
    ) -> BucketDraws:
        """Compute the values, their draws, and the unit-level correlations."""
        values = measure.finish(broken.totals)
        draws = None if drawn is None else _draws(broken, measure, drawn)
        drawn_values = None if draws is None else measure.finish(draws)
        companion = correlations(broken, drawn, confidence)
        return cls(broken, values, draws, drawn_values, confidence, companion)

    def bounds(self, drawn: Array) -> list[tuple[Bounds | None, int]]:
        """Return the bounds of `(draws, values)`, and in how many draws each was undefined."""
        interval = percentile_interval(drawn, confidence=self.confidence)
        rows = zip(interval.lo, interval.hi, interval.undefined, strict=True)
        return [(bounds_of(float(lo), float(hi)), int(undefined)) for lo, hi, undefined in rows]


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
