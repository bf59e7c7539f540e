"""The measurements as a page of Markdown."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import tools
from faster import where_faster
from measure import ENOUGH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measure import Measured, Run
    from plan import Plan

CHART = "growth.svg"


@dataclass(frozen=True)
class Check:
    """One requirement, and what was found."""

    requirement: str
    found: str
    passed: bool


def at_least(requirement: str, value: float, bound: float) -> Check:
    """Require a ratio of at least `bound`."""
    return Check(f"{requirement}: at least {bound:g} times", _found(value, ".1f", " times"), value >= bound)


def at_most(requirement: str, value: float, bound: float, unit: str = "") -> Check:
    """Require a value of at most `bound`."""
    digits = ",.0f" if bound >= 1000 else ".2f"
    limit = f"{bound:,.0f}" if bound >= 1000 else f"{bound:g}"
    return Check(f"{requirement}: at most {limit}{unit}", _found(value, digits, unit), value <= bound)


def same(requirement: str, values: Sequence[object]) -> Check:
    """Require that all values are there and equal."""
    equal = bool(values) and all(value is not None and value == values[0] for value in values)
    return Check(requirement, "equal to the last bit" if equal else "different", equal)


def _found(value: float, digits: str, unit: str) -> str:
    return "not measured" if isnan(value) else f"{value:{digits}}{unit}"


@dataclass(frozen=True)
class Comparison:
    """Jobs that do the same work at one or several sizes."""

    kind: str
    runs: Measured
    ours: str
    """The job of Slicewise that the others are compared with."""
    peers: tuple[str, ...] = ()
    """The jobs of other tools."""
    bound: str = ""
    """The job that only reads and splits."""
    unit: str = ""
    """What the sizes are numbers of; the chart has those that say it."""
    digits: int = 2


@dataclass(frozen=True)
class Section:
    """A heading, what was measured, its tables and requirements."""

    title: str
    text: str
    comparisons: Sequence[Comparison] = ()
    checks: Sequence[Check] = ()
    notes: Sequence[str] = field(default=())


def page(sections: Sequence[Section], plan: Plan, load: float, *, chart: bool) -> str:
    """Return the whole page."""
    comparisons = [comparison for section in sections for comparison in section.comparisons]
    parts = ["# Benchmarks", _chart(comparisons) if chart else "", _how(plan), _machine(load)]
    parts += [_requirements([check for section in sections for check in section.checks])]
    parts += ["## Where a peer is faster", where_faster(comparisons)]
    for section in sections:
        parts += [f"## {section.title}", section.text]
        for comparison in section.comparisons:
            parts += [f"### {comparison.kind}"] if len(section.comparisons) > 1 else []
            parts += tables(comparison)
        parts += section.notes
    return "\n\n".join(part for part in parts if part) + "\n"


def _chart(comparisons: Sequence[Comparison]) -> str:
    kinds = ", ".join(comparison.kind.lower() for comparison in comparisons if comparison.unit)
    return (
        f"![CPU seconds against size, both on logarithmic axes, a panel each for {kinds}; the figures are in the "
        f"tables below]({CHART})"
    )


def _how(plan: Plan) -> str:
    quick = "A quick run at the smallest sizes, each job once; what is required of larger sizes may fail. "
    full = f"Figures are the median of {plan.repetitions} runs, or of fewer where these took {ENOUGH} s in all. "
    return (
        f"Made by `benchmarks/run.py` in one go on {datetime.now(UTC):%Y-%m-%d}. {quick if plan.quick else full}Every "
        "job ran in a fresh process, peers and Slicewise in turn. CPU is user and system time of all threads and "
        "processes, peak MB the largest resident size of a process, in millions of bytes. The columns with × are "
        "multiples of the row that has 1 there: above 1 Slicewise needs less, below 1 it needs more."
    )


def _machine(load: float) -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    absent = tools.absent()
    missing = f" Not installed here, so not measured: {', '.join(absent)}." if absent else ""
    return (
        f"Machine: {os.cpu_count()} cores ({_processor()}), {memory:.0f} GB of memory, {platform.system()}; one-minute "
        f"load before the run {load:.2f}. Cores may be shared with others: trust the ratios more than the seconds.\n\n"
        f"Versions: {', '.join([f'Python {platform.python_version()}', *tools.versions()])}.{missing}"
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _requirements(checks: Sequence[Check]) -> str:
    passed = sum(check.passed for check in checks)
    rows = [f"| {c.requirement} | {c.found} | {'PASS' if c.passed else '**FAIL**'} |" for c in checks]
    head = ["| requirement | measured | |", "|---|---:|---|"]
    return "\n".join([f"## Requirements: {passed} of {len(checks)} hold", "", *head, *rows]) if checks else ""


def tables(comparison: Comparison) -> list[str]:
    """Return a table for each size; the columns with × are multiples of our job."""
    head = "| job | runs | CPU s | wall s | peak MB | × CPU | × wall | × MB |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    found = []
    for size, runs in comparison.runs.items():
        rows = [_row(name, run, runs[comparison.ours], comparison.digits) for name, run in runs.items()]
        found.append("\n".join([f"{size.shown}:\n" if size.shown else "", head, *rows]).strip("\n"))
    return found


def _row(name: str, run: Run, base: Run, digits: int) -> str:
    if run.failed:
        return f"| {name} | failed: {_cell(run.failed)} | | | | | | |"
    figures = f"| {name} | {run.times} | {run.cpu:.{digits}f} | {run.wall:.{digits}f} | {run.megabytes:,.0f} |"
    if run is base:
        return f"{figures} 1 | 1 | 1 |"
    ratios = (run.cpu / base.cpu, run.wall / base.wall, run.megabytes / base.megabytes)
    return f"{figures} {' | '.join('' if isnan(ratio) else f'{ratio:.2f}' for ratio in ratios)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
