"""Canonical orders of clusters and order-independent sums: results do not depend on the order of the input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints

Hashes = NDArray[np.uint64]

STEP = np.uint64(0x9E3779B97F4A7C15)
MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))  # the finish of splitmix64


def canonical_order(statistics: NDArray[Any]) -> Ints:
    """Return a permutation of the clusters of `(clusters, systems, k)` that comes from the values alone.

    With `statistics[canonical_order(statistics)]`, draws by index give the same bytes however clusters and systems
    were ordered: clusters are sorted by a hash of their rows, equal clusters are exchangeable, and systems enter the
    hash by their rank in a content order. Two systems that are mirror images of each other (exchanging them is the
    same as exchanging clusters) cannot be told apart by content; their position decides.
    """
    rows = _row_hashes(statistics)
    by_cluster = mixed(rows).sum(axis=1)
    by_system = mixed(rows + mixed(by_cluster)[:, None]).sum(axis=0)
    by_cluster = mixed(rows + mixed(by_system)).sum(axis=1)  # a second look tells systems of equal content apart
    by_system = mixed(rows + mixed(by_cluster)[:, None]).sum(axis=0)
    rank = np.empty(len(by_system), dtype=np.uint64)
    rank[np.argsort(by_system, kind="stable")] = np.arange(len(by_system), dtype=np.uint64)
    return np.argsort(mixed(rows + mixed(rank)).sum(axis=1), kind="stable")


def is_whole(values: Array) -> bool:
    """Return whether all values are whole numbers, whose sums are exact."""
    return bool((values == np.rint(values)).all())


def _row_hashes(statistics: NDArray[Any]) -> Hashes:
    """Return one number per cluster and system, equal where all k statistics are equal."""
    values = np.asarray(statistics, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    column = mixed(np.arange(values.shape[2], dtype=np.uint64))
    hashes = np.zeros(values.shape[:2], dtype=np.uint64)
    for k in range(values.shape[2]):
        hashes += mixed(np.ascontiguousarray(values[:, :, k]).view(np.uint64) + column[k])
    return hashes


def mixed(numbers: Hashes) -> Hashes:
    """Return a hash of each number; sums of hashes then identify a set with repetitions."""
    return splitmix64(numbers * STEP)


def splitmix64(numbers: Hashes) -> Hashes:
    """Hash numbers by SplitMix64 (Steele, Lea & Flood 2014)."""
    x = numbers + STEP
    for shift, factor in MIX:
        x ^= x >> np.uint64(shift)
        x *= np.uint64(factor)
    x ^= x >> np.uint64(31)
    return x
