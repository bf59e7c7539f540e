"""The error type of every wrong span: boundary, type, both, missed or spurious."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Mask
from slicewise.matching.assignment import best_matching
from slicewise.matching.overlaps import Index, Ints, Spans, contested_units, overlap_counts, overlapping_pairs

KINDS = ("boundary", "type", "boundary_type", "missed", "spurious")
"""The kinds of error in the order of their codes; code 0 is no error, code 1 the first kind."""

BOUNDARY, TYPE, BOUNDARY_TYPE, MISSED, SPURIOUS = range(1, len(KINDS) + 1)


@dataclass(frozen=True, eq=False)
class ErrorTypes:
    """One entry per unit of a system's table."""

    kind: NDArray[np.int8]
    """The code of the kind of error: 0 where there is none, else 1 + its place in `KINDS`."""
    partner: Index
    """The unit it is matched with, −1 where there is none."""
    overlaps: Mask
    """Whether a wrong unit shares a position with any unit of the other side, right or wrong."""
    counted: Mask
    """The unit at which an error is counted: the gold one of a pair, and every unmatched one."""


def error_types(item: Ints, start: Ints, end: Ints, label: Ints, gold: Mask, returned: Mask) -> ErrorTypes:
    """Return the errors of one system: its missed and its spurious spans of every item matched one to one.

    The matching has as many pairs of the same span as possible, then of the same label, then the most shared
    positions; ties go to the first by (start, end, label), missed spans first. Labels are numbered in the order they
    are to be compared in. The order of the units makes no difference.
    """
    spans = Spans(item, start, end)
    kind = (gold & ~returned) * np.int8(MISSED) + (returned & ~gold) * np.int8(SPURIOUS)
    near = contested_units(spans, gold | returned)
    overlaps = np.zeros(len(item), dtype=bool)
    missed, spurious = near[kind[near] == MISSED], near[kind[near] == SPURIOUS]
    overlaps[missed] = overlap_counts(spans[missed], spans[near[returned[near]]]) > 0
    overlaps[spurious] = overlap_counts(spans[spurious], spans[near[gold[near]]]) > 0

    left, right = _matched(spans, label, missed[overlaps[missed]], spurious[overlaps[spurious]])
    partner = np.full(len(item), -1, dtype=np.intp)
    partner[left], partner[right] = right, left
    same_span = (start[left] == start[right]) & (end[left] == end[right])
    pair_kind = np.where(same_span, TYPE, np.where(label[left] == label[right], BOUNDARY, BOUNDARY_TYPE))
    kind[left] = kind[right] = pair_kind
    return ErrorTypes(kind, partner, overlaps, (kind > 0) & (gold | (kind == SPURIOUS)))


def _matched(spans: Spans, label: Ints, missed: Index, spurious: Index) -> tuple[Index, Index]:
    """Return the matched pairs as (missed units, spurious units)."""
    missed, spurious = in_order(spans, label, missed), in_order(spans, label, spurious)
    a, b = overlapping_pairs(spans[missed], spans[spurious])
    left, right = missed[a], spurious[b]
    gold_spans, returned_spans = spans[left], spans[right]
    same_span = (gold_spans.start == returned_spans.start) & (gold_spans.end == returned_spans.end)
    shared = np.minimum(gold_spans.end, returned_spans.end) - np.maximum(gold_spans.start, returned_spans.start)
    chosen = best_matching(a, b, np.column_stack([same_span, label[left] == label[right], shared]))
    return left[chosen], right[chosen]


def in_order(spans: Spans, label: Ints, units: Index) -> Index:
    """Return the units sorted by item, start, end and label; as a rule they are."""
    columns = [column[units] for column in (spans.item, spans.start, spans.end, label)]
    return units if _ascending(columns) else units[np.lexsort(columns[::-1])]


def _ascending(columns: Sequence[Ints]) -> bool:
    """Return whether rows are in lexicographic order."""
    tied = np.ones(max(0, len(columns[0]) - 1), dtype=bool)
    for column in columns:
        if (tied & (column[1:] < column[:-1])).any():
            return False
        tied &= column[1:] == column[:-1]
    return True
