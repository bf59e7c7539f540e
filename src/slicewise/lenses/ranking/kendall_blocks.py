"""Numbers of rows over data in parts, and Kendall's correlation of those that have too many values to come together.

Two rows are discordant if one has the lower score and the larger value. Scores and values are cut into blocks by
their ranks, so that equal ones are in one block. Of pairs in different blocks of both, the blocks tell; pairs in one
block of scores, and pairs in one block of values, are counted where the rows are; pairs in one block of both were
counted twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_
from typing import Any, Self

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.engine.local import collect_if_small, rank_values, reduce_parts
from slicewise.engine.protocols import Ranked
from slicewise.engine.ranks import KEYS, by_group
from slicewise.evaluation import Evaluation
from slicewise.lenses.ranking.context import NumberSpec, NumberSpecs, RankingContext
from slicewise.lenses.ranking.feature_kernels import ContextKernel, NumberCounts, counted_columns
from slicewise.lenses.ranking.numbers import Number, Numbers, RemoteNumber
from slicewise.stats.kendall import Agreement, Ties, discordant
from slicewise.stats.ranks import from_order, in_order

Place = tuple[int, int]
"""A list, and the number of one of its numbers."""

BLOCKS = (16, 64)
"""Into how many blocks scores and values are cut, from so few to so many."""
IN_BLOCK = 2_000_000
"""Rows that a block has to have for blocks to be more."""


def numbers_of(
    evaluation: Evaluation, context: RankingContext, numbers: NumberSpecs, rows: Sequence[int], ranks: Ranked | None
) -> list[list[Number]]:
    """Return the numbers of every list, which has so many rows."""
    places = [(i, j) for i, of_list in enumerate(numbers) for j in range(len(of_list))]
    table, sizes = collect_if_small(evaluation, NumberCounts(context, numbers), ["list", "number"], ranks=ranks)
    remote = tuple(sorted(sizes.select("list", "number").rows()))
    counts, none = table.partition_by("list", "number", as_dict=True), table.clear()
    by_place: dict[Place, Number] = {
        (i, j): _collected_number(numbers[i][j], counts.get((i, j), none)) for i, j in places if (i, j) not in remote
    }
    if remote:
        by_place |= zip(remote, _remote_numbers(evaluation, context, numbers, remote, rows), strict=True)
    return [[by_place[i, j] for j in range(len(of_list))] for i, of_list in enumerate(numbers)]


def _collected_number(number: NumberSpec, counts: pl.DataFrame) -> Numbers:
    values, doubled, n = (counts[name].to_numpy() for name in ("value", "doubled", "n"))
    return Numbers(*number[:3], values.view(np.float64), doubled, n)


# ------------------------------------------------------------------ too many to come together


@dataclass(frozen=True)
class NumberColumns(ContextKernel):
    """Counts the values of some numbers, a column each behind those of scores, and the scores that stay remote."""

    numbers: NumberSpecs
    remote: tuple[Place, ...]
    by: tuple[str, ...] = KEYS

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        lists = [i for i, scores in enumerate(self.context.score_ranks) if scores.remote]
        columns = {i: self.context.population(part, i).oriented for i in lists}
        for k, (i, j) in enumerate(self.remote, len(self.context.specs)):
            values = self.context.numbers(part, i, self.numbers[i][j])
            columns[k] = values[~np.isnan(values)]
        return counted_columns(columns)


@dataclass(frozen=True)
class NumberBlocks(ContextKernel):
    """Counts rows by the doubled ranks of a number `x` and of scores `y`, and the blocks of both."""

    numbers: NumberSpecs
    remote: tuple[Place, ...]
    rows: tuple[tuple[int, int], ...]
    """How many rows have each of these numbers, and how many have a score."""
    blocks: int
    ranks: pl.DataFrame | None = None
    by: tuple[str, ...] = ("column", "xs", "ys", "x", "y")

    def with_ranks(self, ranks: pl.DataFrame) -> Self:
        """Return one with the ranks of a part's scores and numbers."""
        return replace(self, context=self.context.with_ranks(ranks), ranks=ranks.sort("value"))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        ranks = self.ranks
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for k, (i, j) in enumerate(self.remote if ranks is not None else ()):
            population, column = self.context.population(part, i), len(self.context.specs) + k
            values = self.context.numbers(part, i, self.numbers[i][j])
            present = ~np.isnan(values)
            column_ranks = ranks.filter(pl.col("column") == column) if ranks is not None else pl.DataFrame()
            x = column_ranks["doubled"].to_numpy()[
                np.searchsorted(column_ranks["value"].to_numpy(), in_order(values[present]))
            ]
            y = self.context.score_ranks[i].ranks(population)[present]
            xs, ys = (self.blocks * ranks // (2 * n + 2) for ranks, n in zip((x, y), self.rows[k], strict=True))
            table = pl.DataFrame({"xs": xs, "ys": ys, "x": x, "y": y}).group_by("xs", "ys", "x", "y").agg(n=pl.len())
            tables.append(table.select(pl.lit(column).alias("column"), pl.all()).cast(pl.Int64))
        return pl.concat(tables)


def _remote_numbers(
    evaluation: Evaluation,
    context: RankingContext,
    numbers: NumberSpecs,
    remote: tuple[Place, ...],
    rows: Sequence[int],
) -> Iterator[RemoteNumber]:
    """Work out where the rows are what comes of some numbers."""
    ranks = rank_values(evaluation, NumberColumns(context, numbers, remote))
    columns = [_Column.of(ranks, number) for number in range(len(context.specs), len(context.specs) + len(remote))]
    blocks = int(np.clip(max(column.rows for column in columns) // IN_BLOCK, *BLOCKS))
    of_each = tuple((column.rows, rows[i]) for column, (i, _) in zip(columns, remote, strict=True))
    kernel = NumberBlocks(context, numbers, remote, of_each, blocks)
    ties = [partial(_sizes_of, keys) for keys in (["x"], ["y"], ["x", "y"])]
    ends = [partial(_beyond, [column.end(large=large) for column in columns]) for large in (True, False)]
    inside = [partial(_within, side, blocks) for side in ("x", "y")]
    tables = reduce_parts(evaluation, kernel, _cells, *ties, *ends, *inside, ranks=ranks)
    for column, (i, j) in zip(columns, remote, strict=True):
        cells, x, y, both, large, small, *within = (t.filter(pl.col("column") == column.number) for t in tables)
        pairs = _apart(cells, blocks) + sum(int(table["pairs"].sum()) for table in within)
        y_ties, x_ties, tied = (Ties.of_groups(t["n"].to_numpy(), t["groups"].to_numpy()) for t in (y, x, both))
        agreement = Agreement(column.rows, y_ties, x_ties, tied.pairs, pairs)
        extremes = [(int(table["n"].sum()), int(table["doubled"].sum())) for table in (large, small)]
        cuts = (column.large[0], column.small[0])
        yield RemoteNumber(*numbers[i][j][:3], agreement, int(x["groups"].sum()) == 1, cuts, (extremes[0], extremes[1]))


@dataclass(frozen=True)
class _Column:
    """Where the values of a number are cut: the value, and its doubled rank."""

    number: int
    rows: int
    large: tuple[float, int]
    small: tuple[float, int]

    @classmethod
    def of(cls, ranks: Ranked, number: int) -> _Column:
        """Find where the quarters with the largest and the smallest values begin."""
        sizes = ranks.sizes(number)
        n = int((sizes["n"] * sizes["groups"]).sum())
        quarter = max(1, n // 4)
        ends = ranks.at(number, np.array([quarter - 1, n - quarter]))
        low, high = ends.row(0, named=True), ends.row(-1, named=True)
        if low["start"] and low["start"] + low["n"] == n:  # the most frequent value is no extreme
            low = ranks.at(number, np.array([low["start"] - 1])).row(0, named=True)
        if not high["start"] and high["n"] < n:
            high = ranks.at(number, np.array([high["n"]])).row(0, named=True)
        large, small = (
            (float(from_order(np.array([end["value"]]))[0]), 2 * end["start"] + end["n"] + 1) for end in (high, low)
        )
        return cls(number, n, large, small)

    def end(self, *, large: bool) -> nw.Expr:
        """Return which rows have the largest or the smallest values."""
        beyond = nw.col("x") >= self.large[1] if large else nw.col("x") <= self.small[1]
        return (nw.col("column") == self.number) & beyond


def _cells(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Count the rows in a block of both."""
    return table.group_by("column", "xs", "ys").agg(nw.col("n").sum())


def _sizes_of(keys: Sequence[str], table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return how many groups of equal rows there are of each size."""
    equal = table.group_by("column", *keys).agg(nw.col("n").sum())
    return equal.group_by("column", "n").agg(nw.len().cast(nw.Int64).alias("groups"))


def _beyond(ends: Sequence[nw.Expr], table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Count the rows at one end of each number, and sum their ranks."""
    rows = table.filter(reduce(or_, ends)).with_columns(doubled=nw.col("n") * nw.col("y"))
    return rows.group_by("column").agg(nw.col("n").sum(), nw.col("doubled").sum())


def _within(side: str, blocks: int, table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Count the discordant pairs in one block of values, or in one of scores and not of values.

    Blocks of one value, which may be large, have none.
    """
    keys = ["column", f"{side}s"]
    ends = table.group_by(*keys).agg(nw.col(side).min().alias("least"), nw.col(side).max().alias("most"))
    mixed = table.join(ends.filter(nw.col("least") < nw.col("most")), on=keys, how="inner")
    named = mixed.select("xs", "x", "y", "n", block=nw.col("column") * blocks + nw.col(f"{side}s"))
    counted = by_group(named, "block", _in_column if side == "x" else _in_row, "pairs")
    column = (nw.col("block") - nw.col("block") % blocks) // blocks
    return counted.with_columns(column=column.cast(nw.Int64))


def _in_column(rows: pl.DataFrame) -> int:
    return discordant(rows["y"].to_numpy(), rows["x"].to_numpy(), rows["n"].to_numpy())


def _in_row(rows: pl.DataFrame) -> int:
    return _in_column(rows) - sum(map(_in_column, rows.partition_by("xs")))


def _apart(cells: pl.DataFrame, blocks: int) -> int:
    """Count the discordant pairs in different blocks of both."""
    n = np.zeros((blocks, blocks), np.int64)
    n[cells["ys"].to_numpy(), cells["xs"].to_numpy()] = cells["n"].to_numpy()
    later = np.cumsum(n[::-1], axis=0)[::-1] - n  # with higher scores, in the same block of values
    smaller = np.cumsum(later, axis=1) - later
    return int((n.astype(object) * smaller).sum())
