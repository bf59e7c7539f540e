"""The items of gold and systems in another order: no number of `complement`, `difficulty` and `features` changes."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from support.slow_outcomes import Case, crowd

from slicewise import Evaluation, complement, difficulty, features
from slicewise.annotations import Task

every_task = pytest.mark.parametrize("task", list(Task))
clustered = pytest.mark.parametrize("documents", [False, True])
SHOWN = ("items", "examples", "units", "questions", "suspects", "resistant", "mentions")
"""Items and units that are shown: which of many alike may depend on where they stand."""


def numbers(found: Any) -> Any:
    """Return a result without the items and units that it shows."""
    if isinstance(found, dict):
        shown = {key for key, value in found.items() if key in SHOWN or (key == "found" and is_shown(value))}
        return {key: numbers(value) for key, value in found.items() if key not in shown}
    return [numbers(one) for one in found] if isinstance(found, list) else found


def is_shown(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def told(result: Any) -> Any:
    return numbers(result.to_dict()["result"])


def orders(task: Task, *, documents: bool, negative: str | None = None) -> list[Case]:
    """Return 40 short items, many of them alike, as they are, backwards and shuffled; a document stays one."""
    case = replace(crowd(task, 3, items=40, seed=4), negative=negative)
    size = 2 if documents else 1
    if documents:
        case = replace(case, data=replace(case.data, documents=tuple(str(i // size) for i in range(40))))
    blocks = [list(range(i, i + size)) for i in range(0, 40, size)]
    shuffled = random.Random(1).sample(blocks, len(blocks))
    return [case, *(case.take([i for block in order for i in block]) for order in (blocks[::-1], shuffled))]


@every_task
@clustered
def test_complement(task: Task, documents: bool) -> None:
    attribute = {Task.SPANS: "eLen", Task.TOKENS: "sLen"}.get(task, "tokens")
    for wanted in ((), (attribute,)):
        one, *others = (
            told(complement(case.evaluation(), attributes=wanted, resamples=100, **case.options()))
            for case in orders(task, documents=documents)
        )
        assert any(pair["ci"]["r_comp"] for pair in one["pairs"])
        assert bool(one["slices"]) == bool(task.has_units or wanted)
        for other in others:
            assert other == one


@clustered
@pytest.mark.parametrize("negative", [None, "Y"])
def test_complement_where_items_are_right_though_they_have_no_unit(documents: bool, negative: str | None) -> None:
    """Two items without a unit of the same systems differ in who is right, and in who votes alike."""
    cases = orders(Task.LABELS, documents=documents, negative=negative)
    one, *others = (told(complement(case.evaluation(), resamples=100)) for case in cases)
    for other in others:
        assert other == one


@every_task
@clustered
def test_difficulty(task: Task, documents: bool) -> None:
    one, *others = (
        told(difficulty(case.evaluation(), resamples=100, **case.options()))
        for case in orders(task, documents=documents)
    )
    assert one["features"]["features"]
    for other in others:
        assert other == one


@pytest.mark.parametrize(("task", "units"), [(t, units) for t in Task for units in (False, True)[: 1 + t.has_units]])
@clustered
def test_features(task: Task, documents: bool, units: bool) -> None:
    metrics = ("exact-match",) if task is Task.TEXT else ()
    one, *others = (
        told(features(case.evaluation(), metrics=metrics, resamples=100, units=units, min_count=2, bigrams=True))
        for case in orders(task, documents=documents)
    )
    assert any(own["features"] for own in one["lists"])
    for other in others:
        assert other == one


def test_one_spurious_unit_is_not_three_gold_ones() -> None:
    """Clusters of one spurious unit and clusters of three gold ones are not the same to the draws."""
    kinds = [(["x"], ["O"], ["B-P"]), (["x", "y", "z"], ["B-P"] * 3, ["B-P"] * 3)]
    found = []
    for order in ([0] * 11 + [1] * 20, [1] * 20 + [0] * 11):
        words, gold, a = ([kinds[k][part] for k in order] for part in range(3))
        b = [["O"] * len(own) for own in words]
        evaluation = Evaluation.from_tags(words, gold, {"a": a, "b": b}, task="spans")
        found.append(told(complement(evaluation, resamples=100)))
    assert found[0] == found[1]
    assert found[0]["systems"]["a"]["ci"]["f1"][0] < found[0]["systems"]["a"]["ci"]["f1"][1]


def test_labels_of_short_items() -> None:
    """Items with the same systems right and wrong, and other labels: in the slice of a label they are not the same."""
    chance = random.Random(3)
    tags = ("O", "B-P", "B-L")
    rows = [[gold if chance.random() < 0.6 else chance.choice(tags) for _ in "gab"] for gold in tags * 15]
    found = []
    for order in (rows, rows[::-1]):
        gold, a, b = ([[row[part]] for row in order] for part in range(3))
        evaluation = Evaluation.from_tags([["w"]] * len(rows), gold, {"a": a, "b": b}, task="spans")
        found.append(told(complement(evaluation, resamples=100)))
    assert found[0] == found[1]
