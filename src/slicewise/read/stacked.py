"""Several files of one table: their rows one after the other, with the columns of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from slicewise.errors import UserError, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence


def stacked(names: Sequence[str], frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of files one after the other; what a file has not is null there."""
    if len(frames) == 1:
        return frames[0]
    one_schema(names, [frame.schema for frame in frames])
    return pl.concat(frames, how="diagonal_relaxed")


def one_schema(names: Sequence[str], schemas: Sequence[pl.Schema]) -> pl.Schema:
    """Return the columns of all files; where types differ, one that holds both."""
    every = pl.Schema(schemas[0])
    for name, schema in zip(names, schemas, strict=True):
        for column, kind in schema.items() if schema != every else ():
            known = every.get(column, kind)
            try:
                both = [pl.DataFrame(schema={column: one}) for one in (known, kind)]
                every[column] = pl.concat(both, how="diagonal_relaxed").to_series().dtype
            except pl.exceptions.PolarsError:
                message = f"column {quoted(column)} is {kind} here, but {known} in {names[0]}; make them the same"
                raise UserError(message, where=name) from None
    return every


def with_schema(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Return a file's rows as they are where it is read with the others."""
    return frame if frame.schema == schema else pl.concat([pl.DataFrame(schema=schema), frame], how="diagonal_relaxed")
