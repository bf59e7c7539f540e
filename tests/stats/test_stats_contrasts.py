from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest
from scipy.stats import t as student
from support.profiles import with_examples

from slicewise.stats import contrasts as tested
from slicewise.stats.contrasts import differences_p, shrunk_variance
from slicewise.stats.intervals import Resamples

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def slow(values: Array, draws: Array, floor: Array, degrees: Array) -> Array:
    """Take every two slices of every row and the draws that have both."""
    result = np.full((*values.shape, values.shape[-1]), np.nan)
    for *row, k, m in np.ndindex(*result.shape):
        here = tuple(row)
        a, b = draws[(slice(None), *here, k)], draws[(slice(None), *here, m)]
        both = ~np.isnan(a) & ~np.isnan(b)
        if k == m or both.sum() < 2:
            continue
        variance = np.var((a - b)[both], ddof=1)
        for side, at in ((a, k), (b, m)):
            known = side[~np.isnan(side)]
            variance += max(floor[(*here, at)] - (np.var(known, ddof=1) if len(known) > 1 else 0), 0)
        difference = values[(*here, k)] - values[(*here, m)]
        a_var, b_var, a_df, b_df = (x[(*here, at)] for x in (floor, degrees) for at in (k, m))
        parts = a_var**2 / max(a_df, 1) + b_var**2 / max(b_df, 1)
        df = max((a_var + b_var) ** 2 / parts if parts > 0 else min(a_df, b_df), 1)
        if variance > 1e-25 and not np.isnan(difference):
            result[(*here, k, m)] = 2 * student.sf(abs(difference) / np.sqrt(variance), df)
    return result


