"""What a unit is: its label and its string."""

from __future__ import annotations

import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.attribute import SPANS, TAGGED, Attribute, Need, Of, Scope
from slicewise.attributes.facts import Facts
from slicewise.bucketing import Values


def label(facts: Facts) -> pl.Series:
    """Return the label of each unit."""
    return facts.units.frame["label"].cast(pl.String)


def string(facts: Facts) -> pl.Series:
    """Return the string of each unit."""
    text = facts.surface_text
    return text.str.to_lowercase() if facts.evaluation.options.lower else text


ATTRIBUTES = [
    Attribute(
        name="label", summary="the label", values=label, of=Of.UNIT, depends_on=Scope.UNIT,
        tasks=TAGGED | {Task.LABELS, Task.MULTILABEL}, buckets=Values(all_of_them=True), core=True,
        phrase="{units} labelled {range}",
    ),
    Attribute(
        name="str", summary="the string of the entity; the most frequent ones, the others pooled", values=string,
        of=Of.UNIT, depends_on=Scope.UNIT, tasks=SPANS | {Task.TOKENS}, needs=frozenset({Need.WORDS}), buckets=Values(),
        phrase="{units} that read {range}",
    ),
]  # fmt: skip
