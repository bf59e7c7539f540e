"""Mann–Whitney tests of many features at once: whether the items that have a feature score lower than the rest.

All a test needs is how many items have the feature and the sum of their ranks. Ranks are doubled, so that mean ranks
are whole, sums are exact and ties are ties.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.hypergeometric import hypergeometric_at_most
from slicewise.stats.rank_counts import NullSums, countable, counted
from slicewise.stats.rank_tails import Mode, log_saddlepoint_tail
from slicewise.stats.ranks import average_ranks
from slicewise.stats.ratio import ratio
from slicewise.stats.tails import LN10, Tail

Side = Literal["low", "high"]
"""Whether a small p says that the items with the feature have low scores, or high ones."""

METHODS = ("hypergeometric", "normal", "counted", "modal", "saddlepoint")
HYPERGEOMETRIC, NORMAL, COUNTED, MODAL, SADDLEPOINT = range(5)
MOST_COUNTED = 49  # items of which all ways to pick them may be counted


@dataclass(frozen=True, eq=False)
class RankTests:
    """One test per feature."""

    auc: Array
    """How probable it is that an item with the feature scores higher than one without; ties count half."""
    z: Array
    """Corrected for ties, not for continuity; NaN where no score differs or no item is left to compare."""
    p: Array
    """One-sided; 1 where z is NaN."""
    log10_p: Array
    method: NDArray[np.int8]
    """Where p comes from: a place in `METHODS`."""
    chi2: Array
    """Of the 2×2 table, not corrected; NaN where scores are not binary or z is NaN."""


def doubled_ranks(scores: NDArray[Any]) -> Ints:
    """Return twice the rank of each score from 1 for the lowest, equal scores sharing their mean rank."""
    scores = np.asarray(scores, dtype=np.float64)
    if np.isnan(scores).any():
        message = "a score that is not a number has no rank"
        raise ValueError(message)
    return np.asarray(2 * average_ranks(scores), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class RankNull:
    """The null distribution of rank sums: a feature is independent of the scores."""

    n: int
    doubled: Ints
    """The doubled rank of each item, or of each distinct score."""
    ranks: Ints
    """The doubled ranks that occur, ascending."""
    sizes: Ints
    """How many items have each."""
    _sums: dict[int, NullSums] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, scores: NDArray[Any]) -> RankNull:
        """Rank the items by score, larger = better."""
        doubled = doubled_ranks(scores)
        ranks, sizes = np.unique(doubled, return_counts=True)
        return cls(len(doubled), doubled, ranks, sizes.astype(np.int64))

    @classmethod
    def of_counts(cls, sizes: NDArray[Any]) -> RankNull:
        """Rank distinct scores, given in ascending order by their numbers of items."""
        sizes = np.asarray(sizes, np.int64)
        ends = np.cumsum(sizes)
        ranks = 2 * ends - sizes + 1  # the first and the last rank of equal scores
        return cls(int(sizes.sum()), ranks, ranks, sizes)

    def forget(self) -> None:
        """Let go of what was counted for tests."""
        self._sums.clear()

    @property
    def binary(self) -> bool:
        """Return whether there are exactly two distinct scores."""
        return len(self.ranks) == 2

    @property
    def ties(self) -> int:
        """Return Σ(t³ − t) over the groups of equal scores."""
        return sum_of_ties(self.sizes)

    def tests(self, n1: NDArray[Any], doubled_sum: NDArray[Any], side: Side = "low") -> RankTests:
        """Test features that `n1` items have, the doubled ranks of which sum to `doubled_sum`."""
        n1, doubled_sum = np.asarray(n1, dtype=np.int64), np.asarray(doubled_sum, dtype=np.int64)
        auc, z, chi2 = self.effects(n1, doubled_sum)
        p, log10_p, method = np.ones(len(z)), np.zeros(len(z)), self._methods(n1)
        testable = np.flatnonzero(~np.isnan(z))
        if len(testable):
            tail = self._tail(n1[testable], doubled_sum[testable], method[testable], side)
            p[testable], log10_p[testable] = tail.p, tail.log10_p
        return RankTests(auc, z, p, log10_p, method, chi2)

    def effects(self, n1: Ints, doubled_sum: Ints) -> tuple[Array, Array, Array]:
        """Return the AUC, z and χ² of features, without testing them."""
        pairs = n1.astype(np.float64) * (self.n - n1)
        auc = ratio(doubled_sum - n1 * (n1 + 1), 2 * pairs)
        z = ratio(doubled_sum - n1 * (self.n + 1), np.sqrt(pairs * self._spread()))
        return auc, z, z**2 * self.n / (self.n - 1) if self.binary else np.full(len(z), np.nan)

    @property
    def deviation(self) -> float:
        """The standard deviation of a doubled rank."""
        return math.sqrt(self._spread() * (self.n - 1)) if self.n > 1 else 0.0

    def _spread(self) -> float:
        """Return what the variance of a doubled rank sum is for each pair of an item with and one without."""
        if self.n < 2:
            return 0.0
        return (self.n**3 - self.n - self.ties) / (3 * self.n * (self.n - 1))

    def _tail(self, n1: Ints, doubled_sum: Ints, method: NDArray[np.int8], side: Side) -> Tail:
        """Return p of each feature by its method."""
        if self.binary:
            return self._hypergeometric(n1, doubled_sum, side)
        log_p = np.zeros(len(n1))
        few = method == COUNTED
        if few.any():
            log_p[few] = np.log(self._few(n1[few], doubled_sum[few], side))
        sums = doubled_sum if side == "low" else 2 * n1 * (self.n + 1) - doubled_sum
        for number in (MODAL, SADDLEPOINT):
            at = np.flatnonzero(method == number)
            if len(at):
                tests, where = np.unique(np.column_stack([n1[at], sums[at]]), axis=0, return_inverse=True)
                log_p[at] = self.log_tail(tests[:, 0], tests[:, 1], number, side)[where.ravel()]
        return Tail(np.exp(log_p), log_p / LN10)

    def log_tail(self, n1: Ints, sums: Ints, method: int, side: Side = "low") -> Array:
        """Return log P(sum ≤ observed) by one of the approximations; of ranks from the highest score on, if `high`."""
        if method == MODAL and self._mode is not None:
            mode = self._mode if side == "low" else self._mode.mirrored
            return mode.log_tail(n1, sums)
        return log_saddlepoint_tail(self if side == "low" else _Mirrored(self), n1, sums)

    def _methods(self, n1: Ints) -> NDArray[np.int8]:
        if self.binary:
            return np.full(len(n1), HYPERGEOMETRIC, dtype=np.int8)
        method = np.full(len(n1), SADDLEPOINT, dtype=np.int8)
        if self._mode is not None:
            method[self._mode.countable(n1)] = MODAL
        method[np.minimum(n1, self.n - n1) <= self._countable()] = COUNTED
        return method

    def _hypergeometric(self, n1: Ints, doubled_sum: Ints, side: Side) -> Tail:
        """Return p where the rank sum says how many items with the feature have the higher score."""
        lower, higher = self.sizes.tolist()
        high = (doubled_sum - n1 * self.ranks[0]) // (self.ranks[1] - self.ranks[0])
        if side == "low":
            return hypergeometric_at_most(self.n, higher, n1, high)
        return hypergeometric_at_most(self.n, lower, n1, n1 - high)

    def _few(self, n1: Ints, doubled_sum: Ints, side: Side) -> Array:
        """Return p from the distribution of the sum on the side that has fewer items."""
        swapped = n1 > self.n - n1
        few = np.where(swapped, self.n - n1, n1)
        sums = np.where(swapped, self.n * (self.n + 1) - doubled_sum, doubled_sum)
        new = set(np.unique(few).tolist()) - self._sums.keys()
        self._sums.update(counted(self.ranks, self.sizes, new))
        p = np.empty(len(few))
        order = np.lexsort((swapped, few))
        starts = np.flatnonzero(np.diff(few[order] * 2 + swapped[order], prepend=-1))
        for group in np.split(order, starts[1:]):
            null, at_most = self._sums[int(few[group[0]])], (side == "low") != swapped[group[0]]
            p[group] = null.at_most(sums[group]) if at_most else null.at_least(sums[group])
        return p

    def _countable(self) -> int:
        """Return up to how many items all ways to pick them are counted."""
        return countable(self.ranks, self.sizes, min(MOST_COUNTED, self.n // 2))

    @cached_property
    def _mode(self) -> Mode | None:
        return Mode.of(self)

    @property
    def distinct(self) -> int:
        """How many different scores there are."""
        return len(self.ranks)

    def ties_below(self, place: int) -> int:
        """Return Σ(t³ − t) over the groups of equal scores that begin before a place."""
        return sum_of_ties(self.sizes[np.cumsum(self.sizes) - self.sizes < place])

    def tie_at(self, places: Ints) -> tuple[Ints, Ints]:
        """Return where the group of equal scores at each place begins, and how many items it has."""
        starts = np.cumsum(self.sizes) - self.sizes
        group = np.searchsorted(starts, places, side="right") - 1
        return starts[group], self.sizes[group]


@dataclass(frozen=True, eq=False)
class _Mirrored:
    """Items from the highest score on, for the other tail."""

    null: RankNull

    @property
    def n(self) -> int:
        return self.null.n

    @property
    def distinct(self) -> int:
        return self.null.distinct

    @property
    def ties(self) -> int:
        return self.null.ties

    def ties_below(self, place: int) -> int:
        return self.null.ties - self.null.ties_below(self.n - place)

    def tie_at(self, places: Ints) -> tuple[Ints, Ints]:
        start, size = self.null.tie_at(self.n - 1 - places)
        return self.n - start - size, size


def sum_of_ties(sizes: Ints) -> int:
    """Return Σ(t³ − t) over groups of these sizes."""
    distinct, groups = np.unique(sizes, return_counts=True)
    return sum(k * (t**3 - t) for t, k in zip(distinct.tolist(), groups.tolist(), strict=True))
