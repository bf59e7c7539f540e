"""Figures of difficulty: the numbers of the JSON, and charts that are drawn for every task."""

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
    bin_slice,
    feature_slice,
    form_slice,
    spurious_slice,
    suspect_slice,
)

if TYPE_CHECKING:
    from slicewise.render.figures import Figure

need_module("altair", "altair")
need_module("vl_convert", "vl-convert-python")

RESAMPLES = 50


@pytest.fixture(scope="module")
def difficult(chat_of_four: Evaluation) -> tuple[dict[str, Any], list[Figure]]:
    result = slicewise.difficulty(chat_of_four, resamples=RESAMPLES, top=0)
    return body(result), result.figures()


def test_difficulty_is_drawn(difficult: tuple[dict[str, Any], list[Figure]], capfd: pytest.CaptureFixture[str]) -> None:
    check_figures(difficult[1], capfd, rendered=False)
    assert [figure.name for figure in difficult[1]] == [
        "difficulty-bins", "difficulty-sizes", "difficulty-singular", "difficulty-left-out", "difficulty-pair-1",
        "difficulty-spurious-sizes", "difficulty-spurious", "difficulty-profile", "features-bin-0",
        "feature-effects-bin-0", "difficulty-spread", "suspects", "suspects-kinds", "suspects-set-aside",
    ]  # fmt: skip


def test_bins(difficult: tuple[dict[str, Any], list[Figure]]) -> None:
    written, figures = difficult
    gold, spurious = written["gold"], written["spurious"]
    for name, table, first in (("bins", gold, 0), ("spurious", spurious, 1)):
        cells = by_key(figures, f"difficulty-{name}", "system", "bin")
        assert len(cells) == len(table["systems"]) * (len(table["totals"]) - first)
        for (system, n), row in cells.items():
            found = table["systems"][system][n]
            assert (row["found"], row["n"], row["share"]) == (found, table["totals"][n], table["shares"][system][n])
            own = (bin_slice if name == "bins" else spurious_slice)(n, system)
            assert row.get("slice") == (own if found else None)
    assert rows_of(figures, "difficulty-sizes", "n", "slice") == [
        (n, bin_slice(i)) for i, n in enumerate(gold["totals"])
    ]
    sizes = [(n, spurious_slice(i)) for i, n in enumerate(spurious["totals"]) if i]
    assert rows_of(figures, "difficulty-spurious-sizes", "n", "slice") == sizes
    cells = by_key(figures, "difficulty-left-out", "system", "bin")
    for (system, n), row in cells.items():
        own = written["leave_one_out"][system]
        assert (row["found"], row["n"], row["share"]) == (own["found"][n], own["totals"][n], own["shares"][n])
    for (system,), row in by_key(figures, "difficulty-singular", "system").items():
        own = written["singular"][system]
        assert (row["found"], row["share"], row["of_own"]) == (own["found"], own["share"], own["of_own"])
        assert row["slice"] == bin_slice(1, system)


def test_pairs_bin_by_bin(difficult: tuple[dict[str, Any], list[Figure]]) -> None:
    written, figures = difficult
    expected = [
        (one["bin"], one["n"], one["a"], one["b"], one["difference"], *ends(one["ci"]))
        for one in written["pairwise"][0]["bins"]
    ]
    assert rows_of(figures, "difficulty-pair-1", "bin", "n", "a", "b", "value", "lo", "hi") == expected
    assert [row.get("hidden") for row in named(figures, "difficulty-pair-1").rows] == [True, None, None, None, True]


def test_what_is_in_the_bins(difficult: tuple[dict[str, Any], list[Figure]]) -> None:
    written, figures = difficult
    rows = by_key(figures, "difficulty-profile", "what", "bin")
    assert rows["characters per token", 0]["value"] == written["profile"]["0"]["shares"]["characters_per_token"]
    assert rows["mean eLen", 2]["value"] == written["profile"]["2"]["attributes"]["eLen"]["mean"]
    for what in {what for what, _ in rows}:
        own = [(row["value"], row["relative"]) for (other, _), row in rows.items() if other == what]
        assert [at for _, at in sorted(own)] == sorted(at for _, at in own)
        assert min(at for _, at in own) == 0
        assert max(at for _, at in own) == float(min(own)[0] != max(own)[0])
    ranked = written["features"]["features"]
    assert rows_of(figures, "features-bin-0", "feature", "n", "difference", "q", "slice") == [
        (one["feature"], one["n"], one["difference"], one["q"], feature_slice("bin0", "nobody", one["feature"]))
        for one in ranked
    ]
    resistant = [one for one in written["spread"] if one["lost"] > 0][:200]
    keys = ("surface", "n", "lost", *(f"bin{n}" for n in range(5)), "slice")
    assert rows_of(figures, "difficulty-spread", *keys) == [
        (one["surface"], one["n"], one["lost"], *one["bins"], form_slice(one["surface"])) for one in resistant
    ]


