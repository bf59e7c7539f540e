"""How a study is laid out: small fragments of its tables."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len

from slicewise import Evaluation, study
from slicewise.lenses.study.view import change, grids, holistic, model_wise
from slicewise.render.blocks import FAINT, Grid, Sentence
from slicewise.render.latex import as_latex
from slicewise.render.terminal import as_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slicewise.lenses.study.result import StudyResult

Span = tuple[int, int, str]


def by_length(
    name: str, found: Mapping[str, Sequence[int]], sizes: Sequence[int] = (1, 2, 3, 4), filler: int = 1
) -> Evaluation:
    """Return a data set with ten entities of each length; a system finds some of each."""
    every = [n for n in sizes for _ in range(10)]
    items = [["w"] * n + ["."] * filler for n in every]
    gold: list[list[Span]] = [[(0, n, "LOC")] for n in every]
    systems = {
        system: [spans if k % 10 < kept[k // 10] else [] for k, spans in enumerate(gold)]
        for system, kept in found.items()
    }
    return Evaluation.from_spans(items, gold, systems, name=name)


@pytest.fixture(scope="module")
def result() -> StudyResult:
    """Four data sets: `falls` falls with length on all, `jumps` differently on each; `jumps` is not on the last."""
    jumps = [(9, 2, 8, 1), (1, 8, 2, 9), (2, 9, 1, 8)]
    sets = [by_length(f"d{k}", {"falls": (10, 8, 5, k), "jumps": own}) for k, own in enumerate(jumps)]
    return study([*sets, by_length("d3", {"falls": (10, 8, 5, 3)})], attributes=["eLen", "sLen", "label"], resamples=0)


def grid(result: StudyResult, name: str) -> Grid:
    (found,) = [block for block in result.blocks() if isinstance(block, Grid) and block.name == name]
    return found


def cell(grid: Grid, row: str, column: str) -> tuple[str, bool]:
    """Return a cell's text, and whether it is greyed."""
    i = [r[0] for r in grid.rows].index(row)
    j = [c.title for c in grid.columns].index(column)
    return grid.rows[i][j], (i, j) in grid.faint


def test_a_missing_system_is_called_missing(result: StudyResult) -> None:
    shown = holistic(result)
    assert cell(shown, "jumps", "d3") == ("missing", False)
    assert "missing" not in {text for row in shown.rows for text in row if row[0] != "jumps"}
    assert re.search(r"^jumps .* missing ", as_text([shown]), re.MULTILINE)
    assert r"missing" in as_latex(shown)


def test_the_best_on_each_data_set_is_marked(result: StudyResult) -> None:
    shown = holistic(result)
    values = {(h.system, h.dataset): h.value for h in result.holistic}
    for j, dataset in enumerate(("d0", "d1", "d2"), 1):
        best = max(("falls", "jumps"), key=lambda s: values[s, dataset] or 0.0)
        assert {i for i, at in shown.marked if at == j} == {[r[0] for r in shown.rows].index(best)}


def test_values_that_are_not_significant_are_greyed_and_carry_a_sign(result: StudyResult) -> None:
    by_system = {(m.system, m.attribute): m for m in result.model_wise if m.dataset is None}
    tested = by_system["falls", "eLen"]
    assert tested.friedman_p is not None
    assert tested.friedman_p < 0.05
    shown = model_wise(result, "spearman")
    assert cell(shown, "falls", "eLen") == ("−1.00", False)
    other = by_system["jumps", "eLen"]
    assert other.friedman_p is not None
    assert other.friedman_p >= 0.05
    assert cell(shown, "jumps", "eLen")[1]
    text = as_text([shown])
    assert re.search(r"^falls .*−1\.00 ", text + " ", re.MULTILINE)
    assert re.search(rf"^jumps .*\d{FAINT}", text, re.MULTILINE)
    assert f"{FAINT} not significant" in " ".join(text.split())
    assert r"\textcolor{gray}" in as_latex(shown)


def test_an_attribute_without_order_has_no_correlation(result: StudyResult) -> None:
    assert "label" not in [c.title for c in model_wise(result, "spearman").columns]
    assert "label" in [c.title for c in model_wise(result, "std").columns]


def test_the_attribute_wise_tables(result: StudyResult) -> None:
    zeta, rho = grid(result, "attribute-wise-zeta"), grid(result, "attribute-wise-rho")
    assert cell(zeta, "d0", "eLen")[0] in ("2.5", "2.50")
    assert cell(rho, "d3", "eLen")[0] == "1.00"
    assert rho.lead == "With 2 systems nothing here can be significant by Friedman's test."
    assert not rho.faint
    assert [r[0] for r in rho.rows] == ["d0", "d1", "d2", "d3"]


def test_self_diagnosis_shows_the_two_buckets_and_the_gap(result: StudyResult) -> None:
    own = next(d for d in result.diagnoses if d.kind == "self" and (d.a, d.attribute) == ("falls", "eLen"))
    assert cell(grid(result, "self-diagnosis"), "falls", "eLen") == (f"XL→XS {own.difference:.2f}", False)
    other = next(d for d in result.diagnoses if d.kind == "self" and (d.a, d.attribute) == ("jumps", "eLen"))
    assert other.p is not None
    assert other.p > 0.05
    assert cell(grid(result, "self-diagnosis"), "jumps", "eLen")[1]
    assert "permuted within each" in grid(result, "self-diagnosis").note


