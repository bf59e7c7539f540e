"""Scores of labels, several labels and tagged tokens against scikit-learn; of given scores against numpy."""

from __future__ import annotations

import warnings
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.preprocessing import MultiLabelBinarizer
from support.profiles import with_examples
from support.strategies import ANSWERS, LABELS, Corpus, corpora

from slicewise import Evaluation, score
from slicewise.annotations import Task
from slicewise.engine.cells import metric_cells
from slicewise.metrics import find_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.lenses.score.result import SystemScores
    from slicewise.results.estimates import Prf

EVERY = ("accuracy", "balanced-accuracy", "kappa", "mcc", "f1", "macro-f1", "weighted-f1", "f2", "macro-f0.5")
one_label = corpora(Task.LABELS, items=(1, 12), systems=(1, 1), documents=False)
several_labels = corpora(Task.MULTILABEL, items=(1, 10), systems=(1, 1), documents=False)
tagged = corpora(Task.TOKENS, items=(1, 8), systems=(1, 1), documents=False)


def scored(corpus: Corpus, metrics: Sequence[str], **options: Any) -> SystemScores:
    result = score(corpus.evaluation(**options), metrics=metrics, resamples=0)
    return next(iter(result.systems.values()))


def output(corpus: Corpus) -> list[Any]:
    return list(next(iter(corpus.systems.values())))


def quietly(function: Any, *arguments: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def assert_one_label(ours: SystemScores, gold: list[str], returned: list[str], labels: list[str]) -> None:
    """Compare with scikit-learn over the labels that make units; all classes count for agreement."""
    values = {name: value.value for name, value in ours.metrics.items()}
    assert values["accuracy"] == pytest.approx(sk.accuracy_score(gold, returned))
    assert values["balanced-accuracy"] == pytest.approx(quietly(sk.balanced_accuracy_score, gold, returned))
    if set(gold) == set(returned) and len(set(gold)) == 1:
        assert values["kappa"] is None
    else:
        assert values["kappa"] == pytest.approx(quietly(sk.cohen_kappa_score, gold, returned), abs=1e-12)
    if len(set(gold)) == 1 or len(set(returned)) == 1:
        assert values["mcc"] is None
    else:
        assert values["mcc"] == pytest.approx(sk.matthews_corrcoef(gold, returned), abs=1e-12)
    used = [label for label in labels if label in {*gold, *returned}]
    assert list(ours.labels) == used
    if not used:
        assert values["f1"] is values["macro-f1"] is values["weighted-f1"] is None
        return
    shared = {"labels": used, "zero_division": 0}
    table = sk.precision_recall_fscore_support(gold, returned, **shared)
    for label, *row in zip(used, *table, strict=True):
        assert_row(ours.labels[label], row, returned.count(label))
    for name, average, beta in (
        ("f1", "micro", 1), ("macro-f1", "macro", 1), ("weighted-f1", "weighted", 1), ("f2", "micro", 2),
        ("macro-f0.5", "macro", 0.5),
    ):  # fmt: skip
        if average == "weighted" and not set(gold) & set(used):
            assert values[name] is None  # nothing to weigh by
            continue
        expected = sk.fbeta_score(gold, returned, beta=beta, average=average, **shared)
        assert values[name] == pytest.approx(expected, abs=1e-12), name


def assert_row(ours: Prf, theirs: Sequence[float], n_pred: int) -> None:
    precision, recall, f1, support = theirs
    assert (ours.n_gold, ours.n_pred) == (support, n_pred)
    assert ours.precision == (pytest.approx(precision) if n_pred else None)
    assert ours.recall == (pytest.approx(recall) if support else None)
    assert ours.f1 == pytest.approx(f1)


@with_examples(12)
@given(one_label)
@example(Corpus(Task.LABELS, {"s": ("A", "A")}, ("A", "A")))
@example(Corpus(Task.LABELS, {"s": ("A", "A")}, ("A", "B")))
def test_labels(corpus: Corpus) -> None:
    assert corpus.gold is not None
    assert_one_label(scored(corpus, EVERY), list(corpus.gold), output(corpus), list(LABELS))


@with_examples(12)
@given(one_label)
def test_labels_with_a_negative_one(corpus: Corpus) -> None:
    assert corpus.gold is not None
    ours = scored(corpus, EVERY, negative_label="A")
    assert_one_label(ours, list(corpus.gold), output(corpus), list(LABELS[1:]))


@with_examples(12)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=12))
def test_binary_f1_is_that_of_the_positive_label(pairs: list[tuple[int, int]]) -> None:
    gold, returned = map(list, zip(*pairs, strict=True))
    evaluation = Evaluation.from_labels(gold, {"s": returned}, negative_label="0")
    values = score(evaluation, metrics=["f1", "precision", "recall"], resamples=0).systems["s"].metrics
    for name, function, n in (
        ("f1", sk.f1_score, sum(gold) + sum(returned)),
        ("precision", sk.precision_score, sum(returned)),
        ("recall", sk.recall_score, sum(gold)),
    ):
        expected = function(gold, returned, pos_label=1, zero_division=0)
        assert values[name].value == (pytest.approx(expected) if n else None), name


