"""Features that (nearly) the same rows have: one of them is shown, the others are named beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from slicewise.extract.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Index = NDArray[np.int64]
    Flags = NDArray[np.bool_]

SAME = 0.9
"""The Jaccard similarity of the rows of features that are folded."""
NEAREST, FURTHEST = 1000, 4000
"""So many places of a ranking are looked through at least, and at most."""
STEP = 200


@dataclass
class Shown:
    """A feature that is shown, with those folded under it."""

    feature: int
    folded: list[int] = field(default_factory=list)


class Alike(Protocol):
    """Tells which features have nearly the same rows."""

    def __call__(self, batch: Sequence[int], others: Sequence[int]) -> Flags:
        """Return which of the others, and then of the batch, each of a batch is like."""


def fold(order: Index, alike: Alike | None, top: int) -> list[Shown]:
    """Return the first features of a ranking, each with the later ones that have the same rows; None: without these.

    As many as `top` (0 = all). What is folded does not depend on that, but for features far behind.
    """
    wanted = top or len(order)
    if alike is None:
        return [Shown(int(feature)) for feature in order[:wanted]]
    shown: list[Shown] = []
    for start in range(0, min(len(order), FURTHEST), STEP):
        if len(shown) >= wanted and start >= NEAREST:
            return shown
        _fold_batch([int(feature) for feature in order[start : min(start + STEP, FURTHEST)]], alike, wanted, shown)
    rest = [int(feature) for feature in order[FURTHEST : FURTHEST + max(0, wanted - len(shown))]]
    return [*shown, *(Shown(feature) for feature in rest)]


def _fold_batch(batch: list[int], alike: Alike, wanted: int, shown: list[Shown]) -> None:
    """Fold a batch under what is shown, or add to it as long as not enough are."""
    before = len(shown)
    same = alike(batch, [one.feature for one in shown])
    places = list(range(before))  # of what is shown, in the matrix
    for i, feature in enumerate(batch):
        found = np.flatnonzero(same[i, places])
        if len(found):
            shown[int(found[0])].folded.append(feature)
        elif len(shown) < wanted:
            places.append(before + i)
            shown.append(Shown(feature))


def alike_counts(shared: NDArray[Any], a: Index, b: Index) -> Flags:
    """Tell whether features are alike that so many rows share, and so many have."""
    return np.asarray(shared >= SAME * (a + b - shared))


@dataclass
class RowsAlike:
    """Compares the rows of features that are in memory."""

    rows_of: Callable[[int], NDArray[np.int32]]
    size: int
    kept: dict[int, NDArray[np.int32]] = field(default_factory=dict)
    """The rows of what is asked for again."""

    def __call__(self, batch: Sequence[int], others: Sequence[int]) -> Flags:
        """Return which of the others, and then of the batch, each of a batch is like."""
        from scipy.sparse import csr_array

        every = [*others, *batch]
        self.kept = {at: self.kept[at] if at in self.kept else self.rows_of(at) for at in every}
        relation = Relation.of_rows([self.kept[at] for at in every], self.size)
        data = np.ones(len(relation.rows), np.int32)
        matrix = csr_array((data, relation.rows, relation.starts), shape=(len(every), self.size))
        shared = (matrix[len(others) :] @ matrix.T).toarray()
        counts = relation.counts
        return alike_counts(shared, counts[len(others) :, None], counts[None, :])
