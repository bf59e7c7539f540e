from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, norm

from slicewise.stats import contrasts as tested
from slicewise.stats.contrasts import differences_p, proportion_variance
from slicewise.stats.intervals import Resamples

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def slow(values: Array, draws: Array, floor: Array) -> Array:
    """Take every two slices of every row and the draws that have both."""
    result = np.full((*values.shape, values.shape[-1]), np.nan)
    for *row, k, m in np.ndindex(*result.shape):
        here = tuple(row)
        a, b = draws[(slice(None), *here, k)], draws[(slice(None), *here, m)]
        both = ~np.isnan(a) & ~np.isnan(b)
        if k == m or both.sum() < 2:
            continue
        variance = max(np.var((a - b)[both], ddof=1), floor[(*here, k)] + floor[(*here, m)])
        difference = values[(*here, k)] - values[(*here, m)]
        result[(*here, k, m)] = 2 * norm.sf(abs(difference) / np.sqrt(variance)) if variance > 1e-25 else np.nan
    return result


@settings(deadline=None, max_examples=80)
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
    found = differences_p(values, draws, floor)
    np.testing.assert_allclose(found, slow(values, draws, floor), rtol=1e-6 if level else 1e-10, atol=1e-12)
    assert np.array_equal(found, found.swapaxes(-1, -2), equal_nan=True)
    assert np.isnan(found[..., np.arange(slices), np.arange(slices)]).all()


def test_slices_change_places_with_their_p() -> None:
    rng = np.random.default_rng(0)
    values, draws, floor = rng.random((2, 5)), rng.random((40, 2, 5)), rng.random((2, 5)) / 9
    draws[rng.random(draws.shape) < 0.2] = np.nan
    order = [3, 0, 4, 1, 2]
    expected = differences_p(values, draws, floor)[:, order][:, :, order]
    np.testing.assert_allclose(
        differences_p(values[:, order], draws[..., order], floor[:, order]), expected, rtol=1e-12
    )


def test_long_products_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    values, draws, floor = rng.random((2, 5)), rng.random((40, 2, 5)), np.zeros((2, 5))
    expected = differences_p(values, draws, floor)
    monkeypatch.setattr(tested, "NO_THREADS", 25 * 7)
    np.testing.assert_allclose(differences_p(values, draws, floor), expected, rtol=1e-12)


def test_what_does_not_vary_has_no_p() -> None:
    rng = np.random.default_rng(1)
    draws = rng.random((50, 3))
    draws[:, 1] = draws[:, 0] + 0.1  # always together
    found = differences_p(np.array([0.4, 0.6, 0.5]), draws, np.zeros(3))
    assert np.isnan(found[0, 1])
    assert 0 < found[0, 2] < 1
    assert 0 < differences_p(np.array([0.4, 0.6, 0.5]), draws, np.full(3, 0.01))[0, 1] < 1
    draws[:-1, 0] = np.nan  # one draw has both
    assert np.isnan(differences_p(np.array([0.4, 0.6, 0.5]), draws, np.full(3, 0.01))[0]).all()
    assert np.isnan(differences_p(np.array([0.4, 0.6]), np.empty((0, 2)), np.full(2, 0.01))).all()


def test_the_variance_of_a_proportion_is_never_none() -> None:
    successes, trials = np.array([0, 3, 50, 1.5]), np.array([3, 3, 100, 2.5])
    expected = [2 / 7 * 5 / 7 / 3, 5 / 7 * 2 / 7 / 3, 0.25 / 100, 3.5 / 6.5 * 3 / 6.5 / 2.5]
    np.testing.assert_allclose(proportion_variance(successes, trials), expected, rtol=1e-14)
    assert proportion_variance(np.array(0), np.array(0)) == 1 / 4


def null_p(clusters: int, shares: list[float], right: float, floor: Any = proportion_variance) -> Array:
    """Return the p of all pairs of slices whose units are right with the same probability, clusters being alike."""
    rng = np.random.default_rng(clusters)
    upper = np.triu_indices(len(shares), 1)
    resamples = Resamples(clusters, 300, 0)
    found = []
    for _ in range(1000):
        units = rng.multinomial(6, shares, size=clusters)
        easy = rng.beta(4 * right, 4 * (1 - right), size=(clusters, 1))
        counts = np.stack([rng.binomial(units, easy), units], axis=2).astype(float)
        sums, drawn = counts.sum(axis=0), resamples.sums(counts)
        with np.errstate(invalid="ignore"):
            values, draws = sums[:, 0] / sums[:, 1], drawn[..., 0] / drawn[..., 1]
        found.append(differences_p(values, draws, floor(*sums.T))[upper])
    p = np.concatenate(found)
    assert np.isnan(p).mean() < 0.02
    return p[~np.isnan(p)]


EQUAL, SMALL = [0.25] * 4, [0.9, 0.05, 0.03, 0.02]


@pytest.mark.parametrize("right", [0.6, 0.9])
@pytest.mark.parametrize(("clusters", "shares"), [(150, EQUAL), (200, SMALL), (30, [0.4, 0.3, 0.2, 0.1])])
def test_false_alarms_are_as_rare_as_they_say(clusters: int, shares: list[float], right: float) -> None:
    alarms = (null_p(clusters, shares, right) <= 0.05).mean()
    assert alarms < 0.07
    assert alarms > 0.03 or shares != EQUAL


def test_slices_of_seven_units_need_the_wide_floor() -> None:
    """The plus-four variance belongs to the plus-four share, but values are plain shares: it would be too small."""
    narrower = null_p(60, SMALL, 0.6, lambda s, t: proportion_variance(s, t) * np.maximum(t, 1) / (t + 4))
    assert (narrower <= 0.05).mean() > 0.07
    assert (null_p(60, SMALL, 0.6) <= 0.05).mean() < 0.07


def test_without_a_floor_small_slices_would_raise_false_alarms() -> None:
    values, draws = np.array([1.0, 0.8]), np.random.default_rng(0).normal([1.0, 0.8], [0.0, 0.01], size=(200, 2))
    assert differences_p(values, draws, np.zeros(2))[0, 1] < 1e-6
    assert differences_p(values, draws, proportion_variance(np.array([2, 800]), np.array([2, 1000])))[0, 1] > 0.2


def test_large_samples_have_uniform_p_and_large_differences_are_found() -> None:
    rng = np.random.default_rng(5)
    sd = np.array([0.02, 0.05])
    values, draws = rng.normal(0.5, sd, size=(1000, 2)), rng.normal(0.5, sd, size=(400, 1000, 2))
    p = differences_p(values, draws, np.zeros((1000, 2)))[:, 0, 1]
    assert kstest(p, "uniform").pvalue > 0.01
    assert (differences_p(values + np.array([0.5, 0]), draws, np.zeros((1000, 2)))[:, 0, 1] < 1e-6).all()
