"""Numbers of rows over data in parts, and Kendall's correlation of those that have too many values to come together.

Two rows are discordant if one has the lower score and the larger value. Scores and values are cut into blocks by
their ranks, so that equal ones are in one block. Of pairs in different blocks of both, the blocks tell; pairs in one
block of scores, and pairs in one block of values, are counted where the rows are; pairs in one block of both were
counted twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Self

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.engine.gather import made_small, most_back, ranked, reduced, summed
from slicewise.engine.ranks import KEYS, by_group
from slicewise.lenses.feature_kernels import NumberCounts, Viewing, counted_columns
from slicewise.lenses.numbers import FarNumbers, Numbers
from slicewise.stats.kendall import Agreement, Ties, discordant
from slicewise.stats.ranks import from_order, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.extract.family import Kind
    from slicewise.lenses.numbers import Number
    from slicewise.lenses.part_view import View
    from slicewise.parts import Ranked, Steps

    Asked = tuple[tuple[tuple[Kind, str, str], ...], ...]
    """Of each list the kinds, namespaces and names of its numbers."""
    Array = NDArray[np.float64]
    Place = tuple[int, int]
    """A list, and the number of one of its numbers."""

BLOCKS = (16, 64)
"""Into how many blocks scores and values are cut, from so few to so many."""
IN_BLOCK = 2_000_000
"""Rows that a block has to have for blocks to be more."""


def numbers_of(
    evaluation: Evaluation, view: View, asked: Asked, rows: Sequence[int], told: Ranked | None
) -> list[list[Number]]:
    """Return the numbers of every list, which has so many rows."""
    kernel, most = NumberCounts(view, asked), most_back(evaluation)
    places = [(i, j) for i, some in enumerate(asked) for j in range(len(some))]
    if most is None:
        table = summed(evaluation, kernel)
        near = {place: _of_number(table, place) for place in places}
    else:
        near = made_small(evaluation, kernel, _brought(places, most), told)
    far = tuple(place for place in places if place not in near)
    elsewhere = dict(zip(far, _far(evaluation, view, asked, far, rows) if far else (), strict=True))
    found: list[list[Number]] = [[] for _ in asked]
    for i, j in places:
        found[i].append(_near(asked[i][j], near[i, j]) if (i, j) in near else elsewhere[i, j])
    return found


def _near(number: tuple[Kind, str, str], own: pl.DataFrame) -> Numbers:
    return Numbers(*number, own["value"].to_numpy().view(np.float64), own["doubled"].to_numpy(), own["n"].to_numpy())


def _of_number(table: pl.DataFrame, place: Place) -> pl.DataFrame:
    return table.filter((pl.col("list") == place[0]) & (pl.col("number") == place[1]))


def _brought(places: Sequence[Place], most: int) -> Steps[dict[Place, pl.DataFrame]]:
    """Bring those numbers together that do not have too many different combinations with ranks."""
    sizes, found = (yield _sizes), {}
    for place in places:
        if _of_number(sizes, place)["rows"].sum() <= most:
            found[place] = yield partial(_rows_of, place)
    return found


def _rows_of(place: Place, counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    return counts.filter((nw.col("list") == place[0]) & (nw.col("number") == place[1]))


def _sizes(counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    return counts.group_by("list", "number").agg(nw.len().alias("rows"))


# ------------------------------------------------------------------ too many to come together


@dataclass(frozen=True)
class NumberColumns(Viewing):
    """Counts the values of some numbers, a column each behind those of scores, with the scores that are far."""

    asked: Asked
    far: tuple[Place, ...]
    by: tuple[str, ...] = KEYS

    @property
    def needs(self) -> frozenset[str]:
        """What numbers are made of."""
        return self.view.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        lists = [i for i, ladder in enumerate(self.view.ladders) if ladder.far]
        columns = {i: self.view.population(part, i).oriented for i in lists}
        made = self.view.maker.made(part)
        for k, (i, j) in enumerate(self.far, len(self.view.listings)):
            values = made.values(self.view.listings[i].whose, *self.asked[i][j])
            own = values[self.view.population(part, i).kept]
            columns[k] = own[~np.isnan(own)]
        return counted_columns(columns)


@dataclass(frozen=True)
class NumberBlocks(Viewing):
    """Counts rows by the doubled ranks of a number `x` and of scores `y`, and the blocks of both."""

    asked: Asked
    far: tuple[Place, ...]
    rows: tuple[tuple[int, int], ...]
    """How many rows have each of these numbers, and how many have a score."""
    blocks: int
    ranks: pl.DataFrame | None = None
    by: tuple[str, ...] = ("column", "xs", "ys", "x", "y")

    @property
    def needs(self) -> frozenset[str]:
        """What numbers are made of."""
        return self.view.needs

    def knowing(self, ranks: pl.DataFrame) -> Self:
        """Return one that is told the ranks of a part's scores and numbers."""
        return replace(self, view=self.view.knowing(ranks), ranks=ranks.sort("value"))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        made, ranks = self.view.maker.made(part), self.ranks
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for k, (i, j) in enumerate(self.far if ranks is not None else ()):
            population, column = self.view.population(part, i), len(self.view.listings) + k
            values = made.values(self.view.listings[i].whose, *self.asked[i][j])[population.kept]
            there = ~np.isnan(values)
            own = ranks.filter(pl.col("column") == column) if ranks is not None else pl.DataFrame()
            x = own["doubled"].to_numpy()[np.searchsorted(own["value"].to_numpy(), in_order(values[there]))]
            y = self.view.ladders[i].ranks(population)[there]
            xs, ys = (self.blocks * ranks // (2 * n + 2) for ranks, n in zip((x, y), self.rows[k], strict=True))
            table = pl.DataFrame({"xs": xs, "ys": ys, "x": x, "y": y}).group_by("xs", "ys", "x", "y").agg(n=pl.len())
            tables.append(table.select(pl.lit(column).alias("column"), pl.all()).cast(pl.Int64))
        return pl.concat(tables)


def _far(
    evaluation: Evaluation, view: View, asked: Asked, far: tuple[Place, ...], rows: Sequence[int]
) -> Iterator[FarNumbers]:
    """Work out where the rows are what comes of some numbers."""
    told = ranked(evaluation, NumberColumns(view, asked, far))
    columns = [_Column.of(told, number) for number in range(len(view.listings), len(view.listings) + len(far))]
    blocks = int(np.clip(max(one.rows for one in columns) // IN_BLOCK, *BLOCKS))
    of_each = tuple((one.rows, rows[i]) for one, (i, _) in zip(columns, far, strict=True))
    kernel = NumberBlocks(view, asked, far, of_each, blocks)
    ties = [partial(_sizes_of, keys) for keys in (["x"], ["y"], ["x", "y"])]
    ends = [partial(_beyond, [one.end(large=large) for one in columns]) for large in (True, False)]
    inside = [partial(_within, side, blocks) for side in ("x", "y")]
    tables = reduced(evaluation, kernel, _cells, *ties, *ends, *inside, told=told)
    for column, (i, j) in zip(columns, far, strict=True):
        cells, x, y, both, large, small, *within = (t.filter(pl.col("column") == column.number) for t in tables)
        pairs = _apart(cells, blocks) + sum(int(found["pairs"].sum()) for found in within)
        y_ties, x_ties, tied = (Ties.of_groups(t["n"].to_numpy(), t["groups"].to_numpy()) for t in (y, x, both))
        agreement = Agreement(column.rows, y_ties, x_ties, tied.pairs, pairs)
        extremes = [(int(found["n"].sum()), int(found["doubled"].sum())) for found in (large, small)]
        cuts = (column.large[0], column.small[0])
        yield FarNumbers(*asked[i][j], agreement, int(x["groups"].sum()) == 1, cuts, (extremes[0], extremes[1]))


@dataclass(frozen=True)
class _Column:
    """Where the values of a number are cut: the value, and its doubled rank."""

    number: int
    rows: int
    large: tuple[float, int]
    small: tuple[float, int]

    @classmethod
    def of(cls, told: Ranked, number: int) -> _Column:
        """Find where the quarters with the largest and the smallest values begin."""
        sizes = told.sizes(number)
        n = int((sizes["n"] * sizes["groups"]).sum())
        quarter = max(1, n // 4)
        ends = told.at(number, np.array([quarter - 1, n - quarter]))
        low, high = ends.row(0, named=True), ends.row(-1, named=True)
        if low["start"] and low["start"] + low["n"] == n:  # the most frequent value is no extreme
            low = told.at(number, np.array([low["start"] - 1])).row(0, named=True)
        if not high["start"] and high["n"] < n:
            high = told.at(number, np.array([high["n"]])).row(0, named=True)
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
    some = table.filter(reduce(or_, ends)).with_columns(doubled=nw.col("n") * nw.col("y"))
    return some.group_by("column").agg(nw.col("n").sum(), nw.col("doubled").sum())


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
