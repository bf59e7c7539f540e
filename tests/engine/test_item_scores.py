"""The score of every item, against a slow count of each item alone; and their statistics, which make the corpus."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_scores import f_beta
from support.strategies import BETAS, KINDS, Corpus, corpora, covered_metrics

from slicewise import Evaluation, score
from slicewise.annotations import Task
from slicewise.engine import items as items_module
from slicewise.engine.items import item_scores
from slicewise.errors import UserError
from slicewise.metrics import catalogue, find_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

SETS = [task for task in Task if task.has_units]
CASES: list[tuple[Task, str | None]] = [
    *((task, None) for task in Task if task is not Task.TEXT),
    *((Task.TEXT, kind) for kind in KINDS),
]
every_case = pytest.mark.parametrize(("task", "kind"), CASES)
drawn = with_examples(6, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture, shrink=False)
BY_WORDS = {"wer", "mean-wer", "wer-accuracy"}
BY_CHARACTERS = {"cer", "mean-cer", "cer-accuracy"}


def able(corpus: Corpus) -> list[str]:
    """Return the metrics of a corpus that can score one item."""
    covered = covered_metrics(corpus.task, corpus.kind)
    every = {name: metric for beta in BETAS for name, metric in catalogue(corpus.task, beta).items()}
    return sorted(name for name in covered if every[name].item_score and every[name].additive)


def scores(evaluation: Evaluation, name: str, system: str) -> list[float]:
    found = item_scores(evaluation, find_metric(name, evaluation.task), system)
    assert found.metric.name == name
    assert found.scores.shape == (evaluation.aligned.items,)
    assert len(found.statistics) == evaluation.aligned.items
    return [float(value) for value in found.scores]


# ---------------------------------------------------------------------- set tasks


def units_of(task: Task, answer: Any) -> set[Any]:
    """Return the units of one item's answer; the label stands last in each."""
    if task is Task.TOKENS:
        return {(at, tag) for at, tag in enumerate(answer) if tag != "O"}
    if task is Task.LABELS:
        return {(answer,)} if answer is not None else set()
    return {(label,) for label in answer} if task is Task.MULTILABEL else set(answer)


def slow(name: str, gold: set[Any], returned: set[Any]) -> float:
    """Return P, R or F of one item, also as a mean over labels; NaN where it is undefined."""
    if not gold and not returned:
        return 1.0
    how, _, measure = name.removeprefix("multilabel-").rpartition("-")
    if how:
        labels = sorted({unit[-1] for unit in gold | returned})
        own = [[{unit for unit in side if unit[-1] == label} for side in (gold, returned)] for label in labels]
        weights = [len(g) if how == "weighted" else 1 for g, _ in own]
        values = [slow(measure, g, r) for g, r in own]
        if not sum(weights):
            return math.nan
        return sum((0 if math.isnan(v) else v) * w for v, w in zip(values, weights, strict=True)) / sum(weights)
    tp = len(gold & returned)
    if measure in ("precision", "recall"):
        whole = returned if measure == "precision" else gold
        return tp / len(whole) if whole else math.nan
    found = f_beta(tp, len(returned), len(gold), float(measure[1:]))
    return math.nan if found is None else found


def slow_scores(corpus: Corpus, name: str, gold: Any, returned: Any, labels: int) -> float:
    expected, answer = units_of(corpus.task, gold), units_of(corpus.task, returned)
    if name == "exact-match":
        return float(expected == answer)
    if name == "hamming-loss":
        return len(expected ^ answer) / labels if labels else math.nan
    if name == "accuracy" and corpus.task is Task.LABELS:
        return float(gold == returned)
    if name == "accuracy":
        return sum(a == b for a, b in zip(gold, returned, strict=True)) / len(gold) if gold else math.nan
    return slow(name, expected, answer)


