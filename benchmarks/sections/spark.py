"""Worst features on Spark, against the embedded engine and against reading alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import data
import tools
from measure import counted, measure
from report import Comparison, Section

from sections.scored_texts import LEAST, STREAMED, TOKENS, ours, split

if TYPE_CHECKING:
    from plan import Plan

ITEMS, MASTER = 1_000_000, "local[2]"
SPARK = f"slicewise, tokens, Spark {MASTER}"


def section(plan: Plan) -> Section:
    """Measure both engines on the same file, where Spark can run."""
    title = "Spark"
    if lacks := tools.no_spark():
        return Section(title, f"Not measured: {lacks}.")
    path = data.scored(plan.folder, items=ITEMS)
    size = counted(ITEMS, "items")
    jobs = {
        TOKENS: ours(path),
        SPARK: ours(path, "--engine", "spark", "--master", MASTER),
        STREAMED: split(path, "streamed_fields"),
    }
    measured = measure({size: jobs}, plan.repetitions)
    failed = measured[size][SPARK].failed
    text = (
        f"`slicewise features --engine spark --master '{MASTER}'` on tokens of three fields, features of at least "
        f"{LEAST} items, against the engine that is built in. Starting Spark is part of it; its peak MB is that of "
        "its largest process."
    )
    return Section(
        title, f"{text} The command failed: {failed}" if failed else text, [Comparison(title, measured, TOKENS)]
    )
