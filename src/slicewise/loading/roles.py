"""The Parquet files of gold, a system or an input: their schema, and ranges of their rows."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from slicewise.errors import UserError, did_you_mean, first_line, quoted
from slicewise.read.columns import by_number, column_index, top_level_name
from slicewise.read.parquet import DAMAGED, Origin, origin, silent_panics
from slicewise.read.source import POINTER, File, Source, pointer_error
from slicewise.read.stacked import one_schema, with_schema

Columns = tuple[str, ...] | None
"""Columns that are read; None: all."""


@dataclass(frozen=True)
class Role:
    """Gold, a system or an input as named by the user: concatenated Parquet files, and a column of them."""

    name: str
    column: str | None
    paths: tuple[str, ...]
    starts: tuple[int, ...]
    """The number of each file's first item, and of all."""
    schema: pl.Schema = field(repr=False)
    """The columns of all files together, with types that hold what each of them has."""
    stubs: tuple[bytes, ...] = field(repr=False)
    """Each file without its rows: the columns of all files, and where it came from."""
    shown: tuple[str, ...]
    """What users know the files as."""
    above: tuple[int, ...]
    """How many lines of each stand above its first row."""

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.starts[-1]

    @property
    def called(self) -> str:
        """The files as the user named them."""
        return self.name if self.column is None else f"{self.name}:{self.column}"

    @property
    def needs_first_row(self) -> bool:
        """Whether the first row means something to all others: lines that begin with a header."""
        named = self.column is not None and not by_number(self.column)
        return any(file is not None and file.format == "lines" and (file.header or named) for file in self._origins)

    @property
    def made_from(self) -> str | None:
        """The format that the first of them was converted from."""
        return next((file.format for file in self._origins if file is not None), None)

    @property
    def _origins(self) -> list[Origin | None]:
        return [origin(File(self.name, stub, "")) for stub in self.stubs]

    def between(self, start: int, stop: int, reader: RowReader, columns: Columns) -> Source:
        """Read some rows."""
        schema = self.schema if columns is None else pl.Schema({head: self.schema[head] for head in columns})
        files = []
        for i, path in enumerate(self.paths):
            first, last = max(start, self.starts[i]), min(stop, self.starts[i + 1])
            if first < last or (start == stop == self.starts[i]):
                before = first - self.starts[i]
                frame = with_schema(reader.of(path, before, last - first, columns), schema)
                files.append(File(self.shown[i], self.stubs[i], "", rows=frame, first_row=before + self.above[i]))
        return Source(self.name, tuple(files[:1] if start == stop else files), self.column)


@dataclass(frozen=True)
class RowReader:
    """Reads rows of files, once for all roles that are columns of them."""

    columns: Mapping[str, Columns]
    """The columns of each file that any role needs."""
    shared: frozenset[str]
    """Files that several roles are columns of; rows of the others are not kept."""
    _read: dict[tuple[str, int, int], pl.DataFrame] = field(default_factory=dict)

    @classmethod
    def for_all(cls, roles: Sequence[tuple[Role, Columns]]) -> RowReader:
        """Return the reader of several roles."""
        columns_of: dict[str, Columns] = {}
        for role, columns in roles:
            for path in role.paths:
                before = columns_of.get(path, ())
                columns_of[path] = None if before is None or columns is None else tuple(dict.fromkeys(before + columns))
        paths = Counter(path for role, _ in roles for path in role.paths)
        return cls(columns_of, frozenset(path for path, n in paths.items() if n > 1))

    def of(self, path: str, start: int, size: int, columns: Columns) -> pl.DataFrame:
        """Return some rows of a file with some of its columns."""
        if path not in self.shared:
            return _rows(path, start, size, columns)
        place = path, start, size
        if place not in self._read:
            self._read[place] = _rows(path, start, size, self.columns[path])
        frame = self._read[place]
        if columns is None:
            return frame
        return pl.DataFrame([frame.get_column(head) for head in columns if head in frame.columns])


