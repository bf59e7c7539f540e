"""Approximate randomisation in many slices at once: the p of `tests.randomisation_p`, from one set of draws.

A cluster has units in few slices, and systems agree on most clusters: in one slice only few rows differ. And sums of
so few whole numbers repeat: the draws are tallied by what the two systems gain, and each gain is judged once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints, Mask
from slicewise.stats.products import COLUMNS, DEPTH, EXACT_IN_SINGLE, ROWS
from slicewise.stats.tests import TOLERANCE, Finish

Gains = tuple[Ints, Array, Ints]
"""How many gains each of some pairs has; `(columns, gains)`; in how many draws each gain is made."""

AT_ONCE = 2**19  # exchanges that are multiplied at a time: they stay in the cache
HELD = 2**24  # sums of several slices that are held at a time, made from the same exchanges
FEW = 0.75  # of the clusters: where more differ, all are multiplied as they come
JUDGED_AT_ONCE = 2**15  # gains
SPARSE = 16  # a tally may have this many places per draw; beyond, judging every draw is quicker
BITS = 50  # of a code: sums and differences of codes stay below 2⁵³


def slice_randomisation(
    cells: Sequence[NDArray[Any]], finish: Finish, pairs: NDArray[Any], *, draws: int, seed: int
) -> list[tuple[Array, Ints]]:
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
    results = [(np.empty((len(pairs), c.shape[2])), np.empty((len(pairs), c.shape[2]), np.int64)) for c in cells]
    places = [(result, at) for result, array in zip(results, cells, strict=True) for at in range(array.shape[2])]
    batches = _batches(_slices(cells, pairs), draws)
    tested = (result for batch in batches for result in _tested(batch, finish, pairs, exchanges))
    for ((p, undefined), at), (slice_p, slice_undefined) in zip(places, tested, strict=True):
        p[:, at], undefined[:, at] = slice_p, slice_undefined
    return results


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Which clusters change places in which draw."""

    packed: NDArray[np.uint8]
    """`(clusters/8, draws)`, eight clusters to a byte; whole tiles of draws, of which the last may not count."""
    clusters: int
    draws: int

    @classmethod
    def drawn(cls, clusters: int, draws: int, seed: int) -> Exchanges:
        """Draw the bits that `randomisation_p` draws."""
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        width = -(-clusters // 8)
        packed = np.empty((width, -(-draws // ROWS) * ROWS), dtype=np.uint8)
        for start in range(0, packed.shape[1], ROWS):
            packed[:, start : start + ROWS] = np.frombuffer(rng.bytes(width * ROWS), np.uint8).reshape(ROWS, width).T
        return cls(packed, clusters, draws)

    def sums(self, tables: Sequence[ClusterTable]) -> list[NDArray[Any]]:
        """Return the sums of every table over the clusters that change places, `(columns, draws)`."""
        results = [np.empty((table.columns, self.packed.shape[1]), table.factors.dtype) for table in tables]
        at_once = ROWS * max(1, AT_ONCE // (ROWS * max(1, self.clusters)))
        for start in range(0, self.packed.shape[1], at_once):
            block = slice(start, start + at_once)
            drawn = np.unpackbits(self.packed[:, block], axis=0, count=self.clusters)
            bits = np.zeros((prod(_tiling(self.clusters)), drawn.shape[1]), np.float32)
            bits[: self.clusters] = drawn
            for table, result in zip(tables, results, strict=True):
                table.sum_over(bits, out=result[:, block])
        return [result[:, : self.draws] for result in results]


@dataclass(frozen=True, eq=False)
class ClusterTable:
    """Numbers of some clusters, cut into tiles."""

    clusters: Ints | None
    """Those of the tiles' rows, of which the last may stand for nothing; None: all, as they come."""
    factors: NDArray[Any]
    """`(tiles, columns, rows of a tile)`, zeros where the clusters end."""

    @classmethod
    def cut(cls, numbers: NDArray[Any], clusters: Ints | None = None) -> ClusterTable:
        """Cut `(clusters, columns)`."""
        deep, depth = _tiling(len(numbers))
        padded = np.zeros((deep * depth, numbers.shape[1]), numbers.dtype)
        padded[: len(numbers)] = numbers
        rows = None if clusters is None else np.append(clusters, np.zeros(deep * depth - len(clusters), np.int64))
        return cls(rows, padded.reshape(deep, depth, numbers.shape[1]).swapaxes(1, 2).copy())

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.factors.shape[1])

    def sum_over(self, bits: NDArray[np.float32], out: NDArray[Any]) -> None:
        """Sum over the clusters that change places, from `(all clusters, draws)`, whole tiles of draws."""
        deep, _, depth = self.factors.shape
        chosen = bits if self.clusters is None else bits.take(self.clusters, axis=0)
        tiles = (
            chosen.astype(out.dtype, copy=False).reshape(deep, depth, bits.shape[1] // ROWS, ROWS).transpose(2, 0, 1, 3)
        )
        for first in range(0, self.columns, COLUMNS):
            part = slice(first, first + COLUMNS)
            summed = np.matmul(self.factors[:, part], tiles).sum(axis=1)
            out[part] = summed.swapaxes(0, 1).reshape(summed.shape[1], -1)


def _tiling(clusters: int) -> tuple[int, int]:
    """Return into how many tiles clusters are cut, and of how many rows."""
    deep = -(-clusters // DEPTH) or 1
    return deep, -(-clusters // deep)


@dataclass(frozen=True, eq=False)
class SliceStatistics:
    """One slice's statistics, less all in which its systems agree."""

    total: Array
    columns: Ints
    """The statistics in which systems differ anywhere."""
    code: Code | None
    table: ClusterTable

    @classmethod
    def of(cls, statistics: Array, pairs: Ints) -> SliceStatistics:
        """Take `(clusters, systems, k)` apart."""
        differs = (statistics != statistics[:, :1]).any(axis=1)
        clusters, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
        apart = statistics[clusters][:, :, columns]
        code = Code.of(apart, pairs)
        if code is None:
            return cls(statistics.sum(axis=0), columns, None, ClusterTable.cut(_flat(apart), clusters))
        few = len(clusters) < FEW * len(statistics)
        numbers = _flat(code.to_sum(apart))
        if not few:
            numbers, differing = np.zeros((len(statistics), numbers.shape[1]), code.dtype), numbers
            numbers[clusters] = differing
        return cls(statistics.sum(axis=0), columns, code, ClusterTable.cut(numbers, clusters if few else None))


def _flat(numbers: Array) -> Array:
    """Return `(clusters, systems, columns)` as `(clusters, columns)`."""
    return numbers.reshape(len(numbers), prod(numbers.shape[1:]))


def _slices(cells: Sequence[NDArray[Any]], pairs: Ints) -> Iterator[SliceStatistics]:
    for array in cells:
        for statistics in np.array(np.moveaxis(array, 2, 0), dtype=np.float64, order="C"):
            yield SliceStatistics.of(statistics, pairs)


def _batches(slices: Iterator[SliceStatistics], draws: int) -> Iterator[list[SliceStatistics]]:
    """Yield as many slices at a time as can share the work of drawing."""
    batch: list[SliceStatistics] = []
    held = 0
    for cell in slices:
        size = cell.table.columns * draws
        if batch and held + size > HELD:
            yield batch
            batch, held = [], 0
        batch.append(cell)
        held += size
    yield batch


def _tested(
    slices: Sequence[SliceStatistics], finish: Finish, pairs: Ints, exchanges: Exchanges
) -> Iterator[tuple[Array, Ints]]:
    """Yield p and the number of undefined draws of every pair in each slice."""
    for cell, sums in zip(slices, exchanges.sums([cell.table for cell in slices]), strict=True):
        systems = len(cell.total) - (cell.code is not None)
        yield _slice_p(
            cell, sums.reshape(systems, max(1, len(sums) // max(1, systems)), exchanges.draws), finish, pairs
        )


def _slice_p(cell: SliceStatistics, moved: NDArray[Any], finish: Finish, pairs: Ints) -> tuple[Array, Ints]:
    """Return p and the number of undefined draws of every pair, from what moves in each draw."""
    values = np.asarray(finish(cell.total), dtype=np.float64)
    gains = _gains_by_draw(moved, pairs) if cell.code is None else cell.code.tallied_gains(moved, pairs)
    larger, undefined = np.zeros(len(pairs), dtype=np.int64), np.zeros(len(pairs), dtype=np.int64)
    done = 0
    for sizes, gained, times in gains:
        block = slice(done, done + len(sizes))
        as_large, nowhere = _compared(cell.total, values, finish, pairs[block], sizes, cell.columns, gained)
        larger[block], undefined[block] = _summed(times * as_large, sizes), _summed(times * nowhere, sizes)
        done += len(sizes)
    unknown = np.isnan(values[pairs]).any(axis=1)
    return np.where(unknown, np.nan, (1 + larger) / (1 + moved.shape[2] - undefined)), undefined


def _compared(
    total: Array, values: Array, finish: Finish, pairs: Ints, sizes: Ints, columns: Ints, gained: Array
) -> tuple[Mask, Mask]:
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
        as_large = difference >= threshold - TOLERANCE * scale
    return as_large, np.isnan(difference)


def _gains_by_draw(moved: Array, pairs: Ints) -> Iterator[Gains]:
    """Yield what every pair gains in every draw, one pair at a time, from `(systems, columns, draws)`."""
    once = np.ones(moved.shape[2], dtype=np.int64)
    for first, second in pairs:
        yield np.array([len(once)]), moved[second] - moved[first], once


@dataclass(frozen=True, eq=False)
class Code:
    """Whole numbers of several columns written as one, as digits are: one tally does for all, and often one sum."""

    worth: Ints
    """What 1 in a column is worth."""
    width: Ints
    """How many different gains a column can have for any pair."""
    lowest: Ints
    """The lowest gains of each pair, `(pairs, columns)`: digits count from there."""
    as_one: bool
    """Whether codes are summed: they are small enough for single precision; else, columns are."""
    dtype: type[np.floating[Any]]
    """In which all these sums are exact."""

    @classmethod
    def of(cls, apart: Array, pairs: Ints) -> Code | None:
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
        as_one = heaviest < EXACT_IN_SINGLE
        dtype = np.float32 if as_one or between[0].max(initial=0.0) < EXACT_IN_SINGLE else np.float64
        return cls(worth.astype(np.int64), width.astype(np.int64), lowest.astype(np.int64), as_one, dtype)

    def to_sum(self, apart: Array) -> NDArray[Any]:
        """Return what is summed of `(clusters, systems, columns)`, of all systems but the first."""
        beside = apart[:, 1:] - apart[:, :1]  # counted from the first, gains are the same and numbers smaller
        return ((beside @ self.worth)[:, :, None] if self.as_one else beside).astype(self.dtype)

    def tallied_gains(self, moved: NDArray[Any], pairs: Ints) -> Iterator[Gains]:
        """Yield what every pair gains and how often, some pairs at a time.

        `moved` are the sums of what is summed, `(systems but the first, columns, draws)`.
        """
        codes_moved = np.zeros((len(moved) + 1, moved.shape[2]), np.int64)
        for column, worth in enumerate((1,) if self.as_one else self.worth):
            codes_moved[1:] += moved[:, column].astype(np.int64) * worth
        tallies: list[tuple[Ints, Ints]] = []
        start = rows = 0
        for end, (first, second) in enumerate(pairs, 1):
            tallies.append(_tally(codes_moved[second] - codes_moved[first]))
            rows += len(tallies[-1][0])
            if rows >= JUDGED_AT_ONCE or end == len(pairs):
                codes, times = (np.concatenate(parts) for parts in zip(*tallies, strict=True))
                sizes = np.array([len(distinct) for distinct, _ in tallies])
                yield sizes, self.read(codes, self.lowest[start:end], sizes), times
                tallies, start, rows = [], end, 0

    def read(self, codes: Ints, lowest: Ints, sizes: Ints) -> Array:
        """Return the gains that codes stand for, `(columns, codes)`."""
        remaining = codes - np.repeat(lowest @ self.worth, sizes)
        gained = np.repeat(lowest.T.astype(np.float64), sizes, axis=1)
        for column, width in enumerate(self.width[:-1]):
            above = remaining // width
            gained[column] += remaining - above * width
            remaining = above
        gained[-1:] += remaining
        return gained


def _tally(codes: Ints) -> tuple[Ints, Ints]:
    """Return codes and how often each occurs; as they are, once each, where they lie too far apart to tally."""
    lowest, highest = int(codes.min(initial=0)), int(codes.max(initial=0))
    if highest - lowest > SPARSE * len(codes):
        return codes, np.ones(len(codes), dtype=np.int64)
    codes -= lowest
    times = np.bincount(codes)
    occurring = np.flatnonzero(times != 0)
    return occurring + lowest, times[occurring]


def _summed(numbers: Ints, sizes: Ints) -> Ints:
    """Return the sums of successive segments of the given sizes."""
    until = np.append(0, np.cumsum(numbers))
    return np.asarray(np.diff(until[np.append(0, np.cumsum(sizes))]))
