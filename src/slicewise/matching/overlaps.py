"""Which spans of one side share a position with which spans of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Mask

Ints = NDArray[np.integer[Any]]
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans `[start, end)` of items, `end > start`, in any order; they may nest, overlap and repeat."""

    item: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.item)

    def __getitem__(self, chosen: NDArray[Any]) -> Spans:
        return Spans(self.item[chosen], self.start[chosen], self.end[chosen])


def run_starts(*columns: NDArray[Any]) -> Mask:
    """Return which rows differ from the row before them; the first row always does."""
    new = np.zeros(len(columns[0]), dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


def overlapping_pairs(a: Spans, b: Spans) -> tuple[Index, Index]:
    """Return the indices of all pairs of a span of `a` and one of `b` in the same item that share a position.

    Every pair comes once, in no particular order. Time grows with the spans and the pairs found, nested or not.
    """
    (a_from, a_to), (b_from, b_to) = _global_positions(a, b)
    inner_b, outer_a = _starts_within(b_from, a_from, a_to, "left")  # b starts inside a, or where a does
    inner_a, outer_b = _starts_within(a_from, b_from, b_to, "right")  # a starts inside b, later than b
    return np.concatenate([outer_a, inner_a]), np.concatenate([inner_b, outer_b])


def overlap_counts(a: Spans, b: Spans) -> Index:
    """Return for every span of `a` how many spans of `b` in the same item share a position with it."""
    (a_from, a_to), (b_from, b_to) = _global_positions(a, b)
    begun = np.searchsorted(np.sort(b_from), a_to, side="left")
    over = np.searchsorted(np.sort(b_to), a_from, side="right")
    return begun - over


def contested(spans: Spans) -> Mask:
    """Return which spans may overlap another: those in a run of which each begins before all others end."""
    [(begin, stop)] = _global_positions(spans)
    order = np.argsort(begin, kind="stable")
    new = np.ones(len(order) + 1, dtype=bool)
    new[1:-1] = begin[order][1:] >= np.maximum.accumulate(stop[order])[:-1]
    mask = np.empty(len(order), dtype=bool)
    mask[order] = ~(new[:-1] & new[1:])
    return mask


def contested_units(spans: Spans, present: Mask) -> Index:
    """Return those of the spans that are present which may overlap another of them."""
    units = np.flatnonzero(present)
    return units[contested(spans[units])]


def _global_positions(*sides: Spans) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return starts and ends with the items laid one after another."""
    width = max(int(side.end.max(initial=0)) for side in sides)
    lines = []
    for side in sides:
        offset = side.item.astype(np.int64) * width
        lines.append((offset + side.start, offset + side.end))
    return lines


def _starts_within(
    starts: NDArray[np.int64], outer_from: NDArray[np.int64], outer_to: NDArray[np.int64], side: Any
) -> tuple[Index, Index]:
    """Return the pairs (inner, outer) with outer_from ≤ start < outer_to; side "right": outer_from < start."""
    order = np.argsort(starts, kind="stable")
    ordered = starts[order]
    first = np.searchsorted(ordered, outer_from, side=side)
    count = np.maximum(np.searchsorted(ordered, outer_to, side="left") - first, 0)
    outer = np.repeat(np.arange(len(outer_from)), count)
    within = np.arange(len(outer)) - np.repeat(np.cumsum(count) - count, count)
    return order[first[outer] + within], outer
