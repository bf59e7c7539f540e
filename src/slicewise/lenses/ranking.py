"""Features ranked over rows that are in memory: counted, summed, compared and shown from their rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slicewise.extract.pairs import pairs as all_pairs
from slicewise.extract.parallel import at_once
from slicewise.extract.relation import Limits, Relation, joined
from slicewise.lenses.details import Details, cells_of, group_sums, sums_of, telling
from slicewise.lenses.feature_tests import Counts, ranked
from slicewise.lenses.folding import RowsAlike
from slicewise.lenses.numbers import Numbers, number_table
from slicewise.lenses.sources import Contained, Extremes, Together
from slicewise.stats.geval import geval_number
from slicewise.stats.rank_sums import RankNull

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from slicewise.extract.family import Family, Quantity
    from slicewise.extract.pairs import Pairs
    from slicewise.lenses.feature_tests import Ranking, Side
    from slicewise.lenses.numbers import Number
    from slicewise.lenses.population import Population
    from slicewise.lenses.sources import Single, Source
    from slicewise.stats.geval import GevalNumber

    Index = NDArray[np.int64]
    Rows = NDArray[np.int32]


def rank(
    population: Population,
    families: Sequence[Family],
    quantities: Sequence[Quantity],
    *,
    least: int,
    pair_least: int | None,
    side: Side,
    seed: int,
    geval: bool,
) -> Ranking:
    """Test every feature that enough rows have, and enough have not."""
    rows = RankedRows(population, families, quantities, seed)
    return ranked(rows, least=least, pair_least=pair_least, side=side, geval=geval)


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of a population, and the features they have."""

    population: Population
    families: Sequence[Family]
    quantities: Sequence[Quantity]
    seed: int

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.population.size

    @cached_property
    def null(self) -> RankNull:
        """How their scores are ranked."""
        return RankNull.of(self.population.oriented, seed=self.seed)

    def singles(self, least: int) -> list[Counts]:
        """Return the features that enough rows have, and enough have not, family by family."""
        _ = self.null  # before several threads ask for it
        return at_once(lambda family: self._counted(family, least), self.families)

    def _counted(self, family: Family, least: int) -> Counts:
        relation = family.relation.among(self.population.kept)
        places = np.flatnonzero(Limits(least, self.size)(relation.counts))
        sums = relation.sums(self.null.doubled)[places]
        return Counts(Contained(family, relation, places), relation.counts[places], sums)

    def numbers(self) -> list[Number]:
        """Return the numbers that rows have."""
        found: list[Number] = []
        for quantity in self.quantities:
            table = number_table(quantity.values[self.population.kept], self.null.doubled)
            columns = (table[name].to_numpy() for name in ("value", "doubled", "n"))
            found.append(Numbers(quantity.kind, quantity.space, quantity.name, *columns))
        return found

    def geval_number(self, numbers: Number) -> GevalNumber | None:
        """Return what the published tool says of a number, of the rows that have it."""
        values = self._values(numbers)
        present = ~np.isnan(values)
        return geval_number(self.null.doubled[present], self.population.scores[present], values[present])

    def _values(self, numbers: Number) -> NDArray[np.float64]:
        own = next(q for q in self.quantities if (q.kind, q.name) == (numbers.kind, numbers.name))
        return own.values[self.population.kept]

    def pairs(self, sources: Sequence[Single], source: Rows, place: Index, least: int) -> Iterator[Pairs]:
        """Return all pairs of some features that at least so many rows have, block by block."""
        own = [one for one in sources if isinstance(one, Contained)]
        first = np.cumsum([0] + [len(one.relation) for one in own])
        relation = joined([one.relation.whole() for one in own], self.size)
        none = np.zeros(0, np.int64)
        every = np.concatenate([none, *(one.places + start for one, start in zip(own, first[:-1], strict=True))])
        before = np.cumsum([0] + [len(one.places) for one in own])
        return all_pairs(relation.take(every[before[source] + place]), self.null.doubled, least)

    def rows(self, ranking: Ranking, at: int) -> Rows:
        """Return the rows of a feature."""
        return self._rows(ranking, ranking.sources[int(ranking.tests.source[at])], int(ranking.tests.place[at]))

    def _rows(self, ranking: Ranking, source: Source, place: int) -> Rows:
        if isinstance(source, Contained):
            return source.rows(place)
        if isinstance(source, Together):
            a, b = (self._rows(ranking, ranking.singles[i], at) for i, at in source.halves(place))
            return np.intersect1d(a, b, assume_unique=True).astype(np.int32)
        if not isinstance(source, Extremes):
            raise TypeError(source)
        values, cut = self._values(source.numbers), source.cut(place)
        return np.flatnonzero(values >= cut if place == 0 else values <= cut).astype(np.int32)

    def alike(self, ranking: Ranking) -> RowsAlike:
        """Return which features have nearly the same rows."""
        return RowsAlike(lambda at: self.rows(ranking, at), self.size)

    def details(self, ranking: Ranking, shown: Sequence[int], groups: int | None, *, high: bool) -> Details:
        """Return sums over the rows of some features, by group where there are any, and the rows that tell most."""
        relation = Relation.of_rows([self.rows(ranking, at) for at in shown], self.size)
        cells = None if groups is None else cells_of(group_sums(self.population, relation), len(shown), groups)
        rows = telling(self.population, relation, high=high)
        return Details.of(sums_of(self.population, relation), rows, len(shown), cells)