@pytest.mark.parametrize("negative", [None, "A"])
def test_an_item_without_an_answer_is_wrong(negative: str | None) -> None:
    """Also where gold is the negative label: no answer is not that answer."""
    evaluation = Evaluation.from_labels(["A", "B", "A", "B"], {"s": [None, "B", "A", None]}, negative_label=negative)
    value = score(evaluation, metrics=["accuracy"], resamples=0).systems["s"].metrics["accuracy"]
    assert any("counted as wrong" in warning for warning in evaluation.warnings)
    assert value.value == 0.5


@with_examples(12)
@given(several_labels)
def test_several_labels(corpus: Corpus) -> None:
    assert corpus.gold is not None
    names = ("f1", "macro-f1", "weighted-f1", "exact-match", "hamming-loss", "precision", "recall", "f2")
    ours = scored(corpus, names)
    values = {name: value.value for name, value in ours.metrics.items()}
    returned = output(corpus)
    labels = sorted(set(chain(*corpus.gold, *returned)))
    if not labels:
        assert values["exact-match"] == 1
        assert {values[name] for name in names if name != "exact-match"} == {None}
        return
    # a column that nobody uses: scikit-learn takes a matrix of one column for something else
    both = [MultiLabelBinarizer(classes=[*labels, "none"]).fit_transform(side) for side in (corpus.gold, returned)]
    n_gold, n_pred = both[0].sum(), both[1].sum()
    assert values["exact-match"] == pytest.approx(sk.accuracy_score(*both))
    assert values["hamming-loss"] == pytest.approx(sk.hamming_loss(*both) * (len(labels) + 1) / len(labels))
    shared = {"labels": list(range(len(labels))), "zero_division": 0}
    for name, average in (("f1", "micro"), ("macro-f1", "macro"), ("weighted-f1", "weighted")):
        expected = sk.f1_score(*both, average=average, **shared)
        assert values[name] == (None if average == "weighted" and not n_gold else pytest.approx(expected)), name
    assert values["f2"] == pytest.approx(sk.fbeta_score(*both, beta=2, average="micro", **shared))
    assert values["precision"] == (sk.precision_score(*both, average="micro", **shared) if n_pred else None)
    assert values["recall"] == (sk.recall_score(*both, average="micro", **shared) if n_gold else None)
    table = sk.precision_recall_fscore_support(*both, **shared)
    for i, (label, *row) in enumerate(zip(labels, *table, strict=True)):
        assert_row(ours.labels[label], row, int(both[1][:, i].sum()))


@with_examples(12)
@given(tagged)
def test_tokens(corpus: Corpus) -> None:
    assert corpus.gold is not None
    gold, returned = list(chain(*corpus.gold)), list(chain(*output(corpus)))
    ours = scored(corpus, EVERY)
    if gold:
        assert_one_label(ours, gold, returned, list(LABELS))
    else:
        assert {value.value for value in ours.metrics.values()} == {None}


@with_examples(15)
@given(tagged)
def test_tokens_with_another_negative_label(corpus: Corpus) -> None:
    assert corpus.gold is not None
    gold, returned = list(chain(*corpus.gold)), list(chain(*output(corpus)))
    if gold:
        assert_one_label(scored(corpus, EVERY, negative_label="B"), gold, returned, ["A", "C-D", "O"])


def test_tokens_are_compared_as_written_or_without_prefix() -> None:
    gold, returned = [["B-X", "I-X", "O", "B-Y"]], [["I-X", "I-X", "O", "B-X"]]
    for strip, tp in ((False, 1), (True, 2)):
        evaluation = Evaluation.from_tags(None, gold, {"s": returned}, task="tokens", strip_prefix=strip)
        micro = score(evaluation, resamples=0).systems["s"].micro
        assert micro is not None
        assert (micro.n_gold, micro.n_pred, micro.tp) == (3, 3, tp)


@with_examples(12)
@given(one_label, st.sampled_from([None, "A"]))
def test_confusions_of_labels(corpus: Corpus, negative: str | None) -> None:
    assert corpus.gold is not None
    ours = scored(corpus, ["accuracy"], negative_label=negative)
    table = sk.confusion_matrix(corpus.gold, output(corpus), labels=LABELS)
    found = {(c.gold, c.returned): c.n for c in ours.confusions}
    assert found == {
        (a, b): n for a, row in zip(LABELS, table, strict=True) for b, n in zip(LABELS, row, strict=True) if n
    }


@with_examples(12)
@given(st.lists(ANSWERS[Task.SCORES], min_size=1, max_size=30))
@example([-5.4e-304])
@example([1e300, 1e299])
def test_mean_of_scores(values: list[float]) -> None:
    found = score(Evaluation.from_scores({"s": values}), resamples=0).systems["s"].metrics["mean"].value
    assert found == pytest.approx(np.mean(values), rel=1e-12, abs=1e-12)


def test_answers_that_are_right_or_wrong_are_scores() -> None:
    result = score(Evaluation.from_scores({"s": [True, False, True, True]}), resamples=0)
    assert result.systems["s"].metrics["mean"].value == 0.75


@pytest.mark.parametrize("largest", [1e6, 1e12, 1e18])
def test_one_large_score_does_not_blur_the_others(largest: float) -> None:
    """Draws without the large one are means of the others."""
    evaluation = Evaluation.from_scores({"s": [largest, 0.1, 0.7]})
    cells = metric_cells(evaluation, find_metric("mean", Task.SCORES), ["s"])
    assert cells[:, 0, 1].tolist() == pytest.approx([largest, 0.1, 0.7], rel=1e-9)
