"""The input fields of the items."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from slicewise.align.spans import item_count_error
from slicewise.annotations import Annotations
from slicewise.data_warnings import DataWarning, First, number, warning
from slicewise.errors import UserError


def input_fields(inputs: Sequence[Annotations], reference: Annotations) -> tuple[pl.DataFrame, list[DataWarning]]:
    """Return the input fields: `in` for one, `in<1>`, `in<2>` … or `in<column>` for several; and warnings."""
    columns: list[pl.Series] = []
    warnings: list[DataWarning] = []
    for file in inputs:
        if file.items != reference.items:
            raise item_count_error(reference, file)
        values = file.answers if file.answers is not None else file.texts
        if values is None:
            raise UserError("no text per item in it; name its column, as FILE:COLUMN", where=file.name)
        if isinstance(values.dtype, (pl.List, pl.Binary)):
            raise UserError("lists or bytes instead of a text per item; name a column of text", where=file.name)
        text = file.as_text(values).fill_null("")
        if text.name:
            columns.append(text)
            continue
        parts = text.str.split("\t")
        width = int(parts.list.len().max() or 1)  # type: ignore[arg-type]
        warnings += _uneven(file, parts.list.len())
        columns += [parts.list.get(i, null_on_oob=True).fill_null("").alias("") for i in range(width)]
    if len(columns) == 1:
        return pl.DataFrame([columns[0].alias("in")]), warnings
    names = [c.name or str(i) for i, c in enumerate(columns, 1)]
    if len(set(names)) < len(names):  # the same column of two files
        names = [str(i) for i in range(1, len(columns) + 1)]
    return pl.DataFrame([c.alias(f"in<{name}>") for name, c in zip(names, columns, strict=True)]), warnings


def _uneven(file: Annotations, widths: pl.Series) -> list[DataWarning]:
    """Warn of lines with different numbers of fields."""
    first = int(widths[0]) if len(widths) else 1
    different = widths != first
    if not different.any():
        return []
    line = file.item_line(int(different.arg_max() or 0))
    lines, place = number(int(different.sum()), "line"), First(f" (first at line {line})")
    description = f" with another number of fields than the first line's {first}"
    return [warning(f"{file.name}: ", lines, description, place, "; fields that a line lacks are empty")]


def texts_of(reference: Annotations) -> pl.DataFrame:
    """Return the texts that gold brings along as input."""
    return pl.DataFrame() if reference.texts is None else pl.DataFrame([reference.texts.alias("in")])
