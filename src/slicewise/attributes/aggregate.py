"""F(x, φ, E): the share of the members of E whose φ equals φ(x). Aggregate attributes are one line each with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[np.int64]

NOWHERE = -1
"""A key that equals no other."""


def share(values: Keys, members: Keys, within: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """Return F(x, φ, E) for many x: `values` are φ(x), `members` are φ(ε) of all ε in E.

    `within`: the size of E for each x, where E depends on x (its own surface form's occurrences); 0 where it is empty.
    """
    size = np.full(len(values), len(members)) if within is None else within
    found = np.zeros(len(values))
    np.divide(count(values, members), size, out=found, where=size > 0)
    return found


def count(values: Keys, members: Keys) -> NDArray[np.int64]:
    """Return how many members equal each value."""
    known, times = np.unique(members[members != NOWHERE], return_counts=True)
    if not len(known):
        return np.zeros(len(values), np.int64)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, times[at], 0)


def paired(a: Keys, b: Keys, sizes: int) -> Keys:
    """Return one key for two; `b` is below `sizes`."""
    return np.where((a == NOWHERE) | (b == NOWHERE), NOWHERE, a * sizes + b)
