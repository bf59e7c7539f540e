"""How much of an effect that was picked among many tests for being large is to be believed, by the tests' z.

Most tests are of nothing, z ~ N(0, 1); the others have effects of their own, z ~ N(0, 1 + τ²). The share of either and
τ² are those under which all z together are most likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array

STARTS = (0.5, 4.0, 30.0)
"""τ² that the search begins with; the likelihood may have several peaks."""
STEPS = 2000
TOLERANCE = 1e-12
LARGEST = 40.0
"""A larger z counts as this one: p is 0 beyond."""
PER_UNIT = 200
"""Into how many bins z from 0 to 1 is put."""


@dataclass(frozen=True)
class SignalMixture:
    """The share of tests that have an effect, and how much z varies among these beyond chance."""

    signals: float
    variance: float
    """τ²."""

    @classmethod
    def fitted(cls, z: NDArray[Any]) -> SignalMixture:
        """Return the most likely one by expectation maximisation; NaN are no tests, and no tests have no effect."""
        squares, counts = _binned(z)
        if not len(squares):
            return cls(0.0, 0.0)
        fits = [_climbed(squares, counts, cls(0.5, variance)) for variance in STARTS]
        return max(fits, key=lambda fit: fit.log_likelihood(squares, counts))

    def believed(self, z: NDArray[Any]) -> Array:
        """Return which part of the effect of each test is to be believed, from 0 to 1; NaN where z is.

        It is the chance that there is an effect, times the part of a test's z that is effect if there is one.
        """
        squares = np.minimum(np.abs(np.asarray(z, np.float64)), LARGEST) ** 2
        return self.posterior(squares) * self.variance / (1 + self.variance)

    def posterior(self, squares: Array) -> Array:
        """Return the chance that a test with this z² has an effect."""
        if self.signals in (0.0, 1.0):
            return np.where(np.isnan(squares), np.nan, self.signals)
        log_odds = np.log(self.signals / (1 - self.signals)) + self._log_ratio(squares)
        return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -700, 700))))

    def log_likelihood(self, squares: Array, counts: Array) -> float:
        """Return the logarithm of the likelihood of tests, over that of nothing but chance."""
        log_ratio = self._log_ratio(squares)
        with np.errstate(divide="ignore"):
            either = np.logaddexp(np.log(1 - self.signals), np.log(self.signals) + log_ratio)
        return float(counts @ either)

    def _log_ratio(self, squares: Array) -> Array:
        """Return the logarithm of how much likelier z² is with an effect than without."""
        return np.asarray(squares * (self.variance / (1 + self.variance)) / 2 - np.log1p(self.variance) / 2)


def _binned(z: NDArray[Any]) -> tuple[Array, Array]:
    """Return the mean of z² in bins of |z|, and how many tests each has."""
    size = np.abs(np.asarray(z, np.float64))
    size = np.sort(np.minimum(size[~np.isnan(size)], LARGEST))  # sums are the same whatever the order of the tests
    bins = (size * PER_UNIT).astype(np.int64)
    counts, sums = np.bincount(bins), np.bincount(bins, weights=size * size)
    filled = counts > 0
    return sums[filled] / counts[filled], counts[filled].astype(np.float64)


def _climbed(squares: Array, counts: Array, start: SignalMixture) -> SignalMixture:
    """Return where expectation maximisation ends."""
    fit, tests = start, float(counts.sum())
    for _ in range(STEPS):
        weights = fit.posterior(squares) * counts
        signals = float(weights.sum())
        variance = float(weights @ squares) / signals - 1
        if variance <= 0:  # as much as chance alone, or less
            return SignalMixture(0.0, 0.0)
        last, fit = fit, SignalMixture(min(signals / tests, 1.0), variance)
        if abs(fit.signals - last.signals) + abs(variance - last.variance) / (1 + variance) < TOLERANCE:
            break
    return fit
