"""Worst features: tokens, runs, shapes and pairs, against loops over the items and against reading alone."""

from __future__ import annotations

import json
from math import isclose
from typing import TYPE_CHECKING

import data
from measure import Job, Run, counted, largest, measure, smallest
from report import Check, Comparison, Section, at_least, at_most

from sections.names import DUCKDB, LOOP, SPLIT
from sections.per_item import START, per_item, per_item_table, steady
from sections.scored_texts import GEVAL, LEAST, TOKENS, TOP, duckdb, geval, ours, split, theirs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from measure import Measured, Size
    from plan import Plan

ITEMS = (100_000, 300_000, 1_000_000)
TINY = 100  # what a command costs on so few items is its start-up
PAIR_LEAST = 50
RUNS, PAIRS = "slicewise, tokens, bigrams and shapes", "slicewise, tokens and pairs"
BY_FIELD = "Python loop, field by field"


def section(plan: Plan) -> Section:
    """Measure features from a Parquet file to the printed list, at three sizes in turn."""
    sizes = {counted(items, "items"): items for items in plan.sizes(ITEMS)}
    jobs = {START: _ours(data.scored(plan.folder, items=TINY), plan.folder / "start-up.json")}
    for size, items in sizes.items():
        path = data.scored(plan.folder, items=items)
        jobs[size] = _ours(path, _result(plan, size)) | _others(path)
    few = next(iter(sizes))
    path = data.scored(plan.folder, items=sizes[few])
    jobs[few] |= {PAIRS: ours(path, "--pairs", "--min-pair-count", str(PAIR_LEAST), least=PAIR_LEAST)}
    jobs[few] |= geval(path, plan.folder)
    measured = measure(jobs, plan.repetitions)
    each = per_item(measured, (TOKENS, RUNS))
    start = measured.pop(START)[TOKENS]
    checks = [*(_same_list(plan, size, runs) for size, runs in measured.items()), *_required(measured)]
    text = (
        f"`slicewise features` from a Parquet file to the printed list and its JSON: 0/1 scores and three fields of "
        f"{data.FIELD_TOKENS} tokens, drawn by Zipf's law from {data.TYPES:,} types; features of at least {LEAST} "
        f"items, pairs and their parts of at least {PAIR_LEAST}, at the smallest size only, as is GEval where it is "
        "there. The loop goes from item to item, makes the set of its features, counts them and sums ranks in "
        "dictionaries, and takes the hypergeometric p from scipy, once for all features of equal counts; field by "
        "field it needs no names of features, the fastest loop we found. DuckDB counts by a query, and p is scipy's. "
        "Slicewise also corrects p, folds features of the same items, looks up examples and scores the items "
        f"without each feature. Start-up, on {TINY} items: {start.cpu:.2f} s CPU, {start.megabytes:,.0f} MB."
    )
    peers = (LOOP, BY_FIELD, DUCKDB, GEVAL)
    compared = Comparison("Worst features", measured, TOKENS, peers, SPLIT, unit="items")
    notes = [per_item_table(each, "item", "µs", 1e6)]
    return Section("Worst features", text, [compared], [*checks, *steady(each, "item")], notes)


def _result(plan: Plan, size: Size) -> Path:
    return plan.folder / f"features.{size.count}.json"


def _ours(path: str, result: Path) -> dict[str, Job]:
    other = str(result.with_suffix(".other.json"))
    return {
        TOKENS: ours(path, "--json", str(result)),
        RUNS: ours(path, "--bigrams", "--shapes", "--json", other),
    }


def _others(path: str) -> dict[str, Job]:
    jobs = {LOOP: theirs("loop", path), BY_FIELD: theirs("loop_by_field", path)}
    return jobs | duckdb(path) | {SPLIT: split(path)}


def _required(measured: Measured) -> list[Check]:
    """Check what is required at the largest size, and of pairs at the smallest."""
    (few, fewest), (size, runs) = smallest(measured), largest(measured)
    tokens, pairs = f"{size.shown}, {TOKENS}", fewest[PAIRS]
    return [
        at_most(f"{tokens}, against {SPLIT}", runs[TOKENS].cpu / runs[SPLIT].cpu, 5, " times the CPU"),
        at_least(f"{tokens}, less wall time than a {LOOP}", runs[LOOP].wall / runs[TOKENS].wall, 10),
        at_most(f"{tokens}, peak memory", runs[TOKENS].megabytes, 2000, " MB"),
        at_most(
            f"{size.shown}, bigrams and shapes, against tokens", runs[RUNS].cpu / runs[TOKENS].cpu, 3, " times the CPU"
        ),
        at_most(f"{few.shown}, {PAIRS}, CPU", pairs.cpu, 15, " s"),
        at_most(f"{few.shown}, {PAIRS}, peak memory", pairs.megabytes, 2000, " MB"),
    ]


def _same_list(plan: Plan, size: Size, runs: Mapping[str, Run]) -> Check:
    """Compare the first features, in their order, and their p with the loop's."""
    what = f"{size.shown}, the first {TOP} features are those of the {LOOP}, p within 1e-9"
    if runs[TOKENS].failed or runs[LOOP].failed:
        return Check(what, "not measured", passed=False)
    result = json.loads(_result(plan, size).read_text(encoding="utf-8"))
    found = [(feature["p"], feature["feature"]) for feature in result["result"]["lists"][0]["features"][:TOP]]
    wanted = json.loads(runs[LOOP].output)
    equal = len(found) == TOP and [name for _, name in found] == [name for _, name in wanted]
    close = all(isclose(a, b, rel_tol=1e-9) for (a, _), (b, _) in zip(found, wanted, strict=False))
    farthest = max((abs(a - b) / (b or 1) for (a, _), (b, _) in zip(found, wanted, strict=False)), default=0.0)
    shown = f"p within {farthest:.0e}" if equal else "other features"
    return Check(what, shown, equal and close)
