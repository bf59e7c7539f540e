"""The files behind what a user names: found, read and decompressed."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

from slicewise.errors import UserError, is_file
from slicewise.read.compression import DAMAGED, LONGEST_MAGIC, ZstdError, codec_of
from slicewise.read.registry import READERS
from slicewise.read.source import (
    BOM,
    COMPRESSED,
    PARQUET,
    POINTER,
    File,
    Source,
    identity,
    is_stream,
    pointer_error,
    split_column,
)


def open_source(given: str | Path, opened: dict[str, Source] | None = None) -> Source:
    """Read the files behind FILE[:COLUMN]; a file that exists under the whole name is that file.

    Files with columns, of which another column may be wanted, and streams, which can be read only once, are kept in
    `opened`.
    """
    name, column = split_column(str(given))
    stream = is_stream(name)
    key = str(identity(name)) if stream else name
    if opened is not None and key in opened:
        return replace(opened[key], name=name, column=column)
    source = Source(name, tuple(_read(path) for path in paths_of(name)), column)
    if opened is not None and (column is not None or stream):
        opened[key] = source
    return source


def check_exists(given: str | Path) -> str:
    """Return the name without the column, or say at once, before any work, that the file is not there."""
    name, _ = split_column(str(given))
    paths_of(name)
    return name


def paths_of(name: str) -> list[str]:
    """Return the files behind a name: one, those of a folder, or those that match a pattern."""
    if name == "-":
        return ["-"]
    if not name:
        raise UserError("an empty file name; name a file")
    path = Path(name)
    if is_file(path) and path.is_dir():
        try:
            paths = sorted(str(p) for p in path.iterdir() if _is_tabular(p))
        except OSError as error:
            raise UserError(f"cannot be read: {error.strerror or error}; check its permissions", where=name) from None
        if not paths:
            raise UserError(
                "is a folder without .jsonl, .csv, .tsv or .parquet files; name a file, or a folder of such files",
                where=name,
            )
        return paths
    if is_file(path):
        return [name]
    if glob.has_magic(name):
        paths = sorted(p for p in glob.glob(name) if Path(p).is_file())  # noqa: PTH207 (the user's pattern may be absolute)
        if paths:
            return paths
        raise UserError("no file matches this pattern; check the folder and the pattern", where=name)
    if os.path.islink(name):  # noqa: PTH114 (a name that cannot be one is no link)
        raise UserError("is a symbolic link that leads to no file; check the link", where=name)
    raise UserError(f"no such file{_neighbour(path)}; check the path", where=name)


def _is_tabular(path: Path) -> bool:
    extensions = {".parquet", *(e for reader in READERS.values() if reader.tabular for e in reader.extensions)}
    suffixes = [s.lower() for s in path.suffixes if s.lower() not in COMPRESSED]
    return path.is_file() and bool(suffixes) and suffixes[-1] in extensions


def _neighbour(path: Path) -> str:
    """Return a hint at a file of nearly the same name in the same folder."""
    import difflib

    try:
        names = [p.name for p in path.parent.iterdir()]
    except OSError:
        return f" (and no folder {str(path.parent)!r})"
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.75)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _read(name: str) -> File:
    if name == "-" and sys.stdin is None:
        raise UserError("standard input is closed; name a file, or send the data to it")
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror or error}; check the path and its permissions", where=name
        ) from None
    label = "standard input" if name == "-" else name
    data = _decompress(raw, label)
    if data.startswith(POINTER):
        raise pointer_error(label)
    if data.startswith(BOM):
        data = data[len(BOM) :]
    data = _with_line_ends(data)
    modified = Path(name).stat().st_mtime if name != "-" and Path(name).is_file() else None
    file = File(label, data, hashlib.sha256(raw).hexdigest(), modified)
    blank_lines = b"\n" in data and file.suffix in ("", ".txt", ".out")  # of a system that returns nothing
    if not (blank_lines or re.search(rb"[^ \t\r\n]", data)):
        raise file.error("the file is empty; expected at least one item")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise file.error("the file is UTF-16; files must be UTF-8; convert it, e.g. with iconv -f UTF-16 -t UTF-8")
    if b"\0" in data[:65536] and not data.startswith(PARQUET):
        raise file.error("this is a binary file; expected text (CoNLL, JSONL, CSV, lines) or Parquet")
    return file


def _with_line_ends(data: bytes) -> bytes:
    """Return text whose lines end with CR alone, as on old Macs, with LF; any other data as it is.

    There may be LF at the end of the file, where other tools put one.
    """
    if b"\r" not in data or data.startswith(PARQUET):
        return data
    end = data.find(b"\n")
    if end >= 0 and not (_BLANK_END.match(data, end) and b"\r" in data[:end].rstrip()):
        return data
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


_BLANK_END = re.compile(rb"\s*\Z")


def _decompress(raw: bytes, name: str) -> bytes:
    codec = codec_of(raw[:LONGEST_MAGIC])
    if codec is None:
        return raw
    try:
        data: bytes = codec.decompress(raw)
    except DAMAGED as error:
        advice = "make it again" if isinstance(error, ZstdError) else "fetch or make it again"
        raise UserError(f"the compressed file is cut or damaged ({error}); {advice}", where=name) from None
    return data
