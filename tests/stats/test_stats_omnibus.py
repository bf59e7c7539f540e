from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats
from scipy.special import chdtrc

from slicewise.stats.omnibus import chi2_tail, friedman, wilcoxon
from slicewise.stats.ranks import average_ranks

NAN = float("nan")
scores = st.sampled_from([0.1, 0.25, 0.5, 1 / 3, 0.9])
tables = st.tuples(st.integers(2, 7), st.integers(3, 6)).flatmap(lambda at: arrays(np.float64, at, elements=scores))


@given(tables)
def test_friedman_is_scipys(table: np.ndarray[Any, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = scipy_stats.friedmanchisquare(*table.T)
    found = friedman(table)
    assert [found.statistic, found.p] == pytest.approx(list(expected), rel=1e-10, abs=1e-12, nan_ok=True)
    assert (found.blocks, found.treatments, found.dropped) == (*table.shape, 0)


@given(tables, st.randoms(use_true_random=False))
def test_friedman_sees_ranks_within_blocks_only(table: np.ndarray[Any, Any], random: Any) -> None:
    blocks, treatments = (random.sample(range(size), size) for size in table.shape)
    level = np.arange(len(table))[:, None]
    found = friedman(table)
    for other in (table[blocks][:, treatments], np.exp(3 * table) + level, -table):
        same = friedman(other)
        np.testing.assert_allclose([found.statistic, found.p], [same.statistic, same.p], rtol=1e-12, atol=1e-14)


def test_empty_treatments_are_none_and_incomplete_blocks_are_dropped() -> None:
    full = np.random.default_rng(0).random((6, 4))
    table = np.insert(full, 2, NAN, axis=1)
    table = np.insert(table, 3, [0.5, NAN, NAN, 0.2, 0.1], axis=0)
    found, expected = friedman(table), friedman(full)
    assert (found.statistic, found.p) == (expected.statistic, expected.p)
    assert (found.blocks, found.treatments, found.dropped) == (6, 4, 1)


@pytest.mark.parametrize(
    ("table", "shape"),
    [
        (np.random.default_rng(0).random((5, 2)), (5, 2, 0)),
        (np.random.default_rng(0).random((1, 5)), (1, 5, 0)),
        (np.full((4, 3), 0.5), (4, 3, 0)),
        (np.full((4, 3), NAN), (4, 0, 0)),
        (np.array([[1, NAN, 2], [NAN, 1, 2], [1, 2, 3]]), (1, 3, 2)),
        (np.empty((0, 3)), (0, 0, 0)),
    ],
)
def test_too_little_is_no_test(table: np.ndarray[Any, Any], shape: tuple[int, int, int]) -> None:
    found = friedman(table)
    assert np.isnan([found.statistic, found.p]).all()
    assert (found.blocks, found.treatments, found.dropped) == shape


@given(st.integers(1, 60), st.floats(0, 400))
def test_the_tail_of_chi2_is_scipys(degrees: int, statistic: float) -> None:
    np.testing.assert_allclose(chi2_tail(statistic, degrees), chdtrc(degrees, statistic), rtol=1e-11, atol=1e-300)


def all_flips(differences: np.ndarray[Any, Any]) -> float:
    """Flip the signs in every possible way."""
    ranks = average_ranks(np.abs(differences))
    observed = abs(float(np.sign(differences) @ ranks))
    flips = np.array(list(itertools.product((-1, 1), repeat=len(ranks))))
    return float((np.abs(flips @ ranks) >= observed).mean())


whole = st.lists(st.integers(-6, 6), max_size=10)


@given(whole)
def test_exact_p_is_the_share_of_all_sign_flips(whole_differences: list[int]) -> None:
    differences = np.array(whole_differences, dtype=float)
    some = differences[differences != 0]
    found = wilcoxon(differences)
    assert found.p == all_flips(some) if len(some) else np.isnan(found.p)
    assert (found.n, found.zeros, found.method) == (len(some), len(differences) - len(some), "exact")


@pytest.mark.parametrize("n", [1, 2, 5, 13, 25])
def test_exact_p_is_scipys_where_there_are_no_ties(n: int) -> None:
    for seed in range(20):
        differences = np.random.default_rng(seed).normal(0.3, 1, size=n)
        expected = scipy_stats.wilcoxon(differences, method="exact").pvalue
        assert wilcoxon(differences).p == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("step", [0.0, 0.5])
@pytest.mark.parametrize("n", [26, 60, 5000])
def test_normal_p_is_scipys_with_ties_and_zeros(n: int, step: float) -> None:
    for seed in range(10):
        differences = np.random.default_rng(seed).normal(0.2, 1, size=2 * n)
        if step:
            differences = np.round(differences / step) * step
        differences = np.append(differences[differences != 0][:n], [0.0] * 3)
        expected = scipy_stats.wilcoxon(differences, method="approx", correction=False).pvalue
        found = wilcoxon(differences)
        assert found.p == pytest.approx(expected, rel=1e-9)
        assert (found.n, found.zeros, found.method) == (n, 3, "normal")


@pytest.mark.parametrize("n", [9, 25, 26, 100])
def test_signs_order_scale_and_undefined_make_no_difference(n: int) -> None:
    rng = np.random.default_rng(n)
    differences = rng.integers(-9, 12, size=n).astype(float)
    found = wilcoxon(differences)
    gaps = np.insert(differences, [0, 3, n], np.nan)
    for same in (-differences, rng.permutation(differences), differences / 3, differences * 1e-9, gaps):
        assert wilcoxon(same) == found


def test_rounding_makes_neither_differences_nor_an_order() -> None:
    clean = np.array([1, 1, 1, -1, 2, 0, 0]) / 10
    noisy = np.array([0.3 - 0.2, 0.8 - 0.7, 0.1, 0.6 - 0.7, 0.9 - 0.7, 0.1 + 0.2 - 0.3, 0.0])
    assert len(set(np.abs(noisy[:4]))) > 1
    assert noisy[5] != 0
    assert wilcoxon(noisy) == wilcoxon(clean)
    assert wilcoxon(noisy).zeros == 2
    apart = np.array([1.0, 1.0, 1.0, 1.0, -1.0 - 1e-9])
    assert wilcoxon(apart) == wilcoxon(np.round(apart * 1e9)) != wilcoxon(np.round(apart))


def test_nothing_left_has_no_p() -> None:
    for differences in ([], [0.0, 0.0], [np.nan]):
        found = wilcoxon(np.array(differences))
        assert np.isnan(found.p)
        assert found.n == 0


def test_both_are_as_rare_as_they_say() -> None:
    rng = np.random.default_rng(4)
    blocks = np.array([friedman(rng.random((12, 5))).p for _ in range(1500)])
    assert 0.03 < (blocks <= 0.05).mean() < 0.065
    pairs = np.array([wilcoxon(np.round(rng.normal(size=20), 1)).p for _ in range(1500)])
    assert 0.03 < (pairs <= 0.05).mean() < 0.065
