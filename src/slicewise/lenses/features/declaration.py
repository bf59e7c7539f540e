"""The lens `features`, as everything that lists lenses reads it."""

from __future__ import annotations

from functools import partial
from typing import Any

from slicewise.evaluation import Evaluation
from slicewise.lenses.contract import Lens, LensSection, ReportOptions, Results
from slicewise.lenses.features.lens import features
from slicewise.lenses.features.result import FeaturesResult
from slicewise.lenses.features.slices import over_units, slices
from slicewise.lenses.features.statements import statements
from slicewise.render.blocks import Sentence
from slicewise.render.figures import Figure

CHANGES = ("worsening", "improving")
NOTATION = (
    "How features are written: in:WORD is a word of the text, span:WORD a word of the unit itself, left:WORD and "
    "right:WORD the words beside it, label:NAME its label; SHAPE writes letters as A and a, digits as 9, and + for "
    "more of the same; large and small are the quarter with the largest or smallest values of an attribute."
)


def _run(evaluation: Evaluation, options: ReportOptions, direction: str = "worst") -> FeaturesResult:
    units = over_units(evaluation)
    old_and_new: Any = evaluation.ranked_systems if direction in CHANGES else None
    return features(
        evaluation,
        direction=direction,
        change=old_and_new,
        units=units,
        top=options.top,
        bigrams=options.bigrams,
        shapes=options.shapes,
        min_count=options.min_count,
        **options.inference if units else options.scoring,
    )


def _section(result: FeaturesResult) -> list[Sentence | Figure]:
    return [Sentence(NOTATION), *result.figures()]


def _changes(results: Results) -> list[Figure] | None:
    if not any(name in results for name in CHANGES):
        return None
    return [figure for name in CHANGES if name in results for figure in results[name].figures()]


LENS = Lens(
    name="features",
    title="Features",
    question="Which words, labels, neighbours and values go with errors, beyond chance?",
    caution=(
        "A feature that goes with errors need not cause them. Gains of several features do not add up: they share "
        "units. An interval is of the difference of the means, q of a test by ranks: where a few documents have most "
        "of the units, the two may disagree."
    ),
    run=_run,
    between_two={direction: partial(_run, direction=direction) for direction in CHANGES},
    options=("bigrams", "shapes", "min_count"),
    slices=slices,
    findings=statements,
    section=_section,
    more_sections=(
        LensSection(
            name="change",
            title="From one to the other",
            question="What gets worse from the first system to the second, and what gets better?",
            caution="Of two systems that err by chance, each is better somewhere: look at q.",
            shows=_changes,
        ),
    ),
)
