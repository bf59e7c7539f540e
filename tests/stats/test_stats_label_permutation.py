"""Buckets permuted within data sets: against all permutations, written from the definition, and on null data."""

from __future__ import annotations

from math import isnan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.slow_permutation import Rows, bucket_means, exact_p, slow_standardised, slow_variances

from slicewise.metrics.counts import f_beta
from slicewise.stats.label_permutation import bucket_variance, gap_p, standardised

DRAWS = 20_000


def as_array(rows: Rows) -> Any:
    return np.array([[np.nan if x is None else x for x in row] for row in rows])


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Values and variances of 2 or 3 data sets with 2 or 3 buckets; the first two buckets are filled somewhere."""
    datasets, buckets = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    values: Rows = [[draw(st.integers(0, 20)) / 20 for _ in range(buckets)] for _ in range(datasets)]
    if buckets == 3 and draw(st.booleans()):
        values[-1][draw(st.integers(0, 2))] = None
    variances: Rows = [[draw(st.integers(1, 9)) / 1000 for _ in range(buckets)] for _ in range(datasets)]
    return values, variances


@given(tables(), st.integers(0, 3))
def test_p_is_that_of_all_permutations(table: tuple[Rows, Rows], seed: int) -> None:
    values, variances = table
    slow = slow_standardised(values, variances)
    assert standardised(as_array(values), as_array(variances)) == pytest.approx(as_array(slow), nan_ok=True, abs=1e-9)
    means = bucket_means(values)
    best, worst = int(np.argmax(means)), int(np.argmin(means))
    found = gap_p(as_array(values), as_array(variances), best, worst, draws=DRAWS, seed=seed)
    if not any(x for row in slow for x in row):
        assert isnan(found.p)
        return
    expected = exact_p(slow, best, worst)
    assert found.p == pytest.approx(expected, abs=5 * sqrt(expected * (1 - expected) / DRAWS) + 2 / DRAWS)
    assert found.smallest_p <= expected + 1e-9
    assert found.datasets == len(slow)


@given(tables(), st.randoms(use_true_random=False))
def test_what_does_not_matter(table: tuple[Rows, Rows], rng: Any) -> None:
    """The unit of the scores, a constant added to a data set, and which of the buckets stands where."""
    values, variances = as_array(table[0]), as_array(table[1])
    best, worst = 0, 1
    plain = gap_p(values, variances, best, worst, draws=500, seed=1)
    shift = np.array([[rng.random()] for _ in values])
    moved = gap_p(100 * (values + shift), 1e4 * variances, best, worst, draws=500, seed=1)
    assert moved.p == pytest.approx(plain.p, nan_ok=True)
    if not isnan(plain.p):
        opposite = gap_p(-values, variances, worst, best, draws=500, seed=1)
        assert opposite.p == pytest.approx(plain.p)
        assert 1 / 501 <= plain.p <= 1


def test_a_perfect_order_has_the_smallest_p() -> None:
    for datasets, buckets in ((3, 2), (3, 3), (2, 4), (5, 2)):
        values = np.tile(np.arange(buckets) / 10, (datasets, 1))
        found = gap_p(values, np.full(values.shape, 0.001), buckets - 1, 0, draws=DRAWS, seed=0)
        exact = (buckets * (buckets - 1)) ** (1 - datasets)
        assert found.smallest_p == pytest.approx(exact)
        assert found.p == pytest.approx(exact, abs=5 * sqrt(exact / DRAWS))


def test_nothing_to_test() -> None:
    equal = gap_p(np.full((4, 3), 0.5), np.full((4, 3), 0.01), 0, 1, draws=10, seed=0)
    assert isnan(equal.p)
    alone = gap_p(np.array([[0.5, np.nan], [np.nan, 0.3]]), np.full((2, 2), 0.01), 0, 1, draws=10, seed=0)
    assert isnan(alone.p)


def test_variances_are_those_of_leaving_out_each_cluster() -> None:
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 3, (12, 1, 3))
    tp = rng.binomial(gold, 0.7, (12, 2, 3))
    cells = np.stack([tp, tp + rng.integers(0, 2, (12, 2, 3)), np.broadcast_to(gold, tp.shape)], axis=-1)

    sizes = cells[..., 1:].sum(axis=0).mean(axis=(0, 2))
    assert bucket_variance(cells, f_beta, sizes) == pytest.approx(slow_variances(cells.tolist()))


def simulated(
    rng: np.random.Generator, datasets: int, *, gap: float = 0.0, between: float = 0.0, sizes: tuple[int, ...]
) -> bool:
    """Return whether a test of accuracies in four buckets is significant; the second is worse by `gap`."""
    n = np.array(sizes)
    truth = 0.8 + between * rng.standard_normal((datasets, 4)) - gap * np.array([0, 1, 0, 0])
    right = rng.binomial(n, np.clip(truth, 0.02, 0.98))
    accuracy, overall = right / n, (right.sum(axis=1) / n.sum())[:, None]
    per_unit = (n * accuracy * (1 - accuracy) + 20 * overall * (1 - overall)) / (n + 20)
    means = accuracy.mean(axis=0)
    picked = int(means.argmax()), int(means.argmin())
    return gap_p(accuracy, per_unit / n, *picked, draws=199, seed=int(rng.integers(1 << 30))).p < 0.05


@pytest.mark.parametrize("datasets", [3, 6, 12])
@pytest.mark.parametrize(("between", "sizes"), [(0.0, (360, 150, 60, 30)), (0.1, (360, 150, 60, 30)), (0.0, (50,) * 4)])
def test_size(datasets: int, between: float, sizes: tuple[int, ...]) -> None:
    """Buckets that do not differ are found to differ in at most 5% of runs, picked and of unlike size as they are."""
    rng = np.random.default_rng(100 + datasets)
    runs = 400
    false = sum(simulated(rng, datasets, between=between, sizes=sizes) for _ in range(runs)) / runs
    assert false <= 0.05 + 2 * sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize(("datasets", "power"), [(3, 0.4), (6, 0.9)])
def test_power(datasets: int, power: float) -> None:
    rng = np.random.default_rng(datasets)
    assert sum(simulated(rng, datasets, gap=0.15, sizes=(150,) * 4) for _ in range(60)) / 60 > power
