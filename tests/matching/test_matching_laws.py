from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples

from slicewise.matching.error_types import BOUNDARY, BOUNDARY_TYPE, MISSED, SPURIOUS, TYPE, error_types
from slicewise.matching.semeval import semeval_matches

Table = tuple[np.ndarray[Any, Any], ...]


def made(seed: int, units: int, items: int, length: int, labels: int) -> Table:
    """Return the unit table of one system, nested spans and equal spans of several labels among them."""
    rng = np.random.default_rng(seed)
    start = rng.integers(0, length, units)
    rows = np.column_stack(
        [rng.integers(0, items, units), start, start + rng.integers(1, 6, units), rng.integers(0, labels, units)]
    )
    rows = rng.permutation(np.unique(rows, axis=0))
    flags = rng.random((2, len(rows))) < 0.6
    return (*rows.T, *flags)


tables = st.builds(
    made, st.integers(0, 2**32), st.integers(0, 60), st.integers(1, 3), st.integers(1, 40), st.integers(1, 3)
)


@with_examples(100)
@given(tables, st.integers(0, 2**32))
def test_the_order_of_units_makes_no_difference(table: Table, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(table[0]))
    shuffled = tuple(column[order] for column in table)
    one, other = error_types(*table), error_types(*shuffled)
    assert np.array_equal(one.kind[order], other.kind)
    assert np.array_equal(one.overlaps[order], other.overlaps)
    assert np.array_equal(one.counted[order], other.counted)
    partner = np.where(other.partner < 0, -1, order[other.partner] if len(order) else other.partner)
    assert np.array_equal(one.partner[order], partner)
    credit, shuffled_credit = semeval_matches(*table), semeval_matches(*shuffled)
    for way in ("strict", "exact", "partial", "type"):
        assert np.array_equal(getattr(credit, way)[order], getattr(shuffled_credit, way))


@given(tables)
def test_items_are_matched_by_themselves(table: Table) -> None:
    whole = error_types(*table)
    for item in np.unique(table[0]):
        own = np.flatnonzero(table[0] == item)
        alone = error_types(*(column[own] for column in table))
        assert np.array_equal(whole.kind[own], alone.kind)
        assert np.array_equal(whole.partner[own], np.where(alone.partner < 0, -1, own[alone.partner]))


@given(tables)
def test_every_wrong_unit_has_one_kind_and_the_kinds_add_up(table: Table) -> None:
    gold, returned = table[4:]
    found = error_types(*table)
    assert np.array_equal(found.kind > 0, gold != returned)
    matched = found.partner >= 0
    assert np.array_equal(matched, np.isin(found.kind, [BOUNDARY, TYPE, BOUNDARY_TYPE]))
    assert np.array_equal(found.partner[found.partner[matched]], np.flatnonzero(matched))
    assert np.array_equal(found.kind[found.partner[matched]], found.kind[matched])
    assert found.overlaps[matched].all()
    errors = np.bincount(found.kind[found.counted], minlength=6)
    pairs = errors[[BOUNDARY, TYPE, BOUNDARY_TYPE]].sum()
    tp = (gold & returned).sum()
    assert gold.sum() - tp == pairs + errors[MISSED]
    assert returned.sum() - tp == pairs + errors[SPURIOUS]


@given(tables)
def test_looser_ways_of_counting_give_more(table: Table) -> None:
    tp = {way: getattr(semeval_matches(*table), way).sum() for way in ("strict", "exact", "partial", "type")}
    assert tp["strict"] <= tp["exact"] <= tp["partial"]
    assert tp["strict"] <= tp["type"]
    assert max(tp.values()) <= min(table[4].sum(), table[5].sum())


@given(tables)
def test_gold_and_returned_change_places(table: Table) -> None:
    item, start, end, label, gold, returned = table
    one, other = semeval_matches(*table), semeval_matches(item, start, end, label, returned, gold)
    for way in ("strict", "exact", "partial", "type"):
        assert getattr(one, way).sum() == getattr(other, way).sum()