@with_examples(40)
@given(
    st.integers(0, 30),
    st.lists(st.integers(1, 3), max_size=2),
    st.integers(1, 5),
    st.floats(0, 0.6),
    st.sampled_from([0.0, 0.05, 2.0]),
    st.sampled_from([0.0, 1e6]),
    st.integers(0, 2**32),
)
def test_p_is_that_of_a_plain_loop(
    count: int, shape: list[int], slices: int, share: float, least: float, level: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    values, draws = rng.normal(level, 1, (*shape, slices)), rng.normal(level, 1, (count, *shape, slices))
    draws += rng.normal(size=(count, *shape, 1))  # what slices share does not count
    floor = least * rng.random((*shape, slices))
    values[rng.random(values.shape) < share / 3] = np.nan
    draws[rng.random(draws.shape) < share] = np.nan
    degrees = rng.integers(1, 60, (*shape, slices)).astype(float)
    found = differences_p(values, draws, floor, degrees)
    np.testing.assert_allclose(found, slow(values, draws, floor, degrees), rtol=1e-6 if level else 1e-10, atol=1e-12)
    assert np.array_equal(found, found.swapaxes(-1, -2), equal_nan=True)
    assert np.isnan(found[..., np.arange(slices), np.arange(slices)]).all()


def test_slices_change_places_with_their_p() -> None:
    rng = np.random.default_rng(0)
    values, draws, floor = rng.random((2, 5)), rng.random((40, 2, 5)), rng.random((2, 5)) / 9
    draws[rng.random(draws.shape) < 0.2] = np.nan
    order = [3, 0, 4, 1, 2]
    degrees = rng.integers(1, 9, (2, 5))
    expected = differences_p(values, draws, floor, degrees)[:, order][:, :, order]
    moved = differences_p(values[:, order], draws[..., order], floor[:, order], degrees[:, order])
    np.testing.assert_allclose(moved, expected, rtol=1e-12)


def test_long_products_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    values, draws, floor = rng.random((2, 5)), rng.random((40, 2, 5)), np.zeros((2, 5))
    expected = differences_p(values, draws, floor, np.full((2, 5), 9))
    monkeypatch.setattr(tested, "NO_THREADS", 25 * 7)
    np.testing.assert_allclose(differences_p(values, draws, floor, np.full((2, 5), 9)), expected, rtol=1e-12)


def test_what_does_not_vary_has_no_p() -> None:
    rng = np.random.default_rng(1)
    draws, many = rng.random((50, 3)), np.full(3, 99)
    draws[:, 1] = draws[:, 0] + 0.1  # always together
    found = differences_p(np.array([0.4, 0.6, 0.5]), draws, np.zeros(3), many)
    assert np.isnan(found[0, 1])
    assert 0 < found[0, 2] < 1
    assert 0 < differences_p(np.array([0.4, 0.6, 0.5]), draws, np.full(3, 0.2), many)[0, 1] < 1
    draws[:-1, 0] = np.nan  # one draw has both
    assert np.isnan(differences_p(np.array([0.4, 0.6, 0.5]), draws, np.full(3, 0.01), many)[0]).all()
    assert np.isnan(differences_p(np.array([0.4, 0.6]), np.empty((0, 2)), np.full(2, 0.01), many[:2])).all()


def test_a_slice_that_never_varies_is_taken_with_typical_units() -> None:
    rng = np.random.default_rng(2)
    draws = np.column_stack([np.zeros(400), rng.normal(0.5, 0.1, 400)])
    overall = rng.normal(0.5, 0.05, 400)
    per_unit = overall.var(ddof=1) * 120
    found = shrunk_variance(draws, overall, np.array([20, 100]))
    np.testing.assert_allclose(found[0], per_unit / 2 / 20, rtol=1e-12)
    own = draws[:, 1].var(ddof=1) * 100
    np.testing.assert_allclose(found[1], (100 * own + 20 * per_unit) / 120 / 100, rtol=1e-12)


def null_p(clusters: int, shares: list[float], right: float, *, scored: bool = False) -> Array:
    """Return the p of all pairs of slices whose units are alike; clusters are alike within, units right or scored."""
    rng = np.random.default_rng(clusters)
    resamples = Resamples(clusters, 300, 0)
    p = np.concatenate([pairs_p(resamples, null_counts(rng, clusters, shares, right, scored)) for _ in range(20)])
    assert np.isnan(p).mean() < 0.02
    return np.asarray(p[~np.isnan(p)])


def null_counts(rng: np.random.Generator, clusters: int, shares: list[float], right: float, scored: bool) -> Array:
    """Return what is right and how many there are in each cluster and slice of 50 data sets."""
    made = []
    for _ in range(50):
        units = rng.multinomial(6, shares, size=clusters)
        easy = rng.beta(4 * right, 4 * (1 - right), size=(clusters, 1))
        good = rng.gamma(np.maximum(units, 1e-9), 1.0) * (units > 0) if scored else rng.binomial(units, easy)
        made.append(np.stack([good, units], axis=2).astype(float))
    return np.stack(made, axis=1)


def pairs_p(resamples: Resamples, counts: Array) -> Array:
    """Return the p of every two slices of each data set."""
    sums, drawn = counts.sum(axis=0), resamples.sums(counts)
    with np.errstate(invalid="ignore"):
        values, draws = sums[..., 0] / sums[..., 1], drawn[..., 0] / drawn[..., 1]
    whole = drawn.sum(axis=-2)
    floor = shrunk_variance(draws, whole[..., 0] / whole[..., 1], sums[..., 1])
    p = differences_p(values, draws, floor, (counts[..., 1] > 0).sum(axis=0) - 1)
    first, second = np.triu_indices(p.shape[-1], 1)
    return p[..., first, second].ravel()


EQUAL, SMALL = [0.25] * 4, [0.9, 0.05, 0.03, 0.02]


@pytest.mark.parametrize("right", [0.6, 0.9])
@pytest.mark.parametrize(
    ("clusters", "shares"), [(150, EQUAL), (200, SMALL), (60, SMALL), (15, EQUAL), (30, [0.4, 0.3, 0.2, 0.1])]
)
def test_false_alarms_are_as_rare_as_they_say(clusters: int, shares: list[float], right: float) -> None:
    alarms = (null_p(clusters, shares, right) <= 0.05).mean()
    assert alarms < 0.065
    assert alarms > 0.03 or clusters < 100 or shares != EQUAL


@pytest.mark.parametrize(("clusters", "shares"), [(150, EQUAL), (60, SMALL), (15, EQUAL)])
def test_false_alarms_of_skewed_scores_are_as_rare(clusters: int, shares: list[float]) -> None:
    assert (null_p(clusters, shares, 0.5, scored=True) <= 0.05).mean() < 0.065


def test_large_samples_have_uniform_p_and_large_differences_are_found() -> None:
    rng = np.random.default_rng(5)
    sd = np.array([0.02, 0.05])
    values, draws = rng.normal(0.5, sd, size=(1000, 2)), rng.normal(0.5, sd, size=(400, 1000, 2))
    none, many = np.zeros((1000, 2)), np.full((1000, 2), np.inf)
    p = differences_p(values, draws, none, many)[:, 0, 1]
    assert kstest(p, "uniform").pvalue > 0.01
    assert (differences_p(values + np.array([0.5, 0]), draws, none, many)[:, 0, 1] < 1e-6).all()
