"""A first pass over all data: informative columns, their types, and whether outputs have confidences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.facts import Facts
from slicewise.engine.local import FIELDS, collect_parts, reduce_parts
from slicewise.engine.protocols import FunctionKernel
from slicewise.evaluation import Evaluation

MANY_VALUES = 50
"""A column of text with more different values than this, and more than half of the items, tells items apart."""
MOST_COUNTED = 1_000_000
"""Distinct values counted over all partitions; of a column with more, a sample of this size."""
ITEM, TOKEN, CONFIDENCE = "item", "token", "confidence"
COUNTS = ("rows", "present", "filled", "numbers", "whole", "different")
SCHEMA = {"of": pl.String, "name": pl.String} | dict.fromkeys(COUNTS, pl.Int64)
LARGEST_WHOLE = 2.0**53


def surveyed(evaluation: Evaluation) -> CorpusFacts:
    """Look at all columns once."""
    counts = pl.concat(collect_parts(evaluation, FunctionKernel(_columns, ("of", "name"), frozenset({FIELDS}))))
    sums = {(of, name): rows for (of, name), rows in counts.group_by("of", "name", maintain_order=True)}
    a = evaluation.aligned
    columns = {
        name: _type(sums[ITEM, name], a.metadata.get_column(name).dtype)
        for name in a.metadata.columns
        if (ITEM, name) in sums and _tells_something(evaluation, name, sums[ITEM, name])
    }
    token_columns = {
        name: _type(sums[TOKEN, name], column.dtype)
        for name, column in a.token_columns.items()
        if (TOKEN, name) in sums
    }
    confidence = counts.filter(pl.col("of") == CONFIDENCE)["present"].sum() > 0
    return CorpusFacts(columns, token_columns, confidence)


def _columns(part: Evaluation) -> pl.DataFrame:
    """Count the values of every column of a part."""
    kind = part.aligned.clusters.kind
    rows = [
        (ITEM, name, *_counts(part.aligned.metadata.get_column(name).alias("")))
        for name in part.aligned.metadata.columns
        if name != kind or kind == "item"  # "item" names no field: items are resampled one by one
    ]
    rows += [(TOKEN, name, *_counts(column)) for name, column in _columns_of_units(part)]
    confidences = [len(column) - column.null_count() for column in part.aligned.confidences.values()]
    rows.append((CONFIDENCE, "", part.aligned.items, sum(confidences), 0, 0, 0, 0))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _columns_of_units(part: Evaluation) -> Iterator[tuple[str, pl.Series]]:
    """Yield the columns of tokens, of the tokens that are units."""
    if part.task is not Task.TOKENS or not part.aligned.token_columns:
        return
    first, _ = Facts.of(part).unit_ranges
    for name, column in part.aligned.token_columns.items():
        yield name, column.alias("").gather(first)


def _counts(column: pl.Series) -> tuple[int, ...]:
    """Return how many rows there are: all, not null, filled, numbers, whole ones; and how many of them differ."""
    rows, present = len(column), len(column) - column.null_count()
    if column.dtype != pl.String:
        simple = not (column.dtype.is_nested() or column.dtype.is_numeric())
        return rows, present, present, 0, 0, column.drop_nulls().n_unique() if simple else 0
    values = filled(column)
    numbers = numbers_in(values)
    known = numbers.drop_nulls()
    whole = known.is_finite() & (known % 1 == 0) & (known.abs() < LARGEST_WHOLE)
    in_use = values.drop_nulls()
    return rows, present, len(in_use), len(known), int(whole.sum()), in_use.n_unique()


def _type(counts: pl.DataFrame, stored: pl.DataType) -> pl.DataType:
    """Return the type of a column's values: text is numbers where all that is there is a number."""
    if stored.is_decimal():
        return pl.Float64()
    total = counts.sum()
    number, whole, in_use = (int(total[name].item()) for name in ("numbers", "whole", "filled"))
    if stored != pl.String or number < in_use or not in_use:
        return stored
    return pl.Int64() if whole == number else pl.Float64()


def _tells_something(evaluation: Evaluation, name: str, counts: pl.DataFrame) -> bool:
    """Return whether a column is informative: plain values that do not merely identify items."""
    stored = evaluation.aligned.metadata.get_column(name).dtype
    if stored.is_nested() or stored.is_temporal() or stored == pl.Binary or not counts["present"].sum():
        return False
    if _type(counts, stored).is_numeric():
        return True
    most = max(MANY_VALUES, evaluation.aligned.items // 2) - int(counts["filled"].sum() < counts["rows"].sum())
    by_part: list[int] = counts["different"].to_list()
    different = sum(by_part)
    if different <= most or max(by_part) > most:
        return different <= most
    share = -(-different // MOST_COUNTED)
    (counted,) = reduce_parts(evaluation, _Different(name, share), _how_many)
    return int(counted["n"].sum()) * share <= most


def _how_many(values: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    return values.select(n=nw.len().cast(nw.Int64))


@dataclass(frozen=True)
class _Different:
    """Kernel: a sample, one in so many, of the hashes of a column's values, with their counts."""

    name: str
    share: int
    by: tuple[str, ...] = ("value",)
    needs: frozenset[str] = frozenset({FIELDS})

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        column = part.aligned.metadata.get_column(self.name).alias("")
        values = filled(column.cast(pl.String)).drop_nulls()
        numbers = values.hash().to_numpy()
        sampled = numbers[numbers % np.uint64(self.share) == 0].view(np.int64)
        return pl.DataFrame({"value": sampled}).group_by("value").len("n").cast(pl.Int64)


def filled(column: pl.Series) -> pl.Series:
    """Return a column of text with blanks as null."""
    return column.set((column.str.strip_chars() == "").fill_null(value=False), None)


def numbers_in(column: pl.Series) -> pl.Series:
    """Return the numbers of a column of text; null where there is none."""
    return column.str.strip_chars().cast(pl.Float64, strict=False)


def typed(column: pl.Series, kind: pl.DataType) -> pl.Series:
    """Return a column as values of the type that all the data has."""
    if column.dtype != pl.String:
        return column.cast(kind) if column.dtype.is_decimal() else column
    values = filled(column)
    return values if kind == pl.String else numbers_in(values).cast(kind)
