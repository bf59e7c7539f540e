"""Features that (nearly) the same rows have: one of them is shown, the others are named beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Ints, Mask

SAME = 0.9
"""The Jaccard similarity of the rows of features that are folded."""
NEAREST, FURTHEST = 1000, 4000
"""So many places of a ranking are looked through at least, and at most."""
STEP = 200


@dataclass
class ListedFeature:
    """A feature that is shown, with those folded under it."""

    feature: int
    folded: list[int] = field(default_factory=list)


class RowComparison(Protocol):
    """Tells which features have nearly the same rows."""

    def __call__(self, batch: Sequence[int], others: Sequence[int]) -> Mask:
        """Return which of the others, and then of the batch, each of a batch is like."""


def fold(order: Ints, alike: RowComparison | None, top: int) -> list[ListedFeature]:
    """Return the first features of a ranking, each with the later ones that have the same rows; None: without these.

    As many as `top` (0 = all). What is folded does not depend on that, but for features far behind.
    """
    limit = top or len(order)
    if alike is None:
        return [ListedFeature(int(feature)) for feature in order[:limit]]
    shown: list[ListedFeature] = []
    for start in range(0, min(len(order), FURTHEST), STEP):
        if len(shown) >= limit and start >= NEAREST:
            return shown
        _fold_batch([int(feature) for feature in order[start : min(start + STEP, FURTHEST)]], alike, limit, shown)
    rest = [int(feature) for feature in order[FURTHEST : FURTHEST + max(0, limit - len(shown))]]
    return [*shown, *(ListedFeature(feature) for feature in rest)]


def _fold_batch(batch: list[int], alike: RowComparison, limit: int, shown: list[ListedFeature]) -> None:
    """Fold a batch under what is shown, or add to it as long as not enough are."""
    before = len(shown)
    same = alike(batch, [listed.feature for listed in shown])
    places = list(range(before))  # of what is shown, in the matrix
    for i, feature in enumerate(batch):
        same_as = np.flatnonzero(same[i, places])
        if len(same_as):
            shown[int(same_as[0])].folded.append(feature)
        elif len(shown) < limit:
            places.append(before + i)
            shown.append(ListedFeature(feature))


def alike_counts(shared: NDArray[Any], a: Ints, b: Ints) -> Mask:
    """Tell whether features are alike that so many rows share, and so many have."""
    return np.asarray(shared >= SAME * (a + b - shared))
