"""The autocorrelation of consecutive values: against all permutations, and on data that have none."""

from __future__ import annotations

from itertools import pairwise, permutations
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from slicewise.stats.serial import autocorrelation

DRAWS = 2000


@given(st.lists(st.integers(0, 4), min_size=3, max_size=6))
def test_p_is_that_of_all_permutations(values: list[int]) -> None:
    assume(len(set(values)) > 1)
    mean = sum(values) / len(values)

    def alike(order: tuple[int, ...]) -> float:
        return sum((a - mean) * (b - mean) for a, b in pairwise(order))

    every = [alike(order) for order in permutations(values)]
    expected = sum(x >= alike(tuple(values)) - 1e-9 for x in every) / len(every)
    found = autocorrelation(np.array(values), seed=1, draws=DRAWS)
    assert found.p == pytest.approx(expected, abs=5 * sqrt(expected * (1 - expected) / DRAWS) + 1 / DRAWS)
    assert found.correlation == pytest.approx(alike(tuple(values)) / sum((x - mean) ** 2 for x in values))
    assert autocorrelation(np.array(values), seed=1, draws=DRAWS) == found


def test_nothing_that_varies() -> None:
    for values in ([], [1.0, 0.0], [0.5] * 9):
        assert isnan(autocorrelation(np.array(values), seed=0).p)


def test_size_and_power() -> None:
    rng = np.random.default_rng(0)
    independent = [autocorrelation(rng.random(100) < 0.8, seed=k, draws=99).p < 0.05 for k in range(400)]
    assert np.mean(independent) <= 0.05 + 2 * sqrt(0.05 * 0.95 / 400)
    documents = [
        autocorrelation(rng.random(600) < np.repeat(rng.beta(4, 1, 60), 10), seed=k, draws=99).p < 0.05
        for k in range(50)
    ]
    assert np.mean(documents) > 0.6
