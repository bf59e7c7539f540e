"""Metrics: additive statistics per item, and a finish on their sum.

Everything that resamples, slices or compares works on the statistics, so it works for every metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Array

Side = Literal["reference", "output"]

TEXT = frozenset({Task.TEXT})
"""The tasks of metrics that compare texts."""


class ItemError(ValueError):
    """A reference or an output that a metric cannot read; `item` counts from 0, `side` says which of them it is.

    `where` and `line`: the place in a user's own code, where it is at fault.
    """

    def __init__(
        self, item: int, message: str, *, side: Side = "output", where: str | None = None, line: int | None = None
    ) -> None:
        self.item = item
        self.side = side
        self.where = where
        self.line = line
        super().__init__(message)


def unchanged(sums: Array) -> Array:
    """Return the statistics as they are."""
    return sums


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric and its declared properties; arrays have the statistics on their last axis.

    Metrics of set tasks take the statistics of `slicewise.metrics.counts`; the others say with `statistics` how an
    item's are computed from its reference (None without gold) and a system's output.
    """

    name: str
    summary: str
    tasks: frozenset[Task]
    finish: Callable[[Array], Array]
    """From summed statistics `(..., k)` to values `(...)`; NaN where undefined."""
    reduce: Callable[[Array], Array] = unchanged
    """A linear map that keeps only the statistics the finish needs, so that resampling is cheap."""
    size: Callable[[Array], Array] | None = None
    """Of a proportion: from reduced statistics to how many units it is a share of. None: it is no proportion."""
    statistics: Callable[..., Array] | None = None
    """References (strings, or lists of several) and outputs to `(items, k)`; raises `ItemError`."""
    takes_input: bool = False
    """Whether `statistics` take the input of each item as a third column."""
    coded: bool = False
    """Whether it only counts which answers are equal: `statistics` take numbers, the same for equal answers of gold and
    all systems, in the order of the answers."""
    rankings: bool = False
    """Whether answers are rankings: `statistics` take lists of ids, which tabs separate in texts."""
    item_finish: Callable[[Array], Array] | None = None
    """The finish of one item's reduced statistics, where it is not that of a sum; NaN where it has no score."""
    pooled: Callable[[Array, Array], Array] | None = None
    """Of a metric that is not additive: from the statistics of all items `(items, k)` and how often each is counted in
    every draw, `(items, draws)`, to its values `(draws,)`. Its `finish` is never called."""
    signature: Callable[[pl.Series | None], str] | None = None
    """The signature of the metric's own options, from the references."""
    greater_is_better: bool = True
    best: float | None = 1.0
    """The value of a system equal to gold; None where there is no gold."""
    worst: float | None = 0.0
    """The worst value there can be; None: there is no limit."""
    item_score: bool = True
    """Whether one item has a score of its own."""
    scale: float = 1.0
    """100 for metrics that are usually given in percent."""

    @property
    def additive(self) -> bool:
        """Whether statistics of items may be summed before the finish."""
        return self.pooled is None

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value there can be."""
        sign = 1 if self.greater_is_better else -1
        worst = -sign * math.inf if self.worst is None else self.worst
        best = sign * math.inf if self.best is None else self.best
        return (worst, best) if self.greater_is_better else (best, worst)

    def value(self, sums: Array) -> Array:
        """Return the metric of summed statistics as they were counted."""
        return self.finish(self.reduce(sums))

    def sizes(self, sums: Array) -> Array:
        """Return how many units a proportion is a share of, from statistics as they were counted."""
        if self.size is None:
            raise ValueError(f"{self.name} is no proportion")
        return self.size(self.reduce(sums))

    def item_values(self, statistics: Array) -> Array:
        """Return the score of single items from their statistics as they were counted."""
        return (self.item_finish or self.finish)(self.reduce(statistics))


def text_metric(
    name: str, summary: str, statistics: Callable[..., Array], finish: Callable[[Array], Array], **properties: Any
) -> Metric:
    """Return a metric that compares texts."""
    return Metric(name=name, summary=summary, tasks=TEXT, statistics=statistics, finish=finish, **properties)


text_loss = partial(text_metric, greater_is_better=False, best=0.0, worst=None)
"""Return a metric that compares texts, and is 0 where they are equal."""


def undefined(sums: Array) -> Array:
    """Return no value: the finish of metrics that are not additive."""
    return np.full(sums.shape[:-1], np.nan)


def class_counts(column: Array, weights: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return how often each distinct value counts, ascending, `(values, draws)`, and which of them each item has."""
    from scipy.sparse import csr_array

    distinct, place = np.unique(column, return_inverse=True)
    of_value = csr_array((np.ones(len(place)), (place, np.arange(len(place)))), shape=(len(distinct), len(place)))
    return np.asarray(of_value @ weights), place
