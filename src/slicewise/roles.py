"""The Parquet files that a user names for gold, a system or an input: what is in them, and ranges of their rows."""

from __future__ import annotations

import io
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from slicewise.errors import UserError, did_you_mean, first_line, quoted
from slicewise.read.columns import by_number, column_index
from slicewise.read.parquet import DAMAGED, origin, silent_panics
from slicewise.read.source import POINTER, File, Source, pointer_error
from slicewise.read.stacked import one_schema, with_schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slicewise.read.parquet import Origin

    Heads = tuple[str, ...] | None
    """Columns that are read; None: all."""


@dataclass(frozen=True)
class Role:
    """What a user named: Parquet files, one after the other, and a column of them."""

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
    def is_uncut(self) -> bool:
        """Whether the first row means something to all others: lines that begin with a header."""
        named = self.column is not None and not by_number(self.column)
        return any(one is not None and one.format == "lines" and (one.header or named) for one in self._origins)

    @property
    def made_from(self) -> str | None:
        """The format that the first of them was converted from."""
        return next((one.format for one in self._origins if one is not None), None)

    @property
    def _origins(self) -> list[Origin | None]:
        return [origin(File(self.name, stub, "")) for stub in self.stubs]

    def between(self, start: int, stop: int, rows: Rows, heads: Heads) -> Source:
        """Read some rows."""
        wanted = self.schema if heads is None else pl.Schema({head: self.schema[head] for head in heads})
        files = []
        for i, path in enumerate(self.paths):
            first, last = max(start, self.starts[i]), min(stop, self.starts[i + 1])
            if first < last or (start == stop == self.starts[i]):
                before = first - self.starts[i]
                own = with_schema(rows.of(path, before, last - first, heads), wanted)
                files.append(File(self.shown[i], self.stubs[i], "", rows=own, first_row=before + self.above[i]))
        return Source(self.name, tuple(files[:1] if start == stop else files), self.column)


@dataclass(frozen=True)
class Rows:
    """Rows of files, read once for all roles that are columns of them."""

    wanted: Mapping[str, Heads]
    """The columns of each file that any role wants."""
    shared: frozenset[str]
    """Files that several roles are columns of; rows of the others are not kept."""
    _read: dict[tuple[str, int, int], pl.DataFrame] = field(default_factory=dict)

    @classmethod
    def for_all(cls, roles: Sequence[tuple[Role, Heads]]) -> Rows:
        """Return those of some roles."""
        wanted: dict[str, Heads] = {}
        for role, heads in roles:
            for path in role.paths:
                known = wanted.get(path, ())
                wanted[path] = None if known is None or heads is None else tuple(dict.fromkeys(known + heads))
        paths = Counter(path for role, _ in roles for path in role.paths)
        return cls(wanted, frozenset(path for path, n in paths.items() if n > 1))

    def of(self, path: str, start: int, size: int, heads: Heads) -> pl.DataFrame:
        """Return some rows of a file with some of its columns."""
        if path not in self.shared:
            return _rows(path, start, size, heads)
        place = path, start, size
        if place not in self._read:
            self._read[place] = _rows(path, start, size, self.wanted[path])
        frame = self._read[place]
        if heads is None:
            return frame
        return pl.DataFrame([frame.get_column(head) for head in heads if head in frame.columns])


def _rows(path: str, start: int, size: int, heads: Heads) -> pl.DataFrame:
    scan = pl.scan_parquet(path, glob=False)
    try:
        with silent_panics():
            if heads is not None:
                names = scan.collect_schema().names()
                scan = scan.select(pl.nth([names.index(head) for head in heads if head in names]))
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
    """Look at the files behind a role: how many rows each has, and that the column is in all of them, alike.

    `columnar` are those that were converted.
    """
    looked = [_looked_at(columnar.get(path, path)) for path in files]
    starts = np.cumsum([0, *(one.rows for one in looked)])
    known: tuple[str, pl.DataType] | None = None
    for path, schema in zip(files, (one.schema for one in looked), strict=True):
        if column is None:
            continue
        kind = _kind(path, schema, column)
        if known is not None and _family(kind) != _family(known[1]):
            message = f"column {quoted(column)} is {kind} here, but {known[1]} in {known[0]}; make them the same"
            raise UserError(message, where=path)
        known = known or (path, kind)
    every = one_schema(files, [one.schema for one in looked])
    return Role(
        name=name,
        column=column,
        paths=tuple(str(Path(columnar.get(path, path)).absolute()) for path in files),
        starts=tuple(starts.tolist()),
        schema=every,
        stubs=tuple(_stub(every, one.metadata) for one in looked),
        shown=tuple(files),
        above=tuple(int(path in columnar and ".csv" in path.lower()) for path in files),
    )


@dataclass(frozen=True)
class _Looked:
    """What a Parquet file says of itself."""

    rows: int
    schema: pl.Schema
    metadata: tuple[tuple[str, str], ...]


def _looked_at(path: str) -> _Looked:
    state = Path(path).stat()
    return _looked_into(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1024)
def _looked_into(path: str, _size: int, _changed: int) -> _Looked:
    try:
        with silent_panics():
            scan = pl.scan_parquet(path, glob=False)
            schema = scan.collect_schema()
            rows = int(scan.select(pl.len()).collect().item())
            metadata = {k: v for k, v in pl.read_parquet_metadata(path).items() if k != "ARROW:schema"}
    except DAMAGED as problem:
        raise _damaged(path, problem) from None
    return _Looked(rows, schema, tuple(metadata.items()))


def _stub(schema: pl.Schema, metadata: tuple[tuple[str, str], ...]) -> bytes:
    """Return a file without rows."""
    stub = io.BytesIO()
    pl.DataFrame(schema=schema).write_parquet(stub, metadata=dict(metadata))
    return stub.getvalue()


def _kind(path: str, schema: pl.Schema, column: str) -> pl.DataType:
    """Return the type of a column by its name, its number from 1, or a dotted path into objects."""
    if (index := column_index(column, schema.names())) is not None:
        return schema.dtypes()[index]
    head = head_of(schema.names(), column)
    if head is None:
        raise UserError(f"no column {quoted(column)}; {did_you_mean(column, schema.names())}", where=path)
    kind: Any = schema[head]
    rest = column[len(head) + 1 :]
    while rest and isinstance(kind, pl.Struct):
        fields = {one.name: one.dtype for one in kind.fields}
        inner = head_of(list(fields), rest)
        if inner is None:
            raise UserError(f"no column {quoted(rest)} in {quoted(head)}; {did_you_mean(rest, fields)}", where=path)
        kind, rest = fields[inner], rest[len(inner) + 1 :]
    return kind  # type: ignore[no-any-return]


def head_of(names: Sequence[str], column: str) -> str | None:
    """Return the longest name that a dotted path begins with."""
    return max((name for name in names if column == name or column.startswith(f"{name}.")), key=len, default=None)


def _family(kind: pl.DataType) -> str:
    return "number" if kind.is_numeric() or kind == pl.Boolean else str(kind)
