"""The lens `buckets`, as everything that lists lenses reads it."""

from __future__ import annotations

from collections.abc import Iterator

from slicewise.evaluation import Evaluation
from slicewise.lenses.buckets.lens import buckets
from slicewise.lenses.buckets.result import BucketsResult
from slicewise.lenses.buckets.slices import slices
from slicewise.lenses.contract import Lens, LensContext, ReportOptions
from slicewise.lenses.slicing.sentences import absences
from slicewise.render.blocks import Sentence
from slicewise.render.figures import Figure
from slicewise.results.slices import bucket_slice
from slicewise.results.statement import Statement


def _run(evaluation: Evaluation, options: ReportOptions) -> BucketsResult:
    return buckets(
        evaluation,
        **options.slicing,
        cross=options.cross,
        compare=options.compare,
        shared_with=options.shared_buckets,
        **options.scoring,
    )


def _section(result: BucketsResult) -> list[Sentence | Figure]:
    return [*(Sentence(f"Left out: {text}.") for text in absences(result.absent)), *result.figures()]


NEARLY_ALL = 0.8
"""Findings on a bucket with a larger share of all units are left out."""


def statements(result: BucketsResult, context: LensContext) -> Iterator[Statement]:
    """Yield gaps between buckets, and where one of the best systems is beaten; elsewhere it is what one would use."""
    for finding in result.findings:
        no_news = finding.against is not None and finding.against not in context.best
        if no_news or finding.share > NEARLY_ALL:
            continue
        yield Statement(
            text=finding.text,
            lens="buckets",
            dataset=result.data["name"],
            system=finding.against or finding.system,
            against=finding.system if finding.against else None,
            number=finding.difference,
            unit=result.metric,
            n=finding.n,
            q=finding.q,
            worth=finding.worth,
            slice=bucket_slice(finding.attribute, finding.bucket),
            topic=finding.attribute,
        )


LENS = Lens(
    name="buckets",
    title="Buckets",
    question="Which kinds of units are hard, and on which do systems differ?",
    caution=(
        "A gap says that a bucket is harder, not why: attributes go together. Buckets marked as small are rough. The "
        "widest gap was picked among many, so that its interval is too hopeful; q corrects for the picking."
    ),
    run=_run,
    options=("attributes", "buckets", "cuts", "cross", "compare"),
    slices=slices,
    findings=statements,
    section=_section,
)
