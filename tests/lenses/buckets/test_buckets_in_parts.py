"""`buckets` of data in parts is `buckets` of the whole, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.few_draws import few_draws
from support.parts import InMemoryParts, bounds_of, in_parts, parted
from support.profiles import with_examples
from support.slow_buckets import data_of

import slicewise
from slicewise import Evaluation, UserError, buckets
from slicewise.annotations import Task
from slicewise.attributes import Facts, survey
from slicewise.engine.local import LocalRunner, Parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import narwhals as nw

    from slicewise.engine.local import Kernel, PartSource
    from slicewise.engine.protocols import Ranked

drawn = with_examples(4, HealthCheck.filter_too_much, shrink=False)


@pytest.fixture(autouse=True, scope="module")
def draws() -> Iterator[None]:
    """How many draws a test makes is not what is compared."""
    with few_draws(40):
        yield


def assert_same(
    evaluation: Evaluation, sizes: Sequence[int] = (2, 5), *, max_collected: int | None = None, **options: Any
) -> None:
    expected = buckets(evaluation, **{"resamples": 12} | options).to_json()
    for size in sizes:
        parts = parted(evaluation, size, max_collected=max_collected)
        assert buckets(parts, **{"resamples": 12} | options).to_json() == expected, size


# ------------------------------------------------------------------ the examples


def entities(folder: Path, **options: Any) -> Evaluation:
    files: dict[str, Any] = {name: folder / f"systems/{name}.conll" for name in ("hmm", "gazetteer", "crf.1")}
    files["char"] = [folder / f"systems/crf-char.{i}.conll" for i in (1, 2)]
    return slicewise.load(gold=folder / "test.conll", systems=files, train=folder / "train.conll", **options)


def test_entities_in_documents(examples: Path) -> None:
    assert_same(entities(examples / "news"), (1, 8))


def test_entities_of_single_items_folded_and_crossed(examples: Path) -> None:
    evaluation = entities(examples / "news", cluster="item", lower=True)
    assert_same(evaluation, (4,), cross=[("eLen", "label"), ("sLen", "eDen")], restarts="each")


def test_tokens(examples: Path) -> None:
    assert_same(entities(examples / "news", task="tokens"), (4,))


def test_cuts_metrics_and_pairs_of_the_users_own(examples: Path) -> None:
    cuts = {"sLen": "width(5)", "eLen": [1, 2], "capitals": "values", "eChars": "quantile(3)"}
    attributes = ["sLen", "eLen", "capitals", "eChars", "hapaxTest"]
    evaluation = entities(examples / "chat")
    assert_same(evaluation, (3,), attributes=attributes, cuts=cuts, metrics="recall", compare=[("hmm", "char")])


def test_cuts_shared_with_other_data(examples: Path) -> None:
    news, chat = (entities(examples / name) for name in ("news", "chat"))
    options: dict[str, Any] = {"attributes": ["core"], "resamples": 0, "compare": None}
    expected = buckets(news, shared_with=[news, chat], **options).to_json()
    one, other = parted(news, 3), parted(chat, 2)
    assert buckets(one, shared_with=[one, other], **options).to_json() == expected


def test_labels(examples: Path) -> None:
    folder = examples / "sentiment"
    systems = {name: folder / f"systems/{name}.txt" for name in ("bayes", "lexicon", "perceptron")}
    test, train = f"{folder / 'test.tsv'}", f"{folder / 'train.tsv'}:2"
    assert_same(slicewise.load(gold=f"{test}:2", inputs=f"{test}:1", systems=systems, train=train))


def test_several_labels_and_fields(examples: Path) -> None:
    folder = examples / "topics"
    systems = {name: folder / f"systems/{name}.jsonl" for name in ("bayes", "keywords")}
    test = f"{folder / 'test.jsonl'}"
    evaluation = slicewise.load(
        gold=f"{test}:labels", inputs=f"{test}:text", systems=systems, train=folder / "train.jsonl"
    )
    assert {"source", "year"} <= set(buckets(parted(evaluation, 3), resamples=0).attributes)
    assert_same(evaluation)


def test_texts_and_attributes_of_outputs(examples: Path) -> None:
    folder = examples / "translation"
    systems = {name: folder / f"systems/{name}.txt" for name in ("dictionary", "memory", "phrase")}
    evaluation = slicewise.load(
        task="text", gold=folder / "test.ref", inputs=folder / "test.src", systems=systems, train=folder / "train.src"
    )
    assert "outRatio" in buckets(evaluation, metrics=["chrf"], resamples=0).attributes
    assert_same(evaluation, (4,), metrics=["chrf"], cross=[("refRatio", "overlap")])


def scored(examples: Path) -> Evaluation:
    log = f"{examples / 'questions' / 'log.jsonl'}"
    systems = {name: f"{log}:{name}.correct" for name in ("keywords", "neighbour", "parser")}
    return slicewise.load(systems=systems, inputs=f"{log}:question")


def test_scores_and_fields(examples: Path) -> None:
    named = ["tokens", "chars", "richness", "category", "difficulty"]
    assert_same(scored(examples), attributes=named)


def test_confidences_are_found_in_the_parts(examples: Path) -> None:
    assert_same(scored(examples), (3,))


# ------------------------------------------------------------------ small data


@pytest.mark.parametrize("task", list(Task))
@drawn
@given(more=st.data())
def test_small_data(task: Task, more: st.DataObject) -> None:
    evaluation = more.draw(data_of(task)).evaluation()
    metrics = ["exact-match"] if task is Task.TEXT else []
    wanted = more.draw(st.sampled_from((None, 2, 5)))
    assert_same(evaluation, (2, 7), metrics=metrics, buckets=wanted)


def of_fields(columns: dict[str, list[Any]]) -> Evaluation:
    size = len(next(iter(columns.values())))
    frame = pl.DataFrame({"a": [i % 3 / 2 for i in range(size)], "b": [i % 2 * 1.0 for i in range(size)]} | columns)
    return Evaluation.from_frame(frame, systems=["a", "b"], task="scores")


def test_a_field_is_of_one_type_in_all_parts() -> None:
    evaluation = of_fields(
        {
            "late": ["1", "2", "3", "4", "5", "6", "7", "x"],
            "whole": ["1", " 2", "3", "", "5", "6", "7", "8"],
            "half": ["1", "2", "3", "4", "5", "6", "7", "8.5"],
            "first": ["", "", "", "", None, "u", "v", "u"],
            "blank": ["", " ", "", "", "", "", "", ""],
            "^x$": ["u", "v", "u", "v", "u", "v", "u", "v"],
            "some": [1.5, None, float("nan"), 2.5, -0.0, 0.0, float("inf"), 1.5],
            "flag": [True, False, None, True, True, True, True, True],
        }
    )
    found = buckets(parted(evaluation, 4), resamples=0).attributes
    kinds = {name: found[name].kind for name in ("late", "whole", "half", "first")}
    assert kinds == {"late": "category", "whole": "number", "half": "number", "first": "category"}
    assert_same(evaluation, (2, 8))


@pytest.mark.parametrize(("different", "told"), [(60, True), (80, True), (81, False), (160, False)])
def test_a_field_that_names_items_is_none(different: int, *, told: bool) -> None:
    evaluation = of_fields({"name": [f"n{i % different}" for i in range(160)], "kind": ["u", "v"] * 80})
    for size in (1, 2, 5):
        assert ("name" in Facts(parted(evaluation, size)).corpus_facts.columns) == told


def test_of_very_many_different_values_some_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "MOST_COUNTED", 500)
    columns = {"few": [f"n{i % 400}" for i in range(4000)], "many": [f"n{i}" for i in range(4000)]}
    told = Facts(in_parts(of_fields(columns | {"other": [f"n{i % 1200}" for i in range(4000)]}), 7)).corpus_facts
    assert set(told.columns) == {"few", "other"}


def of_strings(**options: Any) -> Evaluation:
    tokens = [["New York", "x"], ["New", "York"], ["Ada", "y"], ["ada", "ada"]]
    tokens += [["Bo", "z"], ["Bo", "\\_"], ["\\_", "Bo"]]
    gold = [["B-L", "O"], ["B-L", "I-L"], ["B-P", "O"], ["O", "O"], ["B-P", "O"], ["B-L", "O"], ["B-P", "O"]]
    returned = [["B-L", "O"], ["O", "O"], ["O", "O"], ["B-P", "O"], ["B-P", "O"], ["O", "B-P"], ["O", "B-L"]]
    return Evaluation.from_tags(tokens, gold, {"s": returned}, **options)


@pytest.mark.parametrize("lower", [False, True])
def test_strings_are_counted_over_all_parts(*, lower: bool) -> None:
    evaluation = of_strings(lower=lower)
    assert_same(evaluation, (2, 7, 9))
    once = {bucket.name: bucket.n for bucket in buckets(evaluation, resamples=0).attributes["hapaxTest"].buckets}
    assert once == ({"no": 4, "yes": 2} if lower else {"no": 3, "yes": 3})
    labels = [bucket.n for bucket in buckets(parted(evaluation, 7), resamples=0).attributes["ambiguity"].buckets]
    assert labels == [4, 2, 0, 0]


# ------------------------------------------------------------------ where parts are worked on


def long(items: pl.DataFrame) -> pl.Series:
    """How long the item is."""
    return items["length"]


def test_a_function_of_the_users_own_sees_all_items() -> None:
    assert_same(of_strings(), (3,), attributes=["eLen", long])


def test_a_function_of_the_users_own_is_refused_on_a_cluster() -> None:
    evaluation = in_parts(of_strings(), 3)
    assert evaluation.parts is not None
    away = replace(evaluation, parts=replace(evaluation.parts, whole=None))
    with pytest.raises(UserError, match="'long' needs all items in one place"):
        buckets(away, attributes=[long])


@dataclass(frozen=True)
class Elsewhere(LocalRunner):
    """Sends kernels on a journey, and looks at what they bring back."""

    def aggregate(
        self, source: PartSource, kernel: Kernel, keep: nw.Expr | None, ranks: Ranked | None = None
    ) -> Iterator[pl.DataFrame]:
        """Add up the tables of kernels that have travelled."""
        cloudpickle = pytest.importorskip("pyspark.cloudpickle")
        sent = cloudpickle.loads(cloudpickle.dumps(kernel))
        for i in range(len(source)):
            table = sent(source.part(i, sent.needs))
            assert {table.schema[name] for name in sent.by} <= {pl.Int64(), pl.String()}
            assert {kind for name, kind in table.schema.items() if name not in sent.by} == {pl.Int64()}
            assert not any(column.null_count() for column in table)
        return super().aggregate(source, sent, keep, ranks)


@pytest.mark.parametrize("task", [Task.SPANS, Task.LABELS, Task.SCORES])
@with_examples(3, HealthCheck.filter_too_much, shrink=False)
@given(more=st.data())
def test_kernels_travel(task: Task, more: st.DataObject) -> None:
    evaluation = more.draw(data_of(task)).evaluation()
    parts = Parts(InMemoryParts(evaluation, tuple(bounds_of(evaluation, 3))), Elsewhere(), evaluation.gold_units)
    expected = buckets(evaluation, resamples=5).to_json()
    assert buckets(evaluation.parted(parts), resamples=5).to_json() == expected
