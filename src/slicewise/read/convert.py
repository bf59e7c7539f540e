"""`convert`: a data file as Parquet, from which the same is read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import polars as pl

from slicewise.errors import UserError, explained, is_file, quoted
from slicewise.read import streamed
from slicewise.read.files import open_source
from slicewise.read.parquet import is_parquet
from slicewise.read.registry import READERS, check_format, tell_format
from slicewise.read.source import Source, identity, is_stream, split_column
from slicewise.results.files import atomic_file

ROWS = 100_000
"""Rows of a group, the least that is read at once."""
MOST_ROWS = 1_000_000_000


@dataclass(frozen=True)
class Converted:
    """A file that was converted: where it is, and its items."""

    path: Path
    items: int
    before: int | None
    """Bytes of the file that it was made from; None of a stream."""
    after: int


def convert(path: str | Path, to: str | Path, *, format: str | None = None, rows: int = ROWS) -> Converted:  # noqa: A002
    """Write a CoNLL, JSONL, CSV, TSV or plain file as Parquet, `rows` rows to a group; `-` is standard input.

    A file already there is replaced, whole or not at all. The new file is as old as the one it was made from.
    """
    given, to = str(path), Path(to)
    _check(given, to, format, rows)
    with atomic_file(to) as out:
        items = streamed.write(given, to.resolve().parent, out, format=format, rows=rows)
        items = _write(open_source(given), out, format, rows) if items is None else items
    before = None if is_stream(given) else Path(given).stat()
    if before is not None and to.is_file():
        os.utime(to, (before.st_atime, before.st_mtime))
    return Converted(to, items, None if before is None else before.st_size, to.stat().st_size)


def _check(given: str, to: Path, format: str | None, rows: int) -> None:  # noqa: A002
    name, column = split_column(given)
    check_format(format)
    if not 1 <= rows <= MOST_ROWS:
        raise UserError(f"{rows} rows to a group; expected 1 to {MOST_ROWS:,}")
    if column is not None and is_file(name):
        raise UserError("a column is named; a file is converted with all its columns; name the file alone", where=given)
    if given != "-" and is_file(given) and Path(given).is_dir():
        raise UserError("is a folder; name its files", where=given)
    if is_file(to) and identity(to) == identity(given):
        raise UserError("is read and would be written over; choose another path", where=str(to))


def _write(source: Source, out: BinaryIO, format: str | None, rows: int) -> int:  # noqa: A002
    file = source.only
    if is_parquet(file):
        raise file.error("is Parquet already; use it as it is")
    reader = READERS[format or tell_format(source)]
    if reader.columnar is None:
        raise file.error(f"a file of the format {reader.name}, which is not converted; use it as it is")
    with explained(file.name):
        frame, origin = reader.columnar(source)
    try:
        frame.write_parquet(out, row_group_size=rows, metadata=origin.metadata())
    except pl.exceptions.InvalidOperationError:
        empty = next((name for name, kind in frame.schema.items() if _holds_nothing(kind)), "")
        raise file.error(
            f"the field {quoted(empty)} holds objects without fields, which Parquet has not; leave it out"
        ) from None
    return frame.height


def _holds_nothing(kind: pl.DataType) -> bool:
    if isinstance(kind, pl.List):
        return _holds_nothing(cast("pl.DataType", kind.inner))
    fields = kind.fields if isinstance(kind, pl.Struct) else None
    return fields is not None and (not fields or any(_holds_nothing(cast("pl.DataType", f.dtype)) for f in fields))
