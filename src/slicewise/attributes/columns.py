"""Columns of the data as attributes: metadata of items, and columns of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.attribute import EVERY, TAGGED, Attribute, Of, Scope
from slicewise.attributes.facts import Facts, joined
from slicewise.attributes.sequences import Sequences
from slicewise.attributes.survey import typed


def column_attributes(facts: Facts) -> list[Attribute]:
    """Return an attribute for every column of plain values; those that only name items are none."""
    attributes = [
        _attribute(name, "the field {!r} of the data", OfItem(name), of=Of.ITEM, depends_on=Scope.FIELDS, core=True)
        for name in facts.corpus_facts.columns
    ]
    if facts.task in TAGGED:
        summary, scope = "the column {!r} of the data, of all the unit's tokens", Scope.UNIT | Scope.ITEM
        attributes += [
            _attribute(name, summary, OfTokens(name), of=Of.UNIT, depends_on=scope)
            for name in facts.evaluation.aligned.token_columns
        ]
    return attributes


def _attribute(name: str, summary: str, values: OfItem | OfTokens, **more: Any) -> Attribute:
    phrase = "{units} with " + name.replace("{", "(").replace("}", ")") + " {range}"
    return Attribute(name=name, summary=summary.format(name), values=values, tasks=EVERY, phrase=phrase, **more)


@dataclass(frozen=True)
class OfItem:
    """A field of items."""

    name: str

    def __call__(self, facts: Facts) -> pl.Series:
        """Return the values."""
        column = facts.evaluation.aligned.metadata.get_column(self.name).alias("")
        return typed(column, facts.corpus_facts.columns[self.name])


@dataclass(frozen=True)
class OfTokens:
    """A column of tokens: of a unit, the values of all its tokens."""

    name: str

    def __call__(self, facts: Facts) -> pl.Series:
        """Return the values."""
        column = facts.evaluation.aligned.token_columns[self.name].alias("")
        first, length = facts.unit_ranges
        if facts.task is Task.TOKENS:
            return typed(column.gather(first), facts.corpus_facts.token_columns[self.name])
        codes = column.cast(pl.String).cast(pl.Categorical).to_physical()
        known = int(codes.max() or 0) + 1  # type: ignore[arg-type]
        numbers = Sequences.of(codes.fill_null(known).to_numpy(), first, length, known + 1).numbers
        _, example, place = np.unique(numbers, return_index=True, return_inverse=True)
        return joined(column, first[example], length[example]).fill_null("").gather(place)
