"""Buckets, their counts and measures against the slow reference: random data, files, and real systems."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_buckets import (
    LABEL_ATTRIBUTES,
    PAPER,
    SPAN_ATTRIBUTES,
    TOKEN_ATTRIBUTES,
    Data,
    Row,
    Slot,
    Unit,
    Way,
    count_in,
    default_way,
    describe,
    extremes,
    label_data,
    mean,
    place,
    same,
    scored_data,
    sorted_into,
    span_data,
    spearman,
    spread,
    token_data,
)
from support.slow_scores import conlleval_spans
from support.strategies import tagged_pairs

import slicewise
from slicewise import buckets
from slicewise.annotations import Task
from slicewise.lenses.buckets.result import Measured
from slicewise.results.estimates import Prf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from support.commands import Write

    from slicewise.lenses.buckets.result import AttributeResult, Bucket, BucketsResult


drawn = with_examples(7, HealthCheck.function_scoped_fixture, shrink=False)
UNITS = {Task.SPANS: "span", Task.TOKENS: "token"}

SLOW_WAYS = {
    "quantile(3)": Way("quantile", 3),
    "quantile(7)": Way("quantile", 7),
    "width(3)": Way("width", 3),
    "width(5)": Way("width", 5),
    "1,2,4": Way("fixed", cuts=(Fraction(1), Fraction(2), Fraction(4))),
    "-1": Way("fixed", cuts=(Fraction(-1),)),
    "0.5,100": Way("fixed", cuts=(Fraction(1, 2), Fraction(100))),
}
"""What a user may ask for, on the left as it is written."""


# ------------------------------------------------------------------ comparing


def assert_same_slot(found: Bucket, slot: Slot, counted_singly: bool) -> None:
    if slot.kind == "value":
        assert (found.lo, found.hi) == (None, None)
        assert found.value == (float(slot.value) if isinstance(slot.value, Fraction) else slot.value)
    elif slot.kind == "interval" and counted_singly and slot.hi is not None:
        assert (found.lo, found.hi, found.value) == (None, None, float(slot.hi))  # 1, 2, 3 are single values
    else:
        assert found.value is None
        assert same(found.lo, None if slot.lo is None else float(slot.lo))
        assert same(found.hi, None if slot.hi is None else float(slot.hi))


def assert_same(
    found: AttributeResult,
    rows: Sequence[Row],
    way: Way,
    systems: Sequence[str],
    name: str,
    cut_with: Sequence[Row] = (),
) -> None:
    """Compare cut points, buckets, counts and measures of one attribute."""
    slots = way.slots([*rows, *cut_with])
    cuts = [slot.hi for slot in slots if slot.kind == "interval" and slot.hi is not None]
    assert found.cuts == pytest.approx([float(cut) for cut in cuts], rel=1e-15, abs=0), name
    assert len(found.buckets) == len(slots), (name, [b.name for b in found.buckets])
    for bucket, slot in zip(found.buckets, slots, strict=True):
        assert_same_slot(bucket, slot, way.kind == "counts")
    assert len({bucket.name for bucket in found.buckets}) == len(slots), name
    if slots and slots[-1].kind == "missing":
        assert "missing" in found.buckets[-1].name
    assert found.ordered == (way.kind != "values")
    assert same(found.zeta, mean([row.value for row in rows if row.gold]))
    inside = sorted_into(slots, rows)
    for system in systems:
        expected = count_in(inside, system)
        for bucket, counts in zip(found.buckets, expected, strict=True):
            ours = bucket.systems[system]
            assert isinstance(ours, Prf)
            assert (ours.n_gold, ours.n_pred, ours.tp) == counts, (name, system, bucket.name)
            for measure in ("precision", "recall", "f1"):
                assert same(getattr(ours, measure), getattr(counts, measure)), (name, system, bucket.name, measure)
            assert bucket.n == counts.n_gold
            assert bucket.small == (0 < counts.n_gold < 30)
        assert_same_measures(found, [counts.f1 for counts in expected], slots, system)


def assert_same_measures(
    found: AttributeResult, values: Sequence[float | None], slots: Sequence[Slot], system: str
) -> None:
    ours = found.systems[system]
    ranked = [value for value, slot in zip(values, slots, strict=True) if slot.kind != "missing"]
    assert same(ours.spearman, spearman(ranked) if found.ordered else None), (ours.spearman, values)
    assert same(ours.std, spread(values))
    picked = extremes(values)
    if picked is None:
        assert (ours.best, ours.worst, ours.gap, ours.raw_gap) == (None, None, None, None)
        return
    best, worst = picked
    assert (ours.best, ours.worst) == (found.buckets[best].name, found.buckets[worst].name)
    assert same(ours.raw_gap, (values[best] or 0.0) - (values[worst] or 0.0))
    assert ours.gap is not None
    assert 0 <= ours.gap <= (ours.raw_gap or 0.0) + 1e-12


def assert_as_reference(
    data: Data, result: BucketsResult, names: Sequence[str], ways: Mapping[str, Way], m: int = 4
) -> None:
    for name in names:
        found = result.attributes[name]
        tokens = name in ("tFre", "tCon")
        assert found.unit == ("token" if tokens else UNITS.get(data.task, "item"))
        assert_same(found, describe(data, name), ways.get(name) or default_way(name, m), list(data.systems), name)


# ------------------------------------------------------------------ random data


@drawn
@given(span_data())
def test_spans(data: Data) -> None:
    assert_as_reference(data, buckets(data.evaluation(), resamples=0), SPAN_ATTRIBUTES, {})


@drawn
@given(span_data(), st.integers(2, 7), st.data())
def test_spans_cut_as_the_user_says(data: Data, m: int, more: st.DataObject) -> None:
    names = ("label", "eLen", "sLen", "eDen", "eCon", "eFre", "tFre", "ambiguity", "repeated")
    whole = more.draw(st.dictionaries(st.sampled_from(("sLen", "eLen", "ambiguity")), st.sampled_from([*SLOW_WAYS])))
    shares = more.draw(st.dictionaries(st.sampled_from(("eCon", "eDen")), st.sampled_from(("quantile(3)", "0.5,100"))))
    cuts = whole | shares
    result = buckets(data.evaluation(), attributes=names, buckets=m, cuts=cuts, resamples=0)
    assert_as_reference(data, result, names, {name: SLOW_WAYS[how] for name, how in cuts.items()}, m)


@drawn
@given(token_data(), st.sampled_from((2, 4, 5)))
def test_tokens(data: Data, m: int) -> None:
    assert_as_reference(data, buckets(data.evaluation(), buckets=m, resamples=0), TOKEN_ATTRIBUTES, {}, m)


@pytest.mark.parametrize("task", [Task.LABELS, Task.MULTILABEL])
@with_examples(4, HealthCheck.function_scoped_fixture, shrink=False)
@given(more=st.data())
def test_labels(task: Task, more: st.DataObject) -> None:
    data = more.draw(label_data(task))
    names = (*LABEL_ATTRIBUTES, *(["labels"] if task is Task.MULTILABEL else []))
    assert_as_reference(data, buckets(data.evaluation(), attributes=names, resamples=0), names, {})


@with_examples(4, HealthCheck.function_scoped_fixture, shrink=False)
@given(span_data(), span_data())
def test_cuts_shared_by_two_data_sets(data: Data, other: Data) -> None:
    """Cut by the gold units of both, counted on the units of the first."""
    names = ("label", "eLen", "sLen", "eDen", "oDen", "eCon", "tCon", "str")
    result = buckets(data.evaluation(), attributes=names, shared_with=[other.evaluation()], resamples=0)
    for name in names:
        theirs = describe(other, name)
        assert_same(result.attributes[name], describe(data, name), default_way(name), list(data.systems), name, theirs)


def test_the_cuts_of_a_confidence_come_from_the_gold_units() -> None:
    """Not from what other systems returned besides: t's two errors are units of s's items, but they are not gold."""
    data = Data(
        task=Task.LABELS,
        items=("a",) * 4,
        gold=("x",) * 4,
        systems={"s": ("x",) * 4, "t": ("x", "x", "y", "y")},
        confidences={"s": (0.1, 0.2, 0.3, 0.4)},
    )
    found = buckets(data.evaluation(), attributes=["confidence"], resamples=0).attributes["confidence"]
    assert found.cuts == (0.1, 0.2, 0.3)
    assert found.zeta == 0.25
    assert [bucket.systems["s"].n_gold for bucket in found.buckets if isinstance(bucket.systems["s"], Prf)] == [
        *[1] * 4,
        0,
    ]
    alone = buckets(data.named({"s": "s"}).evaluation(), attributes=["confidence"], resamples=10)
    assert alone.attributes["confidence"].cuts == found.cuts


@drawn
@given(scored_data(Task.SCORES))
def test_means_of_scores_by_a_field(data: Data) -> None:
    """The unit is the item: its value is a field, and the mean of its items' scores is a bucket's value."""
    assume(all(any(x is not None for x in column) for column in data.columns.values()))
    result = buckets(data.evaluation(), resamples=0)
    assert {"size", "source"} <= set(result.attributes)
    for name, column in data.columns.items():
        rows = [
            Row(Unit(i, 0, 0, ""), Fraction(x) if isinstance(x, (int, float)) else x, True, frozenset())
            for i, x in enumerate(column)
        ]
        slots = (Way("quantile", 4) if name == "size" else Way("values", most=12)).slots(rows)
        found = result.attributes[name]
        assert len(found.buckets) == len(slots)
        for bucket, slot in zip(found.buckets, slots, strict=True):
            assert_same_slot(bucket, slot, False)
        for system, scores in data.systems.items():
            inside: list[list[float]] = [[] for _ in slots]
            for row in rows:
                inside[place(slots, row.value)].append(scores[row.unit.item])
            values = [sum(some) / len(some) if some else None for some in inside]
            for bucket, some, value in zip(found.buckets, inside, values, strict=True):
                ours = bucket.systems[system]
                assert isinstance(ours, Measured)
                assert ours.n == len(some)
                assert same(ours.value, value)
            assert_same_measures(found, values, slots, system)


# ------------------------------------------------------------------ files


def conll(sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> str:
    pairs = [
        [f"{word}\t{tag}\n" for word, tag in zip(*both, strict=True)] for both in zip(sentences, tags, strict=True)
    ]
    return "\n".join("".join(lines) for lines in pairs)


def from_tags(
    sentences: Any, gold: Any, systems: Mapping[str, Any], train: tuple[Any, Any], *, lower: bool = False, **more: Any
) -> Data:
    """Return the data that files of tags hold, read as conlleval reads them."""

    def spans(tags: Sequence[Sequence[str]]) -> tuple[Any, ...]:
        found: list[list[tuple[int, int, str]]] = [[] for _ in tags]
        for item, start, end, label in conlleval_spans(tags):
            found[item].append((start, end, label))
        return tuple(found)

    return Data(
        task=Task.SPANS,
        items=tuple(map(tuple, sentences)),
        gold=spans(gold),
        systems={name: spans(tags) for name, tags in systems.items()},
        train_items=tuple(map(tuple, train[0])),
        train=spans(train[1]),
        lower=lower,
        **more,
    )


@with_examples(4, HealthCheck.function_scoped_fixture, shrink=False)
@given(tagged_pairs("BI"), tagged_pairs("BI"), st.booleans(), st.data())
def test_files_of_tags(write: Write, pair: Any, other: Any, lower: bool, more: st.DataObject) -> None:
    (gold, predicted), (train, _) = pair, other
    word = st.sampled_from(("Oslo", "oslo", "in", "New", "York"))
    sentences, train_sentences = ([[more.draw(word) for _ in tags] for tags in side] for side in (gold, train))
    options: dict[str, Any] = {"task": "spans", "lower": lower}
    evaluation = slicewise.load(
        gold=write("gold.conll", conll(sentences, gold)),
        train=write("train.conll", conll(train_sentences, train)),
        systems={"s": write("s.conll", conll(sentences, predicted)), "same": write("g.conll", conll(sentences, gold))},
        **options,
    )
    data = from_tags(sentences, gold, {"s": predicted, "same": gold}, (train_sentences, train), lower=lower)
    assert_as_reference(data, buckets(evaluation, resamples=0), SPAN_ATTRIBUTES, {})


def lines(objects: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(one) + "\n" for one in objects)


@with_examples(4, HealthCheck.function_scoped_fixture, shrink=False)
@given(span_data())
def test_character_offsets(write: Write, data: Data) -> None:
    """Spans over running text are the spans over its words; only the position counts characters."""

    def objects(items: Sequence[Sequence[str]], answers: Sequence[Any]) -> str:
        made = []
        for words, spans in zip(items, answers, strict=True):
            starts = [sum(len(w) + 1 for w in words[:k]) for k in range(len(words))]
            shown = [
                {"start": starts[start], "end": starts[end - 1] + len(words[end - 1]), "label": label}
                for start, end, label in spans
            ]
            made.append({"text": " ".join(words), "spans": shown})
        return lines(made)

    assume(data.train_items is not None)
    evaluation = slicewise.load(
        gold=write("gold.jsonl", objects(data.items, data.gold or ())),
        train=write("train.jsonl", objects(data.train_items or (), data.train)),
        systems={name: write(f"{i}.jsonl", objects(data.items, a)) for i, (name, a) in enumerate(data.systems.items())},
        task="spans",
        lower=data.lower,
    )
    by_item = Data(**{**vars_of(data), "documents": None})
    names = [name for name in SPAN_ATTRIBUTES if name != "ePos"]
    assert_as_reference(by_item, buckets(evaluation, attributes=names, resamples=0), names, {})


def vars_of(data: Data) -> dict[str, Any]:
    return {name: getattr(data, name) for name in Data.__dataclass_fields__}


def test_where_a_span_of_characters_begins(write: Write) -> None:
    text = {
        "text": "in Oslo and Rome",
        "spans": [{"start": 3, "end": 7, "label": "L"}, {"start": 12, "end": 16, "label": "L"}],
    }
    evaluation = slicewise.load(gold=write("g.jsonl", lines([text])), systems={"s": write("s.jsonl", lines([text]))})
    found = buckets(evaluation, attributes=["ePos", "eLen", "sLen"], resamples=0).attributes
    assert found["ePos"].cuts == (3 / 16,)
    assert found["sLen"].zeta == 4
    assert found["eLen"].zeta == 1


@pytest.mark.parametrize("task", [Task.LABELS, Task.MULTILABEL])
@with_examples(4, HealthCheck.function_scoped_fixture, shrink=False)
@given(more=st.data())
def test_files_of_labels(task: Task, write: Write, more: st.DataObject) -> None:
    data = more.draw(label_data(task))
    field = "label" if task is Task.LABELS else "labels"

    def objects(items: Sequence[str], answers: Sequence[Any]) -> str:
        return lines([{"text": text, field: answer} for text, answer in zip(items, answers, strict=True)])

    evaluation = slicewise.load(
        gold=write("gold.jsonl", objects(data.items, data.gold or ())),
        train=write("train.jsonl", objects(data.train_items or (), data.train)),
        systems={name: write(f"{i}.jsonl", objects(data.items, a)) for i, (name, a) in enumerate(data.systems.items())},
        task=task.value,
        lower=data.lower,
    )
    names = (*LABEL_ATTRIBUTES, *(["labels"] if task is Task.MULTILABEL else []))
    assert_as_reference(data, buckets(evaluation, attributes=names, resamples=0), names, {})


# ------------------------------------------------------------------ real data


def read_conll(path: Path) -> tuple[list[list[str]], list[list[str]], list[int]]:
    """Return words, last columns and the document of each sentence."""
    words: list[list[str]] = [[]]
    tags: list[list[str]] = [[]]
    documents = [0]
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t") if "\t" in line else line.split()
        if line.startswith("-DOCSTART-"):
            documents[-1] += 1
        elif columns and any(columns):
            words[-1].append(columns[0])
            tags[-1].append(columns[-1])
        elif words[-1]:
            words.append([])
            tags.append([])
            documents.append(documents[-1])
    if not words[-1]:
        del words[-1], tags[-1], documents[-1]
    return words, tags, documents


def compared(folder: Path, names: Sequence[str], **options: Any) -> None:
    systems = {path.stem: path for path in sorted((folder / "systems").glob("*.conll"))}
    evaluation = slicewise.load(
        gold=folder / "test.conll", train=folder / "train.conll", systems=systems, task="spans", **options
    )
    sentences, gold, documents = read_conll(folder / "test.conll")
    marked: dict[str, Any] = {"documents": tuple(map(str, documents))} if documents[-1] else {}
    outputs = {name: read_conll(path)[1] for name, path in systems.items()}
    data = from_tags(sentences, gold, outputs, read_conll(folder / "train.conll")[:2], **marked, **options)
    assert_as_reference(data, buckets(evaluation, attributes=list(names), resamples=0), names, {})


@pytest.mark.parametrize(("names", "lower"), [(PAPER, False), (("oDen", "eFre", "tFre", "eCon"), True)])
def test_seven_systems_on_wnut17(shared_data: Path, names: Sequence[str], lower: bool) -> None:
    folder = shared_data / "wnut17"
    if not folder.is_dir():
        pytest.skip("no WNUT17 beside the repository")
    assert len(list((folder / "systems").glob("*.conll"))) == 7
    compared(folder, names, lower=lower)


@pytest.mark.parametrize("name", ["news", "chat"])
def test_the_examples(examples: Path, name: str) -> None:
    compared(examples / name, PAPER)
