"""What systems are compared on: which of them has which unit; of scored items, which of them gets which right."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slicewise.engine.items import item_scores
from slicewise.errors import UserError, counted, quoted
from slicewise.lenses.asked import metrics_asked
from slicewise.stats.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.asked import Asked
    from slicewise.metrics.metric import Metric

    Bits = NDArray[np.bool_]
    Index = NDArray[np.int64]

SPURIOUS, GOLD = 0, 1
"""The two slices of all units."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcomes:
    """Units with who has them, or scored items with who gets them right (all of them gold, none spurious)."""

    systems: tuple[str, ...]
    gold: Bits
    has: tuple[Bits, ...]
    """One column per system."""
    item: Index
    group: Index
    """What each is resampled with."""
    rule: str = ""
    """When a scored item counts as found."""
    metric: Metric | None = None
    """What items are scored by."""
    mean: NDArray[np.float64] | None = None
    """Of scored items: the mean score of all systems, the lower the worse."""
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.gold)

    def where(self, chosen: Bits | Index) -> Outcomes:
        """Return some of the units."""
        return replace(
            self,
            gold=self.gold[chosen],
            has=tuple(column[chosen] for column in self.has),
            item=self.item[chosen],
            group=self.group[chosen],
        )

    @cached_property
    def patterns(self) -> Patterns:
        """The patterns of spurious and of gold units."""
        return Patterns.of(self.has, self.gold, 2)

    def sliced(self, slices: Index, size: int) -> Patterns:
        """Return the patterns by slice, spurious and gold one after the other."""
        return Patterns.of(self.has, slices * 2 + self.gold, size * 2)

    @cached_property
    def bins(self) -> NDArray[np.int64]:
        """How many systems have each unit."""
        return np.asarray(np.sum(self.has, axis=0, dtype=np.int64))


def systems_compared(evaluation: Evaluation, restarts: str) -> tuple[str, ...]:
    """Return the runs that take part: the first of each system, or each."""
    return evaluation.systems if restarts == "each" else evaluation.ranked_systems


def first_only(evaluation: Evaluation, restarts: str) -> list[str]:
    """Say that of several runs of a system one takes part."""
    several = [name for name, runs in evaluation.restarts.items() if len(runs) > 1]
    if restarts == "each" or not several:
        return []
    return [f"of the restarts of {', '.join(several)} the first takes part; --restarts each takes all"]


def outcomes_of(
    evaluation: Evaluation, systems: Sequence[str], *, metrics: Asked = (), threshold: float | str | None = None
) -> Outcomes:
    """Return the units of an evaluation, or its items, right or wrong by a threshold of their score."""
    if evaluation.task.has_units:
        if threshold is not None:
            raise UserError(
                f"units of the task {evaluation.task.value} are right or wrong; --threshold is for scored items"
            )
        return unit_outcomes(evaluation.units, systems)
    metric = metrics_asked(evaluation.task, metrics, 1.0)[0]
    scores = np.array([item_scores(evaluation, metric, name).scores for name in systems])
    right, rule = _right(scores, metric, threshold)
    lost = int(np.isnan(scores).sum())
    said = f"{counted(lost, 'item')} of all systems together without a score by {metric.name} counted as missed"
    items = evaluation.aligned.items
    return Outcomes(
        systems=tuple(systems),
        gold=np.ones(items, np.bool_),
        has=tuple(right),
        item=np.arange(items),
        group=evaluation.aligned.clusters.group.astype(np.int64),
        rule=rule,
        metric=metric,
        mean=np.nan_to_num(scores, nan=0.0).mean(axis=0) * (1 if metric.greater_is_better else -1),
        warnings=(said,) if lost else (),
    )


def unit_outcomes(units: pl.DataFrame, systems: Sequence[str]) -> Outcomes:
    """Return units (or tokens of units) with who has them."""
    return Outcomes(
        systems=tuple(systems),
        gold=units["gold"].to_numpy(),
        has=tuple(units[name].to_numpy() for name in systems),
        item=units["item"].to_numpy().astype(np.int64),
        group=units["group"].to_numpy().astype(np.int64),
    )


def _right(scores: NDArray[np.float64], metric: Metric, threshold: float | str | None) -> tuple[Bits, str]:
    """Return which scores are good enough, and the rule that says so."""
    known = scores[~np.isnan(scores)]
    better = metric.greater_is_better
    name = "score" if metric.name == "mean" else metric.name
    side = "at least" if better else "at most"
    if threshold is None and np.isin(known, (0.0, 1.0)).all():
        return scores == float(better), f"an item is found where its {name} is {int(better)}"
    value, origin = _threshold(known, 0.5 if threshold is None else threshold, given=threshold is not None)
    with np.errstate(invalid="ignore"):
        right = scores >= value if better else scores <= value
    return right, f"an item is found where its {name} is {side} {value:.6g}{origin}"


def _threshold(known: NDArray[np.float64], asked: float | str, *, given: bool) -> tuple[float, str]:
    """Return a bar for scores, as a number or as a quantile of all systems' scores together."""
    if not given:
        value = float(np.quantile(known, 0.5, method="inverted_cdf")) if len(known) else 0.0
        return value, ", the median of all systems' items (--threshold sets another)"
    share = re.fullmatch(r"\s*([\d.]+)\s*%\s*", asked) if isinstance(asked, str) else None
    try:
        number = float(share[1] if share else asked)
    except ValueError:
        number = np.nan
    if share and np.isfinite(number) and not 0 <= number <= 100:
        raise UserError(f"the threshold {quoted(str(asked))} is no quantile; expected 0% to 100%")
    if not np.isfinite(number):
        raise UserError(
            f"the threshold {quoted(str(asked))} is no number; write 0.5, or 25% for a quantile of the scores"
        )
    if share is None:
        return number, ""
    value = float(np.quantile(known, number / 100, method="inverted_cdf")) if len(known) else 0.0
    return value, f", the {number:g}% quantile of all systems' items"
