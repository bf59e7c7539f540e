"""What is counted in every part to rank features: scores, features, runs of tokens, numbers, pairs, sums."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

from slicewise.engine.ranks import KEYS, NONE
from slicewise.extract.family import Kind
from slicewise.extract.items import ItemFeatures
from slicewise.extract.pairs import overlaps, pairs
from slicewise.extract.parallel import at_once
from slicewise.extract.text import reading
from slicewise.lenses.details import GROUP_KEYS, group_sums, sums_of, telling
from slicewise.lenses.numbers import number_table
from slicewise.stats.ranks import in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.extract.family import Family
    from slicewise.extract.ngrams import Runs
    from slicewise.extract.relation import Relation
    from slicewise.lenses.part_view import Listing, View
    from slicewise.lenses.population import Population
    from slicewise.lenses.wishes import Wishes

    Array = NDArray[np.float64]
    Index = NDArray[np.int64]

TOO_MANY = ""
"""Stands for the values of a field in a part where they are too many to be categories."""
NEARLY = 0.89
"""What is rarer than another by more than that is not like it; less than `folding.SAME`."""
NUMBER, DESCRIBED = -1, -2
"""Stand for the families of what is said of fields that may be numbers, and of attributes that are."""


@dataclass(frozen=True)
class ScoreCounts:
    """Counts the rows of every list by score, and those that have none."""

    listings: tuple[Listing, ...]
    by: tuple[str, ...] = ("list", "score")

    @property
    def needs(self) -> frozenset[str]:
        """What the scores are made of."""
        return frozenset[str]().union(*(one.scoring.needs for one in self.listings))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part; scores are given by their bits."""
        tables = []
        for i, listing in enumerate(self.listings):
            found = listing.scoring.scored(part)
            bits = (np.append(found.scores, 0.0) + 0.0).view(np.int64)
            one = np.append(np.ones(found.size, np.int64), 0)
            lost = np.append(np.zeros(found.size, np.int64), found.lost)
            table = pl.DataFrame({"score": bits, "n": one, "lost": lost}).group_by("score").sum()
            tables.append(table.with_columns(list=pl.lit(i, pl.Int64)))
        return pl.concat(tables).select(*self.by, "n", "lost")


@dataclass(frozen=True)
class ScoreColumns:
    """Counts the scores of some lists, a column each; there is also a row of every part."""

    listings: tuple[Listing, ...]
    places: Mapping[int, int]
    """Of these lists, by their numbers: how many decimal places scores have."""
    by: tuple[str, ...] = KEYS

    @property
    def needs(self) -> frozenset[str]:
        """What the scores are made of."""
        return frozenset[str]().union(*(self.listings[i].scoring.needs for i in self.places))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        every = {i: self.listings[i].population(part, places).oriented for i, places in self.places.items()}
        return counted_columns(every)


def counted_columns(columns: Mapping[int, Array]) -> pl.DataFrame:
    """Count the values of columns, none of which is NaN, as whole numbers in the same order; there is always a row."""
    tables = [pl.DataFrame({"column": [NONE], "value": [0], "n": [0]})]
    for number, values in columns.items():
        found = pl.DataFrame({"value": in_order(values)}).group_by("value").agg(n=pl.len().cast(pl.Int64))
        tables.append(found.select(pl.lit(number, pl.Int64).alias("column"), "value", "n"))
    return pl.concat(tables)


@dataclass(frozen=True)
class Viewing:
    """What looks at a part with what is known of the whole data."""

    view: View

    def knowing(self, ranks: pl.DataFrame) -> Self:
        """Return one that is told the ranks of a part's scores."""
        return replace(self, view=self.view.knowing(ranks))


