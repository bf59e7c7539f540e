"""Who has what in the buckets of attributes, by cluster group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from slicewise.engine.local import aggregate
from slicewise.evaluation import Evaluation
from slicewise.lenses.outcomes.outcomes import OutcomeReader, Outcomes, unit_outcomes
from slicewise.lenses.outcomes.pattern_tables import Layout, PatternKernel
from slicewise.lenses.slicing.bucketed import BucketedUnits, Bucketer, BucketScheme
from slicewise.stats.patterns import Patterns


def bucket_patterns(
    evaluation: Evaluation, reader: OutcomeReader, bucketer: Bucketer, schemes: Sequence[BucketScheme]
) -> list[Patterns]:
    """Return spurious and gold units of each bucket, and in each of these of each group; of one attribute a time."""
    groups = evaluation.aligned.clusters.groups
    sizes = [2 * groups * scheme.size for scheme in schemes]
    ends = np.cumsum(sizes, dtype=np.int64)
    layout = Layout(len(reader.systems), int(ends[-1]) if sizes else 0)
    patterns = layout.patterns(aggregate(evaluation, _BySlot(layout, reader, bucketer, tuple(schemes))))
    by_scheme = []
    for size, end in zip(sizes, ends.tolist(), strict=True):
        slot_patterns = patterns.where((patterns.slices >= end - size) & (patterns.slices < end))
        by_scheme.append(replace(slot_patterns, slices=slot_patterns.slices - (end - size), size=size))
    return by_scheme


def bucketed_outcomes(
    part: Evaluation, reader: OutcomeReader, bucketed: BucketedUnits, scheme: BucketScheme
) -> Outcomes:
    """Return the units that an attribute describes with who has them."""
    rows = bucketed.rows(scheme.attributes[0])
    if rows is None or rows is bucketed.facts.units:
        return reader(part)
    return part.memo(("tokens", reader.systems), lambda: unit_outcomes(rows.frame, reader.systems))


def _patterns(part: Evaluation, reader: OutcomeReader, bucketed: BucketedUnits, scheme: BucketScheme) -> Patterns:
    outcomes, groups = bucketed_outcomes(part, reader, bucketed, scheme), part.aligned.clusters.groups
    return outcomes.sliced(bucketed.slots(scheme)[0] * groups + outcomes.group, scheme.size * groups)


@dataclass(frozen=True, eq=False)
class _BySlot(PatternKernel):
    """Counts who has what by attribute, bucket and group."""

    reader: OutcomeReader
    bucketer: Bucketer
    schemes: tuple[BucketScheme, ...]

    @property
    def needs(self) -> frozenset[str]:
        """What outcomes and attributes need."""
        return self.reader.needs | self.bucketer.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        bucketed, before, tables = self.bucketer(part), 0, []
        for scheme in self.schemes:
            patterns = _patterns(part, self.reader, bucketed, scheme)
            tables.append(self.layout.frame(replace(patterns, slices=patterns.slices + before)))
            before += patterns.size
        return pl.concat(tables)
