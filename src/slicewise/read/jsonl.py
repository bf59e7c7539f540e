"""JSONL: one JSON object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from slicewise.annotations import Annotations
from slicewise.arrays import Ints
from slicewise.errors import quoted
from slicewise.read.json_scan import MOST_LEVELS, PIECE, Nested, scan
from slicewise.read.parquet import Origin
from slicewise.read.reader import SAMPLE, Reader, Sign, Stream, WriteRows, ends_with
from slicewise.read.records import annotate
from slicewise.read.source import File, Source, pieces_of
from slicewise.read.stacked import stacked

EXTENSIONS = (".jsonl", ".ndjson", ".json")
PIECE_ROWS = 100_000
"""Rows with objects or lists in them that are looked at together."""
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
LARGEST = 2**127


def read(source: Source) -> Annotations:
    """Read one file or several; blank lines are passed over."""
    if "frame" not in source.parsed:
        names = [file.name for file in source.files]
        frames = [parsed(file) for file in source.files]
        source.parsed["lines"] = [_object_lines(*both) for both in zip(source.files, frames, strict=True)]
        source.parsed["frame"] = stacked(names, frames)
    return annotate(source, source.parsed["frame"], source.parsed["lines"])


def parsed(file: File) -> pl.DataFrame:
    """Return a file's objects as rows."""
    nested = scan((piece for _, piece in pieces_of(file.data, PIECE)), partial(check_line, file))
    try:
        frame = pl.read_ndjson(file.data, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError):
        return _careful(file)
    return frame if nested_in(frame) == nested else _careful(file)


def nested_in(frame: pl.DataFrame) -> Nested:
    """Count the objects and lists that rows were made of.

    There are fewer than in the file where Polars has written some as JSON text, since there are strings beside them.
    """
    total = Nested(objects=frame.height)
    for column in frame.get_columns():
        total += _nested_in(column)
    return total


def _nested_in(column: pl.Series) -> Nested:
    kind, filled = column.dtype, len(column) - column.null_count()
    if isinstance(kind, pl.List):
        within = _nested_in(column.explode()) if kind.inner.is_nested() else Nested()
        return within + Nested(lists=filled)
    total = Nested()
    if isinstance(kind, pl.Struct):
        total = Nested(objects=filled)
        for part in column.struct.unnest().get_columns() if kind.fields else ():
            total += _nested_in(part)
    return total


class _Twice(ValueError):  # noqa: N818 (a signal, not an error)
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, if it has every key once."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for i, name in enumerate(names) if name in names[:i]))
    return fields


def check_line(file: File, line: bytes, number: int) -> None:
    """Look at a line with care."""
    _object(file, line.decode(errors="replace"), number)


def _object(file: File, line: str, number: int) -> dict[str, Any]:
    """Return the object of a line, or say what is wrong with it."""
    try:
        value = json.loads(line, object_pairs_hook=_once)
        _check_levels(value, line)
        if SURROGATE.search(line):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        cut = number == file.data.count(b"\n") + 1
        advice = "the file seems to be cut here" if cut else "mend the line"
        raise file.error(
            f"not valid JSON ({error.msg}): {quoted(line, 40)}; expected one object per line; {advice}", number
        ) from None
    except _Twice as error:
        raise file.error(
            f"the key {quoted(str(error))} is twice in one object; expected it once; mend the line", number
        ) from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise file.error(
            f"{half} is half of a surrogate pair; expected both halves, or neither; mend the line", number
        ) from None
    except RecursionError:
        raise file.error(
            f"values within values, more than {MOST_LEVELS} levels deep; expected fewer; mend the line", number
        ) from None
    except ValueError:
        raise file.error("a number with thousands of digits; expected at most 38; mend the line", number) from None
    if not isinstance(value, dict):
        raise file.error(
            f"a JSON {_kind(value)}, not an object: {quoted(line, 40)}; expected {{...}} on each line", number
        )
    return value


def _check_levels(value: object, line: str) -> None:
    """Refuse values that stand too deep within others: to make columns of them takes ages."""
    level, values = 0, [value] if line.count("{") + line.count("[") > MOST_LEVELS else []
    while holders := [value for value in values if isinstance(value, (dict, list))]:
        level += 1
        if level > MOST_LEVELS:
            raise RecursionError
        values = [inner for value in holders for inner in (value.values() if isinstance(value, dict) else value)]


def _careful(file: File) -> pl.DataFrame:
    """Parse line by line, to name a wrong line or to take what the fast parser does not (NaN, mixed types)."""
    if error := file.utf8_error():
        raise error
    lines = enumerate(file.data.decode().split("\n"), 1)
    objects = {number: _object(file, line, number) for number, line in lines if line.strip()}
    root = _Place("")
    for number, value in objects.items():
        root.see(value, number)
    if trouble := min(root.troubles(), default=None):
        raise file.error(f"{trouble[1]}; mend the line", trouble[0])
    rows = [root.fitted(value) for value in objects.values()]
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