def _rows(path: str, start: int, size: int, columns: Columns) -> pl.DataFrame:
    scan = pl.scan_parquet(path, glob=False)
    try:
        with silent_panics():
            if columns is not None:
                names = scan.collect_schema().names()
                scan = scan.select(pl.nth([names.index(column) for column in columns if column in names]))
            return scan.slice(start, size).collect()
    except DAMAGED as problem:
        raise _damaged(path, problem) from None


def _damaged(path: str, problem: BaseException) -> UserError:
    if isinstance(problem, FileNotFoundError):
        return UserError("the file is not there; a cluster needs it under this path on every worker", where=path)
    with suppress(OSError), Path(path).open("rb") as file:
        if file.read(len(POINTER)) == POINTER:
            return pointer_error(path)
    return UserError(f"the Parquet file is cut or damaged ({first_line(problem)}); make it again", where=path)


def find_role(name: str, column: str | None, files: Sequence[str], columnar: Mapping[str, str]) -> Role:
    """Inspect the files of a role: their numbers of rows, and that all have the column with the same type.

    `columnar` maps files that were converted to their Parquet files.
    """
    infos = [_inspect(columnar.get(path, path)) for path in files]
    starts = np.cumsum([0, *(info.rows for info in infos)])
    first: tuple[str, pl.DataType] | None = None
    for path, schema in zip(files, (info.schema for info in infos), strict=True):
        if column is None:
            continue
        kind = _kind(path, schema, column)
        if first is not None and _family(kind) != _family(first[1]):
            message = f"column {quoted(column)} is {kind} here, but {first[1]} in {first[0]}; make them the same"
            raise UserError(message, where=path)
        first = first or (path, kind)
    merged = one_schema(files, [info.schema for info in infos])
    return Role(
        name=name,
        column=column,
        paths=tuple(str(Path(columnar.get(path, path)).absolute()) for path in files),
        starts=tuple(starts.tolist()),
        schema=merged,
        stubs=tuple(_stub(merged, info.metadata) for info in infos),
        shown=tuple(files),
        above=tuple(int(path in columnar and ".csv" in path.lower()) for path in files),
    )


@dataclass(frozen=True)
class _ParquetInfo:
    """The metadata of a Parquet file."""

    rows: int
    schema: pl.Schema
    metadata: tuple[tuple[str, str], ...]


def _inspect(path: str) -> _ParquetInfo:
    state = Path(path).stat()
    return _inspect_unchanged(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1024)
def _inspect_unchanged(path: str, _size: int, _changed: int) -> _ParquetInfo:
    try:
        with silent_panics():
            scan = pl.scan_parquet(path, glob=False)
            schema = scan.collect_schema()
            rows = int(scan.select(pl.len()).collect().item())
            metadata = {k: v for k, v in pl.read_parquet_metadata(path).items() if k != "ARROW:schema"}
    except DAMAGED as problem:
        raise _damaged(path, problem) from None
    return _ParquetInfo(rows, schema, tuple(metadata.items()))


def _stub(schema: pl.Schema, metadata: tuple[tuple[str, str], ...]) -> bytes:
    """Return a file without rows."""
    stub = io.BytesIO()
    pl.DataFrame(schema=schema).write_parquet(stub, metadata=dict(metadata))
    return stub.getvalue()


def _kind(path: str, schema: pl.Schema, column: str) -> pl.DataType:
    """Return the type of a column by its name, its number from 1, or a dotted path into objects."""
    if (index := column_index(column, schema.names())) is not None:
        return schema.dtypes()[index]
    top = top_level_name(column, schema.names())
    if top is None:
        raise UserError(f"no column {quoted(column)}; {did_you_mean(column, schema.names())}", where=path)
    kind: Any = schema[top]
    rest = column[len(top) + 1 :]
    while rest and isinstance(kind, pl.Struct):
        fields = {struct_field.name: struct_field.dtype for struct_field in kind.fields}
        inner = top_level_name(rest, fields)
        if inner is None:
            raise UserError(f"no column {quoted(rest)} in {quoted(top)}; {did_you_mean(rest, fields)}", where=path)
        kind, rest = fields[inner], rest[len(inner) + 1 :]
    return kind  # type: ignore[no-any-return]


def _family(kind: pl.DataType) -> str:
    return "number" if kind.is_numeric() or kind == pl.Boolean else str(kind)
