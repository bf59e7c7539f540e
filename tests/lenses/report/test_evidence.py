"""The items behind the numbers of a page, against the table of units read slowly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.strategies import corpora

import slicewise
from slicewise.annotations import Task
from slicewise.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from support.strategies import Corpus

    from slicewise.lenses.report.result import ReportResult

SYSTEMS = ("gazetteer", "hmm", "perceptron")
Units = list[dict[str, Any]]


@pytest.fixture(scope="module")
def evaluation(examples: Path) -> slicewise.Evaluation:
    folder = examples / "chat"
    return slicewise.load(
        gold=folder / "test.conll",
        train=folder / "train.conll",
        systems={name: folder / "systems" / f"{name}.conll" for name in SYSTEMS},
    )


@pytest.fixture(scope="module")
def report(evaluation: slicewise.Evaluation) -> ReportResult:
    return slicewise.report(evaluation, resamples=50, examples=5)


@pytest.fixture(scope="module")
def units(evaluation: slicewise.Evaluation) -> Units:
    return slicewise.units(evaluation, include=["bins", "errors", "attributes"]).frame.to_dicts()


def _wrong(unit: dict[str, Any], system: str) -> bool:
    return bool(unit[system] != unit["gold"])


def _in_slice(name: str, units: Units, report: ReportResult) -> list[dict[str, Any]] | None:
    """Return the units of a slice by its name, read from the rows of `units`; None of those that need more."""
    kind, *parts = [unquote(part) for part in name.split("/")]
    if kind == "label":
        return [u for u in units if u["label"] == parts[0]]
    if kind == "error":
        return [u for u in units if u[f"error:{parts[0]}"] == parts[1]]
    if kind in ("bin", "spurious"):
        bins = [u for u in units if u["gold"] == (kind == "bin") and u["bin"] == int(parts[0])]
        return [u for u in bins if len(parts) == 1 or u[parts[1]]]
    if kind == "pair":
        return [u for u in units if _wrong(u, parts[0]) and not _wrong(u, parts[1])]
    if kind == "pattern":
        return [u for u in units if u["gold"] and [s for s in SYSTEMS if u[s]] == [s for s in SYSTEMS if s in parts]]
    if kind == "form":
        return [u for u in units if u["gold"] and u["text"] == parts[0]]
    if kind == "bucket" and parts[0] in ("eLen", "sLen", "eFre", "eCon"):
        found = report.parts[0].buckets
        assert found is not None
        buckets = found.attributes[parts[0]].buckets
        bucket = next(b for b in buckets if b.name == parts[1])
        alone = [float(b.value) for b in buckets if b.value is not None and b is not bucket]
        inside = [u for u in units if _in_bucket(u[parts[0]], bucket.lo, bucket.hi, bucket.value)]
        return [u for u in inside if u[parts[0]] not in alone]
    return None


def _in_bucket(value: float | None, lo: float | None, hi: float | None, exactly: float | str | None) -> bool:
    if value is None:
        return False
    if exactly is not None:
        return value == float(exactly)
    return (lo is None or value > lo) and (hi is None or value <= hi)


def test_slices_hold_what_their_names_say(report: ReportResult, units: Units) -> None:
    seen = set()
    for name, one in report.parts[0].evidence["slices"].items():
        rows = _in_slice(name, units, report)
        if rows is None:
            continue
        seen.add(name.split("/")[0])
        assert one["units"] == len(rows), name
        items = {row["item"] for row in rows}
        assert one["items"] == len(items), name
        assert len(one["shown"]) == min(5, len(items))
        for item, inside in one["shown"]:
            of_item = report.parts[0].evidence["items"][str(item)]["units"]
            places = {(u[0], u[1], u[2]) for u in (of_item[i] for i in inside)}
            labels = report.parts[0].evidence["labels"]
            expected = {(r["start"], r["end"], labels.index(r["label"])) for r in rows if r["item"] == item}
            assert places == expected, name
    assert seen == {"label", "error", "bin", "spurious", "pair", "pattern", "form", "bucket"}


def test_items_have_their_tokens_and_who_has_their_units(
    report: ReportResult, units: Units, evaluation: slicewise.Evaluation
) -> None:
    evidence = report.parts[0].evidence
    texts = evaluation.token_texts()
    assert texts is not None
    for number, item in evidence["items"].items():
        assert " ".join(item["text"]) == texts[int(number)]
        mine = [u for u in units if u["item"] == int(number)]
        expected = {
            (u["start"], u["end"], u["label"], *(i for i, who in enumerate(("gold", *SYSTEMS)) if u[who])) for u in mine
        }
        assert {(u[0], u[1], evidence["labels"][u[2]], *u[3]) for u in item["units"]} == expected


def test_the_most_telling_come_first(report: ReportResult) -> None:
    evidence = report.parts[0].evidence
    for name, one in evidence["slices"].items():
        counts = []
        for item, inside in one["shown"]:
            found = [evidence["items"][str(item)]["units"][i][3] for i in inside]
            wrong = [[(0 in who) != (s + 1 in who) for s in range(len(SYSTEMS))] for who in found]
            if one["system"] is None:
                counts.append(max((sum(row) for row in wrong), default=0))
            else:
                own = SYSTEMS.index(one["system"])
                counts.append(max((row[own] * 10 - sum(row) for row in wrong), default=0))
        assert counts == sorted(counts, reverse=True), name


def test_features_count_what_their_lists_count(report: ReportResult) -> None:
    from slicewise.results.slices import feature_slice

    part = report.parts[0]
    assert part.features is not None
    assert part.difficulty is not None
    assert part.difficulty.features is not None
    for ranked in part.features.lists:
        for feature in ranked.features:
            name = feature_slice(ranked.over, ranked.system, feature.feature)
            assert part.evidence["slices"][name]["units"] == feature.n, name
    for feature in part.difficulty.features.features:
        assert part.evidence["slices"][feature_slice("bin0", "nobody", feature.feature)]["units"] == feature.n


def test_what_figures_can_open_is_there(report: ReportResult) -> None:
    """Every row of every figure that counts units and names a slice finds it."""
    slices = report.parts[0].evidence["slices"]
    missing = set()
    for figure in report.figures():
        for row in figure.rows:
            counts = [row[key] for key in ("n", "count", "found", "n_gold") if isinstance(row.get(key), int)]
            if row.get("slice") and row["slice"] not in slices and any(counts):
                missing.add((figure.name, row["slice"]))
    assert not missing


def test_the_seed_decides_between_equals(evaluation: slicewise.Evaluation) -> None:
    made = [slicewise.report(evaluation, resamples=0, examples=3, seed=seed).parts[0].evidence for seed in (0, 0, 1)]
    assert made[0] == made[1]
    assert made[0] != made[2]


def test_without_examples_there_are_counts_alone(evaluation: slicewise.Evaluation) -> None:
    evidence = slicewise.report(evaluation, resamples=0, examples=0).parts[0].evidence
    assert evidence["items"] == {}
    assert evidence["slices"]["bin/0"]["units"] > 0


@pytest.mark.parametrize("n", [-1, 1001])
def test_odd_numbers_of_examples_are_refused(evaluation: slicewise.Evaluation, n: int) -> None:
    with pytest.raises(UserError, match="expected 0 to 1,000"):
        slicewise.report(evaluation, examples=n)


@with_examples(12)
@given(st.sampled_from(Task).flatmap(corpora))
def test_any_task_has_evidence(corpus: Corpus) -> None:
    from slicewise.lenses.report import report as lens

    metrics = ["exact-match"] if corpus.task is Task.TEXT else []
    evidence = lens(corpus.evaluation(), metrics=metrics, resamples=0, examples=2).parts[0].evidence
    wanted = {str(item) for one in evidence["slices"].values() for item, _ in one["shown"]}
    assert set(evidence["items"]) == wanted
    for one in evidence["slices"].values():
        assert len(one["shown"]) == min(2, one["items"])
        assert one["items"] <= corpus.items
        for item, inside in one["shown"]:
            assert all(i < len(evidence["items"][str(item)].get("units", ())) for i in inside)


@pytest.mark.parametrize("name", ["^s$", "*"])
def test_systems_whose_names_are_patterns(name: str) -> None:
    several = [["x", "y"], ["y"], ["x"]]
    systems = {name: several, "t": [["x"], ["y"], []]}
    made = slicewise.report(slicewise.Evaluation.from_labels(several, systems), resamples=0)
    assert set(made.page().systems) >= {name, "t"}
