"""Results written to files, which appear whole or not at all."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import polars as pl

from slicewise.errors import UserError, is_file
from slicewise.results.base import Row

FORMULA = r"^[=+\-@\t\r]"
"""How a cell begins that a spreadsheet may run, and …"""
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
"""… what of it is a number, and harmless."""
LONGEST_NAME = 255
LONGEST_SAFE = 200
"""Bytes of a name from the data; room is left for a number and an ending."""


def check_ending(path: Path, endings: Sequence[str]) -> None:
    """Refuse a file with an unknown ending."""
    if path.suffix.lower() not in endings:
        raise UserError(
            f"unknown ending {path.suffix.lower()!r}; expected one of {', '.join(endings)}", where=str(path)
        )


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file beside the path; it takes the path's name only once all is written.

    A link is followed, and a device or a pipe is written to as it is.
    """
    if _is_special(path):
        try:
            with path.open("wb") as file:
                yield file
        except OSError as error:
            raise cannot_write(path, error) from None
        return
    target = written_to(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".slicewise.")
    except OSError as error:
        raise cannot_write(path, error) from None
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        beside.chmod(0o666 & ~_umask())
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise cannot_write(path, error) from None
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def written_to(path: Path) -> Path:
    """Return the file that a path refers to, links followed; circular links are an error."""
    try:
        target = Path(os.path.realpath(path))
    except OSError as error:  # the working folder is gone
        raise cannot_write(path, error) from None
    if target.is_symlink():
        raise UserError(
            "cannot be written: symbolic links that lead to each other; choose another path", where=str(path)
        )
    return target


def _is_special(path: Path) -> bool:
    return is_file(path) and not path.is_file() and not path.is_dir()


def unique(names: Sequence[str]) -> list[str]:
    """Return names that differ from each other, whatever the file system thinks of capitals."""
    chosen: list[str] = []
    for name in names:
        candidate, n = name, 1
        while candidate.lower() in {taken.lower() for taken in chosen}:
            n += 1
            candidate = f"{name}-{n}"
        chosen.append(candidate)
    return chosen


def result_folders(folder: Path, names: Sequence[str]) -> list[Path]:
    """Return the folder of each result: the folder itself for one, else folders of their own in it."""
    return [folder] if len(names) == 1 else [folder / name for name in unique([safe_name(name) for name in names])]


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, whose folder is made if need be."""
    _make(path.parent)
    with atomic_file(path) as file:
        file.write(data)


def write_csv(frame: pl.DataFrame, file: BinaryIO, *, separator: str = ",", raw: bool = False) -> None:
    """Write a table as CSV that a spreadsheet shows as it is.

    Text that a spreadsheet would take for a formula gets a leading apostrophe, unless cells are to be `raw`.
    """
    import polars as pl

    frame = without_lists(frame)
    if not raw:
        frame = frame.with_columns(_without_formulas(c) for c in frame.get_columns() if c.dtype == pl.String)
        titles = _without_formulas(pl.Series(frame.columns, dtype=pl.String)).to_list()
        if titles != frame.columns:
            header = pl.DataFrame({str(i): [title] for i, title in enumerate(titles)})
            header.write_csv(file, separator=separator, include_header=False)
            return frame.write_csv(file, separator=separator, include_header=False)
    return frame.write_csv(file, separator=separator)


def write_frame(frame: pl.DataFrame, path: Path, endings: Sequence[str], *, raw_csv: bool = False) -> None:
    """Write a table in the format of the path's ending, one of `endings`: CSV, TSV, JSONL or Parquet."""
    check_ending(path, endings)
    ending = path.suffix.lower()
    with atomic_file(path) as file:
        if ending == ".jsonl":
            frame.write_ndjson(file)
        elif ending == ".parquet":
            frame.write_parquet(file)
        else:
            write_csv(frame, file, separator="\t" if ending == ".tsv" else ",", raw=raw_csv)


def without_lists(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table as CSV can hold it: tabs separate texts, as in files of lines; what else is nested is JSON."""
    return frame.with_columns(_flat(column) for column in frame.get_columns() if column.dtype.is_nested())


def _flat(column: pl.Series) -> pl.Series:
    import polars as pl

    if column.dtype == pl.List(pl.String):
        return column.list.join("\t")
    written = [None if cell is None else json.dumps(cell, ensure_ascii=False, default=str) for cell in column.to_list()]
    return pl.Series(column.name, written, dtype=pl.String)


def _without_formulas(cells: pl.Series) -> pl.Series:
    is_formula = cells.str.contains(FORMULA) & ~cells.str.contains(NUMBER)
    return ("'" + cells).zip_with(is_formula.fill_null(False), cells).alias(cells.name) if is_formula.any() else cells


def write_tables(
    folder: Path, tables: Mapping[str, Sequence[Row] | pl.DataFrame], *, raw_csv: bool = False
) -> list[Path]:
    """Write tables as CSV files of a folder, which is made if need be."""
    import polars as pl

    _make(folder)
    written = []
    for name, rows in tables.items():
        frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows, infer_schema_length=None)
        path = folder / f"{name}.csv"
        with atomic_file(path) as file:
            write_csv(frame, file, raw=raw_csv)
        written.append(path)
    return written


def write_texts(folder: Path, texts: Mapping[str, str], ending: str) -> list[Path]:
    """Write texts as files of a folder, which is made if need be; the ending is `md` or `tex`."""
    _make(folder)
    paths = [folder / f"{name}.{ending}" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        write_text(path, text)
    return paths


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from None


def check_writable(path: Path, *, folder: bool = False) -> None:
    """Check, before any work, that an output can be written."""
    if len(os.fsencode(path.name)) > LONGEST_NAME:
        raise UserError("cannot be written: the name is too long; choose another path", where=str(path))
    place = path if folder else path.parent
    while folder and not is_file(place) and place != place.parent:
        place = place.parent
    if not folder and is_file(path) and path.is_dir():
        raise UserError("is a folder; name a file to write", where=str(path))
    if not folder and _is_special(path):
        return
    if not folder:
        written_to(path)
    if not is_file(place) or not place.is_dir():
        raise UserError(
            f"cannot be written: {str(place)!r} is no folder; make it, or choose another path", where=str(path)
        )
    if not os.access(place, os.W_OK):
        raise UserError(f"cannot be written: no permission in {str(place)!r}; choose another path", where=str(path))


def cannot_write(path: Path, error: OSError) -> UserError:
    """Return the error for an output that cannot be written."""
    return UserError(f"cannot be written: {error.strerror or error}; choose another path", where=str(path))


def safe_name(name: str) -> str:
    """Return a name from the data as a file's name: it never leaves its folder."""
    safe = re.sub(r"[^\w.-]", "_", name).lstrip(".") or "_"
    return safe.encode()[:LONGEST_SAFE].decode(errors="ignore")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
