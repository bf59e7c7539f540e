"""Systems swapped by cluster over several data sets: against all swaps, one by one, and on null data."""

from __future__ import annotations

from math import isnan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_permutation import exact_swaps_p

from slicewise.metrics.counts import f_beta
from slicewise.stats.swaps import Swappable, extremes_p

DRAWS = 8_000


def random_cells(rng: np.random.Generator, clusters: int, buckets: int, systems: int = 2, skill: Any = 0.6) -> Any:
    """Return counts `(clusters, systems, buckets, 3)` of systems that find gold units with some probability."""
    gold = rng.integers(0, 3, (clusters, 1, buckets))
    gold[0] += 1  # no bucket is empty
    tp = rng.binomial(gold, skill, (clusters, systems, buckets))
    returned = tp + rng.integers(0, 2, tp.shape)
    return np.stack([tp, returned, np.broadcast_to(gold, tp.shape)], axis=-1).astype(np.float32)


def swappable(cells: Any, names: str = "ab") -> Swappable:
    return Swappable(cells, {name: (i,) for i, name in enumerate(names)}, lambda values: values)


def observed(sets: list[Any], a: int = 0, b: int = 1) -> Any:
    return np.mean([f_beta(c.sum(axis=0)[a]) - f_beta(c.sum(axis=0)[b]) for c in sets], axis=0)


@with_examples(10)
@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 3))
def test_p_is_that_of_all_swaps(seed: int, datasets: int, buckets: int) -> None:
    rng = np.random.default_rng(seed)
    sets = [random_cells(rng, int(rng.integers(1, 4)), buckets) for _ in range(datasets)]
    (found,) = extremes_p([swappable(c) for c in sets], [("a", "b")], [observed(sets)], f_beta, draws=DRAWS, seed=seed)
    if all((c[:, 0] == c[:, 1]).all() for c in sets):
        assert isnan(found.largest)
        return
    for p, expected in zip((found.largest, found.smallest), exact_swaps_p([c.tolist() for c in sets]), strict=True):
        assert p == pytest.approx(expected, abs=5 * sqrt(expected * (1 - expected) / DRAWS) + 2 / DRAWS)
        assert expected >= found.smallest_p - 1e-9


@with_examples(10)
@given(st.integers(0, 10_000))
def test_the_other_way_round(seed: int) -> None:
    """Where a − b is largest, b − a is smallest, with the same p; and other systems make no difference."""
    rng = np.random.default_rng(seed)
    sets = [random_cells(rng, 9, 3, systems=3) for _ in range(3)]
    parts = [swappable(c, "abc") for c in sets]
    pairs = [("a", "b"), ("b", "a"), ("a", "c")]
    values = [observed(sets, 0, 1), observed(sets, 1, 0), observed(sets, 0, 2)]
    ab, ba, ac = extremes_p(parts, pairs, values, f_beta, draws=300, seed=seed)
    assert (ab.largest, ab.smallest) == (ba.smallest, ba.largest)
    (alone,) = extremes_p(parts, pairs[2:], values[2:], f_beta, draws=300, seed=seed)
    assert alone == ac


def test_restarts_change_places_as_often_each() -> None:
    """Two equal runs are one; and every run of one system meets every run of the other equally often."""
    rng = np.random.default_rng(3)
    sets = [random_cells(rng, 20, 3) for _ in range(3)]
    twice = [Swappable(c[:, [0, 0, 1]], {"a": (0, 1), "b": (2,)}, lambda values: values) for c in sets]
    plain = [swappable(c) for c in sets]
    both = [extremes_p(parts, [("a", "b")], [observed(sets)], f_beta, draws=500, seed=1)[0] for parts in (plain, twice)]
    assert both[0] == both[1]
    ours, theirs = Swappable(sets[0], {"a": (0, 1), "b": (2, 3, 4)}, lambda values: values).paired("a", "b")
    assert list(zip(ours, theirs, strict=True)) == [(0, 2), (1, 3), (0, 4), (1, 2), (0, 3), (1, 4)]


def test_what_is_missing_takes_no_part() -> None:
    """A pair is tested on the data sets that have both, and on the buckets that were observed."""
    rng = np.random.default_rng(4)
    sets = [random_cells(rng, 20, 3) for _ in range(3)]
    parts = [swappable(c) for c in sets]
    without = [*parts, swappable(random_cells(rng, 20, 3), "ac")]
    plain = extremes_p(parts, [("a", "b")], [observed(sets)], f_beta, draws=500, seed=1)
    assert extremes_p(without, [("a", "b")], [observed(sets)], f_beta, draws=500, seed=1) == plain
    some = observed(sets)
    some[1] = np.nan
    fewer = [swappable(c[:, :, [0, 2]]) for c in sets]
    (a,) = extremes_p(parts, [("a", "b")], [some], f_beta, draws=2000, seed=1)
    (b,) = extremes_p(fewer, [("a", "b")], [some[[0, 2]]], f_beta, draws=2000, seed=1)
    assert (a.largest, a.smallest) == (b.largest, b.smallest)


def test_equal_systems_are_not_tested() -> None:
    cells = random_cells(np.random.default_rng(0), 5, 2, systems=1)[:, [0, 0]]
    (found,) = extremes_p([swappable(cells)], [("a", "b")], [np.zeros(2)], f_beta, draws=10, seed=0)
    assert isnan(found.largest)
    assert isnan(found.smallest)


@pytest.mark.parametrize(("better", "least", "most"), [(0.0, 0.0, 0.05), (0.15, 0.8, 1.0)])
def test_size_and_power(better: float, least: float, most: float) -> None:
    """Equal systems are found to differ in at most 5% of the runs, and unequal ones from three data sets on."""
    rng = np.random.default_rng(7)
    runs = 1000 if not better else 40
    skill = np.array([0.6 + better, 0.6])[None, :, None] * np.ones(3)
    found = []
    for _ in range(runs):
        sets = [random_cells(rng, 60, 3, skill=skill) for _ in range(3)]
        parts = [swappable(c) for c in sets]
        found += extremes_p(parts, [("a", "b")], [observed(sets)], f_beta, draws=199, seed=int(rng.integers(1 << 30)))
    for kind in ("largest", "smallest"):
        share = np.mean([getattr(p, kind) < 0.05 for p in found])
        if better and kind == "smallest":
            assert share == 0
        else:
            assert least <= share <= most + 2 * sqrt(0.05 * 0.95 / runs)
