"""The errors of every system: kinds and SemEval counts of spans, per unit and summed by group, and confusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.engine.local import aggregate
from slicewise.evaluation import Evaluation
from slicewise.matching.error_types import KINDS, TYPE, ErrorTypes, error_types
from slicewise.matching.semeval import semeval_matches
from slicewise.results.estimates import Confusion

__all__ = ["KINDS", "STATISTICS", "WAYS", "ErrorTable", "SpanErrors", "confusion_table", "error_table", "span_errors"]


WAYS = ("strict", "exact", "partial", "type")
STATISTICS = len(KINDS) + len(WAYS)
COLUMNS = tuple(str(j) for j in range(STATISTICS))
"""Twice each statistic."""
OVERLAPPING = ("missed", "spurious")
NOWHERE = -1
"""Stands for the group of what is counted over all of them, and for the labels of what has none."""


@dataclass(frozen=True)
class SpanErrors:
    """One system's wrong units, and its credit in the four SemEval ways."""

    types: ErrorTypes
    credit: NDArray[np.float64]
    """Units × ways."""

    def halves(self, group: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
        """Return twice what is summed by group: errors of each kind, then credits, which may be halves."""
        counted = np.flatnonzero(self.types.counted)
        kind = group[counted] * len(KINDS) + self.types.kind[counted] - 1
        kinds = 2 * np.bincount(kind, minlength=groups * len(KINDS)).reshape(groups, len(KINDS))
        credit = [np.bincount(group, column, minlength=groups) for column in self.credit.T]
        return np.column_stack([kinds, *(np.rint(2 * column).astype(np.int64) for column in credit)])

    def overlapping(self) -> dict[str, int]:
        """Return how many of the missed and of the spurious units overlap something of the other side."""
        return {
            kind: int((self.types.overlaps & (self.types.kind == KINDS.index(kind) + 1)).sum()) for kind in OVERLAPPING
        }


def span_errors(evaluation: Evaluation, system: str) -> SpanErrors:
    """Match a system's spurious and missed spans, and count in four ways."""
    units = evaluation.units
    item, start, end = (units[name].to_numpy().astype(np.int64) for name in ("item", "start", "end"))
    label = units["label"].to_physical().to_numpy().astype(np.int64)
    gold, returned = units["gold"].to_numpy(), units[system].to_numpy()
    types = error_types(item, start, end, label, gold, returned)
    ways = semeval_matches(item, start, end, label, gold, returned)
    return SpanErrors(types, np.column_stack([getattr(ways, way) for way in WAYS]))


@dataclass(frozen=True)
class ErrorTable:
    """The errors of all systems: their statistics by group, how many overlap something, and confusions of labels."""

    cells: NDArray[np.float64]
    """`(groups, systems, statistics)`."""
    overlapping: list[dict[str, int]]
    confusions: list[tuple[Confusion, ...]]


def error_table(evaluation: Evaluation, systems: Sequence[str]) -> ErrorTable:
    """Return the errors of spans."""
    counts = aggregate(evaluation, _SpanErrors(tuple(systems)))
    groups, labels = evaluation.aligned.clusters.groups, evaluation.aligned.labels
    cells = [np.zeros((groups, 0, STATISTICS))]
    overlapping, confusions = [], []
    for i in range(len(systems)):
        of_system = counts.filter(pl.col("system") == i)
        grouped = of_system.filter(pl.col("group") >= 0)
        by_group = np.zeros((groups, 1, STATISTICS))
        by_group[grouped["group"].to_numpy(), 0] = grouped.select(COLUMNS).to_numpy() / 2
        cells.append(by_group)
        overlapping.append({kind: int(of_system[kind].sum()) for kind in OVERLAPPING})
        pairs = of_system.filter(pl.col("gold") >= 0).select("gold", "returned", "n").iter_rows()
        confusions.append(tuple(Confusion(gold=labels[g], returned=labels[r], n=n) for g, r, n in pairs))
    return ErrorTable(np.concatenate(cells, axis=1), overlapping, confusions)


@dataclass(frozen=True)
class _SpanErrors:
    """Matches the spurious and missed spans of every system, once, for all that is counted of them."""

    systems: tuple[str, ...]
    by: tuple[str, ...] = ("system", "group", "gold", "returned")
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return a part's statistics by group, and its confusions and overlaps, which no group stands beside."""
        tables = [self._of(part, i, span_errors(part, system)) for i, system in enumerate(self.systems)]
        return pl.concat(tables)

    def _of(self, part: Evaluation, i: int, errors: SpanErrors) -> pl.DataFrame:
        group, groups = part.units["group"].to_numpy().astype(np.int64), part.aligned.clusters.groups
        sums = errors.halves(group, groups)
        present = np.flatnonzero(sums.any(axis=1))
        cells = pl.DataFrame(sums[present], schema=dict.fromkeys(COLUMNS, pl.Int64)).with_columns(
            group=pl.Series(present)
        )
        overlaps = pl.DataFrame({kind: [n] for kind, n in errors.overlapping().items()})
        rows = pl.concat([cells, overlaps, _span_confusions(part, self.systems[i], errors)], how="diagonal")
        rows = rows.with_columns(pl.col("group", "gold", "returned").fill_null(NOWHERE), system=pl.lit(i, pl.Int64))
        return rows.select(*self.by, *(pl.col(n).fill_null(0) for n in (*COLUMNS, *OVERLAPPING, "n")))


def _span_confusions(part: Evaluation, system: str, errors: SpanErrors) -> pl.DataFrame:
    """Count labels of spans with equal boundaries: the right ones, and the pairs whose type is wrong."""
    units, labels = part.units, max(1, len(part.aligned.labels))
    label = units["label"].to_physical().to_numpy().astype(np.int64)
    right = np.flatnonzero((units["gold"] & units[system]).to_numpy())
    wrong = np.flatnonzero(errors.types.counted & (errors.types.kind == TYPE))
    gold = np.concatenate([label[right], label[wrong]])
    returned = np.concatenate([label[right], label[errors.types.partner[wrong]]])
    codes, n = np.unique(gold * labels + returned, return_counts=True)
    return pl.DataFrame({"gold": codes // labels, "returned": codes % labels, "n": n.astype(np.int64)})


def confusion_table(evaluation: Evaluation, systems: Sequence[str]) -> list[tuple[Confusion, ...]]:
    """Count gold labels against returned ones, of items or of tokens; a token without a unit has the negative label."""
    if evaluation.task is Task.MULTILABEL:
        return [()] * len(systems)
    counts = aggregate(evaluation, _Confusions(tuple(systems)))
    return [
        tuple(
            Confusion(gold=g, returned=r, n=n)
            for g, r, n in counts.filter(pl.col("system") == i).select("gold", "returned", "n").iter_rows()
        )
        for i in range(len(systems))
    ]


@dataclass(frozen=True)
class _Confusions:
    """Counts gold labels against returned ones."""

    systems: tuple[str, ...]
    by: tuple[str, ...] = ("system", "gold", "returned")
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        tables = [
            _answers_beside(part, system).group_by("gold", "returned").len("n").with_columns(system=pl.lit(i, pl.Int64))
            for i, system in enumerate(self.systems)
        ]
        return pl.concat(tables).select(*self.by, pl.col("n").cast(pl.Int64))


def _answers_beside(part: Evaluation, system: str) -> pl.DataFrame:
    """Return what gold and a system say of each item, or of each token that either labels."""
    if part.task is Task.LABELS:
        return pl.DataFrame({"gold": part.answers("gold"), "returned": part.answers(system)}).fill_null("")
    negative = part.options.negative_label or "O"
    at = ["item", "start"]
    units = part.units.with_columns(pl.col("label").cast(pl.String))
    gold = units.filter(units["gold"]).select(*at, gold="label")
    returned = units.filter(units[system]).select(*at, returned="label")
    return gold.join(returned, on=at, how="full", coalesce=True).fill_null(negative)
