from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slicewise.matching.overlaps import Spans, contested, overlap_counts, overlapping_pairs

Rows = list[tuple[int, int, int]]
rows = st.lists(
    st.builds(lambda i, s, n: (i, s, s + n), st.integers(0, 2), st.integers(0, 9), st.integers(1, 9)), max_size=12
)


def spans(of: Rows, kind: type[np.signedinteger] = np.int64) -> Spans:
    table = np.array(of, dtype=kind).reshape(len(of), 3)
    return Spans(*table.T)


def slow(a: Rows, b: Rows) -> list[tuple[int, int]]:
    return [
        (i, j)
        for i, (item, start, end) in enumerate(a)
        for j, (other, other_start, other_end) in enumerate(b)
        if item == other and set(range(start, end)) & set(range(other_start, other_end))
    ]


@given(rows, rows)
def test_pairs_are_those_that_share_a_position(a: Rows, b: Rows) -> None:
    left, right = overlapping_pairs(spans(a), spans(b))
    assert sorted(zip(left.tolist(), right.tolist(), strict=True)) == slow(a, b)
    assert overlap_counts(spans(a), spans(b)).tolist() == [sum(i == at for i, _ in slow(a, b)) for at in range(len(a))]


@given(rows)
def test_contested_spans_are_all_that_overlap_another(a: Rows) -> None:
    found = contested(spans(a))
    assert found.tolist() == [sum(i == at for i, _ in slow(a, a)) > 1 for at in range(len(a))]


def test_small_integers_do_not_overflow() -> None:
    a: Rows = [(2**20, 0, 2**12), (0, 0, 2**12)]  # 2**32 apart
    left, right = overlapping_pairs(spans(a, np.int32), spans(a[:1], np.int32))
    assert (left.tolist(), right.tolist()) == ([0], [0])
    assert overlap_counts(spans(a, np.int32), spans(a[:1], np.int32)).tolist() == [1, 0]


def test_neighbours_do_not_overlap() -> None:
    left, _ = overlapping_pairs(spans([(0, 0, 3), (0, 9, 10)]), spans([(0, 3, 9), (1, 0, 3)]))
    assert not len(left)
