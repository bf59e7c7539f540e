"""Differences between the slices of one system: Wald tests on the covariance of the bootstrap draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from slicewise.stats.products import COLUMNS, DEPTH, ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

NO_THREADS = ROWS * DEPTH * COLUMNS  # multiplications in one product; `products` says why
ROUNDING = 1e-12  # a variance below this share of its terms is 0

_erfc = np.frompyfunc(math.erfc, 1, 1)


def differences_p(values: NDArray[Any], draws: NDArray[Any], floor: NDArray[Any]) -> Array:
    """Return the two-sided p of the difference of every two slices, `(..., K, K)`.

    `values` is `(..., K)`, `draws` its bootstrap draws `(B, ..., K)`, `floor` the least variance to believe in for
    each value. NaN on the diagonal, where a value or its floor is undefined, where fewer than 2 draws have both, and
    where nothing varies.
    """
    values, floor = np.asarray(values, dtype=np.float64), np.asarray(floor, dtype=np.float64)
    difference = values[..., :, None] - values[..., None, :]
    variance = np.maximum(_difference_variance(draws), floor[..., :, None] + floor[..., None, :])
    known = (variance > 0) & ~np.isnan(difference) & ~np.eye(values.shape[-1], dtype=np.bool_)
    z = np.divide(np.abs(difference), np.sqrt(variance), out=np.full(difference.shape, np.nan), where=known)
    return np.asarray(_erfc(z / math.sqrt(2)), dtype=np.float64)


def proportion_variance(successes: NDArray[Any], trials: NDArray[Any]) -> Array:
    """Return the variance of a proportion, its share taken with 2 successes and 2 failures more: 0 of 3 is not sure."""
    size = np.asarray(trials, dtype=np.float64)
    share = (np.asarray(successes, dtype=np.float64) + 2) / (size + 4)
    return np.asarray(share * (1 - share) / np.maximum(size, 1.0))


def _difference_variance(draws: NDArray[Any]) -> Array:
    """Return the variance, `(..., K, K)`, of the difference of every two columns where both are defined."""
    columns = np.moveaxis(np.asarray(draws, dtype=np.float64), 0, -1)
    defined = ~np.isnan(columns)
    both = np.ascontiguousarray(defined, dtype=np.float64)
    mean = np.where(defined, columns, 0.0).sum(axis=-1) / np.maximum(defined.sum(axis=-1), 1)
    centred = np.where(defined, columns - mean[..., None], 0.0)
    count = _products(both, both)
    squares = _products(centred**2, both)  # of one, in the draws that have the other too
    squares += squares.swapaxes(-1, -2)
    sums = _products(centred, both)
    shared = _products(centred, centred)
    shift = (sums - sums.swapaxes(-1, -2)) ** 2 / np.maximum(count, 1)
    total = squares - (shared + shared.swapaxes(-1, -2)) - shift
    total[total < ROUNDING * squares] = 0.0
    return np.asarray(np.divide(total, count - 1, out=np.full(count.shape, np.nan), where=count >= 2))


def _products(a: Array, b: Array) -> Array:
    """Return `a @ b` transposed, over the last axis, `(..., K, K)`."""
    width = a.shape[-2]
    result = np.zeros((*a.shape[:-1], width))
    step = max(1, NO_THREADS // max(1, width * width))
    for start in range(0, a.shape[-1], step):
        some = slice(start, start + step)
        result += np.matmul(a[..., some], b[..., some].swapaxes(-1, -2))
    return result
