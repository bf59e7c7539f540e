"""Tables: CSV, TSV and Parquet, one row per item."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Literal, TextIO

import numpy as np
import polars as pl

from slicewise.annotations import Annotations
from slicewise.arrays import Ints
from slicewise.errors import UserError, first_line
from slicewise.read import parquet
from slicewise.read.columns import by_number
from slicewise.read.parquet import Origin
from slicewise.read.reader import Reader, Sign, Stream, WriteRows, ends_with
from slicewise.read.records import annotate
from slicewise.read.source import File, Source
from slicewise.read.stacked import stacked

HEADER_WORDS = {
    "text", "sentence", "label", "labels", "gold", "target", "input", "output", "prediction", "pred", "predicted",
    "score", "id", "question", "answer", "source", "reference", "class", "category",
}  # fmt: skip

LONGEST = 2**31 - 1
"""Characters that a cell may have."""
QUOTING = 'expected "cell" in quotation marks, and "" for one within it'


def read(source: Source) -> Annotations:
    """Read one file or several with the same columns."""
    frames, numbers = zip(*(_parsed(source, file) for file in source.files), strict=True)
    frame = stacked([file.name for file in source.files], frames)
    return annotate(source, frame, list(numbers))


def _parsed(source: Source, file: File) -> tuple[pl.DataFrame, Ints]:
    """Return a file's rows and the line of each, parsed once for all its columns."""
    key = f"table:{file.name}:{not parquet.is_parquet(file) and has_header(file, source.column)}"
    if key not in source.parsed:
        source.parsed[key] = parsed(file, source.column)
    rows: tuple[pl.DataFrame, Ints] = source.parsed[key]
    return rows


def parsed(file: File, column: str | None = None) -> tuple[pl.DataFrame, Ints]:
    """Return a file's rows and the line of each."""
    if parquet.is_parquet(file):
        frame = parquet.rows(file)
        return frame, np.arange(file.first_row + 1, file.first_row + frame.height + 1)
    if error := file.utf8_error():
        raise error
    header = has_header(file, column)
    frame = _text_frame(file, header=header)
    lines = np.arange(frame.height) + (2 if header else 1) + _newlines_above(frame)
    filled = ~frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    frame, lines = frame.filter(filled), lines[filled.to_numpy()]
    if frame.height == 0:
        raise _bad_row(file) or file.error("a header and no rows; expected at least one item")
    if frame.to_series(-1).null_count() and (error := _bad_row(file)):
        raise error
    return frame.with_columns(pl.all().fill_null("")), lines


def _newlines_above(frame: pl.DataFrame) -> Ints:
    """Count the line ends inside the cells of the rows above each row."""
    within = frame.select(pl.sum_horizontal(pl.all().str.count_matches("\n", literal=True).fill_null(0))).to_series()
    return np.concatenate([[0], np.cumsum(within.to_numpy().astype(np.int64))[:-1]])


def _text_frame(file: File, *, header: bool) -> pl.DataFrame:
    separator = delimiter(file)
    try:
        frame = pl.read_csv(
            file.data,
            separator=separator,
            quote_char=None if separator == "\t" else '"',
            has_header=header,
            infer_schema=False,
        )
    except pl.exceptions.PolarsError as problem:
        raise _bad_row(file) or _stray_quote(file) or _invalid(file, problem) from None
    if not header:
        frame.columns = [str(i + 1) for i in range(frame.width)]
    return frame


def delimiter(file: File) -> str:
    """Return what separates the columns: a tab, a semicolon or a comma, whichever the first line has most of."""
    first = file.data.split(b"\n", 1)[0]
    if file.suffix == ".csv":
        return max(",;\t", key=lambda c: first.count(c.encode()))
    return "\t" if b"\t" in first or file.suffix == ".tsv" else ","


def has_header(file: File, column: str | None) -> bool:
    """Tell whether the first row is a header: always in CSV and where columns are named, else by its words."""
    if not by_number(column) or file.suffix == ".csv":
        return True
    cells = file.data.split(b"\n", 1)[0].decode(errors="replace").strip("\r").split("\t")
    return any(cell.strip().lower() in HEADER_WORDS for cell in cells)


def _invalid(file: File, problem: Exception) -> UserError:
    return file.error(f"not a valid table ({first_line(problem)}); check its rows")


def are_names(cells: Sequence[str | None]) -> bool:
    """Tell whether cells can name columns: all are filled, and no two are the same."""
    return all(cells) and len(set(cells)) == len(cells)


def _stray_quote(file: File) -> UserError | None:
    """Return an error for the first quotation mark in a cell that does not begin with one."""
    separator = delimiter(file).encode()
    cell = re.compile(rb'(?:"(?:[^"]|"")*+"\r?|[^"\n%b]*+)(?:[\n%b]|\Z)' % (separator, separator))
    place = 0
    while place < len(file.data):
        if (match := cell.match(file.data, place)) is None:
            line = file.data.count(b"\n", 0, place) + 1
            return file.error(f"a quotation mark within a cell; {QUOTING}; mend the line", line)
        place = match.end()
    return None


def _bad_row(file: File) -> UserError | None:
    return _bad_row_of(file, StringIO(file.data.decode(), newline=""))


def _bad_row_of(file: File, text: TextIO) -> UserError | None:
    """Return an error for the first row of a file's text that has not the first row's columns, or is badly quoted."""
    separator = delimiter(file)
    quoting: Literal[0, 3] = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    rows = csv.reader(text, delimiter=separator, quoting=quoting, strict=True)
    usual, width, line = csv.field_size_limit(LONGEST), 0, 1
    try:
        for row in rows:
            width = width or len(row)
            if row and len(row) != width:
                what = "too few" if len(row) < width else "too many"
                message = f"{what} columns: {len(row)}; expected {width}, as in the first line; mend the line"
                return file.error(message, line)
            line = rows.line_num + 1
    except csv.Error as error:
        if "end of data" in str(error):
            return file.error("a quotation mark that is never closed; close it, or leave it out", line)
        return file.error(f"a quotation mark within a cell; {QUOTING}; mend the line", line)
    finally:
        csv.field_size_limit(usual)
    return None


def _columnar(source: Source) -> tuple[pl.DataFrame, Origin]:
    return parsed(source.only)[0], Origin("table")


def _stream(plain: Path, head: File, write: WriteRows) -> bool:
    """Write rows piece by piece; all have to have the first row's columns."""
    head.data.partition(b"\n")[0].decode()  # Polars takes a header in any encoding
    separator = delimiter(head)
    quote = None if separator == "\t" else '"'
    cells = pl.scan_csv(plain, separator=separator, quote_char=quote, infer_schema=False)
    rows = write(cells.filter(~pl.all_horizontal(pl.all().is_null())).with_columns(pl.all().fill_null("")))
    if not rows.select((pl.last() == "").any()).collect(engine="streaming").item():
        return True  # only a row without a last cell can have fewer columns
    with plain.open(encoding="utf-8-sig", newline="") as text:
        return _bad_row_of(head, text) is None


READER = Reader(
    name="table",
    extensions=(".csv", ".tsv"),
    signs={Sign.USUAL_EXTENSION: ends_with(".csv"), Sign.COLUMN: lambda source: source.column is not None},
    read=read,
    tabular=True,
    columnar=_columnar,
    stream=Stream((".csv", ".tsv"), _stream),
)
