"""How sure a system says it is."""

from __future__ import annotations

import polars as pl

from slicewise.attributes.attribute import WHOLE, Attribute, Need, Of, Scope
from slicewise.attributes.facts import Facts


def confidence(facts: Facts, system: str) -> pl.Series:
    """Return the confidence that the system's file gives with each output; null where it gives none."""
    return facts.evaluation.confidence(system)


ATTRIBUTES = [
    Attribute(
        name="confidence", summary="the system's own confidence, where its file has a field of that name",
        values=confidence, of=Of.OUTPUT, depends_on=Scope.FIELDS | Scope.OUTPUT, tasks=WHOLE,
        needs=frozenset({Need.CONFIDENCE}), core=True, phrase="{units} with a confidence of {range}",
    ),
]  # fmt: skip
