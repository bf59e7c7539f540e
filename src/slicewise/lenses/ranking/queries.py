"""Features that are looked for in a part, by what they are called: tokens, runs, labels, extremes, pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.extract.family import Family, Kind
from slicewise.extract.ngrams import Ngrams
from slicewise.extract.parallel import parallel_map
from slicewise.extract.relation import Relation
from slicewise.lenses.ranking.context import Features, RankingContext
from slicewise.lenses.ranking.population import Population

Rows = NDArray[np.int32]

CUT = (Kind.TOKEN, Kind.SHAPE, Kind.BIGRAM, Kind.NGRAM, Kind.LENGTH, Kind.LABEL, Kind.CONFUSION)
"""What can be found without the texts where their tokens are kept."""


@dataclass(frozen=True, eq=False)
class NameQuery:
    """Some features of a family."""

    kind: Kind
    space: str
    names: pl.Series
    at: Ints
    """The number of each among the features of the query."""


@dataclass(frozen=True, eq=False)
class NgramQuery:
    """Some runs of tokens, by their keys, ascending."""

    space: str
    names: pl.Series
    runs: Ngrams
    length: int
    keys: Ints
    at: Ints


@dataclass(frozen=True)
class TailQuery:
    """The largest or the smallest values of a number."""

    kind: Kind
    space: str
    name: str
    cut: float
    large: bool
    at: int


@dataclass(frozen=True, eq=False)
class FeatureQuery:
    """The features that are looked for, numbered; those of which pairs are made come after all others."""

    size: int
    named: tuple[NameQuery, ...] = ()
    runs: tuple[NgramQuery, ...] = ()
    ends: tuple[TailQuery, ...] = ()
    pairs: tuple[tuple[int, int, int], ...] = ()
    """The number of a pair, and of both its features."""
    among: FeatureQuery | None = None
    """The features that these are some of."""
    at: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Their numbers there."""

    def needs(self, context: RankingContext) -> frozenset[str]:
        """Return what a part has to be read with: no texts where the tokens are kept and nothing else is asked for."""
        kinds = {query.kind for query in self.named} | {end.kind for end in self.ends}
        return context.needs_later if kinds <= set(CUT) else context.needs

    @cached_property
    def key(self) -> str:
        """Tells this query from others."""
        named = [f"{query.kind} {query.space} {query.names.to_list()} {query.at.tolist()}" for query in self.named]
        runs = [f"{query.names.to_list()} {query.keys.tolist()} {query.at.tolist()}" for query in self.runs]
        return repr((self.size, named, runs, self.ends, self.pairs))

    def relation(self, context: RankingContext, features: Features, i: int, population: Population) -> Relation:
        """Return the rows of a list that have each of the features; kept where tokens are."""
        if self.among is not None:
            return self.among.relation(context, features, i, population).take(self.at)
        if context.extractor.spool is None:
            return features.evaluation.memo((self, i), lambda: self._relation(context, features, i, population))
        key = f"{context.specs[i]} {context.extractor.spec} {self.key}"
        return context.extractor.spool.relation(
            features.evaluation, key, lambda: self._relation(context, features, i, population)
        )

    def uncached(self, context: RankingContext, features: Features, i: int, population: Population) -> Relation:
        """Return the same for a query that is made once."""
        return self._relation(context, features, i, population)

    def _relation(self, context: RankingContext, features: Features, i: int, population: Population) -> Relation:
        whose, confusions = context.specs[i].whose, context.specs[i].confusions

        def rows_of(query: NameQuery) -> dict[int, Rows]:
            families = (
                context.specs[i].families(features)
                if confusions
                else features.subset(whose, query.kind, query.space, query.names)
            )
            return reduce(or_, (_named_rows(family, query, population) for family in families), {})

        rows: dict[int, Rows] = reduce(or_, parallel_map(rows_of, self.named), {})
        for known in self.runs:
            rows |= _ngram_rows(features, whose, known, population)
        for end in self.ends:
            values = features.values(whose, end.kind, end.space, end.name)[population.kept]
            rows[end.at] = np.flatnonzero(values >= end.cut if end.large else values <= end.cut).astype(np.int32)
        none = np.zeros(0, np.int32)
        for at, a, b in self.pairs:
            both = np.intersect1d(rows.get(a, none), rows.get(b, none), assume_unique=True)
            rows[at] = both.astype(np.int32)
        return Relation.of_rows([rows.get(at, none) for at in range(self.size)], population.size)


def subset_of(query: FeatureQuery, at: Ints) -> FeatureQuery:
    """Return some of the features that are looked for, numbered anew."""
    return FeatureQuery(len(at), query.named, query.runs, query.ends, query.pairs, query, at)


def _named_rows(family: Family, query: NameQuery, population: Population) -> dict[int, Rows]:
    """Return the rows of those features that a family has."""
    places = family.places(query.names)
    present = np.flatnonzero(places >= 0)
    return _taken(family, places[present], query.at[present], population)


def _ngram_rows(features: Features, whose: str | None, known: NgramQuery, population: Population) -> dict[int, Rows]:
    family, keys = features.run(whose, known.space, known.runs, known.length)
    place = np.searchsorted(keys, known.keys)
    present = np.flatnonzero(np.append(keys, -1)[place] == known.keys)
    return _taken(family, place[present], known.at[present], population)


def _taken(family: Family, places: Ints, at: Ints, population: Population) -> dict[int, Rows]:
    relation = family.relation.take(places).among(population.kept)
    return {int(number): relation.of(k) for k, number in enumerate(at)}
