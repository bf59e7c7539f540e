"""The different values of attributes over all parts of the data, with counts: what cuts, means and ranks come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.attributes.attribute import Of
from slicewise.bucketing import Coded, Distinct, merged
from slicewise.engine.gather import summed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from slicewise.attributes import Attribute
    from slicewise.evaluation import Evaluation
    from slicewise.lenses.placed import Placed, Placer

    Ints = NDArray[np.int64]

TYPES = (pl.Int64, pl.Float64, pl.String)
STORED = (np.int64, np.float64)
NOBODY = -1
"""Stands for the attribute where scores are counted, and for the system where values of attributes are."""


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


def counted_values(evaluation: Evaluation, placer: Placer, attributes: Sequence[Attribute]) -> list[Counted]:
    """Count the values of attributes over all parts."""
    if evaluation.parts is None:
        found = list(_tallies(placer(evaluation), attributes))
    else:
        found = list(_read(summed(evaluation, _Values(placer, tuple(attributes)))))
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
    by: tuple[str, ...] = ("attribute", "system", "type", "missing", "number", "text")

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
    there = pl.DataFrame({"missing": np.zeros(len(values), np.int64), "number": number, "text": text} | counts)
    without = {"gold": [0], "every": [tally.values.missing], "ranked": [0]}
    missing = pl.DataFrame({"missing": [1], "number": [0], "text": [""]} | without)
    place = {"attribute": tally.attribute, "system": tally.system, "type": TYPES.index(values.dtype)}
    keys = [pl.lit(number, pl.Int64).alias(name) for name, number in place.items()]
    return pl.concat([there, missing]).select(*keys, pl.all())


def _read(table: pl.DataFrame) -> Iterator[_Tally]:
    """Yield what the parts' tables together say."""
    for (attribute, system, kind), rows in table.group_by("attribute", "system", "type"):
        there = rows.filter(pl.col("missing") == 0)
        values = there["text"] if TYPES[kind] == pl.String else pl.Series(there["number"].to_numpy().view(STORED[kind]))
        order = values.arg_sort()
        gold, every, ranked = (there[name].gather(order).to_numpy() for name in ("gold", "every", "ranked"))
        distinct = Distinct(values.gather(order), gold, every, int(rows["every"].sum()) - int(every.sum()))
        yield _Tally(attribute, system, distinct, ranked)
