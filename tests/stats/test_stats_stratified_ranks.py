"""Rank sums within strata: against all ways to draw, scipy, the slow reference, and their laws."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.profiles import with_examples
from support.slow_adjusting import Stratified, lattice
from support.slow_features import ranks as slow_ranks

from slicewise.arrays import Array, Ints
from slicewise.stats.rank_sums import HYPERGEOMETRIC, NORMAL, SADDLEPOINT, RankNull, Side
from slicewise.stats.stratified_ranks import (
    GROUPS,
    StratifiedNull,
    StratifiedTests,
    group_middles,
    lattice_step,
    log_at_least,
    rank_groups,
)

Bools = NDArray[np.bool_]
SIDES: tuple[Side, Side] = ("low", "high")


def null_of(scores: Array, strata: Ints) -> tuple[StratifiedNull, Ints]:
    """Return the null distribution and the doubled rank of each item."""
    everything = RankNull.of(scores)
    bounds = rank_groups(everything)
    doubled = everything.doubled
    group = np.searchsorted(group_ends(bounds), doubled)
    middles = group_middles(bounds).astype(np.int64)
    cells = np.zeros((3, int(strata.max()) + 1, len(bounds) - 1), np.int64)
    for cell, values in zip(cells, (np.ones_like(doubled), doubled, (doubled - middles[group]) ** 2), strict=True):
        np.add.at(cell, (strata, group), values)
    return StratifiedNull.of(everything, bounds, *cells), doubled


def group_ends(bounds: Ints) -> Ints:
    """Return the largest doubled rank that is of each group."""
    return 2 * bounds[1:]


def of_feature(scores: Array, strata: Ints, has: Bools, side: Side = "low") -> StratifiedTests:
    """Test one feature."""
    null, doubled = null_of(scores, strata)
    n1 = np.bincount(strata[has], minlength=len(null.sizes))[None, :]
    return null.tests(n1, np.array([doubled[has].sum()]), side)


def share_of_ways(scores: Array, strata: Ints, has: Bools, side: Side) -> float:
    """Return the share of all ways to draw as many of each stratum whose sum is as low (high)."""
    ranks = scipy.stats.rankdata(scores)
    sums = np.zeros(1)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        ways = [ranks[list(some)].sum() for some in itertools.combinations(rows, int(has[rows].sum()))]
        sums = (sums[:, None] + np.array(ways)).ravel()
    observed = ranks[has].sum()
    return float(np.mean(sums <= observed + 1e-9 if side == "low" else sums >= observed - 1e-9))


def drawn(seed: int, sizes: tuple[int, ...], values: int) -> tuple[Array, Ints, np.random.Generator]:
    rng = np.random.default_rng(seed)
    strata = np.repeat(np.arange(len(sizes)), sizes)
    shift = 0.0 if values == 2 else strata * values / 3
    return np.asarray(rng.integers(0, values, len(strata)) + shift, np.float64), strata, rng


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(4))
def test_two_scores_are_counted_out(seed: int, side: Side) -> None:
    scores, strata, rng = drawn(seed, (9, 8, 7), 2)
    score = scores if side == "low" else 1 - scores
    has = rng.random(len(scores)) < np.where(score == 0, 0.6, 0.02)
    test = of_feature(scores, strata, has, side)
    assert test.method[0] == HYPERGEOMETRIC
    assert np.exp(test.log_p[0]) == pytest.approx(share_of_ways(scores, strata, has, side), rel=1e-9)


@given(st.integers(2, 400), st.data())
def test_one_stratum_of_two_scores_is_hypergeometric(n: int, more: st.DataObject) -> None:
    marked, drawn_items = more.draw(st.integers(1, n - 1)), more.draw(st.integers(1, n - 1))
    most = min(marked, drawn_items)
    hits = more.draw(st.integers(max(0, drawn_items + marked - n), most))
    log_p = log_at_least(np.array([n]), np.array([marked]), np.array([[drawn_items]]), np.array([hits]))
    expected = scipy.stats.hypergeom(n, marked, drawn_items).logsf(hits - 1)
    assert log_p[0] == pytest.approx(expected, rel=1e-8, abs=1e-8) or (np.isnan(log_p[0]) and expected < -650)


@pytest.mark.parametrize("values", [5, 100])
@pytest.mark.parametrize("side", SIDES)
def test_graded_scores_are_near_all_ways(values: int, side: Side) -> None:
    looked_at = 0
    for seed in range(12):
        scores, strata, rng = drawn(seed, (10, 11), values)
        score = scores if side == "low" else -scores
        has = np.zeros(len(scores), np.bool_)
        for stratum in (0, 1):
            rows = np.flatnonzero(strata == stratum)
            low = rows[np.argsort(score[rows])]
            has[rng.choice(low[:6], 3, replace=False)] = True
        test = of_feature(scores, strata, has, side)
        exact = share_of_ways(scores, strata, has, side)
        if test.method[0] == SADDLEPOINT:
            looked_at += 1
            assert test.log_p[0] == pytest.approx(np.log(exact), abs=0.6)
    assert looked_at >= 5


def test_the_lowest_possible_sum_has_its_exact_chance() -> None:
    scores, strata = np.array([1.0, 2, 2, 3, 4, 5, 6, 7, 1, 2, 3, 3, 4, 8, 9, 9]), np.repeat([0, 1], 8)
    has = np.isin(np.arange(16), [0, 1, 8])
    test = of_feature(scores, strata, has)
    assert np.exp(test.log_p[0]) == pytest.approx(2 / (28 * 8))  # one of the two 2s
    mirrored = of_feature(-scores, strata, has, "high")
    assert mirrored.log_p[0] == pytest.approx(test.log_p[0])


@with_examples(40)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 8, 50]), st.sampled_from(SIDES))
def test_as_the_slow_reference(seed: int, values: int, side: Side) -> None:
    scores, strata, rng = drawn(seed, (10, 14, 12), values)
    has = rng.random(len(scores)) < 0.2
    if not has.any():
        return
    test = of_feature(scores, strata, has, side)
    slow = Stratified(slow_ranks([Fraction(score) for score in scores]), strata.tolist(), side == "high")
    expected = slow.tested(frozenset(np.flatnonzero(has).tolist()))
    if expected["z"] is None:
        assert np.isnan(test.z[0])
        assert test.log_p[0] == 0
    else:
        assert test.z[0] == pytest.approx(expected["z"])
        assert np.exp(test.log_p[0]) == pytest.approx(float(expected["p"]), rel=1e-7)


def test_many_ranks_are_grouped_and_p_is_that_of_draws() -> None:
    rng = np.random.default_rng(3)
    strata = np.repeat(np.arange(4), 250)
    scores = rng.normal(size=1000) + strata
    null, doubled = null_of(scores, strata)
    assert null.n.shape[1] <= GROUPS
    n1 = np.array([4, 9, 3, 6])
    draws = np.zeros(60_000)
    for stratum, picked in enumerate(n1):
        rows = doubled[strata == stratum]
        draws += rows[rng.random((len(draws), 250)).argsort(axis=1)[:, :picked]].sum(axis=1)
    observed = np.quantile(draws, [0.001, 0.01, 0.05]).astype(np.int64)
    test = null.tests(np.tile(n1, (3, 1)), observed)
    share = [(draws <= value).mean() for value in observed]
    assert np.exp(test.log_p) == pytest.approx(share, rel=0.25)
    assert set(test.method) == {SADDLEPOINT}


def test_a_difference_between_strata_alone_is_none() -> None:
    strata = np.repeat([0, 1], 40)
    scores = strata.astype(float)
    test = of_feature(scores, strata, np.arange(80) < 30)
    assert np.isnan(test.z[0])
    assert (test.log_p[0], test.method[0]) == (0.0, NORMAL)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=8, max_size=40), st.integers(0, 99))
def test_renaming_strata_and_the_order_of_items_change_nothing(items: list[tuple[int, int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, strata = np.array([s for s, _ in items], float), np.unique([k for _, k in items], return_inverse=True)[1]
    has = rng.random(len(items)) < 0.3
    if not has.any() or len(set(scores)) == 1:
        return
    order, names = rng.permutation(len(items)), rng.permutation(int(strata.max()) + 1)
    one, other = of_feature(scores, strata, has), of_feature(scores[order], names[strata[order]], has[order])
    assert other.z[0] == pytest.approx(one.z[0], nan_ok=True)
    assert other.log_p[0] == pytest.approx(one.log_p[0], rel=1e-6, abs=1e-9)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=40))
def test_the_step_of_a_lattice(scores: list[int]) -> None:
    null = RankNull.of(np.array(scores, float))
    expected = 2 * lattice(slow_ranks([Fraction(score) for score in scores]))
    assert lattice_step(null.ranks, null.sizes) == pytest.approx(expected, abs=1e-9)


def test_two_scores_lie_on_a_lattice_and_scores_that_all_differ_do_not() -> None:
    assert lattice_step(np.array([10.0, 110.0]), np.array([60, 40])) == pytest.approx(100)
    assert lattice_step(np.arange(1.0, 99.0), np.ones(98, np.int64)) == 0
