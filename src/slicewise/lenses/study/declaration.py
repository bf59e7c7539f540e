"""The lens `study`, as everything that lists lenses reads it."""

from __future__ import annotations

from slicewise.lenses.contract import Lens
from slicewise.lenses.study.result import LEAD, StudyResult
from slicewise.render.figures import Figure


def _section(result: StudyResult) -> list[Figure]:
    return [figure for figure in result.figures() if figure.name != LEAD]


LENS = Lens(
    name="study",
    title="Across data sets",
    question="Which attributes move which systems, on which data sets?",
    caution=(
        "With few data sets a rank correlation takes few values. Diagnoses are tested over three data sets or more; an "
        "attribute of two buckets cannot be significant with fewer than six."
    ),
    section=_section,
)
