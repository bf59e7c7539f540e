"""Records with named fields (JSONL objects, table rows) as annotations, by the names of the fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from slicewise.annotations import CONFIDENCES, Annotations, Places, Tags, as_text
from slicewise.arrays import Ints
from slicewise.data_warnings import DataWarning, When, number, warning
from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.read.columns import column_index, column_number, top_level_name
from slicewise.read.source import Source

ErrorAt = Callable[[str, int], UserError]
"""Makes the error for a message and an item."""

ANSWERS = ("label", "labels", "output", "score")
SPAN_FIELDS = ("start", "end", "label")
SPECIAL = ("tokens", "tags", "spans")
MANY = 20
"""Rows from which on a value that occurs once is noticed."""


def annotate(source: Source, frame: pl.DataFrame, lines: Sequence[Ints]) -> Annotations:
    """Tell tokens, spans, tags, text and answer from the fields' names; all other fields are metadata.

    `lines` are those of each file's items.
    """
    starts = np.cumsum([0, *map(len, lines)])[:-1]
    numbers = lines[0] if len(lines) == 1 else np.concatenate(lines)
    places = Places(tuple(file.name for file in source.files), starts, numbers)
    name, column, error = source.name, source.column, places.error
    fields = dict(zip(frame.columns, frame.get_columns(), strict=True))
    answers = None
    kept = {}
    if column is not None:  # what the user names is the answer: other fields are not
        answers = _pick(name, frame, column)
        fields.pop(column, None)
        fields |= _beside(frame, column)
        plain = SPECIAL[1:] if _is_list(answers) and _is_list(fields.get("tokens")) else SPECIAL
        kept = {field: fields.pop(field) for field in plain if field in fields}
    elif "spans" not in fields and (named := [field for field in ANSWERS if field in fields]):
        answers = fields.pop(named[0])
    if "tokens" in fields and _holds_nested(fields["tokens"]):  # a token's facts, not its text
        kept["tokens"] = fields.pop("tokens")
    tokens, offsets = _tokens(fields.pop("tokens", None), error)
    tags = _tags(fields.pop("tags", None), offsets, error)
    if tags is not None and offsets is None:
        offsets = tags[1]
    texts = fields.pop("text", None)
    if texts is not None and texts.null_count() and "spans" in fields:
        _no_nulls(texts, "text", error)
    lists = fields.pop("spans", None)
    notes = []
    if lists is not None and lists.null_count():
        notes.append(warning(f"{name}: ", number(lists.null_count(), "item"), " without 'spans', taken to have none"))
    spans = _spans(lists, error)
    return Annotations(
        name=name,
        items=frame.height,
        places=places,
        offsets=offsets,
        tokens=tokens,
        tags=None if tags is None else tags[0],
        spans=spans,
        texts=None if texts is None else _text(texts, error),
        answers=answers,
        notes=(*notes, *_like_a_header(name, column, answers)),
        metadata=pl.DataFrame([s for s in (fields | kept).values() if s.dtype != pl.Null]),
    )


def _is_list(column: pl.Series | None) -> bool:
    return column is not None and isinstance(column.dtype, pl.List)


def _like_a_header(name: str, column: str | None, answers: pl.Series | None) -> list[DataWarning]:
    """Say where the first row of a numbered column looks like a header: its value never occurs again, the others do."""
    numbered = column is not None and column_number(column) is not None
    if not numbered or answers is None or answers.dtype != pl.String or len(answers) < MANY:
        return []
    first, rest = answers[0], answers[1:]
    if (rest == first).any() or rest.n_unique() * 5 > len(rest):
        return []
    question = f"{name}: is {quoted(str(first))} in the first row a header? if so, name the column: FILE:{first}"
    return [warning(question, when=When.FIRST)]


def _pick(name: str, frame: pl.DataFrame, column: str) -> pl.Series:
    """Return a column by its name, its number from 1, or a dotted path into JSON objects."""
    if (index := column_index(column, frame.columns)) is not None:
        return _plain(name, frame.to_series(index))
    series: pl.Series | None = None
    known = frame.columns
    rest = column
    while rest:
        head = top_level_name(rest, known)
        if head is None:
            hint = did_you_mean(rest, known)
            within = "" if series is None else f" in {quoted(column[: -len(rest) - 1])}"
            raise UserError(f"no column {quoted(rest)}{within}; {hint}", where=name)
        series = frame.get_column(head) if series is None else series.struct.field(head)
        rest = rest[len(head) + 1 :]
        known = series.struct.fields if isinstance(series.dtype, pl.Struct) else []
    return _plain(name, frame.to_series() if series is None else series.alias(column))


def _beside(frame: pl.DataFrame, column: str) -> dict[str, pl.Series]:
    """Return how sure the system is, where the object that holds a dotted column says so too."""
    parent, dot, _ = column.rpartition(".")
    holder = frame.get_column(parent) if dot and parent in frame.columns else None
    if holder is None or not isinstance(holder.dtype, pl.Struct):
        return {}
    return {f.name: holder.struct.field(f.name) for f in holder.dtype.fields if f.name in CONFIDENCES}


def _plain(name: str, series: pl.Series) -> pl.Series:
    if isinstance(series.dtype, pl.Struct):
        known = ", ".join(series.struct.fields)
        raise UserError(f"column {quoted(series.name)} holds objects; name a field of it: {known}", where=name)
    return series.alias(series.name.lstrip("^"))  # Polars takes names like ^x$ for patterns


def _tokens(column: pl.Series | None, error: ErrorAt) -> tuple[pl.Series | None, Ints | None]:
    if column is None:
        return None, None
    offsets = _list_offsets(column, "tokens", error)
    return _flat(column, "tokens", error), offsets


def _list_offsets(column: pl.Series, field: str, error: ErrorAt) -> Ints:
    """Return where the list of each item begins among all values; an error where an item has none."""
    if not isinstance(column.dtype, pl.List):
        raise error(f"'{field}' is not a list: {quoted(str(column[0]))}; expected a list of strings", 0)
    _no_nulls(column, field, error)
    return np.concatenate([[0], np.cumsum(column.list.len().to_numpy().astype(np.int64))])


def _flat(column: pl.Series, field: str, error: ErrorAt) -> pl.Series:
    def refuse(what: str, row: int) -> UserError:
        return error(f"{quoted(field)} holds {what}; expected lists of strings", row)

    return as_text(column, refuse).filter(column.list.len() > 0).explode().fill_null("")


def _holds_nested(column: pl.Series) -> bool:
    return isinstance(column.dtype, pl.List) and column.dtype.inner.is_nested()


def _text(column: pl.Series, error: ErrorAt) -> pl.Series:
    def refuse(what: str, row: int) -> UserError:
        return error(f"'text' holds {what}; expected a string", row)

    if isinstance(column.dtype, pl.List):
        raise refuse("lists", 0)
    return as_text(column, refuse)


def _tags(column: pl.Series | None, offsets: Ints | None, error: ErrorAt) -> tuple[Tags, Ints] | None:
    if column is None:
        return None
    tag_offsets = _list_offsets(column, "tags", error)
    if offsets is not None and not np.array_equal(tag_offsets, offsets):
        row = int(np.argmax(np.diff(tag_offsets) != np.diff(offsets)))
        tags, tokens = np.diff(tag_offsets)[row], np.diff(offsets)[row]
        raise error(f"{counted(int(tags), 'tag')} for {counted(int(tokens), 'token')}; expected one tag per token", row)
    return Tags.encode(_flat(column, "tags", error)), tag_offsets


def _no_nulls(column: pl.Series, field: str, error: ErrorAt) -> None:
    if column.null_count():
        raise error(f"no {quoted(field)}, which other items have; add it (an empty list where there is none)",
                    int(column.is_null().arg_max() or 0))  # fmt: skip


def _spans(column: pl.Series | None, error: ErrorAt) -> pl.DataFrame | None:
    schema = pl.Schema({"item": pl.Int64, "start": pl.Int64, "end": pl.Int64, "label": pl.String})
    if column is None:
        return None
    if not isinstance(column.dtype, pl.List):
        raise error('\'spans\' is not a list; expected a list of {"start", "end", "label"}', 0)
    items = pl.Series("item", np.arange(len(column)))
    long = pl.DataFrame([items, column.alias("span")]).filter(pl.col("span").list.len() > 0).explode("span")
    if long.height == 0:
        return pl.DataFrame(schema=schema)
    fields = long.schema["span"].fields if isinstance(long.schema["span"], pl.Struct) else []
    missing = [f for f in SPAN_FIELDS if f not in {field.name for field in fields}]
    if missing:
        raise error(f'a span without {quoted(missing[0])}; expected {{"start", "end", "label"}}', int(long["item"][0]))
    long = long.with_columns(long["span"].struct.unnest().select(SPAN_FIELDS)).drop("span")
    for field in ("start", "end"):
        if not long.schema[field].is_integer():
            raise error(f"a span's {field} is not a whole number; expected an offset from 0", int(long["item"][0]))
    for field in SPAN_FIELDS:
        if long[field].null_count():
            row = int(long.filter(pl.col(field).is_null())["item"][0])
            raise error(f'a span without {quoted(field)}; expected {{"start", "end", "label"}}', row)
    labels = as_text(
        long["label"], lambda what, row: error(f"a span's label is no string but of {what}", int(long["item"][row]))
    )
    if isinstance(labels.dtype, pl.List):
        raise error("a span's label is a list; expected a string", int(long["item"][0]))
    long = long.with_columns(label=labels)
    cast = long.cast(schema, strict=False)
    for field in ("start", "end"):
        if cast[field].null_count():
            row = cast.filter(pl.col(field).is_null())["item"][0]
            raise error(f"a span's {field} is out of range; mend the span", int(row))
    return cast
