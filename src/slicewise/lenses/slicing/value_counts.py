"""The different values of attributes over all parts of the data, with counts: what cuts, means and ranks come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.attributes import Attribute
from slicewise.attributes.attribute import Of
from slicewise.bucketing import Bucketing, Coded, Distinct, merged
from slicewise.engine.local import collect_if_small
from slicewise.engine.protocols import Ranked
from slicewise.evaluation import Evaluation
from slicewise.lenses.slicing.bucketed import BucketedUnits, Bucketer, BucketKernel
from slicewise.lenses.slicing.counted_values import Ranks, RemoteSummary, ValueCounts
from slicewise.lenses.slicing.remote_values import ABSENT, Column, RemoteColumns, RemoteValues

TYPES = (pl.Int64, pl.Float64, pl.String)
STORED = (np.int64, np.float64)
KEYS = ("column", "number", "text")
COUNTS = ("gold", "every", "ranked")
SYSTEMS, KINDS = 1 << 16, 4
"""A column's number has its attribute, its system, and last what its values are: a type, or missing."""
MISSING = 3


@dataclass(frozen=True, eq=False)
class _ColumnCounts:
    """The values of an attribute, or a system's scores: of all items, or of those without a value of an attribute."""

    attribute: int
    system: int
    values: Distinct
    ranked: Ints
    """How many of the units that are right or wrong have each value."""

    def ranks(self, without: _ColumnCounts | None = None) -> Ranks:
        """Rank the values; `without` those of some units."""
        numbers, counts = self.values.numbers(), self.ranked.copy()
        if without is not None:
            counts[np.searchsorted(numbers, without.values.numbers())] -= without.ranked
        return Ranks.of(numbers, counts)


def count_values(
    evaluation: Evaluation,
    bucketer: Bucketer,
    attributes: Sequence[Attribute],
    ways: Sequence[Bucketing],
    *,
    shared: bool,
) -> tuple[list[ValueCounts], Ranked | None]:
    """Count attribute values over all partitions; also return the ranks of those that are not collected.

    `ways`: their binning; `shared`: cuts are shared with other data sets, so that all values are needed.
    """
    table, sizes = collect_if_small(
        evaluation,
        _ValueKernel(bucketer, tuple(attributes)),
        ["column"],
        remote=partial(_remote, ways, shared),
        reduction=_MostFrequent(tuple(None if shared else way.most_values for way in ways)),
    )
    rows = {_column(number): n for number, n in sizes.rows()}
    known = {(counts.attribute, counts.system): counts for counts in _read(table)}
    without = frozenset((i, j) for i, j in known if ABSENT not in (i, j))
    remote = (
        RemoteValues.of(evaluation, bucketer, attributes, ways, RemoteColumns.chosen(rows, without)) if rows else None
    )
    ranks = _Order(known, remote, frozenset(rows))
    systems = range(len(evaluation.systems) if bucketer.metric is not None else 0)
    counted = []
    for i, attribute in enumerate(attributes):
        values = known[i, ABSENT].values
        ordered = values.numeric and attribute.of is not Of.OUTPUT
        column_ranks = (ranks.values(i), *(ranks.scores(i, j) for j in systems)) if ordered else None
        if remote is None or (i, ABSENT) not in rows:
            counted.append(ValueCounts(values, column_ranks))
        else:
            counted.append(
                ValueCounts(remote.deciding(i, values), column_ranks, RemoteSummary(rows[i, ABSENT], remote.means[i]))
            )
    return counted, None if remote is None else remote.ranked


@dataclass(frozen=True)
class _Order:
    """Ranks of values and scores, collected or remote."""

    known: Mapping[Column, _ColumnCounts]
    remote: RemoteValues | None
    apart: frozenset[Column]

    @cached_property
    def every(self) -> dict[int, Ranks]:
        """Of each system's scores."""
        systems = [j for i, j in self.known if i == ABSENT and (ABSENT, j) not in self.apart]
        return {j: self.known[ABSENT, j].ranks() for j in systems}

    def values(self, attribute: int) -> Ranks:
        """Rank the values of an attribute."""
        column = attribute, ABSENT
        remote = self.remote if column in self.apart else None
        return self.known[column].ranks() if remote is None else remote.ranks(*column)

    def scores(self, attribute: int, system: int) -> Ranks:
        """Rank a system's scores of the items that have a value of an attribute."""
        incomplete = (attribute, system) in self.known
        if self.remote is not None and (ABSENT, system) in self.apart:
            return self.remote.ranks(attribute if incomplete else ABSENT, system)
        return self.known[ABSENT, system].ranks(self.known[attribute, system]) if incomplete else self.every[system]


