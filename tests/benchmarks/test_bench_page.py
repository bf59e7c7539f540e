"""The page of results: failures are told, requirements fail without figures, faster peers are named."""

from __future__ import annotations

import itertools
import json
from math import exp, log, nan
from typing import TYPE_CHECKING

from faster import where_faster
from growth import points
from jobs.chart import HEIGHT, LINE, _labels
from measure import Run, Size
from plan import Plan
from report import Check, Comparison, Section, at_least, at_most, page, same, tables
from sections.per_item import steady
from support import bench_modules  # (makes the modules of the benchmarks importable)

if TYPE_CHECKING:
    from pathlib import Path

ONE, TEN = Size(1000, "1,000 items"), Size(10_000, "10,000 items")
FAILED = Run(nan, nan, nan, failed="out | of memory")


def compared(**peers: Run) -> Comparison:
    return Comparison("Kind", {ONE: {"ours": Run(2, 2, 200), **peers}}, "ours", tuple(peers), unit="items")


def test_a_failed_job_stands_in_its_row() -> None:
    [table] = tables(compared(peer=FAILED, other=Run(4, 6, 100)))
    assert "| peer | failed: out \\| of memory | | | | | | |" in table
    assert "| ours | 1 | 2.00 | 2.00 | 200 | 1 | 1 | 1 |" in table
    assert "| other | 1 | 4.00 | 6.00 | 100 | 2.00 | 3.00 | 0.50 |" in table


def test_growth_is_told_where_more_than_chance_is_measured() -> None:
    many = Size(1_000_000, "1,000,000 items")
    costs = {ONE: {"a": 1e-7, "b": 1e-3}, TEN: {"a": 1e-4, "b": 1.2e-3}, many: {"a": 1.2e-4, "b": 2e-3}}
    assert [(check.found, check.passed) for check in steady(costs, "item")] == [
        ("1.20 times", True),
        ("2.00 times", False),
    ]
    assert not steady({ONE: {"a": 1e-3}}, "item")
    assert [check.passed for check in steady({ONE: {"a": nan}, TEN: {"a": 1e-3}}, "item")] == [False]


def test_what_was_not_measured_does_not_hold() -> None:
    assert at_most("CPU", nan, 3, " s") == Check("CPU: at most 3 s", "not measured", passed=False)
    assert at_least("CPU", nan, 3) == Check("CPU: at least 3 times", "not measured", passed=False)
    assert not same("Sums", [None, None]).passed
    assert not same("Sums", [1, 2]).passed
    assert same("Sums", [1, 1]).passed


def test_requirements_hold_up_to_their_bounds() -> None:
    assert at_most("Peak", 4000, 4000, " MB") == Check("Peak: at most 4,000 MB", "4,000 MB", passed=True)
    assert not at_most("Peak", 4000.1, 4000, " MB").passed
    assert at_least("CPU", 15, 15).passed
    assert not at_least("CPU", 14.99, 15).passed


def test_a_peer_that_needs_less_is_named_with_what_it_needs_less_of() -> None:
    said = where_faster([compared(small=Run(3, 3, 100), slow=Run(3, 3, 300), quick=Run(1, 3, 300))])
    assert "**Kind**: small needs less than ours: at 1,000 items memory (100 MB against 200 MB)." in said
    assert "quick needs less than ours: at 1,000 items CPU (1.00 s against 2.00 s)." in said
    assert "slow" not in said


def test_where_no_peer_needs_less_a_sentence_says_so() -> None:
    assert where_faster([compared(slow=Run(3, 3, 300))]).startswith("Nowhere in this run")
    assert where_faster([compared(broken=FAILED)]).startswith("Nowhere in this run")
    assert where_faster([compared()]) == "No peer was measured."


def test_where_slicewise_failed_its_peers_are_better() -> None:
    failed = Comparison("Kind", {ONE: {"ours": FAILED, "peer": Run(9, 9, 900)}}, "ours", ("peer",))
    assert "peer needs less than ours: at 1,000 items anything, since Slicewise failed." in where_faster([failed])


def test_the_page_counts_what_holds_and_shows_every_section(tmp_path: Path) -> None:
    sections = [
        Section("First", "Text.", [compared(peer=Run(1, 1, 1))], [at_most("CPU", 1, 2, " s"), at_most("MB", 3, 2)]),
        Section("Second", "Other.", notes=["A note."]),
    ]
    text = page(sections, Plan(tmp_path), 0.5, chart=True)
    for part in (
        "## Requirements: 1 of 2 hold",
        "| **FAIL** |",
        "## First",
        "## Second",
        "A note.",
        "growth.svg",
        "0.50",
    ):
        assert part in text
    assert "growth.svg" not in page(sections, Plan(tmp_path), 0.5, chart=False)
    assert "A quick run" in page(sections, Plan(tmp_path, quick=True), 0.5, chart=False)


def test_two_comparisons_of_a_section_have_headings(tmp_path: Path) -> None:
    both = page([Section("First", "Text.", [compared(), compared()])], Plan(tmp_path), 0.5, chart=False)
    alone = page([Section("First", "Text.", [compared()])], Plan(tmp_path), 0.5, chart=False)
    assert both.count("### Kind") == 2
    assert "###" not in alone


def test_the_chart_has_every_tool_of_the_kinds_that_grow() -> None:
    runs = {
        size: {"ours": Run(2, 2, 2), "more": Run(3, 3, 3), "peer": FAILED, "read": Run(1, 1, 1)} for size in (ONE, TEN)
    }
    found = points([Comparison("Kind", runs, "ours", ("peer",), "read", "items"), Comparison("Still", runs, "ours")])
    assert {(point["kind"], point["job"], point["role"], point["size"]) for point in found} == {
        ("Kind", job, role, size) for job, role in (("ours", "ours"), ("read", "bound")) for size in (1000, 10_000)
    }


def test_labels_of_lines_that_end_together_are_moved_apart() -> None:
    runs = {ONE: {name: Run(1 + i / 1000, 1, 1) for i, name in enumerate("abcde")} | {"top": Run(9, 9, 9)}}
    found = points([Comparison("Kind", runs, "a", (*tuple("bcde"), "top"), unit="items")])
    heights = sorted(log(row["cpu"]) for row in _labels(found, 0.5, 20))
    least = log(20 / 0.5) * LINE / HEIGHT
    assert all(b - a >= least - 1e-9 for a, b in itertools.pairwise(heights))
    assert abs(exp(heights[-1]) - 9) < 1e-9


def test_the_chart_is_drawn_with_the_names_of_all_tools(tmp_path: Path) -> None:
    runs = {size: {"ours": Run(2, 2, 2), "a peer": Run(3, 3, 3)} for size in (ONE, TEN)}
    found = points([Comparison("A kind of work", runs, "ours", ("a peer",), unit="items")])
    bench_modules.job("chart.draw", json.dumps(found), str(tmp_path / "growth.svg"))
    drawn = (tmp_path / "growth.svg").read_text(encoding="utf-8")
    for part in ("A kind of work", ">ours<", ">a peer<", "#ffffff"):
        assert part in drawn
