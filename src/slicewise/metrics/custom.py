"""User-defined metrics, `FILE.py:NAME`: a function of one item, or an object with `statistics` and `finish`.

A function of an item's gold, output and (if it has the parameter) input returns one number; the metric is their mean.
An object's `statistics` returns several numbers, which are summed, and `finish` computes a value from the sums. Either
may set the attributes `greater_is_better`, `item_score` and `best`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.errors import UserError, counted, quoted
from slicewise.metrics.mean import mean
from slicewise.metrics.metric import ItemError, Metric
from slicewise.metrics.reading import LARGEST
from slicewise.user_code import STOPS, digest, error_message, line_of, load, place, running, split_name

TASKS = frozenset({Task.TEXT, Task.LABELS, Task.SCORES})
PARAMETERS = ("gold", "output", "input")


def from_file(spec: str) -> Metric | None:
    """Return the metric `FILE.py:NAME`; None for any other name."""
    if (named := split_name(spec)) is None:
        return None
    thing = load(*named, fits=lambda value: callable(value) or hasattr(value, "statistics"))
    return _metric(*named, thing, f"file:{digest(named[0])}")


def from_object(thing: Any, task: Task) -> Metric:
    """Return the metric of a function, a class or an object, under its own name."""
    name = str(getattr(thing, "__name__", type(thing).__name__))
    if not (callable(thing) or hasattr(thing, "statistics")):
        raise UserError(f"a metric is {name!r}; expected a name, a function, or an object with statistics and finish")
    if task not in TASKS:
        listed = " and ".join(sorted(t.value for t in TASKS))
        raise UserError(f"metrics of your own are for {listed}, but the task is {task.value}")
    path = place(thing)[0] or "your function"
    return _metric(path, name, thing, "own")


def _metric(path: str, name: str, value: Any, signature: str) -> Metric:
    user_metric = _CustomMetric(path, name, _instance(value, path, name))
    return Metric(
        name=name,
        summary=((inspect.getdoc(value) or "").strip() or "a metric of your own").splitlines()[0].rstrip("."),
        tasks=TASKS,
        statistics=user_metric.statistics,
        takes_input="input" in user_metric.parameters,
        finish=user_metric.finish if user_metric.several else mean,
        signature=lambda _: signature,
        greater_is_better=bool(user_metric.option("greater_is_better", True)),
        item_score=bool(user_metric.option("item_score", True)),
        best=user_metric.best(),
        worst=None,
    )


def _instance(value: Any, path: str, name: str) -> Any:
    """Instantiate a class; return any other object unchanged."""
    if not inspect.isclass(value):
        return value
    try:
        with running():
            return value()
    except STOPS as error:
        at = line_of(error, path)
        raise UserError(
            f"making an object of the class {quoted(name)} {error_message(error)}", where=path, line=at
        ) from error


@dataclass(frozen=True)
class _CustomMetric:
    """A user-defined metric whose exceptions and return values are checked."""

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
        function: Callable[..., Any] = self.thing.statistics if self.several else self.thing
        return function

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The arguments of the function and the parameter of each; "" for arguments passed by position."""
        try:
            signature = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):  # some that are written in C do not say
            return {"gold": "", "output": ""}
        named = [p.name for p in signature if p.name in PARAMETERS]
        needed = [p.name for p in signature if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        by_name = bool(named) and set(needed) <= set(named)
        by_place = (
            not by_name
            and len(needed) in (2, 3)
            and all(name not in PARAMETERS or PARAMETERS.index(name) == i for i, name in enumerate(needed))
        )
        if by_name:
            return {name: name for name in named}
        if by_place and all(p.kind is not p.KEYWORD_ONLY for p in signature if p.name in needed):
            return dict.fromkeys(PARAMETERS[: len(needed)], "")
        raise UserError(
            f"the metric {quoted(self.name)} has the parameters {', '.join(needed) or 'none'}; expected gold, output "
            "and, if you like, input",
            where=self.path,
            line=place(self.function)[1],
        )

    def option(self, attribute: str, otherwise: Any) -> Any:
        """Return an attribute of the user's object."""
        return getattr(self.thing, attribute, otherwise)

    def best(self) -> float | None:
        """Return the best value, if the user gives one."""
        value = self.option("best", None)
        try:
            return None if value is None else _number(value)
        except TypeError as error:
            raise UserError(f"best of {quoted(self.name)}: {error}", where=self.path) from None

    def statistics(self, gold: pl.Series | None, outputs: pl.Series, inputs: pl.Series | None = None) -> Array:
        """Return one row of statistics per item."""
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
        arguments = dict(zip(PARAMETERS, answers, strict=True))
        by_name = {parameter: arguments[role] for role, parameter in self.parameters.items() if parameter}
        by_place = [arguments[role] for role, parameter in self.parameters.items() if not parameter]
        try:
            returned = self.function(*by_place, **by_name)
        except STOPS as error:
            raise self._error(item, error_message(error), line_of(error, self.path)) from error
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
            value = self.thing.finish(sums)
            return math.nan if value is None or (isinstance(value, float) and math.isnan(value)) else _number(value)
        except ZeroDivisionError:
            return math.nan
        except TypeError as error:
            message = f"{quoted(self.name)}: the finish of {sums} failed: {error}"
            raise UserError(message, where=self.path, line=line_of(error, self.path)) from None
        except STOPS as error:
            message = f"{quoted(self.name)}: the finish of {sums} {error_message(error)}"
            raise UserError(message, where=self.path, line=line_of(error, self.path)) from error

    def _error(self, item: int, message: str, line: int | None = None) -> ItemError:
        return ItemError(item, message, where=self.path, line=line or place(self.function)[1])


def _items(gold: pl.Series | None, outputs: pl.Series, inputs: pl.Series | None) -> Iterator[tuple[Any, Any, Any]]:
    """Yield gold, output and input of each item; absent columns are None, missing answers empty."""
    n = len(outputs)
    golds, texts = ([None] * n if column is None else column.to_list() for column in (gold, inputs))
    for expected, output, text in zip(golds, outputs.to_list(), texts, strict=True):
        yield expected, "" if output is None else output, text


def _numbers(values: Any) -> list[float]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"its statistics are a {type(values).__name__}; expected a sequence of numbers")
    numbers = [_number(value) for value in values]
    if not numbers:
        raise TypeError("its statistics are empty; expected at least one number")
    return numbers


def _number(value: Any) -> float:
    """Return a finite number, or say what else it is."""
    if value is None or isinstance(value, (str, bytes)):
        raise TypeError(f"it returned {value!r}; expected a number")
    try:
        number = float(value)
    except OverflowError:
        raise TypeError(f"it returned a number that is too large; expected one of at most {LARGEST:g}") from None
    except (TypeError, ValueError):
        raise TypeError(f"it returned a {type(value).__name__}; expected a number") from None
    if not math.isfinite(number):
        raise TypeError(f"it returned {number:g}; expected a finite number")
    if abs(number) > LARGEST:
        raise TypeError(f"it returned {number:g}, which is too large; expected at most {LARGEST:g} either side of 0")
    return number
