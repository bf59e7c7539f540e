"""Systems against each other: bins, pairs and votes from patterns in memory, against loops over the units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measure import Job, Size, measure, work
from report import Comparison, Section, at_least, at_most, same

if TYPE_CHECKING:
    from plan import Plan

UNITS, SYSTEMS = 10_000_000, 12
FEWER_UNITS, MORE_SYSTEMS = 1_000_000, 64
COLUMNS, MATRIX = "slicewise, a column per system", "slicewise, a row per unit"
LOOP, PACKED = "numpy: pair by pair, bin by bin", "the same, eight units to a byte"
WAYS = {COLUMNS: "columns", MATRIX: "matrix", LOOP: "looped", PACKED: "packed"}


def section(plan: Plan) -> Section:
    """Measure the counting alone."""
    few, many = _size(UNITS, SYSTEMS), _size(FEWER_UNITS, MORE_SYSTEMS)
    jobs = {few: {name: _job(name, UNITS, SYSTEMS) for name in WAYS}}
    jobs |= {many: {name: _job(name, FEWER_UNITS, MORE_SYSTEMS) for name in (COLUMNS, LOOP)}}
    measured = measure(jobs, plan.repetitions)
    runs = measured[few]
    checks = [
        same(
            f"{size.shown}, bins, pairs and votes are those of the loops", [run.output or None for run in some.values()]
        )
        for size, some in measured.items()
    ]
    checks += [
        at_most(f"{few.shown}, CPU of bins, pairs and votes", runs[COLUMNS].cpu, 1, " s"),
        at_least(f"{few.shown}, less CPU than a loop over pairs", runs[LOOP].cpu / runs[COLUMNS].cpu, 8),
    ]
    text = (
        "How many systems have each gold and each spurious unit, and how many of each such bin each system has; "
        "complementarity, in all, by precision, by recall and by F1, of all ordered pairs; what a vote of all systems "
        "returns for each number that must agree. From 0/1 values in memory, of systems that resemble each other: half "
        "of the units are gold, some are easy for all systems, and systems of a family err alike. CPU and wall of the "
        "counting alone, taken inside the process; peak MB is that of the whole process. The loop makes each system's "
        "misses and spurious units once, and counts those that two systems share for each unordered pair. It is the "
        "plain way, which the requirement is about; packed bits make it several times faster."
    )
    compared = Comparison("Systems against each other", measured, COLUMNS, (LOOP, PACKED), digits=3)
    return Section("Systems against each other", text, [compared], checks)


def _size(units: int, systems: int) -> Size:
    return Size(units, f"{units:,} units × {systems} systems")


def _job(way: str, units: int, systems: int) -> Job:
    return work(f"systems.{WAYS[way]}", str(units), str(systems), timed=True)
