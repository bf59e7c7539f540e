"""Rank sums of features whose rows lie together: against all ways to pick rows of clusters, and known cases."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_adjusting import Profile

from slicewise.arrays import Array, Ints
from slicewise.stats.cluster_profile import EXACT, ClusterProfile


def ratio_of(values: Array, cluster: Ints, has: Ints, *, step: float = 0.0) -> float:
    """Return the factor of one feature that some rows have."""
    counts = Counter(np.unique(cluster[has], return_counts=True)[1].tolist())
    items, clusters = (np.array(column) for column in zip(*sorted(counts.items()), strict=True))
    profile = ClusterProfile.of(values, cluster, int(items.max()), step=step)
    ratios = profile.ratios(np.zeros(len(items), np.int64), items, clusters, values[has].sum(keepdims=True))
    return float(ratios[0])


@st.composite
def clustered(draw: st.DrawFn) -> tuple[Array, Ints, Ints, float]:
    """Rows in clusters of up to seven, whose scores are alike, and some low rows that have a feature."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    sizes = rng.integers(1, 8, draw(st.integers(3, 25)))
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.normal(size=len(cluster)) + 0.8 * rng.normal(size=len(sizes))[cluster]
    two = draw(st.booleans())
    if two:
        values = (values > np.quantile(values, 0.3)).astype(float)
    values = values - values.mean()
    has = np.flatnonzero(rng.random(len(values)) < np.where(values < 0, 0.5, 0.1))
    step = float(np.ptp(values)) if two else 0.0
    return values, cluster, has if len(has) else np.array([int(np.argmin(values))]), step


@with_examples(30)
@given(clustered())
def test_as_all_ways_to_pick_rows_of_clusters(data: tuple[Array, Ints, Ints, float]) -> None:
    values, cluster, has, step = data
    if np.ptp(values) == 0:
        return
    slow = Profile(values.tolist(), cluster.tolist(), step).ratio(frozenset(has.tolist()))
    assert ratio_of(values, cluster, has, step=step) == pytest.approx(slow, abs=3e-4)


def test_rows_of_different_clusters_are_independent() -> None:
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(30), 4)
    values = rng.normal(size=30)[cluster] + rng.normal(size=120)
    has = np.arange(0, 120, 4)[:8]
    assert ratio_of(values - values.mean() - 1, cluster, has) == 1


@pytest.mark.parametrize("m", [2, 5, 20])
def test_rows_of_one_fate_count_once(m: int) -> None:
    """Of equal normal values, m in each cluster, m rows tell as much as one: z is smaller by √m."""
    rng = np.random.default_rng(m)
    cluster = np.repeat(np.arange(1500), m)
    values = rng.normal(size=1500)[cluster]
    values = (values - values.mean()) / values.std()
    profile = ClusterProfile.of(values, cluster, m)
    ratio = profile.ratios(np.zeros(1, np.int64), np.array([m]), np.array([60]), np.array([-2.5 * np.sqrt(60 * m)]))
    assert ratio[0] == pytest.approx(1 / np.sqrt(m), rel=0.08)


def test_rows_that_are_no_more_alike_than_others_count_fully() -> None:
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(400), 5)
    values = rng.normal(size=2000)
    values -= values.mean()
    profile = ClusterProfile.of(values, cluster, 4)
    ratio = profile.ratios(np.zeros(1, np.int64), np.array([4]), np.array([10]), np.array([-3 * np.sqrt(40)]))
    assert ratio[0] > 0.95


def test_the_order_of_rows_and_the_names_of_clusters_change_nothing() -> None:
    rng = np.random.default_rng(2)
    cluster = np.sort(rng.integers(0, 40, 300))
    values = (rng.normal(size=300) + rng.normal(size=40)[cluster]).round(1)
    order, names = rng.permutation(300), rng.permutation(40)
    one = ClusterProfile.of(values, cluster, 9)
    other = ClusterProfile.of(values[order], names[cluster[order]], 9)
    assert np.array_equal(one.logs, other.logs) or np.allclose(one.logs, other.logs, rtol=1e-12, atol=1e-12)


def test_beyond_what_is_exact_the_normal_distribution_goes_on() -> None:
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(30), 200)
    values = 0.5 * rng.normal(size=30)[cluster] + rng.normal(size=6000)
    values = (values - values.mean()) / values.std()
    profile = ClusterProfile.of(values, cluster, 150)
    assert profile.levels[-1] == 150
    exact = int(np.searchsorted(profile.levels, EXACT))
    near = np.abs(profile.knots) * np.abs(values).max() < 0.5
    curves = profile.logs[:, near, 2] / profile.levels[:, None]
    assert curves[exact] == pytest.approx(curves[exact + 1], rel=0.15)


def test_rows_that_are_not_given_are_counted_in_the_size() -> None:
    """Half of the rows of large clusters tell as much of them."""
    rng = np.random.default_rng(5)
    cluster = np.repeat(np.arange(60), 100)
    values = 0.4 * rng.normal(size=60)[cluster] + rng.normal(size=6000)
    values = (values - values.mean()) / values.std()
    kept = rng.random(6000) < 0.5
    request = (np.zeros(1, np.int64), np.array([8]), np.array([12]), np.array([-3.0 * np.sqrt(96)]))
    whole = ClusterProfile.of(values, cluster, 8).ratios(*request)
    part = ClusterProfile.of(values[kept], cluster[kept], 8, np.full(int(kept.sum()), 100)).ratios(*request)
    assert part == pytest.approx(whole, abs=0.05)
