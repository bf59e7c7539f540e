"""Ranks and rank correlations of items that are given by how many of them are alike."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slicewise.stats.kendall import inversions, kendall
from slicewise.stats.rank_sums import RankNull

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(1, 4)), min_size=2, max_size=25)


@given(rows)
def test_kendall_of_counts_is_that_of_the_items(table: list[tuple[int, int, int]]) -> None:
    a, b, n = np.array(table).T
    counted, every = kendall(a, b, n), kendall(np.repeat(a, n), np.repeat(b, n))
    np.testing.assert_equal((counted.tau, counted.z), (every.tau, every.z))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), min_size=1, max_size=30))
def test_inversions_of_counts_are_those_of_the_items(table: list[tuple[int, int]]) -> None:
    codes, n = np.array(table).T
    every = np.repeat(codes, n)
    assert inversions(codes, n) == sum(int((every[:i] > one).sum()) for i, one in enumerate(every))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_ranks_of_counts_are_those_of_the_items(sizes: list[int]) -> None:
    counted, every = RankNull.of_counts(np.array(sizes)), RankNull.of(np.repeat(np.arange(len(sizes)), sizes))
    assert counted.n == every.n
    np.testing.assert_array_equal(counted.ranks, every.ranks)
    np.testing.assert_array_equal(counted.sizes, every.sizes)
