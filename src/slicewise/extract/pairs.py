"""Pairs of features that items have together: counts and sums of all pairs as sparse products, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.extract.relation import Relation

MOST_CELLS = 1 << 23
"""Cells of a product that may be filled at a time."""
BLOCK = 64
"""Features of about the same number of rows that are compared at a time."""
SHRINK = 16
"""The matrix is cut once a sixteenth of its rows is done."""


@dataclass(frozen=True)
class Pairs:
    """Some pairs of features: their places, the number of rows they share, and the sum of a value over these."""

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    counts: Ints
    sums: Ints
    more: tuple[Ints, ...] = ()
    """Sums of other values."""

    def __len__(self) -> int:
        return len(self.a)


def pairs(
    relation: Relation,
    values: Ints,
    least: int,
    first: int = 0,
    stop: int | None = None,
    *,
    more: Sequence[Ints] = (),
    most_cells: int = MOST_CELLS,
) -> Iterator[Pairs]:
    """Return all pairs a < b that at least so many rows have, block by block; a is one of first:stop.

    Count and sum travel in one number, the sum in its lower bits, where both fit; the sums of `more` are made apart.
    """
    from scipy.sparse import csr_array

    ones = np.ones(len(relation.rows), np.int64)
    shape = (len(relation), relation.size)
    starts = relation.starts
    bits = int(values.sum()).bit_length()
    together = bits + relation.size.bit_length() < 63
    weights = values[relation.rows]
    right = csr_array((weights + (ones << bits) if together else ones, relation.rows, starts), shape=shape)
    sums = None if together else csr_array((weights, relation.rows, starts), shape=shape)
    # no product of these is 0 where features share rows, so that all products have the same cells
    others = [csr_array(((column + 1)[relation.rows], relation.rows, starts), shape=shape) for column in more]
    left = csr_array((ones, relation.rows, starts), shape=shape)
    start, base = first, 0
    last = min(len(relation) - 1, len(relation) if stop is None else stop)
    while start < last:
        if start - base > (len(relation) - base) // SHRINK:  # features behind are paired already
            right, sums = right[start - base :], None if sums is None else sums[start - base :]
            others = [other[start - base :] for other in others]
            base = start
        end = min(start + max(1, most_cells // (len(relation) - base)), last)
        block = left[start:end]
        product = (block @ right.T).tocoo()
        a, b, packed = product.row + np.int32(start), product.col + np.int32(base), product.data
        if sums is None:
            counts, summed = packed >> bits, packed & ((1 << bits) - 1)
        else:
            counts, summed = packed, (block @ sums.T).tocoo().data
        kept = np.flatnonzero((b > a) & (counts >= least))
        further = tuple(((block @ other.T).tocoo().data - counts)[kept] for other in others)
        yield Pairs(a[kept].astype(np.int32), b[kept].astype(np.int32), counts[kept], summed[kept], further)
        start = end


def overlaps(relation: Relation, counts: Ints, share: float) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Return pairs of features with the number of rows they share, where the rarer has that share of the other's rows.

    `counts` are the rows of each feature, here and elsewhere.
    """
    from scipy.sparse import csr_array

    order = np.argsort(counts, kind="stable")
    ordered, n = relation.take(order), counts[order]
    ones = np.ones(len(ordered.rows), np.int32)
    matrix = csr_array((ones, ordered.rows, ordered.starts), shape=(len(ordered), ordered.size))
    for start in range(0, len(ordered), BLOCK):
        end = min(start + BLOCK, len(ordered))
        last = int(np.searchsorted(n, n[end - 1] / share, side="right"))
        product = (matrix[start:end] @ matrix[start:last].T).tocoo()
        a, b = product.row.astype(np.int64) + start, product.col.astype(np.int64) + start
        kept = np.flatnonzero((b > a) & (n[a] >= share * n[b]))
        a, b = order[a[kept]], order[b[kept]]
        yield np.minimum(a, b), np.maximum(a, b), product.data[kept].astype(np.int64)