def _remote(ways: Sequence[Bucketing], shared: bool, sizes: pl.DataFrame, limit: int) -> pl.Series:
    """Return which numeric columns have too many values to collect, unless all of them determine cuts."""
    if shared:
        return pl.repeat(False, sizes.height, eager=True)
    columns = [_column(number) for number in sizes["column"].to_list()]
    needed = [i != ABSENT and j == ABSENT and ways[i].places(1) is None for i, j in columns]
    numeric = sizes["column"] % KINDS < TYPES.index(pl.String)
    return numeric & (sizes["rows"] > limit // sizes.height) & ~pl.Series(needed, dtype=pl.Boolean)


def _column(number: int) -> Column:
    """Return the attribute and the system of a column."""
    attribute, system = divmod(number // KINDS, SYSTEMS)
    return attribute + ABSENT, system + ABSENT


def _tallies(bucketed: BucketedUnits, attributes: Sequence[Attribute]) -> Iterator[_ColumnCounts]:
    """Yield the values of every attribute and of the scores in a part."""
    for j, scores in enumerate(bucketed.scores):
        yield _ColumnCounts(ABSENT, j, *_counted(scores, None, None))
    for i, attribute in enumerate(attributes):
        coded, gold = bucketed.coded(attribute), bucketed.gold(attribute)
        scored = gold if bucketed.metric is None else bucketed.scores[0].present()
        counts = [_counted(column, gold, scored) for column in coded]
        if len(counts) > 1:
            values = merged([values for values, _ in counts])
            yield _ColumnCounts(i, ABSENT, values, values.gold)
            continue
        values, ranked = counts[0]
        yield _ColumnCounts(i, ABSENT, values, ranked)
        if values.missing and values.numeric:
            without = np.flatnonzero(~coded[0].present())
            for j, scores in enumerate(bucketed.scores):
                yield _ColumnCounts(i, j, *_counted(scores.gather(without), None, None))


def _counted(coded: Coded, gold: NDArray[np.bool_] | None, ranked: NDArray[np.bool_] | None) -> tuple[Distinct, Ints]:
    """Count values over all units, over gold ones and over those that are ranked; values that no unit has are none."""
    counts = coded.counts()
    present = np.flatnonzero(counts[:-1])
    of_gold, of_ranked = (counts if rows is None else coded.counts(rows) for rows in (gold, ranked))
    values = coded.values if len(present) == len(coded.values) else coded.values.gather(present)
    return Distinct(values, of_gold[present], counts[present], int(counts[-1])), of_ranked[present]


@dataclass(frozen=True, eq=False)
class _ValueKernel(BucketKernel):
    """Counts the values of attributes."""

    attributes: tuple[Attribute, ...]
    by: tuple[str, ...] = KEYS

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part; how many units have no value is always there, and says what type values are."""
        return pl.concat([_table(counts) for counts in _tallies(self.bucketer(part), self.attributes)])


def _table(tally: _ColumnCounts) -> pl.DataFrame:
    values = tally.values.values
    text = values if values.dtype == pl.String else pl.Series([""]).new_from_index(0, len(values))
    number = np.zeros(len(values), np.int64) if values.dtype == pl.String else values.to_numpy().view(np.int64)
    counts = {"gold": tally.values.gold, "every": tally.values.every, "ranked": tally.ranked}
    values_table = pl.DataFrame({"number": number, "text": text} | counts)
    without = {"gold": [0], "every": [tally.values.missing], "ranked": [0]}
    missing = pl.DataFrame({"number": [TYPES.index(values.dtype)], "text": [""]} | without)
    column = ((tally.attribute - ABSENT) * SYSTEMS + tally.system - ABSENT) * KINDS
    kinds = {TYPES.index(values.dtype): values_table, MISSING: missing}
    return pl.concat(
        rows.select(pl.lit(column + kind, pl.Int64).alias("column"), pl.all()) for kind, rows in kinds.items()
    )


@dataclass(frozen=True)
class _MostFrequent:
    """Keeps the most frequent categories, one more than get a bucket of their own."""

    most: tuple[int | None, ...]
    """How many categories of each attribute get a bucket; None: all."""

    def __call__(self, counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Return all numbers, and the first categories."""
        unlimited = [i for i, most in enumerate(self.most) if most is None]
        left = max((most for most in self.most if most is not None), default=0) + 1
        attribute = nw.col("column") // (SYSTEMS * KINDS) + ABSENT
        short = (nw.col("column") % KINDS != TYPES.index(pl.String)) | attribute.is_in(unlimited)
        long = counts.filter(~short).with_columns(one=nw.lit(1), seldom=-nw.col("gold"))
        place = nw.col("one").cum_sum().over("column", order_by=("seldom", "text"))
        first = long.with_columns(place=place).filter(nw.col("place") <= left)
        return nw.concat([table.select(*KEYS, *COUNTS) for table in (counts.filter(short), first)])


def _read(table: pl.DataFrame) -> Iterator[_ColumnCounts]:
    """Yield the counts of each column of the summed table."""
    columns = {int(number): rows for (number,), rows in table.partition_by("column", as_dict=True).items()}
    for number, missing in columns.items():
        if number % KINDS != MISSING:
            continue
        first = number - MISSING
        kind = next((kind for kind in range(len(TYPES)) if first + kind in columns), int(missing["number"][0]))
        counts = columns.get(first + kind, missing.clear())
        values = (
            counts["text"] if TYPES[kind] == pl.String else pl.Series(counts["number"].to_numpy().view(STORED[kind]))
        )
        order = values.arg_sort()
        gold, units, ranked = (counts[name].gather(order).to_numpy() for name in COUNTS)
        distinct = Distinct(values.gather(order), gold, units, int(missing["every"].sum()))
        yield _ColumnCounts(*_column(number), distinct, ranked)
