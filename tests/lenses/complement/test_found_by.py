"""Who finds what: exact sets of systems against sets of units, counted one by one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_outcomes import Case, cases, crowd

import slicewise
from slicewise.annotations import Task
from slicewise.lenses.complement.found_by import MOST_PATTERNS

if TYPE_CHECKING:
    from slicewise.lenses.complement.result import ComplementResult


def complemented(case: Case) -> ComplementResult:
    return slicewise.complement(case.evaluation(), resamples=0, **case.options())


def counted(case: Case) -> Counter[frozenset[str]]:
    """Return how many gold units each exact set of systems finds, unit by unit."""
    own = case.outcomes
    return Counter(frozenset(name for name, has in own.returned.items() if unit in has) for unit in own.gold)


@pytest.mark.parametrize("task", list(Task))
@with_examples(20)
@given(data=st.data())
def test_sets_are_those_of_single_units(task: Task, data: st.DataObject) -> None:
    case = data.draw(cases(task))
    result, expected = complemented(case), counted(case)
    assert {frozenset(one.systems): one.n for one in result.patterns} == expected
    assert result.patterns_found == len(expected) == len(result.patterns)
    assert [one.n for one in result.patterns] == sorted(expected.values(), reverse=True)


def test_equal_sets_come_by_size_and_name_whatever_the_order_of_systems() -> None:
    case = crowd(Task.SPANS, 5, items=8)
    there = complemented(case)
    keys = [(-one.n, len(one.systems), sorted(one.systems)) for one in there.patterns]
    assert keys == sorted(keys)
    names = list(case.data.systems)[::-1]
    turned = complemented(case.named({name: name for name in names}))
    assert [set(one.systems) for one in turned.patterns] == [set(one.systems) for one in there.patterns]


def test_many_sets_are_cut_and_counted() -> None:
    case = crowd(Task.SPANS, 30, items=160)
    result, expected = complemented(case), counted(case)
    assert result.patterns_found == len(expected) > MOST_PATTERNS
    assert len(result.patterns) == MOST_PATTERNS
    assert [one.n for one in result.patterns] == sorted(expected.values(), reverse=True)[:MOST_PATTERNS]
    assert all(expected[frozenset(one.systems)] == one.n for one in result.patterns)


def test_they_are_in_json_and_in_a_table() -> None:
    case = crowd(Task.LABELS, 3)
    result = complemented(case)
    written = result.to_dict()["result"]
    assert written["patterns"] == [{"systems": list(one.systems), "n": one.n} for one in result.patterns]
    assert written["patterns_found"] == result.patterns_found
    rows = result.tables()["patterns"]
    assert [(row["systems"], row["n"]) for row in rows] == [("\t".join(one.systems), one.n) for one in result.patterns]
