"""Attributes of units against a slow reading of their definitions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from support.profiles import with_examples
from support.slow_buckets import (
    FROM_TRAINING,
    LABEL_ATTRIBUTES,
    PAPER,
    SPAN_ATTRIBUTES,
    TOKEN_ATTRIBUTES,
    Data,
    Unit,
    Value,
    describe,
    label_data,
    same,
    span_data,
    token_data,
)

from slicewise import UserError, buckets
from slicewise.annotations import Task
from slicewise.attributes import Facts, catalogue, choose
from slicewise.attributes.attribute import Of

if TYPE_CHECKING:
    from slicewise.attributes import Attribute

drawn = with_examples(20, shrink=False)
ELSEWHERE = {"capitals", "shape", "punctuation", "digits", "abbreviation"}
"""Tested with the functions of strings that they are."""


def values(facts: Facts, name: str) -> dict[Unit, Value]:
    """Return the package's value of each unit; booleans as words."""
    evaluation = facts.evaluation
    ((attribute,), _) = choose(facts, [name])
    column = attribute.values(facts)
    rows = facts.token_units if attribute.of is Of.TOKEN else facts.units
    if attribute.of is Of.ITEM:
        column = column.gather(rows.item)
    labels = evaluation.aligned.labels
    if attribute.of is Of.TOKEN and evaluation.task is Task.SPANS:
        first = np.concatenate([[0], np.cumsum(evaluation.aligned.lengths)])
        start = rows.position - first[rows.item]
        places = list(zip(start.tolist(), (start + 1).tolist(), strict=True))
    else:
        frame = evaluation.units
        places = list(zip(frame["start"].to_list(), frame["end"].to_list(), strict=True))
    found: dict[Unit, Value] = {}
    for item, (start, end), label, value in zip(rows.item.tolist(), places, rows.label, column, strict=True):
        unit = Unit(item, start, end, labels[label])
        assert unit not in found, "a unit twice"
        found[unit] = ("no", "yes")[value] if column.dtype == pl.Boolean else value
    return found


def assert_described(data: Data, names: tuple[str, ...]) -> None:
    facts = Facts(data.evaluation())
    for name in names:
        found = values(facts, name)
        expected = {row.unit: row.value for row in describe(data, name)}
        assert set(found) == set(expected), name
        for unit, value in expected.items():
            if isinstance(value, Fraction):
                assert same(found[unit], float(value)), (name, unit, found[unit], value)  # type: ignore[arg-type]
            else:
                assert found[unit] == value, (name, unit)


NESTED = Data(
    task=Task.SPANS,
    items=(("New", "York", "York", "new"), ("York", "New", "York"), ()),
    gold=(((0, 2, "X"), (1, 2, "Y"), (0, 4, "X")), ((1, 3, "X"), (0, 1, "X")), ()),
    systems={"s": (((0, 2, "Y"),), ((0, 1, "W"), (1, 3, "X")), ())},
    train_items=(("New", "York", "New", "York"), ("new", "york"), ("York",)),
    train=(((0, 2, "X"), (1, 2, "Z")), ((0, 2, "X"),), ()),
    documents=("d", "d", "e"),
)


@drawn
@given(span_data())
@example(NESTED)
@example(replace(NESTED, lower=True))
def test_of_spans(data: Data) -> None:
    assert_described(data, SPAN_ATTRIBUTES)


@drawn
@given(token_data())
def test_of_tokens(data: Data) -> None:
    assert_described(data, TOKEN_ATTRIBUTES)


@drawn
@given(label_data(Task.LABELS))
def test_of_labels(data: Data) -> None:
    assert_described(data, LABEL_ATTRIBUTES)


@drawn
@given(label_data(Task.MULTILABEL))
def test_of_several_labels(data: Data) -> None:
    assert_described(data, (*LABEL_ATTRIBUTES, "labels"))


# ------------------------------------------------------------------ by hand


def test_the_paper_by_hand() -> None:
    """Every number below was worked out on paper."""
    facts = Facts(NESTED.evaluation())
    found = {name: values(facts, name) for name in PAPER}
    york = Unit(0, 0, 2, "X")  # New York in "New York York new"; 3 gold entities in 4 tokens, all inside entities
    assert [found[name][york] for name in ("str", "label", "eLen", "sLen")] == ["New York", "X", 2, 4]
    assert [found[name][york] for name in ("eDen", "eDenTok", "oDen")] == [3 / 4, 1, 0]
    assert found["eFre"][york] == 1 / 3  # 3 training entities; "new york" is another string
    assert found["eCon"][york] == 1 / 2  # it stands twice in the first training sentence, once as an X
    assert found["eCon"][Unit(0, 0, 2, "Y")] == 0  # spurious: by the label that the system gave
    assert found["eCon"][Unit(1, 0, 1, "X")] == 0  # York is a Z once, and never an X
    assert found["eFre"][Unit(1, 0, 1, "W")] == 1 / 3  # whatever its label
    assert found["tFre"][Unit(0, 0, 1, "X")] == 2 / 7  # New
    assert found["tCon"][Unit(0, 0, 1, "X")] == 1 / 2
    assert found["tFre"][Unit(0, 1, 2, "X")] == 3 / 7  # York
    assert found["tCon"][Unit(0, 1, 2, "X")] == 1 / 3  # York is inside an X once, though the inner entity is a Z
    assert found["tCon"][Unit(0, 1, 2, "Y")] == 0
    assert len(found["tCon"]) == 4 + 1 + 2 + 2 + 1  # X X X X Y | Y Y | X X X and W, less one X that two entities share


