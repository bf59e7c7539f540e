"""What features are ranked over: rows with a score each, and the statistics that a metric is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.engine.items import item_scores
from slicewise.errors import UserError, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from slicewise.engine.items import ItemScores
    from slicewise.evaluation import Evaluation
    from slicewise.metrics.metric import Metric

    Array = NDArray[np.float64]


TEXTS = (Task.SPANS, Task.TOKENS)
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
    names: pl.Series | None = None
    """Of units: the text and the label of each."""

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.scores)

    @property
    def oriented(self) -> Array:
        """The scores, the lower the worse."""
        return self.scores if self.sign > 0 else -self.scores


def tidy(scores: Array) -> Array:
    """Return scores to twelve digits of the largest, so that 1 − ⅔ and ⅓ − 0 are the same."""
    largest = float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))
    digits = 12 - int(np.ceil(np.log10(largest))) if largest > 0 else 12
    return np.asarray(np.round(scores, digits) + 0.0) if abs(digits) < 300 else scores


def of_items(evaluation: Evaluation, metric: Metric, system: str) -> Population:
    """Return a system's items with their scores."""
    found = item_scores(evaluation, metric, system)
    return _items(evaluation, found, found.scores, found.statistics, metric.finish, system)


def of_change(evaluation: Evaluation, metric: Metric, old: str, new: str, *, ratio: bool) -> Population:
    """Return the items with the change of their scores from one system to another."""
    before, after = item_scores(evaluation, metric, old), item_scores(evaluation, metric, new)
    k = after.statistics.shape[1]

    def change(sums: Array) -> Array:
        a, b = metric.finish(sums[..., :k]), metric.finish(sums[..., k:])
        return np.divide(a, b, out=np.full(np.shape(a), np.nan), where=b != 0) if ratio else a - b

    statistics = np.concatenate([after.statistics, before.statistics], axis=1)
    if not ratio:
        return _items(evaluation, after, after.scores - before.scores, statistics, change, f"{old} or {new}")
    scores = np.full(len(after.scores), np.nan)
    np.divide(after.scores, before.scores, out=scores, where=before.scores != 0)
    why = f"a score other than 0 by {old}, which a ratio needs"
    return _items(evaluation, after, scores, statistics, change, f"{old} or {new}", why)


def _items(
    evaluation: Evaluation,
    found: ItemScores,
    scores: Array,
    statistics: Array,
    finish: Callable[[Array], Array],
    whose: str,
    what: str = "",
) -> Population:
    name = found.metric.name
    what = what or f"a score by {name}"
    scores = tidy(scores)
    kept = np.isfinite(scores)
    lost = int((~kept).sum())
    if not kept.any():
        raise UserError(f"no item of {whose} has {what}; choose another --metric")
    said = (f"{counted(lost, 'item')} of {whose} without {what}, left out of the ranking",) if lost else ()
    return Population(
        over="items",
        kept=kept,
        item=np.flatnonzero(kept),
        group=evaluation.aligned.clusters.group.astype(np.int64)[kept],
        scores=scores[kept],
        sign=1 if found.metric.greater_is_better else -1,
        statistics=statistics[kept],
        finish=finish,
        metric=name,
        warnings=said,
    )


def of_rows(evaluation: Evaluation, over: str, kept: NDArray[np.bool_], scores: Array, metric: str) -> Population:
    """Return some units (or, of tasks without units, items) with whatever score is asked for."""
    own = scores[kept]
    has_units = evaluation.task.has_units
    item = evaluation.units["item"].to_numpy().astype(np.int64) if has_units else np.arange(len(kept))
    return Population(
        over=over,
        kept=kept,
        item=item[kept],
        group=evaluation.aligned.clusters.group.astype(np.int64)[item[kept]],
        scores=own,
        sign=1,
        statistics=np.column_stack([np.ones(len(own)), own]),
        finish=_share,
        metric=metric,
        names=_names(evaluation, kept) if has_units else None,
    )


def _names(evaluation: Evaluation, kept: NDArray[np.bool_]) -> pl.Series:
    """Return the text and the label of some units."""
    labels, flags = evaluation.units["label"].cast(pl.String), pl.Series(kept)
    return (evaluation.surface() + " (" + labels + ")" if evaluation.task in TEXTS else labels).filter(flags)


def _share(sums: Array) -> Array:
    shares = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 1], sums[..., 0], out=shares, where=sums[..., 0] > 0)
    return shares


def of_units(evaluation: Evaluation, over: str, system: str, old: str | None = None) -> Population:
    """Return gold units, found or missed, or a system's own, right or spurious; or the change from another system."""
    units = evaluation.units
    gold, returned = units["gold"].to_numpy(), units[system].to_numpy()
    kept, right = (gold, returned) if over == "gold" else (returned, gold)
    if not kept.any():
        raise UserError(f"{'gold' if over == 'gold' else system} has no units to rank")
    scores = right.astype(np.float64) - (0.0 if old is None else units[old].to_numpy())
    return of_rows(evaluation, over, kept, scores, "recall" if over == "gold" else "precision")
