"""The different values of attributes over all parts of the data, with counts: what cuts, means and ranks come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.attributes.attribute import Of
from slicewise.bucketing import Coded, Distinct, merged
from slicewise.engine.gather import made_small, most_back
from slicewise.lenses.counted import Apart, Counted, Ranks
from slicewise.lenses.far_values import NOBODY, FarColumns, FarValues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.attributes import Attribute
    from slicewise.bucketing import Bucketing
    from slicewise.evaluation import Evaluation
    from slicewise.lenses.far_values import Column
    from slicewise.lenses.placed import Placed, Placer
    from slicewise.parts import Ranked, Steps

    Ints = NDArray[np.int64]

TYPES = (pl.Int64, pl.Float64, pl.String)
STORED = (np.int64, np.float64)
KEYS = ("column", "number", "text")
COUNTS = ("gold", "every", "ranked")
SYSTEMS, KINDS = 1 << 16, 4
"""A column's number has its attribute, its system, and last what its values are: a type, or missing."""
MISSING = 3


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
    evaluation: Evaluation, placer: Placer, attributes: Sequence[Attribute], ways: Sequence[Bucketing], *, shared: bool
) -> tuple[list[Counted], Ranked | None]:
    """Count the values of attributes over all parts, and return what of them stays where these are.

    `ways`: how they are cut; `shared`: from other data as well, so that all values count.
    """
    rows: dict[Column, int] = {}
    if evaluation.parts is None:
        found = list(_tallies(placer(evaluation), attributes))
    else:
        first = _First(tuple(None if shared else way.most_values for way in ways))
        steps = _brought(first, ways, None if shared else most_back(evaluation))
        table, rows = made_small(evaluation, _Values(placer, tuple(attributes)), steps)
        found = list(_read(table))
    known = {(one.attribute, one.system): one for one in found}
    without = frozenset((i, j) for i, j in known if NOBODY not in (i, j))
    far = FarValues.of(evaluation, placer, attributes, ways, FarColumns.asked(rows, without)) if rows else None
    ranks = _Order(known, far, frozenset(rows))
    systems = range(len(evaluation.systems) if placer.metric is not None else 0)
    made = []
    for i, attribute in enumerate(attributes):
        own = known[i, NOBODY].values
        ordered = own.numeric and attribute.of is not Of.OUTPUT
        every = (ranks.values(i), *(ranks.scores(i, j) for j in systems)) if ordered else None
        if far is None or (i, NOBODY) not in rows:
            made.append(Counted(own, every))
        else:
            made.append(Counted(far.deciding(i, own), every, Apart(rows[i, NOBODY], far.means[i])))
    return made, None if far is None else far.told


@dataclass(frozen=True)
class _Order:
    """How values and scores are ranked: those that came together, and those that stay where the parts are."""

    known: Mapping[Column, _Tally]
    far: FarValues | None
    apart: frozenset[Column]

    @cached_property
    def every(self) -> dict[int, Ranks]:
        """Of each system's scores."""
        systems = [j for i, j in self.known if i == NOBODY and (NOBODY, j) not in self.apart]
        return {j: self.known[NOBODY, j].ranks() for j in systems}

    def values(self, attribute: int) -> Ranks:
        """Rank the values of an attribute."""
        column = attribute, NOBODY
        far = self.far if column in self.apart else None
        return self.known[column].ranks() if far is None else far.ranks(*column)

    def scores(self, attribute: int, system: int) -> Ranks:
        """Rank a system's scores of the items that have a value of an attribute."""
        some = (attribute, system) in self.known
        if self.far is not None and (NOBODY, system) in self.apart:
            return self.far.ranks(attribute if some else NOBODY, system)
        return self.known[NOBODY, system].ranks(self.known[attribute, system]) if some else self.every[system]


def _brought(
    first: _First, ways: Sequence[Bucketing], most: int | None
) -> Steps[tuple[pl.DataFrame, dict[Column, int]]]:
    """Bring values together, but not of columns with too many that are numbers; return how many these have."""
    if most is None:
        return (yield first), {}
    sizes = yield lambda counts: counts.group_by("column").agg(nw.len().alias("rows"))
    far: dict[Column, int] = {}
    left = []
    for number, rows in sizes.select("column", "rows").rows():
        attribute, system = (place + NOBODY for place in divmod(number // KINDS, SYSTEMS))
        needed = attribute != NOBODY and system == NOBODY and ways[attribute].places(1) is None
        if number % KINDS < TYPES.index(pl.String) and rows > most // sizes.height and not needed:
            far[attribute, system] = rows
            left.append(number)
    table = yield lambda counts: first(counts.filter(~nw.col("column").is_in(left)))
    return table, far


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
