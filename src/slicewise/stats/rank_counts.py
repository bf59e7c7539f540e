"""The null distribution of the rank sum of few items: all ways to pick them, counted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints, Mask

ADDITIONS = 1e9  # that counting in a table of all sums may cost
STATES = 3_500_000  # that counting in a list may need: enough for five different scores
LARGEST = 10**300  # ways that a double can count


@dataclass(frozen=True, eq=False)
class NullSums:
    """The null distribution of the sum of doubled ranks of a random subset of items."""

    sums: Ints
    """Ascending."""
    up_to: Array
    """How much weight the first k sums have, from k = 0."""
    down_to: Array
    """How much weight the sums from the k-th on have, until k is all."""

    @classmethod
    def weighted(cls, sums: Ints, weights: Array) -> NullSums:
        """Return the distribution of ascending sums of some weight each."""
        none = np.zeros(1)
        up_to = np.concatenate([none, np.cumsum(weights)])
        return cls(sums, up_to, np.concatenate([np.cumsum(weights[::-1])[::-1], none]))

    def at_most(self, observed: NDArray[Any]) -> Array:
        """Return P(sum ≤ observed)."""
        return self._share(self.up_to[np.searchsorted(self.sums, observed, side="right")])

    def at_least(self, observed: NDArray[Any]) -> Array:
        """Return P(sum ≥ observed)."""
        return self._share(self.down_to[np.searchsorted(self.sums, observed, side="left")])

    def _share(self, weight: Array) -> Array:
        return np.asarray(np.minimum(weight / self.up_to[-1], 1.0))


def countable(ranks: Ints, sizes: Ints, largest: int) -> int:
    """Return up to how many items, at most `largest`, all ways to pick them can be counted at little cost.

    `ranks` are the doubled ranks that occur, ascending, `sizes` how many items have each;
    there are at least `largest` items.
    """
    picks = np.arange(largest + 1)
    return int(max(picks[_table_is_cheap(ranks, sizes, largest)].max(), picks[_list_is_cheap(sizes, largest)].max()))


def counted(ranks: Ints, sizes: Ints, picks: Iterable[int]) -> dict[int, NullSums]:
    """Return the exact distribution for each number of items, all of them `countable`."""
    ascending = sorted(picks)
    if not ascending:
        return {}
    if _list_is_cheap(sizes, ascending[-1])[-1]:
        return _counted_in_list(ranks, sizes, ascending)
    return _counted_in_table(ranks, sizes, ascending)


def _table_is_cheap(ranks: Ints, sizes: Ints, largest: int) -> Mask:
    """Return for each number of picked items whether a table of all distinct sums is small enough."""
    picks = np.arange(largest + 1)
    steps = (ranks[: -largest - 1 : -1] - ranks[0]) / _unit(ranks)
    last = np.repeat(steps, np.minimum(sizes[: -largest - 1 : -1], largest))[:largest]
    places = 1 + np.concatenate([np.zeros(1), np.cumsum(last)])
    distinct, groups = np.unique(np.minimum(sizes, largest), return_counts=True)
    taken = np.minimum(distinct, picks[:, None])
    moves = ((taken * picks[:, None] - taken * (taken - 1) // 2) * groups).sum(axis=1)
    return np.asarray((moves * places <= ADDITIONS) & _few_ways(sizes, largest))


def _list_is_cheap(sizes: Ints, largest: int) -> Mask:
    """Return for each number of picked items whether all combinations of ranks can be enumerated."""
    cheap = np.array([math.comb(k + len(sizes), k) <= STATES for k in range(largest + 1)])
    return np.asarray(cheap & _few_ways(sizes, largest))


def _few_ways(sizes: Ints, largest: int) -> Mask:
    """Return for each number of picked items whether a double can hold the number of ways."""
    n = int(sizes.sum())
    return np.array([math.comb(n, k) < LARGEST for k in range(largest + 1)])


def _unit(ranks: Ints) -> int:
    """Return the largest number that divides all distances of ranks."""
    return max(1, int(np.gcd.reduce(ranks - ranks[0])))


def _counted_in_table(ranks: Ints, sizes: Ints, picks: list[int]) -> dict[int, NullSums]:
    """Count in a table of all sums, rank by rank: none, one or more of the items that have it."""
    limit, unit = picks[-1], _unit(ranks)
    steps = (ranks - ranks[0]) // unit
    largest = int(np.repeat(steps[-limit:], np.minimum(sizes[-limit:], limit))[-limit:].sum()) if limit else 0
    ways = np.zeros((limit + 1, largest + 1))
    ways[0, 0] = 1
    for step, size in zip(steps.tolist(), sizes.tolist(), strict=True):
        top = min(largest, limit * step) + 1  # so far no sum is larger
        before = ways[:, :top].copy()
        for taken in range(1, min(size, limit) + 1):
            from_here = before[: limit + 1 - taken, : max(0, top - taken * step)]
            ways[taken:, taken * step : top] += float(math.comb(size, taken)) * from_here
    sums = np.arange(largest + 1) * unit
    return {k: NullSums.weighted(sums + k * ranks[0], ways[k]) for k in picks}


def _counted_in_list(ranks: Ints, sizes: Ints, picks: list[int]) -> dict[int, NullSums]:
    """Count in a list of how many items of each rank are taken."""
    limit = picks[-1]
    picked, sums, ways = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.ones(1)
    for rank, size in zip(ranks.tolist(), sizes.tolist(), strict=True):
        choices = np.minimum(limit - picked, size) + 1
        before = np.repeat(np.arange(len(picked)), choices)
        take = np.arange(len(before)) - np.repeat(np.cumsum(choices) - choices, choices)
        ways_to_take = np.array([float(math.comb(size, k)) for k in range(min(limit, size) + 1)])
        picked, sums, ways = picked[before] + take, sums[before] + take * rank, ways[before] * ways_to_take[take]
    distributions = {}
    for k in picks:
        states = np.flatnonzero(picked == k)
        states = states[np.argsort(sums[states], kind="stable")]
        distributions[k] = NullSums.weighted(sums[states], ways[states])
    return distributions
