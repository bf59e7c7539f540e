from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from slicewise.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm, indistinguishable

p_values = st.lists(st.sampled_from([0.0, 1e-300, 0.001, 0.01, 0.02, 0.049, 0.05, 0.3, 0.9, 1.0, np.nan]), max_size=12)


def slow_holm(p: list[float]) -> list[float]:
    tested = sorted(value for value in p if value == value)
    steps = [min(1.0, value * (len(tested) - at)) for at, value in enumerate(tested)]
    return [
        max(step for step, other in zip(steps, tested, strict=True) if other <= value) if value == value else value
        for value in p
    ]


@given(p_values)
def test_holm_is_the_plain_definition(p: list[float]) -> None:
    np.testing.assert_allclose(holm(np.array(p)), slow_holm(p), rtol=1e-14)


@given(p_values)
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    found = benjamini_hochberg(np.array(p))
    tested = ~np.isnan(np.array(p, dtype=float))
    assert np.isnan(found[~tested]).all()
    if tested.any():
        np.testing.assert_allclose(found[tested], false_discovery_control(np.array(p)[tested]), rtol=1e-14)


@given(p_values)
def test_benjamini_yekutieli_is_scipys(p: list[float]) -> None:
    found = benjamini_yekutieli(np.array(p))
    tested = ~np.isnan(np.array(p, dtype=float))
    assert np.isnan(found[~tested]).all()
    if tested.any():
        expected = false_discovery_control(np.array(p)[tested], method="by")
        np.testing.assert_allclose(found[tested], expected, rtol=1e-14)


@given(p_values.flatmap(lambda p: st.tuples(st.just(p), st.permutations(range(len(p))))))
def test_the_order_of_tests_makes_no_difference(case: tuple[list[float], list[int]]) -> None:
    p, order = np.array(case[0], dtype=float), np.array(case[1], dtype=int)
    for correct in (holm, benjamini_hochberg, benjamini_yekutieli):
        assert np.array_equal(correct(p)[order], correct(p[order]), equal_nan=True)


def test_corrected_tables_keep_their_shape() -> None:
    p = np.array([[0.01, np.nan], [0.04, 0.5]])
    assert np.array_equal(holm(p), [[0.03, np.nan], [0.08, 0.5]], equal_nan=True)
    assert benjamini_hochberg(p).shape == (2, 2)


def slow_groups(order: list[int], different: np.ndarray[Any, Any]) -> list[tuple[int, ...]]:
    runs = [
        range(a, b)
        for a in range(len(order))
        for b in range(a + 1, len(order) + 1)
        if not any(different[order[i], order[j]] for i, j in itertools.combinations(range(a, b), 2))
    ]
    largest = [run for run in runs if not any(set(run) < set(other) for other in runs)]
    return [tuple(order[i] for i in run) for run in largest]


@given(st.integers(0, 7).flatmap(lambda n: st.permutations(range(n))), st.integers(0, 2**32), st.floats(0, 1))
def test_groups_are_the_largest_runs_without_a_difference(order: list[int], seed: int, share: float) -> None:
    upper = np.triu(np.random.default_rng(seed).random((len(order), len(order))) < share, 1)
    different = upper | upper.T
    assert indistinguishable(order, different) == slow_groups(order, different)


def test_groups_may_overlap() -> None:
    different = np.zeros((4, 4), dtype=bool)
    different[2, 1] = different[1, 2] = different[0, 1] = different[1, 0] = True
    different[3] = different[:, 3] = True
    assert indistinguishable([2, 0, 1, 3], different) == [(2, 0), (1,), (3,)]
    different[0, 1] = different[1, 0] = False
    assert indistinguishable([2, 0, 1, 3], different) == [(2, 0), (0, 1), (3,)]
