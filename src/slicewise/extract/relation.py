"""Which items have which feature: an inverted index, as two arrays of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Ints

Rows = NDArray[np.int32]


Number = TypeVar("Number", np.int64, np.float64)
WORD, SHORT = 64, 32
BATCH = 250_000
"""Entries that are sorted at a time."""


@dataclass(frozen=True)
class Relation:
    """Feature i belongs to `rows[starts[i]:starts[i + 1]]`, each once, in ascending order."""

    starts: Ints
    rows: Rows
    size: int
    """How many rows there are in all."""

    @classmethod
    def of_rows(cls, rows: Sequence[Rows], size: int) -> Relation:
        """Return the relation of features whose rows are given, ascending."""
        ends = np.cumsum([0] + [len(feature_rows) for feature_rows in rows])
        return cls(ends, np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32), size)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def counts(self) -> Ints:
        """How many rows have each feature."""
        return np.diff(self.starts)

    def of(self, feature: int) -> Rows:
        """Return the rows of one feature."""
        return self.rows[self.starts[feature] : self.starts[feature + 1]]

    def sums(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return the sum of a value over the rows of each feature, exact for integers."""
        totals = np.zeros(len(self), values.dtype)
        filled = np.flatnonzero(self.counts)
        for batch in batches(self.starts[np.append(filled, len(self))]):
            features = filled[batch]
            start, end = self.starts[features[0]], self.starts[features[-1] + 1]
            totals[features] = np.add.reduceat(values[self.rows[start:end]], self.starts[features] - start)
        return totals

    def take(self, features: Ints) -> Relation:
        """Return some of the features, in the order given."""
        counts = self.counts[features]
        ends = np.cumsum(counts)
        at = np.repeat(self.starts[features] - ends + counts, counts)
        at += np.arange(len(at))
        return Relation(np.concatenate([[0], ends]).astype(np.int64), self.rows[at], self.size)

    def whole(self) -> Relation:
        """Return it as it is: in one piece."""
        return self

    def among(self, kept: NDArray[np.bool_]) -> Relation:
        """Return the same features over the rows that are kept, numbered anew."""
        if kept.all():
            return self
        entries = kept[self.rows]
        before = np.concatenate([[0], np.cumsum(entries)])
        numbers = (np.cumsum(kept) - 1).astype(np.int32)
        return Relation(before[self.starts], numbers[self.rows[entries]], int(kept.sum()))


@dataclass(frozen=True)
class Limits:
    """How many rows a feature must have, and must not have, to be kept."""

    least: int
    size: int

    def __call__(self, counts: Ints) -> NDArray[np.bool_]:
        """Return which features are kept."""
        return (counts >= self.least) & (self.size - counts >= self.least)


def by_row(ids: NDArray[np.uint32], offsets: Ints, size: int, least: int = 0) -> tuple[Relation, Ints]:
    """Return the relation of numbered features that stand row by row, in one piece, and the numbers of those kept."""
    relation = Batches.of_ids(ids, offsets, size)
    kept = np.flatnonzero(Limits(least, relation.size)(relation.counts) & (relation.counts > 0))
    return relation.whole().take(kept), kept


