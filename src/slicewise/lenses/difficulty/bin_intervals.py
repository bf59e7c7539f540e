"""Intervals of what systems find of each bin: bins and what is found of them in every draw of clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from slicewise.arrays import Array
from slicewise.lenses.intervals import OF_SHARES, Estimate, IntervalMethod, listed_bounds, of_differences
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts
from slicewise.lenses.outcomes.outcomes import GOLD
from slicewise.lenses.outcomes.pair_counts import Sample
from slicewise.results.base import Bounds
from slicewise.stats.patterns import Bins
from slicewise.stats.ratio import ratio


@dataclass(frozen=True, eq=False)
class DrawnBins:
    """Bins, and what some systems find of them, in every draw."""

    bins: Bins
    totals: Array
    """`(draws, bins)`."""
    true_positives: Mapping[int, Array]
    """Of each system, `(draws, bins)`."""
    method: IntervalMethod

    @classmethod
    def of(cls, outcomes: OutcomeCounts, sample: Sample, bins: Bins, systems: Sequence[int]) -> DrawnBins | None:
        """Sum the bins of the groups that are drawn; None where nothing is drawn."""
        size = len(outcomes.systems) + 1
        totals = sample.sums(outcomes.by_group.totals().reshape(-1, 2, size)[:, GOLD])
        if totals is None:
            return None
        counts = {i: outcomes.by_group.bin_counts(i).reshape(-1, 2, size)[:, GOLD] for i in systems}
        sums = {i: sample.sums(of_system) for i, of_system in counts.items()}
        return cls(bins, totals, {i: drawn for i, drawn in sums.items() if drawn is not None}, sample.method)

    def shares(self, i: int) -> tuple[Bounds | None, ...]:
        """Return the interval of a system's share of each bin; of the first and the last one there is no doubt."""
        sizes = self.bins.totals.astype(np.float64)
        of_bins = Estimate(
            self.bins.shares()[i], ratio(self.true_positives[i], self.totals), sizes, self.totals, OF_SHARES
        )
        everything, drawn = sizes.sum(keepdims=True), self.totals.sum(axis=1, keepdims=True)
        of_system = self.true_positives[i].sum(axis=1, keepdims=True)
        recall = ratio(np.array([float(self.bins.found[i].sum())]), everything)
        corpus = Estimate(recall, ratio(of_system, drawn), everything, drawn, OF_SHARES)
        bounds = [bounds for bounds, _ in listed_bounds(self.method.slices(of_bins, corpus))]
        return (None, *bounds[1:-1], *([None] if len(bounds) > 1 else []))

    def differences(self, i: int, j: int) -> list[tuple[Bounds | None, int]]:
        """Return the interval of the difference of two systems' shares of each bin, and its undefined draws."""
        shares = self.bins.shares()
        draws = ratio(self.true_positives[i] - self.true_positives[j], self.totals)
        estimate = Estimate(shares[i] - shares[j], draws, limits=of_differences(OF_SHARES))
        return listed_bounds(self.method.corpus(estimate))
