"""A 0/1 table of items × systems, with or without a header and a first column of item names.

Columns stand between tabs, commas, semicolons or runs of spaces. What the table is, is told from its cells:

- The first line is a header if none of its cells is 0 or 1, if it is one cell shorter than the rows, if its names are
  quoted and the values below are not, if it begins with an empty cell and counts 0, 1, 2 …, or if it is what
  `--system-names` gives. Otherwise a header of the names `0` and `1` cannot be told from a row.
- The first column names the items if the header has no cell, or an empty one, over it; or if some of its cells are
  neither 0 nor 1, unless it looks like a system's answers with a mistake in them: `--system-names` then decides by the
  number of names. A column of names that are all 0 or 1, under a title, cannot be told from a system's.

A cell may stand in double quotes, with a quote inside doubled, and may then hold separators and line ends; other quotes
are characters like any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, takewhile

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.errors import UserError, counted, quoted
from slicewise.read.matrix_cells import (
    BLANKS,
    MISSING,
    NEWLINE,
    NUMBER,
    ONE,
    SPACE,
    WHOLE,
    WRONG,
    ZERO,
    blank,
    cells_of,
    codes_of,
    inside_quotes,
    opening_quote,
    single_spaced,
    spelled,
    spells,
    value_of,
    well_quoted,
    which_quoted,
)
from slicewise.read.source import BOM, PARQUET, File, Source, pieces_of

SEPARATORS = ("\t", ",", ";", " ")
PIECE = 1 << 24
SAMPLE = 1 << 16
MOST_COLUMNS = 10_000


@dataclass(frozen=True)
class Matrix:
    """Which system got which item right."""

    names: pl.Series | None
    """Of the items."""
    systems: list[str]
    right: NDArray[np.uint8]
    """Items × systems, 0 or 1; each system's column is contiguous."""


@dataclass(frozen=True)
class _Text:
    """A file's text with plain line ends, also at its end."""

    file: File
    data: bytes
    mark: bytes = b""
    """What stands for a line end inside a quoted cell."""

    def line(self, offset: int) -> int:
        """Return the number, from 1, of the line at an offset."""
        marks = self.data.count(self.mark, 0, offset) if self.mark else 0
        return self.data.count(b"\n", 0, offset) + marks + 1


@dataclass(frozen=True)
class _Layout:
    """What the first lines and the user say about the table."""

    separator: str
    header: list[str] | None
    given: list[str] | None
    start: int
    """Where the rows begin."""
    first_line: int
    """The line of the first row."""
    width: int

    @property
    def surely_named(self) -> bool:
        """Whether the header shows that the first column names the items."""
        return self.header is not None and (len(self.header) < self.width or (self.width > 1 and not self.header[0]))

    def label(self, column: int) -> str:
        """Return how a message names a column."""
        names = self.given or self.header or []
        place = column - self.width + len(names)
        name = names[place] if place >= 0 else ""
        return f"column {column + 1}" + (f", {quoted(name)}" if name else "")


def read(source: Source, system_names: Sequence[str] | None = None) -> Matrix:
    """Read the table; `system_names` win over those in its header."""
    file = source.only
    if source.column is not None:
        raise file.error(
            f"the column {quoted(source.column)} is named; --matrix reads all columns; name the file alone"
        )
    if file.data.startswith(PARQUET):
        raise file.error("this is a Parquet file; --matrix reads text; write the table as CSV")
    if error := file.utf8_error():
        raise error
    text = _text(file)
    given = None if system_names is None else [name.strip(BLANKS) for name in system_names]
    try:
        return _read(text, given)
    except UserError as error:
        joined = None if error.line is None else _joined(text, error.line)
        if joined is None:
            raise
    return _read(joined, given)


def _text(file: File) -> _Text:
    data = file.data.replace(b"\r\n", b"\n") if b"\r" in file.data else file.data
    text = _Text(file, data if data.endswith(b"\n") else data + b"\n")
    if (nul := data.find(b"\0")) >= 0:
        raise file.error("a NUL byte; expected text; the file is binary or damaged, make it again", text.line(nul))
    return text


