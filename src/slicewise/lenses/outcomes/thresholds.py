"""When a scored item counts as found: a bar for its score, as a number or as a quantile of all systems' scores."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.engine.local import MANY_ROWS, added, aggregate
from slicewise.engine.protocols import TEXTS
from slicewise.errors import UserError, quoted
from slicewise.evaluation import Evaluation
from slicewise.lenses.outcomes.outcomes import Bar, Scored
from slicewise.metrics.metric import Metric
from slicewise.stats.ranks import from_order, in_order

STEPS = (40, 20, 0)
"""Scores are counted by their first 24 bits, then by 20 more, then by the rest."""


def right_or_wrong(metric: Metric) -> Bar:
    """Return the bar for scores that are 0 or 1."""
    best = int(metric.greater_is_better)
    return Bar(metric, float(best), f"an item is found where its {_name(metric)} is {best}")


def bar_for(evaluation: Evaluation, scored: Scored, threshold: float | str | None) -> Bar:
    """Return the requested threshold, or the median of all scores."""
    if threshold is None:
        origin = ", the median of all systems' items (--threshold sets another)"
        return _bar(scored.metric, quantile(evaluation, scored, 0.5), origin)
    number, is_share = _parsed(threshold)
    if not is_share:
        return _bar(scored.metric, number, "")
    value = quantile(evaluation, scored, number / 100)
    return _bar(scored.metric, value, f", the {number:g}% quantile of all systems' items")


def _bar(metric: Metric, value: float, origin: str) -> Bar:
    side = "at least" if metric.greater_is_better else "at most"
    return Bar(metric, value, f"an item is found where its {_name(metric)} is {side} {value:.6g}{origin}")


def _name(metric: Metric) -> str:
    return "score" if metric.name == "mean" else metric.name


def _parsed(threshold: float | str) -> tuple[float, bool]:
    """Read a threshold: a number, and whether it is a share in percent."""
    share = re.fullmatch(r"\s*([\d.]+)\s*%\s*", threshold) if isinstance(threshold, str) else None
    try:
        number = float(share[1] if share else threshold)
    except ValueError:
        number = np.nan
    if share and np.isfinite(number) and not 0 <= number <= 100:
        raise UserError(f"the threshold {quoted(str(threshold))} is no quantile; expected 0% to 100%")
    if not np.isfinite(number):
        raise UserError(
            f"the threshold {quoted(str(threshold))} is no number; write 0.5, or 25% for a quantile of the scores"
        )
    return number, share is not None


def quantile(evaluation: Evaluation, scored: Scored, q: float) -> float:
    """Return the lowest score that a share of all systems' scores does not exceed; 0 where there are no scores.

    Scores are whole numbers in the same order, whose first bits are counted, then the next bits of those that begin
    like the one that is looked for: so nothing has to be kept of them.
    """
    start, rank = 0, -1
    for step, shift in enumerate(STEPS):
        before = None if not step else (STEPS[step - 1], start)
        table = aggregate(evaluation, _Digits(scored, shift, before))
        ends = table["n"].cum_sum().to_numpy()
        if not len(ends):
            return 0.0
        rank = max(0, math.ceil(int(ends[-1]) * q - 1)) if rank < 0 else rank
        at = int(np.searchsorted(ends, rank, side="right"))
        start, rank = int(table["digits"][at]), rank - (int(ends[at - 1]) if at else 0)
    return float(from_order(np.array([start], np.int64))[0])


@dataclass(frozen=True)
class _Digits:
    """Counts scores by their first bits."""

    scored: Scored
    shift: int
    before: tuple[int, int] | None
    """How many bits were left out before, and what the others have to be."""
    by: tuple[str, ...] = ("digits",)

    @property
    def needs(self) -> frozenset[str]:
        """The input, where the metric takes it."""
        return frozenset({TEXTS}) if self.scored.metric.takes_input else frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        tables = [_table(np.zeros(0, np.int64))]
        for _, columns in self.scored.blocks(part):
            scores = np.concatenate(columns)
            whole = in_order(scores[~np.isnan(scores)])
            if self.before is not None:
                shift, start = self.before
                whole = whole[whole >> np.int64(shift) == start]
            tables.append(_table(whole >> np.int64(self.shift)))
            if sum(table.height for table in tables) > MANY_ROWS:
                tables = [added(tables, self.by)]
        return added(tables, self.by)


def _table(digits: NDArray[np.int64]) -> pl.DataFrame:
    values, n = np.unique(digits, return_counts=True)
    return pl.DataFrame({"digits": values, "n": n.astype(np.int64)})
