"""Several files of one table: their rows one after the other, with the columns of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from slicewise.errors import UserError, quoted


def stacked(names: Sequence[str], frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of files one after the other; what a file has not is null there."""
    if len(frames) == 1:
        return frames[0]
    one_schema(names, [frame.schema for frame in frames])
    return pl.concat(frames, how="diagonal_relaxed")


def one_schema(names: Sequence[str], schemas: Sequence[pl.Schema]) -> pl.Schema:
    """Return the columns of all files; where types differ, one that holds both."""
    merged = pl.Schema(schemas[0])
    for name, schema in zip(names, schemas, strict=True):
        for column, kind in schema.items() if schema != merged else ():
            known = merged.get(column, kind)
            try:
                both = [pl.DataFrame(schema={column: dtype}) for dtype in (known, kind)]
                joined = pl.concat(both, how="diagonal_relaxed").to_series().dtype if _fit(known, kind) else None
            except pl.exceptions.PolarsError:
                joined = None
            if joined is None:
                message = f"column {quoted(column)} is {kind} here, but {known} in {names[0]}; make them the same"
                raise UserError(message, where=name)
            merged[column] = joined
    return merged


def _fit(kind: Any, other: Any) -> bool:
    """Tell whether one column can hold values of both types: objects, lists and plain values stay apart."""
    if pl.Null in (kind, other):
        return True
    if isinstance(kind, pl.Struct) and isinstance(other, pl.Struct):
        fields = {field.name: field.dtype for field in kind.fields}
        return all(_fit(fields.get(field.name, field.dtype), field.dtype) for field in other.fields)
    if isinstance(kind, pl.List) and isinstance(other, pl.List):
        return _fit(kind.inner, other.inner)
    return not (kind.is_nested() or other.is_nested())


def with_schema(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Return a file's rows as they are where it is read with the others."""
    return frame if frame.schema == schema else pl.concat([pl.DataFrame(schema=schema), frame], how="diagonal_relaxed")
