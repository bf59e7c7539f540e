"""Ranks with ties, rank correlation with an order, and spread: a row of values per system, NaN where undefined."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.ratio import ratio

LOW_BITS = np.int64(2**63 - 1)


def in_order(values: Array) -> Ints:
    """Return whole numbers that stand in the same order as values, and are equal where these are; no value is NaN."""
    bits = (np.asarray(values, np.float64) + 0.0).view(np.int64)
    return np.asarray(np.where(bits < 0, bits ^ LOW_BITS, bits))


def from_order(numbers: Ints) -> Array:
    """Return the values that such whole numbers stand for."""
    return np.asarray(np.where(numbers < 0, numbers ^ LOW_BITS, numbers), np.int64).view(np.float64)


def average_ranks(values: NDArray[Any]) -> Array:
    """Return ranks from 1 along the last axis, equal values sharing their mean rank; NaN has no rank and stays NaN."""
    values = np.asarray(values, dtype=np.float64)
    count = values.shape[-1]
    order = np.argsort(values, axis=-1)  # NaN come last
    ordered = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(count), values.shape)
    step = ordered[..., 1:] != ordered[..., :-1]
    edge = np.ones((*values.shape[:-1], min(1, count)), dtype=np.bool_)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, step], axis=-1), place, 0), axis=-1)
    ends = np.where(np.concatenate([step, edge], axis=-1), place, count)
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    ranks[np.isnan(values)] = np.nan
    return ranks


def spearman(values: NDArray[Any], order: NDArray[Any]) -> Array:
    """Return the rank correlation along the last axis, over the places where both are defined.

    NaN where fewer than 3 places are defined or one side is constant there.
    """
    values, order = np.broadcast_arrays(np.asarray(values, np.float64), np.asarray(order, np.float64))
    defined = ~(np.isnan(values) | np.isnan(order))
    count = defined.sum(axis=-1)
    # the mean of n ranks is (n + 1)/2, ties or not: all sums below are exact, and a constant side has exactly 0
    middle = ((count + 1) / 2)[..., None]
    a, b = (np.where(defined, average_ranks(np.where(defined, side, np.nan)) - middle, 0.0) for side in (values, order))
    scale = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    return np.where(count >= 3, ratio((a * b).sum(axis=-1), scale), np.nan)


def spread(values: NDArray[Any]) -> Array:
    """Return the population standard deviation of the defined values along the last axis, NaN where there are none."""
    values = np.asarray(values, dtype=np.float64)
    defined = ~np.isnan(values)
    count = defined.sum(axis=-1)
    lowest = np.where(defined, values, np.inf).min(axis=-1, initial=np.inf, keepdims=True)
    # from the lowest value, so that equal values have exactly no spread
    above = np.subtract(values, lowest, out=np.zeros(values.shape), where=defined)
    mean = above.sum(axis=-1, keepdims=True) / np.maximum(count, 1)[..., None]
    squares = np.where(defined, (above - mean) ** 2, 0.0).sum(axis=-1)
    return np.sqrt(ratio(squares, count))
