"""Columns of the data as attributes: metadata of items, and columns of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.attribute import EVERY, TAGGED, Attribute, Of
from slicewise.attributes.facts import Facts, expanded

if TYPE_CHECKING:
    from collections.abc import Callable

MANY_VALUES = 50
"""A column of text with more different values than this, and more than half of the items, tells items apart."""


def column_attributes(facts: Facts) -> list[Attribute]:
    """Return an attribute for every column of plain values; those that only name items are none."""
    a = facts.evaluation.aligned
    found = [
        _attribute(name, f"the field {name!r} of the data", Of.ITEM, _of_item(name))
        for name in a.metadata.columns
        if name != a.clusters.kind and _tells_something(a.metadata.get_column(name))
    ]
    if facts.task in TAGGED:
        found += [
            _attribute(name, f"the column {name!r} of the data, of all the unit's tokens", Of.UNIT, _of_tokens(name))
            for name in a.token_columns
        ]
    return found


def _attribute(name: str, summary: str, of: Of, values: Callable[[Facts], pl.Series]) -> Attribute:
    core = of is Of.ITEM
    phrase = "{units} with " + name.replace("{", "(").replace("}", ")") + " {range}"
    return Attribute(name=name, summary=summary, values=values, of=of, tasks=EVERY, core=core, phrase=phrase)


def _of_item(name: str) -> Callable[[Facts], pl.Series]:
    return lambda facts: as_numbers(facts.evaluation.aligned.metadata.get_column(name).alias(""))


def _of_tokens(name: str) -> Callable[[Facts], pl.Series]:
    def values(facts: Facts) -> pl.Series:
        column = facts.evaluation.aligned.token_columns[name].alias("")
        first, length = facts.unit_ranges
        if facts.task is Task.TOKENS:
            return as_numbers(column.gather(first))
        row, at = expanded(first, length)
        joined = (
            pl.DataFrame({"row": row, "value": column.gather(at).cast(pl.String)})
            .group_by("row", maintain_order=True)
            .agg(pl.col("value").str.join(" "))
        )
        return pl.Series(np.arange(len(first))).replace_strict(
            joined["row"], joined["value"], default="", return_dtype=pl.String
        )

    return values


def as_numbers(column: pl.Series) -> pl.Series:
    """Return a column of text as numbers where all that is there is a number; nothing there is null."""
    if column.dtype != pl.String:
        return column
    filled = column.set((column.str.strip_chars() == "").fill_null(False), None)
    numbers = filled.str.strip_chars().cast(pl.Float64, strict=False)
    if not numbers.null_count() == filled.null_count() < len(column):
        return filled
    whole = (
        numbers.is_finite().all()
        and (numbers.drop_nulls() % 1 == 0).all()
        and bool((numbers.drop_nulls().abs() < 2**53).all())
    )
    return numbers.cast(pl.Int64) if whole else numbers


def _tells_something(column: pl.Series) -> bool:
    if column.dtype.is_nested() or column.dtype.is_temporal() or column.dtype == pl.Binary:
        return False
    if column.null_count() == len(column):
        return False
    values = as_numbers(column.alias(""))
    different = values.n_unique()
    return values.dtype.is_numeric() or different <= max(MANY_VALUES, len(column) // 2)
