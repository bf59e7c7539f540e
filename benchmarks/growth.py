"""The points of the chart: what each tool needs at each size of each kind of work."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from report import Comparison


class Point(TypedDict):
    """CPU seconds of a job at a size; its role is ours, peer or bound."""

    kind: str
    unit: str
    job: str
    role: str
    size: int
    cpu: float


def points(comparisons: Sequence[Comparison]) -> list[Point]:
    """Return the points of all comparisons that say what their sizes are numbers of."""
    return [
        Point(kind=c.kind, unit=c.unit, job=job, role=role, size=size.count, cpu=round(run.cpu, 4))
        for c in comparisons
        if c.unit
        for size, runs in c.runs.items()
        for job, run in runs.items()
        if not run.failed and (role := _role(c, job))
    ]


def _role(comparison: Comparison, job: str) -> str:
    """Return what a job is in the chart; nothing for others of Slicewise."""
    if job == comparison.ours:
        return "ours"
    return "bound" if job == comparison.bound else "peer" if job in comparison.peers else ""
