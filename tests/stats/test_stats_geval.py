from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, norm, rankdata

from slicewise.stats.geval import GevalNumber, geval_number, geval_tail
from slicewise.stats.rank_sums import RankNull, doubled_ranks
from slicewise.stats.tails import lower_normal

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

Array = np.ndarray[Any, Any]
number = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
pairs = st.lists(st.tuples(number, number), min_size=3, max_size=14)


def slow_p(scores: Array, own: Array) -> float:
    n, c = len(scores), int(own.sum())
    u = rankdata(scores)[own].sum() - c * (c + 1) / 2
    return float(norm.cdf((u - c * (n - c) / 2) / math.sqrt(c * (n - c) * (n + 1) / 12)))


@given(pairs, st.integers(1, 13))
def test_p_is_normal_and_takes_no_notice_of_ties(items: list[tuple[float, float]], c: int) -> None:
    scores = np.array(items)[:, 0]
    own = np.arange(len(items)) < min(c, len(items) - 1)
    found = geval_tail(len(items), own.sum()[None], doubled_ranks(scores)[own].sum()[None])
    assert float(found.p[0]) == pytest.approx(slow_p(scores, own), rel=1e-12)
    assert float(found.log10_p[0]) == pytest.approx(math.log10(slow_p(scores, own)), rel=1e-9)


def test_without_ties_it_is_the_usual_z() -> None:
    null = RankNull.of(np.arange(300))
    n1, sums = np.array([60, 120]), np.array([2 * 60 * 130, 2 * 120 * 160])
    assert np.allclose(geval_tail(300, n1, sums).p, lower_normal(null.tests(n1, sums).z).p, rtol=1e-12)


def slow_number(ranks: Array, scores: Array, values: Array) -> tuple[float, str, int, float] | None:
    if len(set(values)) == 1 or len(set(ranks)) == 1:
        return None
    test = kendalltau(ranks, values, method="asymptotic")
    sign = "-" if test.statistic > 0 else "+"
    ordered = sorted(
        range(len(values)), key=lambda i: (values[i], -ranks[i]) if sign == "-" else (-values[i], ranks[i])
    )
    quarter = ordered[: len(values) // 4]
    mean = sum(scores[i] for i in quarter) / len(quarter) if quarter else math.nan
    return float(test.pvalue), sign, len(quarter), mean


@given(pairs, st.booleans())
def test_numerical_features_are_the_plain_definition(items: list[tuple[float, float]], lower_is_better: bool) -> None:
    scores, values = np.array(items).T
    ranks = doubled_ranks(-scores if lower_is_better else scores)
    found, expected = geval_number(ranks, scores, values), slow_number(ranks, scores, values)
    if found is None or expected is None:
        assert (found is None) == (expected is None)
    else:
        assert found.p == pytest.approx(expected[0], rel=1e-9)
        assert (found.direction, found.count) == expected[1:3]
        assert found.mean == pytest.approx(expected[3], nan_ok=True)


def test_ties_at_the_cut_go_to_the_best_below_and_to_the_worst_above() -> None:
    scores = np.array([0.1, 0.2, 0.9, 0.3, 0.8, 0.7, 0.95, 1.0])
    values = np.array([1, 2, 2, 2, 3, 3, 4, 5])
    ranks = doubled_ranks(scores)
    found = geval_number(ranks, scores, values)
    assert found is not None
    assert (found.direction, found.count) == ("-", 2)
    assert found.mean == pytest.approx((0.1 + 0.9) / 2)
    turned = geval_number(ranks, scores, -np.array([0, 2, 2, 2, 3, 3, 4, 5]))
    assert turned is not None
    assert (turned.direction, turned.count) == ("+", 2)
    assert turned.mean == pytest.approx((0.1 + 0.2) / 2)
    assert turned.p == pytest.approx(found.p)


def test_no_direction_counts_as_large_and_a_constant_is_no_feature() -> None:
    scores = np.array([1.0, 2.0, 2.0, 1.0])
    assert geval_number(doubled_ranks(scores), scores, np.array([1, 1, 2, 2])) == GevalNumber(1.0, "+", 1, 1.0)
    assert geval_number(doubled_ranks(scores), scores, np.ones(4)) is None
    assert geval_number(doubled_ranks(np.ones(4)), np.ones(4), scores) is None


@given(pairs, st.randoms(use_true_random=False))
def test_the_order_of_items_makes_no_difference(items: list[tuple[float, float]], random: Any) -> None:
    scores, values = np.array(items).T
    order = list(range(len(items)))
    random.shuffle(order)
    ranks = doubled_ranks(scores)
    assert repr(geval_number(ranks, scores, values)) == repr(geval_number(ranks[order], scores[order], values[order]))
