"""A 0/1 table of items × systems, with or without a header and item names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.errors import UserError, counted, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from slicewise.read.source import Source

VALUES = {"0": 0, "1": 1, "false": 0, "true": 1, "0.0": 0, "1.0": 1}


@dataclass(frozen=True)
class Matrix:
    """Which system got which item right."""

    names: list[str] | None
    systems: list[str]
    right: NDArray[np.uint8]
    """Items × systems, 0 or 1."""


def read(source: Source, system_names: Sequence[str] | None = None) -> Matrix:
    """Read the table; a first column that is not 0/1 names the items, a first row that is not 0/1 the systems."""
    file = source.only
    if error := file.utf8_error():
        raise error
    lines = [line.strip("\r") for line in file.data.decode().split("\n")]
    numbered = [(i, line) for i, line in enumerate(lines, 1) if line.strip()]
    separator = next((s for s in ("\t", ",", ";") if s in numbered[0][1]), None)
    rows = [(i, [cell.strip() for cell in _cells(line, separator)]) for i, line in numbered]
    header = None if any(cell.lower() in VALUES for cell in rows[0][1]) else rows[0][1]
    body = rows if header is None else rows[1:]
    if not body:
        raise file.error("a header and no rows; expected at least one item")
    named = any(row[0].lower() not in VALUES for _, row in body)
    width = len(body[0][1])
    for line, row in body:
        if len(row) != width:
            raise file.error(
                f"{counted(len(row), 'column')}; expected {width}, as in the first row; mend the line", line
            )
    cells = pl.DataFrame([row for _, row in body], orient="row", schema=[str(i) for i in range(width)])
    names = cells.to_series(0).to_list() if named else None
    values = cells[:, 1:] if named else cells
    systems = _systems(source, header, values.width, named=named, given=system_names)
    columns = [_zero_one(source, column, [i for i, _ in body]) for column in values.get_columns()]
    if not columns:
        raise file.error("no 0/1 column; expected one column per system")
    return Matrix(names, systems, np.column_stack(columns))


def _cells(line: str, separator: str | None) -> list[str]:
    return line.split(separator) if separator else re.split(r"\s+", line.strip())


def _systems(
    source: Source, header: list[str] | None, width: int, *, named: bool, given: Sequence[str] | None
) -> list[str]:
    if given is not None:
        if len(given) != width:
            raise UserError(
                f"{counted(width, 'column')} but {counted(len(given), 'name')} in --system-names; give one per column",
                where=source.name,
            )
        return list(given)
    if header is None:
        return [f"system{i + 1}" for i in range(width)]
    return header[1:] if named and len(header) == width + 1 else header[-width:]


def _zero_one(source: Source, column: pl.Series, lines: list[int]) -> NDArray[np.uint8]:
    values = column.str.to_lowercase().replace_strict(VALUES, default=None, return_dtype=pl.UInt8)
    if values.null_count():
        row = int(values.is_null().arg_max() or 0)
        raise source.only.error(
            f"{quoted(column[row])} is neither 0 nor 1; expected a 0/1 table of items × systems", lines[row]
        )
    return values.to_numpy()
