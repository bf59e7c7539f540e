"""The tails and quantiles of Student's t for any degrees of freedom, without importing scipy."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array

STEPS = 300
TOLERANCE = 1e-15
TINY = 1e-300

_lgamma = np.frompyfunc(math.lgamma, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def two_sided(t: NDArray[Any], degrees: NDArray[Any]) -> Array:
    """Return the two-sided p of t; infinite degrees of freedom are the normal distribution, NaN stays NaN."""
    t, degrees = np.broadcast_arrays(np.abs(np.asarray(t, np.float64)), np.asarray(degrees, np.float64))
    result = np.full(t.shape, np.nan)
    normal = np.isinf(degrees) & ~np.isnan(t)
    result[normal] = np.asarray(_erfc(t[normal] / math.sqrt(2)), np.float64)
    finite = np.isfinite(degrees) & ~np.isnan(t)
    finite_t, n = t[finite], degrees[finite]
    denominator = n + finite_t * finite_t
    result[finite] = incomplete_beta(n / 2, np.full(len(n), 0.5), n / denominator, finite_t * finite_t / denominator)
    return result


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors either side of a normal estimate hold it with this confidence."""
    return -NormalDist().inv_cdf((1 - confidence) / 2)


@cache
def t_quantile(confidence: float, degrees: float) -> float:
    """Return the same of Student's t, by halving the interval that holds it."""
    low = high = normal_quantile(confidence)
    while _two_sided(high, degrees) > 1 - confidence:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _two_sided(middle, degrees) > 1 - confidence else (low, middle)
    return high


def _two_sided(t: float, degrees: float) -> float:
    return float(two_sided(np.array(t), np.array(degrees)))


def incomplete_beta(a: Array, b: Array, x: Array, complement: Array) -> Array:
    """Return the regularised incomplete beta function, by its continued fraction from the side where it is short.

    `complement` is 1 − x, which the caller may know more exactly.
    """
    mirrored = x > (a + 1) / (a + b + 2)
    a, b, x, complement = (np.where(mirrored, q, p) for p, q in ((a, b), (b, a), (x, complement), (complement, x)))
    logs = np.asarray(_lgamma(a + b) - _lgamma(a) - _lgamma(b), np.float64)
    with np.errstate(divide="ignore"):
        front = np.exp(logs + a * np.log(x) + b * np.log(complement)) / a
    value = front * _fraction(a, b, x)
    return np.clip(np.where(mirrored, 1 - value, value), 0.0, 1.0)


def _fraction(a: Array, b: Array, x: Array) -> Array:
    """Return the continued fraction by the modified method of Lentz."""
    c = np.ones_like(x)
    d = 1 / _nonzero(1 - (a + b) * x / (a + 1))
    result = d.copy()
    for m in range(1, STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _nonzero(1 + term * d)
            c = _nonzero(1 + term / c)
            result *= c * d
        if not (np.abs(c * d - 1) > TOLERANCE).any():
            break
    return result


def _nonzero(values: Array) -> Array:
    """Return values that can be divided by."""
    return np.where(np.abs(values) < TINY, TINY, values)
