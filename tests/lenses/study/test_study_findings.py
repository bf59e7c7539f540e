"""`study` on small data made for it: what it says of a strong effect, what it must not say, and what it hands on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import slicewise
from slicewise import Evaluation, UserError, study
from slicewise.lenses.study.view import sentences
from slicewise.render.blocks import Grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from slicewise.lenses.study.result import StudyResult

Span = tuple[int, int, str]


def by_length(name: str, found: Mapping[str, Sequence[int]], per: int = 10, label: str = "LOC") -> Evaluation:
    """Return a data set with so many entities of 1, 2, 3 and 4 tokens; a system finds some of each length."""
    sizes = [n for n in (1, 2, 3, 4) for _ in range(per)]
    items = [["w"] * n + ["."] for n in sizes]
    gold: list[list[Span]] = [[(0, n, label)] for n in sizes]
    systems = {
        system: [spans if k % per < kept[n - 1] else [] for k, (n, spans) in enumerate(zip(sizes, gold, strict=True))]
        for system, kept in found.items()
    }
    return Evaluation.from_spans(items, gold, systems, name=name)


def by_label(name: str, wrong: Sequence[int], labels: Sequence[str], per: int = 10) -> Evaluation:
    """Return a data set with so many entities of each label; of each the system misses some."""
    items = [["w", "."] for _ in labels for _ in range(per)]
    gold: list[list[Span]] = [[(0, 1, label)] for label in labels for _ in range(per)]
    missed = [k < wrong[j] for j in range(len(labels)) for k in range(per)]
    return Evaluation.from_spans(
        items, gold, {"s": [[] if m else spans for m, spans in zip(missed, gold, strict=True)]}, name=name
    )


@pytest.fixture(scope="module")
def strong() -> StudyResult:
    """On six data sets `weak` loses long entities, and `good` does not."""
    sets = [
        by_length(f"d{k}", {"weak": (10, 8 - k % 2, 5, k % 3), "good": (10, 10, 9 + k % 2, 9)}, per=10)
        for k in range(6)
    ]
    return study(sets, attributes="eLen", resamples=0)


# ---------------------------------------------------------------------- what it says


def test_sentences_of_a_strong_effect(strong: StudyResult) -> None:
    said = sentences(strong)
    own = {(d.a, d.b, d.kind): d for d in strong.diagnoses}
    gap, difference = own["weak", None, "self"], own["good", "weak", "largest"]
    assert (gap.best, gap.worst, difference.best) == ("XS", "XL", "XL")
    for d in (gap, difference):
        assert d.p is not None
        assert d.q is not None
        assert d.p <= d.q < 0.001
        assert d.n == 6
    assert f"• weak loses {gap.difference:.2f} F1 from eLen:XS to eLen:XL over 6 data sets (q <0.001)." in said
    line = f"• good beats weak by {difference.difference:.2f} F1 on eLen:XL over 6 data sets (q <0.001)."
    assert line in said
    assert said[0].startswith("• weak loses")  # the widest first
    assert str(strong).splitlines()[1] == said[0]


def test_the_worse_system_may_be_named_first() -> None:
    sets = [by_length(f"d{k}", {"a": (10, 8, 5, k % 3), "b": (10, 10, 9, 9)}) for k in range(6)]
    said = sentences(study(sets, attributes="eLen", resamples=0))
    assert any(s.startswith("• b beats a by 0.") and "on eLen:XL over 6 data sets" in s for s in said)
    assert not any("a beats b" in s for s in said)


def test_too_few_data_sets_to_be_sure() -> None:
    """Two buckets can be labelled in two ways: on 4 data sets, in one of 8 all agree."""
    sets = [by_label(f"d{k}", (0, 9), ("LOC", "PER")) for k in range(4)]
    result = study(sets, attributes="label", resamples=0)
    (d,) = result.diagnoses
    assert d.smallest_p == pytest.approx(1 / 8)
    assert d.p is not None
    assert d.p == pytest.approx(1 / 8, abs=0.01)
    (said,) = sentences(result)
    assert "No diagnosis survives correction" in said
    (shown,) = [b for b in result.blocks() if isinstance(b, Grid) and b.name == "self-diagnosis"]
    assert shown.lead == "With 4 data sets no p can be below 0.12: nothing here can be significant."
    assert not shown.faint
    assert shown.lead in str(result)
    assert shown.lead in result.to_markdown()
    assert shown.lead in result.to_latex()
    assert shown.lead in result._repr_html_()


def test_three_data_sets_are_enough_for_a_strong_effect() -> None:
    sets = [by_length(f"d{k}", {"a": (10, 8, 5, k), "b": (10, 10, 9, 8)}) for k in range(3)]
    result = study(sets, attributes="eLen", resamples=0)
    said = sentences(result)
    assert any(s.startswith("• a loses") and "over 3 data sets" in s for s in said), said
    assert any(s.startswith("• b beats a") for s in said), said


def test_restarts_are_averaged_and_no_data_sets_of_their_own() -> None:
    kept = [(10, 7, 8, 6), (7, 9, 8, 9), (9, 7, 9, 7)]
    sets = []
    for k in range(3):
        e = by_length(f"d{k}", {f"s#{i + 1}": own for i, own in enumerate(kept)})
        sets.append(replace(e, restarts={"s": ("s#1", "s#2", "s#3")}))
    plain = study(sets, attributes="eLen", resamples=0)
    assert {d.n for d in plain.diagnoses} == {3}
    assert study(sets, attributes="eLen", resamples=0, restarts="blocks").diagnoses == plain.diagnoses


def test_what_differs_on_each_data_set_in_its_own_way_is_no_finding() -> None:
    """Every label is by far the worst on one data set, which is no finding about labels over all of them."""
    labels = [f"L{k}" for k in range(6)]
    sets = [by_label(f"d{k}", [9 if j == k else j % 2 for j in range(6)], labels) for k in range(6)]
    result = study(sets, attributes="label", resamples=0)
    (d,) = result.diagnoses
    assert d.p is not None
    assert d.p > 0.05
    assert {own.difference is not None for own in d.by_dataset} == {True}
    assert not any("loses" in said for said in sentences(result)), sentences(result)


def test_one_data_set_is_tested_within() -> None:
    found = study([by_length("d", {"a": (10, 9, 3, 0), "b": (10, 9, 9, 9)})], attributes="eLen", resamples=60)
    said = sentences(found)
    gap = next(d for d in found.diagnoses if d.kind == "self" and d.a == "a")
    assert gap.raw_difference == 1
    assert gap.difference is not None
    assert 0.9 < gap.difference < 1  # it was picked for being large
    assert any(s.startswith(f"• a loses {gap.difference:.2f} F1 from eLen:XS to eLen:XL on d (q") for s in said), said


def test_scores_of_items_are_diagnosed_as_counts_are() -> None:
    scores = {"low": [0.1, 0.2, 0.1, 0.6] * 8, "high": [0.5, 0.6, 0.5, 0.9] * 8}
    texts = ["a", "a b", "a b c", "a b c d"] * 8
    sets = [Evaluation.from_scores(scores, inputs=texts, name=f"d{k}") for k in range(6)]
    result = study(sets, attributes="tokens", resamples=0)
    assert result.metric == "mean"
    own = next(d for d in result.diagnoses if d.kind == "self" and d.a == "low")
    assert (own.best, own.worst) == ("XL", "XS")
    assert own.difference == pytest.approx(0.5)
    assert own.p is not None
    assert own.p < 0.001
    assert "• low loses 0.50 mean from tokens:XL to tokens:XS over 6 data sets (q <0.001)." in sentences(result)
    assert {c.n_gold for c in result.performance} == {8}
    assert {(c.tp, c.f1) for c in result.performance} == {(None, None)}


# ---------------------------------------------------------------------- what it warns of


def test_labels_that_differ_are_said() -> None:
    sets = [by_length("x", {"s": (1, 2, 3, 4)}), by_length("y", {"s": (1, 2, 3, 4)}, label="PER")]
    found = study(sets, attributes="eLen", resamples=0)
    assert found.data["warnings"][0] == "gold labels differ between data sets: 'LOC' only in x; 'PER' only in y"
    assert found.data["labels"] == {"x": ["LOC"], "y": ["PER"]}
    same = study([sets[0], by_length("z", {"s": (1, 2, 3, 4)})], attributes="eLen", resamples=0)
    assert not any("labels differ" in w for w in same.data["warnings"])


def test_a_system_that_is_missing_is_said() -> None:
    sets = [by_length("x", {"s": (1, 2, 3, 4), "t": (4, 3, 2, 1)}), by_length("y", {"s": (1, 2, 3, 4)})]
    found = study(sets, attributes="eLen", resamples=0)
    assert found.missing == (("t", "y"),)
    assert "t is missing on y: its means are over the other data sets" in found.data["warnings"]
    assert {m.dataset for m in found.model_wise if m.system == "t"} == {"x", None}
    assert {c.dataset for c in found.relative_changes} == {"x"}


# ---------------------------------------------------------------------- what it takes and gives


def test_evaluations_may_come_one_by_one_and_are_named_as_they_are_broken_down() -> None:
    seen: list[str] = []
    sets = (by_length(f"d{k}", {"s": (4, 3, 2, 1)}) for k in range(3))
    found = study(sets, attributes=["eLen", "sLen"], resamples=0, on_dataset=seen.append)
    assert seen == ["d0", "d1", "d2"]
    assert found.datasets == ("d0", "d1", "d2")
    assert list(found.attributes) == ["eLen", "sLen"]
    assert slicewise.study is study


def test_a_function_as_attribute() -> None:
    def long(units: pl.DataFrame) -> pl.Series:
        """whether it is long"""
        return units["end"] - units["start"] > 2

    found = study([by_length("d", {"s": (4, 3, 2, 1)})], attributes=[long], resamples=0)
    assert found.attributes == {"long": "whether it is long"}
    assert {(c.bucket, c.n_gold, c.tp) for c in found.performance} == {("no", 20, 7), ("yes", 20, 3)}


def test_pairs_as_they_were_asked_for() -> None:
    sets = [by_length(f"d{k}", {"a": (4, 3, 2, 1), "b": (5, 5, 5, 5), "c": (9, 9, 9, k)}) for k in range(3)]
    found = study(sets, attributes="eLen", compare=[("c", "a")], resamples=0)
    assert {(d.a, d.b) for d in found.diagnoses if d.b} == {("c", "a")}
    assert {(c.a, c.b) for c in found.relative_changes} == {("c", "a")}
    every = study(sets, attributes="eLen", resamples=0)
    assert {(d.a, d.b) for d in every.diagnoses if d.b} == {("a", "b"), ("a", "c"), ("b", "c")}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compare": [("a", "x")]}, "no system 'x' to compare; there are: a, b"),
        ({"compare": [("a", "a")]}, "not two systems"),
        ({"restarts": "mean"}, "unknown value 'mean' for restarts"),
        ({"attributes": ["eLne"]}, "did you mean 'eLen'"),
        ({"group_by": ["nope"]}, "unknown attribute 'nope'"),
        ({"metrics": "macro-f1"}, "not by macro-f1"),
        ({"confidence": 2}, "confidence is 2"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    sets = [by_length(f"d{k}", {"a": (4, 3, 2, 1), "b": (5, 5, 5, 5)}) for k in range(3)]
    with pytest.raises(UserError, match=message):
        study(sets, resamples=0, **options)


def test_what_cannot_be_studied() -> None:
    with pytest.raises(UserError, match="no data set to study"):
        study([])
    one = by_length("x", {"s": (4, 3, 2, 1)})
    with pytest.raises(UserError, match="two data sets are called 'x'"):
        study([one, one])
    with pytest.raises(UserError, match=r"different tasks \(x: spans, y: labels\)"):
        study([one, Evaluation.from_labels(["a"], {"s": ["a"]}, name="y")])
    with pytest.raises(UserError, match="data set y: the attribute 'eLen' is for spans"):
        study([Evaluation.from_labels(["a"], {"s": ["a"]}, name=n) for n in "yz"], attributes="eLen")


def test_tables_and_the_json_say_the_same(strong: StudyResult) -> None:
    tables = strong.tables()
    assert list(tables) == [
        "performance", "holistic", "model_wise", "attribute_wise", "diagnoses", "by_dataset", "findings",
        "relative_changes", "item_level",
    ]  # fmt: skip
    found = json.loads(strong.to_json())["result"]
    for name in set(tables) - {"by_dataset"}:
        assert len(tables[name]) == len(found[name])
        assert all(len(row) == len(tables[name][0]) for row in tables[name])
    assert len(tables["by_dataset"]) == sum(len(d["by_dataset"]) for d in found["diagnoses"])
    assert tables["diagnoses"][0]["datasets"] == "d0 d1 d2 d3 d4 d5"
    for name in tables:
        frame = strong.to_polars(name)
        assert frame.height == len(tables[name])
        assert not any(frame[column].dtype.is_nested() for column in frame.columns)
    assert strong.to_polars().equals(strong.to_polars("performance"), null_equal=True)
    with pytest.raises(UserError, match="did you mean 'holistic'"):
        strong.to_polars("holistics")


def test_the_signature_pins_options() -> None:
    sets = [by_length(f"d{k}", {"a": (4, 3, 2, 1)}) for k in range(3)]
    plain = study(sets, attributes="eLen", resamples=0).signature
    changed: list[dict[str, Any]] = [
        {"restarts": "blocks"}, {"paper_tests": True}, {"shared_cuts": True}, {"buckets": 3}, {"seed": 1},
    ]  # fmt: skip
    for options in changed:
        assert study(sets, attributes="eLen", resamples=0, **options).signature != plain, options
    assert study(sets, attributes="eLen", resamples=0, group_by=["eLen"]).signature != plain
    assert study(sets[:2], attributes="eLen", resamples=0).signature != plain


def test_same_input_same_bytes(strong: StudyResult) -> None:
    sets = [
        by_length(f"d{k}", {"weak": (10, 8 - k % 2, 5, k % 3), "good": (10, 10, 9 + k % 2, 9)}, per=10)
        for k in range(6)
    ]
    assert study(sets, attributes="eLen", resamples=0).to_json() == strong.to_json()
