from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from support.slow_scores import f1

from slicewise.stats.canonical import canonical_order
from slicewise.stats.intervals import Resamples, percentile_interval
from slicewise.stats.tests import randomisation_p


def results(statistics: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the interval of every system and p of every pair, both ways round, as (systems, 2), (systems, systems)."""
    ordered = statistics[canonical_order(statistics)]
    found = percentile_interval(f1(Resamples(len(ordered), 50, 7).sums(ordered)), confidence=0.9)
    systems = statistics.shape[1]
    pairs = np.array([(a, b) for a in range(systems) for b in range(systems)])
    p, _ = randomisation_p(ordered, f1, pairs, draws=60, seed=7)
    return np.stack([found.lo, found.hi], axis=1), p.reshape(systems, systems)


def made(rng: np.random.Generator, clusters: int, systems: int) -> np.ndarray[Any, Any]:
    n_gold = np.repeat(rng.integers(0, 4, size=(clusters, 1)), systems, axis=1)
    tp = rng.integers(0, n_gold + 1)
    return np.stack([tp, tp + rng.integers(0, 3, size=tp.shape), n_gold], axis=2)


def has_mirror_images(statistics: np.ndarray[Any, Any]) -> bool:
    """Say whether two different systems have the same rows, in different clusters."""
    columns = [statistics[:, s].tolist() for s in range(statistics.shape[1])]
    return len({str(c) for c in columns}) != len({str(sorted(c)) for c in columns})


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 2**32))
def test_the_order_of_clusters_makes_no_difference(clusters: int, systems: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    statistics = made(rng, clusters, systems)
    shuffled = statistics[rng.permutation(clusters)]
    for a, b in zip(results(statistics), results(shuffled), strict=True):
        assert a.tobytes() == b.tobytes()


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 2**32))
def test_the_order_of_systems_makes_no_difference(clusters: int, systems: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    statistics = made(rng, clusters, systems)
    assume(not has_mirror_images(statistics))
    order = rng.permutation(systems)
    shuffled = statistics[rng.permutation(clusters)][:, order]
    intervals, p = results(statistics)
    shuffled_intervals, shuffled_p = results(shuffled)
    assert intervals[order].tobytes() == shuffled_intervals.tobytes()
    assert p[np.ix_(order, order)].tobytes() == shuffled_p.tobytes()


def test_systems_with_the_same_scores_in_other_clusters_are_told_apart_by_a_third() -> None:
    systems = np.array([[1, 0, 0, 1, 1], [0, 0, 1, 1, 1], [5, 6, 7, 8, 9]]).T[:, :, None]
    for order in ([1, 0, 2], [2, 0, 1], [2, 1, 0]):
        picked = systems[::-1][:, order]
        ordered, first = picked[canonical_order(picked)], systems[canonical_order(systems)]
        assert np.array_equal(ordered, first[:, order])


@given(st.integers(0, 30), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**32))
def test_it_is_a_permutation_that_puts_equal_clusters_together(clusters: int, systems: int, k: int, seed: int) -> None:
    statistics = np.random.default_rng(seed).integers(0, 2, size=(clusters, systems, k))
    order = canonical_order(statistics)
    assert sorted(order.tolist()) == list(range(clusters))
    rows = [tuple(row) for row in statistics[order].reshape(clusters, systems * k).tolist()]
    runs = sum(1 for at, row in enumerate(rows) if at == 0 or row != rows[at - 1])
    assert runs == len(set(rows))


def test_minus_zero_is_zero() -> None:
    statistics = np.array([0.0, -0.0, 1.0]).reshape(3, 1, 1)
    zeros = canonical_order(statistics).tolist()
    assert abs(zeros.index(0) - zeros.index(1)) == 1
