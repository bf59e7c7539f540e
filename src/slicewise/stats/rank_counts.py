"""The null distribution of the rank sum of few items: all ways to pick them counted where cheap, else drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Whole = NDArray[np.int64]

ADDITIONS = 1e9  # that counting in a table of all sums may cost
STATES = 3_500_000  # that counting in a list may need: enough for five different scores
LARGEST = 10**300  # ways that a double can count
DRAWS = 100_000


@dataclass(frozen=True, eq=False)
class NullSums:
    """What sums of doubled ranks so many items have when they are picked at random."""

    sums: Whole
    """Ascending; drawn ones may repeat."""
    up_to: Array
    """How much weight the first k sums have, from k = 0."""
    down_to: Array
    """How much weight the sums from the k-th on have, until k is all."""
    extra: int = 0
    """Weight that is added to a tail and to all: the observed sum counts as a draw."""

    @classmethod
    def weighted(cls, sums: Whole, weights: Array) -> NullSums:
        """Return the distribution of ascending sums of some weight each."""
        none = np.zeros(1)
        up_to = np.concatenate([none, np.cumsum(weights)])
        return cls(sums, up_to, np.concatenate([np.cumsum(weights[::-1])[::-1], none]))

    def at_most(self, observed: NDArray[Any]) -> Array:
        """Return how probable a sum at most so large is."""
        return self._share(self.up_to[np.searchsorted(self.sums, observed, side="right")])

    def at_least(self, observed: NDArray[Any]) -> Array:
        """Return how probable a sum at least so large is."""
        return self._share(self.down_to[np.searchsorted(self.sums, observed, side="left")])

    def _share(self, weight: Array) -> Array:
        return np.asarray(np.minimum((weight + self.extra) / (self.up_to[-1] + self.extra), 1.0))


def countable(ranks: Whole, sizes: Whole, most: int) -> int:
    """Return up to how many items, `most` at the utmost, all ways to pick them can be counted at little cost.

    `ranks` are the doubled ranks that occur, ascending, `sizes` how many items have each;
    there are at least `most` items.
    """
    picks = np.arange(most + 1)
    return int(max(picks[_cheap_on_a_line(ranks, sizes, most)].max(), picks[_cheap_as_a_list(sizes, most)].max()))


def counted(ranks: Whole, sizes: Whole, picks: Iterable[int]) -> dict[int, NullSums]:
    """Return the exact distribution for each number of items, all of them `countable`."""
    wanted = sorted(picks)
    if not wanted:
        return {}
    if _cheap_as_a_list(sizes, wanted[-1])[-1]:
        return _counted_as_a_list(ranks, sizes, wanted)
    return _counted_on_a_line(ranks, sizes, wanted)


def drawn(
    n: int, ranks_at: Callable[[Whole], Whole], picks: Iterable[int], *, seed: int, draws: int | None = None
) -> dict[int, NullSums]:
    """Return the distribution for each number of `n` items in so many draws, of which the first items serve all.

    `ranks_at` returns the doubled ranks of the items that stand at some places, from the lowest score.
    """
    wanted, draws = set(picks), DRAWS if draws is None else draws
    if not wanted:
        return {}
    sums = np.cumsum(ranks_at(_taken(n, max(wanted), seed, draws)), axis=0)
    number = np.arange(draws + 1.0)
    return {k: NullSums(np.sort(sums[k - 1]), number, number[::-1], extra=1) for k in sorted(wanted)}


def _taken(n: int, most: int, seed: int, draws: int) -> NDArray[Any]:
    """Draw places of items, a column per draw, none twice in a column."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    taken = np.empty((most, draws), dtype=np.int32 if n < 2**31 else np.int64)
    for at, items in enumerate(taken):
        items[:] = rng.integers(n, size=draws)
        again = np.flatnonzero((taken[:at] == items).any(axis=0))
        while len(again):
            items[again] = rng.integers(n, size=len(again))
            again = again[(taken[:at, again] == items[again]).any(axis=0)]
    return taken


def _cheap_on_a_line(ranks: Whole, sizes: Whole, most: int) -> NDArray[np.bool_]:
    """Say for each number of picked items whether there are few enough different sums to count in every place."""
    picks = np.arange(most + 1)
    steps = (ranks[: -most - 1 : -1] - ranks[0]) / _unit(ranks)
    last = np.repeat(steps, np.minimum(sizes[: -most - 1 : -1], most))[:most]
    places = 1 + np.concatenate([np.zeros(1), np.cumsum(last)])
    distinct, groups = np.unique(np.minimum(sizes, most), return_counts=True)
    taken = np.minimum(distinct, picks[:, None])
    moves = ((taken * picks[:, None] - taken * (taken - 1) // 2) * groups).sum(axis=1)
    return np.asarray((moves * places <= ADDITIONS) & _few_ways(sizes, most))


def _cheap_as_a_list(sizes: Whole, most: int) -> NDArray[np.bool_]:
    """Say for each number of picked items whether all choices of how many to take of each rank can be listed."""
    cheap = np.array([math.comb(k + len(sizes), k) <= STATES for k in range(most + 1)])
    return np.asarray(cheap & _few_ways(sizes, most))


def _few_ways(sizes: Whole, most: int) -> NDArray[np.bool_]:
    """Say for each number of picked items whether a double can hold the number of ways."""
    n = int(sizes.sum())
    return np.array([math.comb(n, k) < LARGEST for k in range(most + 1)])


def _unit(ranks: Whole) -> int:
    """Return the largest number that divides all distances of ranks."""
    return max(1, int(np.gcd.reduce(ranks - ranks[0])))


def _counted_on_a_line(ranks: Whole, sizes: Whole, wanted: list[int]) -> dict[int, NullSums]:
    """Count in a table of all sums, rank by rank: none, one or more of the items that have it."""
    most, unit = wanted[-1], _unit(ranks)
    steps = (ranks - ranks[0]) // unit
    largest = int(np.repeat(steps[-most:], np.minimum(sizes[-most:], most))[-most:].sum()) if most else 0
    ways = np.zeros((most + 1, largest + 1))
    ways[0, 0] = 1
    for step, size in zip(steps.tolist(), sizes.tolist(), strict=True):
        top = min(largest, most * step) + 1  # so far no sum is larger
        before = ways[:, :top].copy()
        for taken in range(1, min(size, most) + 1):
            from_here = before[: most + 1 - taken, : max(0, top - taken * step)]
            ways[taken:, taken * step : top] += float(math.comb(size, taken)) * from_here
    sums = np.arange(largest + 1) * unit
    return {k: NullSums.weighted(sums + k * ranks[0], ways[k]) for k in wanted}


def _counted_as_a_list(ranks: Whole, sizes: Whole, wanted: list[int]) -> dict[int, NullSums]:
    """Count in a list of how many items of each rank are taken."""
    most = wanted[-1]
    picked, sums, ways = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.ones(1)
    for rank, size in zip(ranks.tolist(), sizes.tolist(), strict=True):
        choices = np.minimum(most - picked, size) + 1
        before = np.repeat(np.arange(len(picked)), choices)
        take = np.arange(len(before)) - np.repeat(np.cumsum(choices) - choices, choices)
        ways_to_take = np.array([float(math.comb(size, k)) for k in range(min(most, size) + 1)])
        picked, sums, ways = picked[before] + take, sums[before] + take * rank, ways[before] * ways_to_take[take]
    found = {}
    for k in wanted:
        own = np.flatnonzero(picked == k)
        own = own[np.argsort(sums[own], kind="stable")]
        found[k] = NullSums.weighted(sums[own], ways[own])
    return found
