"""Some units of an evaluation in their context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Ints
from slicewise.engine.protocols import FIELDS, TEXTS
from slicewise.evaluation import Evaluation
from slicewise.lenses.examples import item_texts
from slicewise.lenses.outcomes.outcomes import Outcomes
from slicewise.results.mentions import Mention

if TYPE_CHECKING:
    from polars._typing import PolarsDataType

TOKENS, CHARACTERS = 6, 40
"""What is shown on either side of a unit."""
LONGEST = 200
"""Characters of a whole item that are shown."""
COLUMNS: dict[str, PolarsDataType] = {
    "item": pl.Int64,
    "start": pl.Int64,
    "end": pl.Int64,
    "label": pl.String,
    "text": pl.String,
    "left": pl.String,
    "right": pl.String,
    "gold": pl.Boolean,
    "systems": pl.List(pl.String),
}
"""A mention as a row of a table."""


def mentions(evaluation: Evaluation, outcomes: Outcomes, rows: Sequence[int] | Ints) -> list[Mention]:
    """Return some units (or scored items) as mentions."""
    at = np.asarray(rows, np.int64)
    if not len(at):
        return []
    has = np.array([column[at] for column in outcomes.has])
    items, place = np.unique(outcomes.item[at], return_inverse=True)
    texts = _texts(evaluation, items)
    listed = []
    for i, row in enumerate(at.tolist()):
        who = tuple(name for name, flag in zip(outcomes.systems, has[:, i], strict=True) if flag)
        context = _context(evaluation, row, texts[int(place[i])])
        item, gold = int(outcomes.item[row]) + evaluation.first, bool(outcomes.gold[row])
        listed.append(Mention(item=item, gold=gold, systems=who, **context))
    return listed


def needed(evaluation: Evaluation) -> frozenset[str]:
    """Return what parts are read with so that their units can be shown."""
    a = evaluation.aligned
    if evaluation.task in (Task.SPANS, Task.TOKENS) and a.tokens is not None:
        return frozenset()
    named = not evaluation.task.has_units and not a.fields.width and item_names(evaluation) is not None
    return frozenset({FIELDS if named else TEXTS})


def spread_out(size: int, top: int) -> Ints:
    """Return `top` evenly spaced positions of `size`; all where `top` is 0."""
    if not top or size <= top:
        return np.arange(size)
    return np.linspace(0, size - 1, top).round().astype(np.int64)


def mention_table(listed: Sequence[Mention]) -> pl.DataFrame:
    """Return mentions as rows."""
    return pl.DataFrame({name: [getattr(mention, name) for mention in listed] for name in COLUMNS}, COLUMNS)


def from_table(table: pl.DataFrame) -> list[Mention]:
    """Return rows as mentions."""
    rows = table.select(*COLUMNS).iter_rows(named=True)
    return [Mention(**row | {"systems": tuple(row["systems"])}) for row in rows]


class _Context(TypedDict):
    """A unit's position, label and text, with its context."""

    start: int | None
    end: int | None
    label: str | None
    text: str
    left: str
    right: str


def _context(evaluation: Evaluation, row: int, text: list[str] | str) -> _Context:
    if not evaluation.task.has_units:
        return {"start": None, "end": None, "label": None, "text": _cut(text), "left": "", "right": ""}
    units = evaluation.units
    label = str(units["label"][row])
    if evaluation.task not in (Task.SPANS, Task.TOKENS):
        return {"start": None, "end": None, "label": label, "text": _cut(text), "left": "", "right": ""}
    start, end = int(units["start"][row]), int(units["end"][row])
    size = TOKENS if isinstance(text, list) else CHARACTERS
    join = " ".join if isinstance(text, list) else "".join
    parts = (text[max(0, start - size) : start], text[start:end], text[end : end + size])
    left, middle, right = (join(part) for part in parts)
    gap = " " if isinstance(text, list) else ""
    left, right = (left and left + gap).lstrip(), (right and gap + right).rstrip()
    return {"start": start, "end": end, "label": label, "text": middle, "left": left, "right": right}


def _cut(text: list[str] | str) -> str:
    whole = " ".join(text) if isinstance(text, list) else text
    return whole if len(whole) <= LONGEST else whole[: LONGEST - 1] + "…"


def _texts(evaluation: Evaluation, items: Ints) -> list[list[str] | str]:
    """Return the tokens of some items, or their text."""
    a = evaluation.aligned
    if evaluation.task in (Task.SPANS, Task.TOKENS) and a.tokens is not None and a.offsets is not None:
        return [a.tokens[int(a.offsets[i]) : int(a.offsets[i + 1])].to_list() for i in items]
    if evaluation.task is Task.SPANS and "in" in a.fields.columns:
        return list(a.fields["in"].gather(items).fill_null("").to_list())
    if not evaluation.task.has_units and not a.fields.width and (names := item_names(evaluation)) is not None:
        return list(names.gather(items).to_list())
    return list(item_texts(evaluation, items))


def item_names(evaluation: Evaluation) -> pl.Series | None:
    """Return the names of items that have nothing else to be known by; a field of lists or bytes names none."""
    metadata = evaluation.aligned.metadata
    if "id" not in metadata.columns:
        return None
    names = metadata["id"].alias("")
    if names.dtype.is_nested() or names.dtype in (pl.Binary, pl.Duration):
        return None
    return names.cast(pl.String).fill_null("")
