"""Features that are looked for in a part, by what they are called: tokens, runs, labels, extremes, pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.extract.family import Kind
from slicewise.extract.parallel import at_once
from slicewise.extract.relation import Relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.extract.family import Family
    from slicewise.extract.ngrams import Runs
    from slicewise.lenses.part_view import Features, View
    from slicewise.lenses.population import Population

    Index = NDArray[np.int64]
    Rows = NDArray[np.int32]

CUT = (Kind.TOKEN, Kind.SHAPE, Kind.BIGRAM, Kind.NGRAM, Kind.LENGTH, Kind.LABEL, Kind.CONFUSION)
"""What can be found without the texts where their tokens are kept."""


@dataclass(frozen=True, eq=False)
class Named:
    """Some features of a family."""

    kind: Kind
    space: str
    names: pl.Series
    at: Index
    """The number of each among the wishes."""


@dataclass(frozen=True, eq=False)
class Known:
    """Some runs of tokens, by their keys, ascending."""

    space: str
    names: pl.Series
    runs: Runs
    length: int
    keys: Index
    at: Index


@dataclass(frozen=True)
class End:
    """The largest or the smallest values of a number."""

    kind: Kind
    space: str
    name: str
    cut: float
    large: bool
    at: int


@dataclass(frozen=True, eq=False)
class Wishes:
    """The features that are looked for, numbered; those of which pairs are made come after all others."""

    size: int
    named: tuple[Named, ...] = ()
    runs: tuple[Known, ...] = ()
    ends: tuple[End, ...] = ()
    pairs: tuple[tuple[int, int, int], ...] = ()
    """The number of a pair, and of both its features."""
    among: Wishes | None = None
    """The features that these are some of."""
    at: Index = field(default_factory=lambda: np.zeros(0, np.int64))
    """Their numbers there."""

    def needs(self, view: View) -> frozenset[str]:
        """Return what a part has to be read with: no texts where the tokens are kept and nothing else is asked for."""
        kinds = {one.kind for one in self.named} | {end.kind for end in self.ends}
        return view.needs_later if kinds <= set(CUT) else view.needs

    @cached_property
    def key(self) -> str:
        """Tells these wishes from others."""
        named = [f"{one.kind} {one.space} {one.names.to_list()} {one.at.tolist()}" for one in self.named]
        runs = [f"{one.names.to_list()} {one.keys.tolist()} {one.at.tolist()}" for one in self.runs]
        return repr((self.size, named, runs, self.ends, self.pairs))

    def relation(self, view: View, made: Features, i: int, population: Population) -> Relation:
        """Return the rows of a list that have each of the features; kept where tokens are."""
        if self.among is not None:
            return self.among.relation(view, made, i, population).take(self.at)
        if view.maker.spool is None:
            return self._relation(view, made, i, population)
        key = f"{view.listings[i]} {view.maker.wanted} {self.key}"
        return view.maker.spool.relation(made.evaluation, key, lambda: self._relation(view, made, i, population))

    def _relation(self, view: View, made: Features, i: int, population: Population) -> Relation:
        whose, confusions = view.listings[i].whose, view.listings[i].confusions

        def rows_of(one: Named) -> dict[int, Rows]:
            families = (
                view.listings[i].families(made) if confusions else made.some(whose, one.kind, one.space, one.names)
            )
            return reduce(or_, (_found(family, one, population) for family in families), {})

        found: dict[int, Rows] = reduce(or_, at_once(rows_of, self.named), {})
        for known in self.runs:
            found |= _run(made, whose, known, population)
        for end in self.ends:
            values = made.values(whose, end.kind, end.space, end.name)[population.kept]
            found[end.at] = np.flatnonzero(values >= end.cut if end.large else values <= end.cut).astype(np.int32)
        none = np.zeros(0, np.int32)
        for at, a, b in self.pairs:
            both = np.intersect1d(found.get(a, none), found.get(b, none), assume_unique=True)
            found[at] = both.astype(np.int32)
        return Relation.of_rows([found.get(at, none) for at in range(self.size)], population.size)


def some_of(wishes: Wishes, at: Index) -> Wishes:
    """Return some of the features that are looked for, numbered anew."""
    return Wishes(len(at), wishes.named, wishes.runs, wishes.ends, wishes.pairs, wishes, at)


def _found(family: Family, wished: Named, population: Population) -> dict[int, Rows]:
    """Return the rows of those features that a family has."""
    known = pl.DataFrame({"name": wished.names, "at": wished.at})
    own = pl.DataFrame({"name": family.names(np.arange(len(family))), "place": np.arange(len(family))})
    both = own.join(known, on="name", how="inner", maintain_order="left")
    return _taken(family, both["place"].to_numpy(), both["at"].to_numpy(), population)


def _run(made: Features, whose: str | None, known: Known, population: Population) -> dict[int, Rows]:
    family, keys = made.run(whose, known.space, known.runs, known.length)
    place = np.searchsorted(keys, known.keys)
    there = np.flatnonzero(np.append(keys, -1)[place] == known.keys)
    return _taken(family, place[there], known.at[there], population)


def _taken(family: Family, places: Index, at: Index, population: Population) -> dict[int, Rows]:
    relation = family.relation.whole().take(places).among(population.kept)
    return {int(number): relation.of(k) for k, number in enumerate(at)}
