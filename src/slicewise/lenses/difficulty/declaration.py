"""The lens `difficulty`, as everything that lists lenses reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from slicewise.errors import counted
from slicewise.evaluation import Evaluation
from slicewise.lenses.contract import Lens, LensContext, LensSection, ReportOptions, Results
from slicewise.lenses.difficulty.lens import difficulty
from slicewise.lenses.difficulty.result import DifficultyResult
from slicewise.lenses.difficulty.slices import slices
from slicewise.lenses.inference import significant
from slicewise.lenses.ranking.phrases import STATED, in_words
from slicewise.render.blocks import Sentence
from slicewise.render.figures import Figure
from slicewise.results.slices import feature_slice
from slicewise.results.statement import Statement

SUSPECTS = ("suspects", "set-aside")
"""How the names of figures begin that are about suspect gold."""


def _run(evaluation: Evaluation, options: ReportOptions) -> DifficultyResult:
    drawing = options.outcomes(evaluation.task) | options.inference
    return difficulty(evaluation, compare=options.compare, top=options.top, **drawing)


def _section(result: DifficultyResult) -> list[Sentence | Figure]:
    rule = [f"{result.rule[0].upper()}{result.rule[1:]}."] if result.rule else []
    figures = [figure for figure in result.figures() if not figure.name.startswith(SUSPECTS)]
    return [*(Sentence(text) for text in (*rule, *result.findings)), *figures]


def _suspects(results: Results) -> list[Figure] | None:
    """Return the figures of suspect gold, if there is any; scored items have no gold to suspect."""
    result = cast("DifficultyResult", results["difficulty"])
    figures = [figure for figure in result.figures() if figure.name.startswith(SUSPECTS) and figure.rows]
    return None if result.rule else figures or None


def statements(result: DifficultyResult, context: LensContext) -> Iterator[Statement]:
    """Yield the features that surely go with being found by nobody."""
    ranked = result.features
    if ranked is None or len(result.gold.systems) < 2:
        return
    for feature in [f for f in ranked.features if significant(f.q) and f.mean < (f.rest_mean or 0.0)][:STATED]:
        noun = counted(feature.n, "gold unit" if ranked.over == "gold" else "item")
        nobody, rest = 1 - feature.mean, 1 - (feature.rest_mean or 0.0)
        summary = context.summaries.get(feature.feature.partition(" ")[0], "")
        meant = f" ({summary})" if summary else ""
        rule = f" ({result.rule})" if result.rule else ""
        yield Statement(
            text=f"No system finds {nobody:.0%} of the {noun} {in_words(feature)}{meant}; of the others, "
            f"{rest:.0%}{rule}.",
            lens="difficulty",
            dataset=result.data["name"],
            system=None,
            number=nobody - rest,
            unit="share",
            n=feature.n,
            q=float(feature.q or 0.0),
            worth=feature.expected_improvement,
            slice=feature_slice("bin0", "nobody", feature.feature),
            topic=feature.feature.partition(" ")[0],
        )


LENS = Lens(
    name="difficulty",
    title="Difficulty",
    question="What do all systems find, what does nobody find, and who stands out where it is hard?",
    caution=(
        "Bins depend on which systems take part: with weaker systems more is hard. A system has a part in making the "
        "bins; the table in which the others alone make them does not have this circle."
    ),
    run=_run,
    options=("threshold",),
    slices=slices,
    findings=statements,
    section=_section,
    more_sections=(
        LensSection(
            name="suspects",
            title="Suspect gold",
            question="Where do nearly all systems contradict gold in the same way?",
            caution=(
                "A suspect is a place to look at, not an error of gold: systems that learned from the same data err "
                "alike. What nobody finds is most often just hard, the more so with few systems."
            ),
            shows=_suspects,
        ),
    ),
)
