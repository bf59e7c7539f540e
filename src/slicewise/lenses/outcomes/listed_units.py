"""Samples of units that match a filter, evenly spaced over the data of all parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints, Mask
from slicewise.engine.local import collect_parts
from slicewise.evaluation import Evaluation
from slicewise.lenses.outcomes.mentions import from_table, mention_table, mentions, needed, spread_out
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts
from slicewise.lenses.outcomes.outcomes import GOLD, OutcomeReader, Outcomes
from slicewise.results.mentions import Mention
from slicewise.stats.patterns import Patterns


@dataclass(frozen=True)
class UnitFilter:
    """A filter of units: gold or spurious, returned by some systems and not by others, or by a number of systems."""

    gold: bool
    having: tuple[int, ...] = ()
    lacking: tuple[int, ...] = ()
    bin: int | None = None

    def size(self, patterns: Patterns) -> int:
        """Return the number of units that match."""
        kinds = patterns.kinds
        bins = kinds.sum(axis=1) if self.bin is not None else np.zeros(0)
        flags = self._flags(np.ones(len(kinds), np.bool_), tuple(kinds.T), bins)
        mask = patterns.slices == (GOLD if self.gold else 1 - GOLD)
        return int(patterns.counts[mask & flags[patterns.kind]].sum())

    def rows(self, outcomes: Outcomes) -> Ints:
        """Return the rows that match."""
        gold = outcomes.gold if self.gold else ~outcomes.gold
        bins = outcomes.bins if self.bin is not None else np.zeros(0)
        return np.flatnonzero(self._flags(gold, outcomes.has, bins))

    def _flags(self, side: Mask, has: Sequence[Mask], bins: NDArray[np.generic]) -> Mask:
        flags = side.copy()
        for i in self.having:
            flags &= has[i]
        for i in self.lacking:
            flags &= ~has[i]
        return flags if self.bin is None else flags & (bins == self.bin)


def listing_kernel(
    evaluation: Evaluation, outcomes: OutcomeCounts, kinds: Sequence[UnitFilter], tops: Sequence[int]
) -> ListedUnits:
    """Return the kernel that finds some units of each kind; all where the number wanted is 0."""
    places = tuple(spread_out(kind.size(outcomes.patterns), top) for kind, top in zip(kinds, tops, strict=True))
    return ListedUnits(outcomes.reader, tuple(kinds), places, _before(outcomes, kinds), needed(evaluation))


def read_listed(table: pl.DataFrame, size: int) -> list[tuple[Mention, ...]]:
    """Return the units of so many kinds."""
    return [tuple(from_table(table.filter(table["kind"] == i))) for i in range(size)]


def listed_units(
    evaluation: Evaluation, outcomes: OutcomeCounts, kinds: Sequence[UnitFilter], top: int
) -> list[tuple[Mention, ...]]:
    """Return some units of each kind; all where `top` is 0."""
    tables = collect_parts(evaluation, listing_kernel(evaluation, outcomes, kinds, [top] * len(kinds)))
    return read_listed(pl.concat(tables), len(kinds))


def _before(outcomes: OutcomeCounts, kinds: Sequence[UnitFilter]) -> dict[int, Ints]:
    """Return for the first item of each part how many units of each kind precede it."""
    parts = sorted(outcomes.by_part)
    counts = np.array([[kind.size(outcomes.by_part[first]) for kind in kinds] for first in parts], np.int64)
    return dict(zip(parts, counts.cumsum(axis=0) - counts, strict=True))


@dataclass(frozen=True)
class ListedUnits:
    """Kernel: the units at some positions among all of their kind."""

    reader: OutcomeReader
    kinds: tuple[UnitFilter, ...]
    places: tuple[Ints, ...]
    before: Mapping[int, Ints]
    shown_with: frozenset[str]
    by: tuple[str, ...] = ()

    @property
    def needs(self) -> frozenset[str]:
        """What outcomes need, and what mentions show."""
        return self.reader.needs | self.shown_with

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return those units of a part that are listed."""
        outcomes, before = self.reader(part), self.before.get(part.first)
        rows = [self._rows(outcomes, i, 0 if before is None else int(before[i])) for i in range(len(self.kinds))]
        kind = pl.Series("kind", np.repeat(np.arange(len(rows)), [len(listed) for listed in rows]), dtype=pl.Int64)
        all_rows = np.concatenate([*rows, np.zeros(0, np.int64)])
        return mention_table(mentions(part, outcomes, all_rows)).insert_column(0, kind)

    def _rows(self, outcomes: Outcomes, i: int, before: int) -> Ints:
        places = self.places[i] - before
        if not len(places) or places[-1] < 0:
            return np.zeros(0, np.int64)
        rows = self.kinds[i].rows(outcomes)
        return rows[places[(places >= 0) & (places < len(rows))]]
