"""Where in the sentence an entity stands, and whether it was mentioned before."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.attributes.attribute import SPANS, TAGGED, Attribute, Need, Of, Scope
from slicewise.attributes.facts import Facts


def position(facts: Facts) -> pl.Series:
    """Return the share of the item that stands before the unit."""
    start = facts.units.frame["start"].to_numpy().astype(np.float64)
    length = facts.evaluation.aligned.lengths[facts.units.item]
    return pl.Series(start / np.maximum(length, 1))


def repeated(facts: Facts) -> pl.Series:
    """Return whether the unit's string stands earlier in its document, entity or not."""
    return pl.Series(facts.mentioned_before)


ATTRIBUTES = [
    Attribute(
        name="ePos", summary="where in the sentence the unit begins: 0 at its beginning, towards 1 at its end",
        values=position, of=Of.UNIT, depends_on=Scope.UNIT | Scope.ITEM, tasks=TAGGED,
        phrase="{units} that begin after a share of {range} of the sentence",
    ),
    Attribute(
        name="repeated", summary="whether the same string stands earlier in the document, entity or not",
        values=repeated, of=Of.UNIT, depends_on=Scope.UNIT | Scope.DOCUMENT, tasks=SPANS, needs=frozenset({Need.WORDS}),
        phrases={"yes": "{units} mentioned earlier in the document", "no": "{units} not mentioned before"},
    ),
]  # fmt: skip
