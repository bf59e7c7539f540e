"""Outcomes: which system returns which unit; of scored items, which system gets which right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Array, Ints, Mask
from slicewise.engine.items import item_scores
from slicewise.engine.protocols import TEXTS
from slicewise.evaluation import Evaluation
from slicewise.metrics.metric import Metric
from slicewise.stats.patterns import Kinds, Patterns

SPURIOUS, GOLD = 0, 1
"""The two slices of all units."""
ROOM = 2**26
"""Bytes of the cache of item outcomes."""
AT_ONCE = 2**17
"""Items that are scored at a time: their scores stay in the cache."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcomes:
    """Units with who has them, or scored items with who gets them right (all of them gold, none spurious)."""

    systems: tuple[str, ...]
    gold: Mask
    has: tuple[Mask, ...]
    """One column per system."""
    item: Ints
    group: NDArray[np.integer[Any]]
    """What each is resampled with."""
    metric: Metric | None = None
    """What items are scored by."""
    lost: int = 0
    """The number of missing scores, of all systems; they count as wrong."""
    graded: int = 0
    """Scores that are neither 0 nor 1."""

    def __len__(self) -> int:
        return len(self.gold)

    def where(self, chosen: Mask | Ints) -> Outcomes:
        """Return some of the units."""
        return replace(
            self,
            gold=self.gold[chosen],
            has=tuple(column[chosen] for column in self.has),
            item=self.item[chosen],
            group=self.group[chosen],
        )

    def of(self, systems: tuple[str, ...]) -> Outcomes:
        """Return those of some systems."""
        if systems == self.systems:
            return self
        return replace(self, systems=systems, has=tuple(self.has[self.systems.index(name)] for name in systems))

    @cached_property
    def _kinds(self) -> Kinds:
        return Kinds.among(self.has)

    def sliced(self, slices: NDArray[np.integer[Any]], size: int) -> Patterns:
        """Return the patterns by slice, spurious and gold one after the other."""
        sides: NDArray[np.integer[Any]] = slices.astype(np.uint32 if 2 * size < 2**32 else np.uint64)
        return Patterns.counted(self._kinds, 2 * sides + self.gold, size * 2)

    @cached_property
    def bins(self) -> Ints:
        """How many systems have each unit."""
        return np.asarray(self._kinds.bits.sum(axis=1, dtype=np.int64)[self._kinds.of])


def systems_compared(evaluation: Evaluation, restarts: str) -> tuple[str, ...]:
    """Return the runs that take part: the first of each system, or each."""
    return evaluation.systems if restarts == "each" else evaluation.ranked_systems


def first_only(evaluation: Evaluation, restarts: str) -> list[str]:
    """Say that of several runs of a system one takes part."""
    several = [name for name, runs in evaluation.restarts.items() if len(runs) > 1]
    if restarts == "each" or not several:
        return []
    return [f"of the restarts of {', '.join(several)} the first takes part; --restarts each takes all"]


def unit_outcomes(units: pl.DataFrame, systems: Sequence[str]) -> Outcomes:
    """Return units (or tokens of units) with who has them."""
    return Outcomes(
        systems=tuple(systems),
        gold=units["gold"].to_numpy(),
        has=tuple(units[name].to_numpy() for name in systems),
        item=units["item"].to_numpy().astype(np.int64),
        group=units["group"].to_numpy(),
    )


@dataclass(frozen=True)
class Bar:
    """From which score on an item counts as found."""

    metric: Metric
    value: float
    description: str

    def passed(self, scores: Array) -> Mask:
        """Return which scores are good enough; what has none is not."""
        with np.errstate(invalid="ignore"):
            return np.asarray(scores >= self.value if self.metric.greater_is_better else scores <= self.value)


@dataclass(frozen=True)
class Scored:
    """Scores the items of a part."""

    systems: tuple[str, ...]
    metric: Metric

    def blocks(self, part: Evaluation) -> Iterator[tuple[slice, list[Array]]]:
        """Yield the scores of some items at a time, one column per system; NaN where an item has none."""
        size = part.aligned.items if part.task is Task.TEXT else AT_ONCE  # whose scores are remembered
        for start in range(0, part.aligned.items, max(1, size)):
            rows = slice(start, min(start + size, part.aligned.items))
            items = part if size == part.aligned.items else part.between(rows.start, rows.stop)
            yield rows, [item_scores(items, self.metric, name).scores for name in self.systems]


@dataclass(frozen=True, eq=False)
class OutcomeReader:
    """Reads the outcomes of a part: of its units, or of items by a threshold.

    Outcomes of items are cached as bits, up to a limit of memory.
    """

    systems: tuple[str, ...]
    bar: Bar | None = None
    scored: Scored | None = None
    _packed: dict[tuple[int, int], _Packed] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return OutcomeReader, (self.systems, self.bar, self.scored)

    @property
    def needs(self) -> frozenset[str]:
        """The input, where the metric takes it."""
        return frozenset({TEXTS}) if self.bar is not None and self.bar.metric.takes_input else frozenset()

    def __call__(self, part: Evaluation) -> Outcomes:
        """Return the outcomes of a part."""
        return part.memo((Outcomes, self.systems, self.bar, self.scored), lambda: self._outcomes(part))

    def _outcomes(self, part: Evaluation) -> Outcomes:
        if self.bar is not None and self.scored is not None:
            return self._items(part, self.bar, self.scored)
        everyone = part.memo(Outcomes.__name__, lambda: unit_outcomes(part.units, part.systems))
        return everyone.of(self.systems)

    def _items(self, part: Evaluation, bar: Bar, scored: Scored) -> Outcomes:
        items, place = part.aligned.items, (part.first, part.aligned.items)
        packed = self._packed.get(place)
        if packed is None:
            has, lost, graded = _passed(part, bar, scored)
            packed = _Packed(tuple(np.packbits(column) for column in has), lost, graded)
            if sum(kept.size for kept in self._packed.values()) + packed.size <= ROOM:
                self._packed[place] = packed
        else:
            has = tuple(np.unpackbits(column, count=items).view(np.bool_) for column in packed.has)
        return Outcomes(
            systems=self.systems,
            gold=np.ones(items, np.bool_),
            has=has,
            item=np.arange(items),
            group=part.aligned.clusters.group,
            metric=bar.metric,
            lost=packed.lost,
            graded=packed.graded,
        )


@dataclass(frozen=True, eq=False)
class _Packed:
    """Who gets the items of a part right, a bit each."""

    has: tuple[NDArray[np.uint8], ...]
    lost: int
    graded: int

    @property
    def size(self) -> int:
        """Its bytes."""
        return sum(len(column) for column in self.has)


def _passed(part: Evaluation, bar: Bar, scored: Scored) -> tuple[tuple[Mask, ...], int, int]:
    """Return who gets which items right, how many scores are lost, and how many are neither 0 nor 1."""
    items, lost, graded = part.aligned.items, 0, 0
    has = tuple(np.empty(items, np.bool_) for _ in scored.systems)
    for rows, columns in scored.blocks(part):
        for right, scores in zip(has, columns, strict=True):
            right[rows] = bar.passed(scores)
            unknown = int(np.isnan(scores).sum())
            lost += unknown
            graded += len(scores) - unknown - int((scores == 0).sum()) - int((scores == 1).sum())
    return has, lost, graded