@dataclass(frozen=True)
class FeatureCounts(Viewing):
    """Counts the rows of every list that have a feature, and sums their ranks."""

    by: tuple[str, ...] = ("family", "feature")

    @property
    def needs(self) -> frozenset[str]:
        """What features are made of."""
        return self.view.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part, with what is said of its fields besides."""
        made = self.view.maker.made(part)
        weights = _Weights.of(self.view, part)
        owners: dict[int, tuple[Family, list[int]]] = {}
        for i, listing in enumerate(self.view.listings):
            for family in listing.families(made):
                owners.setdefault(id(family), (family, []))[1].append(i)
        tables = at_once(lambda one: self._counted(*one, weights), list(owners.values()))
        there = {(family.kind, family.space) for family, _ in owners.values()}
        absent = [i for i, (kind, space) in enumerate(self.view.families) if (kind, space) not in there]
        said = [(i, TOO_MANY, 1, 0) for i in absent if self.view.families[i][0] is Kind.CATEGORY and part.aligned.items]
        said += self._readings(made) if isinstance(made, ItemFeatures) and self.view.maker.wanted.numbers else []
        if self.view.maker.described and part.aligned.items:
            own = {
                (listing.whose or "", name) for listing in self.view.listings for name in made.numbers(listing.whose)
            }
            said += [(DESCRIBED, f"{whose}\t{name}", 1, 0) for whose, name in sorted(own)]
        schema = {"family": pl.Int64, "feature": pl.String, "n:0": pl.Int64, "d:0": pl.Int64}
        tables.append(pl.DataFrame(said, orient="row", schema=schema))
        columns = weights.columns
        return pl.concat([weights.empty(self.by), *tables], how="diagonal").select(
            *self.by, *(pl.col(name).fill_null(0) for name in columns)
        )

    def _counted(self, family: Family, lists: list[int], weights: _Weights) -> pl.DataFrame:
        numbers = weights.sums(family, lists)
        there = np.flatnonzero(sum(numbers[f"n:{i}"] for i in lists))
        number = self.view.families.index((family.kind, family.space))
        columns = {"family": np.full(len(there), number), "feature": family.names(there)}
        return pl.DataFrame(columns | {name: column[there] for name, column in numbers.items()})

    def _readings(self, made: ItemFeatures) -> list[tuple[int, str, int, int]]:
        """Say of every field of text how many values are filled, and how many of these are no number."""
        found = []
        for listing in self.view.listings:
            for space in made.spaces(listing.whose):
                texts = made.field(listing.whose, space).texts
                if texts is not None and texts.dtype == pl.String:
                    read = reading(texts)
                    found.append((NUMBER, f"{space}\t{listing.whose}", read.filled, read.strange))
        return list(dict.fromkeys(found))


@dataclass(frozen=True, eq=False)
class _Weights:
    """What is added up over the rows of features: whether a list has a row, and its rank there."""

    kept: list[Index | None]
    """None: all rows."""
    ranks: list[Index]

    @classmethod
    def of(cls, view: View, part: Evaluation) -> _Weights:
        kept: list[Index | None] = []
        ranks = []
        for i, ladder in enumerate(view.ladders):
            population = view.population(part, i)
            own = np.zeros(len(population.kept), np.int64)
            own[population.kept] = ladder.ranks(population)
            kept.append(None if population.kept.all() else population.kept.astype(np.int64))
            ranks.append(own)
        return cls(kept, ranks)

    @property
    def columns(self) -> list[str]:
        return [name for i in range(len(self.ranks)) for name in (f"n:{i}", f"d:{i}")]

    def empty(self, keys: Sequence[str]) -> pl.DataFrame:
        kinds = {"feature": pl.String}
        return pl.DataFrame(schema={name: kinds.get(name, pl.Int64) for name in (*keys, *self.columns)})

    def sums(self, family: Family, lists: Sequence[int]) -> dict[str, Index]:
        found = {}
        for i in lists:
            kept = self.kept[i]
            found[f"n:{i}"] = family.relation.counts if kept is None else family.relation.sums(kept)
            found[f"d:{i}"] = family.relation.sums(self.ranks[i])
        return found


@dataclass(frozen=True)
class RunCounts(Viewing):
    """Counts the rows that have runs of a length, of tokens that are frequent in all of the data."""

    runs: Mapping[tuple[str, str | None], Runs]
    """By namespace and whose text it is."""
    length: int
    by: tuple[str, ...] = ("field", "key")

    @property
    def needs(self) -> frozenset[str]:
        """The texts, unless their tokens are kept."""
        return self.view.needs_later

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part by field and key."""
        made = self.view.maker.made(part)
        weights = _Weights.of(self.view, part)
        tables = [weights.empty(self.by)]
        for number, ((space, whose), runs) in enumerate(self.runs.items()):
            family, keys = made.run(whose, space, runs, self.length)
            lists = [i for i, listing in enumerate(self.view.listings) if listing.whose == whose or space != "out"]
            lists = [i for i in lists if not self.view.listings[i].confusions]
            numbers = weights.sums(family, lists)
            tables.append(pl.DataFrame({"field": np.full(len(keys), number), "key": keys} | numbers))
        return pl.concat(tables, how="diagonal").select(*self.by, *(pl.col(n).fill_null(0) for n in weights.columns))


