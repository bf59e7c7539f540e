"""Large files into Parquet piece by piece, so that they are never whole in memory."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import polars as pl

from slicewise.errors import UserError
from slicewise.read.compression import DAMAGED, LONGEST_MAGIC, codec_of
from slicewise.read.parquet import Origin
from slicewise.read.reader import SAMPLE
from slicewise.read.registry import READERS, tell_format
from slicewise.read.source import BOM, File, Source

LARGE = 200_000_000
"""Bytes from which on a file is converted in pieces."""
COMPRESSION = 5
"""Bytes of text per byte of a compressed file, about."""


def write(given: str, near: Path, out: BinaryIO, *, format: str | None, rows: int) -> int | None:  # noqa: A002
    """Write a large file as Parquet, with other files in a folder that lies near, and return its items.

    None where the file is small, or where a reader that has it whole must take it or say what is wrong.
    """
    path = Path(given)
    if given == "-" or not path.is_file():
        return None
    with path.open("rb") as file:
        codec = codec_of(file.read(LONGEST_MAGIC))
    if path.stat().st_size * (1 if codec is None else COMPRESSION) <= LARGE:
        return None
    try:
        with TemporaryDirectory(dir=near, prefix=".slicewise.") as folder:
            return _write(_plain(path, codec, Path(folder)), given, Path(folder), out, format, rows)
    except (pl.exceptions.PolarsError, UserError, *DAMAGED):
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


def _plain(path: Path, codec: Any | None, folder: Path) -> Path:
    """Return the file, or a copy that is not compressed and has no byte-order mark."""
    with path.open("rb") if codec is None else codec.open(path) as file:
        marked = file.read(len(BOM)) == BOM
        if codec is None and not marked:
            return path
        plain = folder / "plain"
        with plain.open("wb") as copy:
            file.seek(len(BOM) if marked else 0)
            shutil.copyfileobj(file, copy, 1 << 20)
    return plain
