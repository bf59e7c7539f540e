"""A permutation test over data sets: is one bucket better than another on all of them, whichever two were picked."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.stats.contrasts import TYPICAL
from slicewise.stats.ratio import ratio
from slicewise.stats.tests import TOLERANCE, Finish


@dataclass(frozen=True)
class LabelPermutation:
    """The p of the gap between two buckets; NaN where nothing was tested."""

    p: float
    smallest_p: float
    """What no p can be below with so many data sets and buckets."""
    datasets: int
    """Data sets with two buckets or more."""


NOT_TESTED = LabelPermutation(nan, nan, 0)


def gap_p(
    values: NDArray[Any], variances: NDArray[Any], best: int, worst: int, *, draws: int, seed: int
) -> LabelPermutation:
    """Test the gap between the buckets `best` and `worst` of `(data sets, buckets)`; NaN where a bucket is empty.

    Values are standardised, then permuted within each data set. The gap of the two buckets' means over data sets is
    compared with the largest gap between any two in every draw, so that it does not matter how they were picked.
    """
    scaled = standardised(values, variances)
    scaled = scaled[~np.isnan(scaled).all(axis=1)]
    means = _means(scaled)
    if np.isnan(means[[best, worst]]).any() or not np.nan_to_num(scaled).any():
        return NOT_TESTED
    gap = float(means[best] - means[worst])
    largest = _largest_gaps(scaled, draws, seed)
    # equal up to rounding is equal
    as_large = largest >= gap - TOLERANCE * float(np.nanmax(np.abs(scaled)))
    p = (1 + int(as_large.sum())) / (1 + draws)
    return LabelPermutation(p, max(_smallest_p(scaled, best, worst), 1 / (1 + draws)), len(scaled))


def standardised(values: NDArray[Any], variances: NDArray[Any]) -> Array:
    """Return the deviations of each data set's buckets from its weighted mean, in standard errors.

    A standard error has two parts: that of the bucket's value, and how much buckets differ between data sets anyway,
    which is estimated from all of them (DerSimonian and Laird). A data set with one bucket has no deviations: NaN.
    """
    values = np.where(np.isnan(variances), np.nan, np.asarray(values, dtype=np.float64))
    values[(~np.isnan(values)).sum(axis=1) < 2] = np.nan
    variance = _positive(values, np.asarray(variances, dtype=np.float64))
    total = variance + _between(values, variance)
    return np.asarray(_centred(values, total) / np.sqrt(total))


def _positive(values: Array, variance: Array) -> Array:
    """Replace the variances of a data set that has a 0 among them by the spread of its values, or 1 if they are equal.

    So few clusters say nothing of their variance.
    """
    defined = ~np.isnan(values)
    count = np.maximum(defined.sum(axis=1, keepdims=True), 1)
    mean = np.where(defined, values, 0.0).sum(axis=1, keepdims=True) / count
    spread = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=1, keepdims=True) / count
    unknown = (defined & ~(variance > 0)).any(axis=1, keepdims=True)
    return np.where(unknown, np.where(spread > 0, spread, 1.0), np.where(defined, variance, 1.0))


def _centred(values: Array, variance: Array) -> Array:
    """Return values less the mean of their data set, weighted by 1/variance."""
    weights = np.where(np.isnan(values), 0.0, 1 / variance)
    total = weights.sum(axis=1, keepdims=True)
    return values - ratio((weights * np.nan_to_num(values)).sum(axis=1, keepdims=True), total)


def _between(values: Array, variance: Array) -> float:
    """Return the variance of buckets within data sets beyond that of their values; 0 or more."""
    weights = np.where(np.isnan(values), 0.0, 1 / variance)
    total, squares = weights.sum(axis=1), (weights**2).sum(axis=1)
    excess = float((weights * np.nan_to_num(_centred(values, variance)) ** 2).sum())
    excess -= float(np.maximum((~np.isnan(values)).sum(axis=1) - 1, 0).sum())
    scale = float((total - np.nan_to_num(ratio(squares, total))).sum())
    return max(0.0, excess / scale) if scale > 0 else 0.0


def _means(scaled: Array) -> Array:
    return ratio(np.nan_to_num(scaled).sum(axis=0), (~np.isnan(scaled)).sum(axis=0))


def _largest_gaps(scaled: Array, draws: int, seed: int) -> Array:
    """Return the largest gap between two buckets' means in every draw."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    filled = ~np.isnan(scaled)
    sums = np.zeros((draws, scaled.shape[1]))
    for row, present in zip(scaled, filled, strict=True):
        places = np.flatnonzero(present)
        sums[:, places] += row[places][np.argsort(rng.random((draws, len(places))), axis=1)]
    count = filled.sum(axis=0)
    means = sums[:, count > 0] / count[count > 0]
    return np.asarray(means.max(axis=1) - means.min(axis=1))


def _smallest_p(scaled: Array, best: int, worst: int) -> float:
    """Return the share of draws that leave the two buckets as they are, and so have as large a gap.

    Where no bucket is empty, the same values of every data set may stand in any two buckets.
    """
    filled = ~np.isnan(scaled)
    buckets = filled.sum(axis=1).astype(np.float64)
    one, other = filled[:, best], filled[:, worst]
    share = np.prod(np.where(one & other, 1 / (buckets * (buckets - 1)), np.where(one | other, 1 / buckets, 1.0)))
    complete = (filled == filled[0]).all()
    return float(share * buckets[0] * (buckets[0] - 1)) if complete else float(share)


def bucket_variance(cells: NDArray[Any], finish: Finish, sizes: NDArray[Any]) -> Array:
    """Return the variance of each bucket's value: a jackknife over clusters, with some typical units among its own.

    `cells` are statistics `(clusters, runs, buckets, k)`, `sizes` the units in each bucket; values are averaged over
    runs. A bucket with 3 of 3 right is not certain, so its variance per unit is taken together with that of all units.
    """
    cells, sizes = np.asarray(cells, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    jackknifed = _jackknife(cells, finish)
    typical = _jackknife(cells.sum(axis=2, keepdims=True), finish) * sizes.sum()
    shrunk = (sizes * jackknifed * sizes + TYPICAL * typical) / (sizes + TYPICAL)
    return ratio(shrunk, sizes)


def _jackknife(cells: Array, finish: Finish) -> Array:
    """Return the variance of the mean over runs, `(buckets,)`, from leaving out each cluster that has units there."""
    total = cells.sum(axis=0)
    variance = np.zeros(cells.shape[2])
    for bucket in range(cells.shape[2]):
        present = cells[:, :, bucket][cells[:, :, bucket].any(axis=(1, 2))]
        left = finish(total[:, bucket] - present)
        defined = ~np.isnan(left)
        values = ratio(np.where(defined, left, 0.0).sum(axis=1), defined.sum(axis=1))
        values = values[~np.isnan(values)]
        if len(values) > 1:
            variance[bucket] = (len(values) - 1) * float(values.var())
    return variance
