"""Patterns of who has what, counted part by part: as a table whose rows can be added, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.engine.local import aggregate
from slicewise.evaluation import Evaluation
from slicewise.stats.patterns import WORD, Kinds, Patterns

Read = Callable[[Evaluation], Patterns]


def counted_patterns(evaluation: Evaluation, read: Read, *, width: int, size: int) -> Patterns:
    """Return the patterns of so many columns in so many slices, which `read` counts in one part."""
    layout = Layout(width, size)
    return layout.patterns(aggregate(evaluation, _Counted(layout, read)))


@dataclass(frozen=True)
class Layout:
    """How a slice and a pattern are written as whole numbers: the bits of the pattern, and above them the slice."""

    width: int
    size: int

    @property
    def _own(self) -> int:
        """How many numbers the pattern needs."""
        return -(-self.width // WORD)

    @property
    def _room(self) -> int:
        """The place of the slice in the last of them; 0 where it needs one of its own."""
        used = self.width - (self._own - 1) * WORD
        return used if used + self.size.bit_length() <= WORD else 0

    @property
    def by(self) -> tuple[str, ...]:
        """The names of the numbers, the one with the slice first."""
        return tuple(f"word:{i}" for i in reversed(range(self._own + (not self._room))))

    def frame(self, patterns: Patterns) -> pl.DataFrame:
        """Return patterns as a table."""
        words = [word[patterns.kind] for word in Kinds(patterns.kinds, patterns.kind).words()]
        if self._room:
            words[-1] = words[-1] + (patterns.slices << self._room)
        else:
            words.append(patterns.slices)
        named = dict(zip(self.by, reversed(words), strict=True))
        return pl.DataFrame(named | {"n": patterns.counts}).cast(pl.Int64)

    def patterns(self, frame: pl.DataFrame) -> Patterns:
        """Return a table in the order of its keys as patterns."""
        words: Sequence[NDArray[np.int64]] = [frame[name].to_numpy() for name in reversed(self.by)]
        slices = words[-1] >> self._room
        if self._room:
            words = [*words[:-1], words[-1] & np.int64((1 << self._room) - 1)]
        kinds = Kinds.of_words(words[: self._own], self.width)
        return Patterns(kinds.bits, kinds.of, slices, frame["n"].to_numpy(), self.size)


@dataclass(frozen=True)
class PatternKernel:
    """A kernel that counts patterns by slice, each once."""

    layout: Layout
    distinct: bool = field(default=True, init=False)

    @property
    def by(self) -> tuple[str, ...]:
        """The slice and the pattern."""
        return self.layout.by


@dataclass(frozen=True)
class _Counted(PatternKernel):
    """Counts patterns."""

    read: Read
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        return self.layout.frame(self.read(part))
