"""Figures of a breakdown: the numbers of the JSON, and charts that are drawn for every task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support import drawn_charts
from support.drawn_charts import HOSTILE, check_figures, ends, named
from support.needs import need_module

from slicewise import Evaluation, buckets
from slicewise.results.slices import bucket_slice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.lenses.buckets.result import BucketsResult
    from slicewise.render.figures import Figure

need_module("altair", "altair")
need_module("vl_convert", "vl-convert-python")

Span = tuple[int, int, str]
SYSTEMS = ("good", "fair", "bad")


def by_length(systems: Sequence[str], labels: Sequence[str] = ("LOC", "PER")) -> Evaluation:
    """Return eighty sentences with an entity of one to four tokens; systems find the long ones less and less."""
    gold: list[list[Span]] = [[(0, k // 20 + 1, labels[k % len(labels)])] for k in range(80)]
    made = {
        system: [spans if k % 20 < 20 - (k // 20) * (j % 5 + 2) else [] for k, spans in enumerate(gold)]
        for j, system in enumerate(systems)
    }
    return Evaluation.from_spans([["w"] * 5 for _ in gold], gold, made)


@pytest.fixture(scope="module")
def result() -> BucketsResult:
    return buckets(by_length(SYSTEMS), attributes=["eLen", "label", "sLen"], resamples=100)


@pytest.fixture(scope="module")
def figures(result: BucketsResult) -> list[Figure]:
    return result.figures()


@pytest.fixture(scope="module")
def body(result: BucketsResult) -> dict[str, Any]:
    return drawn_charts.body(result)


def test_they_are_drawn(figures: list[Figure], result: BucketsResult, capfd: pytest.CaptureFixture[str]) -> None:
    check_figures(figures, capfd)
    breakdowns = [figure for figure in figures if figure.name.startswith("buckets-")]
    assert "sLen" in result.attributes  # all items are of one length: there is nothing to compare
    assert [figure.name for figure in breakdowns] == ["buckets-eLen", "buckets-label"]
    assert not any(figure.wide for figure in breakdowns)


def test_buckets_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    for name in ("eLen", "label"):
        attribute = body["attributes"][name]
        rows = {(row["bucket"], row["system"]): row for row in named(figures, f"buckets-{name}").rows}
        filled = [bucket for bucket in attribute["buckets"] if bucket["n"]]
        assert set(rows) == {(bucket["name"], system) for bucket in filled for system in SYSTEMS}
        for bucket in filled:
            for system, prf in bucket["systems"].items():
                row = rows[bucket["name"], system]
                assert [row["value"], row["lo"], row["hi"]] == [prf["f1"], *ends(prf["ci"]["f1"])]
                assert (row["n"], row["values"]) == (prf["n_gold"], bucket["interval"])
                assert row["slice"] == bucket_slice(name, bucket["name"])
                assert f"{bucket['n']:,}" in row["axis"]


def test_gaps_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    rows = named(figures, "self-diagnosis").rows
    assert len(rows) == len(body["attributes"]) * len(SYSTEMS)
    for row in rows:
        own = body["attributes"][row["attribute"]]["systems"][row["system"]]
        assert [row[key] for key in ("worst", "best", "gap", "q")] == [
            own[key] for key in ("worst", "best", "gap", "q")
        ]
        assert [row["lo"], row["hi"]] == ends(own["ci"])
        assert ("faint" in row) == (own["q"] is None or own["q"] >= 0.05)
        assert row.get("slice") == (None if own["worst"] is None else bucket_slice(row["attribute"], own["worst"]))


def test_comparisons_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    for kind in ("largest", "smallest"):
        rows = {(row["pair"], row["attribute"]): row for row in named(figures, f"comparison-{kind}").rows}
        assert len(rows) == len(body["comparisons"])
        for c in body["comparisons"]:
            row, extreme = rows[f"{c['a']} − {c['b']}", c["attribute"]], c[kind]
            assert [row["bucket"], row["value"], row["q"]] == [extreme[k] for k in ("bucket", "difference", "q")]
            assert [row["lo"], row["hi"]] == ends(extreme["ci"])


def test_findings_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    rows = named(figures, "findings").rows
    found = [[row[key] for key in ("text", "n", "value", "lo", "hi", "q", "worth", "slice")] for row in rows]
    assert found == [
        [
            f["text"],
            f["n"],
            f["difference"],
            *ends(f["ci"]),
            f["q"],
            f["worth"],
            bucket_slice(f["attribute"], f["bucket"]),
        ]
        for f in body["findings"]
    ]
    assert found


def test_hostile_names_are_drawn(capfd: pytest.CaptureFixture[str]) -> None:
    evaluation = by_length(HOSTILE[:4], labels=["", *HOSTILE])
    figures = buckets(evaluation, attributes=["label", "eLen"], compare=[HOSTILE[:2]], resamples=20).figures()
    check_figures(figures, capfd)
    assert {row["bucket"] for row in named(figures, "buckets-label").rows} >= set(HOSTILE)


def test_an_attribute_may_have_any_name(capfd: pytest.CaptureFixture[str]) -> None:
    scores = {"a": [float(k % 2) for k in range(40)], "b": [float(k % 3 == 0) for k in range(40)]}
    evaluation = Evaluation.from_scores(scores, inputs=["x" * (k % 9 + 1) for k in range(40)])

    def own(items: Any) -> list[int]:
        return [k % 3 for k in range(len(items))]

    own.__name__ = "^a.b[0]$ </script>"
    figures = buckets(evaluation, attributes=[own], resamples=20).figures()
    check_figures(figures, capfd)
    assert {row["attribute"] for row in named(figures, "self-diagnosis").rows} == {own.__name__}


@pytest.mark.parametrize("n", [1, 30])
def test_few_and_many_systems_are_drawn(n: int, capfd: pytest.CaptureFixture[str]) -> None:
    evaluation = by_length([f"s{k}" for k in range(n)])
    figures = buckets(evaluation, attributes=["eLen"], resamples=10).figures()
    check_figures(figures, capfd, rendered=False)
    lengths = named(figures, "buckets-eLen")
    assert len(lengths.rows) == 4 * n
    assert len([row for row in lengths.rows if "hidden" not in row]) == 4 * min(n, 12)
    assert ("more are in the table" in lengths.note) == (n == 30)


def test_many_labels_are_all_in_the_table(capfd: pytest.CaptureFixture[str]) -> None:
    evaluation = by_length(SYSTEMS, labels=[f"L{k}" for k in range(20)])
    labels = named(buckets(evaluation, attributes=["label"], resamples=0).figures(), "buckets-label")
    check_figures([labels], capfd)
    assert {row["bucket"] for row in labels.rows} == {f"L{k}" for k in range(20)}
    assert len({row["bucket"] for row in labels.rows if "hidden" not in row}) == 12


def test_every_task_is_drawn_without_intervals_too(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["one two", "three", "four five six", "seven"] * 8
    texts = Evaluation.from_texts(words, {"x": [w[:4] for w in words], "y": words}, inputs=words)
    labels = Evaluation.from_labels(list("abca") * 8, {"x": list("abba") * 8, "y": list("aaca") * 8}, texts=words)
    scores = Evaluation.from_scores({"x": [0.0, 1.0, 0.5, 0.0] * 8, "y": [1.0, 1.0, 0.0, 0.0] * 8}, inputs=words)
    for evaluation, metrics, resamples in ((texts, "wer", 0), (labels, (), 20), (scores, (), 0)):
        figures = buckets(evaluation, metrics=metrics, resamples=resamples).figures()
        check_figures(figures, capfd, rendered=False)
        assert any("interval" in figure.caption for figure in figures) == (resamples > 0)


def test_what_is_undefined_is_drawn_as_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Only one system has units of a label that gold has not."""
    gold: list[list[Span]] = [[(0, 1, "A")], [(0, 1, "B")]] * 10
    spurious: list[list[Span]] = [[(0, 1, "A")], [(0, 1, "C")]] * 10
    figures = buckets(
        Evaluation.from_spans([["w"]] * 20, gold, {"a": spurious, "b": gold}), attributes=["label"], resamples=0
    ).figures()
    check_figures(figures, capfd)
    (none,) = [row for row in named(figures, "buckets-label").rows if (row["bucket"], row["system"]) == ("C", "b")]
    assert none["value"] is None
    assert b"null" not in named(figures, "buckets-label").rendered("svg")
