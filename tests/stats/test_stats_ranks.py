from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import rankdata, spearmanr

from slicewise.stats.ranks import average_ranks, spearman, spread

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")
few = st.sampled_from([-2.5, 0.0, 0.1, 1 / 3, 0.7, 2.0, np.nan])
tables = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=7), elements=few)
rows = arrays(np.float64, st.integers(0, 9), elements=few)


@given(tables)
def test_ranks_are_scipys(values: np.ndarray[Any, Any]) -> None:
    expected = np.apply_along_axis(lambda row: rankdata(row, nan_policy="omit"), -1, values)
    assert np.array_equal(average_ranks(values), expected, equal_nan=True)


def test_ranks_start_at_one_and_share_ties() -> None:
    found = average_ranks(np.array([[3, 1, 1, np.nan], [5, 6, 7, 8], [np.nan] * 4]))
    expected = np.array([[3, 1.5, 1.5, np.nan], [1, 2, 3, 4], [np.nan] * 4])
    assert np.array_equal(found, expected, equal_nan=True)
    assert average_ranks(np.empty((2, 0))).shape == (2, 0)


@given(rows, st.randoms(use_true_random=False))
def test_the_order_and_the_scale_of_values_make_no_difference(values: np.ndarray[Any, Any], random: Any) -> None:
    order = list(range(len(values)))
    random.shuffle(order)
    assert np.array_equal(average_ranks(values)[order], average_ranks(values[order]), equal_nan=True)
    assert np.array_equal(average_ranks(np.exp(values)), average_ranks(values), equal_nan=True)
    assert np.array_equal(
        average_ranks(-values), np.count_nonzero(~np.isnan(values)) + 1 - average_ranks(values), equal_nan=True
    )


def slow_spearman(values: np.ndarray[Any, Any], order: np.ndarray[Any, Any]) -> float:
    both = [(a, b) for a, b in zip(values, order, strict=True) if a == a and b == b]
    if len(both) < 3 or any(len(set(side)) == 1 for side in zip(*both, strict=True)):
        return float("nan")
    return float(spearmanr([a for a, _ in both], [b for _, b in both]).statistic)


@given(st.integers(0, 8).flatmap(lambda n: st.tuples(*[arrays(np.float64, (3, n), elements=few)] * 2)))
def test_correlations_are_scipys_over_the_places_where_both_are_defined(case: Any) -> None:
    values, order = case
    expected = [slow_spearman(*both) for both in zip(values, order, strict=True)]
    np.testing.assert_allclose(spearman(values, order), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        spearman(values, order[0]), [slow_spearman(row, order[0]) for row in values], rtol=0, atol=1e-14
    )


@given(st.integers(0, 8).flatmap(lambda n: st.tuples(*[arrays(np.float64, n, elements=few)] * 2)))
def test_correlation_is_symmetric_and_sees_ranks_only(case: Any) -> None:
    a, b = case
    found = spearman(a, b)
    assert np.array_equal(found, spearman(b, a), equal_nan=True)
    assert np.array_equal(found, spearman(a**3, np.exp(b)), equal_nan=True)
    assert np.array_equal(found, -spearman(-a, b), equal_nan=True)
    assert np.isnan(found) or abs(found) <= 1


def test_a_monotone_row_correlates_exactly() -> None:
    values = np.array([[0.1, 0.2, np.nan, 0.9], [3, 2, 2, 1], [5, 5, 5, 5], [1, np.nan, np.nan, 2]])
    found = spearman(values, np.array([1, 2, 3, 4]))
    assert found[0] == 1.0
    assert -1 < found[1] < -0.9
    assert np.isnan(found[2:]).all()
    assert spearman(-values[0], np.arange(4)) == -1.0


@given(tables)
def test_spread_is_numpys(values: np.ndarray[Any, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.nanstd(values, axis=-1)
    np.testing.assert_allclose(spread(values), expected, rtol=1e-13, atol=1e-15)


def test_equal_values_have_no_spread_and_none_have_none() -> None:
    values = np.array([[0.1, 0.1, 0.1], [0.7, np.nan, np.nan], [np.nan] * 3, [1, 2, np.nan]])
    assert np.array_equal(spread(values), [0, 0, np.nan, 0.5], equal_nan=True)
    assert np.isnan(spread(np.empty(0)))
