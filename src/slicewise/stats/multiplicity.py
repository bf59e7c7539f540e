"""Multiple testing: adjusted p-values, and groups of systems without significant differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints, Mask

ALPHA = 0.05
"""The level of significance that statements go by: p or q below it."""


def holm(p: NDArray[Any]) -> Array:
    """Return p adjusted for the family-wise error rate (Holm); NaN was not tested and stays NaN."""
    values, tested, order = _ascending(p)
    remaining = np.arange(len(order), 0, -1)
    return _filled(values, tested, order, np.maximum.accumulate(values[tested][order] * remaining))


def benjamini_hochberg(p: NDArray[Any]) -> Array:
    """Return p adjusted for the false discovery rate (Benjamini–Hochberg); NaN was not tested and stays NaN."""
    values, tested, order = _ascending(p)
    scaled = values[tested][order] * (len(order) / np.arange(1, len(order) + 1))
    return _filled(values, tested, order, np.minimum.accumulate(scaled[::-1])[::-1])


def benjamini_yekutieli(p: NDArray[Any]) -> Array:
    """Return p adjusted for the false discovery rate under arbitrary dependence (Benjamini–Yekutieli)."""
    values, tested, order = _ascending(p)
    number = np.arange(1, len(order) + 1)
    scaled = values[tested][order] * (len(order) / number * (1 / number).sum())
    return _filled(values, tested, order, np.minimum.accumulate(scaled[::-1])[::-1])


def indistinguishable(order: Sequence[int], different: Mask) -> list[tuple[int, ...]]:
    """Return the longest runs of neighbours in `order` (best first) in which no two systems are `different`.

    Groups may overlap; a system that is different from both its neighbours is a group of its own.
    """
    groups: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        end = max(start + 1, reached)
        while end < len(order) and not any(different[order[end], system] for system in order[start:end]):
            end += 1
        if end > reached:
            groups.append(tuple(int(system) for system in order[start:end]))
            reached = end
    return groups


def _ascending(p: NDArray[Any]) -> tuple[Array, Mask, Ints]:
    values = np.asarray(p, dtype=np.float64)
    tested = ~np.isnan(values)
    return values, tested, np.argsort(values[tested], kind="stable")


def _filled(values: Array, tested: Mask, order: Ints, corrected: Array) -> Array:
    unordered = np.empty(len(order))
    unordered[order] = np.minimum(corrected, 1.0)
    result = values.copy()
    result[tested] = unordered
    return result
