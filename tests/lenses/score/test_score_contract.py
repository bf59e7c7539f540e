"""The JSON of `score`: names and types that scripts rely on, and the line that pins how it was made."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.few_draws import few_draws
from support.profiles import with_examples
from support.strategies import Corpus, corpora

import slicewise
from slicewise import Evaluation, UserError, load, score, units
from slicewise.annotations import Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.commands import Write

    from slicewise.lenses.score.result import ScoreResult

KINDS = {"boundary", "type", "boundary_type", "missed", "spurious"}
WAYS = {"strict", "exact", "partial", "type"}
METRICS = {Task.TEXT: ["exact-match"]}
DATA = {"name", "task", "items", "clusters", "gold_units", "systems", "train", "warnings"}


@pytest.fixture(autouse=True, scope="module")
def draws() -> Iterator[None]:
    with few_draws(60):
        yield


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def check_interval(ci: Any) -> None:
    if ci is not None:
        assert len(ci) == 2
        assert all(map(is_number, ci))
        assert ci[0] <= ci[1]


def check_share(value: Any) -> None:
    assert value is None or (is_number(value) and 0 <= value <= 1)


def check_prf(prf: dict[str, Any]) -> None:
    assert {"n_gold", "n_pred", "tp", "precision", "recall", "f1", "ci"} <= set(prf)
    assert type(prf["n_gold"]) is type(prf["n_pred"]) is int
    assert is_number(prf["tp"])
    assert 0 <= prf["tp"] <= min(prf["n_gold"], prf["n_pred"])
    for name, n in (("precision", prf["n_pred"]), ("recall", prf["n_gold"]), ("f1", prf["n_gold"] + prf["n_pred"])):
        check_share(prf[name])
        assert (prf[name] is None) == (n == 0), name
        check_interval(prf["ci"] and prf["ci"][name])


def check_document(document: dict[str, Any], task: Task, resamples: int) -> None:
    assert list(document) == ["slicewise", "schema", "command", "signature", "data", "result"]
    assert document["slicewise"] == slicewise.__version__
    assert document["schema"] == 1
    assert document["command"] == "score"
    assert "\n" not in document["signature"]
    assert set(document["data"]) >= DATA
    assert document["data"]["task"] == task.value
    assert document["data"]["train"] is None
    assert (document["data"]["gold_units"] is None) == (not task.has_units)
    systems, pairs = document["result"]["systems"], document["result"]["pairs"]
    assert list(systems) == document["data"]["systems"]
    for scores in systems.values():
        check_system(scores, task, resamples)
    names = [(p["a"], p["b"]) for p in pairs]
    metrics = len(next(iter(systems.values()))["metrics"])
    assert sorted(names) == sorted(list(combinations(sorted(systems), 2)) * metrics)
    for pair in pairs:
        assert set(pair) >= {"a", "b", "metric", "a_value", "b_value", "difference"}
        assert pair["a"] < pair["b"]
        check_interval(pair.get("ci"))
        for name in ("p", "q"):
            check_share(pair.get(name))
        if not resamples:
            assert pair.get("ci") is pair.get("p") is pair.get("q") is None


def check_system(scores: dict[str, Any], task: Task, resamples: int) -> None:
    for value in scores["metrics"].values():
        assert set(value) >= {"value", "ci"}
        assert value["value"] is None or is_number(value["value"])
        check_interval(value["ci"])
        assert resamples or value["ci"] is None
    if not task.has_units:
        assert "micro" not in scores
        return
    check_prf(scores["micro"])
    assert set(scores["macro"]) >= {"precision", "recall", "f1"}
    for name in ("precision", "recall", "f1"):
        check_share(scores["macro"][name])
    for label, prf in scores["labels"].items():
        assert isinstance(label, str)
        check_prf(prf)
    if task is Task.SPANS:
        assert set(scores["errors"]) == KINDS
        assert all(type(n) is int and n >= 0 for n in scores["errors"].values())
        assert set(scores["semeval"]) == WAYS
        for prf in scores["semeval"].values():
            check_prf(prf)


@pytest.mark.parametrize("task", list(Task))
@with_examples(15, shrink=False)
@given(data=st.data())
def test_names_and_types(task: Task, data: st.DataObject) -> None:
    corpus = data.draw(corpora(task))
    resamples = data.draw(st.sampled_from([0, 10]))
    result = score(corpus.evaluation(), metrics=METRICS.get(task, []), resamples=resamples)
    text = result.to_json()
    assert "NaN" not in text
    assert "Infinity" not in text
    document = json.loads(text, parse_constant=pytest.fail)
    assert document == result.to_dict()
    assert json.loads(json.dumps(document)) == document
    check_document(document, task, resamples)


NOTHING = [
    Corpus(Task.SPANS, {"a": ((),), "b": ((),)}, ((),), lengths=(2,)),
    Corpus(Task.TOKENS, {"a": (("O",),), "b": (("O",),)}, (("O",),)),
    Corpus(Task.MULTILABEL, {"a": ((), ()), "b": ((), ())}, ((), ())),
]


@pytest.mark.parametrize("corpus", NOTHING, ids=lambda corpus: corpus.task.value)
@pytest.mark.parametrize("resamples", [0, 10])
def test_nothing_at_all_has_the_same_names(corpus: Corpus, resamples: int) -> None:
    check_document(score(corpus.evaluation(), resamples=resamples).to_dict(), corpus.task, resamples)


def test_proportions_are_fractions() -> None:
    corpus = Corpus(Task.LABELS, {"s": ("A", "A", "B", "B")}, ("A", "B", "B", "B"))
    assert score(corpus.evaluation(), resamples=0).to_dict()["result"]["systems"]["s"]["metrics"]["accuracy"] == {
        "value": 0.75,
        "ci": None,
        "undefined_draws": 0,
    }


def test_no_items_are_no_clusters() -> None:
    result = score(Evaluation.from_labels([], {"s": []}))
    assert (result.data["items"], result.data["clusters"]) == (0, 0)


def test_a_reference_with_a_tab_in_it_is_one_reference() -> None:
    """Several references are given as a list; tabs separate them in files of lines only."""
    result = score(Evaluation.from_texts(["a\tb"], {"s": ["a\tb"]}), metrics=["exact-match"], resamples=0)
    assert result.systems["s"].metrics["exact-match"].value == 1


@pytest.mark.parametrize("references", [["no", "yes"], ("yes",), ["yes "]])
def test_any_of_several_references(references: Any) -> None:
    evaluation = Evaluation.from_texts([references, ["no"]], {"s": [" yes", "yes"]})
    assert score(evaluation, metrics=["exact-match"], resamples=0).systems["s"].metrics["exact-match"].value == 0.5


@pytest.mark.parametrize("beta", [1e-7, 0.3, 3, 1_234_567.0])
def test_every_beta_above_zero(beta: float) -> None:
    evaluation = Evaluation.from_tags(None, [["B-X", "B-X"]], {"s": [["B-X", "O"]]})
    metric = next(iter(score(evaluation, beta=beta, resamples=0).systems["s"].metrics.values()))
    assert metric.value == pytest.approx((1 + beta**2) * 0.5 / (beta**2 + 0.5))


@pytest.mark.parametrize(
    "options",
    [
        {"beta": 0}, {"beta": math.inf}, {"resamples": -1}, {"confidence": 1}, {"confidence": 0}, {"seed": -1},
        {"restarts": "last"}, {"metrics": ["f-1"]}, {"metrics": ["f0"]}, {"metrics": ["mean"]},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        score(Evaluation.from_tags(None, [["B-X"]], {"s": [["B-X"]]}), **options)


def test_a_system_named_as_a_column_keeps_its_column() -> None:
    """The unit table has a column per system and some of its own; none may stand in for another."""
    try:
        evaluation = Evaluation.from_tags(None, [["B-X"]], {"bin": [["O"]], "a": [["B-X"]]})
    except UserError:
        return
    table = units(evaluation, include=["bins"]).frame
    assert table["bin"].to_list() == [False]


# ------------------------------------------------------------------ the signature

GOLD = "Ann\tX\tB-PER\nran\tY\tO\n\nBob\tX\tB-PER\n"
SYSTEM = "Ann\tX\tB-PER\nran\tY\tB-PER\n\nBob\tX\tO\n"


def signature(scoring: dict[str, Any] | None = None, **options: Any) -> str:
    given: dict[str, Any] = {"gold": "gold.conll", "systems": {"s": "system.conll"}}
    result: ScoreResult = score(load(**(given | options)), **({"resamples": 5} | (scoring or {})))
    assert json.loads(result.to_json())["signature"] == result.signature
    return result.signature


@pytest.fixture
def files(write: Write) -> Write:
    write("gold.conll", GOLD)
    write("system.conll", SYSTEM)
    return write


def test_the_signature_pins_version_files_and_seed(files: Write) -> None:
    from hashlib import sha256

    found = signature({"seed": 17})
    assert slicewise.__version__ in found
    assert "seed:17" in found
    assert sha256(GOLD.encode()).hexdigest()[:12] in found
    assert sha256(SYSTEM.encode()).hexdigest()[:12] in found
    assert "conll" not in found.replace("task:spans", "")
    assert found == signature({"seed": 17})


def test_the_signature_does_not_change_with_a_files_name(files: Write) -> None:
    before = signature()
    files("other/name.txt", GOLD)
    files("s.bio", SYSTEM)
    assert signature(gold="other/name.txt", systems={"s": "s.bio"}, name="x") == before


@pytest.mark.parametrize("name", ["gold.conll", "system.conll"])
def test_the_signature_changes_with_a_byte(files: Write, name: str) -> None:
    before = signature()
    files(name, (GOLD if name == "gold.conll" else SYSTEM).replace("ran", "Ran"))
    assert signature() != before


@pytest.mark.parametrize(
    "options",
    [
        {"scheme": "iob1"}, {"strict": True}, {"strict_tokens": True}, {"lower": True}, {"map": {"PER": "X"}},
        {"ignore": ["LOC"]}, {"cluster": "item"}, {"task": "tokens"}, {"task": "tokens", "negative_label": "X"},
        {"task": "tokens", "strip_prefix": True}, {"train": "gold.conll"}, {"systems": {"t": "system.conll"}},
        {"systems": {"s": "system.conll:2"}, "task": "tokens"}, {"gold": "gold.conll:2", "task": "tokens"},
    ],
    ids=str,
)  # fmt: skip
def test_the_signature_changes_with_every_option_of_reading(files: Write, options: dict[str, Any]) -> None:
    plain: dict[str, Any] = {"task": "tokens"} if options.get("task") == "tokens" and len(options) > 1 else {}
    assert signature(**options) != signature(**plain)


@pytest.mark.parametrize(
    "options",
    [
        {"seed": 1}, {"resamples": 6}, {"resamples": 0}, {"confidence": 0.9}, {"confidence": 0.95000001}, {"beta": 2},
        {"metrics": ["recall"]}, {"metrics": ["f1", "recall"]}, {"restarts": "each"},
        {"beta": 2.0000001},
    ],
    ids=str,
)  # fmt: skip
def test_the_signature_changes_with_every_option_of_scoring(files: Write, options: dict[str, Any]) -> None:
    plain: dict[str, Any] = {"beta": 2} if options.get("beta") == 2.0000001 else {}
    assert signature(options) != signature(plain)
