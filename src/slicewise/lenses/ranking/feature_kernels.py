"""What is counted in every part to rank features: scores, features, runs of tokens, numbers, pairs, sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import polars as pl

from slicewise.arrays import Array, Ints
from slicewise.engine.ranks import KEYS, NONE
from slicewise.evaluation import Evaluation
from slicewise.extract.family import Family, Kind
from slicewise.extract.items import ItemFeatures
from slicewise.extract.ngrams import Ngrams
from slicewise.extract.pairs import overlaps, pairs
from slicewise.extract.parallel import parallel_map
from slicewise.extract.relation import Relation
from slicewise.extract.text import parse_numbers
from slicewise.lenses.ranking.context import Features, ListSpec, NumberSpec, NumberSpecs, RankingContext
from slicewise.lenses.ranking.details import GROUP_KEYS, group_sums, sums_of, telling, with_strata
from slicewise.lenses.ranking.population import Population
from slicewise.lenses.ranking.queries import FeatureQuery
from slicewise.stats.ranks import in_order
from slicewise.stats.stratified_ranks import group_middles

TOO_MANY = ""
"""Stands for the values of a field in a part where they are too many to be categories."""
NEARLY = 0.89
"""What is rarer than another by more than that is not like it; less than `folding.SAME`."""
ALWAYS_COUNTED = (Kind.CATEGORY, Kind.CONFUSION)
"""Kinds of which rare features count, too."""
NUMBER, DESCRIBED = -1, -2
"""Stand for the families of what is said of fields that may be numbers, and of attributes that are."""


@dataclass(frozen=True)
class ScoreCounts:
    """Counts the rows of every list by score, and those that have none."""

    specs: tuple[ListSpec, ...]
    by: tuple[str, ...] = ("list", "score")

    @property
    def needs(self) -> frozenset[str]:
        """What the scores are made of."""
        return frozenset[str]().union(*(spec.scoring.needs for spec in self.specs))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part; scores are given by their bits."""
        tables = []
        for i, spec in enumerate(self.specs):
            population = spec.scoring.scored(part)
            bits = (np.append(population.scores, 0.0) + 0.0).view(np.int64)
            n = np.append(np.ones(population.size, np.int64), 0)
            lost = np.append(np.zeros(population.size, np.int64), population.lost)
            table = pl.DataFrame({"score": bits, "n": n, "lost": lost}).group_by("score").sum()
            tables.append(table.with_columns(list=pl.lit(i, pl.Int64)))
        return pl.concat(tables).select(*self.by, "n", "lost")


@dataclass(frozen=True)
class ScoreColumns:
    """Counts the scores of some lists, a column each; there is also a row of every part."""

    specs: tuple[ListSpec, ...]
    places: Mapping[int, int]
    """Of these lists, by their numbers: how many decimal places scores have."""
    by: tuple[str, ...] = KEYS

    @property
    def needs(self) -> frozenset[str]:
        """What the scores are made of."""
        return frozenset[str]().union(*(self.specs[i].scoring.needs for i in self.places))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        columns = {i: self.specs[i].population(part, places).oriented for i, places in self.places.items()}
        return counted_columns(columns)


def counted_columns(columns: Mapping[int, Array]) -> pl.DataFrame:
    """Count the values of columns, none of which is NaN, as whole numbers in the same order; there is always a row."""
    tables = [pl.DataFrame({"column": [NONE], "value": [0], "n": [0]})]
    for number, values in columns.items():
        counts = pl.DataFrame({"value": in_order(values)}).group_by("value").agg(n=pl.len().cast(pl.Int64))
        tables.append(counts.select(pl.lit(number, pl.Int64).alias("column"), "value", "n"))
    return pl.concat(tables)


@dataclass(frozen=True)
class ContextKernel:
    """A kernel that knows what is known of the whole data, and the ranks of a part's scores."""

    context: RankingContext

    @property
    def needs(self) -> frozenset[str]:
        """What features are made of."""
        return self.context.needs

    def with_ranks(self, ranks: pl.DataFrame) -> Self:
        """Return one with the ranks of a part's scores."""
        return replace(self, context=self.context.with_ranks(ranks))


