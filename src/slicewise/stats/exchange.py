"""Approximate randomisation in many slices at once: the p of `tests.randomisation_p`, from one set of draws.

A cluster has units in few slices, and systems agree on most clusters: in one slice only few rows differ. And sums of
so few whole numbers repeat: the draws are tallied by what the two systems gain, and each gain is judged once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slicewise.stats.products import COLUMNS, DEPTH, EXACT_IN_SINGLE, ROWS
from slicewise.stats.tests import SAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from slicewise.stats.tests import Finish

    Array = NDArray[np.float64]
    Places = NDArray[np.int64]

    Gains = tuple[Places, Array, Places]
    """How many gains each of some pairs has; `(columns, gains)`; in how many draws each gain is made."""

AT_ONCE = 8 * ROWS  # draws whose exchanges are multiplied at a time: they stay in the cache
JUDGED_AT_ONCE = 2**15  # gains
SPARSE = 16  # a tally may have this many places per draw; beyond, judging every draw is quicker
BITS = 50  # of a code: sums and differences of codes stay below 2⁵³


def slice_randomisation(
    cells: Sequence[NDArray[Any]], finish: Finish, pairs: NDArray[Any], *, draws: int, seed: int
) -> list[tuple[Array, Places]]:
    """Return for each array `(clusters, systems, slices, k)` what `randomisation_p` returns in each of its slices.

    That is p and the number of undefined draws, both `(pairs, slices)`; all slices of all arrays share their draws.
    """
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    if len({len(array) for array in cells}) > 1:
        message = f"arrays of {', '.join(str(len(array)) for array in cells)} clusters cannot share their draws"
        raise ValueError(message)
    if not cells:
        return []
    exchanges = Exchanges.drawn(len(cells[0]), draws, seed)
    results = []
    for array in cells:
        by_slice = np.array(np.moveaxis(array, 2, 0), dtype=np.float64, order="C")
        p, undefined = np.empty((len(pairs), len(by_slice))), np.empty((len(pairs), len(by_slice)), dtype=np.int64)
        for at, statistics in enumerate(by_slice):
            p[:, at], undefined[:, at] = _slice_p(statistics, finish, pairs, exchanges)
        results.append((p, undefined))
    return results


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Which clusters change places in which draw."""

    packed: NDArray[np.uint8]
    """`(clusters/8, draws)`, eight clusters to a byte; whole tiles of draws, of which the last may not count."""
    draws: int

    @classmethod
    def drawn(cls, clusters: int, draws: int, seed: int) -> Exchanges:
        """Draw the bits that `randomisation_p` draws."""
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        width = -(-clusters // 8)
        packed = np.empty((width, -(-draws // ROWS) * ROWS), dtype=np.uint8)
        for start in range(0, packed.shape[1], ROWS):
            packed[:, start : start + ROWS] = np.frombuffer(rng.bytes(width * ROWS), np.uint8).reshape(ROWS, width).T
        return cls(packed, draws)

    def sums(self, clusters: Places, table: NDArray[Any]) -> NDArray[Any]:
        """Return the sums of `table`, `(some clusters, columns)`, over those that change places: `(columns, draws)`."""
        deep = -(-len(clusters) // DEPTH) or 1
        depth = -(-len(clusters) // deep)
        byte, bit = np.zeros(deep * depth, np.int64), np.zeros((deep * depth, 1), np.uint8)
        byte[: len(clusters)], bit[: len(clusters), 0] = clusters // 8, 128 >> clusters % 8
        scaled = np.zeros((deep * depth, table.shape[1]), table.dtype)
        # a bit that is set is worth a power of two, and division by that is exact
        scaled[: len(clusters)] = table / bit[: len(clusters)].astype(table.dtype)
        factors = scaled.reshape(deep, depth, table.shape[1]).swapaxes(1, 2).copy()
        result = np.empty((table.shape[1], self.packed.shape[1]), table.dtype)
        for start in range(0, result.shape[1], AT_ONCE):
            some = slice(start, start + AT_ONCE)
            bits = (self.packed[:, some].take(byte, axis=0) & bit).astype(table.dtype)
            tiles = bits.reshape(deep, depth, bits.shape[1] // ROWS, ROWS).transpose(2, 0, 1, 3)
            for first in range(0, len(result), COLUMNS):
                part = slice(first, first + COLUMNS)
                summed = np.matmul(factors[:, part], tiles).sum(axis=1)
                result[part, some] = summed.swapaxes(0, 1).reshape(summed.shape[1], -1)
        return result[:, : self.draws]


def _slice_p(statistics: Array, finish: Finish, pairs: Places, exchanges: Exchanges) -> tuple[Array, Places]:
    """Return p and the number of undefined draws of every pair, from `(clusters, systems, k)`."""
    total = statistics.sum(axis=0)
    values = np.asarray(finish(total), dtype=np.float64)
    differs = (statistics != statistics[:, :1]).any(axis=1)
    clusters, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    apart = statistics[clusters][:, :, columns]
    code = Code.of(apart, pairs)
    gains = _every_gain if code is None else code.tallied_gains
    larger, undefined = np.zeros(len(pairs), dtype=np.int64), np.zeros(len(pairs), dtype=np.int64)
    done = 0
    for sizes, gained, times in gains(apart, clusters, pairs, exchanges):
        some = slice(done, done + len(sizes))
        as_large, nowhere = _judged(total, values, finish, pairs[some], sizes, columns, gained)
        larger[some], undefined[some] = _summed(times * as_large, sizes), _summed(times * nowhere, sizes)
        done += len(sizes)
    unknown = np.isnan(values[pairs]).any(axis=1)
    return np.where(unknown, np.nan, (1 + larger) / (1 + exchanges.draws - undefined)), undefined


def _judged(
    total: Array, values: Array, finish: Finish, pairs: Places, sizes: Places, columns: Places, gained: Array
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which gains make a difference as large as observed, and which an undefined one."""
    sums_a, sums_b = (np.repeat(total[side].T, sizes, axis=1) for side in pairs.T)
    for column, gain in zip(columns, gained, strict=True):
        sums_a[column] += gain
        sums_b[column] -= gain
    a, b = finish(sums_a.T), finish(sums_b.T)
    observed = values[pairs]
    threshold = np.repeat(np.abs(observed[:, 0] - observed[:, 1]), sizes)
    scale = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.repeat(np.abs(observed).max(axis=1), sizes))
    difference = np.abs(a - b)
    with np.errstate(invalid="ignore"):
        as_large = difference >= threshold - SAME * scale
    return as_large, np.isnan(difference)


def _every_gain(apart: Array, clusters: Places, pairs: Places, exchanges: Exchanges) -> Iterator[Gains]:
    """Yield what every pair gains in every draw, one pair at a time."""
    systems, k = apart.shape[1:]
    moved = exchanges.sums(clusters, apart.reshape(len(apart), systems * k)).reshape(systems, k, exchanges.draws)
    once = np.ones(exchanges.draws, dtype=np.int64)
    for first, second in pairs:
        yield np.array([exchanges.draws]), moved[second] - moved[first], once


@dataclass(frozen=True, eq=False)
class Code:
    """Whole numbers of several columns written as one, as digits are, so that one sum and one tally do for all."""

    worth: Places
    """What 1 in a column is worth."""
    width: Places
    """How many different gains a column can have for any pair."""
    lowest: Places
    """The lowest gains of each pair, `(pairs, columns)`: digits count from there."""
    dtype: type[np.floating[Any]]
    """In which all sums of codes are exact."""

    @classmethod
    def of(cls, apart: Array, pairs: Places) -> Code | None:
        """Return the code for the gains from `(clusters, systems, columns)`; None for fractions and for too many."""
        between = np.stack([np.abs(apart - apart[:, at, None]).sum(axis=0) for at in range(apart.shape[1])])
        reach = between[pairs[:, 0], pairs[:, 1]]
        width = reach.max(axis=0, initial=0.0) + 1
        with np.errstate(over="ignore", invalid="ignore"):
            worth = np.cumprod(np.append(1.0, width))[:-1]
            heaviest = float((between[0] @ worth).max(initial=0.0))
        if not ((apart % 1 == 0).all() and heaviest < 2.0**BITS):
            return None
        total = apart.sum(axis=0)
        lowest = (total[pairs[:, 1]] - total[pairs[:, 0]] - reach) / 2
        dtype = np.float32 if heaviest < EXACT_IN_SINGLE else np.float64
        return cls(worth.astype(np.int64), width.astype(np.int64), lowest.astype(np.int64), dtype)

    def tallied_gains(self, apart: Array, clusters: Places, pairs: Places, exchanges: Exchanges) -> Iterator[Gains]:
        """Yield what every pair gains and how often, some pairs at a time."""
        beside = apart - apart[:, :1]  # counted from the first system, gains are the same and numbers smaller
        moved = exchanges.sums(clusters, (beside @ self.worth).astype(self.dtype)).astype(np.int64)
        tallies: list[tuple[Places, Places]] = []
        start = rows = 0
        for end, (first, second) in enumerate(pairs, 1):
            tallies.append(_tally(moved[second] - moved[first]))
            rows += len(tallies[-1][0])
            if rows >= JUDGED_AT_ONCE or end == len(pairs):
                codes, times = (np.concatenate(parts) for parts in zip(*tallies, strict=True))
                sizes = np.array([len(found) for found, _ in tallies])
                yield sizes, self.read(codes, self.lowest[start:end], sizes), times
                tallies, start, rows = [], end, 0

    def read(self, codes: Places, lowest: Places, sizes: Places) -> Array:
        """Return the gains that codes stand for, `(columns, codes)`."""
        rest = codes - np.repeat(lowest @ self.worth, sizes)
        gained = np.repeat(lowest.T.astype(np.float64), sizes, axis=1)
        for column, width in enumerate(self.width[:-1]):
            above = rest // width
            gained[column] += rest - above * width
            rest = above
        gained[-1:] += rest
        return gained


def _tally(codes: Places) -> tuple[Places, Places]:
    """Return codes and how often each occurs; as they are, once each, where they lie too far apart to tally."""
    lowest, highest = int(codes.min(initial=0)), int(codes.max(initial=0))
    if highest - lowest > SPARSE * len(codes):
        return codes, np.ones(len(codes), dtype=np.int64)
    codes -= lowest
    times = np.bincount(codes)
    found = np.flatnonzero(times != 0)
    return found + lowest, times[found]


def _summed(numbers: Places, sizes: Places) -> Places:
    """Return the sums of successive stretches of so many numbers."""
    until = np.append(0, np.cumsum(numbers))
    return np.asarray(np.diff(until[np.append(0, np.cumsum(sizes))]))
