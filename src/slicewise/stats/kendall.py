"""Kendall's rank correlation of item scores with a number that every item has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.stats.tails import Tail, lower_normal


@dataclass(frozen=True)
class Kendall:
    """Correlation of values with scores, positive = large values with high scores; NaN where either is constant."""

    tau: float
    """τ_b."""
    z: float
    """Concordant minus discordant pairs over the standard deviation of that difference, corrected for ties."""

    @property
    def large(self) -> Tail:
        """Return the one-sided p that large values go with low scores."""
        return lower_normal(np.asarray(self.z))

    @property
    def small(self) -> Tail:
        """Return the one-sided p that small values go with low scores."""
        return lower_normal(np.asarray(-self.z))


def kendall(scores: NDArray[Any], values: NDArray[Any], counts: NDArray[Any] | None = None) -> Kendall:
    """Correlate values with scores, of which only the order matters: doubled ranks will do.

    `counts`: how many items have each pair of a score and a value; one, unless given.
    """
    return agreement_of(scores, values, counts).kendall()


def agreement_of(scores: NDArray[Any], values: NDArray[Any], counts: NDArray[Any] | None = None) -> Agreement:
    """Count what the correlation of values with scores is computed from."""
    a, b, weights = _counted(scores, values, counts)
    return Agreement(
        int(weights.sum()),
        Ties.of(_sums_by_code(a, weights)),
        Ties.of(_sums_by_code(b, weights)),
        Ties.of(weights).pairs,
        inversions(b, weights),
    )


def stratified_kendall(strata: Sequence[Agreement]) -> Kendall:
    """Return the correlation within strata: pairs of items of one stratum count, and their variances add up."""
    agreement = sum(stratum.difference for stratum in strata)
    untied_a, untied_b = (sum(untied) for untied in zip(*(stratum.untied for stratum in strata), strict=True))
    variance = sum(stratum.variance for stratum in strata if all(stratum.untied))
    if not (untied_a and untied_b and variance):
        return Kendall(math.nan, math.nan)
    return Kendall(agreement / math.sqrt(untied_a * untied_b), agreement / math.sqrt(variance))


def discordant(scores: NDArray[Any], values: NDArray[Any], counts: NDArray[Any]) -> int:
    """Return of how many pairs of items the one has the lower score and the higher value."""
    _, values, weights = _counted(scores, values, counts)
    return inversions(values, weights)


@dataclass(frozen=True)
class Agreement:
    """The counts that Kendall's correlation is computed from."""

    n: int
    a: Ties
    b: Ties
    """Of scores, and of values."""
    tied_in_both: int
    """Pairs that are equal in both."""
    discordant: int

    @property
    def untied(self) -> tuple[int, int]:
        """How many pairs of items have different scores, and different values."""
        pairs = self.n * (self.n - 1) // 2
        return pairs - self.a.pairs, pairs - self.b.pairs

    @property
    def difference(self) -> int:
        """Concordant minus discordant pairs."""
        return self.untied[0] - self.b.pairs + self.tied_in_both - 2 * self.discordant

    @property
    def variance(self) -> float:
        """Of the difference, corrected for ties."""
        return _variance(self.n, self.a, self.b)

    def kendall(self) -> Kendall:
        """Return the correlation."""
        untied_a, untied_b = self.untied
        if not (untied_a and untied_b):
            return Kendall(math.nan, math.nan)
        spread = math.sqrt(self.variance)
        return Kendall(self.difference / math.sqrt(untied_a * untied_b), self.difference / spread)


def _counted(scores: NDArray[Any], values: NDArray[Any], counts: NDArray[Any] | None) -> tuple[Ints, Ints, Ints]:
    """Return the places of scores and of values, each combination once and in order, with its count."""
    a, b = _codes(scores), _codes(values)
    weights = np.ones(len(a), np.int64) if counts is None else np.asarray(counts, np.int64)
    order = np.lexsort((b, a))
    a, b, weights = a[order], b[order], weights[order]
    starts = np.flatnonzero(np.diff(a, prepend=-1) | np.diff(b, prepend=-1))
    return a[starts], b[starts], np.add.reduceat(weights, starts) if len(starts) else weights


