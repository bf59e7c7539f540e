"""Tests over data sets of buckets that were picked on the same data: permuted buckets, swapped systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from slicewise.arrays import Array
from slicewise.lenses.slicing.breakdown import Measure
from slicewise.lenses.study.performance import DatasetPerformance, Table
from slicewise.results.base import defined
from slicewise.stats.label_permutation import bucket_variance, gap_p
from slicewise.stats.swaps import Swappable, extremes_p

ENOUGH = 3
"""Data sets from which on diagnoses are tested over them."""
SELF = "permutation test over data sets: buckets permuted within each, in units of standard errors"
PAIRS = "permutation test over data sets: systems swapped by cluster within each"
LEAST_DRAWS = 10_000
DRAWS_PER_TEST = 40
"""So that the smallest p of a table survives correction even where it is alone."""


@dataclass(frozen=True)
class Tested:
    """What a diagnosis carries of its test; None where there was none."""

    p: float | None = None
    smallest_p: float | None = None
    n: int = 0
    test: str = ""


def draws_for(tests: int) -> int:
    """Return the number of draws for a table of so many tests."""
    return max(LEAST_DRAWS, DRAWS_PER_TEST * tests)


@dataclass(frozen=True)
class PermutationTests:
    """The tests of one measure, seeded; the order of data sets and systems makes no difference."""

    measure: Measure
    seed: int

    def gap(
        self,
        table: Table,
        attribute: str,
        system: str,
        parts: Sequence[DatasetPerformance],
        means: Array,
        pick: tuple[int, int],
        tests: int,
    ) -> Tested:
        """Test the gap between two buckets of a system, from its values, `(data sets, buckets)`."""
        order = sorted(range(len(parts)), key=lambda i: parts[i].name)
        variances = [table.lined_up(parts[i], attribute, self._variance(parts[i], attribute, system)) for i in order]
        values = self.measure.sign * means[order]
        result = gap_p(values, np.array(variances), *pick, draws=draws_for(tests), seed=self.seed)
        if np.isnan(result.p):
            return Tested()
        return Tested(result.p, result.smallest_p, result.datasets, SELF)

    def _variance(self, part: DatasetPerformance, attribute: str, system: str) -> Array:
        places = list(part.places(system))
        counts = part.cells[attribute]
        return bucket_variance(counts.cells[:, places], self.measure.finish, counts.sizes[places].mean(axis=0))

    def differences(
        self,
        table: Table,
        attribute: str,
        parts: Sequence[DatasetPerformance],
        pairs: Sequence[tuple[str, str]],
        observed: Sequence[Array],
        tests: int,
    ) -> dict[tuple[str, str], dict[str, Tested]]:
        """Test the largest and the smallest mean difference of each pair."""
        swappable = [
            Swappable(
                cells=part.cells[attribute].cells,
                runs={system: part.places(system) for system in part.runs},
                line_up=partial(table.lined_up, part, attribute),
            )
            for part in sorted(parts, key=lambda part: part.name)
        ]
        results = extremes_p(swappable, pairs, observed, self.measure.finish, draws=draws_for(tests), seed=self.seed)
        tested = {}
        for (a, b), swaps in zip(pairs, results, strict=True):
            n = sum(a in part.runs and b in part.runs for part in parts)
            tested[a, b] = {
                kind: Tested() if np.isnan(p) else Tested(defined(p), swaps.smallest_p, n, PAIRS)
                for kind, p in (("largest", swaps.largest), ("smallest", swaps.smallest))
            }
        return tested
