"""A user's own attributes: a function of a Python file, or of an installed package's entry point.

The names of its parameters select its inputs: `units` (item, start, end, label, text), `items` (item,
length, cluster, text, and the data's own fields), `train` (the training units: item, start, end, label, text; None
without training data). It returns one value per unit or per item: numbers are cut into buckets, text is taken as it is.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoints, entry_points
from typing import Any

import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.attribute import EVERY, Attribute, Of
from slicewise.attributes.facts import Facts, joined
from slicewise.errors import UserError, counted, quoted
from slicewise.user_code import STOPS, error_message, line_of, load, place, running, split_name

GROUP = "slicewise.attributes"
PARAMETERS = ("units", "items", "train")


def from_file(given: str) -> Attribute | None:
    """Return the attribute `FILE.py:FUNCTION`, or None where that is not what is named."""
    named = split_name(given)
    return None if named is None else from_function(load(*named), named[1])


def from_entry_points() -> list[Attribute]:
    """Return the attributes that installed packages bring."""
    attributes = []
    for entry in _installed(tuple(sys.path)):
        try:
            given = entry.load()
        except Exception as error:
            message = f"the attribute {quoted(entry.name)} of an installed package cannot be loaded: {error}"
            raise UserError(message) from error
        attributes.append(given if isinstance(given, Attribute) else from_function(given, entry.name))
    return attributes


@lru_cache(maxsize=1)
def _installed(_path: tuple[str, ...]) -> EntryPoints:
    """Return what installed packages say they bring: looked up once, as that reads a file of each of them."""
    return entry_points(group=GROUP)


def from_function(function: Callable[..., Any], name: str | None = None) -> Attribute:
    """Return a function as an attribute under its own name; its docstring's first line says what it is."""
    name = str(name or getattr(function, "__name__", "attribute"))
    path, line = place(function)
    required = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    unknown = [parameter for parameter in required if parameter not in PARAMETERS]
    if unknown or not required:
        parameters = f"the parameter {quoted(unknown[0])}" if unknown else "no parameter"
        message = f"the attribute function {quoted(name)} has {parameters}; expected some of units, items, train"
        raise UserError(message, where=path, line=line)
    summary = ((inspect.getdoc(function) or "").strip() or "an attribute of your own").splitlines()[0].rstrip(".")
    of = Of.UNIT if "units" in required else Of.ITEM

    def values(facts: Facts) -> pl.Series:
        given = {parameter: TABLES[parameter](facts) for parameter in required}
        try:
            with running():
                column = _as_series(function(**given))
        except UserError:
            raise
        except STOPS as error:
            message = f"the attribute function {quoted(name)} {error_message(error)}"
            raise UserError(message, where=path, line=line_of(error, path) or line) from error
        of_units = of is Of.UNIT and facts.task.has_units
        noun, rows = ("unit", len(facts.units)) if of_units else ("item", facts.items)
        if len(column) != rows:
            values = counted(len(column), "value")
            message = f"the attribute function {quoted(name)} returned {values}; expected one per {noun}, {rows:,}"
            raise UserError(message, where=path, line=line)
        return column

    return Attribute(name=name, summary=summary, values=values, of=of, tasks=EVERY)


def _as_series(returned: Any) -> pl.Series:
    if isinstance(returned, (str, bytes, dict, pl.DataFrame)) or returned is None:
        raise TypeError(f"it returned a {type(returned).__name__}; expected a list or column of numbers or strings")
    column = returned if isinstance(returned, pl.Series) else pl.Series(list(returned), strict=False)
    column = column.alias("")
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary, pl.Duration):
        raise TypeError("it returned lists or objects; expected plain numbers or strings")
    return column


def _units(facts: Facts) -> pl.DataFrame:
    if not facts.task.has_units:
        return _items(facts)
    frame = facts.units.frame
    places = [frame[name] for name in ("item", "start", "end")]
    return pl.DataFrame([*places, frame["label"].cast(pl.String), facts.surface_text.alias("text")])


def _items(facts: Facts) -> pl.DataFrame:
    a = facts.evaluation.aligned
    frame = facts.evaluation.items.drop("group")
    texts = facts.texts if facts.texts is not None else facts.evaluation.token_texts()
    text = [] if texts is None else [texts.alias("text")]
    taken = {"item", "cluster", "length", "text"}
    fields = [a.metadata.get_column(name) for name in a.metadata.columns if name not in taken]
    return pl.DataFrame([*frame.get_columns(), *text, *fields])


def _train(facts: Facts) -> pl.DataFrame | None:
    units = facts.train_units
    if units is None or facts.evaluation.train is None:
        return None
    columns = {"item": units.item, "start": units.start, "end": units.end}
    label = pl.Series(units.labels, dtype=pl.String).gather(units.label)
    frame = pl.DataFrame(columns | {"label": label})
    corpus, texts = facts.train_corpus, facts.evaluation.train.annotations.texts
    if facts.task not in (Task.SPANS, Task.TOKENS):
        return frame if texts is None else frame.with_columns(text=texts.gather(units.item))
    if corpus is None or not facts.has_train_strings:
        return frame
    if corpus.words is not None and texts is not None:
        taken = pl.DataFrame({"text": texts.gather(units.item), "at": units.start, "n": units.end - units.start})
        return frame.with_columns(taken.select(text=pl.col("text").str.slice(pl.col("at"), pl.col("n"))))
    text = joined(corpus.tokens, *facts.train_ranges)
    return frame if text.null_count() else frame.with_columns(text=text)


TABLES: dict[str, Callable[[Facts], pl.DataFrame | None]] = {"units": _units, "items": _items, "train": _train}
