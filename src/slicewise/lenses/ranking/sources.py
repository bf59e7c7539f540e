"""Where ranked features come from: what rows contain, the extremes of a number, pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.extract.family import PAIR, Kind
from slicewise.lenses.ranking.numbers import Number


class FeatureSource(Protocol):
    """Where features come from, and their names."""

    @property
    def kind(self) -> Kind:
        """What they are."""
        ...

    def names(self, at: Ints) -> pl.Series:
        """Return the names of some, by their places."""
        ...


class Single(FeatureSource, Protocol):
    """Features that rows have or have not, of one family."""

    @property
    def space(self) -> str:
        """The namespace."""
        ...

    @property
    def shaped(self) -> bool:
        """Whether they are made of shapes."""
        ...


@dataclass(frozen=True)
class Tails:
    """A number's largest (0) and smallest (1) values."""

    numbers: Number
    tau: float
    geval: str = ""
    """How the published tool names its one direction."""
    mean: float | None = None
    """The mean score that it gives."""
    raw_p: tuple[float, float] | None = None
    """p of both, not adjusted."""
    adjusted: bool = True
    """Whether it is compared within strata, where there are some."""

    @property
    def kind(self) -> Kind:
        """What it is."""
        return self.numbers.kind

    def names(self, at: Ints) -> pl.Series:
        """Return the names."""
        if self.geval:
            return pl.Series([self.geval] * len(at), dtype=pl.String)
        return pl.Series([f"{self.numbers.name} {('large', 'small')[int(i)]}" for i in at], dtype=pl.String)

    def cut(self, at: int) -> float:
        """Return where the quarter with the largest or the smallest values begins."""
        return self.numbers.cut(large=at == 0)


@dataclass(frozen=True)
class Together:
    """Pairs of features."""

    parts: pl.Series
    """The names of the single features."""
    source: NDArray[np.int32]
    place: Ints
    """Where each of these comes from."""
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    kind: Kind = Kind.PAIR

    def names(self, at: Ints) -> pl.Series:
        """Return the names of some, by their places."""
        return self.parts.gather(self.a[at]) + PAIR + self.parts.gather(self.b[at])

    def halves(self, at: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the source and the place of both features of a pair."""
        a, b = int(self.a[at]), int(self.b[at])
        return (int(self.source[a]), int(self.place[a])), (int(self.source[b]), int(self.place[b]))


def named(sources: Sequence[FeatureSource], source: NDArray[np.int32], place: Ints) -> pl.Series:
    """Return the names of features that come from several sources."""
    names = np.empty(len(source), object)
    for i in np.unique(source):
        rows = np.flatnonzero(source == i)
        names[rows] = sources[int(i)].names(place[rows]).to_numpy()
    return pl.Series(names.tolist(), dtype=pl.String)
