"""Attribute values and scores with too many distinct values to collect: ranked where the partitions are.

Only the values that determine cuts, and means, are collected. Every partition receives the ranks of its own values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.attributes import Attribute
from slicewise.bucketing import Bucketing, Distinct
from slicewise.engine.local import aggregate, rank_values
from slicewise.engine.protocols import Ranked
from slicewise.engine.ranks import KEYS, NONE
from slicewise.evaluation import Evaluation
from slicewise.lenses.slicing.bucketed import BucketedUnits, Bucketer, BucketKernel
from slicewise.lenses.slicing.counted_values import Ranks, summable
from slicewise.stats.exact import limbs, total_of
from slicewise.stats.ranks import from_order, in_order

Column = tuple[int, int]
"""An attribute and a system: an attribute's values, a system's scores, or its scores of items with a value."""

ABSENT = -1
"""The attribute of a column of scores, and the system of a column of attribute values."""
ROWS = -(1 << 20)
"""The limb code of unit counts."""


@dataclass(frozen=True, eq=False)
class RemoteColumns(BucketKernel):
    """Counts units by value: gold ones, which determine cuts, and ranked ones."""

    attributes: tuple[Attribute, ...]
    ways: tuple[Bucketing, ...]
    cut: tuple[int, ...]
    """Attributes that cuts are needed of; their columns come after those of ranks."""
    ranks: tuple[Column, ...]
    by: tuple[str, ...] = KEYS

    @staticmethod
    def chosen(remote: Collection[Column], without: Collection[Column]) -> tuple[tuple[int, ...], tuple[Column, ...]]:
        """Return which columns are needed where some have too many values; `without`: scores without an attribute."""
        cut = tuple(sorted(i for i, j in remote if j == ABSENT))
        scores = [column for column in remote if column[0] == ABSENT]
        beside = [column for column in without if (ABSENT, column[1]) in remote]
        return cut, tuple(sorted([*((i, ABSENT) for i in cut), *scores, *beside]))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part; there is always a row."""
        bucketed = self.bucketer(part)
        tables = [pl.DataFrame({"column": [NONE], "value": [0], "n": [0]})]
        for number, (values, n) in enumerate([*self._ranked(bucketed), *self._deciding(bucketed)]):
            table = pl.DataFrame({"value": in_order(values), "n": n}).group_by("value").sum()
            tables.append(table.select(pl.lit(number, pl.Int64).alias("column"), "value", "n"))
        return pl.concat(tables)

    def _ranked(self, bucketed: BucketedUnits) -> Iterator[tuple[NDArray[np.float64], Ints]]:
        for i, j in self.ranks:
            if j == ABSENT:
                coded = bucketed.coded(self.attributes[i])[0]
                rows = bucketed.gold(self.attributes[i]) if bucketed.metric is None else bucketed.scores[0].present()
            else:
                coded = bucketed.scores[j]
                rows = None if i == ABSENT else bucketed.coded(self.attributes[i])[0].present()
            yield coded.values.cast(pl.Float64).to_numpy(), coded.counts(rows)[:-1]

    def _deciding(self, bucketed: BucketedUnits) -> Iterator[tuple[NDArray[np.float64], Ints]]:
        for i in self.cut:
            numbers, n = gold_numbers(bucketed, self.attributes[i])
            mask = self.ways[i].decide(numbers)
            yield numbers[mask], n[mask]


def gold_numbers(bucketed: BucketedUnits, attribute: Attribute) -> tuple[NDArray[np.float64], Ints]:
    """Return the numbers that gold units have, and how many have each; each system's where they differ."""
    columns = [
        (coded.values.cast(pl.Float64).to_numpy(), coded.counts(bucketed.gold(attribute))[:-1])
        for coded in bucketed.coded(attribute)
    ]
    numbers, n = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    return numbers[n > 0], n[n > 0]


@dataclass(frozen=True, eq=False)
class RemoteTotals(BucketKernel):
    """Sums the numbers of gold units, limb by limb; and counts the units, and those whose number is too large."""

    attributes: Mapping[int, Attribute]
    by: tuple[str, ...] = ("attribute", "limb")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        bucketed, rows = self.bucketer(part), []
        for i, attribute in self.attributes.items():
            numbers, n = gold_numbers(bucketed, attribute)
            fine = summable(numbers)
            rows.append((i, ROWS, int(n.sum()), int(n[~fine].sum())))
            rows += [(i, limb, int(whole @ n[fine]), 0) for limb, whole in limbs(numbers[fine]).items()]
        return pl.DataFrame(rows, orient="row", schema=dict.fromkeys((*self.by, "total", "odd"), pl.Int64))


@dataclass(frozen=True, eq=False)
class RemoteValues:
    """Columns ranked where the partitions are."""

    ranked: Ranked
    columns: RemoteColumns
    means: Mapping[int, float | None]
    known: dict[Column, Ranks] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        bucketer: Bucketer,
        attributes: Sequence[Attribute],
        ways: Sequence[Bucketing],
        chosen: tuple[tuple[int, ...], tuple[Column, ...]],
    ) -> RemoteValues:
        """Rank some columns."""
        columns = RemoteColumns(bucketer, tuple(attributes), tuple(ways), *chosen)
        totals = aggregate(evaluation, RemoteTotals(bucketer, {i: attributes[i] for i in columns.cut}))
        means = {i: _mean(totals.filter(pl.col("attribute") == i)) for i in columns.cut}
        return cls(rank_values(evaluation, columns), columns, means)

    def ranks(self, attribute: int, system: int) -> Ranks:
        """Return the ranks of a column, which each partition receives for its own values."""
        column = attribute, system
        if column not in self.known:
            self.known[column] = Ranks.of_remote(self.ranked, self.columns.ranks.index(column))
        return self.known[column]

    def deciding(self, attribute: int, known: Distinct) -> Distinct:
        """Return those values of an attribute that decide on its cuts, each with the units up to it."""
        column = len(self.columns.ranks) + self.columns.cut.index(attribute)
        sizes = self.ranked.sizes(column)
        places = self.columns.ways[attribute].places(int((sizes["n"] * sizes["groups"]).sum())) or []
        table = self.ranked.at(column, np.unique(places).astype(np.int64)) if places else pl.DataFrame()
        values = from_order(table["value"].to_numpy()) if places else np.zeros(0)
        ends = (table["start"] + table["n"]).to_numpy() if places else np.zeros(0, np.int64)
        units = np.diff(ends, prepend=0)
        return Distinct(pl.Series(values).cast(known.values.dtype), units, units, known.missing)


def _mean(totals: pl.DataFrame) -> float | None:
    """Return a mean; None where there are no units, or no sum of their numbers."""
    units = totals.filter(pl.col("limb") == ROWS)
    n, odd = int(units["total"].sum()), int(units["odd"].sum())
    sums = dict(totals.filter(pl.col("limb") != ROWS).select("limb", "total").rows())
    return total_of(sums) / n if n and not odd else None