@pytest.mark.parametrize("task", SETS)
@pytest.mark.parametrize("block", [40, 1 << 22])
@drawn
@given(data=st.data())
def test_items_of_set_tasks(task: Task, block: int, data: st.DataObject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is held at a time."""
    corpus = data.draw(corpora(task))
    evaluation = corpus.evaluation()
    labels = len(evaluation.aligned.labels)
    monkeypatch.setattr(items_module, "BLOCK", block)
    means = ("macro", "weighted")
    for name in (name for name in able(corpus) if labels or not name.startswith(means)):
        for system, outputs in corpus.systems.items():
            pairs = zip(corpus.gold or (), outputs, strict=True)
            expected = [slow_scores(corpus, name, gold, returned, labels) for gold, returned in pairs]
            assert scores(evaluation, name, system) == pytest.approx(expected, abs=1e-12, nan_ok=True), name


def test_all_metrics_of_set_tasks_are_checked() -> None:
    shares = {f"{how}{m}" for how in ("", "macro-", "weighted-") for m in ("precision", "recall", "f1", "f2", "f0.5")}
    for task in SETS:
        checked = shares | {"exact-match", "hamming-loss", "accuracy"} | {f"multilabel-f{b:g}" for b in BETAS}
        assert set(able(Corpus(task, {"s": ()}))) <= checked


@pytest.mark.parametrize("name", ["f1", "f2", "precision", "recall", "macro-f1", "weighted-f1", "exact-match"])
def test_nothing_expected_and_nothing_returned_is_right(name: str) -> None:
    spans = Evaluation.from_spans([["a", "b"], ["c"], []], [[], [(0, 1, "X")], []], {"s": [[], [], []]})
    assert scores(spans, name, "s")[::2] == [1, 1]
    sets = Evaluation.from_labels([[], ["x"], []], {"s": [[], [], ["x"]]})
    assert scores(sets, name, "s")[0] == 1
    if name != "exact-match":
        tags = Evaluation.from_tags(None, [["O", "O"], ["A"]], {"s": [["O", "O"], ["O"]]}, task=Task.TOKENS)
        assert scores(tags, name, "s")[0] == 1


@pytest.mark.parametrize(("gold", "returned"), [([], [(0, 1, "X")]), ([(0, 1, "X")], [])])
def test_one_side_alone_is_wrong(gold: list[Any], returned: list[Any]) -> None:
    made = Evaluation.from_spans([["a"], ["b"]], [gold, []], {"s": [returned, []]})
    assert scores(made, "f1", "s") == [0, 1]
    assert scores(made, "macro-f1", "s") == [0, 1]
    assert scores(made, "exact-match", "s") == [0, 1]


def test_no_units_at_all() -> None:
    made = Evaluation.from_spans([["a"], []], [[], []], {"s": [[], []]})
    assert scores(made, "f1", "s") == [1, 1]
    assert scores(made, "exact-match", "s") == [1, 1]


def test_a_negative_label_and_no_answer() -> None:
    made = Evaluation.from_labels(["0", "0", "1", "1", "1"], {"s": ["0", "1", "0", "1", None]}, negative_label="0")
    assert scores(made, "accuracy", "s") == [1, 0, 0, 1, 0]
    assert scores(made, "f1", "s") == [1, 0, 0, 1, 0]


def test_tokens_with_several_wrong_units_at_one_place_are_one_wrong_token() -> None:
    made = Evaluation.from_tags(None, [["A", "B", "O", "A"]], {"s": [["B", "B", "A", "A"]]}, task=Task.TOKENS)
    assert scores(made, "accuracy", "s") == [0.5]


# ---------------------------------------------------------------------- text and scores


@drawn
@given(st.data())
def test_given_scores_are_the_scores(data: st.DataObject) -> None:
    corpus = data.draw(corpora(Task.SCORES))
    for system, outputs in corpus.systems.items():
        assert scores(corpus.evaluation(), "mean", system) == pytest.approx(list(outputs))


def distance(a: Sequence[str], b: Sequence[str]) -> int:
    @cache
    def between(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(between(i - 1, j) + 1, between(i, j - 1) + 1, between(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return between(len(a), len(b))


def slow_rate(output: Sequence[str], reference: Sequence[str]) -> float:
    if not reference:
        return float(bool(output))
    return distance(output, reference) / len(reference)


@drawn
@given(corpora(Task.TEXT, kind="sentences"))
@example(
    Corpus(Task.TEXT, {"s": ("", "a", "", "yes we can go", "no no no no")}, ("", "", "a", "yes we can go .", "no"))
)
def test_texts(corpus: Corpus) -> None:
    evaluation = corpus.evaluation()
    for system, outputs in corpus.systems.items():
        pairs = [
            (str(output).strip(), str(gold).strip()) for output, gold in zip(outputs, corpus.gold or (), strict=True)
        ]
        by_words = [slow_rate(output.split(), gold.split()) for output, gold in pairs]
        by_characters = [slow_rate(output, gold) for output, gold in pairs]
        for names, rates in ((BY_WORDS, by_words), (BY_CHARACTERS, by_characters)):
            for name in names:
                expected = [max(1 - rate, 0) for rate in rates] if name.endswith("accuracy") else rates
                assert scores(evaluation, name, system) == pytest.approx(expected), name
        exact = [float(output == gold) for output, gold in pairs]
        assert scores(evaluation, "exact-match", system) == exact
        for name, sentence in (
            ("bleu", lambda output, gold: sacrebleu.sentence_bleu(output, [gold])),
            ("chrf", lambda output, gold: sacrebleu.sentence_chrf(output, [gold])),
            ("ter", lambda output, gold: sacrebleu.sentence_ter(output, [gold])),
        ):
            right = 0 if name == "ter" else 100
            expected = [sentence(*pair).score if any(pair) else right for pair in pairs]
            assert scores(evaluation, name, system) == pytest.approx(expected, abs=1e-9), name


@drawn
@given(corpora(Task.TEXT, kind="tokens"))
def test_token_accuracy(corpus: Corpus) -> None:
    for system, outputs in corpus.systems.items():
        sides = [(g.split(), o.split()) for g, o in zip(corpus.gold or (), outputs, strict=True)]
        expected = [sum(map(str.__eq__, g, o)) / len(g) if g else 1.0 for g, o in sides]
        assert scores(corpus.evaluation(), "token-accuracy", system) == pytest.approx(expected)


@every_case
@drawn
@given(data=st.data())
def test_an_item_scores_what_it_would_as_a_corpus_of_its_own(task: Task, kind: str | None, data: st.DataObject) -> None:
    """Where that is defined, and not smoothed or measured by labels that other items have."""
    corpus = data.draw(corpora(task, kind=kind, items=(1, 3), systems=(1, 1)))
    (system,) = corpus.systems
    names = sorted(set(able(corpus)) - {"bleu", "hamming-loss"})
    found = {name: scores(corpus.evaluation(), name, system) for name in names}
    for i in range(corpus.items):
        alone = score(corpus.take([i]).evaluation(), metrics=names, resamples=0).to_dict()["result"]["systems"][system]
        for name in names:
            value = alone["metrics"][name]["value"]
            assert value is None or found[name][i] == pytest.approx(value, abs=1e-9), name


# ---------------------------------------------------------------------- from items to the corpus


@every_case
@drawn
@given(data=st.data())
def test_summed_statistics_make_the_corpus(task: Task, kind: str | None, data: st.DataObject) -> None:
    corpus = data.draw(corpora(task, kind=kind))
    evaluation, names = corpus.evaluation(), able(corpus)
    whole = score(evaluation, metrics=names, resamples=0).to_dict()["result"]["systems"]
    for name in names:
        metric = find_metric(name, task)
        for system in evaluation.systems:
            found = item_scores(evaluation, metric, system)
            value = float(metric.finish(found.statistics.sum(axis=0)))
            expected = whole[system]["metrics"][name]["value"]
            assert (None if math.isnan(value) else value) == (None if expected is None else pytest.approx(expected)), (
                name
            )


# ---------------------------------------------------------------------- metrics that cannot


@pytest.mark.parametrize(
    ("task", "name"),
    [
        (task, name)
        for task in Task
        for name, metric in catalogue(task).items()
        if not metric.item_score or not metric.additive
    ],
)
def test_a_metric_without_item_scores_names_those_that_have_them(task: Task, name: str) -> None:
    made = {
        Task.LABELS: lambda: Evaluation.from_labels(["a", "b"], {"s": ["a", "a"]}),
        Task.TOKENS: lambda: Evaluation.from_tags(None, [["A"]], {"s": [["A"]]}, task=Task.TOKENS),
        Task.TEXT: lambda: Evaluation.from_texts(["1", "2"], {"s": ["1", "3"]}),
    }[task]()
    with pytest.raises(UserError, match="no score of a single item") as caught:
        item_scores(made, find_metric(name, task), "s")
    named = str(caught.value).partition("use one of: ")[2].split(", ")
    assert named
    assert all(catalogue(task)[other].item_score and catalogue(task)[other].additive for other in named)
    assert name not in named
    assert np.isfinite(item_scores(made, find_metric(named[0], task), "s").scores).any()
