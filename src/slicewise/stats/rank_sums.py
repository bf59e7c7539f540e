"""Mann–Whitney tests of many features at once: whether the items that have a feature score lower than the rest.

All a test needs is how many items have the feature and the sum of their ranks. Ranks are doubled, so that mean ranks
are whole, sums are exact and ties are ties.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.hypergeometric import hypergeometric_at_most
from slicewise.stats.rank_counts import NullSums, countable, counted, drawn
from slicewise.stats.ranks import average_ranks
from slicewise.stats.ratio import ratio
from slicewise.stats.tails import Tail, lower_normal

Side = Literal["low", "high"]
"""Whether a small p says that the items with the feature have low scores, or high ones."""

METHODS = ("hypergeometric", "normal", "counted", "drawn")
HYPERGEOMETRIC, NORMAL, COUNTED, DRAWN = range(4)
NORMAL_FROM = 50  # items on both sides, from which on the normal distribution serves


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
    seed: int = 0
    _sums: dict[int, NullSums] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, scores: NDArray[Any], *, seed: int = 0) -> RankNull:
        """Rank the items by score, larger = better."""
        doubled = doubled_ranks(scores)
        ranks, sizes = np.unique(doubled, return_counts=True)
        return cls(len(doubled), doubled, ranks, sizes.astype(np.int64), seed)

    @classmethod
    def of_counts(cls, sizes: NDArray[Any], *, seed: int = 0) -> RankNull:
        """Rank distinct scores, given in ascending order by their numbers of items."""
        sizes = np.asarray(sizes, np.int64)
        ends = np.cumsum(sizes)
        ranks = 2 * ends - sizes + 1  # the first and the last rank of equal scores
        return cls(int(sizes.sum()), ranks, ranks, sizes, seed)

    def forget(self) -> None:
        """Let go of what was counted and drawn for tests."""
        self._sums.clear()

    @property
    def binary(self) -> bool:
        """Return whether there are exactly two distinct scores."""
        return len(self.ranks) == 2

    @property
    def ties(self) -> int:
        """Return Σ(t³ − t) over the groups of equal scores."""
        sizes, groups = np.unique(self.sizes, return_counts=True)
        return sum(k * (t**3 - t) for t, k in zip(sizes.tolist(), groups.tolist(), strict=True))

    def tests(self, n1: NDArray[Any], doubled_sum: NDArray[Any], side: Side = "low") -> RankTests:
        """Test features that `n1` items have, the doubled ranks of which sum to `doubled_sum`."""
        n1, doubled_sum = np.asarray(n1, dtype=np.int64), np.asarray(doubled_sum, dtype=np.int64)
        n2 = self.n - n1
        pairs = n1.astype(np.float64) * n2
        auc = ratio(doubled_sum - n1 * (n1 + 1), 2 * pairs)
        z = ratio(doubled_sum - n1 * (self.n + 1), np.sqrt(pairs * self._spread()))
        tail, method = self._tail(n1, doubled_sum, z, side)
        untestable = np.isnan(z)
        p, log10_p = np.where(untestable, 1.0, tail.p), np.where(untestable, 0.0, tail.log10_p)
        chi2 = z**2 * self.n / (self.n - 1) if self.binary else np.full(len(z), np.nan)
        return RankTests(auc, z, p, log10_p, method, chi2)

    def _spread(self) -> float:
        """Return what the variance of a doubled rank sum is for each pair of an item with and one without."""
        if self.n < 2:
            return 0.0
        return (self.n**3 - self.n - self.ties) / (3 * self.n * (self.n - 1))

    def _tail(self, n1: Ints, doubled_sum: Ints, z: Array, side: Side) -> tuple[Tail, NDArray[np.int8]]:
        """Return p of each feature, and its method."""
        if self.binary:
            return self._hypergeometric(n1, doubled_sum, side), np.full(len(n1), HYPERGEOMETRIC, dtype=np.int8)
        method = np.full(len(n1), NORMAL, dtype=np.int8)
        p, log10_p = np.ones(len(n1)), np.zeros(len(n1))
        few = np.minimum(n1, self.n - n1) < NORMAL_FROM
        if not few.all():
            normal = lower_normal(z[~few] if side == "low" else -z[~few])
            p[~few], log10_p[~few] = normal.p, normal.log10_p
        if few.any():
            p[few], method[few] = self._few(n1[few], doubled_sum[few], side)
            log10_p[few] = np.log10(p[few])
        return Tail(p, log10_p), method

    def _hypergeometric(self, n1: Ints, doubled_sum: Ints, side: Side) -> Tail:
        """Return p where the rank sum says how many items with the feature have the higher score."""
        lower, higher = self.sizes.tolist()
        high = (doubled_sum - n1 * self.ranks[0]) // (self.ranks[1] - self.ranks[0])
        if side == "low":
            return hypergeometric_at_most(self.n, higher, n1, high)
        return hypergeometric_at_most(self.n, lower, n1, n1 - high)

    def _few(self, n1: Ints, doubled_sum: Ints, side: Side) -> tuple[Array, NDArray[np.int8]]:
        """Return p and method from the distribution of the sum on the side that has fewer items."""
        swapped = n1 > self.n - n1
        few = np.where(swapped, self.n - n1, n1)
        sums = np.where(swapped, self.n * (self.n + 1) - doubled_sum, doubled_sum)
        most_counted = self._countable()
        self._learn(set(np.unique(few).tolist()), most_counted)
        p = np.empty(len(few))
        order = np.lexsort((swapped, few))
        starts = np.flatnonzero(np.diff(few[order] * 2 + swapped[order], prepend=-1))
        for group in np.split(order, starts[1:]):
            null, at_most = self._sums[int(few[group[0]])], (side == "low") != swapped[group[0]]
            p[group] = null.at_most(sums[group]) if at_most else null.at_least(sums[group])
        return p, np.where(few <= most_counted, COUNTED, DRAWN).astype(np.int8)

    def _countable(self) -> int:
        """Return up to how many items all ways to pick them are counted."""
        return countable(self.ranks, self.sizes, min(NORMAL_FROM - 1, self.n // 2))

    def _learn(self, picks: set[int], most_counted: int) -> None:
        """Count or draw the distributions that are not known yet."""
        new = picks - self._sums.keys()
        self._sums.update(counted(self.ranks, self.sizes, (k for k in new if k <= most_counted)))
        self._sums.update(drawn(self.n, self._ranks_at, (k for k in new if k > most_counted), seed=self.seed))

    def _ranks_at(self, places: Ints) -> Ints:
        """Return the doubled ranks of the items at some places, from the lowest score."""
        return np.asarray(np.repeat(self.ranks, self.sizes)[places])
