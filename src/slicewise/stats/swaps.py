"""Two systems over data sets: the largest and smallest difference of any bucket, against those of swapped systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.canonical import is_whole
from slicewise.stats.exchange import ClusterTable, Exchanges
from slicewise.stats.products import EXACT_IN_SINGLE
from slicewise.stats.ratio import ratio
from slicewise.stats.tests import TOLERANCE, Finish

HELD = 2**24  # sums that are held at a time


@dataclass(frozen=True)
class Swaps:
    """The p of the largest and of the smallest mean difference; NaN where nothing was tested."""

    largest: float
    smallest: float
    smallest_p: float
    """What no p can be below with so few clusters in which the two differ."""


@dataclass(frozen=True, eq=False)
class Swappable:
    """One data set: statistics `(clusters, runs, slots, k)`, and how its slots line up with those of the others."""

    cells: NDArray[Any]
    runs: dict[str, tuple[int, ...]]
    """The runs of each system."""
    line_up: Callable[[Array], Array]
    """From `(..., slots)` to `(..., buckets)`, NaN where the data set lacks a bucket."""

    @cached_property
    def total(self) -> Array:
        """The statistics of all clusters."""
        return np.asarray(self.cells.sum(axis=0, dtype=np.float64))

    def differing(self, a: str, b: str) -> int:
        """Return in how many clusters two systems differ."""
        first, second = (self.cells[:, list(side)] for side in self.paired(a, b))
        return int((first != second).any(axis=(1, 2, 3)).sum())

    def paired(self, a: str, b: str) -> tuple[Ints, Ints]:
        """Return the runs of two systems that change places: each run of a system equally often."""
        ours, theirs = self.runs[a], self.runs[b]
        both = lcm(len(ours), len(theirs))
        return np.resize(np.array(ours), both), np.resize(np.array(theirs), both)

    def moved(self, exchanges: Exchanges) -> Array:
        """Return the sums over the clusters that change places, `(runs, slots, k, draws)`."""
        _, runs, slots, k = self.cells.shape
        clusters = np.flatnonzero((self.cells != self.cells[:, :1]).any(axis=(1, 2, 3)))
        table = np.asarray(self.cells[clusters], dtype=np.float64).reshape(len(clusters), runs * slots * k)
        exact = is_whole(table) and float(np.abs(table).sum(axis=0).max(initial=0.0)) < EXACT_IN_SINGLE
        tiles = ClusterTable.cut(table.astype(np.float32 if exact else np.float64), clusters)
        return exchanges.sums([tiles])[0].reshape(runs, slots, k, exchanges.draws)

    def differences(self, a: str, b: str, moved: NDArray[Any], finish: Finish) -> Array:
        """Return a − b in each bucket and draw, `(draws, buckets)`."""
        ours, theirs = self.paired(a, b)
        gained = np.asarray(moved[theirs], dtype=np.float64) - moved[ours]
        values = [
            _mean_over_runs(finish(np.moveaxis(self.total[side][..., None] + change, 2, -1)))
            for side, change in ((ours, gained), (theirs, -gained))
        ]
        return self.line_up((values[0] - values[1]).T)


def _mean_over_runs(values: Array) -> Array:
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0))


def extremes_p(
    datasets: Sequence[Swappable],
    pairs: Sequence[tuple[str, str]],
    observed: Sequence[Array],
    finish: Finish,
    *,
    draws: int,
    seed: int,
) -> list[Swaps]:
    """Test for each pair of systems the largest and the smallest of its mean differences, `observed`, `(buckets,)`.

    In every draw the statistics of the two change places in each cluster with probability ½; each data set has draws
    of its own, and all pairs share them. A pair is tested on the data sets that have both; buckets that are NaN in
    `observed` take no part. p = (1 + draws with a largest difference as large)/(1 + draws in which it is defined).
    """
    results: list[Swaps] = []
    for block in _blocks(pairs, draws * max((len(means) for means in observed), default=1)):
        sums = [np.zeros((draws, len(means))) for means in observed[block]]
        counts = [np.zeros((draws, len(means)), np.int64) for means in observed[block]]
        for dataset, own_seed in zip(datasets, np.random.SeedSequence(seed).generate_state(len(datasets)), strict=True):
            moved = dataset.moved(Exchanges.drawn(len(dataset.cells), draws, int(own_seed)))
            for (a, b), total, count in zip(pairs[block], sums, counts, strict=True):
                if a in dataset.runs and b in dataset.runs:
                    differences = dataset.differences(a, b, moved, finish)
                    defined = ~np.isnan(differences)
                    np.add(total, np.where(defined, differences, 0.0), out=total)
                    np.add(count, defined, out=count)
        for (a, b), means, total, count in zip(pairs[block], observed[block], sums, counts, strict=True):
            differing = sum(d.differing(a, b) for d in datasets if a in d.runs and b in d.runs)
            results.append(_tested(ratio(total, count), means, differing))
    return results


def _blocks(pairs: Sequence[Any], size: int) -> Iterator[slice]:
    """Yield as many pairs at a time as can be held."""
    step = max(1, HELD // max(1, size))
    for start in range(0, len(pairs), step):
        yield slice(start, start + step)


def _tested(drawn: Array, observed: Array, differing: int) -> Swaps:
    """Compare `(draws, buckets)` with the differences observed."""
    known = ~np.isnan(observed)
    if not known.any() or not differing:
        return Swaps(np.nan, np.nan, np.nan)
    drawn = drawn[:, known]
    defined = ~np.isnan(drawn).all(axis=1)
    noise = TOLERANCE * float(np.abs(observed[known]).max(initial=1.0))
    high = np.where(np.isnan(drawn), -np.inf, drawn).max(axis=1)[defined]
    low = np.where(np.isnan(drawn), np.inf, drawn).min(axis=1)[defined]
    tested = 1 + int(defined.sum())
    largest = (1 + int((high >= observed[known].max() - noise).sum())) / tested
    smallest = (1 + int((low <= observed[known].min() + noise).sum())) / tested
    return Swaps(largest, smallest, max(2.0**-differing, 1 / tested))
