"""Parquet files: their rows, and what a converted file remembers of the one it was made from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from typing import Any

import polars as pl

from slicewise.errors import UserError, first_line
from slicewise.read.source import PARQUET, File

DAMAGED = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What reading a file that is cut or damaged may raise."""
STANDARD_ERROR = 2
KEY = "slicewise"
"""Where the file's own metadata have the origin."""
TEXT = "text"
"""The column of lines that are not taken apart."""


@dataclass(frozen=True)
class Origin:
    """What a converted file was made from, so that it is read as that file is."""

    format: str
    columns: tuple[str, ...] = ()
    """Of CoNLL: what the file's columns are called, in their order."""
    documents: int = 0
    """Of CoNLL: how many lines start a document."""
    header: bool = False
    """Of lines: whether the first of them names the columns."""

    def metadata(self) -> dict[str, str]:
        """Return what is written into the file."""
        return {KEY: json.dumps(asdict(self), ensure_ascii=False)}


def is_parquet(file: File) -> bool:
    """Tell Parquet from text."""
    return file.data.startswith(PARQUET)


def rows(file: File, columns: list[int] | None = None) -> pl.DataFrame:
    """Return a file's rows, or some of its columns by their numbers."""
    if file.rows is not None:
        part: pl.DataFrame = file.rows
        return _without_arrays(part if columns is None else pl.DataFrame([part.to_series(i) for i in columns]))
    try:
        with silent_panics():
            return _without_arrays(pl.read_parquet(BytesIO(file.data), columns=columns))
    except DAMAGED as problem:
        raise _damaged(file, problem) from None


@contextmanager
def silent_panics() -> Iterator[None]:
    """Let nothing go to standard error: a damaged file may make Polars panic, which it prints besides raising it."""
    try:
        kept = os.dup(STANDARD_ERROR)
    except OSError:  # closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, STANDARD_ERROR)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(kept, STANDARD_ERROR)
        os.close(kept)


def has_rows(file: File) -> bool:
    """Tell whether a file has any rows; a part of one, and text, may be without."""
    if file.rows is not None or not is_parquet(file):
        return True
    try:
        with silent_panics():
            return bool(pl.scan_parquet(BytesIO(file.data)).select(pl.len()).collect().item())
    except DAMAGED as problem:
        raise _damaged(file, problem) from None


def _damaged(file: File, problem: BaseException) -> UserError:
    return file.error(f"the Parquet file is cut or damaged ({first_line(problem)}); make it again")


def _without_arrays(frame: pl.DataFrame) -> pl.DataFrame:
    """Make arrays lists, which all that comes after knows."""
    listed = pl.Schema({name: _listed(kind) for name, kind in frame.schema.items()})
    return frame.cast(listed) if listed != frame.schema else frame


def _listed(kind: Any) -> Any:
    if isinstance(kind, (pl.Array, pl.List)):
        return pl.List(_listed(kind.inner))
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _listed(field.dtype) for field in kind.fields})
    return kind


def origin(file: File) -> Origin | None:
    """Return what a Parquet file was converted from; None of any other, and where its columns are no longer those."""
    try:
        with silent_panics():
            written = json.loads(pl.read_parquet_metadata(BytesIO(file.data))[KEY])
            types = list(pl.read_parquet_schema(BytesIO(file.data)).values())
        made_from = Origin(
            str(written["format"]),
            tuple(map(str, written["columns"])),
            int(written["documents"]),
            bool(written["header"]),
        )
    except (*DAMAGED, KeyError, TypeError, ValueError):
        return None
    fits = {
        "conll": bool(made_from.columns) and types == _sentence_types(made_from),
        "lines": bool(types) and set(types) == {pl.String},
    }
    return made_from if fits.get(made_from.format, True) else None


def _sentence_types(made_from: Origin) -> list[pl.DataType]:
    cells: list[pl.DataType] = [pl.List(pl.String)] * len(made_from.columns)
    return [*cells, pl.String()] if made_from.documents else cells
