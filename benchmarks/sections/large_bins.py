"""Bins and complementarity of millions of items, from a file of 0/1 scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import data
import tools
from measure import Job, Run, counted, largest, measure, slicewise, work
from report import Check, Comparison, Section, at_most, same

from sections.names import DUCKDB, LOOP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from measure import Measured
    from plan import Plan

ITEMS, SYSTEMS = (1_000_000, 3_000_000, 10_000_000), 12
SECONDS, MEGABYTES = 15, 4_000
BINS, PAIRS = "slicewise difficulty", "slicewise complement"
NUMPY_BINS, NUMPY_PAIRS = "numpy: bin by bin", "numpy: pair by pair"
DUCKDB_BINS, DUCKDB_PAIRS = f"{DUCKDB}, bins", f"{DUCKDB}, pairs"
READ = "read (Polars)"


def section(plan: Plan) -> Section:
    """Measure both commands, and other means to count, at three sizes in turn."""
    sizes = {
        counted(items, "items"): data.matrix(plan.folder, items=items, systems=SYSTEMS) for items in plan.sizes(ITEMS)
    }
    measured = measure({size: _jobs(path) for size, path in sizes.items()}, plan.repetitions)
    checks = [check for size, runs in measured.items() for check in _same(size.shown, sizes[size], runs)]
    text = (
        f"`slicewise difficulty` and `slicewise complement` with `--task scores` on {SYSTEMS} systems, a column of 0/1 "
        "scores each in one Parquet file, from the file to printed tables and JSON. The others count alone, without "
        "intervals, ensembles, suspects and examples: how many systems have an item, and which of them; what both of a "
        "pair miss. The loop counts the patterns of the rows in a dictionary, and bins and pairs from these."
    )
    comparisons = [
        _compared("Bins", measured, BINS, (NUMPY_BINS, LOOP, DUCKDB_BINS)),
        _compared("Complementarity", measured, PAIRS, (NUMPY_PAIRS, LOOP, DUCKDB_PAIRS)),
    ]
    return Section(
        "Large: bins and complementarity", text, comparisons, [*checks, *_bounded(measured)], [_peaks(measured)]
    )


def _jobs(path: str) -> dict[str, Job]:
    options = ["--task", "scores"]
    for i in range(SYSTEMS):
        options += ["--system", f"s{i}={path}:s{i}"]
    jobs = {
        BINS: slicewise("difficulty", *options, "--json", f"{path}.bins.json"),
        PAIRS: slicewise("complement", *options, "--json", f"{path}.pairs.json"),
        NUMPY_BINS: work("scores.numpy_bins", path),
        NUMPY_PAIRS: work("scores.numpy_pairs", path),
        LOOP: work("scores.loop", path),
        READ: work("reading.scores", path),
    }
    if tools.has_duckdb():
        jobs |= {DUCKDB_BINS: work("scores.duckdb_bins", path), DUCKDB_PAIRS: work("scores.duckdb_pairs", path)}
    return jobs


def _compared(kind: str, measured: Measured, ours: str, peers: tuple[str, ...]) -> Comparison:
    """Return the jobs of one of the two commands."""
    chosen = (ours, *peers, READ)
    runs = {size: {name: some[name] for name in chosen if name in some} for size, some in measured.items()}
    return Comparison(kind, runs, ours, peers, READ, unit="items")


def _bounded(measured: Measured) -> list[Check]:
    """Check time and memory at the largest size."""
    size, runs = largest(measured)
    return [
        check
        for name in (BINS, PAIRS)
        for check in (
            at_most(f"{size.shown} × {SYSTEMS} systems, {name}, CPU", runs[name].cpu, SECONDS, " s"),
            at_most(f"{size.shown} × {SYSTEMS} systems, {name}, peak memory", runs[name].megabytes, MEGABYTES, " MB"),
        )
    ]


def _peaks(measured: Measured) -> str:
    """Say how memory grows."""
    told = [
        f"`{name}` {', '.join(f'{runs[name].megabytes:,.0f} MB at {size.shown}' for size, runs in measured.items())}"
        for name in (BINS, PAIRS)
    ]
    return f"Peak memory: {'; '.join(told)}."


def _same(size: str, path: str, runs: Mapping[str, Run]) -> list[Check]:
    """Compare the counts with those of all others."""
    loop = runs[LOOP].output.splitlines() or ["null", "null"]
    others = {
        BINS: [loop[0], *(runs[name].output or "null" for name in (NUMPY_BINS, DUCKDB_BINS) if name in runs)],
        PAIRS: [loop[1], *(runs[name].output or "null" for name in (NUMPY_PAIRS, DUCKDB_PAIRS) if name in runs)],
    }
    own = {
        BINS: None if runs[BINS].failed else _bins(_result(f"{path}.bins.json")),
        PAIRS: None if runs[PAIRS].failed else _pairs(_result(f"{path}.pairs.json")),
    }
    return [
        same(f"{size}, the counts of {name} are those of the others", [own[name], *map(json.loads, printed)])
        for name, printed in others.items()
    ]


def _result(path: str) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))["result"]


def _bins(result: Any) -> dict[str, Sequence[Any]]:
    return {"totals": result["gold"]["totals"], "found": list(result["gold"]["systems"].values())}


def _pairs(result: Any) -> dict[str, Sequence[Any]]:
    """Return what both miss, of each pair once, in the order of the columns."""
    place = {f"s{i}": i for i in range(SYSTEMS)}
    pairs = [(place[p["a"]], place[p["b"]], p["missed_both"]) for p in result["pairs"]]
    return {"missed_both": [n for a, b, n in sorted(pairs) if a < b]}
