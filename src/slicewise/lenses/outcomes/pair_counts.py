"""What each two systems share, over all units and in slices of them, and the same in every bootstrap draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.lenses.intervals import IntervalMethod
from slicewise.lenses.outcomes.outcomes import GOLD, SPURIOUS
from slicewise.stats.canonical import mixed
from slicewise.stats.complementarity import Shared
from slicewise.stats.intervals import Resamples
from slicewise.stats.patterns import Patterns, blocks

Hashes = NDArray[np.uint64]

LOOKS = 3
MOST_CELLS = 2**22
"""Numbers that are summed by draws at a time."""
FEW_CELLS = 2**19
"""Of a table of clusters and slices: small slices are summed together, large ones alone."""


def shared(patterns: Patterns) -> Shared:
    """Return what each two systems share, over all slices together."""
    gold = patterns.slices % 2 == GOLD
    return Shared(
        n_gold=np.asarray(patterns.counts[gold].sum(), np.float64),
        found=patterns.where(gold).shared().astype(np.float64),
        spurious=patterns.where(~gold).shared().astype(np.float64),
    )


def shared_by_slice(patterns: Patterns) -> Shared:
    """Return what each two systems share in each slice (whose spurious and gold units are slices one by one)."""
    counts = patterns.shared_with(slice(None)).astype(np.float64)
    totals = patterns.totals().sum(axis=1).astype(np.float64)
    return Shared(n_gold=totals[GOLD::2], found=counts[GOLD::2], spurious=counts[SPURIOUS::2])


@dataclass(frozen=True, eq=False)
class Sample:
    """The draws of an evaluation's clusters; clusters are ordered by their content, not by their position."""

    prints: Hashes
    """A hash of each group's content."""
    position: Ints
    """The number of each group."""
    keys: Hashes
    """A key of each system, which comes from its content."""
    resamples: Resamples | None
    method: IntervalMethod

    @classmethod
    def of(cls, by_group: Patterns, *, resamples: int, confidence: float, seed: int) -> Sample:
        """Return draws from the groups, which are numbered by their content."""
        groups = by_group.size // 2
        keys = _content_keys(by_group)
        prints = _together(by_group.fingerprints(keys))
        drawn = Resamples(groups, resamples, seed, keep=True) if resamples and groups > 1 else None
        return cls(prints, _places(prints), keys, drawn, IntervalMethod(groups, confidence))

    def with_tie_breaks(self, more: Hashes) -> Sample:
        """Return the same draws with ties between groups broken by further hashes."""
        return replace(self, position=_places(self.prints, more))

    def with_slice_tie_breaks(self, by_cell: Patterns) -> Sample:
        """Return the same draws with ties between groups broken by the slices of their units."""
        groups = len(self.position)
        cells = np.flatnonzero(np.bincount(by_cell.slices // 2, minlength=by_cell.size // 2))
        slot, group = np.divmod(cells, groups)
        prints = _together(by_cell.fingerprints(self.keys))[cells]
        more = np.zeros(groups, np.uint64)
        np.add.at(more, group, mixed(prints + mixed(slot.astype(np.uint64))))
        return self.with_tie_breaks(more)

    def salts(self) -> Hashes:
        """Return numbers that answers are hashed with: of gold, then of the systems."""
        return mixed(np.concatenate([[np.uint64(0)], mixed(self.keys)]))

    def shared(self, by_group: Patterns) -> Shared | None:
        """Return what each two systems share in every draw, `(draws, systems, systems)`."""
        if self.resamples is None:
            return None
        draws = self._drawn(self.resamples, by_group, 1)
        return Shared(draws.n_gold[:, 0], draws.found[:, 0], draws.spurious[:, 0])

    def shared_by_slice(self, by_cell: Patterns, slots: int) -> Iterator[tuple[slice, Shared | None]]:
        """Return the same in slices, `(draws, slices, systems, systems)`, some slices at a time.

        `by_cell`: spurious and gold units by slice, and in each of these by group.
        """
        if self.resamples is None:
            yield slice(0, slots), None
            return
        sample = self.with_slice_tie_breaks(by_cell)
        width = 2 * len(self.position)
        starts = np.searchsorted(by_cell.slices, np.arange(slots + 1) * width)
        for run in _runs(starts, 2 * by_cell.systems**2, self.resamples.draws):
            cells = slice(starts[run.start], starts[run.stop])
            patterns = Patterns(
                by_cell.kinds,
                by_cell.kind[cells],
                by_cell.slices[cells] - run.start * width,
                by_cell.counts[cells],
                (run.stop - run.start) * width,
            )
            yield run, sample._drawn(self.resamples, patterns, run.stop - run.start)

    def _drawn(self, resamples: Resamples, by_cell: Patterns, slots: int) -> Shared:
        """Return what each two systems share in every draw; `by_cell` by slice and group, some systems at a time."""
        groups = len(self.position)
        slot, group = np.divmod(by_cell.slices // 2, groups)
        present = np.flatnonzero(np.bincount(group, minlength=groups))
        at = np.zeros(groups, np.int64)
        at[present] = np.arange(len(present))
        slices = (slot * len(present) + at[group]) * 2 + by_cell.slices % 2
        renumbered_cells = replace(by_cell, slices=slices, size=2 * slots * len(present))
        size, drawn = renumbered_cells.systems, self.position[present]
        both = np.empty((2, resamples.draws, slots, size, size))
        step = max(1, MOST_CELLS // max(1, renumbered_cells.size * size))
        for start in range(0, size, step):
            block = slice(start, start + step)
            counts = renumbered_cells.shared_with(block)[:, :, start:]  # those before have been summed with them
            table = counts.reshape(slots, len(present), 2, *counts.shape[1:]).swapaxes(0, 1)
            sums = resamples.sums(table, drawn).transpose(2, 0, 1, 3, 4)
            both[..., block, start:] = sums
            both[..., start:, block] = sums.swapaxes(3, 4)
        gold = renumbered_cells.totals()[GOLD::2].sum(axis=1).reshape(slots, len(present)).T
        return Shared(n_gold=resamples.sums(gold, drawn), found=both[GOLD], spurious=both[SPURIOUS])

    def sums(self, cells: NDArray[np.int64]) -> Array | None:
        """Return statistics of all groups, `(groups, ...)`, summed in every draw."""
        return None if self.resamples is None else self.resamples.sums(cells[np.argsort(self.position)])


def _runs(starts: Ints, width: int, draws: int) -> Iterator[slice]:
    """Return runs of slices, `width` columns each, whose table and draws are small; a large slice is its own run."""
    start, slots = 0, len(starts) - 1
    most = max(1, FEW_CELLS // (width * draws))
    while start < slots:
        rows = starts[start + 1 : start + 1 + most] - starts[start]
        table = rows * width * np.arange(1, len(rows) + 1)
        end = start + max(1, int(np.searchsorted(table, FEW_CELLS, side="right")))
        yield slice(start, end)
        start = end


def _places(*prints: Hashes) -> Ints:
    """Return the place of each group by its first hash; of equal ones by the next."""
    places = np.empty(len(prints[0]), np.int64)
    places[np.lexsort(prints[::-1])] = np.arange(len(places))
    return places


def _together(prints: Hashes) -> Hashes:
    """Return one number per group from those of its spurious and its gold units."""
    return mixed(mixed(prints[SPURIOUS::2]) + prints[GOLD::2])


def _content_keys(by_group: Patterns) -> Hashes:
    """Return a key of each system that comes from what it has where, not from its name or place.

    The first look knows how many systems have what, the next ones which. Systems that are mirror images of each other
    (exchanging them is the same as exchanging clusters) have the same key.
    """
    keys = np.zeros(by_group.systems, np.uint64)
    for _ in range(LOOKS):
        around = mixed(_together(by_group.fingerprints(keys)))
        sums = _summed_by_kind(by_group, by_group.hashes(keys), around)
        keys = mixed(np.array([sums[kind].sum(dtype=np.uint64) for kind in by_group.kinds.T], np.uint64))
    return keys


def _summed_by_kind(by_group: Patterns, hashes: Hashes, around: Hashes) -> Hashes:
    """Return one number per pattern from those of the groups that it is in."""
    totals = np.zeros(len(by_group.kinds), np.uint64)
    for block in blocks(len(by_group.counts)):
        kind, slices = by_group.kind[block], by_group.slices[block]
        rows = mixed(hashes[kind] + around[slices // 2] + (slices % 2).astype(np.uint64))
        np.add.at(totals, kind, rows * by_group.counts[block].astype(np.uint64))
    return totals