@dataclass
class _Place:
    """What stands in one place of all objects: in a field, or in the lists of a field."""

    name: str
    lists: int = 0
    """How many lists stand within each other there, at most."""
    object_line: int = 0
    """The first line with an object there; 0: none has."""
    plain_line: int = 0
    large_line: int = 0
    has_words: bool = False
    fields: dict[str, _Place] = field(default_factory=dict)

    def see(self, value: object, line: int, level: int = 0) -> None:
        """Take note of a value, which stands in so many lists."""
        if isinstance(value, list):
            self.lists = max(self.lists, level + 1)
            for inner in value:
                self.see(inner, line, level + 1)
        elif isinstance(value, dict):
            self.object_line = self.object_line or line
            for key, inner in value.items():
                if key not in self.fields:
                    self.fields[key] = _Place(f"{self.name}.{key}" if self.name else key)
                self.fields[key].see(inner, line)
        elif value is not None:
            self.plain_line = self.plain_line or line
            self.has_words |= isinstance(value, str)
            if isinstance(value, int) and not -LARGEST <= value < LARGEST:
                self.large_line = self.large_line or line

    def troubles(self) -> Iterator[tuple[int, str]]:
        """Return what no column can hold, with its line."""
        if self.object_line and self.plain_line:
            line, other = max(self.object_line, self.plain_line), min(self.object_line, self.plain_line)
            plain = "a string, number or truth value"
            kind, other_kind = ("an object", plain) if line == self.object_line else (plain, "an object")
            where = "beside it" if line == other else f"in line {other:,}"
            yield line, f"the field {quoted(self.name)} is {kind}, and {other_kind} {where}; expected one kind"
        if self.large_line:
            yield (
                self.large_line,
                f"a whole number too large in the field {quoted(self.name)}; expected at most 38 digits",
            )
        for inner in self.fields.values():
            yield from inner.troubles()

    def fitted(self, value: Any, level: int = 0) -> Any:
        """Return a value as it goes into a column: in as many lists as any other there."""
        if isinstance(value, list):
            return [self.fitted(inner, level + 1) for inner in value]
        if value is None:
            return None
        if isinstance(value, dict):
            value = {key: self.fields[key].fitted(inner) for key, inner in value.items()}
        elif self.has_words and isinstance(value, int) and abs(value) >= 2**63:
            value = str(value)
        for _ in range(self.lists - level):
            value = [value]
        return value


def _kind(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return "array" if isinstance(value, list) else "string" if isinstance(value, str) else "number"


def _object_lines(file: File, frame: pl.DataFrame) -> Ints:
    """Return the numbers of the lines that are not blank."""
    lines = file.data.count(b"\n") + (not file.data.endswith(b"\n"))
    if lines == frame.height:
        return np.arange(1, lines + 1)
    return np.array([i for i, line in enumerate(file.data.split(b"\n"), 1) if line.strip()], dtype=np.int64)


def _columnar(source: Source) -> tuple[pl.DataFrame, Origin]:
    return parsed(source.only), Origin("jsonl")


def _stream(plain: Path, head: File, write: WriteRows) -> bool:
    """Write objects piece by piece; there have to be as many objects and lists among the rows as in the file."""
    with plain.open("rb") as text:
        nested = scan(iter(lambda: b"".join(text.readlines(PIECE)), b""), partial(check_line, head))
    return _nested_in_pieces(write(pl.scan_ndjson(plain, infer_schema_length=None))) == nested


def _nested_in_pieces(rows: pl.LazyFrame) -> Nested:
    items = int(rows.select(pl.len()).collect().item())
    columns = [i for i, kind in enumerate(rows.collect_schema().dtypes()) if kind.is_nested()]
    if not columns:
        return Nested(objects=items)
    nested = rows.select(pl.nth(columns))
    pieces = (nested.slice(start, PIECE_ROWS).collect() for start in range(0, items, PIECE_ROWS))
    return sum(map(nested_in, pieces), Nested())


def _begins_with_an_object(source: Source) -> bool:
    return re.match(rb'\s*\{\s*["}]', source.files[0].data[:SAMPLE]) is not None


READER = Reader(
    name="jsonl",
    extensions=EXTENSIONS,
    signs={Sign.EXTENSION: ends_with(*EXTENSIONS), Sign.CONTENT: _begins_with_an_object},
    read=read,
    tabular=True,
    columnar=_columnar,
    stream=Stream((".jsonl", ".ndjson"), _stream),
)