@dataclass(frozen=True)
class FeatureCounts(ContextKernel):
    """Counts the rows of every list that have a feature, and sums their ranks."""

    fewest: int = 1
    """How many rows of a list must have a feature: more than one only where there is a single part."""
    by: tuple[str, ...] = ("family", "feature")

    @property
    def distinct(self) -> bool:
        """Whether a part has no name of a family twice: in a single list each family of texts and labels is one."""
        extractor = self.context.extractor
        return len(self.context.specs) == 1 and not extractor.geval and not extractor.described

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part, with what is said of its fields besides."""
        return self.shared(part, self.local(part))

    def local(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part by the place of each feature in the part's own families."""
        weights = _Weights.of(self.context, part)
        owners = self._owners(self.context.extractor.extract(part))
        tables = parallel_map(lambda owner: self._counted(owner, *owners[owner], weights), range(len(owners)))
        keys = ("owner", "family", "place")
        return pl.concat([weights.empty(keys), *tables], how="diagonal").select(
            *keys, *(pl.col(name).fill_null(0) for name in weights.columns)
        )

    def shared(self, part: Evaluation, table: pl.DataFrame) -> pl.DataFrame:
        """Return features by their names, and what is said of the part's fields."""
        features = self.context.extractor.extract(part)
        owners = self._owners(features)
        numbers = [name for name in table.columns if name not in ("owner", "family", "place")]
        weights = _Weights.of(self.context, part)
        no_words = pl.DataFrame(schema=dict.fromkeys(weights.word_columns, pl.Int64))
        tables = [table.clear().select("family", pl.lit("").alias("feature"), *numbers), no_words]
        for (owner,), rows in table.group_by("owner", maintain_order=True):
            family, lists = owners[int(owner)]
            place = rows["place"].to_numpy()
            words = {name: pl.Series(column[place]) for name, column in weights.words(family, lists).items()}
            names = family.names(place)
            tables.append(rows.select("family", names.alias("feature"), *numbers).with_columns(**words))
        schema = {"family": pl.Int64, "feature": pl.String, "n:0": pl.Int64, "d:0": pl.Int64}
        tables.append(pl.DataFrame(self._field_kinds(part, features, owners), orient="row", schema=schema))
        return pl.concat(tables, how="diagonal").with_columns(pl.col([*numbers, *weights.word_columns]).fill_null(0))

    def _owners(self, features: Features) -> list[tuple[Family, list[int]]]:
        """Return the families of all lists, each with the lists that it belongs to."""
        owners: dict[int, tuple[Family, list[int]]] = {}
        for i, spec in enumerate(self.context.specs):
            for family in spec.families(features):
                owners.setdefault(id(family), (family, []))[1].append(i)
        return list(owners.values())

    def _counted(self, owner: int, family: Family, lists: list[int], weights: _Weights) -> pl.DataFrame:
        numbers = weights.sums(family, lists)
        fewest = 1 if family.kind in ALWAYS_COUNTED else self.fewest
        place = np.flatnonzero(np.max([numbers[f"n:{i}"] for i in lists], axis=0) >= fewest)
        number = self.context.families.index(family.key)
        keys = {"owner": np.full(len(place), owner), "family": np.full(len(place), number), "place": place}
        return pl.DataFrame(keys | {name: column[place] for name, column in numbers.items()})

    def _field_kinds(
        self, part: Evaluation, features: Features, owners: Sequence[tuple[Family, list[int]]]
    ) -> list[tuple[int, str, int, int]]:
        """Say which fields are no categories, which are numbers, and which attributes are."""
        if not part.aligned.items:
            return []
        present = {family.key for family, _ in owners}
        families = enumerate(self.context.families)
        absent = [i for i, family in families if family not in present and family[0] is Kind.CATEGORY]
        rows = [(i, TOO_MANY, 1, 0) for i in absent]
        rows += (
            self._readings(features)
            if isinstance(features, ItemFeatures) and self.context.extractor.spec.numbers
            else []
        )
        if self.context.extractor.described:
            numbers = {(spec.whose or "", name) for spec in self.context.specs for name in features.numbers(spec.whose)}
            rows += [(DESCRIBED, f"{whose}\t{name}", 1, 0) for whose, name in sorted(numbers)]
        return rows

    def _readings(self, features: ItemFeatures) -> list[tuple[int, str, int, int]]:
        """Say of every field of text how many values are filled, and how many of these are no number."""
        rows = []
        for spec in self.context.specs:
            for space in features.spaces(spec.whose):
                texts = features.field(spec.whose, space).texts
                if texts is not None and texts.dtype == pl.String:
                    read = parse_numbers(texts)
                    rows.append((NUMBER, f"{space}\t{spec.whose}", read.filled, read.strange))
        return list(dict.fromkeys(rows))


