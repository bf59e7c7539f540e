"""JSONL: one JSON object per line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from slicewise.errors import quoted
from slicewise.read.records import annotate
from slicewise.read.stacked import stacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.annotations import Annotations
    from slicewise.read.source import File, Source


def read(source: Source) -> Annotations:
    """Read one file or several; blank lines are passed over."""
    if "frame" not in source.parsed:
        names = [file.name for file in source.files]
        source.parsed["frame"] = stacked(names, [parsed(file) for file in source.files])
    frame: pl.DataFrame = source.parsed["frame"]
    lines = [_object_lines(file) for file in source.files]
    return annotate(source, frame, lines)


def parsed(file: File) -> pl.DataFrame:
    """Return a file's objects as rows."""
    try:
        frame = pl.read_ndjson(file.data, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError):
        return _careful(file)
    return _careful(file) if needs_care(frame.lazy()) else frame


def needs_care(frame: pl.LazyFrame) -> bool:
    """Tell whether a string looks like a list: Polars writes a list among strings as its JSON text."""
    brackets = frame.select(pl.col(pl.String).str.starts_with("[").any())
    return any(brackets.collect(engine="streaming").row(0)) if brackets.collect_schema() else False


def _careful(file: File) -> pl.DataFrame:
    """Parse line by line, to name a wrong line or to take what the fast parser does not (NaN, mixed types)."""
    if error := file.utf8_error():
        raise error
    objects: list[dict[str, Any]] = []
    last = file.data.count(b"\n") + (not file.data.endswith(b"\n"))
    for number, line in enumerate(file.data.decode().split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            why = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            cut = (
                "the file seems to be cut here" if number == last and not file.data.endswith(b"\n") else "mend the line"
            )
            raise file.error(
                f"not valid JSON ({why}): {quoted(line, 40)}; expected one object per line; {cut}", number
            ) from None
        if not isinstance(value, dict):
            raise file.error(
                f"a JSON {_kind(value)}, not an object: {quoted(line, 40)}; expected {{...}} on each line", number
            )
        objects.append(value)
    for key in {key for value in objects for key, item in value.items() if isinstance(item, list)}:
        for value in objects:
            if key in value and not isinstance(value[key], (list, type(None))):
                value[key] = [value[key]]
    return pl.DataFrame(objects, infer_schema_length=None, strict=False)


def _kind(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return "array" if isinstance(value, list) else "string" if isinstance(value, str) else "number"


def _object_lines(file: File) -> NDArray[np.int64]:
    """Return the numbers of the lines that are not blank."""
    if not re.search(rb"\n[ \t\r]*\n|\A[ \t\r]*\n", file.data):
        return np.arange(1, file.data.count(b"\n") + (not file.data.endswith(b"\n")) + 1)
    return np.array([i for i, line in enumerate(file.data.split(b"\n"), 1) if line.strip()], dtype=np.int64)