def test_folding_case_by_hand() -> None:
    facts = Facts(replace(NESTED, lower=True).evaluation())
    found = {name: values(facts, name) for name in PAPER}
    york = Unit(0, 0, 2, "X")
    assert found["eFre"][york] == 2 / 3
    assert found["eCon"][york] == 2 / 3
    assert found["tFre"][Unit(0, 3, 4, "X")] == 3 / 7
    assert found["tCon"][Unit(0, 3, 4, "X")] == 2 / 3
    unknown = replace(NESTED, items=(("NEW", "York", "york", "Delhi"), *NESTED.items[1:]))
    assert values(Facts(unknown.evaluation()), "oDen")[york] == 2 / 4  # york is in training, NEW and Delhi are not
    assert values(Facts(replace(unknown, lower=True).evaluation()), "oDen")[york] == 1 / 4


def test_beyond_the_paper_by_hand() -> None:
    facts = Facts(NESTED.evaluation())
    later, inner = Unit(1, 1, 3, "X"), Unit(0, 1, 2, "Y")
    assert values(facts, "ePos")[later] == 1 / 3
    assert values(facts, "eChars")[later] == 8
    assert values(facts, "ambiguity")[inner] == 2  # York is a Y, and an X in the second sentence
    assert values(facts, "ambiguity")[later] == 1
    assert values(facts, "repeated")[later] == "yes"  # the two sentences are one document
    assert values(Facts(replace(NESTED, documents=("d", "f", "e")).evaluation()), "repeated")[later] == "no"
    assert values(facts, "repeated")[inner] == "no"
    assert values(facts, "hapaxTest")[Unit(0, 0, 4, "X")] == "yes"
    assert values(facts, "hapaxTest")[later] == "no"
    assert values(facts, "hapaxTrain")[Unit(0, 0, 4, "X")] == "no"
    assert values(Facts(replace(NESTED, lower=True).evaluation()), "hapaxTrain")[later] == "no"


def test_an_entity_that_training_gives_twice_counts_once() -> None:
    twice = replace(NESTED, train=(((0, 2, "X"), (0, 2, "X"), (1, 2, "Z")), *NESTED.train[1:]))
    facts = Facts(twice.evaluation())
    york = Unit(0, 0, 2, "X")
    assert values(facts, "eFre")[york] == 1 / 3
    assert values(facts, "eCon")[york] == 1 / 2


def test_nothing_expected_and_nothing_returned_has_no_values() -> None:
    nothing = replace(NESTED, gold=((), (), ()), systems={"s": ((), (), ())}, train=((), (), ()))
    facts = Facts(nothing.evaluation())
    for name in SPAN_ATTRIBUTES:
        assert values(facts, name) == {}, name


def test_a_label_of_spans_is_no_tag() -> None:
    """B- and I- were removed when tags were read; what is left is the type, whatever it looks like."""
    mails = replace(NESTED, train=(((0, 2, "mail"),), (), ()), systems={"s": (((0, 2, "E-mail"),), (), ())})
    facts = Facts(mails.evaluation())
    assert values(facts, "tCon")[Unit(0, 0, 1, "E-mail")] == 0
    tags = Data(
        task=Task.TOKENS, items=(("a",),), gold=(("B-X",),), systems={"s": (("I-X",),)},
        train_items=(("a", "a"),), train=(("I-X", "O"),),
    )  # fmt: skip
    assert set(values(Facts(tags.evaluation()), "tCon").values()) == {1 / 2}


# ------------------------------------------------------------------ what is there


@pytest.mark.parametrize("task", [Task.SPANS, Task.TOKENS, Task.LABELS, Task.MULTILABEL])
def test_without_training_its_attributes_are_absent_and_said_to_be(task: Task) -> None:
    answer: dict[Task, Any] = {
        Task.SPANS: (((0, 1, "X"),),), Task.TOKENS: (("X",),), Task.LABELS: ("X",), Task.MULTILABEL: (("X",),)
    }  # fmt: skip
    items: tuple[Any, ...] = (("a",),) if task in (Task.SPANS, Task.TOKENS) else ("a",)
    data = Data(task=task, items=items, gold=answer[task], systems={"s": answer[task]})
    result = buckets(data.evaluation(), resamples=0)
    expected = {name for name in FROM_TRAINING if task in catalogue()[name].tasks}
    assert expected
    assert expected == {name for name, why in result.absent.items() if "--train" in why}
    assert not expected & set(result.attributes)
    for name in expected:
        with pytest.raises(UserError, match="needs training data"):
            buckets(data.evaluation(), attributes=[name])
    there = replace(data, train_items=items, train=answer[task])
    assert expected <= set(buckets(there.evaluation(), resamples=0).attributes)


def test_every_attribute_of_units_is_compared() -> None:
    for task, names in (
        (Task.SPANS, SPAN_ATTRIBUTES),
        (Task.TOKENS, TOKEN_ATTRIBUTES),
        (Task.LABELS, LABEL_ATTRIBUTES),
        (Task.MULTILABEL, (*LABEL_ATTRIBUTES, "labels")),
    ):
        own: dict[str, Attribute] = {name: a for name, a in catalogue().items() if task in a.tasks}
        assert set(own) - ELSEWHERE - {"confidence"} == set(names), task