@dataclass(frozen=True, eq=False)
class _Weights:
    """What is added up over the rows of features: whether a list has a row, and its rank there."""

    kept: list[Ints | None]
    """None: all rows."""
    ranks: list[Ints]
    owners: tuple[int | None, ...]
    """Of each list with strata: the first list that has the same."""
    packed: dict[int, list[Ints]]
    """The strata of the rows of these lists, as numbers whose sums hold the counts of all strata."""
    apart: bool
    """Whether there are features that each of several lists with the same strata has for itself."""

    @classmethod
    def of(cls, context: RankingContext, part: Evaluation) -> _Weights:
        kept: list[Ints | None] = []
        ranks = []
        for i, scores in enumerate(context.score_ranks):
            population = context.population(part, i)
            row_ranks = np.zeros(len(population.kept), np.int64)
            row_ranks[population.kept] = scores.ranks(population)
            kept.append(None if population.kept.all() else population.kept.astype(np.int64))
            ranks.append(row_ranks)
        owners = context.strata_owners
        packed = {i: _packed_rows(context, part, i) for i in dict.fromkeys(owners) if i is not None}
        return cls(kept, ranks, owners, packed, context.apart)

    @property
    def columns(self) -> list[str]:
        return [name for i in range(len(self.ranks)) for name in (f"n:{i}", f"d:{i}")]

    @property
    def word_columns(self) -> list[str]:
        lists = [i for i, owner in enumerate(self.owners) if owner is not None and self.apart]
        shared = [f"s:{i}:{k}" for i, words in self.packed.items() for k in range(len(words))]
        return [*shared, *(f"w:{i}:{k}" for i in lists for k in range(len(self.packed[self.owners[i] or 0])))]

    def words(self, family: Family, lists: Sequence[int]) -> dict[str, Ints]:
        """Return in how many rows of each stratum the features are, packed: for lists together, or for one alone."""
        columns: dict[str, Ints] = {}
        for owner in dict.fromkeys(self.owners[i] for i in lists):
            if owner is not None:
                together = all(i in lists for i, other in enumerate(self.owners) if other == owner)
                names = [f"s:{owner}"] if together else [f"w:{i}" for i in lists if self.owners[i] == owner]
                for k, row in enumerate(self.packed[owner]):
                    columns |= dict.fromkeys((f"{name}:{k}" for name in names), family.relation.sums(row))
        return columns

    def empty(self, keys: Sequence[str]) -> pl.DataFrame:
        kinds = {"feature": pl.String}
        return pl.DataFrame(schema={name: kinds.get(name, pl.Int64) for name in (*keys, *self.columns)})

    def sums(self, family: Family, lists: Sequence[int]) -> dict[str, Ints]:
        columns = {}
        for i in lists:
            kept = self.kept[i]
            columns[f"n:{i}"] = family.relation.counts if kept is None else family.relation.sums(kept)
            columns[f"d:{i}"] = family.relation.sums(self.ranks[i])
        return columns


def _packed_rows(context: RankingContext, part: Evaluation, i: int) -> list[Ints]:
    """Return the packed strata of all rows of a part; those that the list has not are of none."""
    strata, kept = context.strata[i], context.population(part, i).kept
    rows = np.full(len(kept), -1, np.int64)
    rows[kept] = context.stratum(part, i)
    return [] if strata is None else strata.packed(rows)


