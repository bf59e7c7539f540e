"""Approximate randomisation: the difference of two systems against those made by exchanging their outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.canonical import is_whole
from slicewise.stats.products import ROWS, Tiles

Finish = Callable[[Array], Array]

AT_ONCE = 2**17  # numbers in one block of exchanged statistics: they stay in the cache
FEW_STATISTICS = 8  # numbers; sums of fewer round alike wherever the numbers stand
TOLERANCE = 1e-12  # differences that agree to this share of the values compared are equal


def paired_draws(pairs: int) -> int:
    """Return the number of draws for paired tests of so many pairs: enough for a small p to survive correction."""
    return max(10_000, 200 * pairs)


def randomisation_p(
    statistics: NDArray[Any], finish: Finish, pairs: NDArray[Any], *, draws: int, seed: int, at_once: int = AT_ONCE
) -> tuple[Array, Ints]:
    """Return the two-sided p of every pair of systems, and in how many draws the difference was undefined.

    `statistics` is `(clusters, systems, k)`, `finish` turns summed statistics `(..., k)` into values `(...)`, `pairs`
    is `(pairs, 2)`. In each draw every cluster's statistics of the two systems change places with probability ½, the
    same clusters for all pairs; p = (1 + number of differences at least as large)/(1 + number of defined draws).
    """
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    total = np.asarray(statistics, dtype=np.float64).sum(axis=0)
    columns = _differing(statistics)
    values = np.asarray(finish(total), dtype=np.float64)
    larger, undefined = np.zeros(len(pairs), dtype=np.int64), np.zeros(len(pairs), dtype=np.int64)
    for moved in _moved(statistics[:, :, columns], draws, seed):
        step = max(1, at_once // max(1, moved.shape[1] * total.shape[1]))
        for start in range(0, len(pairs), step):
            block = slice(start, start + step)
            counted, nowhere = _exchange(total, values, columns, moved, finish, pairs[block])
            larger[block] += counted
            undefined[block] += nowhere
    unknown = np.isnan(values[pairs]).any(axis=1)
    p = np.where(unknown, np.nan, (1 + larger) / (1 + draws - undefined))
    return p, undefined


def _differing(statistics: NDArray[Any]) -> Ints:
    """Return the statistics in which systems differ anywhere; of fractions all, whose sums may be rounded."""
    if not is_whole(statistics):
        return np.arange(statistics.shape[2])
    return np.flatnonzero((statistics != statistics[:, :1]).any(axis=(0, 1)))


def _moved(statistics: NDArray[Any], draws: int, seed: int) -> Iterator[Array]:
    """Yield, some draws at a time, the summed statistics of the clusters that change places: `(k, draws, systems)`."""
    clusters = len(statistics)
    tiles = Tiles.cut(statistics, heaviest=clusters)
    factors = tiles.factors()
    for bits in exchanges(clusters, draws, seed):
        factors[: len(bits), :clusters] = bits
        moved = tiles.times(factors[: len(bits)]).reshape(len(bits), *statistics.shape[1:])
        yield np.ascontiguousarray(moved.transpose(2, 0, 1))


def exchanges(clusters: int, draws: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    """Yield, some draws at a time, which clusters change places: 0 or 1, `(draws, clusters)`."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    width = -(-clusters // 8)
    for start in range(0, draws, ROWS):
        # whole blocks of bits, so that the number of draws does not change the first ones
        packed = np.frombuffer(rng.bytes(width * ROWS), dtype=np.uint8).reshape(ROWS, width)
        yield np.unpackbits(packed[: draws - start], axis=1, count=clusters)


def _exchange(
    total: Array, values: Array, columns: Ints, moved: Array, finish: Finish, pairs: Ints
) -> tuple[Ints, Ints]:
    """Return per pair in how many of these draws the difference is as large as observed, and in how many undefined."""
    first, second = pairs.T
    a, b = (np.repeat(total[side].T[:, None], moved.shape[1], axis=1) for side in (first, second))
    for column, sums in zip(columns, moved, strict=True):
        gained = sums.take(second, axis=1) - sums.take(first, axis=1)
        a[column] += gained
        b[column] -= gained
    return as_large(finish(_statistics_last(a)), finish(_statistics_last(b)), values[first], values[second])


def _statistics_last(sums: Array) -> Array:
    """Return `(k, draws, pairs)` as `(draws, pairs, k)`; few statistics stay where they are, which is quicker."""
    moved = np.moveaxis(sums, 0, -1)
    return moved if len(sums) < FEW_STATISTICS else np.ascontiguousarray(moved)


def as_large(a: Array, b: Array, observed_a: Array, observed_b: Array) -> tuple[Ints, Ints]:
    """Return in how many draws (first axis) the difference is as large as observed, and in how many undefined."""
    difference = np.abs(a - b)
    scale = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.maximum(np.abs(observed_a), np.abs(observed_b)))
    with np.errstate(invalid="ignore"):
        large = difference >= np.abs(observed_a - observed_b) - TOLERANCE * scale
    return large.sum(axis=0), np.isnan(difference).sum(axis=0)
