"""The measurements as a page of Markdown."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from measure import Run

PACKAGES = ("slicewise", "numpy", "polars", "narwhals", "scipy", "sacrebleu", "seqeval", "nervaluate", "scikit-learn")


@dataclass(frozen=True)
class Check:
    """One requirement, and what was found."""

    requirement: str
    found: str
    passed: bool


def at_least(requirement: str, value: float, bound: float) -> Check:
    """Require a ratio of at least `bound`."""
    return Check(f"{requirement}: at least {bound:g} times", f"{value:.1f} times", value >= bound)


def at_most(requirement: str, value: float, bound: float, unit: str = "") -> Check:
    """Require a value of at most `bound`."""
    return Check(f"{requirement}: at most {bound:g}{unit}", f"{value:.2f}{unit}", value <= bound)


@dataclass(frozen=True)
class Section:
    """A heading, what was measured, and its tables."""

    title: str
    text: str
    tables: Sequence[str]


def table(runs: Mapping[str, Run], ours: str, *, first: str = "job", digits: int = 2) -> str:
    """Return the runs as a table; the last columns are multiples of `ours`: above 1, Slicewise needs less."""
    base = runs[ours]
    rows = [
        f"| {name} | {run.cpu:.{digits}f} | {run.wall:.{digits}f} | {run.megabytes:,.0f} | "
        + (
            "1 | 1 | 1 |"
            if name == ours
            else f"{run.cpu / base.cpu:.2f} | {run.wall / base.wall:.2f} | {run.megabytes / base.megabytes:.2f} |"
        )
        for name, run in runs.items()
    ]
    head = f"| {first} | CPU s | wall s | peak MB | × CPU | × wall | × MB |\n|---|---:|---:|---:|---:|---:|---:|"
    return "\n".join([head, *rows])


def page(sections: Sequence[Section], checks: Sequence[Check], repetitions: int, load: float) -> str:
    """Return the whole page."""
    passed = sum(check.passed for check in checks)
    how = (
        f"Made by `python benchmarks/run.py` on {datetime.now(UTC):%Y-%m-%d}. Every job ran in a fresh process, peers "
        f"and Slicewise in turn; figures are the median of {repetitions} run{'s' if repetitions > 1 else ''}. CPU is "
        "user and system time of all threads, peak MB the largest resident size. The columns with × are multiples of "
        "the row that has 1 there: above 1 Slicewise needs less, below 1 it needs more."
    )
    parts = ["# Benchmarks", how, _machine(load)]
    if checks:
        rows = [f"| {c.requirement} | {c.found} | {'PASS' if c.passed else '**FAIL**'} |" for c in checks]
        head = ["| requirement | measured | |", "|---|---:|---|"]
        parts += [f"## Requirements: {passed} of {len(checks)} hold", "\n".join(head + rows)]
    for section in sections:
        parts += [f"## {section.title}", section.text, *section.tables]
    return "\n\n".join(part for part in parts if part) + "\n"


def _machine(load: float) -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{name} {importlib.metadata.version(name)}" for name in PACKAGES]
    return (
        f"Machine: {os.cpu_count()} cores ({_processor()}), {memory:.0f} GB of memory, {platform.system()}; one-minute "
        f"load before the run {load:.2f}. Cores are shared with others: trust the ratios more than the seconds.\n\n"
        f"Versions: {', '.join(versions)}."
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
