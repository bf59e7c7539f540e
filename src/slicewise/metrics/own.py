"""A user's own metric, `FILE.py:NAME`: a function of one item, or an object with `statistics` and a `finish`.

A function of an item's gold, output and (where it asks for it) input returns one number; the metric is their mean. An
object's `statistics` return several numbers, which are summed, and `finish` makes a value of the sums. What is in the
attributes `greater_is_better`, `item_score` and `best`, of either, is respected.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from slicewise.annotations import Task
from slicewise.errors import UserError, counted, quoted
from slicewise.metrics.mean import mean
from slicewise.metrics.metric import ItemError, Metric
from slicewise.metrics.reading import LARGEST
from slicewise.own_code import STOPS, digest, line_of, load, place, running, said, split_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl

    from slicewise.metrics.metric import Array

TASKS = frozenset({Task.TEXT, Task.LABELS, Task.SCORES})
PARAMETERS = ("gold", "output", "input")


def from_file(given: str) -> Metric | None:
    """Return the metric `FILE.py:NAME`, or None where that is not what is named."""
    named = split_name(given)
    if named is None:
        return None
    path, name = named
    found = load(path, name, fits=lambda value: callable(value) or hasattr(value, "statistics"))
    hashed = digest(path)
    return _metric(_Own(path, name, _made(found, path, name)), found, f"file:{hashed}")


def from_object(thing: Any, task: Task) -> Metric:
    """Return the metric of a function, a class or an object, under its own name."""
    name = str(getattr(thing, "__name__", type(thing).__name__))
    if not (callable(thing) or hasattr(thing, "statistics")):
        raise UserError(f"a metric is {name!r}; expected a name, a function, or an object with statistics and finish")
    if task not in TASKS:
        listed = " and ".join(sorted(t.value for t in TASKS))
        raise UserError(f"metrics of your own are for {listed}, but the task is {task.value}")
    path = place(thing)[0] or "your function"
    return _metric(_Own(path, name, _made(thing, path, name)), thing, "own")


def _metric(own: _Own, found: Any, signature: str) -> Metric:
    return Metric(
        name=own.name,
        summary=((inspect.getdoc(found) or "").strip() or "a metric of your own").splitlines()[0].rstrip("."),
        tasks=TASKS,
        statistics=own.statistics,
        takes_input="input" in own.parameters,
        finish=own.finish if own.several else mean,
        signature=lambda _: signature,
        greater_is_better=bool(own.said("greater_is_better", True)),
        item_score=bool(own.said("item_score", True)),
        best=own.best(),
    )


def _made(found: Any, path: str, name: str) -> Any:
    """Return a class's object, and anything else as it is."""
    if not inspect.isclass(found):
        return found
    try:
        with running():
            return found()
    except STOPS as error:
        at = line_of(error, path)
        raise UserError(f"making an object of the class {quoted(name)} {said(error)}", where=path, line=at) from error


