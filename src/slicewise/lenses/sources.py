"""Where ranked features come from: what rows contain, the extremes of a number, pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import polars as pl

from slicewise.extract.family import PAIR, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from slicewise.extract.family import Family
    from slicewise.extract.relation import Batches, Relation
    from slicewise.lenses.numbers import Number

    Index = NDArray[np.int64]


class Source(Protocol):
    """Where features come from, and their names."""

    @property
    def kind(self) -> Kind:
        """What they are."""
        ...

    def names(self, at: Index) -> pl.Series:
        """Return the names of some, by their places."""
        ...


class Single(Source, Protocol):
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
class Contained:
    """Features of a family, over the rows of a population."""

    family: Family
    relation: Relation | Batches
    """Of the whole family."""
    places: Index
    """Of those features that enough rows have, and enough have not."""

    @property
    def kind(self) -> Kind:
        """What they are."""
        return self.family.kind

    @property
    def space(self) -> str:
        """The namespace."""
        return self.family.space

    @property
    def shaped(self) -> bool:
        """Whether they are made of shapes."""
        return self.family.shaped

    def names(self, at: Index) -> pl.Series:
        """Return the names of some, by their places."""
        return self.family.names(self.places[at])

    def rows(self, at: int) -> NDArray[np.int32]:
        """Return the rows of one."""
        return self.relation.of(int(self.places[at]))


@dataclass(frozen=True)
class Extremes:
    """A number's largest (0) and smallest (1) values."""

    numbers: Number
    tau: float
    geval: str = ""
    """How the published tool names its one direction."""
    mean: float | None = None
    """The mean score that it gives."""

    @property
    def kind(self) -> Kind:
        """What it is."""
        return self.numbers.kind

    def names(self, at: Index) -> pl.Series:
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
    place: Index
    """Where each of these comes from."""
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    kind: Kind = Kind.PAIR

    def names(self, at: Index) -> pl.Series:
        """Return the names of some, by their places."""
        return self.parts.gather(self.a[at]) + PAIR + self.parts.gather(self.b[at])

    def halves(self, at: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the source and the place of both features of a pair."""
        a, b = int(self.a[at]), int(self.b[at])
        return (int(self.source[a]), int(self.place[a])), (int(self.source[b]), int(self.place[b]))


def named(sources: Sequence[Source], source: NDArray[np.int32], place: Index) -> pl.Series:
    """Return the names of features that come from several sources."""
    found = np.empty(len(source), object)
    for i in np.unique(source):
        here = np.flatnonzero(source == i)
        found[here] = sources[int(i)].names(place[here]).to_numpy()
    return pl.Series(found.tolist(), dtype=pl.String)
