"""What features are ranked over: rows with a score each, and the statistics that a metric is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.engine.items import item_scores
from slicewise.engine.local import TEXTS, aggregate
from slicewise.errors import UserError, counted
from slicewise.evaluation import Evaluation
from slicewise.metrics.metric import Metric
from slicewise.stats.ratio import ratio

WITH_TEXT = (Task.SPANS, Task.TOKENS)
"""Tasks whose units have a text of their own."""


@dataclass(frozen=True, eq=False)
class Population:
    """Rows that have a score; those without were left out."""

    over: str
    """`items`, `gold` or `returned`."""
    kept: NDArray[np.bool_]
    """Which of all rows are here."""
    item: NDArray[np.int64]
    """The item of each row that is here."""
    group: NDArray[np.int64]
    """What it is resampled with."""
    scores: Array
    """As users know them."""
    sign: int
    """-1 where lower is better."""
    statistics: Array
    """`(rows, k)`."""
    finish: Callable[[Array], Array]
    """From summed statistics to the metric."""
    metric: str
    warnings: tuple[str, ...] = ()
    lost: int = 0
    """How many rows were left out because they have no score."""
    names: Callable[[NDArray[np.integer[Any]]], list[str]] | None = None
    """Of units: the text and the label of some, given by their rows."""

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.scores)

    @property
    def oriented(self) -> Array:
        """The scores, the lower the worse."""
        return self.scores if self.sign > 0 else -self.scores


def tidy(scores: Array, places: int | None = None) -> Array:
    """Return scores to twelve digits of the largest, so that 1 − ⅔ and ⅓ − 0 are the same; or to so many places."""
    if places is None:
        places = places_of(float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0)))
    return np.asarray(np.round(scores, places) + 0.0) if abs(places) < 300 else scores


def places_of(largest: float) -> int:
    """Return how many decimal places scores have of which this is the largest."""
    return 12 - int(np.ceil(np.log10(largest))) if largest > 0 else 12


class Scoring(Protocol):
    """Which rows there are and how they are scored, in whatever part of the data; travels to other processes."""

    @property
    def over(self) -> str:
        """What the rows are: `items`, `gold` or `returned`."""

    @property
    def metric_name(self) -> str:
        """What the metric is called."""

    @property
    def sign(self) -> int:
        """-1 where lower is better."""

    @property
    def needs(self) -> frozenset[str]:
        """What a part has to be read with."""

    def finish(self, sums: Array) -> Array:
        """Return the metric of summed statistics."""

    @property
    def nothing(self) -> str:
        """What is said where no row has a score."""

    @property
    def left_out(self) -> str:
        """What is said of rows without a score, after their number."""

    def scored(self, part: Evaluation) -> Population:
        """Return the rows of a part, maybe none, with their scores as they are."""


@dataclass(frozen=True)
class ItemScoring:
    """The items by one system's scores, or by their change from another system's."""

    metric: Metric
    system: str
    old: str | None = None
    ratio: bool = False
    over: str = "items"

    @property
    def metric_name(self) -> str:
        """What the metric is called."""
        return self.metric.name

    @property
    def sign(self) -> int:
        """-1 where lower is better."""
        return 1 if self.metric.greater_is_better else -1

    @property
    def needs(self) -> frozenset[str]:
        """The input, where the metric takes it."""
        return frozenset({TEXTS}) if self.metric.takes_input else frozenset()

    def finish(self, sums: Array) -> Array:
        """Return the metric, its difference or its ratio."""
        if self.old is None:
            return self.metric.finish(sums)
        k = sums.shape[-1] // 2
        after, before = self.metric.finish(sums[..., :k]), self.metric.finish(sums[..., k:])
        return ratio(after, before) if self.ratio else after - before

    def scored(self, part: Evaluation) -> Population:
        """Return the items of a part that have a score."""
        after = item_scores(part, self.metric, self.system)
        scores, statistics = after.scores, after.statistics
        if self.old is not None:
            before = item_scores(part, self.metric, self.old)
            scores = ratio(scores, before.scores) if self.ratio else scores - before.scores
            statistics = np.concatenate([statistics, before.statistics], axis=1)
        kept = np.isfinite(scores)
        return Population(
            over=self.over,
            kept=kept,
            item=np.flatnonzero(kept) + part.first,
            group=part.aligned.clusters.group.astype(np.int64)[kept],
            scores=scores[kept],
            sign=self.sign,
            statistics=statistics[kept],
            finish=self.finish,
            metric=self.metric.name,
            lost=int((~kept).sum()),
        )

    @property
    def _whose(self) -> str:
        return self.system if self.old is None else f"{self.old} or {self.system}"

    @property
    def _what(self) -> str:
        ratio = f"a score other than 0 by {self.old}, which a ratio needs"
        return ratio if self.ratio else f"a score by {self.metric.name}"

    @property
    def nothing(self) -> str:
        """What is said where no item has a score."""
        return f"no item of {self._whose} has {self._what}; choose another --metric"

    @property
    def left_out(self) -> str:
        """What is said of items without a score, after their number."""
        return f"of {self._whose} without {self._what}, left out of the ranking"


def of_items(evaluation: Evaluation, metric: Metric, system: str) -> Population:
    """Return a system's items with their scores."""
    return scored_whole(evaluation, ItemScoring(metric, system))


