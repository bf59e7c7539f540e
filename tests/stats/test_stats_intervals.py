from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slicewise.stats.intervals import DRAWN_AT_ONCE, Resamples, percentile_interval


def gathered(statistics: np.ndarray[Any, Any], draws: int, seed: int) -> np.ndarray[Any, Any]:
    """Draw the same indices and add up the rows they name: slow and obvious."""
    clusters = len(statistics)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    chunk = max(1, DRAWN_AT_ONCE // clusters)
    rows = [rng.integers(0, clusters, size=(min(chunk, draws - at), clusters)) for at in range(0, draws, chunk)]
    return np.stack([statistics[row].sum(axis=0) for block in rows for row in block])


@pytest.mark.parametrize(("clusters", "draws"), [(1, 3), (7, 200), (40, 1000), (3000, 45), (70_000, 3)])
def test_sums_are_those_of_gathered_rows(clusters: int, draws: int) -> None:
    statistics = np.random.default_rng(1).integers(-5, 90, size=(clusters, 3, 2))
    found = Resamples(clusters, draws, 11).sums(statistics)
    assert found.dtype == np.float64
    assert np.array_equal(found, gathered(statistics, draws, 11))


@pytest.mark.parametrize("largest", [2**24 - 1, 2**24 + 1, 2**45 + 1])
def test_large_whole_numbers_stay_exact(largest: int) -> None:
    statistics = np.array([[largest], [1], [0], [largest // 3]])
    found = Resamples(4, 300, 0).sums(statistics)
    assert np.array_equal(found, gathered(statistics, 300, 0))


def test_fractions_are_not_rounded_to_single_precision() -> None:
    statistics = np.random.default_rng(0).random((50, 4))
    np.testing.assert_allclose(Resamples(50, 100, 0).sums(statistics), gathered(statistics, 100, 0), rtol=1e-14)


def test_every_draw_has_as_many_clusters_as_there_are_and_all_are_drawn_alike() -> None:
    counts = np.concatenate(list(Resamples(20, 20_000, 5).counts()))
    assert (counts.sum(axis=1) == 20).all()
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 * np.sqrt(0.95 / 20_000)
    assert np.abs(counts.var(axis=0) - 0.95).max() < 0.06


def test_seeds_differ_and_repeat() -> None:
    first, again, other = (np.concatenate(list(Resamples(30, 10, seed).counts())) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_no_clusters_have_no_sums() -> None:
    assert Resamples(0, 3, 0).sums(np.empty((0, 2))).tolist() == [[0.0, 0.0]] * 3


def test_the_wrong_number_of_clusters_is_refused() -> None:
    with pytest.raises(ValueError, match="statistics of 3 clusters, draws of 4"):
        Resamples(4, 2, 0).sums(np.ones(3))


@given(
    st.integers(1, 40),
    st.lists(st.integers(1, 3), max_size=2),
    st.floats(0.01, 0.99),
    st.floats(0, 1),
    st.integers(0, 2**32),
)
def test_intervals_are_numpys_quantiles(
    draws: int, shape: list[int], confidence: float, share: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(draws, *shape)), 1)
    values[rng.random(values.shape) < share / 2] = np.nan
    values[0] = 0.3  # numpy warns about columns without a value
    found = percentile_interval(values, confidence=confidence)
    tail = (1 - confidence) / 2
    assert np.array_equal(found.lo, np.nanquantile(values, tail, axis=0))
    assert np.array_equal(found.hi, np.nanquantile(values, 1 - tail, axis=0))
    assert np.array_equal(found.undefined, np.isnan(values).sum(axis=0))


def test_nothing_defined_has_no_interval() -> None:
    values = np.array([[np.nan, 1.0], [np.nan, 2.0]])
    found = percentile_interval(values, confidence=0.95)
    assert np.isnan(found.lo[0])
    assert np.isnan(found.hi[0])
    assert found.undefined.tolist() == [2, 0]
    assert np.isnan(percentile_interval(np.empty((0, 2)), confidence=0.95).lo).all()
    assert np.isnan(values[0, 0])  # the caller's values are not sorted in place
    assert values[1, 1] == 2.0


def test_intervals_cover_the_mean_as_often_as_they_say() -> None:
    rng = np.random.default_rng(3)
    draws = Resamples(60, 400, 0)
    samples = rng.normal(size=(60, 500))
    found = percentile_interval(draws.sums(samples) / 60, confidence=0.9)
    assert 0.85 < ((found.lo <= 0) & (found.hi >= 0)).mean() < 0.93
