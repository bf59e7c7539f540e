"""Large files into Parquet piece by piece, so that they are never whole in memory."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import polars as pl

from slicewise.errors import UserError
from slicewise.read.parquet import Origin
from slicewise.read.reader import SAMPLE
from slicewise.read.registry import READERS, tell_format
from slicewise.read.source import BOM, File, Source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


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
    name = format or tell_format(Source(given, (head,)))
    stream = READERS[name].stream
    if stream is None or b"\0" in head.data or b"\n" not in head.data:  # lines may end with CR alone
        return None
    parquet = folder / "rows.parquet"

    def write_rows(frame: pl.LazyFrame) -> pl.LazyFrame:
        frame.sink_parquet(parquet, row_group_size=rows, metadata=Origin(name).metadata(), engine="streaming")
        return pl.scan_parquet(parquet)

    if not stream.write(plain, head, write_rows):
        return None
    with parquet.open("rb") as whole:
        shutil.copyfileobj(whole, out)
    items = int(pl.scan_parquet(parquet).select(pl.len()).collect().item())
    return items or None


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