def of_change(evaluation: Evaluation, metric: Metric, old: str, new: str, *, ratio: bool) -> Population:
    """Return the items with the change of their scores from one system to another."""
    return scored_whole(evaluation, ItemScoring(metric, new, old, ratio))


def scored_whole(evaluation: Evaluation, scoring: Scoring) -> Population:
    """Return the rows of data that are in memory."""
    population = scoring.scored(evaluation)
    return replace(
        population,
        scores=tidy(population.scores),
        warnings=population_warnings(scoring, population.size, population.lost),
    )


def population_warnings(scoring: Scoring, size: int, lost: int) -> tuple[str, ...]:
    """Say how many items have no score, and refuse to rank where no row has one."""
    if not size:
        raise UserError(scoring.nothing)
    return (f"{counted(lost, 'item')} {scoring.left_out}",) if lost else ()


def of_rows(evaluation: Evaluation, over: str, kept: NDArray[np.bool_], scores: Array, metric: str) -> Population:
    """Return some units (or, of tasks without units, items) with whatever score is asked for."""
    kept_scores = scores[kept]
    has_units = evaluation.task.has_units
    item = evaluation.units["item"].to_numpy().astype(np.int64) if has_units else np.arange(len(kept))
    return Population(
        over=over,
        kept=kept,
        item=item[kept] + evaluation.first,
        group=evaluation.aligned.clusters.group.astype(np.int64)[item[kept]],
        scores=kept_scores,
        sign=1,
        statistics=np.column_stack([np.ones(len(kept_scores)), kept_scores]),
        finish=_share,
        metric=metric,
        names=partial(_names, evaluation, kept) if has_units else None,
    )


def _names(evaluation: Evaluation, kept: NDArray[np.bool_], rows: NDArray[np.integer[Any]]) -> list[str]:
    """Return the text and the label of some of the units that are kept."""
    at = np.flatnonzero(kept)[rows]
    labels = evaluation.units["label"].gather(at).cast(pl.String)
    if evaluation.task not in WITH_TEXT:
        return labels.to_list()
    return (evaluation.surface().gather(at) + " (" + labels + ")").to_list()


def _share(sums: Array) -> Array:
    return ratio(sums[..., 1], sums[..., 0])


@dataclass(frozen=True)
class UnitScoring:
    """Gold units, found or missed, or a system's own, right or spurious; or the change from another system."""

    over: str
    system: str
    old: str | None = None
    sign: int = 1
    needs: frozenset[str] = frozenset()
    left_out: str = ""

    @property
    def nothing(self) -> str:
        """What is said where there are no units."""
        return f"{'gold' if self.over == 'gold' else self.system} has no units to rank"

    @property
    def metric_name(self) -> str:
        """What the share of right ones is called."""
        return "recall" if self.over == "gold" else "precision"

    def finish(self, sums: Array) -> Array:
        """Return the share of right ones."""
        return _share(sums)

    def scored(self, part: Evaluation) -> Population:
        """Return the units of a part."""
        units = part.units
        gold, returned = units["gold"].to_numpy(), units[self.system].to_numpy()
        kept, right = (gold, returned) if self.over == "gold" else (returned, gold)
        scores = right.astype(np.float64) - (0.0 if self.old is None else units[self.old].to_numpy())
        return of_rows(part, self.over, kept, scores, self.metric_name)


def unit_counts(evaluation: Evaluation, names: Sequence[str]) -> dict[str, int]:
    """Return how many units gold and systems have."""
    counts = aggregate(evaluation, _UnitCounts(tuple(dict.fromkeys(names))))
    return {name: int(counts[f"n:{i}"].sum()) for i, name in enumerate(dict.fromkeys(names))}


@dataclass(frozen=True)
class _UnitCounts:
    """Counts units."""

    names: tuple[str, ...]
    by: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        return pl.DataFrame({f"n:{i}": [int(part.units[name].sum())] for i, name in enumerate(self.names)})