def test_relative_change_is_shown_in_percent(result: StudyResult) -> None:
    shown = change(result, "falls", "jumps")
    assert shown.title.endswith("(falls − jumps)/jumps")
    rows = {row[:2]: row[2:] for row in shown.rows}
    expected = [f"{100 * (a - b) / b:+.0f}%".replace("-", "−") for a, b in [(1, 18 / 19), (1, 2 / 11), (1, 4 / 12)]]
    assert list(rows["eLen", "XS"]) == [*expected, "–"]


def test_relative_changes_of_data_sets_line_up_by_place() -> None:
    """Three buckets are called by their values, which differ; the first is the first all the same."""
    sets = [by_length(f"d{k}", {"a": (9, 8, 7), "b": (5, 5, 5)}, sizes=(1, 2, 3), filler=2 + 3 * k) for k in range(2)]
    result = study(sets, attributes="sLen", buckets=3, resamples=0)
    assert len({c.bucket for c in result.performance}) > 3
    rows = change(result, "a", "b").rows
    assert len(rows) == 3, rows
    assert all("–" not in row[2:] for row in rows), rows


def test_every_table_has_a_name_of_its_own_for_its_file(result: StudyResult) -> None:
    names = [g.name for g in grids(result)]
    assert len(set(names)) == len(names)
    assert all(names)
    assert {
        "holistic", "model-wise-spearman", "model-wise-std", "attribute-wise-zeta", "attribute-wise-rho",
        "self-diagnosis", "comparative-diagnosis", "relative-change-falls-jumps", "friedman-systems",
        "friedman-datasets",
        "performance-d0", "model-wise-spearman-d3", "unit-level-d2",
    } <= set(names)  # fmt: skip
    for g in grids(result):
        assert all(len(row) == len(g.columns) for row in g.rows), g.name
        assert all(i < len(g.rows) and j < len(g.columns) for i, j in g.faint | g.marked), g.name


def test_friedman_tables_carry_p(result: StudyResult) -> None:
    tests = next(g for g in grids(result) if g.name == "friedman-systems")
    p = next(m.friedman_p for m in result.model_wise if (m.system, m.dataset, m.attribute) == ("falls", None, "eLen"))
    assert cell(tests, "falls", "eLen") == (f"{p:.2g}", False)
    assert cell(tests, "falls", "label")[0] == "–"
    assert cell(tests, "jumps", "eLen")[1]


def test_the_performance_table_has_n_and_averages_restarts() -> None:
    e = by_length("d", {"s#1": (10, 8, 6, 4), "s#2": (8, 6, 4, 2)})
    own = replace(e, restarts={"s": ("s#1", "s#2")})
    result = study([own], attributes="eLen", resamples=0)
    shown = next(g for g in grids(result) if g.name == "performance-d")
    assert [c.title for c in shown.columns] == ["attribute", "bucket", "values", "n", "s"]
    f = [[2 * k / (10 + k) for k in run] for run in ((10, 8, 6, 4), (8, 6, 4, 2))]
    assert [row[-1] for row in shown.rows] == [f"{(a + b) / 2:.4f}" for a, b in zip(*f, strict=True)]
    assert {row[3] for row in shown.rows} == {"10"}
    assert shown.note == "Restarts are averaged."


def test_the_first_lines(result: StudyResult) -> None:
    title, *rest = result.blocks()
    assert title == Sentence("4 data sets · 2 systems · 7 runs · 3 attributes · task spans", "title")
    assert Sentence("! jumps is missing on d3: its means are over the other data sets", "warning") in rest
    assert isinstance(result.blocks()[-1], Sentence)
    assert result.blocks()[-1] == Sentence(result.signature, "aside")


def test_markdown_and_latex_of_a_result(result: StudyResult) -> None:
    markdown, latex = result.to_markdown(), result.to_latex()
    assert "| system | d0 | d1 | d2 | d3 | mean |" in markdown
    assert "## 4 data sets · 2 systems" in markdown
    assert re.search(rf"\| jumps \|.*{FAINT}", markdown)
    shown = [block for block in result.blocks() if isinstance(block, Grid)]
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == len(shown)
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    assert r"$\rho$" in latex


def test_no_line_is_wider_than_eighty_columns() -> None:
    names = {f"a-system-with-a-rather-long-name-{k}": (10 - k, 8, 5, k) for k in range(5)}
    sets = [by_length(f"the {k}th data set, which has a long name too", names) for k in range(4)]
    result = study(sets, attributes=["eLen", "sLen", "eDen", "label"], resamples=0, compare=[tuple(list(names)[:2])])  # type: ignore[list-item]
    assert [line for line in str(result).splitlines() if cell_len(line) > 80] == []


def test_many_pairs_are_counted_not_listed() -> None:
    names = {f"s{k}": (10 - k, 8, 5, k) for k in range(4)}
    sets = [by_length(f"d{k}", names) for k in range(3)]
    every: dict[str, Any] = {"attributes": "eLen", "resamples": 0}
    text = " ".join(str(study(sets, **every)).split())
    assert "6 pairs of systems were compared: name some with --compare A,B" in text
    assert "Comparative diagnosis" not in text
    named = " ".join(str(study(sets, **every, compare=[("s0", "s1")])).split())
    assert "Comparative diagnosis" in named
    assert "were compared" not in named


def test_html_of_hostile_names_is_harmless() -> None:
    evil = "<script>alert(1)</script>"
    result = study([by_length(evil, {evil: (10, 8, 5, 1), "[bold]": (1, 2, 3, 4)})], attributes="eLen", resamples=0)
    html = result._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert "[bold]" in str(result)
    assert "<script" not in result.to_markdown()
