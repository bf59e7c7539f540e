"""How much of what was picked for being large is to be believed: factors that shrink it towards nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array

TYPICAL_BUCKETS = 4
"""Buckets with the spread of all attributes that an attribute's own are taken together with."""


def bucket_factors(attributes: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> Array:
    """Return for each attribute which part of its gaps is to be believed, 0 to 1; NaN where there is no gap.

    An attribute is the values of its buckets and their squared standard errors; NaN where a bucket is empty. What the
    values vary more than by chance alone is real: s²/(s² + v), of the attribute alone and of all together.
    """
    spread, noise, sizes = (np.array(column, np.float64) for column in zip(*map(_spread, attributes), strict=True))
    known = ~np.isnan(spread)
    if not known.any():
        return np.full(len(attributes), np.nan)
    pooled = _believed((spread - noise)[known].mean(), noise[known].mean())
    of_attribute = _believed(spread - noise, noise)
    return np.asarray((of_attribute * sizes + pooled * TYPICAL_BUCKETS) / (sizes + TYPICAL_BUCKETS))


def _spread(attribute: tuple[NDArray[Any], NDArray[Any]]) -> tuple[float, float, int]:
    """Return the variance of the buckets' values, the mean of their squared standard errors, and how many there are."""
    values, variances = attribute
    known = ~(np.isnan(values) | np.isnan(variances))
    if known.sum() < 2:
        return np.nan, np.nan, 0
    return float(values[known].var(ddof=1)), float(variances[known].mean()), int(known.sum())


def _believed(real: NDArray[Any], noise: NDArray[Any]) -> Array:
    """Return s²/(s² + v) with s² at least 0; where nothing varies, all of it."""
    real = np.where(np.isnan(real), np.nan, np.maximum(real, 0.0))
    both = real + noise
    return np.asarray(np.divide(real, both, out=np.where(np.isnan(both), np.nan, 1.0), where=both > 0))
