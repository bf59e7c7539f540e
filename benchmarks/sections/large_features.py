"""Worst features of millions of items: time grows with the items, memory stays within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import data
from measure import counted, largest, measure, smallest
from report import Comparison, Section, at_most

from sections.scored_texts import LEAST, STREAMED, TOKENS, ours, split

if TYPE_CHECKING:
    from measure import Measured
    from plan import Plan
    from report import Check

ITEMS = (1_000_000, 5_000_000)
MEGABYTES, GROWTH = 4_000, 5.5


def section(plan: Plan) -> Section:
    """Measure tokens at two sizes."""
    jobs = {}
    for items in plan.sizes(ITEMS):
        path = data.scored(plan.folder, items=items)
        jobs[counted(items, "items")] = {TOKENS: ours(path), STREAMED: split(path, "streamed_fields")}
    measured = measure(jobs, plan.repetitions)
    text = (
        f"`slicewise features` as above, on more items: tokens of three fields, features of at least {LEAST} items. "
        "The others are left out, since they would take minutes; they are above."
    )
    title = "Large: worst features"
    return Section(title, text, [Comparison(title, measured, TOKENS, bound=STREAMED)], _checks(measured))


def _checks(measured: Measured) -> list[Check]:
    """Check memory at the largest size, and how time has grown up to it."""
    (few, small), (many, large) = smallest(measured), largest(measured)
    bounded = at_most(f"{many.shown}, {TOKENS}, peak memory", large[TOKENS].megabytes, MEGABYTES, " MB")
    if few == many:
        return [bounded]
    what = f"{many.shown} against {few.shown}, {TOKENS}"
    return [
        bounded,
        at_most(f"{what}, CPU", large[TOKENS].cpu / small[TOKENS].cpu, GROWTH, " times"),
        at_most(f"{what}, wall time", large[TOKENS].wall / small[TOKENS].wall, GROWTH, " times"),
    ]