@dataclass(frozen=True)
class NumberCounts(Viewing):
    """Counts the rows of every list by the value of each number and by rank."""

    numbers: tuple[tuple[tuple[Kind, str, str], ...], ...]
    """Of each list the kinds, namespaces and names of its numbers."""
    by: tuple[str, ...] = ("list", "number", "value", "doubled")

    @property
    def needs(self) -> frozenset[str]:
        """What numbers are made of."""
        return self.view.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part; values are given by their bits."""
        made = self.view.maker.made(part)
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for i, asked in enumerate(self.numbers):
            population = self.view.population(part, i)
            ranks = self.view.ladders[i].ranks(population)
            for j, number in enumerate(asked):
                values = made.values(self.view.listings[i].whose, *number)
                table = number_table(values[population.kept], ranks)
                bits = table["value"].to_numpy().view(np.int64)
                keys = [pl.lit(i, pl.Int64).alias("list"), pl.lit(j, pl.Int64).alias("number")]
                tables.append(table.with_columns(*keys, value=pl.Series(bits)).select(*self.by, "n"))
        return pl.concat(tables)


@dataclass(frozen=True)
class PairCounts(Viewing):
    """Counts the rows that have two features of a list, and sums their ranks."""

    list: int
    wishes: Wishes
    start: int
    stop: int
    """The first feature of a pair is one of these."""
    by: tuple[str, ...] = ("a", "b")

    @property
    def needs(self) -> frozenset[str]:
        """What the features are made of."""
        return self.wishes.needs(self.view)

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        population = self.view.population(part, self.list)
        relation = self.wishes.relation(self.view, self.view.maker.made(part), self.list, population)
        ranks = self.view.ladders[self.list].ranks(population)
        tables = [pl.DataFrame(schema=dict.fromkeys(("a", "b", "n", "doubled"), pl.Int64))]
        for block in pairs(relation, ranks, 1, self.start, self.stop):
            columns = {"a": block.a, "b": block.b, "n": block.counts, "doubled": block.sums}
            tables.append(pl.DataFrame(columns).cast(pl.Int64))
        return pl.concat(tables)


@dataclass(frozen=True)
class Overlaps:
    """Counts the rows that two features share, of those that may be alike."""

    view: View
    wishes: tuple[Wishes, ...]
    counts: tuple[Index, ...]
    """How many rows have each, in all of the data."""
    by: tuple[str, ...] = ("list", "a", "b")

    @property
    def needs(self) -> frozenset[str]:
        """What the features are made of."""
        return frozenset[str]().union(*(one.needs(self.view) for one in self.wishes))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for i, _, relation in found_in(self.view, self.wishes, part):
            for a, b, n in overlaps(relation, self.counts[i], NEARLY):
                tables.append(pl.DataFrame({"list": np.full(len(a), i), "a": a, "b": b, "n": n}).cast(pl.Int64))
        return pl.concat(tables)


@dataclass(frozen=True)
class GroupSums:
    """Counts rows and sums scores of the features that are shown, by group."""

    view: View
    wishes: tuple[Wishes, ...]
    by: tuple[str, ...] = ("list", *GROUP_KEYS)

    @property
    def needs(self) -> frozenset[str]:
        """What the features are made of."""
        return frozenset[str]().union(*(one.needs(self.view) for one in self.wishes))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        return pl.concat(
            group_sums(population, relation).select(pl.lit(i, pl.Int64).alias("list"), pl.all())
            for i, population, relation in found_in(self.view, self.wishes, part)
        )


@dataclass(frozen=True)
class PartDetails:
    """Sums what is said of the features that are shown, and picks the rows that tell most."""

    view: View
    wishes: tuple[Wishes, ...]
    high: bool
    by: tuple[str, ...] = ()

    @property
    def needs(self) -> frozenset[str]:
        """What the features are made of."""
        return frozenset[str]().union(*(one.needs(self.view) for one in self.wishes))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return sums and rows of a part in one table; rows have an item."""
        tables = []
        for i, population, relation in found_in(self.view, self.wishes, part):
            high = self.high and not self.view.listings[i].confusions
            both = [sums_of(population, relation), telling(population, relation, high=high)]
            tables.append(pl.concat(both, how="diagonal").with_columns(list=pl.lit(i, pl.Int64)))
        return pl.concat(tables)


def found_in(view: View, wishes: Sequence[Wishes], part: Evaluation) -> Iterator[tuple[int, Population, Relation]]:
    """Return the rows of every list, and those of the features that are looked for."""
    made = view.maker.made(part)
    for i, one in enumerate(wishes):
        population = view.population(part, i)
        yield i, population, one.relation(view, made, i, population)
