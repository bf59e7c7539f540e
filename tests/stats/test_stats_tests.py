from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats
from support.slow_scores import f1

from slicewise.stats.tests import AT_ONCE, paired_draws, randomisation_p

PAIRS = np.array([(0, 1), (0, 2), (1, 2), (2, 1), (1, 1)])


def counts(rng: np.random.Generator, clusters: int, systems: int) -> np.ndarray[Any, Any]:
    n_gold = np.repeat(rng.integers(0, 6, size=(clusters, 1)), systems, axis=1)
    tp = rng.binomial(n_gold, 0.5 + 0.05 * np.arange(systems))
    return np.stack([tp, tp + rng.integers(0, 3, size=tp.shape), n_gold], axis=2).astype(float)


def slow(
    statistics: np.ndarray[Any, Any], finish: Any, pairs: np.ndarray[Any, Any], draws: int, seed: int
) -> tuple[list[float], list[int]]:
    """Exchange cluster by cluster, draw by draw, pair by pair, with the same bits."""
    clusters = len(statistics)
    width = -(-clusters // 8)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    rows = np.frombuffer(rng.bytes(width * (-(-draws // 64) * 64)), dtype=np.uint8).reshape(-1, width)
    p, undefined = [], []
    for one, other in pairs:
        observed = abs(float(finish(statistics[:, one].sum(0)) - finish(statistics[:, other].sum(0))))
        larger = nowhere = 0
        for row in rows[:draws]:
            a, b = statistics[:, one].copy(), statistics[:, other].copy()
            for cluster in range(clusters):
                if row[cluster // 8] >> (7 - cluster % 8) & 1:
                    a[cluster], b[cluster] = statistics[cluster, other], statistics[cluster, one]
            difference = abs(float(finish(a.sum(0)) - finish(b.sum(0))))
            nowhere += bool(np.isnan(difference))
            larger += difference >= observed - 1e-12
        p.append(np.nan if np.isnan(observed) else (1 + larger) / (1 + draws - nowhere))
        undefined.append(nowhere)
    return p, undefined


@pytest.mark.parametrize(("clusters", "draws"), [(1, 10), (5, 64), (17, 150)])
def test_p_is_that_of_a_plain_loop(clusters: int, draws: int) -> None:
    statistics = counts(np.random.default_rng(clusters), clusters, 3)
    expected_p, expected_undefined = slow(statistics, f1, PAIRS, draws, 3)
    for at_once in (AT_ONCE, 64 * 3 * 2):  # all pairs at once, two at a time
        p, undefined = randomisation_p(statistics, f1, PAIRS, draws=draws, seed=3, at_once=at_once)
        assert np.array_equal(p, expected_p, equal_nan=True)
        assert undefined.tolist() == expected_undefined


@pytest.mark.parametrize("labels", [1, 2, 9])
@pytest.mark.parametrize("unit", [1.0, 0.3])
def test_statistics_that_systems_share_and_many_of_them(labels: int, unit: float) -> None:
    rng = np.random.default_rng(labels)
    statistics = np.concatenate([counts(rng, 40, 3) for _ in range(labels)], axis=2) * unit

    def macro(sums: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(np.nan_to_num(f1(sums.reshape(*sums.shape[:-1], labels, 3))).mean(axis=-1))

    expected_p, expected_undefined = slow(statistics, macro, PAIRS, 130, 5)
    p, undefined = randomisation_p(statistics, macro, PAIRS, draws=130, seed=5)
    assert p.tolist() == expected_p
    assert undefined.tolist() == expected_undefined
    assert len(set(expected_p)) > 2


def test_undefined_draws_are_left_out_and_counted() -> None:
    statistics = np.array(
        [[[1, 1, 1], [0, 0, 0]], [[0, 0, 0], [1, 2, 1]]], dtype=float
    )  # exchanging one empties a side
    p, undefined = randomisation_p(statistics, f1, np.array([(0, 1)]), draws=200, seed=1)
    expected_p, expected_undefined = slow(statistics, f1, np.array([(0, 1)]), 200, 1)
    assert 0 < undefined[0] < 200
    assert undefined.tolist() == expected_undefined
    assert p.tolist() == expected_p


def test_an_undefined_difference_has_no_p() -> None:
    statistics = np.array([[[1, 1, 1], [0, 0, 0]]], dtype=float)
    assert np.isnan(randomisation_p(statistics, f1, np.array([(0, 1)]), draws=20, seed=0)[0]).all()


@pytest.mark.parametrize("seed", range(4))
def test_p_is_near_the_one_of_all_exchanges(seed: int) -> None:
    statistics = counts(np.random.default_rng(seed), 9, 2)
    observed = abs(np.diff(f1(statistics.sum(0)))[0])
    larger = 0
    for swaps in itertools.product((False, True), repeat=9):
        swap = np.array(swaps)[:, None, None]
        larger += abs(np.diff(f1(np.where(swap, statistics[:, ::-1], statistics).sum(0)))[0]) >= observed - 1e-12
    exact = larger / 2**9
    p = randomisation_p(statistics, f1, np.array([(0, 1)]), draws=20_000, seed=seed)[0][0]
    assert abs(p - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4


@pytest.mark.parametrize("offset", [0, 1, 10])
def test_equal_differences_count_although_they_are_rounded_differently(offset: int) -> None:
    better = np.array([0.3, 0.3, 0.3, 0.3, 0.3, 0, 0, 0, 0])  # a mean difference of 0.3/9 is the smallest there can be
    statistics = np.stack([better, 0.3 - better], axis=1)[:, :, None] + offset
    p, _ = randomisation_p(statistics, lambda sums: sums[..., 0] / 9, np.array([(0, 1)]), draws=500, seed=0)
    assert p.tolist() == [1.0]


def test_the_false_alarm_rate_is_what_it_should_be() -> None:
    rng = np.random.default_rng(8)
    p = np.array(
        [
            randomisation_p(
                rng.exponential(size=(25, 2, 1)), lambda s: s[..., 0], np.array([(0, 1)]), draws=199, seed=i
            )[0][0]
            for i in range(600)
        ]
    )
    assert scipy_stats.kstest(p, "uniform").pvalue > 0.01
    assert 0.03 <= (p <= 0.05).mean() <= 0.075


def test_a_large_difference_is_found() -> None:
    statistics = np.random.default_rng(0).normal(size=(40, 2, 1)) + np.array([0.0, 2.0])[:, None]
    assert randomisation_p(statistics, lambda s: s[..., 0], np.array([(0, 1)]), draws=999, seed=0)[0][0] == 1 / 1000


def test_enough_draws_for_many_pairs() -> None:
    assert [paired_draws(pairs) for pairs in (0, 1, 50, 51, 66)] == [10_000, 10_000, 10_000, 10_200, 13_200]