@dataclass(frozen=True)
class _Own:
    """What a user's file has under a name, called with care."""

    path: str
    name: str
    thing: Any

    def __post_init__(self) -> None:
        if self.several and not callable(getattr(self.thing, "finish", None)):
            raise UserError(f"{quoted(self.name)} has statistics, but no finish(sums); add it", where=self.path)
        if not callable(self.function):
            raise UserError(f"{quoted(self.name)} cannot be called; expected a function", where=self.path)
        _ = self.parameters  # what is wrong with them is said before any item is scored

    @property
    def several(self) -> bool:
        """Whether it returns several numbers per item, and finishes their sums."""
        return hasattr(self.thing, "statistics")

    @property
    def function(self) -> Callable[..., Any]:
        """What is called for each item."""
        found: Callable[..., Any] = self.thing.statistics if self.several else self.thing
        return found

    @cached_property
    def parameters(self) -> dict[str, str]:
        """What the function is given, and under which of its names; the first three places without the known names."""
        try:
            every = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):  # some that are written in C do not say
            return {"gold": "", "output": ""}
        named = [p.name for p in every if p.name in PARAMETERS]
        needed = [p.name for p in every if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        by_name = bool(named) and set(needed) <= set(named)
        by_place = (
            not by_name
            and len(needed) in (2, 3)
            and all(name not in PARAMETERS or PARAMETERS.index(name) == i for i, name in enumerate(needed))
        )
        if by_name:
            return {name: name for name in named}
        if by_place and all(p.kind is not p.KEYWORD_ONLY for p in every if p.name in needed):
            return dict.fromkeys(PARAMETERS[: len(needed)], "")
        raise UserError(
            f"the metric {quoted(self.name)} has the parameters {', '.join(needed) or 'none'}; expected gold, output "
            "and, if you like, input",
            where=self.path,
            line=self._first_line(),
        )

    def said(self, attribute: str, otherwise: Any) -> Any:
        """Return what the user says about the metric."""
        return getattr(self.thing, attribute, otherwise)

    def best(self) -> float | None:
        """Return the best value, where the user says it."""
        found = self.said("best", None)
        try:
            return None if found is None else _number(found)
        except TypeError as error:
            raise UserError(f"best of {quoted(self.name)}: {error}", where=self.path) from None

    def statistics(self, gold: pl.Series | None, outputs: pl.Series, inputs: pl.Series | None = None) -> Array:
        """Return one row per item: what the user's function makes of it."""
        rows: list[list[float]] = []
        with running():
            for item, answers in enumerate(_items(gold, outputs, inputs)):
                row = self._row(item, answers)
                if rows and len(row) != len(rows[0]):
                    n, expected = len(row) - 1, len(rows[0]) - 1
                    raise self._error(item, f"it returned {counted(n, 'number')}; expected {expected}, as before")
                rows.append(row)
        return np.array(rows, np.float64).reshape(len(rows), -1 if rows else 2)  # each item once, and its numbers

    def _row(self, item: int, answers: tuple[Any, ...]) -> list[float]:
        given = dict(zip(PARAMETERS, answers, strict=True))
        by_name = {own: given[known] for known, own in self.parameters.items() if own}
        by_place = [given[known] for known, own in self.parameters.items() if not own]
        try:
            returned = self.function(*by_place, **by_name)
        except STOPS as error:
            raise self._error(item, said(error), line_of(error, self.path)) from error
        try:
            return [1.0, *(_numbers(returned) if self.several else [_number(returned)])]
        except TypeError as error:
            raise self._error(item, str(error)) from None

    def finish(self, sums: Array) -> Array:
        """Return the user's value of every row of sums; no value where no item was summed."""
        rows = sums.reshape(-1, sums.shape[-1])
        with running():
            values = [self._value(row[1:].tolist()) if row[0] else math.nan for row in rows]
        return np.array(values, np.float64).reshape(sums.shape[:-1])

    def _value(self, sums: list[float]) -> float:
        try:
            found = self.thing.finish(sums)
            return math.nan if found is None or (isinstance(found, float) and math.isnan(found)) else _number(found)
        except ZeroDivisionError:
            return math.nan
        except TypeError as error:
            message = f"{quoted(self.name)}: the finish of {sums} failed: {error}"
            raise UserError(message, where=self.path, line=line_of(error, self.path)) from None
        except STOPS as error:
            message = f"{quoted(self.name)}: the finish of {sums} {said(error)}"
            raise UserError(message, where=self.path, line=line_of(error, self.path)) from error

    def _error(self, item: int, message: str, line: int | None = None) -> ItemError:
        return ItemError(item, message, where=self.path, line=line or self._first_line())

    def _first_line(self) -> int | None:
        code = getattr(inspect.unwrap(self.function), "__code__", None)
        return None if code is None else int(code.co_firstlineno)


def _items(gold: pl.Series | None, outputs: pl.Series, inputs: pl.Series | None) -> Iterator[tuple[Any, Any, Any]]:
    """Yield gold, output and input of each item; what is not there is None, an answer that was not given empty."""
    n = len(outputs)
    golds, given = ([None] * n if column is None else column.to_list() for column in (gold, inputs))
    for expected, output, text in zip(golds, outputs.to_list(), given, strict=True):
        yield expected, "" if output is None else output, text


def _numbers(values: Any) -> list[float]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"its statistics are a {type(values).__name__}; expected a sequence of numbers")
    found = [_number(value) for value in values]
    if not found:
        raise TypeError("its statistics are empty; expected at least one number")
    return found


def _number(value: Any) -> float:
    """Return a finite number, or say what else it is."""
    if value is None or isinstance(value, (str, bytes)):
        raise TypeError(f"it returned {value!r}; expected a number")
    try:
        found = float(value)
    except OverflowError:
        raise TypeError(f"it returned a number that is too large; expected one of at most {LARGEST:g}") from None
    except (TypeError, ValueError):
        raise TypeError(f"it returned a {type(value).__name__}; expected a number") from None
    if not math.isfinite(found):
        raise TypeError(f"it returned {found:g}; expected a finite number")
    if abs(found) > LARGEST:
        raise TypeError(f"it returned {found:g}, which is too large; expected at most {LARGEST:g} either side of 0")
    return found
