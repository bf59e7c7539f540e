"""Features ranked over data in parts: every table is added up over the parts, and the statistics are made here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.engine.local import aggregate, collect_parts, parts_of, whole
from slicewise.engine.protocols import Ranked
from slicewise.evaluation import Evaluation
from slicewise.extract.family import FamilyKey, Kind
from slicewise.extract.ngrams import Ngrams
from slicewise.extract.pairs import Pairs
from slicewise.extract.relation import Limits
from slicewise.extract.spool import Spool
from slicewise.extract.text import MOST_CATEGORIES
from slicewise.lenses.ranking.cluster_correction import ClusterCorrection, several_in_a_cluster
from slicewise.lenses.ranking.clusters import (
    design_effects,
)
from slicewise.lenses.ranking.context import (
    FeatureExtractor,
    ListSpec,
    NumberSpec,
    NumberSpecs,
    RankingContext,
    families_of,
)
from slicewise.lenses.ranking.described import described
from slicewise.lenses.ranking.details import Details
from slicewise.lenses.ranking.feature_kernels import (
    ALWAYS_COUNTED,
    DESCRIBED,
    NUMBER,
    TOO_MANY,
    FeatureCounts,
    NumberRows,
    Overlaps,
    PairCounts,
    RunCounts,
    StratumCounts,
)
from slicewise.lenses.ranking.folding import FURTHEST, NEAREST, alike_counts
from slicewise.lenses.ranking.kendall_blocks import numbers_of
from slicewise.lenses.ranking.numbers import Number
from slicewise.lenses.ranking.queries import FeatureQuery, subset_of
from slicewise.lenses.ranking.query_builder import NamedFeatures, parts_query, ranking_query
from slicewise.lenses.ranking.score_ranks import ListSummary, summaries_of
from slicewise.lenses.ranking.sources import Single, Tails
from slicewise.lenses.ranking.strata import LENGTH, OF_LENGTH, Strata
from slicewise.lenses.ranking.stratifying import strata_of
from slicewise.lenses.ranking.testing import (
    Adjustment,
    FamilyCounts,
    NumberEvidence,
    Ranking,
    Tests,
)
from slicewise.stats.geval import GevalNumber, geval_number
from slicewise.stats.rank_sums import RankNull, Side
from slicewise.stats.stratified_ranks import StratifiedNull, rank_groups

Field = tuple[str, str | None]
OUT = "out"
"""The namespace of texts that systems returned, of which each has its own."""
PAIR_CELLS = 1 << 24
"""Pairs of features that may be counted in one pass over the parts."""


@dataclass(frozen=True, eq=False)
class FeatureRanking:
    """The lists of features of data in parts."""

    evaluation: Evaluation
    specs: tuple[ListSpec, ...]
    extractor: FeatureExtractor
    least: int
    """How many rows a feature must have to be listed; confusions need one."""
    summaries: list[ListSummary]
    ranks: Ranked | None = None
    """Scores that stay where the parts are."""
    strata: tuple[Strata | None, ...] = ()
    """Of each list: rows that are compared with each other."""

    @classmethod
    def of(
        cls, evaluation: Evaluation, specs: Sequence[ListSpec], extractor: FeatureExtractor, least: int
    ) -> FeatureRanking:
        """Rank the scores first."""
        parts, extractor = parts_of(evaluation), extractor.informed(evaluation)
        least = 1 if extractor.geval else max(least, 1)
        if parts.scratch is not None and not extractor.units:
            spool = Spool(parts.scratch / "tokens", tuple(evaluation.aligned.fields.columns))
            extractor = replace(extractor, spool=spool)
        if parts.scattered and evaluation.aligned.clusters.count > evaluation.aligned.clusters.groups:
            evaluation = whole(evaluation, "features of clusters whose items lie apart")  # which no part can count
        summaries, ranks = summaries_of(evaluation, specs)
        strata = strata_of(evaluation, specs, extractor, [summary.size for summary in summaries])
        return cls(evaluation, tuple(specs), extractor, least, summaries, ranks, strata)

    @cached_property
    def context(self) -> RankingContext:
        """What kernels know."""
        families = families_of(self.extractor, self.evaluation, self.specs)
        score_ranks = tuple(summary.score_ranks for summary in self.summaries)
        return RankingContext(self.specs, self.extractor, families, score_ranks, self.strata)

    @cached_property
    def adjustments(self) -> list[Adjustment | None]:
        """Return how scores are ranked within the strata of every list."""
        if not any(self.strata):
            return [None] * len(self.strata)
        bounds = tuple(
            None if strata is None else rank_groups(summary.null)
            for strata, summary in zip(self.strata, self.summaries, strict=True)
        )
        table = aggregate(self.evaluation, StratumCounts(self.context, bounds), ranks=self.ranks)
        adjustments: list[Adjustment | None] = []
        for i, (strata, edges) in enumerate(zip(self.strata, bounds, strict=True)):
            if strata is None or edges is None:
                adjustments.append(None)
                continue
            rows = table.filter(pl.col("list") == i)
            cells = np.zeros((3, len(strata), len(edges) - 1), np.int64)
            for cell, name in zip(cells, ("n", "doubled", "squares"), strict=True):
                cell[rows["stratum"].to_numpy(), rows["group"].to_numpy()] = rows[name].to_numpy()
            adjustments.append(Adjustment(strata, StratifiedNull.of(self.summaries[i].null, edges, *cells)))
        return adjustments

    @property
    def several_parts(self) -> bool:
        """Whether rows are counted part by part, so that a count says nothing before all are added up."""
        return len(parts_of(self.evaluation).source) > 1

    def evidence(self) -> list[ListEvidence]:
        """Return what every list is ranked by."""
        return [ListEvidence(self, i) for i in range(len(self.specs))]

    # ------------------------------------------------------------------ counts of features

    @cached_property
    def counts(self) -> pl.DataFrame:
        """Return how many rows of each list have which feature: those that enough rows have, and all categories."""
        families = enumerate(self.context.families)
        always = [NUMBER, DESCRIBED, *(i for i, (kind, *_) in families if kind in ALWAYS_COUNTED)]
        kept = self._enough() | nw.col("family").is_in(always)
        kernel = FeatureCounts(self.context, 1 if self.several_parts else self.least)
        table = aggregate(self.evaluation, kernel, kept, self.ranks)
        return table.filter(~pl.col("family").is_in(self._no_categories(table)))

    def _enough(self) -> nw.Expr:
        return reduce(or_, (nw.col(f"n:{i}") >= self.least for i in range(len(self.specs))))

    def _no_categories(self, counts: pl.DataFrame) -> list[int]:
        """Return the families of fields that have too many different values to be categories."""
        if self.extractor.units:
            return []
        fields = [i for i, (kind, *_) in enumerate(self.context.families) if kind is Kind.CATEGORY]
        sizes = counts.group_by("family").agg(n=pl.len(), odd=(pl.col("feature") == TOO_MANY).any())
        many = sizes.filter(pl.col("odd") | (pl.col("n") > MOST_CATEGORIES))["family"].to_list()
        return [i for i in fields if i in many]

    # ------------------------------------------------------------------ runs of tokens

    @cached_property
    def runs(self) -> list[tuple[dict[Field, Ngrams], pl.DataFrame]]:
        """Return what is known of runs of two, of three …: the shorter ones, and how many rows have which."""
        longest = 1 if self.extractor.geval else self.extractor.spec.ngrams  # whose runs are families like any other
        fewest = 1 if self.several_parts or self.extractor.units else self.least  # units share their items' n-grams
        known = {field: Ngrams(self._words(field), (), fewest) for field in self._fields()} if longest > 1 else {}
        tables = []
        for length in range(2, longest + 1):
            kernel = RunCounts(self.context, known, length)
            table = aggregate(self.evaluation, kernel, self._enough(), self.ranks)
            tables.append((known, table))
            keys = [table.filter(pl.col("field") == i)["key"].to_numpy() for i in range(len(known))]
            known = {
                field: replace(runs, keys=(*runs.keys, longer))
                for (field, runs), longer in zip(known.items(), keys, strict=True)
            }
        return tables

    def _fields(self) -> list[Field]:
        """Return the namespaces of texts, each with whose text it is."""
        features = self.extractor.empty(self.evaluation)
        specs = [spec for spec in self.specs if not spec.confusions]
        fields = [(space, spec.whose) for spec in specs for space in features.spaces(spec.whose)]
        shared = {space: (space, whose) for space, whose in reversed(fields) if space != OUT}
        return list(dict.fromkeys((space, whose) if space == OUT else shared[space] for space, whose in fields))

    def _words(self, field: Field) -> pl.Series:
        """Return the tokens of a field that enough rows have."""
        space, whose = field
        tokens = self.counts.filter(pl.col("family") == self.context.families.index((Kind.TOKEN, space, False)))
        lists = [i for i, spec in enumerate(self.specs) if space != OUT or spec.whose == whose]
        enough = reduce(or_, (pl.col(f"n:{i}") >= self.least for i in lists))
        return tokens.filter(enough)["feature"].str.slice(len(space) + 1)

    # ------------------------------------------------------------------ numbers

    @cached_property
    def numbers(self) -> list[list[NumberEvidence]]:
        """Return the numbers that the rows of every list have, also within strata."""
        named = [tuple(self._numbers_of(spec)) for spec in self.specs]
        if not any(named):
            return [[] for _ in self.specs]
        whole_numbers = tuple(tuple((*number, None) for number in numbers) for numbers in named)
        specs = tuple(
            tuple(spec for number in numbers for spec in ((*number, None), *self._within(number, i)))
            for i, numbers in enumerate(named)
        )
        sizes = [summary.size for summary in self.summaries]
        tables = numbers_of(self.evaluation, self.context, specs, sizes, self.ranks)
        effects = {} if self.extractor.geval else self._design_effects(whole_numbers)
        return [
            [
                NumberEvidence(group[0], [n.agreement for n in group[1:]] or None, *effects.get((i, j), (1.0, 1.0)))
                for j, group in enumerate(_grouped(specs[i], tables[i]))
            ]
            for i in range(len(self.specs))
        ]

    def _within(self, number: tuple[Kind, str, str], i: int) -> list[NumberSpec]:
        """Return a number within each stratum of a list; none where strata are made of it."""
        strata, (kind, _, name) = self.strata[i], number
        if strata is None:
            return []
        adjusters = {adjuster.name for adjuster in strata.adjusters}
        length = not adjusters.isdisjoint({LENGTH, *OF_LENGTH}) and (kind is Kind.LENGTH or name in OF_LENGTH)
        return [] if length or name in adjusters else [(*number, k) for k in range(len(strata))]

    def _design_effects(self, numbers: NumberSpecs) -> dict[tuple[int, int], tuple[float, float]]:
        clustered = several_in_a_cluster(self.evaluation, self.context)
        numbers = tuple(of_list if clustered[i] else () for i, of_list in enumerate(numbers))
        return design_effects(self.evaluation, self.context, numbers, self.ranks) if any(numbers) else {}

    def _numbers_of(self, spec: ListSpec) -> Iterator[tuple[Kind, str, str]]:
        """Return the numbers of a list: its fields, and attributes."""
        if spec.confusions:
            return
        if self.extractor.spec.numbers and not self.extractor.units:
            yield from self._fields_as_numbers(spec)
        described = (
            self.counts.filter(pl.col("family") == DESCRIBED)["feature"].str.split_exact("\t", 1).struct.unnest()
        )
        for name in described.filter(pl.col("field_0") == (spec.whose or "")).get_column("field_1").to_list():
            yield Kind.ATTRIBUTE, "", name

    def _fields_as_numbers(self, spec: ListSpec) -> Iterator[tuple[Kind, str, str]]:
        """Return the fields of text: as a number where all that is filled is one, else by their lengths."""
        readings = self.counts.filter(pl.col("family") == NUMBER).select("feature", "n:0", "d:0").rows()
        least = self.evaluation.aligned.items if self.extractor.geval else 1  # which wants every row to have one
        numeric = {name for name, filled, strange in readings if filled >= least and not strange}
        features = self.extractor.empty(self.evaluation)
        for space in features.spaces(spec.whose):
            if f"{space}\t{spec.whose}" in numeric:
                yield Kind.NUMBER, space, f"{space} value"
            else:
                yield Kind.LENGTH, space, f"{space} length"

    @property
    def adjusted_for(self) -> list[tuple[str, ...]]:
        """What features of every list are adjusted for."""
        return [() if strata is None else tuple(each.name for each in strata.adjusters) for strata in self.strata]

    @property
    def clustered_by(self) -> list[str | None]:
        """What rows of every list are drawn together in, where that is more than one row."""
        return [
            self.evaluation.aligned.clusters.kind if together else None
            for together in several_in_a_cluster(self.evaluation, self.context)
        ]

    @cached_property
    def clusters(self) -> ClusterCorrection:
        """What is known of clusters."""
        nulls = [summary.null for summary in self.summaries]
        return ClusterCorrection(self.evaluation, self.context, self.ranks, nulls, self.adjustments)

    # ------------------------------------------------------------------ features that are looked at again

    def _again(self, ranking: Ranking, features: Sequence[int], looked_at: CountsAlike | None) -> FeatureQuery:
        read_again = self.extractor.spool is None and self.several_parts
        if read_again or looked_at is None or not all(at in looked_at.compared.places for at in features):
            return ranking_query(ranking, features)
        places = [looked_at.compared.places[at] for at in features]
        return subset_of(looked_at.compared.query, np.array(places, np.int64))

    def alike(self, rankings: Sequence[Ranking], orders: Sequence[Ints]) -> list[CountsAlike]:
        """Return which of the first features of every ranking have nearly the same rows; later ones when asked for."""
        firsts = [order[:NEAREST] for order in orders]
        compared = self.compare(list(range(len(rankings))), rankings, firsts)
        return [CountsAlike(self, i, *both, compared[i]) for i, both in enumerate(zip(rankings, orders, strict=True))]

    def compare(
        self, lists: Sequence[int], rankings: Sequence[Ranking], features: Sequence[Ints]
    ) -> dict[int, Compared]:
        """Count the rows that features of some lists share."""
        query = dict.fromkeys(range(len(self.specs)), FeatureQuery(0))
        counts = dict.fromkeys(range(len(self.specs)), np.zeros(0, np.int64))
        for i, ranking, places in zip(lists, rankings, features, strict=True):
            query[i], counts[i] = ranking_query(ranking, places.tolist()), ranking.tests.n[places]
        kernel = Overlaps(self.context, tuple(query.values()), tuple(counts.values()))
        table = aggregate(self.evaluation, kernel) if any(map(len, features)) else None
        compared = {}
        for i, places in zip(lists, features, strict=True):
            same = np.zeros((len(places), len(places)), np.bool_)
            if table is not None:
                a, b, shared = (table.filter(pl.col("list") == i)[name].to_numpy() for name in ("a", "b", "n"))
                same[a, b] = same[b, a] = alike_counts(shared, counts[i][a], counts[i][b])
            compared[i] = Compared({int(at): k for k, at in enumerate(places)}, same, query[i])
        return compared

    def details(
        self,
        rankings: Sequence[Ranking],
        shown: Sequence[Sequence[int]],
        looked_at: Sequence[CountsAlike | None],
        groups: int | None,
        *,
        high: bool,
    ) -> list[Details]:
        """Return what is said of the features of every list that are shown; some have been looked at already."""
        queries = tuple(self._again(*all_names) for all_names in zip(rankings, shown, looked_at, strict=True))
        unadjusted = [_unadjusted(*each) for each in zip(self.strata, rankings, shown, strict=True)]
        return described(self.evaluation, self.context, queries, unadjusted, groups, high=high)


@dataclass(frozen=True, eq=False)
class ListEvidence:
    """What one list is ranked by."""

    parts: FeatureRanking
    i: int

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.parts.summaries[self.i].size

    @property
    def null(self) -> RankNull:
        """How their scores are ranked."""
        return self.parts.summaries[self.i].null

    @property
    def adjustment(self) -> Adjustment | None:
        """What is adjusted for."""
        return self.parts.adjustments[self.i]

    def singles(self, least: int) -> list[FamilyCounts]:
        """Return the features that enough rows have, and enough have not, family by family."""
        counts = []
        families = self.parts.counts.partition_by("family", as_dict=True)
        confusions = self.parts.specs[self.i].confusions
        for number, key in enumerate(self.parts.context.families):
            if (number,) in families and (key[0] is Kind.CONFUSION) == confusions:
                counts.append(self._counts(families[(number,)], least, key))
        if confusions:
            return counts
        for length, (known, table) in enumerate(self.parts.runs, 2):
            for number, ((space, _), runs) in enumerate(known.items()):
                rows = table.filter(pl.col("field") == number)
                longer = replace(runs, keys=(*runs.keys, rows["key"].to_numpy()))
                rows = rows.with_columns(feature=f"{space}:" + longer.names(length))
                kind = Kind.BIGRAM if length == 2 else Kind.NGRAM
                counts.append(self._counts(rows, least, (kind, space, False), (runs, length)))
        return counts

    def _counts(
        self, rows: pl.DataFrame, least: int, key: FamilyKey, known: tuple[Ngrams, int] | None = None
    ) -> FamilyCounts:
        rows = rows.filter(pl.Series(Limits(least, self.size)(rows[f"n:{self.i}"].to_numpy())))
        runs = None if known is None else (*known, rows["key"].to_numpy())
        source = NamedFeatures(*key, rows["feature"].alias(""), runs)
        strata, owner = self.parts.context.strata_of(self.i), self.parts.context.strata_owners[self.i]
        words = None
        if strata is not None:
            shared = rows.select(f"s:{owner}:{k}" for k in range(strata.words)).to_numpy()
            alone = rows.select(f"w:{self.i}:{k}" for k in range(strata.words)) if self.parts.context.apart else None
            words = shared if alone is None else shared + alone.to_numpy()
        return FamilyCounts(source, rows[f"n:{self.i}"].to_numpy(), rows[f"d:{self.i}"].to_numpy(), words)

    def numbers(self) -> list[NumberEvidence]:
        """Return the numbers that rows have."""
        return self.parts.numbers[self.i]

    def geval_number(self, numbers: Number) -> GevalNumber | None:
        """Return what the published tool says of a number, of the rows that have it."""
        number = numbers.kind, numbers.space, numbers.name, None
        rows = pl.concat(collect_parts(self.parts.evaluation, NumberRows(self.parts.context, self.i, number)))
        return geval_number(*(rows[name].to_numpy() for name in ("doubled", "score", "value")))

    def pairs(self, sources: Sequence[Single], source: NDArray[np.int32], place: Ints, least: int) -> Iterator[Pairs]:
        """Return all pairs of some features that at least so many rows have, block by block."""
        query, start, size = parts_query(sources, source, place), 0, len(source)
        fewest = 1 if self.parts.several_parts else least
        while start < size - 1:
            stop = min(size, start + max(1, PAIR_CELLS // (size - start)))
            kernel = PairCounts(self.parts.context, self.i, query, start, stop, fewest)
            table = aggregate(self.parts.evaluation, kernel, nw.col("n") >= least, self.parts.ranks)
            a, b = (table[name].cast(pl.Int32).to_numpy() for name in ("a", "b"))
            more = tuple(table[name].to_numpy() for name in table.columns if name.startswith("w:"))
            yield Pairs(a, b, table["n"].to_numpy(), table["doubled"].to_numpy(), more)
            start = stop

    def pair_ratios(
        self, sources: Sequence[Single], parts: Tests, a: Ints, b: Ints, centred: Array, side: Side
    ) -> Array | None:
        """Return by what factor the distance from chance of pairs shrinks for clusters; None: rows are independent."""
        return self.parts.clusters.pair_ratios(self.i, sources, parts, (a, b), centred, side)


def _unadjusted(strata: Strata | None, ranking: Ranking, shown: Sequence[int]) -> Ints:
    """Return which of the features that are shown are not adjusted although there are strata."""
    sources = [ranking.sources[int(ranking.tests.source[at])] for at in shown]
    plain = [k for k, source in enumerate(sources) if isinstance(source, Tails) and not source.adjusted]
    return np.array(plain if strata is not None else [], np.int64)


def _grouped(specs: Sequence[NumberSpec], numbers: Sequence[Number]) -> list[list[Number]]:
    """Return numbers with those of their strata behind them."""
    groups: list[list[Number]] = []
    for (*_, stratum), number in zip(specs, numbers, strict=True):
        if stratum is None:
            groups.append([])
        groups[-1].append(number)
    return groups


@dataclass(frozen=True, eq=False)
class Compared:
    """Features whose rows have been compared."""

    places: dict[int, int]
    same: NDArray[np.bool_]
    """Which have nearly the same rows."""
    query: FeatureQuery
    """How they are looked for."""


@dataclass(eq=False)
class CountsAlike:
    """Which features of a list have nearly the same rows; those far behind are looked at when they are asked for."""

    parts: FeatureRanking
    list: int
    ranking: Ranking
    order: Ints
    compared: Compared

    def __call__(self, batch: Sequence[int], others: Sequence[int]) -> NDArray[np.bool_]:
        """Return which of the others, and then of the batch, each of a batch is like."""
        if any(at not in self.compared.places for at in batch):
            further = self.order[:FURTHEST]
            self.compared = self.parts.compare([self.list], [self.ranking], [further])[self.list]
        places = self.compared.places
        rows = [places[at] for at in batch]
        return self.compared.same[np.ix_(rows, [*(places[at] for at in others), *rows])]