def inversions(codes: NDArray[Any], counts: NDArray[Any] | None = None) -> int:
    """Return how many pairs of whole numbers from 0 stand in the wrong order; `counts`: how often each stands there.

    Bit by bit from the highest, among numbers that are equal above it: each 0 is passed by the 1s before it. Then the
    0s move before the 1s, and otherwise numbers keep their order.
    """
    codes = np.asarray(codes, dtype=np.int64)
    weights = np.ones(len(codes), np.int64) if counts is None else np.asarray(counts, np.int64)
    total = 0
    for bit in reversed(range(int(codes.max(initial=0)).bit_length())):
        group, half = codes >> (bit + 1), codes >> bit
        bit_set = (half & 1).astype(np.bool_)
        sizes = np.bincount(group)
        start = np.cumsum(sizes) - sizes
        passed, weight_passed = (_grouped_cumsum(np.where(bit_set, values, 0), start, sizes) for values in (1, weights))
        total += int(np.dot(weight_passed[~bit_set], weights[~bit_set]))
        halves = np.bincount(half)
        within = np.where(bit_set, passed - 1, np.arange(len(codes)) - np.repeat(start, sizes) - passed)
        place = (np.cumsum(halves) - halves)[half] + within
        codes, weights = _permuted(codes, place), _permuted(weights, place)
    return total


def _grouped_cumsum(numbers: Ints, start: Ints, sizes: Ints) -> Ints:
    """Return running sums that begin anew in every group."""
    running = np.cumsum(numbers)
    before = np.concatenate([np.zeros(1, dtype=np.int64), running])[start]
    return np.asarray(running - np.repeat(before, sizes))


def _permuted(numbers: Ints, place: Ints) -> Ints:
    moved = np.empty_like(numbers)
    moved[place] = numbers
    return moved


def _sums_by_code(codes: Ints, weights: Ints) -> Ints:
    """Return the sum of the weights of each code."""
    sums = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    np.add.at(sums, codes, weights)
    return sums


@dataclass(frozen=True)
class Ties:
    """Sums over groups of t equal values."""

    pairs: int
    """Σ t(t−1)/2."""
    triples: int
    """Σ t(t−1)(t−2)."""
    weighted: int
    """Σ t(t−1)(2t+5)."""

    @classmethod
    def of(cls, sizes: NDArray[Any]) -> Ties:
        """Sum over groups of some sizes."""
        return cls.of_groups(*np.unique(sizes, return_counts=True))

    @classmethod
    def of_groups(cls, sizes: NDArray[Any], groups: NDArray[Any]) -> Ties:
        """Sum over groups, given the number of groups of each size; in Python integers, as third powers are large."""
        terms = [(t, k * t * (t - 1)) for t, k in zip(sizes.tolist(), groups.tolist(), strict=True)]
        pairs = sum(k for _, k in terms) // 2
        return cls(pairs, sum(k * (t - 2) for t, k in terms), sum(k * (2 * t + 5) for t, k in terms))


def _variance(n: int, a: Ties, b: Ties) -> float:
    """Return the variance of concordant minus discordant pairs if all orders are equally probable."""
    ordered = n * (n - 1)
    variance = (ordered * (2 * n + 5) - a.weighted - b.weighted) / 18 + 2 * a.pairs * b.pairs / ordered
    return variance + (a.triples * b.triples / (9 * ordered * (n - 2)) if n > 2 else 0.0)


def _codes(values: NDArray[Any]) -> Ints:
    """Return each value's place among the different values."""
    values = np.asarray(values)
    if np.isnan(values).any():
        message = "a value that is not a number has no rank"
        raise ValueError(message)
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
