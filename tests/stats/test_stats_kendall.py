from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, norm

from slicewise.stats.kendall import inversions, kendall
from slicewise.stats.rank_sums import doubled_ranks

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

Array = np.ndarray[Any, Any]
number = st.sampled_from([-3.5, 0.0, 0.5, 1.0, 2.0, 100.0])
pairs = st.lists(st.tuples(number, number), max_size=12)


def correlated(rng: np.random.Generator, n: int, distinct: int) -> tuple[Array, Array]:
    scores = rng.integers(0, distinct, n) / 3
    return scores, np.round(scores + rng.normal(size=n), 1)


@given(pairs)
def test_tau_and_p_are_scipys(items: list[tuple[float, float]]) -> None:
    scores, values = np.array(items).reshape(-1, 2).T
    found = kendall(scores, values)
    if len(set(scores)) < 2 or len(set(values)) < 2:
        assert math.isnan(found.tau)
        assert math.isnan(found.z)
    elif len(items) > 2:  # scipy divides by n − 2
        expected = kendalltau(scores, values, method="asymptotic")
        np.testing.assert_allclose(found.tau, expected.statistic, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(2 * norm.sf(abs(found.z)), expected.pvalue, rtol=1e-9)


@pytest.mark.parametrize("n", [100, 3000, 40_000])
@pytest.mark.parametrize("distinct", [2, 9, 10**6])
def test_tau_and_p_of_many_items_are_scipys(n: int, distinct: int) -> None:
    scores, values = correlated(np.random.default_rng(n), n, distinct)
    values[: n // 2] = np.random.default_rng(1).permutation(values[: n // 2])
    for other in (values, -values):
        found, expected = kendall(scores, other), kendalltau(scores, other, method="asymptotic")
        np.testing.assert_allclose(found.tau, expected.statistic, rtol=1e-9)
        np.testing.assert_allclose(2 * norm.sf(abs(found.z)), expected.pvalue, rtol=1e-9, atol=1e-300)
        assert np.sign(found.z) == np.sign(expected.statistic)


def test_each_side_has_its_p() -> None:
    scores, values = correlated(np.random.default_rng(3), 60, 5)
    found = kendall(scores, values)
    assert found.tau > 0
    assert float(found.small.p) == pytest.approx(kendalltau(scores, values, method="asymptotic").pvalue / 2, rel=1e-9)
    assert float(found.small.p) + float(found.large.p) == pytest.approx(1)
    assert float(found.large.log10_p) == pytest.approx(math.log10(found.large.p), rel=1e-9)


def test_p_underflows_and_its_logarithm_does_not() -> None:
    found = kendall(np.arange(200_000), -np.arange(200_000))
    assert found.tau == -1.0
    assert float(found.large.p) == 0.0
    assert -math.inf < float(found.large.log10_p) < -1000
    assert float(found.small.p) == 1.0


def test_two_items_are_correlated_but_not_a_constant() -> None:
    assert kendall(np.array([1, 2]), np.array([5, 4])).tau == -1.0
    assert kendall(np.array([1, 2]), np.array([5, 4])).z == -1.0
    assert math.isnan(kendall(np.array([1, 1, 1]), np.array([1, 2, 3])).tau)
    assert math.isnan(kendall(np.array([]), np.array([])).z)
    assert math.isnan(float(kendall(np.array([1, 1]), np.array([1, 2])).large.p))


def test_what_is_not_a_number_has_no_rank() -> None:
    with pytest.raises(ValueError, match="not a number"):
        kendall(np.array([1, 2]), np.array([1.0, np.nan]))


@given(pairs, st.randoms(use_true_random=False))
def test_only_ranks_matter_and_items_have_no_order(items: list[tuple[float, float]], random: Any) -> None:
    scores, values = np.array(items).reshape(-1, 2).T
    order = list(range(len(items)))
    random.shuffle(order)
    found = kendall(scores, values)
    for other in (
        kendall(scores[order], values[order]),
        kendall(doubled_ranks(scores), np.exp(values / 50) - 7),
        kendall(values, scores),
    ):
        np.testing.assert_allclose([other.tau, other.z], [found.tau, found.z], rtol=1e-14)
    turned = kendall(scores, -values)
    np.testing.assert_allclose([turned.tau, turned.z], [-found.tau, -found.z], rtol=1e-14)


@given(st.lists(st.integers(0, 40), max_size=40))
def test_inversions_are_pairs_in_the_wrong_order(codes: list[int]) -> None:
    slow = sum(a > b for a, b in itertools.combinations(codes, 2))
    assert inversions(np.array(codes, dtype=np.int64)) == slow


def test_inversions_of_many_items_are_whole() -> None:
    n = 300_000
    assert inversions(np.arange(n)) == 0
    assert inversions(np.arange(n)[::-1]) == n * (n - 1) // 2
    assert inversions(np.arange(n)[::-1] // 2) == n * (n - 1) // 2 - n // 2
