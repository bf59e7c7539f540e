"""Search for suspect gold in a part: units that nearly all systems contradict, and units that no system finds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Ints
from slicewise.attributes import Facts
from slicewise.evaluation import Evaluation
from slicewise.lenses.difficulty.string_counts import StringCounts, Strings
from slicewise.lenses.outcomes.outcomes import OutcomeReader, Outcomes
from slicewise.matching.overlaps import Spans, overlap_counts, overlapping_pairs

KINDS = ("label", "boundary", "missing", "unfound")
LABEL, BOUNDARY, MISSING, UNFOUND = range(4)
NOBODY = -1


def nearly_all(systems: int) -> int:
    """Return how many systems must say the same: all of up to four, then all but one in five."""
    return max(2, systems - systems // 5)


@dataclass(frozen=True, eq=False)
class Search:
    """Finds the suspects of a part."""

    reader: OutcomeReader
    strings: Strings

    @property
    def needs(self) -> frozenset[str]:
        """What outcomes and strings need."""
        return self.reader.needs | self.strings.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the suspects of a part: kind, rows of gold's and the systems' unit, agreement, string counts."""
        return part.memo(self, lambda: _suspects(part, self.reader(part), self.strings))


def _suspects(part: Evaluation, outcomes: Outcomes, strings: Strings) -> pl.DataFrame:
    units = _PartUnits(part, outcomes)
    kind, gold, returned, agree = (
        np.concatenate(pair) for pair in zip(units.contradicted(), units.unfound(), strict=True)
    )
    columns = {"kind": kind, "gold": gold, "returned": returned, "agree": agree}
    return pl.DataFrame(columns | units.elsewhere(kind, gold, returned, strings)).with_columns(
        pl.col(*columns).cast(pl.Int64), pl.col("as_gold", "as_systems").cast(pl.Int64)
    )


@dataclass(frozen=True)
class _PartUnits:
    """The units of a part."""

    evaluation: Evaluation
    outcomes: Outcomes

    @cached_property
    def _unanimous(self) -> Ints:
        """Spurious units that nearly all systems return."""
        least = nearly_all(len(self.outcomes.systems))
        return np.flatnonzero(~self.outcomes.gold & (self.outcomes.bins >= least))

    @cached_property
    def _places(self) -> Spans:
        """Where units are; a label of an item is everywhere in it, and so are several."""
        item = self.outcomes.item
        if self.evaluation.task not in (Task.SPANS, Task.TOKENS):
            return Spans(item, np.zeros_like(item), np.ones_like(item))
        units = self.evaluation.units
        return Spans(item, units["start"].to_numpy().astype(np.int64), units["end"].to_numpy().astype(np.int64))

    @cached_property
    def _rivals(self) -> Ints:
        """For each unanimous unit the gold unit that it contradicts: that with the largest overlap."""
        rivals = np.full(len(self._unanimous), NOBODY)
        if self.evaluation.task is Task.MULTILABEL or not len(self._unanimous):
            return rivals
        gold = np.flatnonzero(self.outcomes.gold)
        a, b = overlapping_pairs(self._places[self._unanimous], self._places[gold])
        mine, other = self._unanimous[a], gold[b]
        start, end = self._places.start, self._places.end
        shared = np.minimum(end[mine], end[other]) - np.maximum(start[mine], start[other])
        apart = np.abs(start[mine] - start[other]) + np.abs(end[mine] - end[other])
        order = np.lexsort((other, apart, -shared, a))
        first = order[np.concatenate([[True], a[order][1:] != a[order][:-1]])] if len(order) else order
        rivals[a[first]] = other[first]
        return rivals

    def contradicted(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return contradictions of gold: their kind, gold's unit, the systems' unit, and how many systems agree."""
        rows, rivals = self._unanimous, self._rivals
        start, end = self._places.start, self._places.end
        same = (rivals != NOBODY) & (start[rows] == start[rivals]) & (end[rows] == end[rivals])
        kind = np.where(rivals == NOBODY, MISSING, np.where(same, LABEL, BOUNDARY))
        return kind, rivals, rows, self.outcomes.bins[rows]

    def unfound(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return gold units that no system finds, except those that are contradicted."""
        rows = np.flatnonzero(self.outcomes.gold & (self.outcomes.bins == 0))
        rows = rows[~np.isin(rows, self._rivals)]
        nobody = np.full(len(rows), NOBODY)
        return np.full(len(rows), UNFOUND), rows, nobody, self._silent(rows)

    def _silent(self, rows: Ints) -> Ints:
        """Return how many systems return nothing at the place of each unit."""
        if not self.evaluation.task.has_units:
            return np.full(len(rows), len(self.outcomes.systems))
        silent = np.zeros(len(rows), np.int64)
        for returned in self.outcomes.has:
            silent += overlap_counts(self._places[rows], self._places[np.flatnonzero(returned)]) == 0
        return silent

    def elsewhere(self, kind: Ints, gold: Ints, returned: Ints, strings: Strings) -> dict[str, Any]:
        """Return how often the data treats a suspect's string as gold does here, and as the systems do, elsewhere."""
        nothing = pl.Series([None], dtype=pl.Int64).new_from_index(0, len(kind))
        facts = Facts.of(self.evaluation, strings.corpus_facts)
        if self.evaluation.task not in (Task.SPANS, Task.TOKENS) or facts.corpus is None:
            return {"as_gold": nothing, "as_systems": nothing}
        known = StringCounts(facts, strings)
        own_gold, own_returned = np.maximum(gold, 0), np.maximum(returned, 0)
        if not len(facts.units):
            return {"as_gold": nothing, "as_systems": nothing}
        as_gold = np.where(kind == MISSING, known.bare(own_returned) - 1, known.labelled(own_gold) - 1)
        as_systems = np.where(kind == UNFOUND, known.bare(own_gold), known.labelled(own_returned))
        return {"as_gold": np.maximum(as_gold, 0), "as_systems": as_systems}
