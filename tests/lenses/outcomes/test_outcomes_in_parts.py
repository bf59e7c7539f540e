"""`complement` and `difficulty` say the same of data in parts as of the same data in one piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.parts import in_parts, parted
from support.profiles import with_examples

from slicewise import Evaluation, complement, difficulty, load
from slicewise.lenses.outcomes.outcome_counts import outcome_counts
from slicewise.lenses.outcomes.pattern_tables import Layout
from slicewise.lenses.outcomes.thresholds import quantile
from slicewise.stats.patterns import Kinds, Patterns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


LENSES = [complement, difficulty]
FEW: dict[str, Any] = {"resamples": 20}


def assert_same(lens: Any, evaluation: Evaluation, *sizes: int, **options: Any) -> None:
    expected = lens(evaluation, **options).to_json()
    for size in sizes:
        assert lens(parted(evaluation, size), **options).to_json() == expected, size


def entities(folder: Path, **options: Any) -> Evaluation:
    systems = {name: folder / "systems" / f"{name}.conll" for name in ("gazetteer", "hmm", "perceptron")}
    several = [folder / "systems" / f"crf.{i}.conll" for i in (1, 2)]
    train = folder / "train.conll"
    return load(gold=folder / "test.conll", train=train, systems=systems | {"crf": several}, **options)


def sentiment(examples: Path) -> Evaluation:
    folder = examples / "sentiment"
    systems = {name: folder / "systems" / f"{name}.txt" for name in ("bayes", "lexicon", "perceptron")}
    return load(gold=f"{folder}/test.tsv:2", inputs=[f"{folder}/test.tsv:1"], task="labels", systems=systems)


def topics(examples: Path) -> Evaluation:
    folder = examples / "topics"
    systems = {name: f"{folder}/systems/{name}.jsonl:labels" for name in ("bayes", "keywords")}
    gold, text = f"{folder}/test.jsonl:labels", f"{folder}/test.jsonl:text"
    return load(gold=gold, inputs=[text], task="multilabel", systems=systems)


def questions(examples: Path) -> Evaluation:
    log = examples / "questions" / "log.jsonl"
    systems = {name: f"{log}:{name}.correct" for name in ("keywords", "neighbour", "parser")}
    return load(inputs=[f"{log}:question"], task="scores", systems=systems)


def translation(examples: Path) -> Evaluation:
    folder = examples / "translation"
    systems = {name: folder / "systems" / f"{name}.txt" for name in ("dictionary", "memory", "phrase")}
    return load(gold=folder / "test.ref", inputs=[folder / "test.src"], task="text", systems=systems)


EXAMPLES: dict[str, Callable[[Path], Evaluation]] = {
    "news": lambda examples: entities(examples / "news"),
    "chat": lambda examples: entities(examples / "chat", lower=True),
    "tokens": lambda examples: entities(examples / "news", task="tokens"),
    "sentiment": sentiment,
    "topics": topics,
    "questions": questions,
    "translation": translation,
}


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_parts_make_no_difference_to_the_examples(examples: Path, name: str, lens: Any) -> None:
    evaluation = EXAMPLES[name](examples)
    options = {"metrics": "wer"} if name == "translation" else {}
    assert_same(lens, evaluation, 5, **FEW, **options)


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("threshold", [None, 0.25, "25%", "100%"])
def test_thresholds_are_found_in_parts(lens: Any, threshold: float | str | None) -> None:
    rng = np.random.default_rng(7)
    scores = {name: np.round(rng.normal(size=90), 1).tolist() for name in "abc"}
    evaluation = Evaluation.from_scores(scores, inputs=[f"w{i % 5} v{i % 3}" for i in range(90)])
    assert_same(lens, evaluation, 4, threshold=threshold, **FEW)


def test_options_of_complement_work_in_parts(examples: Path) -> None:
    evaluation = entities(examples / "chat")
    assert_same(complement, evaluation, 5, restarts="each", top=2, compare=[("hmm", "perceptron")], **FEW)
    assert_same(complement, evaluation, 2, attributes="all", **FEW)


def test_options_of_difficulty_work_in_parts(examples: Path) -> None:
    evaluation = entities(examples / "chat")
    assert_same(difficulty, evaluation, 5, restarts="each", top=0, surface="Berlin", **FEW)
    assert_same(difficulty, evaluation, 2, attributes=["label", "eLen"], resamples=0)


def test_an_ensemble_of_data_in_parts_is_written(tmp_path: Path) -> None:
    evaluation = Evaluation.from_labels(list("abcabc"), {"x": list("abaacb"), "y": list("acbaba")})
    for name, own in (("one", evaluation), ("several", in_parts(evaluation, 3))):
        complement(own, write_ensemble=tmp_path / f"{name}.txt")
    assert (tmp_path / "several.txt").read_bytes() == (tmp_path / "one.txt").read_bytes()


# ---------------------------------------------------------------------- made data

ANSWERS = st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", None])] * 4), min_size=1, max_size=12)
SPANS = st.sets(st.tuples(st.integers(0, 3), st.integers(1, 2), st.sampled_from("XY")), max_size=3)
SENTENCES = st.lists(st.tuples(*[SPANS] * 4), min_size=1, max_size=7)
SCORES = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 0.5, -2.0])] * 3), min_size=1, max_size=12)
SIZES = st.integers(1, 5)


@pytest.mark.parametrize("lens", LENSES)
@with_examples(7)
@given(rows=ANSWERS, size=SIZES)
def test_labels(lens: Any, rows: list[tuple[str | None, ...]], size: int) -> None:
    gold, *systems = (list(column) for column in zip(*rows, strict=True))
    gold = [answer or "a" for answer in gold]
    evaluation = Evaluation.from_labels(gold, dict(zip("xyz", systems, strict=True)), texts=["w v"] * len(gold))
    assert_same(lens, evaluation, size, resamples=5)


@pytest.mark.parametrize("lens", LENSES)
@with_examples(7)
@given(rows=SENTENCES, size=SIZES)
def test_spans(lens: Any, rows: list[tuple[set[tuple[int, int, str]], ...]], size: int) -> None:
    sides = [
        [[(a, a + n, label) for a, n, label in sorted(own)] for own in column] for column in zip(*rows, strict=True)
    ]
    words = [[f"w{(i + j) % 3}" for j in range(5)] for i in range(len(rows))]
    evaluation = Evaluation.from_spans(words, sides[0], dict(zip("xyz", sides[1:], strict=True)))
    assert_same(lens, evaluation, size, resamples=5)


@pytest.mark.parametrize("lens", LENSES)
@with_examples(7)
@given(rows=SCORES, size=SIZES)
def test_scores(lens: Any, rows: list[tuple[float, ...]], size: int) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    evaluation = Evaluation.from_scores(dict(zip("xyz", columns, strict=True)))
    assert_same(lens, evaluation, size, resamples=5)


# ---------------------------------------------------------------------- what it rests on


@given(rows=SCORES, size=SIZES, q=st.floats(0, 1))
def test_a_quantile_is_that_of_numpy(rows: list[tuple[float, ...]], size: int, q: float) -> None:
    columns = dict(zip("xyz", (list(column) for column in zip(*rows, strict=True)), strict=True))
    evaluation = Evaluation.from_scores(columns)
    scored = outcome_counts(evaluation, tuple(columns)).reader.scored
    assert scored is not None
    expected = np.quantile(np.array(rows), q, method="inverted_cdf")
    assert quantile(in_parts(evaluation, size), scored, q) == quantile(evaluation, scored, q) == expected


@given(
    st.integers(1, 130).flatmap(
        lambda width: st.tuples(
            st.just(width), st.lists(st.tuples(st.integers(0, 2**width - 1), st.integers(0, 4)), max_size=20)
        )
    )
)
def test_patterns_are_written_as_numbers_and_read_again(given_rows: tuple[int, list[tuple[int, int]]]) -> None:
    width, rows = given_rows
    columns = [np.array([bits >> i & 1 for bits, _ in rows], np.bool_) for i in range(width)]
    patterns = Patterns.of(columns, np.array([at for _, at in rows], np.int64), 5)
    layout = Layout(width, 5)
    read = layout.patterns(layout.frame(patterns).sort(*layout.by))

    def seen(own: Patterns) -> list[tuple[int, tuple[bool, ...], int]]:
        return sorted(zip(own.slices.tolist(), map(tuple, own.bits.tolist()), own.counts.tolist(), strict=True))

    assert seen(read) == seen(patterns)
    assert sum(n for _, _, n in seen(read)) == len(rows)
    assert Kinds.among(columns).bits.shape[1] == width