@dataclass(frozen=True)
class RunCounts(ContextKernel):
    """Counts the rows that have runs of a length, of tokens that are frequent in all of the data."""

    runs: Mapping[tuple[str, str | None], Ngrams]
    """By namespace and whose text it is."""
    length: int
    by: tuple[str, ...] = ("field", "key")
    distinct: bool = True

    @property
    def needs(self) -> frozenset[str]:
        """The texts, unless their tokens are kept."""
        return self.context.needs_later

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part by field and key."""
        features = self.context.extractor.extract(part)
        weights = _Weights.of(self.context, part)
        tables = [weights.empty((*self.by, *weights.word_columns))]
        for number, ((space, whose), runs) in enumerate(self.runs.items()):
            family, keys = features.run(whose, space, runs, self.length)
            lists = [i for i, spec in enumerate(self.context.specs) if spec.whose == whose or space != "out"]
            lists = [i for i in lists if not self.context.specs[i].confusions]
            numbers = weights.sums(family, lists) | weights.words(family, lists)
            tables.append(pl.DataFrame({"field": np.full(len(keys), number), "key": keys} | numbers))
        columns = (*weights.columns, *weights.word_columns)
        return pl.concat(tables, how="diagonal").select(*self.by, *(pl.col(n).fill_null(0) for n in columns))


@dataclass(frozen=True)
class NumberCounts(ContextKernel):
    """Counts the rows of every list by the value of each number and by rank."""

    numbers: NumberSpecs
    by: tuple[str, ...] = ("list", "number", "value", "doubled")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part; values are given by their bits."""
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for i, numbers in enumerate(self.numbers):
            ranks = self.context.score_ranks[i].ranks(self.context.population(part, i))
            for j, (kind, space, name, stratum) in enumerate(numbers):
                if stratum:  # counted with the first stratum
                    continue
                values = self.context.numbers(part, i, (kind, space, name, None))
                places = np.full(len(values), j) if stratum is None else j + self.context.stratum(part, i)
                present = ~np.isnan(values)
                columns = {"number": places, "value": (values + 0.0).view(np.int64), "doubled": ranks}
                rows = pl.DataFrame({key: column[present] for key, column in columns.items()})
                counts = rows.group_by("number", "value", "doubled").len("n")
                tables.append(counts.select(pl.lit(i).alias("list"), *self.by[1:], "n").cast(pl.Int64))
        return pl.concat(tables)


@dataclass(frozen=True)
class StratumCounts(ContextKernel):
    """Counts the rows of lists by stratum and group of neighbouring ranks, and sums their ranks."""

    bounds: tuple[Ints | None, ...]
    """Of the groups of each list that has strata."""
    by: tuple[str, ...] = ("list", "stratum", "group")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n", "doubled", "squares"), pl.Int64))]
        for i, bounds in enumerate(self.bounds):
            if bounds is not None:
                doubled = self.context.score_ranks[i].ranks(self.context.population(part, i))
                group = np.searchsorted(2 * bounds + 1, doubled) - 1
                squares = (doubled - group_middles(bounds)[group].astype(np.int64)) ** 2
                columns = {"stratum": self.context.stratum(part, i), "group": group, "n": np.ones(len(group), np.int64)}
                frame = pl.DataFrame(columns | {"doubled": doubled, "squares": squares}).cast(pl.Int64)
                table = frame.group_by("stratum", "group").sum()
                tables.append(table.select(pl.lit(i, pl.Int64).alias("list"), pl.all()))
        return pl.concat(tables)


