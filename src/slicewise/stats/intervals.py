"""Bootstrap over clusters: how often each cluster is drawn, the sums of the draws, their percentile interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.products import ROWS, Tiles, table_of
from slicewise.stats.student import normal_quantile, t_quantile

KEPT = 2**25  # counts that may be kept, 16 bits each: no cluster is drawn 65,536 times
DRAWN_AT_ONCE = 2**16  # indices drawn at a time: they and their counts stay in the cache
MANY_CLUSTERS = 100
"""From so many clusters on, percentiles stand as they are."""


@dataclass(frozen=True)
class Resamples:
    """As many clusters as there are, drawn with replacement, the same for every statistic: differences are paired."""

    clusters: int
    draws: int
    seed: int
    keep: bool = False
    """Whether the draws are kept for the next table of statistics."""

    def sums(self, statistics: NDArray[Any], only: Ints | None = None) -> Array:
        """Return the sum of `statistics`, `(clusters, ...)`, in every draw, `(draws, ...)`; exact for whole numbers.

        `only`: the clusters that `statistics` are of, where all others have none.
        """
        size = self.clusters if only is None else len(only)
        if len(statistics) != size:
            message = f"statistics of {len(statistics)} clusters, draws of {size}"
            raise ValueError(message)
        tiles = Tiles.cut(statistics, heaviest=self.clusters)
        result = np.empty((self.draws, tiles.columns))
        factors = tiles.factors()
        filled = done = 0
        for drawn in self.counts():
            counts = drawn if only is None else drawn.take(only, axis=1)
            while len(counts):
                block = counts[: ROWS - filled]
                counts = counts[len(block) :]
                factors[filled : filled + len(block), :size] = block
                filled += len(block)
                if filled == ROWS or done + filled == self.draws:
                    result[done : done + filled] = tiles.times(factors[:filled])
                    done, filled = done + filled, 0
        return result.reshape(self.draws, *statistics.shape[1:])

    def counts(self) -> Iterator[NDArray[np.integer[Any]]]:
        """Yield how often each cluster is drawn, `(some draws, clusters)` at a time."""
        yield from self._kept if self.keep and self.draws * self.clusters <= KEPT else self._drawn()

    @cached_property
    def _kept(self) -> list[NDArray[np.uint16]]:
        """The counts, drawn once for all statistics."""
        return [counts.astype(np.uint16) for counts in self._drawn()]

    def _drawn(self) -> Iterator[Ints]:
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed)))
        chunk = max(1, DRAWN_AT_ONCE // max(1, self.clusters))
        for start in range(0, self.draws, chunk):
            rows = min(chunk, self.draws - start)
            if not self.clusters:
                yield np.zeros((rows, 0), dtype=np.int64)
                continue
            indices = rng.integers(0, self.clusters, size=rows * self.clusters)
            if rows > 1:
                indices += np.repeat(np.arange(0, rows * self.clusters, self.clusters), self.clusters)
            yield np.bincount(indices, minlength=rows * self.clusters).reshape(rows, self.clusters)


@dataclass(frozen=True, eq=False)
class Interval:
    """Bounds, and in how many draws the value was undefined; one array entry per value."""

    lo: Array
    hi: Array
    undefined: Ints


def percentile_interval(values: NDArray[Any], *, confidence: float) -> Interval:
    """Return the percentile interval of `(draws, ...)`, linear between draws, undefined draws (NaN) left out."""
    draws, shape = len(values), values.shape[1:]
    columns = np.array(table_of(values).T, order="C")
    columns.sort(axis=1)  # NaN come last
    undefined = np.isnan(columns).sum(axis=1)
    tail = (1 - confidence) / 2
    lo, hi = (_quantile(columns, draws - undefined, q) for q in (tail, 1 - tail))
    return Interval(lo.reshape(shape), hi.reshape(shape), undefined.reshape(shape))


def widened(
    interval: Interval, estimates: NDArray[Any], *, clusters: int, confidence: float, limits: tuple[float, float]
) -> Interval:
    """Return a percentile interval stretched about the estimates, within the limits of what they can be.

    Draws of few clusters vary too little, by √((C − 1)/C), and their number leaves their variance uncertain: Student's
    t is wider than the normal distribution.
    """
    if clusters >= MANY_CLUSTERS:
        return interval
    normal = normal_quantile(confidence)
    factor = (clusters / (clusters - 1)) ** 0.5 * (t_quantile(confidence, clusters - 1) / normal if normal else 1.0)
    lo, hi = (np.clip(estimates + factor * (bound - estimates), *limits) for bound in (interval.lo, interval.hi))
    return replace(interval, lo=lo, hi=hi)


def _quantile(columns: Array, defined: Ints, q: float) -> Array:
    """Return the q-quantile of the first `defined` values of every sorted row, NaN where there are none."""
    if not columns.shape[1]:
        return np.full(len(columns), np.nan)
    last = np.maximum(defined - 1, 0)
    place = q * last
    below = np.floor(place).astype(np.int64)
    rows = np.arange(len(columns))
    a, b = columns[rows, below], columns[rows, np.minimum(below + 1, last)]
    part, step = place - below, b - a
    # from the nearer side, as numpy does, so that rounding is the same
    return np.asarray(np.where(part >= 0.5, b - step * (1 - part), a + step * part))
