"""Figures of complementarity and difficulty: the numbers of the JSON, and charts that are drawn for every task."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from drawn_charts import HOSTILE, check_figures, marks_of, named, rows_of
from needs import need_module
from slow_systems import crowd

import slicewise
from slicewise import Evaluation
from slicewise.annotations import Task
from slicewise.results.slices import (
    bin_slice,
    feature_slice,
    form_slice,
    pair_slice,
    pattern_slice,
    spurious_slice,
    suspect_slice,
)

if TYPE_CHECKING:
    from pathlib import Path

    from slicewise.render.figures import Figure
    from slicewise.results.base import Result

need_module("altair", "altair")
need_module("vl_convert", "vl-convert-python")

RESAMPLES = 50
SCORES = ("precision", "recall", "f1")


@pytest.fixture(scope="module")
def chat(examples: Path) -> Evaluation:
    """Return a data set with every part, and two restarts of a system."""
    folder = examples / "chat"
    systems: dict[str, Any] = {
        name: folder / "systems" / f"{name}.conll" for name in ("gazetteer", "hmm", "perceptron")
    }
    systems["crf"] = [folder / "systems" / f"crf.{k}.conll" for k in (1, 2)]
    return slicewise.load(gold=folder / "test.conll", train=folder / "train.conll", systems=systems)


def body(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = result.to_dict()["result"]
    return found


def by_key(figures: list[Figure], name: str, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the rows of a figure by some of their keys, each once."""
    rows = named(figures, name).rows
    found = {tuple(row[key] for key in keys): row for row in rows}
    assert len(found) == len(rows)
    return found


def ends(ci: Any) -> list[Any]:
    return [None, None] if ci is None else list(ci)


# ---------------------------------------------------------------------- complement


@pytest.fixture(scope="module")
def complemented(chat: Evaluation) -> tuple[dict[str, Any], list[Figure]]:
    result = slicewise.complement(chat, resamples=RESAMPLES)
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


def test_every_number_has_its_mark(
    complemented: tuple[dict[str, Any], list[Figure]], difficult: tuple[dict[str, Any], list[Figure]]
) -> None:
    figures = [*complemented[1], *difficult[1]]
    found_by = named(figures, "complement-found-by").rows
    resistant = named(figures, "difficulty-spread").rows[:15]
    stacks = sum(row[f"bin{n}"] > 0 for row in resistant for n in range(5))
    effects = len(named(figures, "features-bin-0").rows)
    expected = {
        "complement-matrix": {"rect mark": 12, "text mark": 12},
        "complement-found-by": {"bar": len(found_by), "text mark": len(found_by), "point": 32},
        "complement-curve": {"point": 3 * 4},
        "complement-ensembles": {"point": 15, "rule mark": 15},
        "complement-votes": {"point": 3 * 4, "rule mark": 3 * 4},
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


# ---------------------------------------------------------------------- difficulty


@pytest.fixture(scope="module")
def difficult(chat: Evaluation) -> tuple[dict[str, Any], list[Figure]]:
    result = slicewise.difficulty(chat, resamples=RESAMPLES, top=0)
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


# ---------------------------------------------------------------------- all kinds of data


@pytest.mark.parametrize("task", list(Task))
def test_every_task_is_drawn(task: Task, capfd: pytest.CaptureFixture[str]) -> None:
    case = crowd(task, 3)
    for lens in (slicewise.complement, slicewise.difficulty):
        figures = lens(case.evaluation(), resamples=0, **case.options()).figures()
        assert len(figures) > 3
        check_figures(figures, capfd, rendered=False)


def test_one_system_has_bins(capfd: pytest.CaptureFixture[str]) -> None:
    figures = slicewise.difficulty(crowd(Task.SPANS, 1).evaluation(), resamples=20).figures()
    check_figures(figures, capfd)
    assert not {"difficulty-singular", "difficulty-left-out", "difficulty-pair-1"} & {one.name for one in figures}


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
    check_figures(slicewise.difficulty(data, resamples=0).figures(), capfd, rendered=False)


def test_what_has_no_bar_is_counted() -> None:
    result = slicewise.complement(crowd(Task.SPANS, 30, items=160).evaluation(), resamples=0)
    note = named(result.figures(), "complement-found-by").note
    left = result.oracle.n_gold - sum(one.n for one in result.patterns[:20])
    assert f"{result.patterns_found - 20:,} smaller sets with {left:,} gold units" in note
    assert f"the 200 largest of {result.patterns_found:,}" in note


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
    assert (
        "null"
        not in named(slicewise.complement(data, resamples=0).figures(), "complement-matrix").rendered("svg").decode()
    )


def test_hostile_names_are_values_only(capfd: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(0)
    items = [[chance.choice(HOSTILE) for _ in range(4)] for _ in range(30)]
    gold = [[(i, i + 1, chance.choice(HOSTILE)) for i in range(4) if chance.random() < 0.6] for _ in items]
    systems = {name: [[span for span in own if chance.random() < 0.7] for own in gold] for name in HOSTILE}
    data = Evaluation.from_spans(items, gold, systems)
    for lens in (slicewise.complement, slicewise.difficulty):
        check_figures(lens(data, resamples=0).figures(), capfd)