def _read(text: _Text, given: list[str] | None) -> Matrix:
    layout = _layout(text, given)
    pieces = pieces_of(text.data, PIECE, layout.start)
    parts = [_fast(piece, layout) or _slow(text, start, piece, layout) for start, piece in pieces]
    first = pl.concat([part.first for part in parts]).str.strip_chars(BLANKS)
    named = _named(text, layout, first)
    right = np.empty((len(first), layout.width - named), np.uint8, order="F")
    end = 0
    for part in parts:
        start, end = end, end + len(part.first)
        right[start:end, 1 - named :] = part.rest
    if not named:
        right[:, 0] = _first_values(text, layout, first)
    systems = _systems(text, layout, right.shape[1])
    names = first.str.replace_all(text.mark.decode(), "\n", literal=True) if text.mark else first
    return Matrix(names if named else None, systems, right)


# ------------------------------------------------------------------ what the table is


def _layout(text: _Text, given: list[str] | None) -> _Layout:
    places = _first_lines(text.data)
    lines = [text.data[start:end].decode() for start, end in places]
    if not lines:
        raise text.file.error("the file is empty; expected at least one item")
    separator = _separator(lines)
    header = cells_of(lines[0], separator) if _is_header(lines, separator, given) else None
    if header is not None:
        _check_header(text, places, lines[0], header)
    start = places[0 if header is None else 1][0]
    row = cells_of(lines[0 if header is None else 1], separator)
    layout = _Layout(separator, header, given, start, text.line(start), len(row))
    _check_width(text, layout)
    if len(row) == 1 and header is not None and value_of(row[0]) == WRONG:
        raise text.file.error(
            "one column, and it is not 0/1; expected a column of 0/1 per system; add them", layout.first_line
        )
    return layout


def _check_header(text: _Text, places: list[tuple[int, int]], line: str, header: list[str]) -> None:
    if len(places) == 1:
        raise text.file.error("a header and no rows; expected at least one item")
    if line.count('"') % 2 and any(cell.startswith('"') for cell in header):
        raise text.file.error("a quote in the header is not closed; mend the line", text.line(places[0][0]))


def _first_lines(data: bytes) -> list[tuple[int, int]]:
    """Return where the first lines that are not blank begin and end: two, and more if they are short."""
    spans: list[tuple[int, int]] = []
    for line in islice(_filled_lines(BLANKS).finditer(data), 32):
        spans.append(line.span())
        if len(spans) > 1 and line.end() - spans[0][0] > SAMPLE:
            break
    return spans


@cache
def _filled_lines(blanks: str) -> re.Pattern[bytes]:
    return re.compile(rb"^[%b]*[^%b\n][^\n]*" % ((blanks.replace("\n", "").encode(),) * 2), re.MULTILINE)


def _separator(lines: list[str]) -> str:
    """Return what leaves most 0 and 1 at the ends of lines, or else what takes most lines apart.

    A space in the header over a single column may just be part of the system's name.
    """

    def score(separator: str) -> tuple[int, int]:
        rows = [cells_of(line, separator) for line in lines]
        values = sum(len(list(takewhile(lambda cell: value_of(cell) != WRONG, reversed(row)))) for row in rows)
        return values, 0 if values and separator == " " else sum(len(row) > 1 for row in rows)

    return max(SEPARATORS, key=score)


def _is_header(lines: list[str], separator: str, given: list[str] | None) -> bool:
    first = cells_of(lines[0], separator)
    if given and len(first) - len(given) in (0, 1) and first[-len(given) :] == given:
        return True
    values = [value_of(cell) != WRONG for cell in first]
    if len(lines) > 1:
        above, below = (which_quoted(line, separator)[1:] for line in lines[:2])
        if above and all(above) and not any(below):
            return True
        if len(first) == len(below):
            return not all(values[1:] or values)
    if len(first) > 1 and first == ["", *(str(i) for i in range(len(first) - 1))]:
        return True
    scores = all(
        spells(MISSING, cell) or (spells(NUMBER, cell) and not spells(WHOLE, cell)) for cell in first[1:] or first
    )
    return not any(values) and not scores


