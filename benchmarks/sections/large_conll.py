"""Ten systems on CoNLL files of 100 MB: scores, and buckets by all attributes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import data
from measure import Job, Size, largest, measure, slicewise, work
from report import Comparison, Section, at_most

from sections.names import SPLIT

if TYPE_CHECKING:
    from data import Files
    from measure import Measured
    from plan import Plan
    from report import Check

COPIES, TRAINING_COPIES = (75, 750), 10
SECONDS, MEGABYTES = 90, 4_000
SCORE, BUCKETS = "slicewise score, 1,000 resamples", "slicewise buckets, 1,000 resamples"


def section(plan: Plan) -> Section:
    """Measure both commands at two sizes."""
    train = data.training(plan.folder, copies=TRAINING_COPIES)
    files = [data.ten_systems(plan.folder, copies=copies) for copies in plan.sizes(COPIES)]
    sizes = [_size(some, copies) for some, copies in zip(files, COPIES, strict=False)]
    jobs = {size: _jobs(some, train) for size, some in zip(sizes, files, strict=True)}
    measured = measure(jobs, plan.repetitions)
    text = (
        "The example news repeated, with its seven systems and three that are mixed from them; buckets by all "
        f"attributes, with {TRAINING_COPIES} copies of the training data "
        f"({TRAINING_COPIES * data.TOKENS_IN_TRAINING:,} tokens). Both with intervals and the paired tests of 45 "
        "pairs. Measured without a peer."
    )
    title = "Large: 100 MB of CoNLL with ten systems"
    return Section(title, text, [Comparison(title, measured, SCORE, bound=SPLIT)], _checks(measured))


def _size(files: Files, copies: int) -> Size:
    tokens, megabytes = copies * data.TOKENS_IN_NEWS, Path(files.gold).stat().st_size / 1e6
    return Size(tokens, f"{tokens:,} tokens, gold of {megabytes:.0f} MB")


def _jobs(files: Files, train: str) -> dict[str, Job]:
    return {
        SCORE: slicewise("score", *files.options),
        BUCKETS: slicewise("buckets", *replace(files, train=train).options),
        SPLIT: work("reading.columns", *files.paths),
    }


def _checks(measured: Measured) -> list[Check]:
    """Check time and memory at the largest size."""
    size, runs = largest(measured)
    return [
        check
        for name in (SCORE, BUCKETS)
        for check in (
            at_most(f"{size.shown}, {name}, CPU", runs[name].cpu, SECONDS, " s"),
            at_most(f"{size.shown}, {name}, peak memory", runs[name].megabytes, MEGABYTES, " MB"),
        )
    ]
