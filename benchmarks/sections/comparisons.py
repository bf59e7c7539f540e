"""Ten systems with all paired tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import data
from measure import Size, measure, slicewise
from report import Comparison, Section

if TYPE_CHECKING:
    from plan import Plan

COPIES = 61
FULL, PLAIN = "slicewise, 1,000 resamples and tests", "slicewise, no intervals, no tests"


def section(plan: Plan) -> Section:
    """Measure scores, intervals and the tests of all pairs."""
    command = ["score", *data.ten_systems(plan.folder, copies=COPIES).options]
    size = Size(COPIES * data.TOKENS_IN_NEWS, "")
    jobs = {FULL: slicewise(*command), PLAIN: slicewise(*command, "--resamples", "0")}
    text = (
        f"10 systems × {COPIES * data.SENTENCES_IN_NEWS:,} sentences of the repeated news "
        f"({COPIES * data.TOKENS_IN_NEWS:,} tokens each), from files to printed scores, intervals and the paired "
        "tests of 45 pairs. Measured without a peer."
    )
    title = "Ten systems, compared"
    return Section(title, text, [Comparison(title, measure({size: jobs}, plan.repetitions), FULL)])