def _check_width(text: _Text, layout: _Layout) -> None:
    width, header, given = layout.width, layout.header, layout.given
    if width > MOST_COLUMNS:
        raise text.file.error(
            f"{counted(width, 'column')}; expected one per system, at most {MOST_COLUMNS:,}; write a row per item",
            layout.first_line,
        )
    if header is not None and len(header) not in (width, width - 1):
        raise _other_width(text, width, len(header), "the header", layout.first_line)
    fitting = (width - 1,) if layout.surely_named else (width, width - 1)
    if given is not None and (len(given) not in fitting or not given):
        raise _other_count(text, fitting[0], len(given))


def _other_width(text: _Text, width: int, expected: int, model: str, line: int) -> UserError:
    return text.file.error(f"{counted(width, 'column')}; expected {expected}, as in {model}; mend the line", line)


def _other_count(text: _Text, columns: int, names: int) -> UserError:
    return text.file.error(
        f"{counted(columns, 'column')} of 0/1 but {counted(names, 'name')} in --system-names; give one per column"
    )


def _named(text: _Text, layout: _Layout, first: pl.Series) -> bool:
    """Tell whether the first column names the items."""
    if layout.surely_named:
        return True
    if layout.width == 1:
        return False
    if layout.given is None:
        return _looks_like_names(first)
    if len(layout.given) == layout.width:
        return False
    if layout.header is not None and layout.header[1:] == layout.given:
        return True
    if spelled(f"{ZERO}|{ONE}", first).all():
        raise _other_count(text, layout.width, len(layout.given))
    return True


def _looks_like_names(cells: pl.Series) -> bool:
    """Tell names from a system's answers, with or without a mistake in them.

    Names are words, or numbers of which 0 and 1 are two among many.
    """
    odd = cells.filter(~spelled(f"{ZERO}|{ONE}", cells))
    if odd.is_empty():
        return False
    whole = spelled(WHOLE, odd)
    if not whole.all() and (whole | spelled(NUMBER, odd) | spelled(MISSING, odd)).all():
        return False
    return 2 * len(odd) >= len(cells) or cells.n_unique() == len(cells)


def _systems(text: _Text, layout: _Layout, count: int) -> list[str]:
    header, given = layout.header, layout.given
    if header is None and given is None:
        return [f"system{i + 1}" for i in range(count)]
    names = (given or header or [])[-count:]
    if text.mark:
        names = [name.replace(text.mark.decode(), " ") for name in names]
    if "" in names:
        raise text.file.error(
            f"the name of system {names.index('') + 1} is empty; name every system with --system-names A,B,C"
        )
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise text.file.error(
            f"two columns have the same name, {quoted(twice)}; name the systems with --system-names A,B,C"
        )
    return names


# ------------------------------------------------------------------ rows


@dataclass(frozen=True)
class _Part:
    """Some rows: their first cells as they are, and what the others say."""

    first: pl.Series
    rest: NDArray[np.uint8]


def _fast(piece: bytes, layout: _Layout) -> _Part | None:
    """Parse rows by the column; None where something may be wrong, or is unusual."""
    has_quotes = b'"' in piece and opening_quote(layout.separator).search(piece) is not None
    if has_quotes and not well_quoted(piece, layout.separator):
        return None
    tidy = single_spaced(piece, has_quotes=has_quotes) if layout.separator == " " else piece
    tidy = _without_blank_lines(tidy, layout.separator)
    if not tidy:
        return _Part(pl.Series([], dtype=pl.String), np.empty((0, layout.width - 1), np.uint8))
    try:
        frame = pl.read_csv(
            BOM + tidy if tidy.startswith(BOM) else tidy,  # Polars drops one, but here it is text
            separator=layout.separator,
            quote_char='"' if has_quotes else None,
            has_header=False,
            schema={str(i): pl.String for i in range(layout.width)},
        )
    except pl.exceptions.PolarsError:
        return None
    if frame.height != tidy.count(b"\n"):  # a quoted cell runs over a line's end
        return None
    first, *others = frame.get_columns()
    rest = np.empty((frame.height, len(others)), np.uint8, order="F")
    for i, column in enumerate(others):
        rest[:, i] = codes_of(column)
    return None if (rest == WRONG).any() else _Part(first.fill_null(""), rest)


