"""Differences between the slices of one system: t tests on the covariance of the bootstrap draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.stats.products import COLUMNS, DEPTH, ROWS
from slicewise.stats.ratio import ratio
from slicewise.stats.student import two_sided

NO_THREADS = ROWS * DEPTH * COLUMNS  # multiplications in one product; `products` says why
ROUNDING = 1e-12  # a variance below this share of its terms is 0

TYPICAL = 20  # typical units that a slice's own are taken together with to estimate their variance


def differences_p(values: NDArray[Any], draws: NDArray[Any], floor: NDArray[Any], degrees: NDArray[Any]) -> Array:
    """Return the two-sided p of the difference of every two slices, `(..., K, K)`.

    `values` is `(..., K)`, `draws` its bootstrap draws `(B, ..., K)`, `floor` the least variance to believe in for
    each value: what the draws of one vary less is added to the variance of a difference. `degrees` are the degrees of
    freedom of each value's variance (Welch's formula gives those of a difference). NaN on the diagonal, where a value
    or its floor is undefined, where fewer than 2 draws have both, and where nothing varies.
    """
    values, floor = np.asarray(values, dtype=np.float64), np.asarray(floor, dtype=np.float64)
    difference = values[..., :, None] - values[..., None, :]
    lacking = np.maximum(floor - np.nan_to_num(variance_of_draws(draws)), 0.0)
    variance = _difference_variance(draws) + (lacking[..., :, None] + lacking[..., None, :])
    testable = (variance > 0) & ~np.isnan(difference) & ~np.eye(values.shape[-1], dtype=np.bool_)
    t = np.divide(np.abs(difference), np.sqrt(variance), out=np.full(difference.shape, np.nan), where=testable)
    return two_sided(t, _welch(floor, np.asarray(degrees, dtype=np.float64)))


def _welch(variance: Array, degrees: Array) -> Array:
    """Return the degrees of freedom of the difference of every two values; at least the fewer of the two."""
    summed = variance[..., :, None] + variance[..., None, :]
    parts = variance**2 / np.maximum(degrees, 1.0)
    parts = parts[..., :, None] + parts[..., None, :]
    fewer = np.minimum(degrees[..., :, None], degrees[..., None, :])
    combined = np.divide(summed**2, parts, out=np.array(fewer, dtype=np.float64), where=parts > 0)
    return np.maximum(combined, 1.0)


def shrunk_variance(draws: NDArray[Any], overall: NDArray[Any], sizes: NDArray[Any]) -> Array:
    """Return the variance of each slice's value, `(..., K)`, as if some typical units were among its own.

    `draws` is `(B, ..., K)`, `overall` the draws of the value over all slices `(B, ...)`, `sizes` the units of each
    slice. A slice with 0 of 3 right is not certain: three units say little of their own variance.
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    per_unit = variance_of_draws(draws) * sizes
    typical = variance_of_draws(overall)[..., None] * sizes.sum(axis=-1, keepdims=True)
    per_unit = np.where(np.isnan(per_unit), typical, per_unit)
    return np.asarray((sizes * per_unit + TYPICAL * typical) / (sizes + TYPICAL) / np.maximum(sizes, 1.0))


def variance_of_draws(draws: NDArray[Any]) -> Array:
    """Return the variance over the defined draws; NaN where there are fewer than 2."""
    defined = ~np.isnan(draws)
    count = defined.sum(axis=0)
    mean = np.where(defined, draws, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = (np.where(defined, draws - mean, 0.0) ** 2).sum(axis=0)
    return ratio(squares, np.maximum(count - 1, 0))


def _difference_variance(draws: NDArray[Any]) -> Array:
    """Return the variance, `(..., K, K)`, of the difference of every two columns where both are defined."""
    columns = np.moveaxis(np.asarray(draws, dtype=np.float64), 0, -1)
    defined = ~np.isnan(columns)
    present = np.ascontiguousarray(defined, dtype=np.float64)
    mean = np.where(defined, columns, 0.0).sum(axis=-1) / np.maximum(defined.sum(axis=-1), 1)
    centred = np.where(defined, columns - mean[..., None], 0.0)
    count = _products(present, present)
    squares = _products(centred**2, present)  # of one, in the draws that have the other too
    squares += squares.swapaxes(-1, -2)
    sums = _products(centred, present)
    shared = _products(centred, centred)
    shift = (sums - sums.swapaxes(-1, -2)) ** 2 / np.maximum(count, 1)
    total = squares - (shared + shared.swapaxes(-1, -2)) - shift
    total[total < ROUNDING * squares] = 0.0
    return ratio(total, np.maximum(count - 1, 0))


def _products(a: Array, b: Array) -> Array:
    """Return `a @ b` transposed, over the last axis, `(..., K, K)`."""
    width = a.shape[-2]
    result = np.zeros((*a.shape[:-1], width))
    step = max(1, NO_THREADS // max(1, width * width))
    for start in range(0, a.shape[-1], step):
        block = slice(start, start + step)
        result += np.matmul(a[..., block], b[..., block].swapaxes(-1, -2))
    return result
