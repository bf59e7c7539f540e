"""All attributes of twelve systems, at two sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import data
from measure import Job, Size, measure, slicewise
from report import Comparison, Section, at_most

from sections.names import INTERVALS, PLAIN

if TYPE_CHECKING:
    from data import Files
    from measure import Measured
    from plan import Plan
    from report import Check

COPIES = (5, 50)  # of the news with its training data: 55,000 and 204,000 tokens, and ten times as many
BY_SENTENCE = "slicewise, 1,000 resamples of sentences"


def section(plan: Plan) -> Section:
    """Measure breakdowns with and without resamples, of documents and of sentences."""
    sizes = plan.sizes(COPIES)
    jobs = {_tokens(copies): _jobs(data.twelve_systems(plan.folder, copies=copies)) for copies in sizes}
    measured = measure(jobs, plan.repetitions)
    text = (
        "`slicewise buckets` from files to printed tables: the example news (training and test) repeated, the names of "
        "its entities changed in each copy; all attributes, the seven outputs and five mixed from them, with 1,000 "
        "resamples and the paired tests of 66 pairs in every bucket of every attribute. Documents are resampled, or "
        "every sentence for itself. No other tool does this; measured without a peer."
    )
    return Section("Buckets", text, [Comparison("Buckets", measured, PLAIN)], _checks(measured))


def _tokens(copies: int) -> Size:
    tokens = copies * data.TOKENS_IN_NEWS
    return Size(tokens, f"{tokens:,} tokens, {copies * data.TOKENS_IN_TRAINING:,} of training")


def _jobs(files: Files) -> dict[str, Job]:
    command = ["buckets", *files.options]
    return {
        PLAIN: slicewise(*command, "--resamples", "0"),
        INTERVALS: slicewise(*command),
        BY_SENTENCE: slicewise(*command, "--cluster", "item"),
    }


def _checks(measured: Measured) -> list[Check]:
    small, *larger = measured.values()
    what = "All attributes × 12 systems, CPU with start-up"
    checks = [
        at_most(f"{what}, {PLAIN}", small[PLAIN].cpu, 3, " s"),
        at_most(f"{what}, {INTERVALS}", small[INTERVALS].cpu, 6, " s"),
    ]
    return checks + [
        at_most(f"Ten times the data, {name}", large[name].cpu / small[name].cpu, 11, " times the CPU")
        for large in larger
        for name in (PLAIN, INTERVALS)
    ]
