"""Which of several overlapping spans to keep, so that no two of them share a position."""

from __future__ import annotations

import numpy as np

from slicewise.arrays import Ints, Mask
from slicewise.matching.overlaps import Ints as AnyInts
from slicewise.matching.overlaps import Spans, contested

ROUNDS = 16
"""Real spans are settled in two or three; a long chain needs as many as it has spans and is walked along instead."""


def resolved(spans: Spans, votes: AnyInts, label_rank: AnyInts, *, rounds: int = ROUNDS) -> Mask:
    """Return which spans to keep, so that no two kept ones of an item share a position.

    Spans are taken in this order: most votes, then the longer, then the earlier start, then the lower rank of the
    label, then as given. One is kept if it shares no position with one that is kept already.
    """
    kept = ~contested(spans)
    rows = np.flatnonzero(~kept)
    kept[rows] = _taken(spans[rows], votes[rows], label_rank[rows], rounds)
    return kept


def _taken(spans: Spans, votes: AnyInts, label_rank: AnyInts, rounds: int) -> Mask:
    start, end = spans.start.astype(np.int64), spans.end.astype(np.int64)
    order = np.lexsort((label_rank, start, start - end, -votes.astype(np.int64)))
    line = spans.item.astype(np.int64) * int(end.max(initial=0))
    begin, stop = (line + start)[order], (line + end)[order]
    kept = np.zeros(len(spans), np.bool_)
    left = np.arange(len(spans))
    for _ in range(rounds):
        if not len(left):
            break
        first, rival = _undominated(*_segments(begin[left], stop[left]))
        kept[order[left[first]]] = True
        left = left[~(first | rival)]
    kept[order[left[_one_by_one(*_segments(begin[left], stop[left]))]]] = True
    return kept


def _segments(begin: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """Return the spans over numbered segments: the line is cut wherever a span begins or ends."""
    cuts, place = np.unique(np.concatenate([begin, stop]), return_inverse=True)
    place = place.astype(np.int64).reshape(2, len(begin)) if len(cuts) else np.zeros((2, 0), np.int64)
    return place[0], place[1]


def _undominated(begin: Ints, stop: Ints) -> tuple[Mask, Mask]:
    """Return the spans that come before all that share a position with them, and the others that share one with these.

    The spans stand in the order in which they are taken.
    """
    n = len(begin)
    best = _best(begin, stop)
    first = np.bincount(best, minlength=n + 1)[:n] == stop - begin
    taken = np.concatenate([[0], np.cumsum(np.append(first, False)[best])])
    return first, ~first & (taken[stop] > taken[begin])


def _best(begin: Ints, stop: Ints) -> Ints:
    """Return for every segment the first span that covers it; the number of spans where none does.

    A span is laid on as two stretches of 2^k segments, and stretches are halved until they are single segments.
    """
    n = len(begin)
    level = np.frexp(stop - begin)[1] - 1  # of spans without length, -1
    best = np.full(int(stop.max(initial=0)), n)
    for k in range(int(level.max(initial=-1)), -1, -1):
        half = 1 << k
        halved = best.copy()
        np.minimum(halved[half:], best[:-half], out=halved[half:])
        best = halved
        spans = np.flatnonzero(level == k)
        np.minimum.at(best, begin[spans], spans)
        np.minimum.at(best, stop[spans] - half, spans)
    return best


def _one_by_one(begin: Ints, stop: Ints) -> Mask:
    """Take the spans one after the other, which is the rule itself."""
    kept = np.zeros(len(begin), np.bool_)
    taken = bytearray(int(stop.max(initial=0)))
    for i, (a, b) in enumerate(zip(begin.tolist(), stop.tolist(), strict=True)):
        if taken.find(1, a, b) < 0:
            taken[a:b] = b"\1" * (b - a)
            kept[i] = True
    return kept
