"""Figures of a study: the numbers of the JSON, radars, and charts that are drawn."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, Any

import pytest
from support import drawn_charts
from support.drawn_charts import HOSTILE, check_figures, named
from support.needs import need_module

from slicewise import Evaluation, study
from slicewise.results.slices import bucket_slice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slicewise.lenses.study.result import StudyResult
    from slicewise.render.figures import Figure

need_module("altair", "altair")
need_module("vl_convert", "vl-convert-python")

Span = tuple[int, int, str]
ATTRIBUTES = ["eLen", "sLen", "eDen", "label"]


def by_length(name: str, found: Mapping[str, Sequence[int]], labels: Sequence[str] = ("LOC", "PER")) -> Evaluation:
    """Return a data set with ten entities of each length; a system finds some of each."""
    items = [["w"] * (n + k % 5) for n in (1, 2, 3, 4) for k in range(10)]
    gold: list[list[Span]] = [[(0, k // 10 + 1, labels[k % len(labels)])] for k in range(40)]
    systems = {
        system: [spans if k % 10 < kept[k // 10] else [] for k, spans in enumerate(gold)]
        for system, kept in found.items()
    }
    return Evaluation.from_spans(items, gold, systems, name=name)


@pytest.fixture(scope="module")
def result() -> StudyResult:
    """Three data sets; one system is missing on the last."""
    kept = [{"falls": (10, 8, 5, k), "jumps": (9 - k, 2, 8, k), "flat": (5, 6, 5, 6)} for k in range(3)]
    kept[2].pop("flat")
    return study([by_length(f"d{k}", own) for k, own in enumerate(kept)], attributes=ATTRIBUTES, resamples=20)


@pytest.fixture(scope="module")
def figures(result: StudyResult) -> list[Figure]:
    return result.figures()


@pytest.fixture(scope="module")
def body(result: StudyResult) -> dict[str, Any]:
    return drawn_charts.body(result)


def test_they_are_drawn(figures: list[Figure], capfd: pytest.CaptureFixture[str]) -> None:
    check_figures(figures, capfd)
    names = [figure.name for figure in figures]
    assert names[:3] == ["holistic", "model-wise-spearman", "model-wise-std"]
    assert {"attribute-wise-zeta_relative", "radar-zeta", "attribute-wise-rho", "radar-rho", "diagnoses"} < set(names)


def test_scores_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    rows = {(row["system"], row.get("dataset")): row for row in named(figures, "holistic").rows}
    assert len(rows) == len(body["holistic"])
    for h in body["holistic"]:
        row = rows[h["system"], h["dataset"]]
        assert (row["value"], row["std"]) == (h["value"], h["std"])
        assert row["n"] == (None if h["dataset"] is None else h["n"])


@pytest.mark.parametrize("key", ["spearman", "std"])
def test_model_wise_is_that_of_the_json(key: str, figures: list[Figure], body: dict[str, Any]) -> None:
    rows = {(row["system"], row["attribute"]): row for row in named(figures, f"model-wise-{key}").rows}
    means = [m for m in body["model_wise"] if m["dataset"] is None]
    assert {m["attribute"] for m in means if m[key] is not None} == {attribute for _, attribute in rows}
    for m in means:
        if (m["system"], m["attribute"]) in rows:
            row = rows[m["system"], m["attribute"]]
            assert [row["value"], row["p"], row["q"]] == [m[key], m["friedman_p"], m["friedman_q"]]
            assert ("faint" in row) == (m["friedman_q"] is None or m["friedman_q"] >= 0.05)


@pytest.mark.parametrize(("key", "radar"), [("zeta_relative", "radar-zeta"), ("rho", "radar-rho")])
def test_attribute_wise_is_that_of_the_json(key: str, radar: str, figures: list[Figure], body: dict[str, Any]) -> None:
    known = {(a["dataset"], a["attribute"]): a[key] for a in body["attribute_wise"] if a[key] is not None}
    for name in (f"attribute-wise-{key}", radar):
        rows = named(figures, name).rows
        found = {(row["dataset"], row["attribute"]): row["value"] for row in rows if row["value"] is not None}
        assert found == known
    for row in named(figures, radar).rows:
        if row["value"] is None:
            assert row["x"] is row["y"] is None
        else:
            assert hypot(row["x"], row["y"]) == pytest.approx(row["value"])


def test_a_radar_goes_clockwise_from_the_top_and_names_each_spoke_once(figures: list[Figure]) -> None:
    rows = [row for row in named(figures, "radar-zeta").rows if "end_x" in row]
    assert [row["attribute"] for row in rows] == ["eLen", "sLen", "eDen"]
    assert (rows[0]["end_x"], rows[0]["end_y"]) == (0, 1)
    assert rows[1]["end_x"] > 0 > rows[1]["end_y"]
    assert [row["side"] for row in rows] == ["middle", "left", "right"]


def test_changes_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    seen = 0
    for a, b in (("falls", "flat"), ("falls", "jumps"), ("flat", "jumps")):
        every = {
            (c["dataset"], c["attribute"], c["bucket"]): c["change"]
            for c in body["relative_changes"]
            if (c["a"], c["b"]) == (a, b)
        }
        for row in named(figures, f"change-{a}-{b}").rows:
            assert row["value"] == every[row["dataset"], row["attribute"], row["bucket"]]
            assert row["slice"] == bucket_slice(row["attribute"], row["bucket"])
            seen += row["value"] is not None
    assert seen == sum(c["change"] is not None for c in body["relative_changes"])


def test_diagnoses_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    rows = named(figures, "diagnoses").rows
    keys = {"attribute": "attribute", "best": "best", "worst": "worst", "value": "difference"}
    keys |= {"p": "p", "q": "q"}
    found = [tuple(row[key] for key in keys) for row in rows]
    assert sorted(found, key=str) == sorted(
        (tuple(d[key] for key in keys.values()) for d in body["diagnoses"]), key=str
    )


def test_on_one_data_set_diagnoses_can_be_opened(capfd: pytest.CaptureFixture[str]) -> None:
    one = study([by_length("only", {"a": (10, 8, 5, 1), "b": (2, 3, 4, 5)})], attributes=ATTRIBUTES, resamples=20)
    figures = one.figures()
    check_figures(figures, capfd, rendered=False)
    for row in named(figures, "diagnoses").rows:
        bucket = row["worst"] if row["what"].endswith("worst") else row["best"]
        assert (row["dataset"], row["slice"]) == ("only", bucket_slice(row["attribute"], bucket))
    assert {row["column"] for row in named(figures, "holistic").rows} == {"only"}


def test_hostile_names_are_drawn(capfd: pytest.CaptureFixture[str]) -> None:
    systems = {name: (9, 8, k, 2) for k, name in enumerate(HOSTILE[:3])}
    sets = [by_length(name, systems, labels=["", *HOSTILE]) for name in HOSTILE[2:4]]
    figures = study(sets, attributes=ATTRIBUTES, compare=[HOSTILE[:2]], resamples=0).figures()
    check_figures(figures, capfd)
    assert {row["dataset"] for row in named(figures, "radar-rho").rows} == set(HOSTILE[2:4])


@pytest.mark.parametrize("n", [1, 30])
def test_few_and_many_systems_are_drawn(n: int, capfd: pytest.CaptureFixture[str]) -> None:
    systems = {f"s{k}": (10, 8, k % 9, 2) for k in range(n)}
    figures = study(
        [by_length("d0", systems), by_length("d1", systems)], attributes=ATTRIBUTES[:2], resamples=0
    ).figures()
    check_figures(figures, capfd, rendered=False)
    assert len(named(figures, "holistic").rows) == 3 * n
    assert len([figure for figure in figures if figure.name.startswith("change-")]) == min(3, n // 2)


def test_many_data_sets_are_all_in_the_table(capfd: pytest.CaptureFixture[str]) -> None:
    sets = [by_length(f"d{k}", {"a": (9, 8, k % 7, 2)}) for k in range(8)]
    radar = named(study(sets, attributes=ATTRIBUTES, resamples=0).figures(), "radar-zeta")
    check_figures([radar], capfd)
    assert len({row["dataset"] for row in radar.rows}) == 8
    assert len({row["dataset"] for row in radar.rows if "hidden" not in row}) == 6
    assert "2 more are in the table" in radar.note
