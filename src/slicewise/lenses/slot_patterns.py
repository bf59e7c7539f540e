"""Who has what in the buckets of attributes, by cluster group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.engine.gather import summed
from slicewise.lenses.outcomes import unit_outcomes
from slicewise.lenses.pattern_tables import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.outcomes import Outcomes, Reader
    from slicewise.lenses.placed import Placed, Placer, Placing
    from slicewise.stats.patterns import Patterns


def slot_patterns(
    evaluation: Evaluation, reader: Reader, placer: Placer, placings: Sequence[Placing]
) -> list[Patterns]:
    """Return spurious and gold units of each bucket, and in each of these of each group; of one attribute a time."""
    groups = evaluation.aligned.clusters.groups
    if evaluation.parts is None:
        return [_patterns(evaluation, reader, placer(evaluation), one) for one in placings]
    sizes = [2 * groups * one.size for one in placings]
    ends = np.cumsum(sizes, dtype=np.int64)
    layout = Layout(len(reader.systems), int(ends[-1]) if sizes else 0)
    every = layout.patterns(summed(evaluation, _BySlot(reader, placer, tuple(placings), layout)))
    found = []
    for size, end in zip(sizes, ends.tolist(), strict=True):
        own = every.where((every.slices >= end - size) & (every.slices < end))
        found.append(replace(own, slices=own.slices - (end - size), size=size))
    return found


def outcomes_placed(part: Evaluation, reader: Reader, placed: Placed, placing: Placing) -> Outcomes:
    """Return the units that an attribute describes with who has them."""
    rows = placed.rows(placing.attributes[0])
    return reader(part) if rows is None or rows is placed.facts.units else unit_outcomes(rows.frame, reader.systems)


def _patterns(part: Evaluation, reader: Reader, placed: Placed, placing: Placing) -> Patterns:
    own, groups = outcomes_placed(part, reader, placed, placing), part.aligned.clusters.groups
    return own.sliced(placed.slots(placing)[0] * groups + own.group, placing.size * groups)


@dataclass(frozen=True, eq=False)
class _BySlot:
    """Counts who has what by attribute, bucket and group."""

    reader: Reader
    placer: Placer
    placings: tuple[Placing, ...]
    layout: Layout

    @property
    def by(self) -> tuple[str, ...]:
        """The bucket with its group and side, and the pattern."""
        return self.layout.by

    @property
    def needs(self) -> frozenset[str]:
        """What outcomes and attributes need."""
        return self.reader.needs | self.placer.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        placed, before, tables = self.placer(part), 0, []
        for one in self.placings:
            own = _patterns(part, self.reader, placed, one)
            tables.append(self.layout.frame(replace(own, slices=own.slices + before)))
            before += own.size
        return pl.concat(tables)
