"""Features that (nearly) the same rows have: one of them is shown, the others are named beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from slicewise.extract.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Index = NDArray[np.int64]

SAME = 0.9
"""The Jaccard similarity of the rows of features that are folded."""
NEAREST, FURTHEST = 1000, 4000
"""So many places of a ranking are looked through at least, and at most."""
STEP = 200


@dataclass
class Shown:
    """A feature that is shown, with those folded under it."""

    feature: int
    rows: NDArray[np.int32]
    folded: list[int] = field(default_factory=list)


def fold(
    order: Index, rows_of: Callable[[int], NDArray[np.int32]], size: int, top: int, *, folding: bool
) -> list[Shown]:
    """Return the first features of a ranking, each with the later ones that have the same rows.

    As many as `top` (0 = all). What is folded does not depend on that, but for features far behind.
    """
    wanted = top or len(order)
    if not folding:
        return [Shown(int(feature), rows_of(int(feature))) for feature in order[:wanted]]
    shown: list[Shown] = []
    for start in range(0, min(len(order), FURTHEST), STEP):
        if len(shown) >= wanted and start >= NEAREST:
            return shown
        _fold_batch(
            [int(feature) for feature in order[start : min(start + STEP, FURTHEST)]], rows_of, size, wanted, shown
        )
    rest = [int(feature) for feature in order[FURTHEST : FURTHEST + max(0, wanted - len(shown))]]
    return [*shown, *(Shown(feature, rows_of(feature)) for feature in rest)]


def _fold_batch(
    batch: list[int], rows_of: Callable[[int], NDArray[np.int32]], size: int, wanted: int, shown: list[Shown]
) -> None:
    """Fold a batch under what is shown, or add to it as long as not enough are."""
    from scipy.sparse import csr_array

    own = [rows_of(feature) for feature in batch]
    every = Relation.of_rows([*(one.rows for one in shown), *own], size)
    matrix = csr_array((np.ones(len(every.rows), np.int32), every.rows, every.starts), shape=(len(every), size))
    shared = (matrix[len(shown) :] @ matrix.T).toarray()
    counts = every.counts
    same = shared >= SAME * (counts[len(shown) :, None] + counts[None, :] - shared)
    places = list(range(len(shown)))  # of what is shown, in the matrix
    for i, (feature, rows) in enumerate(zip(batch, own, strict=True)):
        alike = np.flatnonzero(same[i, places])
        if len(alike):
            shown[int(alike[0])].folded.append(feature)
            continue
        if len(shown) < wanted:
            places.append(len(counts) - len(batch) + i)
            shown.append(Shown(feature, rows))