@dataclass(frozen=True)
class NumberRows(ContextKernel):
    """Returns the rows of a list that have a number: its value, the doubled rank of the score, and the score."""

    list: int
    number: NumberSpec
    by: tuple[str, ...] = ()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the rows of a part."""
        population = self.context.population(part, self.list)
        values = self.context.numbers(part, self.list, self.number)
        columns = {"value": values, "doubled": self.context.score_ranks[self.list].ranks(population)}
        return pl.DataFrame(columns | {"score": population.scores}).filter(pl.col("value").is_not_nan())


@dataclass(frozen=True)
class PairCounts(ContextKernel):
    """Counts the rows that have two features of a list, and sums their ranks."""

    list: int
    query: FeatureQuery
    start: int
    stop: int
    """The first feature of a pair is one of these."""
    fewest: int
    """How many rows of a part must have a pair: more than one only where there is a single part."""
    by: tuple[str, ...] = ("a", "b")
    distinct: bool = True

    @property
    def needs(self) -> frozenset[str]:
        """What the features are made of."""
        return self.query.needs(self.context)

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        population = self.context.population(part, self.list)
        relation = self.query.relation(self.context, self.context.extractor.extract(part), self.list, population)
        ranks = self.context.score_ranks[self.list].ranks(population)
        strata = self.context.strata_of(self.list)
        words = [] if strata is None else strata.packed(self.context.stratum(part, self.list))
        names = [f"w:{k}" for k in range(len(words))]
        tables = [pl.DataFrame(schema=dict.fromkeys(("a", "b", "n", "doubled", *names), pl.Int64))]
        for block in pairs(relation, ranks, self.fewest, self.start, self.stop, more=words):
            columns = {"a": block.a, "b": block.b, "n": block.counts, "doubled": block.sums}
            tables.append(pl.DataFrame(columns | dict(zip(names, block.more, strict=True))).cast(pl.Int64))
        return pl.concat(tables)


@dataclass(frozen=True)
class QueryKernel:
    """A kernel that looks for features, those of a query per list."""

    context: RankingContext
    queries: tuple[FeatureQuery, ...]

    @property
    def needs(self) -> frozenset[str]:
        """What the features are made of."""
        return frozenset[str]().union(*(query.needs(self.context) for query in self.queries))

    def rows(self, part: Evaluation) -> Iterator[tuple[int, Population, Relation]]:
        """Yield the rows of every list, and those of the features that are looked for."""
        features = self.context.extractor.extract(part)
        for i, query in enumerate(self.queries):
            population = self.context.population(part, i)
            yield i, population, query.relation(self.context, features, i, population)


@dataclass(frozen=True)
class Overlaps(QueryKernel):
    """Counts the rows that two features share, of those that may be alike."""

    counts: tuple[Ints, ...]
    """How many rows have each, in all of the data."""
    by: tuple[str, ...] = ("list", "a", "b")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for i, _, relation in self.rows(part):
            for a, b, n in overlaps(relation, self.counts[i], NEARLY):
                tables.append(pl.DataFrame({"list": np.full(len(a), i), "a": a, "b": b, "n": n}).cast(pl.Int64))
        return pl.concat(tables)


@dataclass(frozen=True)
class GroupSums(QueryKernel):
    """Counts rows and sums scores of the features that are shown, by group.

    Where there are strata these come behind the features, and scores are those beyond the mean of the stratum.
    """

    means: tuple[Array | None, ...]
    """Of the strata of each list."""
    by: tuple[str, ...] = ("list", *GROUP_KEYS)

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        tables = []
        for i, population, relation in self.rows(part):
            means, scores = self.means[i], population.scores
            if means is not None:
                stratum = self.context.stratum(part, i)
                relation, scores = with_strata(relation, stratum, len(means)), scores - means[stratum]  # noqa: PLW2901
            table = group_sums(population, relation, scores)
            tables.append(table.select(pl.lit(i, pl.Int64).alias("list"), pl.all()))
        return pl.concat(tables)


@dataclass(frozen=True)
class PartDetails(QueryKernel):
    """Sums what is said of the features that are shown, and picks the rows that tell most."""

    high: bool
    by: tuple[str, ...] = ()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return sums and rows of a part in one table; rows have an item."""
        tables = []
        for i, population, relation in self.rows(part):
            high = self.high and not self.context.specs[i].confusions
            strata = self.context.strata_of(i)
            summed, words = relation, []
            if strata is not None:
                stratum = self.context.stratum(part, i)
                summed, words = with_strata(relation, stratum, len(strata)), strata.packed(stratum)
            both = [sums_of(population, summed, words), telling(population, relation, high=high)]
            tables.append(pl.concat(both, how="diagonal").with_columns(list=pl.lit(i, pl.Int64)))
        return pl.concat(tables, how="diagonal")
