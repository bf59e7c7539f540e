"""Sources: files and a column of them, and parsing of their names."""

from __future__ import annotations

import glob
import hashlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slicewise.errors import UserError, is_file

BOM = b"\xef\xbb\xbf"
PARQUET = b"PAR1"
POINTER = b"version https://git-lfs.github.com/spec/v1"
"""How the text begins that Git LFS puts in the place of a large file."""
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
            byte = self.data[error.start : error.start + 1].hex()
            line = self.data.count(b"\n", 0, error.start) + 1
            return self.error(
                f"byte 0x{byte} is not valid UTF-8; files must be UTF-8; convert it, e.g. with iconv -t UTF-8", line
            )
        return None


@dataclass(frozen=True)
class Source:
    """One or several files of a kind that the user names, and a column of them."""

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
    """Return the device and inode of a file, the same for all links to it; None where there is no file.

    `-` is standard input.
    """
    try:
        state = os.fstat(sys.stdin.fileno()) if name == "-" and sys.stdin is not None else Path(name).stat()
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino


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
    return [f"{role}:{digest[:12]}" + ("" if column is None else f":{column}") for digest in hashes]


def pieces_of(data: bytes, size: int, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Cut data at line ends, so that parsing needs little memory beside the result; with where each piece begins."""
    while start < len(data):
        end = data.find(b"\n", start + size) + 1 or len(data)
        yield start, data[start:end]
        start = end


def pointer_error(name: str) -> UserError:
    """Return the error for a file that Git LFS has not fetched."""
    return UserError("this is a Git LFS pointer, not the file itself; fetch the file with git lfs pull", where=name)
