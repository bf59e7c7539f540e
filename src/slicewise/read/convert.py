"""`convert`: a data file as Parquet, from which the same is read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import numpy as np
import polars as pl

from slicewise.errors import UserError, did_you_mean, explained, is_file, quoted
from slicewise.read import FORMATS, conll, jsonl, lines, open_source, ragged, streamed, table, tell_format
from slicewise.read.parquet import TEXT, Origin, is_parquet
from slicewise.read.source import identity, is_stream, split_column
from slicewise.results.files import whole_file

if TYPE_CHECKING:
    from slicewise.annotations import Annotations
    from slicewise.read.source import File, Source

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
    with whole_file(to) as out:
        items = streamed.write(given, to.resolve().parent, out, format=format, rows=rows)
        items = _write(open_source(given), out, format, rows) if items is None else items
    before = None if is_stream(given) else Path(given).stat()
    if before is not None and to.is_file():
        os.utime(to, (before.st_atime, before.st_mtime))
    return Converted(to, items, None if before is None else before.st_size, to.stat().st_size)


def _check(given: str, to: Path, format: str | None, rows: int) -> None:  # noqa: A002
    name, column = split_column(given)
    if format is not None and format not in FORMATS:
        raise UserError(f"unknown format {quoted(format)}; {did_you_mean(format, FORMATS)}")
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
    with explained(file.name):
        frame, origin = _columnar(source, format or tell_format(source))
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


def _columnar(source: Source, told: str) -> tuple[pl.DataFrame, Origin]:
    if told == "conll":
        return _sentences(source)
    if told == "lines":
        return _lines(source.only)
    return (jsonl.parsed(source.only) if told == "jsonl" else table.parsed(source.only)[0]), Origin(told)


def _sentences(source: Source) -> tuple[pl.DataFrame, Origin]:
    """Return a row per sentence: lists of tokens, tags and what stands between, and the number of its document."""
    found, names = conll.read(source), _names(source.only)
    cells = [*([] if found.tokens is None else [found.tokens]), *found.token_columns.values(), _written(found)]
    flat = [cell.alias(str(i)) for i, cell in enumerate(cells)]
    item = pl.Series("item", np.repeat(np.arange(found.items), found.lengths)).set_sorted()
    frame = pl.DataFrame([item, *flat]).group_by("item", maintain_order=True).agg(pl.all()).drop("item")
    frame.columns = _titles(names)
    if found.documents is None or found.docstarts is None:
        return frame, Origin("conll", names)
    documents = pl.Series("doc", found.documents).cast(pl.String)
    return frame.with_columns(documents), Origin("conll", names, int(found.docstarts.sum()))


def _names(file: File) -> tuple[str, ...]:
    """Return what the columns of a CoNLL-style file are called."""
    cells = ragged.split(ragged.first_data_line(file.data))
    names = cells if conll.has_header(file) else [f"col{i + 1}" for i in range(len(cells))]
    if twice := [name for name in names if names.count(name) > 1]:
        raise file.error(f"two columns are called {quoted(twice[0])}; rename one of them")
    return tuple(names)


def _titles(names: tuple[str, ...]) -> list[str]:
    """Return what the columns are called in Parquet: tokens and tags, and those between as in the file."""
    between = list(names[1:-1])
    if not {"tokens", "tags", "doc", ""}.isdisjoint(between):
        between = [f"col{i + 2}" for i in range(len(between))]
    return ["tokens", *between, "tags"] if len(names) > 1 else ["tags"]


def _written(found: Annotations) -> pl.Series:
    """Return the tags as they stand in the file."""
    if found.tags is None:
        raise TypeError(found.name)
    return pl.Series(found.tags.names, dtype=pl.String).gather(found.tags.codes)


def _lines(file: File) -> tuple[pl.DataFrame, Origin]:
    """Return a row per line: one column, or several where tabs separate the same number in all but blank lines."""
    text = lines.split_lines(file)
    blank = text == ""
    tabs = text.filter(~blank).str.count_matches("\t", literal=True)
    if table.delimiter(file) != "\t" or tabs.n_unique() != 1 or (blank[0] and tabs[0]):
        return text.to_frame(TEXT), Origin("lines")
    cells = text.str.split_exact("\t", int(tabs[0])).struct.unnest()
    if not table.has_header(file, "1"):
        cells.columns = [str(i + 1) for i in range(cells.width)]
        return cells, Origin("lines")
    names = cells.row(0)
    if not table.are_names(names):
        return text.to_frame(TEXT), Origin("lines")
    cells.columns = list(names)
    return cells[1:], Origin("lines", header=True)
