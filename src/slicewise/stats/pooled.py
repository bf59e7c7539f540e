"""Metrics that are not additive: their value in every bootstrap draw, and the p of two systems, item by item.

What is drawn are groups of items; an item counts as often as its group. Rows of items are sorted by content in every
group, so that no order of the input makes a difference, not even in the last bit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.intervals import Resamples
from slicewise.stats.tests import as_large, exchanges

Pooled = Callable[[Array, Array], Array]
"""From rows `(items, k)` and how often each counts, `(items, draws)`, to values `(draws,)`."""

AT_ONCE = 2**19  # weights of items in one block of draws


@dataclass(frozen=True, eq=False)
class Pool:
    """All items' rows of every system, group by group."""

    rows: Array
    """`(systems, items, k)`, those of a group together, in the order of their numbers."""
    group: Ints
    """The group of each row, `(items,)`: groups have the same size in all systems."""
    groups: int

    @classmethod
    def of(cls, statistics: Array, group: NDArray[Any], groups: int) -> Pool:
        """Sort the rows of `(systems, items, k)` by group and content."""
        group = np.asarray(group, np.int64)
        rows = np.asarray(statistics, np.float64) + 0.0  # -0.0 becomes 0.0
        ordered = np.stack([system[np.lexsort((*system.T[::-1], group))] for system in rows])
        return cls(ordered, np.sort(group), groups)

    def fingerprints(self) -> Array:
        """Return a number for what each group has in each system, `(groups, systems, 1)`: a hash of its rows."""
        ends = np.cumsum(np.bincount(self.group, minlength=self.groups))
        hashes = [[_hashed(part) for part in np.split(rows, ends[:-1])] for rows in self.rows]
        return np.array(hashes, np.float64).reshape(len(self.rows), self.groups).T[:, :, None]

    def reordered(self, order: Ints) -> Pool:
        """Return the pool with its groups in another order."""
        rank = np.empty(self.groups, np.int64)
        rank[order] = np.arange(self.groups)
        moved = rank[self.group]
        by_group = np.argsort(moved, kind="stable")
        return replace(self, rows=self.rows[:, by_group], group=moved[by_group])

    def values(self, pooled: Pooled) -> Array:
        """Return the value of every system, `(systems,)`."""
        once = np.ones((len(self.group), 1))
        return np.array([pooled(rows, once)[0] for rows in self.rows])

    def draws(self, pooled: Pooled, resamples: Resamples, *, at_once: int = AT_ONCE) -> Array:
        """Return the values of every system in every draw, `(draws, systems)`."""
        values = []
        for counts in resamples.counts():
            for block in self._blocks(counts, at_once):
                weights = block.T.astype(np.float64).take(self.group, axis=0)
                values.append(np.column_stack([pooled(rows, weights) for rows in self.rows]))
        return np.concatenate(values)

    def randomisation_p(
        self, pooled: Pooled, pairs: NDArray[Any], *, draws: int, seed: int, at_once: int = AT_ONCE
    ) -> tuple[Array, Ints]:
        """Return what `tests.randomisation_p` returns: in each draw the rows of some groups change places."""
        values = self.values(pooled)
        larger, undefined = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
        for bits in exchanges(self.groups, draws, seed):
            for block in self._blocks(bits, at_once // 4):
                moved = block.T.astype(np.float64).take(self.group, axis=0)
                weights = np.block([[1 - moved, moved], [moved, 1 - moved]])  # of the rows of a and b in either system
                for k, (a, b) in enumerate(pairs):
                    exchanged = pooled(np.concatenate([self.rows[a], self.rows[b]]), weights)
                    large, nowhere = as_large(exchanged[: len(block)], exchanged[len(block) :], values[a], values[b])
                    larger[k] += large
                    undefined[k] += nowhere
        unknown = np.isnan(values[pairs]).any(axis=1)
        return np.where(unknown, np.nan, (1 + larger) / (1 + draws - undefined)), undefined

    def _blocks(self, counts: NDArray[Any], at_once: int) -> Iterator[NDArray[Any]]:
        """Yield a few draws at a time, so that the weights of their items stay small."""
        step = max(1, at_once // max(1, len(self.group)))
        for start in range(0, len(counts), step):
            yield counts[start : start + step]


def _hashed(rows: Array) -> int:
    """Return a whole number that double precision holds."""
    return int.from_bytes(hashlib.blake2b(np.ascontiguousarray(rows).tobytes(), digest_size=6).digest(), "little")
