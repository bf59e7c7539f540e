"""Ranks of values of high cardinality, by expressions that run locally and on a cluster alike.

Every value gets its first position among all values of its column; a partition receives the ranks of its own values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

KEYS = ("column", "value")
NONE = -1
"""Stands for the column in the row that every part has."""
STRETCH = float(1 << 40)
"""Values are put in order stretch by stretch: floats of one sign and size, to twelve bits."""


def classes(counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return the first position, from 0, of each distinct value within its column; `n` is its count."""
    stretch = (nw.col("value").cast(nw.Float64) / STRETCH).floor().cast(nw.Int64)
    stretched = counts.with_columns(stretch=stretch)
    stretches = stretched.group_by("column", "stretch").agg(nw.col("n").sum().alias("many"))
    many = nw.col("many").cum_sum().over("column", order_by="stretch")
    stretches = stretches.with_columns(before=many - nw.col("many"))
    within = nw.col("n").cum_sum().over("column", "stretch", order_by="value")
    return stretched.join(stretches, on=["column", "stretch"], how="inner").select(
        *KEYS, "n", start=nw.col("before") + within - nw.col("n")
    )


def doubled() -> nw.Expr:
    """Return twice the mean rank, from 1, of a value with its first place and its count."""
    return 2 * nw.col("start") + nw.col("n") + 1


def groups(places: nw.LazyFrame[Any], column: int, below: int | None = None) -> nw.LazyFrame[Any]:
    """Return the number of a column's values by the number of their rows; `below`: of those before this position."""
    values = places.filter(nw.col("column") == column)
    values = values if below is None else values.filter(nw.col("start") < below)
    return values.group_by("n").agg(nw.len().cast(nw.Int64).alias("groups"))


def hit(table: pl.DataFrame, places: NDArray[np.int64]) -> pl.DataFrame:
    """Return the values at some positions, which ascend."""
    start, n = table["start"].to_numpy(), table["n"].to_numpy()
    return table.filter(pl.Series(places.searchsorted(start) < places.searchsorted(start + n)))


def by_group(
    frame: nw.LazyFrame[Any], by: str, function: Callable[[pl.DataFrame], int], name: str
) -> nw.LazyFrame[Any]:
    """Return an integer per group, computed from all its rows at once."""
    native = frame.to_native()

    def row(table: pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame({by: table[by][:1], name: [function(table)]}, schema={by: pl.Int64, name: pl.Int64})

    if isinstance(native, pl.LazyFrame):
        numbers = [row(rows) for rows in native.collect().partition_by(by)]
        empty = pl.DataFrame(schema={by: pl.Int64, name: pl.Int64})
        return nw.from_native(pl.concat([empty, *numbers]).lazy())

    def apply(table: Any) -> Any:
        return row(pl.DataFrame(table)).to_arrow()

    applied: nw.LazyFrame[Any] = nw.from_native(native.groupBy(by).applyInArrow(apply, f"{by} bigint, {name} bigint"))
    return applied
