"""String interning: a hash table for many strings at a time; every string is compared with that of its id."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

Ids = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

FEWEST_BITS = 18
SPARSE = 2
"""The table has at least this many places per string."""


class CollisionError(Exception):
    """Two strings have the same hash."""


class Interner:
    """Assigns ids to strings, from 0: the same string has the same id.

    The first bits of a string's hash are its place in the table. Those that come to a place that is taken stand in a
    list besides, ordered by hash, which is short as long as the table is sparse.
    """

    def __init__(self, seed: int = 0, *, bits: int = FEWEST_BITS, sparse: int = SPARSE) -> None:
        self._seed, self._sparse = seed, sparse
        self._hashes: Hashes = np.zeros(0, np.uint64)
        """Of each number's string."""
        self.strings = pl.Series(dtype=pl.String)
        """Of each number."""
        self._overflow: Hashes
        self._overflow_ids: Ids
        self._build(bits)

    def __len__(self) -> int:
        return len(self._hashes)

    def __call__(self, strings: pl.Series) -> Ids:
        """Return the number of each string."""
        hashes = strings.hash(self._seed).to_numpy()
        ids = self._table.take((hashes >> self._shift).view(np.int64))
        strange = np.flatnonzero(self._hashes.take(ids) != hashes) if len(self) else np.arange(len(hashes))
        if len(strange):
            ids[strange] = self._resolve_overflow(hashes[strange], strings, strange)
        if not (self.strings.gather(ids) == strings).all():
            raise CollisionError
        return ids

    def _resolve_overflow(self, hashes: Hashes, strings: pl.Series, at: NDArray[np.int64]) -> Ids:
        """Return the numbers of strings that the table does not have; give one to those that are new."""
        distinct, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        place = np.searchsorted(self._overflow, distinct)
        present = place < len(self._overflow)
        present[present] = self._overflow[place[present]] == distinct[present]
        ids = np.zeros(len(distinct), np.uint32)
        ids[present] = self._overflow_ids[place[present]]
        if not present.all():
            new = ~present
            ids[new] = np.arange(len(self), len(self) + int(new.sum()), dtype=np.uint32)
            self._hashes = np.concatenate([self._hashes, distinct[new]])
            self.strings = pl.concat([self.strings, strings.gather(at[first[new]])], rechunk=True)
            self._add(distinct[new], ids[new])
        return ids[inverse]

    def _add(self, hashes: Hashes, ids: Ids) -> None:
        if len(self) * self._sparse > len(self._table):
            self._build((len(self) * self._sparse).bit_length() + 1)
            return
        place = (hashes >> self._shift).view(np.int64)
        _, first = np.unique(place, return_index=True)
        alone = np.zeros(len(place), np.bool_)
        alone[first] = ~self._taken[place[first]]
        self._table[place[alone]], self._taken[place[alone]] = ids[alone], True
        overflow = np.concatenate([self._overflow, hashes[~alone]])
        order = np.argsort(overflow)
        self._overflow, self._overflow_ids = overflow[order], np.concatenate([self._overflow_ids, ids[~alone]])[order]

    def _build(self, bits: int) -> None:
        """Make a table with room for 2^bits, and put all that are known into it.

        A place that nobody has taken says 0, which the comparison of hashes sorts out.
        """
        self._shift = np.uint64(64 - bits)
        self._table = np.zeros(1 << bits, np.uint32)
        self._taken = np.zeros(1 << bits, np.bool_)
        self._overflow, self._overflow_ids = np.zeros(0, np.uint64), np.zeros(0, np.uint32)
        if len(self):
            self._add(self._hashes, np.arange(len(self), dtype=np.uint32))
