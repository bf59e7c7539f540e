"""The different values of attributes over all parts of the data, with counts: what cuts, means and ranks come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.attributes.attribute import Of
from slicewise.bucketing import Coded, Distinct, merged
from slicewise.engine.gather import reduced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from slicewise.attributes import Attribute
    from slicewise.evaluation import Evaluation
    from slicewise.lenses.placed import Placed, Placer

    Ints = NDArray[np.int64]

TYPES = (pl.Int64, pl.Float64, pl.String)
STORED = (np.int64, np.float64)
KEYS = ("column", "number", "text")
COUNTS = ("gold", "every", "ranked")
NOBODY = -1
"""Stands for the attribute where scores are counted, and for the system where values of attributes are."""
SYSTEMS, KINDS = 1 << 16, 4
"""A column's number has its attribute, its system, and last what its values are: a type, or missing."""
MISSING = 3


@dataclass(frozen=True, eq=False)
class Ranks:
    """Twice the average rank of each value less the mean: whole numbers."""

    values: NDArray[np.float64]
    """In order."""
    doubled: Ints

    @classmethod
    def of(cls, values: NDArray[np.float64], counts: Ints) -> Ranks:
        """Rank values that so many units have each."""
        known, place = np.unique(values, return_inverse=True)
        n = np.bincount(place, counts, minlength=len(known)).astype(np.int64)
        return cls(known, 2 * (np.cumsum(n) - n) + n - n.sum())

    def of_values(self, values: pl.Series) -> Ints:
        """Return the ranks of values; one that no unit has may have any."""
        place = np.searchsorted(self.values, values.cast(pl.Float64).to_numpy())
        return np.append(self.doubled, 0)[place]


@dataclass(frozen=True, eq=False)
class Counted:
    """An attribute's values, and what they are ranked against."""

    values: Distinct
    ranks: tuple[Ranks, ...] | None
    """Of the values; of items, also of each system's scores. None where the values have no order, or differ between
    systems."""


@dataclass(frozen=True, eq=False)
class _Tally:
    """The values of an attribute, or a system's scores: of all items, or of those without a value of an attribute."""

    attribute: int
    system: int
    values: Distinct
    ranked: Ints
    """How many of the units that are right or wrong have each value."""

    def ranks(self, without: _Tally | None = None) -> Ranks:
        """Rank the values; `without` those of some units."""
        numbers, counts = self.values.numbers(), self.ranked.copy()
        if without is not None:
            counts[np.searchsorted(numbers, without.values.numbers())] -= without.ranked
        return Ranks.of(numbers, counts)


def counted_values(
    evaluation: Evaluation, placer: Placer, attributes: Sequence[Attribute], most: Sequence[int | None]
) -> list[Counted]:
    """Count the values of attributes over all parts; `most`: how many categories of each get buckets, None for all."""
    if evaluation.parts is None:
        found = list(_tallies(placer(evaluation), attributes))
    else:
        found = list(_read(*reduced(evaluation, _Values(placer, tuple(attributes)), _First(tuple(most)))))
    known = {(one.attribute, one.system): one for one in found}
    systems = range(len(evaluation.systems) if placer.metric is not None else 0)
    scores = [known[NOBODY, j].ranks() for j in systems]
    made = []
    for i, attribute in enumerate(attributes):
        own, ranks = known[i, NOBODY], None
        if own.values.numeric and attribute.of is not Of.OUTPUT:
            beside = [known[NOBODY, j].ranks(known[i, j]) if (i, j) in known else scores[j] for j in systems]
            ranks = (own.ranks(), *beside)
        made.append(Counted(own.values, ranks))
    return made


def _tallies(placed: Placed, attributes: Sequence[Attribute]) -> Iterator[_Tally]:
    """Yield the values of every attribute and of the scores in a part."""
    for j, scores in enumerate(placed.scores):
        yield _Tally(NOBODY, j, *_counted(scores, None, None))
    for i, attribute in enumerate(attributes):
        coded, gold = placed.coded(attribute), placed.gold(attribute)
        scored = gold if placed.metric is None else placed.scores[0].there()
        every = [_counted(one, gold, scored) for one in coded]
        if len(every) > 1:
            values = merged([values for values, _ in every])
            yield _Tally(i, NOBODY, values, values.gold)
            continue
        values, ranked = every[0]
        yield _Tally(i, NOBODY, values, ranked)
        if values.missing and values.numeric:
            without = np.flatnonzero(~coded[0].there())
            for j, scores in enumerate(placed.scores):
                yield _Tally(i, j, *_counted(scores.gather(without), None, None))


