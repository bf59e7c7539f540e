"""What must hold for every attribute of every task: its values depend on what it declares, and on nothing else.

A new attribute is tested the day it is listed, and one that declares too little is caught.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from support.parts import in_parts
from support.profiles import with_examples
from support.slow_buckets import Data, data_of

from slicewise.annotations import Task
from slicewise.attributes import Attribute, Facts, Need, Of, Scope, available, catalogue, values_of
from slicewise.attributes.attribute import EVERY
from slicewise.engine.local import FIELDS
from slicewise.lenses.slicing.bucketed import Bucketer, with_all_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from slicewise import Evaluation

TASKS = list(Task)
TRAINED = {Need.TRAIN, Need.TRAIN_WORDS, Need.TRAIN_LABELS, Need.TRAIN_STRINGS}
ELSEWHERE = Scope.DOCUMENT | Scope.STRINGS | Scope.DATA
"""What lies outside of the item."""
every_task = pytest.mark.parametrize("task", TASKS)
every_attribute = pytest.mark.parametrize("attribute", catalogue().values(), ids=list(catalogue()))
pytestmark = pytest.mark.hypothesis  # also where the data are drawn once for all laws
drawn = with_examples(8, HealthCheck.filter_too_much, shrink=False)


REPEATED = Data(
    task=Task.SPANS,
    items=(("a", "b"), ("a",), ("b", "a")),
    gold=(((0, 1, "X"),), ((0, 1, "Y"),), ((1, 2, "X"),)),
    systems={"s": (((0, 2, "X"),), ((0, 1, "X"),), ())},
    documents=("d", "e", "d"),
)
"""Strings that stand again in the same document, which is scattered, and in another."""


@cache
def drawn_of(task: Task) -> list[Data]:
    """Draw the data of a task: the same for every law."""
    kept: list[Data] = [REPEATED] if task is Task.SPANS else []

    @drawn
    @given(data_of(task))
    def keep(data: Data) -> None:
        kept.append(data)

    keep()
    return kept


def attributes_of(evaluation: Evaluation) -> list[Attribute]:
    return list(available(Facts(evaluation))[0].values())


# ------------------------------------------------------------------ the same in parts


def values(facts: Facts, attribute: Attribute) -> Iterator[tuple[str, list[object]]]:
    """Yield an attribute's values, of each system where they are of outputs."""
    for system in facts.evaluation.systems if attribute.of is Of.OUTPUT else (None,):
        yield system or "", values_of(attribute, facts, system).to_list()


def values_in_parts(evaluation: Evaluation, attributes: Sequence[Attribute]) -> dict[str, list[object]]:
    """Return the values of all parts, one after the other, as lenses have them worked out."""
    evaluation = with_all_of(evaluation, attributes)
    placer = Bucketer.of(Facts(evaluation), attributes, None)
    source = None if evaluation.parts is None else evaluation.parts.source
    parts = [evaluation] if source is None else [source.part(i, placer.needs) for i in range(len(source))]
    collected: dict[str, list[object]] = defaultdict(list)
    for part in parts:
        facts = placer(part).facts
        for attribute in attributes:
            for system, column in values(facts, attribute):
                collected[f"{attribute.name} {system}"] += column
    return dict(collected)


