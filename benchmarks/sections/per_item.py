"""CPU per item beyond start-up, and how it grows with the size."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from measure import Size
from report import Check, at_most

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measure import Measured

START = Size(0, "start-up")
"""A size so small that what a job costs on it is its start-up."""
MOST = 1.3
LEAST = 0.4
"""CPU seconds beyond start-up below which one measures chance: start-up alone differs by a tenth between runs."""

PerItem = dict[Size, dict[str, float]]


def per_item(measured: Measured, names: Sequence[str]) -> PerItem:
    """Return the CPU seconds per item of some jobs at each size, without those on next to nothing."""
    start = measured[START]
    return {
        size: {name: (runs[name].cpu - start[name].cpu) / size.count for name in names}
        for size, runs in measured.items()
        if size != START
    }


def per_item_table(found: PerItem, item: str, unit: str, per_second: float) -> str:
    """Return them as a table, so many of a unit to the second."""
    names = list(next(iter(found.values())))
    head = [f"| size | {' | '.join(names)} |", "|---:" * (1 + len(names)) + "|"]
    rows = [
        f"| {size.shown} | {' | '.join(f'{s * per_second:,.2f}' for s in each.values())} |"
        for size, each in found.items()
    ]
    return "\n".join([f"CPU per {item} beyond start-up, in {unit}:", "", *head, *rows])


def steady(found: PerItem, item: str) -> list[Check]:
    """Require of every job that an item costs about the same at all sizes that tell; of one there is nothing to say."""
    checks = []
    for name in next(iter(found.values())):
        each = [own[name] for size, own in found.items() if not own[name] * size.count < LEAST]
        if len(each) < 2:
            continue
        growth = max(large / small for small, large in combinations(each, 2))
        checks.append(at_most(f"Largest growth of CPU per {item} with the size, {name}", growth, MOST, " times"))
    return checks
