"""Tails of rank sums that are not counted: against all ways to pick items, draws, and their laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import hypergeom

from slicewise.stats.rank_counts import counted
from slicewise.stats.rank_sums import METHODS, MODAL, SADDLEPOINT, RankNull
from slicewise.stats.rank_tails import GROUPS, merged_ties

rng = np.random.default_rng(5)
UNTIED = rng.normal(size=60)
MANY_VALUES = np.round(rng.beta(3, 2, 150), 2)
OFTEN_PERFECT = np.where(rng.random(300) < 0.9, 1.0, np.round(rng.random(300), 1))
OFTEN_ZERO = np.where(rng.random(300) < 0.4, 0.0, np.round(rng.random(300), 1))
CHANGES = rng.choice([-1.0, 0.0, 1.0], 250, p=[0.1, 0.75, 0.15])


def errors(scores: NDArray[Any], picks: int, method: int, lowest: float) -> NDArray[np.float64]:
    """Return log(p / exact p) of all sums whose exact p is small, but not smaller than that."""
    null = RankNull.of(scores)
    exact = counted(null.ranks, null.sizes, [picks])[picks]
    sums = np.unique(exact.sums)
    p = exact.at_most(sums)
    sums, p = sums[(p >= lowest) & (p < 0.1)], p[(p >= lowest) & (p < 0.1)]
    return np.asarray(null.log_tail(np.full(len(sums), picks), sums, method) - np.log(p))


@pytest.mark.parametrize("picks", [4, 7, 15, 25])
def test_saddlepoint_of_untied_ranks_is_near_all_ways(picks: int) -> None:
    assert np.abs(errors(UNTIED, picks, SADDLEPOINT, 1e-12)).max() < 0.07


@pytest.mark.parametrize("picks", [5, 10, 20])
def test_saddlepoint_of_some_ties_is_near_all_ways(picks: int) -> None:
    assert np.abs(errors(MANY_VALUES, picks, SADDLEPOINT, 1e-8)).max() < 0.1


@pytest.mark.parametrize("scores", [OFTEN_PERFECT, OFTEN_ZERO])
@pytest.mark.parametrize("picks", [5, 12, 30])
def test_modal_tail_is_near_all_ways_where_it_decides(scores: NDArray[Any], picks: int) -> None:
    ratio = errors(scores, picks, MODAL, 1e-5)
    assert np.abs(ratio).max() < 0.75  # of discrete values among few items: a factor of two at most
    assert abs(ratio.mean()) < 0.15


@pytest.mark.parametrize("picks", [3, 10, 30, 45])
def test_modal_tail_of_three_values_is_exact(picks: int) -> None:
    assert np.abs(errors(CHANGES, picks, MODAL, 1e-200)).max() < 1e-9


def test_three_values_are_exact_for_many_items_too() -> None:
    """Against a slow sum over how many have the lowest value, with scipy's hypergeometric distribution."""
    sizes = np.array([700, 8000, 1300])
    null = RankNull.of_counts(sizes)
    low, middle, high = null.ranks.tolist()
    k, observed = 600, 60 * low + 450 * middle + 90 * high
    p = 0.0
    for lowest in range(601):
        most = (observed - k * middle + lowest * (middle - low)) // (high - middle)
        p += hypergeom.pmf(lowest, 10_000, 700, k) * hypergeom.cdf(most, 9300, 1300, k - lowest)
    tests = null.tests(np.array([k]), np.array([observed]))
    assert METHODS[tests.method[0]] == "modal"
    assert tests.p[0] == pytest.approx(p, rel=1e-9)


def test_a_word_that_is_always_wrong_in_few_of_many_graded_items_is_found() -> None:
    """With draws, p could not be below 1e-5, however sure it is."""
    scores = np.ones(20_000)
    scores[:400] = np.round(np.random.default_rng(1).random(400), 3)
    null = RankNull.of(scores)
    middling = np.argsort(scores[:400], kind="stable")[185:215]
    tests = null.tests(np.array([30]), np.array([int(null.doubled[middling].sum())]))
    # at least as improbable as that all 30 are imperfect
    exact = -sum(math.log10((20_000 - i) / (400 - i)) for i in range(30))
    assert METHODS[tests.method[0]] == "modal"
    assert tests.log10_p[0] == pytest.approx(exact, abs=0.5)
    assert tests.p[0] < 1e-40


@pytest.mark.parametrize("scores", [np.random.default_rng(8).beta(5, 2, 3000), np.repeat([0.0, 0.3, 0.6, 1.0], 500)])
def test_p_is_uniform_among_random_items(scores: NDArray[Any]) -> None:
    null, draw = RankNull.of(scores), np.random.default_rng(9)
    sums = np.array([null.doubled[draw.permutation(null.n)[:80]].sum() for _ in range(2000)])
    for side in ("low", "high"):
        tests = null.tests(np.full(2000, 80), sums, side)
        assert {METHODS[m] for m in tests.method} <= {"saddlepoint", "modal"}
        for level in (0.01, 0.05, 0.5):
            assert abs((tests.p <= level).mean() - level) < 4 * math.sqrt(level * (1 - level) / 2000)


@given(st.lists(st.integers(1, 40), min_size=4, max_size=30), st.integers(0, 2**32), st.sampled_from(["low", "high"]))
def test_tails_grow_with_the_sum_and_are_the_same_alone(sizes: list[int], seed: int, side: Any) -> None:
    null, draw = RankNull.of_counts(np.array(sizes)), np.random.default_rng(seed)
    k = int(draw.integers(1, null.n)) if null.n > 1 else 1
    items = np.repeat(null.ranks, null.sizes)
    sums = np.unique([items[draw.permutation(null.n)[:k]].sum() for _ in range(20)])
    tests = null.tests(np.full(len(sums), k), sums, side)
    ordered = tests.log10_p if side == "low" else tests.log10_p[::-1]
    assert (np.diff(ordered) >= -1e-6).all()
    assert ((tests.p >= 0) & (tests.p <= 1)).all()
    alone = [null.tests(np.array([k]), sums[i : i + 1], side).log10_p[0] for i in range(len(sums))]
    assert tests.log10_p.tolist() == alone


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=600))
def test_no_tie_is_split(sizes: list[int]) -> None:
    null = RankNull.of_counts(np.array(sizes))
    bounds = merged_ties(null)
    assert len(bounds) <= 4 * GROUPS + 2
    assert (bounds[0], bounds[-1]) == (0, null.n)
    assert set(bounds.tolist()) <= {0, *np.cumsum(sizes).tolist()}


def test_the_lowest_possible_sum_is_exact() -> None:
    null = RankNull.of(np.random.default_rng(3).random(500))
    lowest = np.sort(null.doubled)[:80].sum()
    tests = null.tests(np.array([80]), np.array([lowest]))
    exact = math.lgamma(501) - math.lgamma(81) - math.lgamma(421)
    assert tests.log10_p[0] == pytest.approx(-exact / math.log(10), rel=1e-12)
