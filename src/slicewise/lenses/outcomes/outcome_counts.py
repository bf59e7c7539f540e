"""Counts of outcome patterns by cluster group: pairs, bins and votes are computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from slicewise.engine.local import aggregate
from slicewise.errors import UserError, counted
from slicewise.evaluation import Evaluation
from slicewise.lenses.chosen_metrics import MetricSpec, metrics_of
from slicewise.lenses.outcomes.outcomes import GOLD, OutcomeReader, Outcomes, Scored
from slicewise.lenses.outcomes.pattern_tables import Layout, PatternKernel
from slicewise.lenses.outcomes.thresholds import bar_for, right_or_wrong
from slicewise.metrics.metric import Metric
from slicewise.stats.patterns import Bins, Patterns

LOST, GRADED, PARTS = -1, -2, -3
"""Slices outside all groups: missing scores, graded scores, and below them the patterns of parts."""


@dataclass(frozen=True, eq=False)
class OutcomeCounts:
    """The outcomes of all data, counted; `reader` finds those of a part."""

    reader: OutcomeReader
    by_group: Patterns
    """Spurious and gold units of each group."""
    lost: int = 0
    graded: int = 0
    by_part: Mapping[int, Patterns] = field(default_factory=dict)
    """Spurious and gold units of each part, by the number of its first item."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that are compared."""
        return self.reader.systems

    @property
    def rule(self) -> str:
        """When a scored item counts as found."""
        return "" if self.reader.bar is None else self.reader.bar.description

    @property
    def metric(self) -> Metric | None:
        """What items are scored by."""
        return None if self.reader.bar is None else self.reader.bar.metric

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know about the scores."""
        if not self.lost or self.metric is None:
            return ()
        lost = counted(self.lost, "item")
        return (f"{lost} of all systems together without a score by {self.metric.name} counted as missed",)

    @cached_property
    def patterns(self) -> Patterns:
        """The patterns of spurious and of gold units."""
        return self.by_group.among(self.by_group.slices % 2, 2)

    @cached_property
    def n_gold(self) -> int:
        """The number of gold units, or of scored items."""
        return int(self.patterns.counts[self.patterns.slices == GOLD].sum())

    def bins(self, side: int) -> Bins:
        """Return the bins of spurious or of gold units."""
        return self.patterns.where(self.patterns.slices == side).bins()


def outcome_counts(
    evaluation: Evaluation, systems: Sequence[str], *, metrics: MetricSpec = (), threshold: float | str | None = None
) -> OutcomeCounts:
    """Count the units of an evaluation, or its items, right or wrong by a threshold of their score."""
    if evaluation.task.has_units:
        if threshold is not None:
            raise UserError(
                f"units of the task {evaluation.task.value} are right or wrong; --threshold is for scored items"
            )
        return _counted(evaluation, OutcomeReader(tuple(systems)))
    scored = Scored(tuple(systems), metrics_of(evaluation.task, metrics, 1.0)[0])
    if threshold is None:
        counts = _counted(evaluation, OutcomeReader(scored.systems, right_or_wrong(scored.metric), scored))
        if not counts.graded:
            return counts
    return _counted(evaluation, OutcomeReader(scored.systems, bar_for(evaluation, scored, threshold), scored))


def outcomes_of(
    evaluation: Evaluation, systems: Sequence[str], *, metrics: MetricSpec = (), threshold: float | str | None = None
) -> Outcomes:
    """Return the outcomes of data that is in memory."""
    return outcome_counts(evaluation, systems, metrics=metrics, threshold=threshold).reader(evaluation)


def _counted(evaluation: Evaluation, reader: OutcomeReader) -> OutcomeCounts:
    groups = evaluation.aligned.clusters.groups
    layout = Layout(len(reader.systems), 2 * max(groups, evaluation.aligned.items) - PARTS)
    patterns = layout.patterns(aggregate(evaluation, _ByGroup(layout, reader, groups)))
    lost, graded = (int(patterns.counts[patterns.slices == place].sum()) for place in (LOST, GRADED))
    by_group = replace(patterns.where(patterns.slices >= 0), size=2 * groups)
    return OutcomeCounts(reader, by_group, lost, graded, _by_part(patterns.where(patterns.slices <= PARTS)))


def _by_part(patterns: Patterns) -> dict[int, Patterns]:
    """Return the patterns of each part, by the number of its first item."""
    first, side = np.divmod(PARTS - patterns.slices, 2)
    return {
        int(start): replace(patterns.where(first == start), slices=side[first == start], size=2)
        for start in np.unique(first)
    }


@dataclass(frozen=True)
class _ByGroup(PatternKernel):
    """Counts who has what by group."""

    reader: OutcomeReader
    groups: int

    @property
    def needs(self) -> frozenset[str]:
        """What outcomes need."""
        return self.reader.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part by group and of the part itself, and how many scores are lost or graded."""
        outcomes = self.reader(part)
        by_group = outcomes.sliced(outcomes.group, self.groups)
        by_part = by_group.among(by_group.slices % 2, 2)
        by_part = replace(by_part, slices=PARTS - 2 * part.first - by_part.slices)
        scores = Patterns(
            np.zeros((1, len(outcomes.systems)), np.bool_),
            np.zeros(2, np.int64),
            np.array([LOST, GRADED]),
            np.array([outcomes.lost, outcomes.graded]),
            0,
        )
        return pl.concat([self.layout.frame(patterns) for patterns in (by_group, by_part, scores)])
