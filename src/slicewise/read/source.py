"""Files as the user names them: FILE, FILE:COLUMN, a folder, a glob, `-`; compressed or not."""

from __future__ import annotations

import bz2
import glob
import gzip
import hashlib
import lzma
import os
import re
import stat
import sys
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slicewise.errors import UserError, is_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BOM = b"\xef\xbb\xbf"
PARQUET = b"PAR1"
POINTER = b"version https://git-lfs.github.com/spec/v1"
"""How the text begins that Git LFS puts in the place of a large file."""
TABULAR = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
FEW_FILES = 3
"""So many files of one role have each their own hash in a signature."""


@dataclass(frozen=True)
class File:
    """The bytes of one file, decompressed and without byte-order mark, under the name the user gave."""

    name: str
    data: bytes
    digest: str
    """SHA-256 of the file as it lies on disk."""
    modified: float | None = None
    """When it was last changed, in seconds since 1970; None of what is no file."""
    rows: Any = None
    """Of a part of a Parquet file: its rows, a Polars frame; the data has the columns alone."""
    first_row: int = 0
    """How many rows of the file stand before them."""

    @property
    def suffix(self) -> str:
        """The ending that says what is inside, in lower case: `.csv` of `x.csv.gz`."""
        suffixes = [s.lower() for s in Path(self.name).suffixes]
        while suffixes and suffixes[-1] in COMPRESSED:
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    def error(self, message: str, line: int | None = None) -> UserError:
        """Return an error about this file."""
        return UserError(message, where=self.name, line=line)

    def utf8_error(self) -> UserError | None:
        """Return what is wrong with the encoding, with its line, or None."""
        try:
            self.data.decode()
        except UnicodeDecodeError as error:
            found = self.data[error.start : error.start + 1].hex()
            line = self.data.count(b"\n", 0, error.start) + 1
            return self.error(
                f"byte 0x{found} is not valid UTF-8; files must be UTF-8; convert it, e.g. with iconv -t UTF-8", line
            )
        return None


@dataclass(frozen=True)
class Source:
    """What the user asked to read: one file or several of a kind, and a column of them."""

    name: str
    files: tuple[File, ...]
    column: str | None = None
    parsed: dict[str, Any] = field(default_factory=dict, compare=False)
    """What a reader has parsed already, for another column of the same files."""

    @property
    def only(self) -> File:
        """The one file, where the format allows no more."""
        if len(self.files) > 1:
            raise UserError(
                f"{len(self.files)} files; only JSONL and tables can be given as a folder or pattern; name one file",
                where=self.name,
            )
        return self.files[0]


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


def is_stream(name: str) -> bool:
    """Tell whether a name stands for what can be read only once: standard input, a pipe, a device."""
    if name == "-":
        return True
    try:
        mode = Path(name).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def identity(name: str | Path) -> tuple[int, int] | None:
    """Return what tells a file from all others, whatever it is called (links lead to the same); None where it is not.

    `-` is standard input.
    """
    try:
        state = os.fstat(sys.stdin.fileno()) if name == "-" and sys.stdin is not None else Path(name).stat()
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino


def check_exists(given: str | Path) -> str:
    """Return the name without the column, or say at once, before any work, that the file is not there."""
    name, _ = split_column(str(given))
    paths_of(name)
    return name


def split_column(given: str) -> tuple[str, str | None]:
    """Return the file and the column of FILE[:COLUMN]; a file that exists under the whole name is that file."""
    if given == "-" or is_file(given) or ":" not in given:
        return given, None
    name, _, column = given.rpartition(":")
    while not (name == "-" or is_file(name) or glob.has_magic(name)) and ":" in name:
        name, _, more = name.rpartition(":")
        column = f"{more}:{column}"
    if not column:
        raise UserError(f"no column after the colon in {given!r}; write FILE:COLUMN or FILE")
    if name == "-" or is_file(name) or glob.has_magic(name):
        return name, column
    name, _, column = given.rpartition(":")
    return name, column


def paths_of(name: str) -> list[str]:
    """Return the files behind a name: one, those of a folder, or those that match a pattern."""
    if name == "-":
        return ["-"]
    if not name:
        raise UserError("an empty file name; name a file")
    path = Path(name)
    if is_file(path) and path.is_dir():
        try:
            found = sorted(str(p) for p in path.iterdir() if _is_tabular(p))
        except OSError as error:
            raise UserError(f"cannot be read: {error.strerror or error}; check its permissions", where=name) from None
        if not found:
            raise UserError(
                "is a folder without .jsonl, .csv, .tsv or .parquet files; name a file, or a folder of such files",
                where=name,
            )
        return found
    if is_file(path):
        return [name]
    if glob.has_magic(name):
        found = sorted(p for p in glob.glob(name) if Path(p).is_file())  # noqa: PTH207 (the user's pattern may be absolute)
        if found:
            return found
        raise UserError("no file matches this pattern; check the folder and the pattern", where=name)
    if os.path.islink(name):  # noqa: PTH114 (a name that cannot be one is no link)
        raise UserError("is a symbolic link that leads to no file; check the link", where=name)
    raise UserError(f"no such file{_neighbour(path)}; check the path", where=name)


def stem_of(name: str) -> str:
    """Return a file's name without folder and endings; of a pattern, the name of its folder."""
    if name == "-":
        return "stdin"
    path = Path(name).absolute()
    while any(sign in path.name for sign in "*?["):
        path = path.parent if path.parent.name else Path("files")
    last = path.name
    for ending in COMPRESSED:
        last = last.removesuffix(ending)
    return Path(last).stem


def digests_of(role: str, hashes: Sequence[str], column: str | None) -> list[str]:
    """Return the hashes of a role's files as they stand in a signature; of many files, one of all of them."""
    if len(hashes) > FEW_FILES:
        hashes = [hashlib.sha256("".join(hashes).encode()).hexdigest()]
    return [f"{role}:{one[:12]}" + ("" if column is None else f":{column}") for one in hashes]


def _is_tabular(path: Path) -> bool:
    suffixes = [s.lower() for s in path.suffixes if s.lower() not in COMPRESSED]
    return path.is_file() and bool(suffixes) and suffixes[-1] in TABULAR


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
    data = with_line_ends(data)
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


def pointer_error(name: str) -> UserError:
    """Return the error for a file that Git LFS has not fetched."""
    return UserError("this is a Git LFS pointer, not the file itself; fetch the file with git lfs pull", where=name)


def with_line_ends(data: bytes) -> bytes:
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


def _zstd(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.decompress(data)


_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
"""What stands behind a bzip2 file's level: a block, or its end; text may well begin with BZh."""
_MAGIC: tuple[tuple[bytes, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", gzip.decompress),
    (b"\xfd7zXZ\0", lzma.decompress),
    *((b"BZh%d%b" % (level, block), bz2.decompress) for level in range(1, 10) for block in _BLOCKS),
    (b"\x28\xb5\x2f\xfd", _zstd),
)


def _decompress(raw: bytes, name: str) -> bytes:
    for magic, decompress in _MAGIC:
        if raw.startswith(magic):
            try:
                return decompress(raw)
            except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
                raise UserError(
                    f"the compressed file is cut or damaged ({error}); fetch or make it again", where=name
                ) from None
            except Exception as error:
                if type(error).__name__ == "ZstdError":
                    raise UserError(
                        f"the compressed file is cut or damaged ({error}); make it again", where=name
                    ) from None
                raise
    return raw