def _without_blank_lines(piece: bytes, separator: str) -> bytes:
    data = np.frombuffer(piece, np.uint8)
    beginnings = data[np.flatnonzero(data[:-1] == NEWLINE) + 1]
    if data[0] > SPACE and (beginnings > SPACE).all():
        return piece
    return re.sub(rb"(?m)^(?:[%b]*\n)+" % blank(separator).encode(), b"", piece)


def _slow(text: _Text, start: int, piece: bytes, layout: _Layout) -> _Part:
    """Parse rows one by one, and say what is wrong in the first that is."""
    first, rest = [], bytearray()
    for line in _filled_lines(blank(layout.separator)).finditer(piece):
        cells = cells_of(line[0].decode(), layout.separator)
        if len(cells) != layout.width:
            at = text.line(start + line.start())
            raise _other_width(text, len(cells), layout.width, f"line {layout.first_line}", at)
        values = [value_of(cell) for cell in cells[1:]]
        if WRONG in values:
            column = values.index(WRONG) + 1
            raise _wrong(text, layout, cells[column], column, text.line(start + line.start()))
        first.append(cells[0])
        rest += bytes(values)
    return _Part(pl.Series(first, dtype=pl.String), np.array(rest, np.uint8).reshape(len(first), layout.width - 1))


def _first_values(text: _Text, layout: _Layout, first: pl.Series) -> NDArray[np.uint8]:
    codes = codes_of(first)
    if (codes == WRONG).any():
        row = int(np.argmax(codes == WRONG))
        lines = _filled_lines(blank(layout.separator)).finditer(text.data, layout.start)
        raise _wrong(text, layout, first[row], 0, text.line(next(islice(lines, row, None)).start()))
    return codes


def _wrong(text: _Text, layout: _Layout, cell: str, column: int, line: int) -> UserError:
    advice = "write 0 or 1"
    if spells(NUMBER, cell):
        advice = "if these are scores, read each system's with --system NAME=FILE:COLUMN, and set --threshold"
    elif spells(MISSING, cell):
        advice = "write 0 or 1, or leave the item out"
    if layout.given is None and layout.header is None and line == layout.first_line:
        advice += "; if this line is a header, give its names with --system-names"
    elif layout.given is None and column == 0 and layout.width > 1:
        advice += "; if this column names the items, name the others with --system-names"
    return text.file.error(
        f"{quoted(cell)} is neither 0 nor 1 in {layout.label(column)}; "
        f"expected a 0/1 table of items × systems; {advice}",
        line,
    )


# ------------------------------------------------------------------ quotes and spaces


def _joined(text: _Text, line: int) -> _Text | None:
    """Return the text with quoted cells that hold line ends made one line, if that may explain a mistake in a line.

    To take it line by line is tried first, since a quotation mark can also be an item's name.
    """
    if b'"' not in text.data:
        return None
    data = np.frombuffer(text.data, np.uint8)
    ends = data == NEWLINE
    within = ends & inside_quotes(data)
    start = 0 if line == 1 else int(np.flatnonzero(ends)[line - 2]) + 1
    stop = text.data.find(b"\n", start)
    unused = next((c for c in range(1, 9) if c not in text.data), None)
    if unused is None or not (within[start - 1 : start].any() or within[stop]):
        return None
    separator = _separator([text.data[start:end].decode() for start, end in _first_lines(text.data)])
    inner, edge = blank(separator).replace(separator, "").encode(), separator.encode()
    tight = re.sub(rb"(?:(?<![%b])[%b]+)?([\n%b])[%b]*" % (inner, inner, edge, inner), rb"\1", b"\n" + text.data)
    if not well_quoted(tight, separator):
        return None
    return _Text(text.file, np.where(within, np.uint8(unused), data).tobytes(), bytes([unused]))
