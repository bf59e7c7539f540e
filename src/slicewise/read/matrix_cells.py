"""The cells of a 0/1 table: what they say, and how a line is taken apart into them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Mask

BLANKS = " \t\r\n"
ZERO = r"(?:0(?:\.0*)?|\.0+)(?:e[-+]?[0-9]+)?|false"
ONE = r"1(?:\.0*)?(?:e[-+]?0+)?|true"
WHOLE = r"[0-9]+"
NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?"
MISSING = r"|[-?.]|n/?a|nan|null|none"
PLAIN = {"0": 0, "1": 1}
WRONG = 2
"""The code of a cell that is neither 0 nor 1."""
QUOTE, NEWLINE, SPACE = b'"\n '


def value_of(cell: str) -> int:
    """Return what a cell says: 0, 1 or WRONG."""
    return PLAIN[cell] if cell in PLAIN else 0 if spells(ZERO, cell) else 1 if spells(ONE, cell) else WRONG


def spells(pattern: str, cell: str) -> bool:
    """Tell whether a cell is written as a pattern says."""
    return re.fullmatch(pattern, cell, re.IGNORECASE | re.ASCII) is not None


def spelled(pattern: str, cells: pl.Series) -> pl.Series:
    """Tell which cells are written as a pattern says."""
    return cells.str.contains(f"(?i)^(?:{pattern})$")


@cache
def cell_pattern(separator: str) -> re.Pattern[str]:
    """Return what finds the cells of a line that ends with a separator: group 1 if it is quoted, else group 2."""
    inside = '"((?:[^"]++|"")*+)"'
    if separator == " ":
        return re.compile(f" *(?:{inside}|([^ ]+)) +")
    around = BLANKS.replace(separator, "")
    return re.compile(f"(?:[{around}]*{inside}[{around}]*|([^{separator}]*)){separator}")


def cells_found(line: str, separator: str) -> Iterator[re.Match[str]]:
    """Find the cells of a line."""
    return cell_pattern(separator).finditer(line + separator)


def which_quoted(line: str, separator: str) -> list[bool]:
    """Tell which cells of a line are quoted."""
    return [m[1] is not None for m in cells_found(line, separator)]


def cells_of(line: str, separator: str) -> list[str]:
    """Take a line apart, quotes only closing on the same line."""
    if '"' in line:
        texts = (m[2] if m[1] is None else m[1].replace('""', '"') for m in cells_found(line, separator))
        return [cell.strip(BLANKS) for cell in texts]
    if separator == " ":
        line = line.strip(BLANKS)
        return [cell.strip(BLANKS) for cell in line.split(" ") if cell]
    return [cell.strip(BLANKS) for cell in line.split(separator)]


def codes_of(column: pl.Series) -> NDArray[np.uint8]:
    """Return what the cells of a column say: 0, 1 or WRONG."""
    right = column == "1"
    if int(right.sum()) + int((column == "0").sum()) == len(column):
        return right.cast(pl.UInt8).to_numpy()
    column = column.fill_null("")
    spellings = column.unique()
    meaning = pl.Series([value_of(cell.strip(BLANKS)) for cell in spellings], dtype=pl.UInt8)
    return column.replace_strict(spellings, meaning).to_numpy()


def blank(separator: str) -> str:
    """Return what a blank line may consist of."""
    return " \r" if separator == "\t" else " \t\r"


@cache
def opening_quote(separator: str) -> re.Pattern[bytes]:
    """Return what finds a quote at the beginning of a cell; elsewhere it is a character like any other."""
    return re.compile(rb'(?:^|[\n%b])[%b]*"' % (separator.encode(), blank(separator).replace(separator, "").encode()))


def inside_quotes(data: NDArray[np.uint8]) -> Mask:
    """Tell which bytes stand between quotes."""
    return (np.cumsum(data == QUOTE, dtype=np.uint8) & 1).astype(np.bool_)


def well_quoted(piece: bytes, separator: str) -> bool:
    """Tell whether every quote begins or ends a cell, or is doubled within one."""
    data = np.frombuffer(b"\n" + piece, np.uint8)
    at = np.flatnonzero(data == QUOTE)
    if len(at) % 2:
        return False
    opening, closing = at[::2], at[1::2]
    before, after = data[opening - 1], data[closing + 1]
    begins = (before == ord(separator)) | (before == NEWLINE)
    ends = (after == ord(separator)) | (after == NEWLINE)
    doubled = closing[:-1] + 1 == opening[1:]
    begins[1:] |= doubled
    ends[:-1] |= doubled
    return bool(begins.all() and ends.all())


def single_spaced(piece: bytes, *, has_quotes: bool) -> bytes:
    """Leave one space between cells, and none at the edges of lines."""
    data = np.frombuffer(piece, np.uint8)
    space = data == SPACE
    if has_quotes:
        space &= ~inside_quotes(data)
    after = np.concatenate([[True], (space | (data == NEWLINE))[:-1]])
    data = data[~(space & after)]
    before_end = (data[:-1] == SPACE) & (data[1:] == NEWLINE)
    return bytes(data[np.concatenate([~before_end, [True]])])
