"""The four ways of counting spans of SemEval-2013: strict, exact, partial and type."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slicewise.arrays import Array, Mask
from slicewise.matching.assignment import best_matching
from slicewise.matching.error_types import in_order
from slicewise.matching.overlaps import (
    Index,
    Ints,
    Spans,
    contested_units,
    overlap_counts,
    overlapping_pairs,
    run_starts,
)


@dataclass(frozen=True, eq=False)
class SemEval:
    """The credit of every unit in each way: 0, ½ or 1 for a gold unit, 0 for others. Its sum is the way's tp."""

    strict: Array
    exact: Array
    partial: Array
    type: Array


def semeval_matches(item: Ints, start: Ints, end: Ints, label: Ints, gold: Mask, returned: Mask) -> SemEval:
    """Return the credit of every gold unit, with one optimal matching of all gold and all returned spans per way.

    strict: same span and label. exact: same span. type: same label and a shared position, as many pairs as possible.
    partial: 1 for the same span and ½ for a shared position, the greatest sum. The order of the units makes no
    difference.
    """
    spans = Spans(item, start, end)
    strict = (gold & returned).astype(float)
    exact, partial, by_type = strict.copy(), strict.copy(), strict.copy()
    near = contested_units(spans, gold | returned)
    exact[near], partial[near], by_type[near] = _credits(spans[near], label[near], gold[near], returned[near])
    return SemEval(strict, exact, partial, by_type)


def _credits(spans: Spans, label: Ints, gold: Mask, returned: Mask) -> tuple[Array, Array, Mask]:
    """Return the credits of exact, partial and type."""
    paired = (gold & returned) | _same_span(spans, label, gold, returned)
    exact = (gold & paired).astype(float)
    partial = exact + 0.5 * _overlapping(spans, label, gold & ~paired, returned & ~paired)
    return exact, partial, _same_label(spans, label, gold, returned)


def _same_span(spans: Spans, label: Ints, gold: Mask, returned: Mask) -> Mask:
    """Return which wrong units are paired when as many missed and spurious ones of the same span are as possible."""
    wrong = in_order(spans, label, np.flatnonzero(gold ^ returned))
    new = run_starts(spans.item[wrong], spans.start[wrong], spans.end[wrong])
    group, first = np.cumsum(new) - 1, np.flatnonzero(new)
    spurious = returned[wrong]
    before: Index = np.cumsum(spurious) - spurious
    before -= before[first][group]  # spurious ones of the same span that come before
    place = np.where(spurious, before, np.arange(len(wrong)) - first[group] - before)
    n_spurious = np.bincount(group[spurious], minlength=len(first))
    paired = np.zeros(len(gold), dtype=bool)
    paired[wrong] = place < np.minimum(n_spurious, np.bincount(group, minlength=len(first)) - n_spurious)[group]
    return paired


def _overlapping(spans: Spans, label: Ints, gold: Mask, returned: Mask) -> Mask:
    """Return the gold units that get half a credit: in as many overlapping pairs as possible.

    With ½ + ½ never more than 1, pairing the same spans first costs nothing, so only the rest is left here.
    """
    left, right = in_order(spans, label, np.flatnonzero(gold)), in_order(spans, label, np.flatnonzero(returned))
    a, b = overlapping_pairs(spans[left], spans[right])
    credited = np.zeros(len(gold), dtype=bool)
    credited[left[a[best_matching(a, b, np.ones((len(a), 1), dtype=np.int64))]]] = True
    return credited


def _same_label(spans: Spans, label: Ints, gold: Mask, returned: Mask) -> Mask:
    """Return the gold units matched when as many overlapping pairs of the same label as possible are made.

    Among such matchings one with most identical pairs. A correct unit that overlaps no other returned unit of its label
    can only be paired with itself, and to do so is never worse; others may have to give way where spans are nested.
    """
    labels = int(label.max(initial=0)) + 1
    by_label = Spans(spans.item.astype(np.int64) * labels + label, spans.start, spans.end)
    correct = np.flatnonzero(gold & returned)
    alone = overlap_counts(by_label[correct], by_label[np.flatnonzero(returned)]) == 1
    credited = np.zeros(len(gold), dtype=bool)
    credited[correct[alone]] = True
    left = in_order(spans, label, np.flatnonzero(gold & ~credited))
    right = in_order(spans, label, np.flatnonzero(returned & ~credited))
    a, b = overlapping_pairs(by_label[left], by_label[right])
    chosen = best_matching(a, b, np.column_stack([np.ones(len(a), dtype=np.int64), left[a] == right[b]]))
    credited[left[a[chosen]]] = True
    return credited
