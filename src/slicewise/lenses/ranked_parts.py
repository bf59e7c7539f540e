"""Features ranked over data in parts: every table is added up over the parts, and the statistics are made here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.engine.gather import gathered, summed
from slicewise.extract.family import Kind
from slicewise.extract.ngrams import Runs
from slicewise.extract.pairs import Pairs
from slicewise.extract.relation import Limits
from slicewise.extract.spool import Spool
from slicewise.extract.text import MOST_CATEGORIES
from slicewise.lenses.details import KEYS, Details, cells_of
from slicewise.lenses.feature_kernels import (
    DESCRIBED,
    NUMBER,
    TOO_MANY,
    FeatureCounts,
    GroupSums,
    Overlaps,
    PairCounts,
    PartDetails,
    RunCounts,
)
from slicewise.lenses.feature_tests import Counts
from slicewise.lenses.folding import FURTHEST, alike_counts
from slicewise.lenses.heads import heads_of
from slicewise.lenses.number_blocks import numbers_of
from slicewise.lenses.part_view import View, families_of
from slicewise.lenses.sources import Extremes, Together
from slicewise.lenses.wishes import End, Known, Named, Wishes, some_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.feature_tests import Ranking
    from slicewise.lenses.heads import Head
    from slicewise.lenses.numbers import Number
    from slicewise.lenses.part_view import Listing, Maker
    from slicewise.lenses.sources import Single, Source
    from slicewise.parts import Ranked
    from slicewise.stats.geval import GevalNumber
    from slicewise.stats.rank_sums import RankNull

    Array = NDArray[np.float64]
    Index = NDArray[np.int64]

Field = tuple[str, str | None]
OUT = "out"
"""The namespace of texts that systems returned, of which each has its own."""
PAIR_CELLS = 1 << 24
"""Pairs of features that may be counted in one pass over the parts."""


@dataclass(frozen=True, eq=False)
class Listed:
    """Features of a family, by their names."""

    kind: Kind
    space: str
    every: pl.Series
    runs: tuple[Runs, int, Index] | None = None
    """Of runs of tokens: what is frequent, their length and their keys."""

    @property
    def shaped(self) -> bool:
        """Whether they are made of shapes."""
        return self.kind is Kind.SHAPE

    def names(self, at: Index) -> pl.Series:
        """Return the names of some, by their places."""
        return self.every.gather(at)


@dataclass(frozen=True, eq=False)
class RankedParts:
    """The lists of features of data in parts."""

    evaluation: Evaluation
    listings: tuple[Listing, ...]
    maker: Maker
    least: int
    """How many rows a feature must have to be listed; confusions need one."""
    heads: list[Head]
    told: Ranked | None = None
    """Scores that stay where the parts are."""

    @classmethod
    def of(
        cls, evaluation: Evaluation, listings: Sequence[Listing], maker: Maker, least: int, seed: int
    ) -> RankedParts:
        """Rank the scores first."""
        parts, maker = evaluation.parts, maker.informed(evaluation)
        if parts is not None and parts.scratch is not None and not maker.units:
            spool = Spool(parts.scratch / "tokens", tuple(evaluation.aligned.fields.columns))
            maker = replace(maker, spool=spool)
        return cls(evaluation, tuple(listings), maker, max(least, 1), *heads_of(evaluation, listings, seed))

    @cached_property
    def view(self) -> View:
        """What kernels know."""
        families = families_of(self.maker, self.evaluation, self.listings)
        return View(self.listings, self.maker, families, tuple(head.ladder for head in self.heads))

    def evidence(self) -> list[PartEvidence]:
        """Return what every list is ranked by."""
        return [PartEvidence(self, i) for i in range(len(self.listings))]

    # ------------------------------------------------------------------ counts of features

    @cached_property
    def counts(self) -> pl.DataFrame:
        """Return how many rows of each list have which feature: those that enough rows have, and all categories."""
        families = enumerate(self.view.families)
        always = [NUMBER, DESCRIBED, *(i for i, (kind, _) in families if kind in (Kind.CATEGORY, Kind.CONFUSION))]
        kept = self._enough() | nw.col("family").is_in(always)
        found = summed(self.evaluation, FeatureCounts(self.view), kept, self.told)
        return found.filter(~pl.col("family").is_in(self._no_categories(found)))

    def _enough(self) -> nw.Expr:
        return reduce(or_, (nw.col(f"n:{i}") >= self.least for i in range(len(self.listings))))

    def _no_categories(self, found: pl.DataFrame) -> list[int]:
        """Return the families of fields that have too many different values to be categories."""
        if self.maker.units:
            return []
        fields = [i for i, (kind, _) in enumerate(self.view.families) if kind is Kind.CATEGORY]
        sizes = found.group_by("family").agg(n=pl.len(), odd=(pl.col("feature") == TOO_MANY).any())
        many = sizes.filter(pl.col("odd") | (pl.col("n") > MOST_CATEGORIES))["family"].to_list()
        return [i for i in fields if i in many]

    # ------------------------------------------------------------------ runs of tokens

    @cached_property
    def runs(self) -> list[tuple[dict[Field, Runs], pl.DataFrame]]:
        """Return what is known of runs of two, of three …: the shorter ones, and how many rows have which."""
        known = {field: Runs(self._words(field)) for field in self._fields()} if self.maker.wanted.ngrams > 1 else {}
        found = []
        for length in range(2, self.maker.wanted.ngrams + 1):
            kernel = RunCounts(self.view, known, length)
            table = summed(self.evaluation, kernel, self._enough(), self.told)
            found.append((known, table))
            keys = [table.filter(pl.col("field") == i)["key"].to_numpy() for i in range(len(known))]
            known = {
                field: replace(runs, keys=(*runs.keys, own))
                for (field, runs), own in zip(known.items(), keys, strict=True)
            }
        return found

    def _fields(self) -> list[Field]:
        """Return the namespaces of texts, each with whose text it is."""
        made = self.maker.empty(self.evaluation)
        listings = [listing for listing in self.listings if not listing.confusions]
        every = [(space, listing.whose) for listing in listings for space in made.spaces(listing.whose)]
        shared = {space: (space, whose) for space, whose in reversed(every) if space != OUT}
        return list(dict.fromkeys((space, whose) if space == OUT else shared[space] for space, whose in every))

    def _words(self, field: Field) -> pl.Series:
        """Return the tokens of a field that enough rows have."""
        space, whose = field
        own = self.counts.filter(pl.col("family") == self.view.families.index((Kind.TOKEN, space)))
        lists = [i for i, one in enumerate(self.listings) if space != OUT or one.whose == whose]
        enough = reduce(or_, (pl.col(f"n:{i}") >= self.least for i in lists))
        return own.filter(enough)["feature"].str.slice(len(space) + 1)

    # ------------------------------------------------------------------ numbers

    @cached_property
    def numbers(self) -> list[list[Number]]:
        """Return the numbers that the rows of every list have."""
        asked = tuple(tuple(self._numbers_of(listing)) for listing in self.listings)
        if not any(asked):
            return [[] for _ in self.listings]
        return numbers_of(self.evaluation, self.view, asked, [head.size for head in self.heads], self.told)

    def _numbers_of(self, listing: Listing) -> Iterator[tuple[Kind, str, str]]:
        """Return the numbers of a list: its fields, and attributes."""
        if listing.confusions:
            return
        if self.maker.wanted.numbers and not self.maker.units:
            yield from self._fields_as_numbers(listing)
        described = (
            self.counts.filter(pl.col("family") == DESCRIBED)["feature"].str.split_exact("\t", 1).struct.unnest()
        )
        for name in described.filter(pl.col("field_0") == (listing.whose or "")).get_column("field_1").to_list():
            yield Kind.ATTRIBUTE, "", name

    def _fields_as_numbers(self, listing: Listing) -> Iterator[tuple[Kind, str, str]]:
        """Return the fields of text: as a number where all that is filled is one, else by their lengths."""
        said = self.counts.filter(pl.col("family") == NUMBER).select("feature", "n:0", "d:0").rows()
        numeric = {name for name, filled, strange in said if filled and not strange}
        made = self.maker.empty(self.evaluation)
        for space in made.spaces(listing.whose):
            if f"{space}\t{listing.whose}" in numeric:
                yield Kind.NUMBER, space, f"{space} value"
            else:
                yield Kind.LENGTH, space, f"{space} length"

    # ------------------------------------------------------------------ features that are looked at again

    def wishes(self, ranking: Ranking, features: Sequence[int]) -> Wishes:
        """Return some features of a ranking as what is looked for in parts."""
        asked = _Asked(ranking)
        for number, at in enumerate(features):
            source, place = ranking.sources[int(ranking.tests.source[at])], int(ranking.tests.place[at])
            asked.add(source, place, number, len(features))
        return asked.wishes(len(features))

    def _again(self, ranking: Ranking, features: Sequence[int], looked_at: CountsAlike | None) -> Wishes:
        if self.maker.spool is None or looked_at is None or not all(at in looked_at.places for at in features):
            return self.wishes(ranking, features)
        return some_of(looked_at.wishes, np.array([looked_at.places[at] for at in features], np.int64))

    def alike(self, rankings: Sequence[Ranking], orders: Sequence[Index]) -> list[CountsAlike]:
        """Return which of the first features of every ranking have nearly the same rows."""
        firsts = [order[:FURTHEST] for order in orders]
        wishes = tuple(self.wishes(ranking, first.tolist()) for ranking, first in zip(rankings, firsts, strict=True))
        counts = tuple(ranking.tests.n[first] for ranking, first in zip(rankings, firsts, strict=True))
        table = summed(self.evaluation, Overlaps(self.view, wishes, counts)) if any(map(len, firsts)) else None
        found = []
        for i, (first, n) in enumerate(zip(firsts, counts, strict=True)):
            same = np.zeros((len(first), len(first)), np.bool_)
            if table is not None:
                own = table.filter(pl.col("list") == i)
                a, b, shared = (own[name].to_numpy() for name in ("a", "b", "n"))
                same[a, b] = same[b, a] = alike_counts(shared, n[a], n[b])
            found.append(CountsAlike({int(at): k for k, at in enumerate(first)}, same, wishes[i]))
        return found

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
        wishes = tuple(self._again(*every) for every in zip(rankings, shown, looked_at, strict=True))
        both = pl.concat(gathered(self.evaluation, PartDetails(self.view, wishes, high)))
        rows = both.filter(pl.col("item").is_not_null())
        sums = both.filter(pl.col("item").is_null()).drop("order", "item", "name").group_by("list", *KEYS).sum()
        by_group = None if groups is None else summed(self.evaluation, GroupSums(self.view, wishes))
        found = []
        for i, some in enumerate(shown):
            cells = None
            if by_group is not None and groups is not None:
                cells = cells_of(by_group.filter(pl.col("list") == i), len(some), groups)
            own, told_rows = (table.filter(pl.col("list") == i).drop("list") for table in (sums, rows))
            found.append(Details.of(own, told_rows, len(some), cells))
        return found


@dataclass(frozen=True, eq=False)
class PartEvidence:
    """What one list is ranked by."""

    parts: RankedParts
    i: int

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.parts.heads[self.i].size

    @property
    def null(self) -> RankNull:
        """How their scores are ranked."""
        return self.parts.heads[self.i].null

    def singles(self, least: int) -> list[Counts]:
        """Return the features that enough rows have, and enough have not, family by family."""
        found = []
        families = self.parts.counts.partition_by("family", as_dict=True)
        confusions = self.parts.listings[self.i].confusions
        for number, (kind, space) in enumerate(self.parts.view.families):
            if (number,) in families and (kind is Kind.CONFUSION) == confusions:
                found.append(self._counts(families[(number,)], least, kind, space))
        if confusions:
            return found
        for length, (known, table) in enumerate(self.parts.runs, 2):
            for number, ((space, _), runs) in enumerate(known.items()):
                own = table.filter(pl.col("field") == number)
                every = replace(runs, keys=(*runs.keys, own["key"].to_numpy()))
                own = own.with_columns(feature=f"{space}:" + every.names(length))
                kind = Kind.BIGRAM if length == 2 else Kind.NGRAM
                found.append(self._counts(own, least, kind, space, (runs, length)))
        return found

    def _counts(
        self, own: pl.DataFrame, least: int, kind: Kind, space: str, known: tuple[Runs, int] | None = None
    ) -> Counts:
        own = own.filter(pl.Series(Limits(least, self.size)(own[f"n:{self.i}"].to_numpy())))
        runs = None if known is None else (*known, own["key"].to_numpy())
        source = Listed(kind, space, own["feature"].alias(""), runs)
        return Counts(source, own[f"n:{self.i}"].to_numpy(), own[f"d:{self.i}"].to_numpy())

    def numbers(self) -> list[Number]:
        """Return the numbers that rows have."""
        return self.parts.numbers[self.i]

    def geval_number(self, numbers: Number) -> GevalNumber | None:
        """Refuse: the published tool's numbers are made of rows in memory."""
        raise NotImplementedError(numbers.name)

    def pairs(self, sources: Sequence[Single], source: NDArray[np.int32], place: Index, least: int) -> Iterator[Pairs]:
        """Return all pairs of some features that at least so many rows have, block by block."""
        asked = _Asked(None)
        for number, (i, at) in enumerate(zip(source.tolist(), place.tolist(), strict=True)):
            asked.add(sources[i], at, number, len(source))
        wishes, start, size = asked.wishes(len(source)), 0, len(source)
        while start < size - 1:
            stop = min(size, start + max(1, PAIR_CELLS // (size - start)))
            kernel = PairCounts(self.parts.view, self.i, wishes, start, stop)
            found = summed(self.parts.evaluation, kernel, nw.col("n") >= least, self.parts.told)
            a, b = (found[name].cast(pl.Int32).to_numpy() for name in ("a", "b"))
            yield Pairs(a, b, found["n"].to_numpy(), found["doubled"].to_numpy())
            start = stop


@dataclass
class _Asked:
    """Sorts features by where they come from."""

    ranking: Ranking | None
    """Where the features of pairs are; None: there are no pairs."""
    single: dict[int, tuple[Listed, list[int], list[int]]] = field(default_factory=dict)
    ends: list[End] = field(default_factory=list)
    pairs: list[tuple[int, int, int]] = field(default_factory=list)
    more: dict[tuple[int, int], int] = field(default_factory=dict)
    """The numbers of features that pairs are made of."""

    def add(self, source: Source, place: int, number: int, size: int) -> None:
        """Ask for a feature under a number."""
        if isinstance(source, Listed):
            _, places, at = self.single.setdefault(id(source), (source, [], []))
            places.append(place)
            at.append(number)
        elif isinstance(source, Extremes):
            own = source.numbers
            self.ends.append(End(own.kind, own.space, own.name, source.cut(place), place == 0, number))
        elif isinstance(source, Together) and self.ranking is not None:
            a, b = (self._half(half, size) for half in source.halves(place))
            self.pairs.append((number, a, b))

    def _half(self, half: tuple[int, int], size: int) -> int:
        if half not in self.more:
            self.more[half] = size + len(self.more)
            if self.ranking is not None:
                self.add(self.ranking.singles[half[0]], half[1], self.more[half], size)
        return self.more[half]

    def wishes(self, size: int) -> Wishes:
        """Return all that was asked for."""
        named, runs = [], []
        for source, places, at in self.single.values():
            if source.runs is None:
                named.append(Named(source.kind, source.space, source.names(np.array(places)), np.array(at)))
            else:
                known, length, keys = source.runs
                names = source.names(np.array(places))
                runs.append(Known(source.space, names, known, length, keys[places], np.array(at)))
        return Wishes(size, tuple(named), tuple(runs), tuple(self.ends), tuple(self.pairs))


@dataclass(frozen=True, eq=False)
class CountsAlike:
    """Which features have nearly the same rows, as it was counted."""

    places: dict[int, int]
    same: NDArray[np.bool_]
    wishes: Wishes
    """How they are looked for."""

    def __call__(self, batch: Sequence[int], others: Sequence[int]) -> NDArray[np.bool_]:
        """Return which of the others, and then of the batch, each of a batch is like."""
        rows = [self.places[at] for at in batch]
        return self.same[np.ix_(rows, [*(self.places[at] for at in others), *rows])]
