"""Plain files with one item a line."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.annotations import Annotations, Places
from slicewise.errors import first_line
from slicewise.read import table
from slicewise.read.parquet import TEXT, Origin
from slicewise.read.reader import Reader, Sign
from slicewise.read.source import BOM, File, Source


def read(source: Source) -> Annotations:
    """Read one answer per line; an empty line is an item too."""
    return annotate(source.only, split_lines(source.only))


def annotate(file: File, answers: pl.Series) -> Annotations:
    """Return the annotations of a file with these lines."""
    places = Places((file.name,), np.zeros(1, np.int64), np.arange(1, len(answers) + 1) + file.first_row)
    return Annotations(name=file.name, items=len(answers), places=places, answers=answers, tabs_separate=True)


def split_lines(file: File) -> pl.Series:
    """Return a file's lines, without their ends; the last line may lack one."""
    unused = next((chr(c) for c in range(1, 9) if bytes([c]) not in file.data), None)
    if unused is None:
        raise file.error("this is a binary file; expected text, one item per line")
    schema = {"line": pl.String}
    data = BOM + file.data if file.data.startswith(BOM) else file.data  # Polars drops one, but here it is text
    try:
        frame = pl.read_csv(data, separator=unused, quote_char=None, has_header=False, schema=schema)
    except pl.exceptions.PolarsError as error:
        raise file.utf8_error() or file.error(f"cannot be read as lines ({first_line(error)})") from None
    return frame.to_series().fill_null("").alias("")


def columnar(source: Source) -> tuple[pl.DataFrame, Origin]:
    """Return a row per line: one column, or several where tabs separate the same number in all but blank lines."""
    file = source.only
    text = split_lines(file)
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


READER = Reader(name="lines", signs={Sign.TEXT: lambda _: True}, read=read, columnar=columnar)
