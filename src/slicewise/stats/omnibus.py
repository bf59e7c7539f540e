"""Tests over blocks: do treatments differ in any way (Friedman), do paired values differ (Wilcoxon signed-rank)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.ranks import average_ranks

EXACT_UP_TO = 25  # differences; beyond, the normal distribution is as good
NOISE = 1e-12  # share of the largest difference below which differences are rounding


@dataclass(frozen=True)
class Friedman:
    """The tie-corrected χ² of Friedman's test, NaN where there is no test, and what it rests on."""

    statistic: float
    p: float
    blocks: int
    treatments: int
    dropped: int
    """Blocks left out because a treatment is undefined in them."""


@dataclass(frozen=True)
class Wilcoxon:
    """The two-sided p of the signed-rank test, NaN where no difference is left, and what it rests on."""

    p: float
    n: int
    """Differences that are not zero."""
    zeros: int
    method: Literal["exact", "normal"]


def friedman(table: NDArray[Any]) -> Friedman:
    """Test whether any treatment of `(blocks, treatments)` is better than another.

    A treatment undefined in all blocks is no treatment; then a block with an undefined treatment is dropped. Fewer
    than 3 treatments or 2 blocks, or nothing but ties, is no test.
    """
    table = np.asarray(table, dtype=np.float64)
    table = table[:, ~np.isnan(table).all(axis=0)]
    complete = table[~np.isnan(table).any(axis=1)]
    blocks, treatments = complete.shape
    statistic = _friedman_statistic(complete) if treatments >= 3 and blocks >= 2 else math.nan
    return Friedman(statistic, chi2_tail(statistic, treatments - 1), blocks, treatments, len(table) - blocks)


def smallest_friedman_p(blocks: int, treatments: int) -> float:
    """Return the p where all blocks rank the treatments alike: no p can be below it. 1 where there is no test."""
    return chi2_tail(blocks * (treatments - 1), treatments - 1) if treatments >= 3 and blocks >= 2 else 1.0


def _friedman_statistic(table: Array) -> float:
    """Return χ² as between over within: dividing by the ranks' own variance is the correction for ties."""
    treatments = table.shape[1]
    ranks = average_ranks(table) - (treatments + 1) / 2
    within = float((ranks**2).sum())
    return (treatments - 1) * float((ranks.sum(axis=0) ** 2).sum()) / within if within else math.nan


def chi2_tail(statistic: float, degrees: int) -> float:
    """Return how probable at least this χ² is: the finite sum for whole degrees of freedom."""
    half = statistic / 2
    if not half > 0:
        return math.nan if math.isnan(half) else 1.0
    odd = degrees % 2 / 2
    terms = (math.exp((i + odd) * math.log(half) - half - math.lgamma(i + odd + 1)) for i in range(degrees // 2))
    return min(1.0, math.fsum(terms) + (math.erfc(math.sqrt(half)) if odd else 0.0))


def wilcoxon(differences: NDArray[Any]) -> Wilcoxon:
    """Test whether differences lie to one side of 0; NaN is left out, zeros are dropped and counted.

    Scores computed along two ways differ in their last digits, and a difference of scores keeps that noise at the
    size it had in the scores. So what is equal up to 1e-12 of the largest difference ties, and so small a one is 0.
    """
    differences = np.asarray(differences, dtype=np.float64)
    differences = differences[~np.isnan(differences)]
    noise = NOISE * float(np.abs(differences).max(initial=0.0))
    nonzero = differences[np.abs(differences) > noise]
    doubled = _doubled_ranks(np.abs(nonzero), noise)
    positive = int(doubled[nonzero > 0].sum())
    exact = len(nonzero) <= EXACT_UP_TO
    p = math.nan
    if len(nonzero):
        p = _exact_p(doubled, positive) if exact else _normal_p(doubled, positive)
    return Wilcoxon(p, len(nonzero), len(differences) - len(nonzero), "exact" if exact else "normal")


def _doubled_ranks(sizes: Array, noise: float) -> Ints:
    """Return twice the ranks, which are whole; sizes less than `noise` apart tie."""
    order = np.argsort(sizes)
    group = np.empty(len(sizes))
    group[order] = np.concatenate([np.zeros(min(1, len(sizes))), np.cumsum(np.diff(sizes[order]) > noise)])
    return np.asarray(2 * average_ranks(group), dtype=np.int64)


def _exact_p(doubled: Ints, positive: int) -> float:
    """Return the share of all sign flips whose positive ranks sum to something as far from the middle."""
    total = int(doubled.sum())
    ways = np.zeros(total + 1, dtype=np.int64)
    ways[0] = 1
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    distance = np.abs(2 * np.arange(total + 1) - total)
    return float(ways[distance >= abs(2 * positive - total)].sum() / 2 ** len(doubled))


def _normal_p(doubled: Ints, positive: int) -> float:
    """Return the normal approximation without continuity correction; the ranks' own squares correct for ties."""
    squares = float((doubled.astype(np.float64) ** 2).sum())
    return math.erfc(abs(2 * positive - int(doubled.sum())) / math.sqrt(2 * squares))
