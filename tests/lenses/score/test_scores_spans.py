"""Scores of spans against seqeval, and against a slow reading of conlleval's rules."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from seqeval.metrics import classification_report
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES
from support.profiles import with_examples
from support.slow_scores import conlleval_spans, f_beta, label_means, prf
from support.strategies import tag_sequences, tagged_pairs

from slicewise import Evaluation, score

if TYPE_CHECKING:
    from slicewise.lenses.score.result import SystemScores

Tags = list[list[str]]
Pair = tuple[Tags, Tags]

STRICT = {"iob1": (IOB1, "IB"), "iob2": (IOB2, "BI"), "bioes": (IOBES, "BIES"), "bilou": (BILOU, "BILU")}
LETTERS = {"iob1": "IB", "iob2": "BI", "bioes": "BIES", "bilou": "BILU", "bmes": "BMESW", "io": "I"}


def scores(gold: Tags, predicted: Tags, **options: Any) -> SystemScores:
    evaluation = Evaluation.from_tags(None, gold, {"system": predicted}, task="spans", **options)
    return score(evaluation, resamples=0).systems["system"]


def seqeval_report(gold: Tags, predicted: Tags, **options: Any) -> dict[str, dict[str, float]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = classification_report(gold, predicted, output_dict=True, zero_division=0, **options)
    return dict(report)


def assert_as_seqeval(ours: SystemScores, report: dict[str, dict[str, float]]) -> None:
    """Compare every number of the report; what is undefined here is 0 there."""
    assert ours.micro is not None
    assert ours.macro is not None
    assert ours.weighted is not None
    means = {"micro avg": ours.micro, "macro avg": ours.macro, "weighted avg": ours.weighted}
    rows: dict[str, Any] = {**means, **ours.labels}
    assert set(rows) == set(report)
    for name, row in rows.items():
        for measure, key in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            assert (getattr(row, measure) or 0.0) == pytest.approx(report[name][key], abs=1e-12), (name, measure)
        if name not in means or name == "micro avg":
            assert row.n_gold == report[name]["support"]


def has_spans(gold: Tags, predicted: Tags) -> bool:
    return any(tag != "O" for side in (gold, predicted) for sentence in side for tag in sentence)


@with_examples(12)
@given(st.sampled_from(["BI", "IB", "BIES", "I"]).flatmap(tagged_pairs))
@example(([["B-X", "I-Y", "I-Y", "O", "I-Y"]], [["I-X", "B-X", "I-X", "E-X", "I-X"]]))
@example(([["O"]], [["B-X"]]))
@example(([["S-X", "I-X", "E-X", "E-X", "S-X"], ["I-X"]], [["I-X"] * 5, ["I-Y"]]))
def test_lenient_as_seqeval(pair: Pair) -> None:
    gold, predicted = pair
    assume(has_spans(gold, predicted))
    assert_as_seqeval(scores(gold, predicted), seqeval_report(gold, predicted))


@pytest.mark.parametrize("scheme", STRICT)
@with_examples(30)
@given(data=st.data())
def test_strict_as_seqeval(scheme: str, data: st.DataObject) -> None:
    theirs, letters = STRICT[scheme]
    gold, predicted = data.draw(tagged_pairs(letters))
    ours = scores(gold, predicted, scheme=scheme, strict=True)
    assume(ours.labels)
    assert_as_seqeval(ours, seqeval_report(gold, predicted, mode="strict", scheme=theirs))


@pytest.mark.parametrize(("scheme", "letters"), LETTERS.items())
@given(data=st.data())
def test_lenient_as_conlleval(scheme: str, letters: str, data: st.DataObject) -> None:
    gold, predicted = data.draw(tagged_pairs(letters))
    ours = scores(gold, predicted, scheme=data.draw(st.sampled_from(["auto", scheme])))
    expected, returned = conlleval_spans(gold), conlleval_spans(predicted)
    micro = ours.micro
    assert micro is not None
    found = (micro.n_gold, micro.n_pred, micro.tp, micro.precision, micro.recall, micro.f1)
    assert found == pytest.approx(prf(expected, returned))
    assert set(ours.labels) == {span[3] for span in expected | returned}
    for label, row in ours.labels.items():
        own = [{span for span in side if span[3] == label} for side in (expected, returned)]
        found = (row.n_gold, row.n_pred, row.tp, row.precision, row.recall, row.f1)
        assert found == pytest.approx(prf(*own))


@with_examples(12)
@given(tag_sequences("BI"), st.data())
def test_gold_and_system_may_use_different_schemes(gold: Tags, data: st.DataObject) -> None:
    """The same spans written in two schemes are the same spans."""
    read = conlleval_spans(gold)
    single, last = data.draw(st.sampled_from([("S", "E"), ("U", "L"), ("W", "E"), ("B", "I")]))
    written = [["O"] * len(sentence) for sentence in gold]
    for item, start, end, label in read:
        prefixes = [single] if end - start == 1 else ["B", *["I"] * (end - start - 2), last]
        written[item][start:end] = [f"{prefix}-{label}" for prefix in prefixes]
    micro = scores(gold, written).micro
    assert micro is not None
    assert micro.n_gold == micro.n_pred == micro.tp == len(read)


@pytest.mark.parametrize("beta", [0.25, 0.5, 1.0, 2.0, 10.0])
@with_examples(12)
@given(pair=tagged_pairs("BI"))
def test_f_beta(beta: float, pair: Pair) -> None:
    evaluation = Evaluation.from_tags(None, pair[0], {"system": pair[1]}, task="spans")
    names = [f"f{beta:g}", f"macro-f{beta:g}", f"weighted-f{beta:g}"]
    by_name = score(evaluation, metrics=names, resamples=0).systems["system"].metrics
    expected, returned = conlleval_spans(pair[0]), conlleval_spans(pair[1])
    micro = f_beta(len(expected & returned), len(returned), len(expected), beta)
    for name, value in zip(names, [micro, *label_means(expected, returned, beta)], strict=True):
        assert by_name[name].value == (None if value is None else pytest.approx(value, abs=1e-12)), name
    by_option = score(evaluation, beta=beta, resamples=0)
    assert by_option.metrics[:2] == (names[0], names[1])
    assert by_option.systems["system"].metrics[names[0]] == by_name[names[0]]


def test_exact_match_counts_sentences_without_spans_too() -> None:
    gold = [["B-X"], ["O"], ["O"], ["B-X"]]
    predicted = [["B-X"], ["O"], ["B-X"], ["O"]]
    assert scores(gold, predicted).metrics["exact-match"].value == 0.5
