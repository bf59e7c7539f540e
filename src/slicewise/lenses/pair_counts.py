"""What each two systems share, over all units and in slices of them, and the same in every bootstrap draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slicewise.lenses.inference import bounds_of
from slicewise.lenses.outcomes import GOLD, SPURIOUS
from slicewise.stats.canonical import mixed
from slicewise.stats.complementarity import Shared
from slicewise.stats.intervals import Resamples, percentile_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.lenses.outcomes import Outcomes
    from slicewise.results.base import Bounds
    from slicewise.stats.patterns import Patterns

    Array = NDArray[np.float64]
    Index = NDArray[np.int64]

LOOKS = 3
MOST_CELLS = 2**22
"""Numbers that are summed by draws at a time."""


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
    """The draws of an evaluation's clusters; clusters are numbered by what is in them, not by where they stand."""

    position: Index
    """The number of each group."""
    resamples: Resamples | None
    confidence: float

    @classmethod
    def of(cls, outcomes: Outcomes, groups: int, *, resamples: int, confidence: float, seed: int) -> Sample:
        """Return draws from the groups, which are numbered by their content."""
        by_group = outcomes.sliced(outcomes.group, groups)
        order = np.argsort(_together(by_group.fingerprints(_content_keys(by_group))), kind="stable")
        position = np.empty(groups, np.int64)
        position[order] = np.arange(groups)
        drawn = Resamples(groups, resamples, seed, keep=True) if resamples and groups > 1 else None
        return cls(position, drawn, confidence)

    def grouped(self, outcomes: Outcomes) -> Patterns:
        """Return the patterns by cluster group."""
        return outcomes.sliced(self.position[outcomes.group], len(self.position))

    def shared(self, by_group: Patterns) -> Shared | None:
        """Return what each two systems share in every draw, `(draws, systems, systems)`; some systems at a time."""
        if self.resamples is None:
            return None
        here = np.unique(by_group.slices // 2)
        compact = np.zeros((len(self.position), 2), np.int64)
        compact[here] = np.arange(2 * len(here)).reshape(-1, 2)
        own = by_group.resliced(compact.ravel(), 2 * len(here))
        size = own.systems
        both = np.empty((2, self.resamples.draws, size, size))
        step = max(1, MOST_CELLS // max(1, own.size * size))
        for start in range(0, size, step):
            some = slice(start, start + step)
            counts = own.shared_with(some)[:, :, start:]  # those before have been summed with them
            sums = self.resamples.sums(counts.reshape(len(here), 2, *counts.shape[1:]), here).transpose(1, 0, 2, 3)
            both[:, :, some, start:] = sums
            both[:, :, start:, some] = sums.swapaxes(2, 3)
        gold = own.totals()[GOLD::2].sum(axis=1)
        return Shared(n_gold=self.resamples.sums(gold, here), found=both[GOLD], spurious=both[SPURIOUS])

    def sums(self, cells: NDArray[np.int64]) -> Array | None:
        """Return statistics of all groups, `(groups, ...)`, summed in every draw."""
        return None if self.resamples is None else self.resamples.sums(cells)

    def bounds(self, values: Array) -> list[tuple[Bounds | None, int]]:
        """Return the bounds of `(draws, values)`, and in how many draws each was undefined."""
        found = percentile_interval(values, confidence=self.confidence)
        rows = zip(found.lo, found.hi, found.undefined, strict=True)
        return [(bounds_of(float(lo), float(hi)), int(undefined)) for lo, hi, undefined in rows]


def _together(prints: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return one number per group from those of its spurious and its gold units."""
    return prints[SPURIOUS::2] * np.uint64(3) + prints[GOLD::2]


def _content_keys(by_group: Patterns) -> NDArray[np.uint64]:
    """Return a key of each system that comes from what it has where, not from its name or place.

    The first look knows how many systems have what, the next ones which. Systems that are mirror images of each other
    (exchanging them is the same as exchanging clusters) have the same key.
    """
    keys = np.zeros(by_group.systems, np.uint64)
    weights, side = by_group.counts.astype(np.uint64), (by_group.slices % 2).astype(np.uint64)
    for _ in range(LOOKS):
        around = _together(by_group.fingerprints(keys))[by_group.slices // 2]
        rows = mixed(by_group.hashes(keys) + mixed(around) + side) * weights
        keys = mixed(np.array([rows[own].sum(dtype=np.uint64) for own in by_group.bits.T], np.uint64))
    return keys