def test_suspects(difficult: tuple[dict[str, Any], list[Figure]]) -> None:
    written, figures = difficult
    rows = named(figures, "suspects").rows
    assert len(rows) == min(500, len(written["suspects"])) > 20
    for rank, (row, one) in enumerate(zip(rows, written["suspects"], strict=False), 1):
        labels = [None if one[side] is None else one[side]["label"] for side in ("gold", "systems")]
        assert [row["gold"], row["systems"]] == labels
        assert (row["rank"], row["agree"], row["slice"]) == (rank, one["agree"], suspect_slice(rank))
        assert (row["as_gold"], row["as_systems"]) == (one["as_gold"], one["as_systems"])
        assert f"[{(one['systems'] or one['gold'])['text']}]"[:60] in row["context"]
    aside = {
        (one["suspects"], name, value) for one in written["without_suspects"] for name, value in one["scores"].items()
    }
    assert set(rows_of(figures, "suspects-set-aside", "suspects", "system", "value")) == aside
    kinds = [
        one["suspects"]
        for one in written["without_suspects"]
        if one["kind"] in ("label", "boundary", "missing", "unfound")
    ]
    assert rows_of(figures, "suspects-kinds", "n") == [(n,) for n in kinds]
    assert sum(kinds) == written["suspects_found"]


def test_every_number_has_its_mark(difficult: tuple[dict[str, Any], list[Figure]]) -> None:
    figures = difficult[1]
    resistant = named(figures, "difficulty-spread").rows[:15]
    stacks = sum(row[f"bin{n}"] > 0 for row in resistant for n in range(5))
    effects = len(named(figures, "features-bin-0").rows)
    expected = {
        "difficulty-bins": {"rect mark": 4 * 5, "text mark": 4 * 5},
        "difficulty-sizes": {"bar": 5, "text mark": 5},
        "difficulty-singular": {"bar": 4, "text mark": 4},
        "difficulty-left-out": {"rect mark": 4 * 4, "text mark": 4 * 4},
        "difficulty-pair-1": {"point": 3, "rule mark": 3},
        "difficulty-spurious": {"rect mark": 4 * 4, "text mark": 4 * 4},
        "difficulty-spread": {"bar": stacks},
        "features-bin-0": {"bar": min(20, effects), "rule mark": min(20, effects)},
        "suspects-kinds": {"bar": 4, "text mark": 4},
        "suspects-set-aside": {"point": 4 * 5},
    }
    assert {name: dict(marks_of(named(figures, name))) for name in expected} == expected
    assert marks_of(named(figures, "feature-effects-bin-0"))["point"] == effects


# ---------------------------------------------------------------------- all kinds of data


@pytest.mark.parametrize("task", list(Task))
def test_every_task_is_drawn(task: Task, capfd: pytest.CaptureFixture[str]) -> None:
    case = crowd(task, 3)
    figures = slicewise.difficulty(case.evaluation(), resamples=0, **case.options()).figures()
    assert len(figures) > 3
    check_figures(figures, capfd, rendered=False)


def test_one_system_has_bins(capfd: pytest.CaptureFixture[str]) -> None:
    figures = slicewise.difficulty(crowd(Task.SPANS, 1).evaluation(), resamples=20).figures()
    check_figures(figures, capfd)
    assert not {"difficulty-singular", "difficulty-left-out", "difficulty-pair-1"} & {one.name for one in figures}


def test_many_systems_are_drawn(capfd: pytest.CaptureFixture[str]) -> None:
    data = crowd(Task.SPANS, 30, items=40).evaluation()
    check_figures(slicewise.difficulty(data, resamples=0).figures(), capfd, rendered=False)


def test_undefined_is_nothing_and_not_zero() -> None:
    """A bin that is empty has no share, and no cell."""
    spans = [[(0, 1, "X")], [(0, 1, "X")]]
    data = Evaluation.from_spans([["a"], ["b"]], spans, {"p": spans, "q": spans})
    result = slicewise.difficulty(data, resamples=0)
    bins = named(result.figures(), "difficulty-bins")
    assert [row["share"] for row in bins.rows] == [None, None, 1.0] * 2
    drawn = bins.rendered("svg").decode()
    assert drawn.count(">100%<") == 2
    assert ">0%<" not in drawn
    assert ">null<" not in drawn


def test_hostile_names_are_values_only(capfd: pytest.CaptureFixture[str]) -> None:
    check_figures(slicewise.difficulty(hostile_data(), resamples=0).figures(), capfd)
