"""Overlapping spans resolved: all at once, as if one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.work import assert_proportional, no_hang

from slicewise.matching.overlaps import Spans, overlap_counts
from slicewise.matching.resolve import ROUNDS, resolved

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = tuple[int, int, int, int, int]
"""Item, start, end, votes, rank of the label."""

rows = st.lists(
    st.builds(
        lambda item, start, size, votes, label: (item, start, start + size, votes, label),
        st.integers(0, 2),
        st.integers(0, 12),
        st.integers(1, 7),
        st.integers(0, 3),
        st.integers(0, 2),
    ),
    max_size=25,
)


def of(rows: list[Row], kind: type[np.integer[Any]] = np.int64) -> tuple[Spans, NDArray[Any], NDArray[Any]]:
    item, start, end, votes, label = np.array(rows, dtype=kind).reshape(len(rows), 5).T
    return Spans(item, start, end), votes, label


def obvious(rows: list[Row]) -> list[bool]:
    order = sorted(range(len(rows)), key=lambda i: (-rows[i][3], rows[i][1] - rows[i][2], rows[i][1], rows[i][4], i))
    taken: set[tuple[int, int]] = set()
    kept = [False] * len(rows)
    for i in order:
        item, start, end, *_ = rows[i]
        own = {(item, position) for position in range(start, end)}
        kept[i] = not own & taken
        taken |= own if kept[i] else set()
    return kept


@pytest.mark.parametrize("rounds", [0, 1, ROUNDS, 1000])
@with_examples(150)
@given(rows=rows)
def test_it_is_the_rule(rounds: int, rows: list[Row]) -> None:
    assert resolved(*of(rows), rounds=rounds).tolist() == obvious(rows)


@given(rows)
def test_what_is_kept_is_apart_and_what_is_dropped_had_a_rival(rows: list[Row]) -> None:
    spans, votes, label = of(rows)
    kept = resolved(spans, votes, label)
    assert (overlap_counts(spans[kept], spans[kept]) == 1).all()
    assert (overlap_counts(spans[~kept], spans[kept]) > 0).all()
    assert resolved(spans[kept], votes[kept], label[kept]).all()


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_the_spans_makes_no_difference(rows: list[Row], random: Any) -> None:
    rows = list(dict.fromkeys(rows))
    order = random.sample(range(len(rows)), len(rows))
    shuffled = resolved(*of([rows[i] for i in order]))
    assert shuffled.tolist() == resolved(*of(rows))[order].tolist()


def test_every_part_of_the_rule() -> None:
    pairs: dict[str, tuple[Row, Row]] = {
        "votes": ((0, 0, 2, 2, 1), (0, 1, 9, 1, 0)),
        "length": ((0, 1, 4, 1, 1), (0, 0, 2, 1, 0)),
        "start": ((0, 0, 2, 1, 1), (0, 1, 3, 1, 0)),
        "label": ((0, 0, 2, 1, 0), (0, 0, 2, 1, 1)),
        "as given": ((0, 0, 2, 1, 0), (0, 0, 2, 1, 0)),
    }
    for better, worse in pairs.values():
        assert resolved(*of([better, worse])).tolist() == [True, False]
    for name in ("votes", "length", "start", "label"):
        better, worse = pairs[name]
        assert resolved(*of([worse, better])).tolist() == [False, True]


def test_small_unsigned_integers() -> None:
    rows: list[Row] = [(2**20, 0, 2**13, 0, 0), (0, 0, 2**13, 1, 0), (0, 5, 6, 2, 1), (2**20, 1, 3, 0, 3)]
    assert resolved(*of(rows, np.uint32)).tolist() == obvious(rows) == [True, False, True, False]


def test_nothing_and_spans_without_length() -> None:
    assert resolved(*of([])).tolist() == []
    rows: list[Row] = [(0, 3, 3, 1, 0), (0, 0, 5, 1, 0), (0, 3, 3, 1, 0)]
    assert resolved(*of(rows)).all()  # they share no position with anything


def hard(name: str, n: int) -> list[Row]:
    """Return spans that take many rounds, or that overlap all at once."""
    rng = np.random.default_rng(0)
    if name == "staircase":
        return [(0, 2 * i, 2 * i + 3, n - i, 0) for i in range(n)]
    if name == "staircase upwards":
        return [(0, 2 * i, 2 * i + 3, i, 0) for i in range(n)]
    if name == "staircase of equals":
        return [(0, 2 * i, 2 * i + 3, 1, 0) for i in range(n)]
    if name == "nested, the inner first":
        return [(0, i, 2 * n - i, i, 0) for i in range(n)]
    if name == "wide over a chain":
        chain = [(0, 2 * i, 2 * i + 3, 2 * n - i, 0) for i in range(n // 2)]
        return chain + [(0, i, 2 * n + i, i, 0) for i in range(n // 2)]
    start, size = rng.integers(0, n, n), rng.integers(1, 50, n)
    votes = rng.integers(0, 3, n)
    return [(0, int(a), int(a + b), int(v), 0) for a, b, v in zip(start, size, votes, strict=True)]


@pytest.mark.parametrize(
    "name",
    [
        "staircase", "staircase upwards", "staircase of equals", "nested, the inner first", "wide over a chain", "any",
    ],
)  # fmt: skip
def test_hard_cases_are_right_and_in_proportion(name: str) -> None:
    assert resolved(*of(hard(name, 300))).tolist() == obvious(hard(name, 300))
    many = of(hard(name, 100_000))
    with no_hang():
        resolved(*many)
    cases = {n: of(hard(name, n)) for n in (1_000, 4_000)}
    assert_proportional(lambda n: resolved(*cases[n]), 1_000)
