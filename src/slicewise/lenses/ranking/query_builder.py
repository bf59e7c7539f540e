"""Features of a ranking as queries, by which they are looked for in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.extract.family import Kind
from slicewise.extract.ngrams import Ngrams
from slicewise.lenses.ranking.queries import FeatureQuery, NameQuery, NgramQuery, TailQuery
from slicewise.lenses.ranking.sources import FeatureSource, Single, Tails, Together
from slicewise.lenses.ranking.testing import Ranking


@dataclass(frozen=True, eq=False)
class NamedFeatures:
    """Features of a family, by their names."""

    kind: Kind
    space: str
    shaped: bool
    all_names: pl.Series
    runs: tuple[Ngrams, int, Ints] | None = None
    """Of runs of tokens: what is frequent, their length and their keys."""

    def names(self, at: Ints) -> pl.Series:
        """Return the names of some, by their places."""
        return self.all_names.gather(at)


def ranking_query(ranking: Ranking, features: Sequence[int]) -> FeatureQuery:
    """Return some features of a ranking as what is looked for in parts."""
    builder = _QueryBuilder(ranking)
    for number, at in enumerate(features):
        source, place = ranking.sources[int(ranking.tests.source[at])], int(ranking.tests.place[at])
        builder.add(source, place, number, len(features))
    return builder.query(len(features))


def parts_query(sources: Sequence[Single], source: NDArray[np.int32], place: Ints) -> FeatureQuery:
    """Return the query of the features that pairs are made of."""
    builder = _QueryBuilder(None)
    for number, (i, at) in enumerate(zip(source.tolist(), place.tolist(), strict=True)):
        builder.add(sources[i], at, number, len(source))
    return builder.query(len(source))


@dataclass
class _QueryBuilder:
    """Sorts features by where they come from."""

    ranking: Ranking | None
    """Where the features of pairs are; None: there are no pairs."""
    single: dict[int, tuple[NamedFeatures, list[int], list[int]]] = field(default_factory=dict)
    ends: list[TailQuery] = field(default_factory=list)
    pairs: list[tuple[int, int, int]] = field(default_factory=list)
    more: dict[tuple[int, int], int] = field(default_factory=dict)
    """The numbers of features that pairs are made of."""

    def add(self, source: FeatureSource, place: int, number: int, size: int) -> None:
        """Ask for a feature under a number."""
        if isinstance(source, NamedFeatures):
            _, places, at = self.single.setdefault(id(source), (source, [], []))
            places.append(place)
            at.append(number)
        elif isinstance(source, Tails):
            numbers = source.numbers
            self.ends.append(
                TailQuery(numbers.kind, numbers.space, numbers.name, source.cut(place), place == 0, number)
            )
        elif isinstance(source, Together) and self.ranking is not None:
            a, b = (self._half(half, size) for half in source.halves(place))
            self.pairs.append((number, a, b))

    def _half(self, half: tuple[int, int], size: int) -> int:
        if half not in self.more:
            self.more[half] = size + len(self.more)
            if self.ranking is not None:
                self.add(self.ranking.singles[half[0]], half[1], self.more[half], size)
        return self.more[half]

    def query(self, size: int) -> FeatureQuery:
        """Return all that was asked for."""
        named, runs = [], []
        for source, places, at in self.single.values():
            if source.runs is None:
                named.append(NameQuery(source.kind, source.space, source.names(np.array(places)), np.array(at)))
            else:
                known, length, keys = source.runs
                names = source.names(np.array(places))
                runs.append(NgramQuery(source.space, names, known, length, keys[places], np.array(at)))
        return FeatureQuery(size, tuple(named), tuple(runs), tuple(self.ends), tuple(self.pairs))