def _counted(coded: Coded, gold: NDArray[np.bool_] | None, ranked: NDArray[np.bool_] | None) -> tuple[Distinct, Ints]:
    """Count values over all units, over gold ones and over those that are ranked; values that no unit has are none."""
    every = coded.counts()
    there = np.flatnonzero(every[:-1])
    of_gold, of_ranked = (every if rows is None else coded.counts(rows) for rows in (gold, ranked))
    values = coded.values if len(there) == len(coded.values) else coded.values.gather(there)
    return Distinct(values, of_gold[there], every[there], int(every[-1])), of_ranked[there]


@dataclass(frozen=True, eq=False)
class _Values:
    """Counts the values of attributes."""

    placer: Placer
    attributes: tuple[Attribute, ...]
    by: tuple[str, ...] = KEYS

    @property
    def needs(self) -> frozenset[str]:
        """What the attributes are worked out from."""
        return self.placer.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part; how many units have no value is always there, and says what type values are."""
        return pl.concat([_table(one) for one in _tallies(self.placer(part), self.attributes)])


def _table(tally: _Tally) -> pl.DataFrame:
    values = tally.values.values
    text = values if values.dtype == pl.String else pl.Series([""]).new_from_index(0, len(values))
    number = np.zeros(len(values), np.int64) if values.dtype == pl.String else values.to_numpy().view(np.int64)
    counts = {"gold": tally.values.gold, "every": tally.values.every, "ranked": tally.ranked}
    there = pl.DataFrame({"number": number, "text": text} | counts)
    without = {"gold": [0], "every": [tally.values.missing], "ranked": [0]}
    missing = pl.DataFrame({"number": [TYPES.index(values.dtype)], "text": [""]} | without)
    column = ((tally.attribute - NOBODY) * SYSTEMS + tally.system - NOBODY) * KINDS
    kinds = {TYPES.index(values.dtype): there, MISSING: missing}
    return pl.concat(
        rows.select(pl.lit(column + kind, pl.Int64).alias("column"), pl.all()) for kind, rows in kinds.items()
    )


@dataclass(frozen=True)
class _First:
    """Leaves of categories the most frequent, one more than get a bucket of their own: there may be any number."""

    most: tuple[int | None, ...]
    """How many of each attribute do; None: all."""

    def __call__(self, counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Return all numbers, and the first categories."""
        every = [i for i, most in enumerate(self.most) if most is None]
        left = max((most for most in self.most if most is not None), default=0) + 1
        own = nw.col("column") // (SYSTEMS * KINDS) + NOBODY
        short = (nw.col("column") % KINDS != TYPES.index(pl.String)) | own.is_in(every)
        long = counts.filter(~short).with_columns(one=nw.lit(1), seldom=-nw.col("gold"))
        place = nw.col("one").cum_sum().over("column", order_by=("seldom", "text"))
        first = long.with_columns(place=place).filter(nw.col("place") <= left)
        return nw.concat([table.select(*KEYS, *COUNTS) for table in (counts.filter(short), first)])


def _read(table: pl.DataFrame) -> Iterator[_Tally]:
    """Yield what the parts' tables together say."""
    columns = {int(number): rows for (number,), rows in table.partition_by("column", as_dict=True).items()}
    for number, missing in columns.items():
        if number % KINDS != MISSING:
            continue
        first = number - MISSING
        kind = next((kind for kind in range(len(TYPES)) if first + kind in columns), int(missing["number"][0]))
        there = columns.get(first + kind, missing.clear())
        values = there["text"] if TYPES[kind] == pl.String else pl.Series(there["number"].to_numpy().view(STORED[kind]))
        order = values.arg_sort()
        gold, every, ranked = (there[name].gather(order).to_numpy() for name in COUNTS)
        attribute, system = divmod(number // KINDS, SYSTEMS)
        distinct = Distinct(values.gather(order), gold, every, int(missing["every"].sum()))
        yield _Tally(attribute + NOBODY, system + NOBODY, distinct, ranked)
