"""A figure over all runs of a setting, with its standard error, and whether it keeps what was promised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from calibrate.claim import Counted, Promise

ALLOWED = 2.0
"""Standard errors by which a figure may miss its promise."""


@dataclass(frozen=True)
class Estimate:
    """A ratio of sums over runs."""

    value: float
    error: float
    """Its standard error, by runs."""
    runs: int
    promise: Promise

    @property
    def holds(self) -> bool | None:
        """Whether the promise holds; None where there is none."""
        if not self.promise.bounded:
            return None
        low, high = self.promise.low, self.promise.high
        return bool(low - self._allowed(low) <= self.value <= high + self._allowed(high))

    def _allowed(self, bound: float) -> float:
        """Return two standard errors, of a share those that it would have if it were what is promised."""
        if abs(bound) == inf:
            return 0.0
        return ALLOWED * (sqrt(bound * (1 - bound) / self.runs) if self.promise.share else self.error)


def estimate(counts: Sequence[Counted], promise: Promise) -> Estimate:
    """Return Σ numerators/Σ denominators; runs are independent, what is counted in one run need not be."""
    top, below = np.array(counts, dtype=float).reshape(-1, 2).T
    runs = int((below != 0).sum())
    if runs < 2:
        return Estimate(nan, nan, max(runs, 1), promise)
    value = float(top.sum() / below.sum())
    error = sqrt(float(((top - value * below) ** 2).sum()) * runs / (runs - 1)) / abs(float(below.sum()))
    return Estimate(value, error, runs, promise)
