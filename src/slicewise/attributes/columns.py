"""Columns of the data as attributes: metadata of items, and columns of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.attribute import EVERY, TAGGED, Attribute, Of
from slicewise.attributes.facts import Facts, expanded
from slicewise.attributes.sequences import Sequences
from slicewise.attributes.survey import typed

if TYPE_CHECKING:
    from numpy.typing import NDArray


def column_attributes(facts: Facts) -> list[Attribute]:
    """Return an attribute for every column of plain values; those that only name items are none."""
    found = [_attribute(name, f"the field {name!r} of the data", Of.ITEM, OfItem(name)) for name in facts.told.columns]
    if facts.task in TAGGED:
        found += [
            _attribute(name, f"the column {name!r} of the data, of all the unit's tokens", Of.UNIT, OfTokens(name))
            for name in facts.evaluation.aligned.token_columns
        ]
    return found


def _attribute(name: str, summary: str, of: Of, values: OfItem | OfTokens) -> Attribute:
    core = of is Of.ITEM
    phrase = "{units} with " + name.replace("{", "(").replace("}", ")") + " {range}"
    return Attribute(name=name, summary=summary, values=values, of=of, tasks=EVERY, core=core, phrase=phrase)


@dataclass(frozen=True)
class OfItem:
    """A field of items."""

    name: str

    def __call__(self, facts: Facts) -> pl.Series:
        """Return the values."""
        column = facts.evaluation.aligned.metadata.get_column(self.name).alias("")
        return typed(column, facts.told.columns[self.name])


@dataclass(frozen=True)
class OfTokens:
    """A column of tokens: of a unit, the values of all its tokens."""

    name: str

    def __call__(self, facts: Facts) -> pl.Series:
        """Return the values."""
        column = facts.evaluation.aligned.token_columns[self.name].alias("")
        first, length = facts.unit_ranges
        if facts.task is Task.TOKENS:
            return typed(column.gather(first), facts.told.token_columns[self.name])
        codes = column.cast(pl.String).cast(pl.Categorical).to_physical()
        known = int(codes.max() or 0) + 1  # type: ignore[arg-type]
        numbers = Sequences.of(codes.fill_null(known).to_numpy(), first, length, known + 1).numbers
        _, one, place = np.unique(numbers, return_index=True, return_inverse=True)
        return _joined(column, first[one], length[one]).gather(place)


def _joined(column: pl.Series, first: NDArray[np.int64], length: NDArray[np.int64]) -> pl.Series:
    """Return so many values of a column from each place on, with spaces between."""
    row, at = expanded(first, length)
    values = pl.DataFrame({"row": row, "value": column.gather(at).cast(pl.String)})
    joined = values.group_by("row").agg(pl.col("value").str.join(" "))
    every = pl.DataFrame({"row": np.arange(len(first))}).join(joined, on="row", how="left", maintain_order="left")
    return every["value"].fill_null("").alias("")
