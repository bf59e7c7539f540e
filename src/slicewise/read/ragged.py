"""Lines of unequal shape: find a file's columns, take its lines apart, and say which line is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.errors import counted
from slicewise.read.lines import split_lines
from slicewise.read.source import File

BLANK, TOKEN, DOCUMENT, COMMENT = range(4)
NO_DATA = "no line with a token; expected a token and its tag on each line"
_BLANK = re.compile(rb"[ \t\r\n]*")


class Untidy(Exception):  # noqa: N818 (a signal, not an error)
    """The file cannot be parsed as a plain table."""


def first_data_line(data: bytes) -> str:
    """Return the first line that is neither blank nor a comment nor a document's start, or the last of those."""
    line = ""
    for line in _filled_lines(data):
        if _is_data(line):
            break
    return line


def data_lines(data: bytes) -> Iterator[str]:
    """Return the lines that are neither blank nor a comment nor a document's start."""
    return filter(_is_data, _filled_lines(data))


def _filled_lines(data: bytes) -> Iterator[str]:
    """Return the lines that are not blank, without their ends."""
    place = _after_blanks(data, 0)
    while place < len(data):
        start, end = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place)
        end = len(data) if end < 0 else end
        yield data[start:end].decode(errors="replace").rstrip(" \t\r")
        place = _after_blanks(data, end)


def _after_blanks(data: bytes, place: int) -> int:
    blank = _BLANK.match(data, place)
    return place if blank is None else blank.end()


def _is_data(line: str) -> bool:
    comment = line.startswith("#") and (len(split(line)) < 2 or line.startswith("# "))
    return not (comment or line.startswith("-DOCSTART-"))


def split(line: str) -> list[str]:
    """Return the columns of a line: between tabs where it has any, else between runs of spaces."""
    return line.split("\t") if "\t" in line else re.split(" +", line.strip(" "))


def separator(data: bytes) -> str:
    """Return what separates the columns of a tidy file."""
    return "\t" if "\t" in first_data_line(data) else " "


def parse(file: File, width: int) -> tuple[NDArray[np.uint8], list[pl.Series]]:
    """Take every line apart; the number of columns is that of most lines, and a line with another is an error."""
    lines = split_lines(file).str.strip_chars_end(" \t\r")
    blank = lines.str.strip_chars(" \t") == ""
    hashed = lines.str.starts_with("#")
    document = lines.str.contains("^-DOCSTART-(?:[ \t]|$)")
    data = ~(blank | document)
    if not data.any():
        raise file.error(NO_DATA)
    telling = data & ~hashed if (data & ~hashed).any() else data
    lines = _separated(lines, telling)
    widths = lines.str.count_matches("\t", literal=True).to_numpy().astype(np.int64) + 1
    kinds = np.select([blank.to_numpy(), document.to_numpy()], [BLANK, DOCUMENT], TOKEN).astype(np.uint8)
    counts = np.bincount(widths[telling.to_numpy()])
    usual = width if width < len(counts) and counts[width] == counts.max() else int(np.argmax(counts))
    wrong = (kinds == TOKEN) & (widths != usual)
    kinds[wrong & hashed.to_numpy()] = COMMENT
    bad = np.flatnonzero(wrong & ~hashed.to_numpy())
    if len(bad):
        raise _ragged(file, int(bad[0]), int(widths[bad[0]]), usual, last=int(bad[0]) == len(lines) - 1)
    if usual != width:
        first = int(np.flatnonzero((kinds == TOKEN) | wrong)[0])
        raise _ragged(file, first, width, usual, last=False)
    parts = lines.str.split_exact("\t", usual - 1).struct.unnest()
    return kinds, parts.get_columns()


def _separated(lines: pl.Series, data: pl.Series) -> pl.Series:
    """Put one tab between columns."""
    if lines.filter(data).str.contains("\t", literal=True).all():
        return lines
    return lines.str.strip_chars(" \t").str.replace_all("[ \t]+", "\t")


def _ragged(file: File, row: int, columns: int, usual: int, *, last: bool) -> Exception:
    cut = "the file seems to be cut in this line" if last and not file.data.endswith(b"\n") else "mend the line"
    what = "too few columns" if columns < usual else "too many columns"
    return file.error(f"{what}: {counted(columns, 'column')}; expected {usual}, as in most lines; {cut}", row + 1)
