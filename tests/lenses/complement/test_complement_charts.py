"""Figures of complementarity: the numbers of the JSON, and charts that are drawn for every task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.drawn_charts import body, by_key, check_figures, ends, hostile_data, marks_of, named, rows_of
from support.needs import need_module
from support.slow_outcomes import crowd

import slicewise
from slicewise import Evaluation
from slicewise.annotations import Task
from slicewise.results.slices import (
    pair_slice,
    pattern_slice,
)

if TYPE_CHECKING:
    from slicewise.render.figures import Figure

need_module("altair", "altair")
need_module("vl_convert", "vl-convert-python")

RESAMPLES = 50
SCORES = ("precision", "recall", "f1")


@pytest.fixture(scope="module")
def complemented(chat_of_four: Evaluation) -> tuple[dict[str, Any], list[Figure]]:
    result = slicewise.complement(chat_of_four, resamples=RESAMPLES)
    return body(result), result.figures()


def test_complement_is_drawn(
    complemented: tuple[dict[str, Any], list[Figure]], capfd: pytest.CaptureFixture[str]
) -> None:
    _, figures = complemented
    check_figures(figures, capfd, rendered=False)
    parts = ("matrix", "found-by", "curve", "ensembles", "votes", "slices")
    assert [figure.name for figure in figures] == [f"complement-{part}" for part in parts]


def test_pairs_and_slices(complemented: tuple[dict[str, Any], list[Figure]]) -> None:
    written, figures = complemented
    pairs = by_key(figures, "complement-matrix", "a", "b")
    slices = by_key(figures, "complement-slices", "attribute", "bucket", "a", "b")
    assert len(pairs) == len(written["pairs"]) == 12
    assert len(slices) == len(written["slices"])
    for one in written["pairs"]:
        row = pairs[one["a"], one["b"]]
        assert row["slice"] == pair_slice(one["a"], one["b"])
        check_pair(row, one)
    for one in written["slices"]:
        row = slices[one["attribute"], one["bucket"], one["a"], one["b"]]
        assert row["n"] == one["n_gold"]
        check_pair(row, one)


def check_pair(row: dict[str, Any], one: dict[str, Any]) -> None:
    shared = set(row) & set(one) - {"slice"}
    assert {"comp", "p_comp", "r_comp", "f_comp", "wrong_both", "missed_a", "spurious_both", "only_b"} <= shared
    assert {key: row[key] for key in shared} == {key: one[key] for key in shared}
    assert [row["comp_lo"], row["comp_hi"]] == ends(one["ci"]["comp"])


def test_sets_of_systems(complemented: tuple[dict[str, Any], list[Figure]]) -> None:
    written, figures = complemented
    rows = named(figures, "complement-found-by").rows
    assert [row["n"] for row in rows] == [one["n"] for one in written["patterns"]]
    for row, one in zip(rows, written["patterns"], strict=True):
        assert row["slice"] == pattern_slice(tuple(one["systems"]))
        assert row["size"] == len(one["systems"])
        assert set(row["members"]) == set(one["systems"])
        every = len(one["systems"]) == 4
        assert row["systems"] == ("all 4" if every else ", ".join(row["members"]) or "nobody")


def test_curve_ensembles_and_votes(complemented: tuple[dict[str, Any], list[Figure]]) -> None:
    written, figures = complemented
    curve = [
        (i, one["system"], one["tp"], one["added"], one["recall"], one["union"]["f1"], one["vote"]["f1"])
        for i, one in enumerate(written["curve"], 1)
    ]
    keys = ("k", "system", "tp", "added", "recall", "union_f1", "vote_f1")
    assert rows_of(figures, "complement-curve", *keys) == curve
    greedy = written["greedy"]
    chosen = [*written["systems"].values(), *written["ensembles"], written["oracle"]]
    chosen += [greedy["in_sample"], greedy["cross_validated"]]
    shown = sorted(map(repr, map(flat_row, named(figures, "complement-ensembles").rows)))
    assert shown == sorted(map(repr, map(flat, chosen)))
    votes = [one for one in written["ensembles"] if one["kind"] == "vote"]
    assert [flat_row(row) for row in named(figures, "complement-votes").rows] == [flat(one) for one in votes]


def flat(one: dict[str, Any]) -> list[Any]:
    """Return what an ensemble scores, with intervals."""
    scores = [x for key in SCORES for x in (one[key], *ends(one["ci"][key] if one["ci"] else None))]
    return [one["kind"], one["tp"], one["n_pred"], one["against"], one["gain"], *ends(one["gain_ci"]), *scores]


def flat_row(row: dict[str, Any]) -> list[Any]:
    scores = [row[f"{key}{end}"] for key in SCORES for end in ("", "_lo", "_hi")]
    return [*(row[key] for key in ("kind", "tp", "n_pred", "against", "value", "lo", "hi")), *scores]


def test_every_number_has_its_mark(complemented: tuple[dict[str, Any], list[Figure]]) -> None:
    figures = complemented[1]
    found_by = named(figures, "complement-found-by").rows
    expected = {
        "complement-matrix": {"rect mark": 12, "text mark": 12},
        "complement-found-by": {"bar": len(found_by), "text mark": len(found_by), "point": 32},
        "complement-curve": {"point": 3 * 4},
        "complement-ensembles": {"point": 15, "rule mark": 15},
        "complement-votes": {"point": 3 * 4, "rule mark": 3 * 4},
    }
    assert {name: dict(marks_of(named(figures, name))) for name in expected} == expected


# ---------------------------------------------------------------------- all kinds of data


@pytest.mark.parametrize("task", list(Task))
def test_every_task_is_drawn(task: Task, capfd: pytest.CaptureFixture[str]) -> None:
    case = crowd(task, 3)
    figures = slicewise.complement(case.evaluation(), resamples=0, **case.options()).figures()
    assert len(figures) > 3
    check_figures(figures, capfd, rendered=False)


def test_many_systems_are_in_the_tables_and_some_are_drawn(capfd: pytest.CaptureFixture[str]) -> None:
    data = crowd(Task.SPANS, 30, items=40).evaluation()
    figures = slicewise.complement(data, resamples=0).figures()
    check_figures(figures, capfd)
    matrix = named(figures, "complement-matrix")
    assert len(matrix.rows) == 30 * 29
    assert sum("hidden" not in row for row in matrix.rows) == 12 * 11
    assert "18 more" in matrix.note
    assert sum("hidden" not in row for row in named(figures, "complement-curve").rows) == 20
    sets = named(figures, "complement-found-by")
    assert sum("members" in row for row in sets.rows) == sum("hidden" not in row for row in sets.rows) == 20


def test_what_has_no_bar_is_counted() -> None:
    result = slicewise.complement(crowd(Task.SPANS, 30, items=160).evaluation(), resamples=0)
    note = named(result.figures(), "complement-found-by").note
    left = result.oracle.n_gold - sum(one.n for one in result.patterns[:20])
    assert f"{result.patterns_found - 20:,} smaller sets with {left:,} gold units" in note
    assert f"the 200 largest of {result.patterns_found:,}" in note


def test_undefined_is_nothing_and_not_zero() -> None:
    spans = [[(0, 1, "X")], [(0, 1, "X")]]
    data = Evaluation.from_spans([["a"], ["b"]], spans, {"p": spans, "q": spans})
    matrix = named(slicewise.complement(data, resamples=0).figures(), "complement-matrix")
    assert "null" not in matrix.rendered("svg").decode()


def test_hostile_names_are_values_only(capfd: pytest.CaptureFixture[str]) -> None:
    check_figures(slicewise.complement(hostile_data(), resamples=0).figures(), capfd)
