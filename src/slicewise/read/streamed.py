"""Large JSONL and CSV files into Parquet piece by piece, so that they are never whole in memory."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import sys
import zlib
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import polars as pl

from slicewise.errors import UserError
from slicewise.read import SAMPLE, jsonl, table, tell_format
from slicewise.read.json_scan import PIECE, Nested, scan
from slicewise.read.parquet import Origin
from slicewise.read.source import BOM, File, Source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

LARGE = 200_000_000
"""Bytes from which on a file is converted in pieces."""
_UNTAKEN = (
    pl.exceptions.PolarsError, OSError, EOFError, ValueError, UserError, zlib.error, lzma.LZMAError, zstd.ZstdError,
)  # fmt: skip
PACKED = 5
"""How many bytes of text one byte of a compressed file stands for, about."""


def write(given: str, near: Path, out: BinaryIO, *, format: str | None, rows: int) -> int | None:  # noqa: A002
    """Write a large file as Parquet, with other files in a folder that lies near, and return its items.

    None where the file is small, or where a reader that has it whole must take it or say what is wrong.
    """
    path = Path(given)
    if given == "-" or not path.is_file():
        return None
    unpack = _unpacker(path)
    if path.stat().st_size * (1 if unpack is None else PACKED) <= LARGE:
        return None
    try:
        with TemporaryDirectory(dir=near, prefix=".slicewise.") as folder:
            return _write(_plain(path, unpack, Path(folder)), given, Path(folder), out, format, rows)
    except _UNTAKEN:
        out.seek(0)
        out.truncate()
        return None


def _write(plain: Path, given: str, folder: Path, out: BinaryIO, format: str | None, rows: int) -> int | None:  # noqa: A002
    with plain.open("rb") as text:
        head = File(given, text.read(SAMPLE + 1), "")
    told = format or tell_format(Source(given, (head,)))
    scan = {"jsonl": _objects, "table": _table}.get(told)
    if scan is None or b"\0" in head.data or b"\n" not in head.data:  # lines may end with CR alone
        return None
    written = _nested(plain, head) if told == "jsonl" else None
    made = folder / "rows.parquet"
    scan(plain, head).sink_parquet(made, row_group_size=rows, metadata=Origin(told).metadata(), engine="streaming")
    found = pl.scan_parquet(made)
    items = int(found.select(pl.len()).collect().item())
    if _is_ragged(found, plain, head) if written is None else _nested_in(found, items, rows) != written:
        return None
    with made.open("rb") as whole:
        shutil.copyfileobj(whole, out)
    return items or None


def _objects(plain: Path, _: File) -> pl.LazyFrame:
    return pl.scan_ndjson(plain, infer_schema_length=None)


def _nested(plain: Path, head: File) -> Nested:
    """Count objects and lists, and look at every line that may be wrong."""
    with plain.open("rb") as text:
        return scan(iter(lambda: b"".join(text.readlines(PIECE)), b""), partial(jsonl.check_line, head))


def _nested_in(found: pl.LazyFrame, items: int, rows: int) -> Nested:
    """Count the objects and lists that rows were made of."""
    columns = [i for i, kind in enumerate(found.collect_schema().dtypes()) if kind.is_nested()]
    if not columns:
        return Nested(objects=items)
    nested = found.select(pl.nth(columns))
    parts = (nested.slice(start, rows).collect() for start in range(0, items, rows))
    return sum((jsonl.nested_in(part) for part in parts), Nested())


def _table(plain: Path, head: File) -> pl.LazyFrame:
    head.data.partition(b"\n")[0].decode()  # Polars takes a header in any encoding
    separator = table.delimiter(head)
    quote = None if separator == "\t" else '"'
    cells = pl.scan_csv(plain, separator=separator, quote_char=quote, infer_schema=False)
    return cells.filter(~pl.all_horizontal(pl.all().is_null())).with_columns(pl.all().fill_null(""))


def _is_ragged(found: pl.LazyFrame, plain: Path, head: File) -> bool:
    """Tell whether a row has not the first row's columns; only a row without a last cell can be one."""
    if not found.select((pl.last() == "").any()).collect(engine="streaming").item():
        return False
    with plain.open(encoding="utf-8-sig", newline="") as text:
        return table.bad_row(head, text) is not None


def _unpacker(path: Path) -> Callable[[Path], BinaryIO] | None:
    """Return what opens a compressed file, told by its first bytes; None of a plain one."""
    with path.open("rb") as file:
        first = file.read(4)
    return next((unpack for magic, unpack in _PACKED if first.startswith(magic)), None)


def _plain(path: Path, unpack: Callable[[Path], BinaryIO] | None, folder: Path) -> Path:
    """Return the file, or a copy that is not compressed and has no byte-order mark."""
    with path.open("rb") if unpack is None else unpack(path) as file:
        marked = file.read(len(BOM)) == BOM
        if unpack is None and not marked:
            return path
        plain = folder / "plain"
        with plain.open("wb") as copy:
            file.seek(len(BOM) if marked else 0)
            shutil.copyfileobj(file, copy, 1 << 20)
    return plain


_PACKED: tuple[tuple[bytes, Callable[[Path], Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"\xfd7zX", lzma.open),
    (b"BZh", bz2.open),
    (b"\x28\xb5\x2f\xfd", zstd.open),
)