def cuts(evaluation: Evaluation) -> Iterator[Evaluation]:
    """Yield the data in so many parts, which may cut documents, and in parts that cut none; some parts are empty."""
    items, cluster = evaluation.aligned.items, evaluation.aligned.clusters.cluster
    free = [i for i in range(items + 1) if not np.isin(cluster[:i], cluster[i:]).any()]
    for size in (1, 2, 3, items + 1):
        yield parted(evaluation, [items * i // size for i in range(size + 1)])
    yield parted(evaluation, [0, *free, items])


def parted(evaluation: Evaluation, bounds: Sequence[int]) -> Evaluation:
    cluster = evaluation.aligned.clusters.cluster
    pieces = [set(cluster[start:stop].tolist()) for start, stop in pairwise(bounds)]
    made = in_parts(evaluation, len(pieces), bounds)
    assert made.parts is not None
    return replace(made, parts=replace(made.parts, scattered=sum(map(len, pieces)) > len(set().union(*pieces))))


def assert_same_in_parts(evaluation: Evaluation, attributes: Sequence[Attribute]) -> None:
    """Work out attributes of all the data and of its parts; only those for which parts are told the same together."""
    groups: dict[object, list[Attribute]] = defaultdict(list)
    for attribute in attributes:
        groups[attribute.depends_on & (ELSEWHERE | Scope.FIELDS), Need.WORDS in attribute.needs].append(attribute)
    for group in groups.values():
        expected = values_in_parts(evaluation, group)
        for made in cuts(evaluation):
            assert_same(values_in_parts(made, group), expected)


@every_task
def test_values_are_the_same_however_the_data_is_cut(task: Task) -> None:
    for data in drawn_of(task):
        evaluation = data.evaluation()
        assert_same_in_parts(evaluation, attributes_of(evaluation))


@every_task
def test_every_attribute_has_data_to_be_tested_on(task: Task) -> None:
    tried = {attribute.name for data in drawn_of(task) for attribute in attributes_of(data.evaluation())}
    without = {"confidence"} if task in (Task.TEXT, Task.SCORES) else set()
    without |= {"oov", "meanFre"} if task is Task.SCORES else set()  # nothing is learnt from scores
    listed = {name for name, attribute in catalogue().items() if task in attribute.tasks}
    assert listed - tried == without
    columns = {"size", "source"} if task in (Task.TEXT, Task.SCORES) else set()
    assert tried - listed == columns


def test_documents_stand_in_several_parts_and_in_one() -> None:
    """Else the laws say nothing of attributes of documents."""
    made = [cut for data in drawn_of(Task.SPANS) for cut in cuts(data.evaluation())]
    several = [cut.parts for cut in made if cut.parts is not None and cut.aligned.clusters.kind != "item"]
    assert {parts.scattered for parts in several if len(parts.source) > 1} == {True, False}


# ------------------------------------------------------------------ nothing else


def assert_nothing_else(data: Data, attributes: Sequence[Attribute]) -> None:
    """Take away what attributes do not declare; their values stay."""
    evaluation = data.evaluation()
    facts, items = Facts(evaluation), range(evaluation.aligned.items)
    untrained = Facts(replace(evaluation, train=None), facts.corpus_facts)
    bare = Facts(evaluation.between(0, len(items), frozenset({FIELDS})))
    alone = [Facts(evaluation.between(i, i + 1), facts.corpus_facts) for i in items]
    by_gold = Facts(data.answered_by_gold.evaluation())
    for attribute in attributes:
        expected, scope = dict(values(facts, attribute)), attribute.depends_on
        if not scope & (Scope.TRAINING | Scope.DATA):
            assert_same(dict(values(untrained, attribute)), expected)
        if not scope & (Scope.FIELDS | Scope.DATA):
            assert_same(dict(values(bare, attribute)), expected)
        if not scope & ELSEWHERE:
            by_item = [dict(values(item, attribute)) for item in alone]
            assert_same({name: [value for item in by_item for value in item[name]] for name in expected}, expected)
        if not scope & (Scope.OUTPUT | Scope.DATA) and data.gold is not None:
            assert_same(values_of_gold(facts, attribute), values_of_gold(by_gold, attribute))
        if data.task in (Task.SPANS, Task.TOKENS) and not scope & (Scope.ITEM | Scope.DOCUMENT | Scope.DATA):
            assert_equal_of_equal_units(facts, attribute)


def assert_same(found: object, expected: object) -> None:
    """Compare values, of which some may be NaN."""
    assert repr(found) == repr(expected)


def values_of_gold(facts: Facts, attribute: Attribute) -> list[object]:
    """Return the values of items, or of gold's units, which are there whatever systems return."""
    column = values_of(attribute, facts)
    if attribute.of is Of.ITEM or not facts.task.has_units:
        return column.to_list()
    rows = facts.token_units if attribute.of is Of.TOKEN else facts.units
    return column.filter(rows.frame["gold"]).to_list()


def assert_equal_of_equal_units(facts: Facts, attribute: Attribute) -> None:
    """Units with the same label and string have the same value."""
    column = values_of(attribute, facts)
    rows = facts.token_units if attribute.of is Of.TOKEN else facts.units
    tokens = facts.evaluation.aligned.tokens
    assert tokens is not None
    strings = tokens.gather(rows.position) if attribute.of is Of.TOKEN else facts.surface_text
    known = pl.DataFrame({"label": rows.label, "string": strings, "value": column})
    assert known.unique().height == known.unique(["label", "string"]).height


@every_task
def test_values_depend_on_nothing_that_is_not_declared(task: Task) -> None:
    for data in drawn_of(task):
        assert_nothing_else(data, attributes_of(data.evaluation()))


@every_attribute
def test_a_declaration_agrees_with_what_the_attribute_is_of_and_needs(attribute: Attribute) -> None:
    scope = attribute.depends_on
    assert Scope.DATA not in scope, "no part could work it out"
    assert (Scope.TRAINING in scope) == bool(attribute.needs & TRAINED)
    assert (Scope.OUTPUT in scope) == (attribute.of is Of.OUTPUT)
    assert (Scope.UNIT in scope) == (attribute.of in (Of.UNIT, Of.TOKEN))


# ------------------------------------------------------------------ attributes that declare too little


def longest(facts: Facts) -> pl.Series:
    """Return whether no other unit is longer."""
    length = facts.unit_ranges[1]
    return pl.Series(length == length.max(initial=0))


def occurrences(facts: Facts) -> pl.Series:
    return pl.Series(facts.test_occurrences)


def repeated(facts: Facts) -> pl.Series:
    return pl.Series(facts.mentioned_before)


def trained(facts: Facts) -> pl.Series:
    train = facts.evaluation.train
    return pl.Series([0 if train is None else train.annotations.items] * len(facts.units), dtype=pl.Int64)


def first_of_item(facts: Facts) -> pl.Series:
    return facts.units.frame["start"] == 0


def returned(facts: Facts) -> pl.Series:
    return facts.units.frame[facts.evaluation.systems[0]]


WRONG: dict[Callable[[Facts], pl.Series], tuple[Scope, Scope]] = {
    longest: (Scope.UNIT, Scope.UNIT | Scope.DATA),
    occurrences: (Scope.UNIT, Scope.UNIT | Scope.STRINGS),
    repeated: (Scope.UNIT | Scope.ITEM, Scope.UNIT | Scope.DOCUMENT),
    trained: (Scope.UNIT, Scope.UNIT | Scope.TRAINING),
    first_of_item: (Scope.UNIT, Scope.UNIT | Scope.ITEM),
    returned: (Scope.UNIT | Scope.ITEM, Scope.UNIT | Scope.ITEM | Scope.OUTPUT),
}
"""Functions with what they declare, which is too little, and what they should."""
IN_PARTS = (longest, occurrences, repeated)
"""Those whose values a part gets wrong."""


def toy(function: Callable[[Facts], pl.Series], scope: Scope) -> Attribute:
    return Attribute(name="toy", summary="", values=function, of=Of.UNIT, depends_on=scope, tasks=EVERY)


def assert_lawful(attribute: Attribute, *, parts: bool = True, alone: bool = True) -> None:
    for data in drawn_of(Task.SPANS):
        if parts:
            assert_same_in_parts(data.evaluation(), [attribute])
        if alone:
            assert_nothing_else(data, [attribute])


@pytest.mark.parametrize("function", WRONG)
def test_an_attribute_that_declares_too_little_is_caught(function: Callable[[Facts], pl.Series]) -> None:
    too_little, enough = (toy(function, scope) for scope in WRONG[function])
    assert_lawful(enough)
    with pytest.raises(AssertionError):
        assert_lawful(too_little, parts=False)
    if function in IN_PARTS:
        with pytest.raises(AssertionError):
            assert_lawful(too_little, alone=False)


def test_an_attribute_that_declares_nothing_is_worked_out_of_all_the_data() -> None:
    undeclared = Attribute(name="toy", summary="", values=longest, of=Of.UNIT, tasks=EVERY)
    assert undeclared.depends_on is Scope.DATA
    assert_lawful(undeclared)