@dataclass(frozen=True, eq=False)
class Batches:
    """A relation that was sorted batch by batch of its rows, each small enough to lie in the processor's memory.

    It can be counted and summed as it is; the rows of all batches are put together only where that is needed.
    """

    size: int
    counts: Ints
    parts: list[_Batch]

    @classmethod
    def of_ids(cls, ids: NDArray[np.uint32], offsets: Ints, size: int) -> Batches:
        """Make it from numbered features that stand row by row, repeated or not."""
        parts = [_sorted_batch(ids, offsets, batch, size) for batch in batches(offsets)]
        counts = np.zeros(size, np.int64)
        for part in parts:
            counts[part.features] += part.counts
        return cls(len(offsets) - 1, counts, parts)

    def __len__(self) -> int:
        return len(self.counts)

    def of(self, feature: int) -> Rows:
        """Return the rows of one feature."""
        rows = []
        for part in self.parts:
            at = int(np.searchsorted(part.features, np.uint32(feature)))
            if at < len(part.features) and part.features[at] == feature:
                rows.append(part.rows[part.first[at] : part.first[at] + part.counts[at]])
        return np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32)

    def sums(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return the sum of a value over the rows of each feature, exact for integers."""
        totals = np.zeros(len(self), values.dtype)
        for part in self.parts:
            if len(part.features):
                totals[part.features] += np.add.reduceat(values.take(part.rows), part.first)
        return totals

    def among(self, kept: NDArray[np.bool_]) -> Batches | Relation:
        """Return the same features over the rows that are kept, numbered anew."""
        return self if kept.all() else self.whole().among(kept)

    def take(self, features: Ints) -> Relation | Inherited:
        """Return some of the features, in the order given."""
        starts = np.concatenate([[0], np.cumsum(self.counts[features])]).astype(np.int64)
        cursor = starts[:-1].copy()
        rows = np.empty(starts[-1], np.int32)
        for part in self.parts:
            if not len(part.features):
                continue
            at = np.minimum(np.searchsorted(part.features, features.astype(np.uint32)), len(part.features) - 1)
            present = np.flatnonzero(part.features[at] == features)
            at, n = at[present], part.counts[at[present]]
            before = np.repeat(np.cumsum(n) - n, n)
            offset = np.arange(len(before)) - before
            rows[np.repeat(cursor[present], n) + offset] = part.rows[np.repeat(part.first[at], n) + offset]
            cursor[present] += n
        return Relation(starts, rows, self.size)

    def whole(self) -> Relation:
        """Return the relation in one piece."""
        starts = np.concatenate([[0], np.cumsum(self.counts)])
        cursor = starts[:-1].copy()
        placed = np.empty(starts[-1], np.int32)
        for part in self.parts:
            at = np.repeat(cursor[part.features] - part.first, part.counts)
            at += np.arange(len(at))
            placed[at] = part.rows
            cursor[part.features] += part.counts
        return Relation(starts, placed, self.size)


@dataclass(frozen=True, eq=False)
class Inherited(Batches):
    """The features of items as those of their rows: every row (a unit) has what its item has.

    Rows stand in the order of items. None is written down once per feature unless it is asked for.
    """

    items: Relation
    """The items of each feature."""
    rows: Relation
    """The rows of each item."""

    @classmethod
    def of_items(cls, items: Relation, rows: Relation) -> Inherited:
        """Make it from the items of each feature, and the rows of each item."""
        return cls(rows.size, items.sums(rows.counts), [], items, rows)

    def of(self, feature: int) -> Rows:
        """Return the rows of one feature."""
        return self.rows.take(self.items.of(feature).astype(np.int64)).rows

    def sums(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return the sum of a value over the rows of each feature, exact for integers."""
        return self.items.sums(self.rows.sums(values))

    def among(self, kept: NDArray[np.bool_]) -> Inherited:
        """Return the same features over the rows that are kept, numbered anew."""
        return self if kept.all() else Inherited.of_items(self.items, self.rows.among(kept))

    def take(self, features: Ints) -> Inherited:
        """Return some of the features, in the order given."""
        return Inherited.of_items(self.items.take(features), self.rows)

    def whole(self) -> Relation:
        """Return the relation in one piece."""
        inherited = self.rows.take(self.items.rows.astype(np.int64)).rows
        return Relation(np.concatenate([[0], np.cumsum(self.counts)]), inherited, self.size)


@dataclass(frozen=True)
class _Batch:
    """The rows of some features, in the order of the features."""

    features: NDArray[np.uint32]
    first: NDArray[np.int32]
    counts: NDArray[np.int32]
    rows: NDArray[np.uint32]


def batches(offsets: Ints) -> Iterator[slice]:
    """Return runs of rows that have about BATCH entries together."""
    start, rows = 0, len(offsets) - 1
    while start < rows:
        end = max(int(np.searchsorted(offsets, offsets[start] + BATCH, side="right")) - 1, start + 1)
        yield slice(start, end)
        start = end


def _sorted_batch(ids: NDArray[np.uint32], offsets: Ints, batch: slice, size: int) -> _Batch:
    """Sort a batch: feature and row packed into one word, a short one where they fit."""
    rows = batch.stop - batch.start
    width = row_bits(rows)
    word = np.uint32 if width + row_bits(size) <= SHORT else np.uint64
    packed: NDArray[Any] = ids[offsets[batch.start] : offsets[batch.stop]].astype(word)
    packed <<= word(width)
    packed |= np.repeat(np.arange(rows, dtype=np.uint32), np.diff(offsets[batch.start : batch.stop + 1]))
    packed.sort()
    packed = packed[_changes(packed)]
    features = packed >> word(width)
    packed &= word((1 << width) - 1)
    first = np.flatnonzero(_changes(features)).astype(np.int32)
    row_numbers = packed.astype(np.uint32)
    row_numbers += np.uint32(batch.start)
    counts = np.diff(first, append=np.int32(len(packed)))
    return _Batch(features[first].astype(np.uint32), first, counts, row_numbers)


def related(keys: NDArray[np.uint64], rows: NDArray[np.uint32], size: int, fewest: int = 1) -> tuple[Relation, Ints]:
    """Return the relation of features known by a number, given with their rows in any order, repeated or not.

    Also returns the numbers, ascending, of those that are kept: which at least so many rows have.
    """
    width = row_bits(size)
    if len(keys) and int(keys.max()).bit_length() + width > WORD:
        distinct, numbers = np.unique(keys, return_inverse=True)
        relation, kept = related(numbers.astype(np.uint64), rows, size, fewest)
        return relation, distinct[kept].astype(np.int64)
    packed = keys << np.uint64(width)
    packed |= rows
    return of_packed(packed, size, fewest)


def row_bits(size: int) -> int:
    """Return how many bits a row needs."""
    return max(size - 1, 1).bit_length()


def of_packed(packed: NDArray[np.uint64], size: int, fewest: int = 1) -> tuple[Relation, Ints]:
    """Return the relation of features and rows that stand in one word each, which are sorted here and now."""
    width = np.uint64(row_bits(size))
    packed.sort()
    packed = packed[_changes(packed)]
    starts = _starts(packed, width)
    counts = np.diff(starts)
    kept = np.flatnonzero(counts >= fewest)
    keys = packed[starts[kept]] >> width
    ends = np.cumsum(counts[kept])
    rows = np.empty(int(ends[-1]) if len(ends) else 0, np.int32)
    mask = np.uint64((1 << int(width)) - 1)
    for batch in batches(np.concatenate([[0], ends])):
        features = kept[batch]
        at = np.repeat(starts[features] - ends[batch] + counts[features], counts[features])
        start = ends[batch.start] - counts[features[0]]
        at += np.arange(start, start + len(at))
        rows[start : start + len(at)] = packed[at] & mask
    return Relation(np.concatenate([[0], ends]).astype(np.int64), rows, size), keys.astype(np.int64)


def _starts(packed: NDArray[np.uint64], width: np.uint64) -> Ints:
    """Return where each feature begins, and the end, looking at some at a time."""
    starts = [np.zeros(min(1, len(packed)), np.int64)]
    for start in range(0, len(packed), BATCH):
        features = packed[start : start + BATCH + 1] >> width
        starts.append(np.flatnonzero(features[1:] != features[:-1]) + start + 1)
    return np.concatenate([*starts, [len(packed)]]).astype(np.int64)


def _changes(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are not the same as the one before."""
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def joined(relations: Sequence[Relation], size: int) -> Relation:
    """Return the features of several relations over the same rows, one after the other."""
    ends = np.cumsum([0] + [len(relation.rows) for relation in relations])
    starts = [relation.starts[:-1] + end for relation, end in zip(relations, ends[:-1], strict=True)]
    rows = np.concatenate([relation.rows for relation in relations]) if relations else np.zeros(0, np.int32)
    return Relation(np.concatenate([*starts, [ends[-1]]]).astype(np.int64), rows, size)
