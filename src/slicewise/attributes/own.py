"""A user's own attributes: a function of a Python file, or of an installed package's entry point.

The function says by the names of its parameters what it wants: `units` (item, start, end, label, text), `items` (item,
length, cluster, text, and the data's own fields), `train` (the training units: item, start, end, label, text; None
without training data). It returns one value per unit or per item: numbers are cut into buckets, text is taken as it is.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from contextlib import redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from slicewise.attributes.attribute import EVERY, Attribute, Of
from slicewise.attributes.facts import expanded
from slicewise.errors import UserError, counted, did_you_mean, is_file, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from slicewise.attributes.facts import Facts

GROUP = "slicewise.attributes"
PARAMETERS = ("units", "items", "train")
STOPS = (Exception, SystemExit, pl.exceptions.PanicException)
"""What a user's code may raise that is the user's to mend; Ctrl-C is not among them."""


def from_file(given: str) -> Attribute | None:
    """Return the attribute `FILE.py:FUNCTION`, or None where that is not what is named."""
    path, colon, name = given.rpartition(":")
    if not (colon and path.endswith(".py")):
        return None
    if not is_file(path):
        raise UserError("there is no such file; check the path", where=path)
    spec = importlib.util.spec_from_file_location(f"slicewise_user_{Path(path).stem}", path)
    if spec is None or spec.loader is None:
        raise UserError("cannot be read as a Python file", where=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        with redirect_stdout(sys.stderr):  # standard output is for results
            spec.loader.exec_module(module)
    except SyntaxError as error:
        raise UserError(f"is not valid Python: {error.msg}; mend the line", where=path, line=error.lineno) from None
    except STOPS as error:
        raise _raised("running the file", error, path) from error
    function = getattr(module, name, None)
    if not callable(function):
        known = [n for n, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == spec.name]
        raise UserError(f"no function {quoted(name)} in it; {did_you_mean(name, known)}", where=path)
    return from_function(function, name)


def from_entry_points(name: str | None = None) -> list[Attribute]:
    """Return the attributes that installed packages bring, or the one of this name."""
    found = []
    for entry in entry_points(group=GROUP):
        if name is not None and entry.name != name:
            continue
        try:
            given = entry.load()
        except Exception as error:
            raise UserError(
                f"the attribute {quoted(entry.name)} of an installed package cannot be loaded: {error}"
            ) from error
        found.append(given if isinstance(given, Attribute) else from_function(given, entry.name))
    return found


def from_function(function: Callable[..., Any], name: str | None = None) -> Attribute:
    """Return a function as an attribute under its own name; its docstring's first line says what it is."""
    name = str(name or getattr(function, "__name__", "attribute"))
    path, line = _place(function)
    wanted = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    unknown = [parameter for parameter in wanted if parameter not in PARAMETERS]
    if unknown or not wanted:
        found = f"the parameter {quoted(unknown[0])}" if unknown else "no parameter"
        message = f"the attribute function {quoted(name)} has {found}; expected some of units, items, train"
        raise UserError(message, where=path, line=line)
    summary = ((inspect.getdoc(function) or "").strip() or "an attribute of your own").splitlines()[0].rstrip(".")
    of = Of.UNIT if "units" in wanted else Of.ITEM

    def values(facts: Facts) -> pl.Series:
        given = {parameter: TABLES[parameter](facts) for parameter in wanted}
        try:
            with redirect_stdout(sys.stderr):
                column = _as_series(function(**given))
        except UserError:
            raise
        except STOPS as error:
            raise _raised(f"the attribute function {quoted(name)}", error, path, line) from error
        rows = len(facts.units) if of is Of.UNIT and facts.task.has_units else facts.items
        if len(column) != rows:
            noun = "unit" if of is Of.UNIT and facts.task.has_units else "item"
            message = (
                f"the attribute function {quoted(name)} returned {counted(len(column), 'value')}; expected one per "
                f"{noun}, {rows:,}"
            )
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
    text = [] if facts.texts is None else [facts.texts.alias("text")]
    if facts.texts is None and a.tokens is not None:
        item = np.repeat(np.arange(a.items), a.lengths)
        joined = pl.DataFrame({"item": item, "token": a.tokens}).group_by("item").agg(pl.col("token").str.join(" "))
        text = [frame["item"].replace_strict(joined["item"], joined["token"], default="").alias("text")]
    taken = {"item", "cluster", "length", "text"}
    own = [a.metadata.get_column(name) for name in a.metadata.columns if name not in taken]
    return pl.DataFrame([*frame.get_columns(), *text, *own])


def _train(facts: Facts) -> pl.DataFrame | None:
    units = facts.train_units
    if units is None or facts.evaluation.train is None:
        return None
    columns = {"item": units.item, "start": units.start, "end": units.end}
    label = pl.Series(units.labels, dtype=pl.String).gather(units.label)
    frame = pl.DataFrame(columns | {"label": label})
    corpus, texts = facts.train_corpus, facts.evaluation.train.annotations.texts
    if texts is not None:
        taken = pl.DataFrame({"text": texts.gather(units.item), "at": units.start, "n": units.end - units.start})
        whole = bool((units.end == 0).all())
        return frame.with_columns(
            text=taken["text"] if whole else taken.select(pl.col("text").str.slice(pl.col("at"), pl.col("n")))["text"]
        )
    if corpus is None:
        return frame
    row, at = expanded(*facts.train_ranges)
    words = pl.DataFrame({"row": row, "token": corpus.tokens.gather(at)})
    text = words.group_by("row", maintain_order=True).agg(pl.col("token").str.join(" "))
    return frame.with_columns(text=text["token"]) if text.height == frame.height else frame


TABLES: dict[str, Callable[[Facts], pl.DataFrame | None]] = {"units": _units, "items": _items, "train": _train}


def _place(function: Callable[..., Any]) -> tuple[str | None, int | None]:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return (None, None) if code is None else (_shown(code.co_filename), code.co_firstlineno)


def _shown(path: str) -> str:
    """Return a path as the user would write it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


def _raised(what: str, error: BaseException, path: str | None, line: int | None = None) -> UserError:
    """Return what a user's code raised, with the line of the file where it happened."""
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if path and Path(frame.filename).name == Path(path).name
    ]
    line = own[-1].lineno if own else line
    message = f"{what} raised {type(error).__name__}: {error or 'no message'}; mend the function"
    return UserError(message, where=path, line=line)
