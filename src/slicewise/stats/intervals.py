"""Percentile bootstrap over clusters: how often each cluster is drawn, the sums of the draws, their interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slicewise.stats.products import ROWS, Tiles, table_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWN_AT_ONCE = 2**16  # indices drawn at a time: they and their counts stay in the cache


@dataclass(frozen=True, eq=False)
class Resamples:
    """How often each cluster is drawn in each draw; the same for every statistic, so that differences are paired."""

    counts: NDArray[np.unsignedinteger[Any]]
    """`(draws, clusters)`, in the smallest unsigned type that holds the largest count."""

    @classmethod
    def draw(cls, clusters: int, draws: int, seed: int) -> Resamples:
        """Draw as many clusters as there are, with replacement, `draws` times."""
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        chunk = max(1, DRAWN_AT_ONCE // max(1, clusters))
        counts: NDArray[np.unsignedinteger[Any]] = np.empty((draws, clusters), dtype=np.uint8)
        for start in range(0, draws if clusters else 0, chunk):
            drawn = _counts(rng.integers(0, clusters, size=(min(chunk, draws - start), clusters)), clusters)
            needed = np.min_scalar_type(int(drawn.max()))
            counts = counts.astype(np.promote_types(counts.dtype, needed), copy=False)
            counts[start : start + chunk] = drawn
        return cls(counts)

    def sums(self, statistics: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum of `statistics`, `(clusters, ...)`, in every draw, `(draws, ...)`; exact for whole numbers."""
        draws, clusters = self.counts.shape
        if len(statistics) != clusters:
            message = f"statistics of {len(statistics)} clusters, draws of {clusters}"
            raise ValueError(message)
        tiles = Tiles.cut(statistics, heaviest=clusters)
        result = np.empty((draws, tiles.columns))
        for start in range(0, draws, ROWS):
            result[start : start + ROWS] = tiles.times(self.counts[start : start + ROWS])
        return result.reshape(draws, *statistics.shape[1:])


def _counts(indices: NDArray[np.int64], clusters: int) -> NDArray[np.int64]:
    """Count each row's indices, all rows in one go."""
    rows = len(indices)
    indices += np.arange(0, rows * clusters, clusters)[:, None]
    return np.bincount(indices.ravel(), minlength=rows * clusters).reshape(rows, clusters)


@dataclass(frozen=True, eq=False)
class Interval:
    """Bounds, and in how many draws the value was undefined; one array entry per value."""

    lo: NDArray[np.float64]
    hi: NDArray[np.float64]
    undefined: NDArray[np.int64]


def percentile_interval(values: NDArray[Any], *, confidence: float) -> Interval:
    """Return the percentile interval of `(draws, ...)`, linear between draws, undefined draws (NaN) left out."""
    draws, shape = len(values), values.shape[1:]
    columns = np.array(table_of(values).T, order="C")
    columns.sort(axis=1)  # NaN come last
    undefined = np.isnan(columns).sum(axis=1)
    tail = (1 - confidence) / 2
    lo, hi = (_quantile(columns, draws - undefined, q) for q in (tail, 1 - tail))
    return Interval(lo.reshape(shape), hi.reshape(shape), undefined.reshape(shape))


def _quantile(columns: NDArray[np.float64], defined: NDArray[np.int64], q: float) -> NDArray[np.float64]:
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
