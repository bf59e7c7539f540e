"""Statistics of units (or items) summed by bucket and group over all parts of the data, and the sums of their ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from slicewise.engine import exact_cells, exact_sums
from slicewise.engine.cells import GOLD, PRED, TP
from slicewise.engine.gather import added, summed
from slicewise.engine.slices import from_halves, halves
from slicewise.metrics.counts import N_GOLD, N_PRED
from slicewise.metrics.counts import TP as FOUND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.counted import Ranks
    from slicewise.lenses.placed import Placed, Placer, Placing
    from slicewise.parts import Ranked

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

EVERY = -1
"""Stands for the system where all share the buckets."""
RANKED = -1
"""Stands for the bucket where ranks are summed over all of them."""


@dataclass(frozen=True, eq=False)
class Summed:
    """What is in the buckets of an attribute."""

    cells: NDArray[np.floating[Any]]
    """`(groups, systems, buckets, k)`."""
    counts: Array
    """How many units each system has in each bucket, `(systems, buckets)`, where they are the items."""
    ranks: Array | None
    """n, Σx, Σx² and, per system, Σy, Σy², Σxy of each group: whole numbers, so that no order matters."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Buckets that units are summed in, and the ranks that are summed beside them."""

    placing: Placing
    ranks: tuple[Ranks, ...] | None = None

    def knowing(self, ranks: pl.DataFrame) -> Wanted:
        """Return one that is told the ranks of a part's values."""
        return self if self.ranks is None else replace(self, ranks=tuple(one.knowing(ranks) for one in self.ranks))


def slot_sums(
    evaluation: Evaluation, placer: Placer, wanted: Sequence[Wanted], told: Ranked | None = None
) -> list[Summed]:
    """Sum the statistics of all units in all buckets: of parts in one go, of data in memory one after the other."""
    if evaluation.parts is None and len(wanted) > 1:
        return [found for one in wanted for found in slot_sums(evaluation, placer, [one])]
    kernel = (_ItemSums if placer.metric is not None else _UnitSums)(placer, tuple(wanted))
    tables = summed(evaluation, kernel, told=told).partition_by("placing", as_dict=True)
    nothing = kernel.empty(len(evaluation.systems))
    return [kernel.read(evaluation, tables.get((p,), nothing), one) for p, one in enumerate(wanted)]


@dataclass(frozen=True, eq=False)
class _UnitSums:
    """Counts units by bucket and group, and sums the ranks of those that are gold."""

    placer: Placer
    wanted: tuple[Wanted, ...]
    by: tuple[str, ...] = ("placing", "system", "slot", "group")

    def knowing(self, ranks: pl.DataFrame) -> Self:
        """Return one that is told the ranks of a part's values."""
        return replace(self, wanted=tuple(one.knowing(ranks) for one in self.wanted))

    @property
    def needs(self) -> frozenset[str]:
        """What the attributes are worked out from."""
        return self.placer.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        placed = self.placer(part)
        tables = [self.empty(len(part.systems))]
        for p, one in enumerate(self.wanted):
            attribute, every = one.placing.attributes[0], placed.slots(one.placing)
            holders = placed.holders(attribute)
            for i, slots in enumerate(every):
                system = EVERY if len(every) == 1 else i
                only = None if len(every) == 1 else i
                tables.append(_keyed(holders.counts(slots, one.placing.size, only), p, system))
            if one.ranks is not None:
                coded = placed.coded(attribute)[0]
                ranks = holders.rank_sums(coded.codes, one.ranks[0].of_values(coded.values))
                tables.append(_keyed(ranks, p, EVERY))
        return pl.concat(tables, how="diagonal").fill_null(0)

    def empty(self, systems: int) -> pl.DataFrame:
        """Return a table without rows."""
        columns = [GOLD, "x", "xx:0", "xx:1"]
        columns += [name.format(i) for i in range(systems) for name in (PRED, TP, "xy{}")]
        return pl.DataFrame(schema=dict.fromkeys((*self.by, *columns), pl.Int64))

    def read(self, evaluation: Evaluation, table: pl.DataFrame, wanted: Wanted) -> Summed:
        """Return the sums as arrays."""
        groups, systems, size = evaluation.aligned.clusters.groups, len(evaluation.systems), wanted.placing.size
        cells = np.zeros((groups, systems, size, 3), np.float32)
        for (system,), rows in table.filter(pl.col("slot") != RANKED).group_by("system"):
            group, slot = rows["group"].to_numpy(), rows["slot"].to_numpy()
            for i in range(systems) if system == EVERY else (system,):
                for place, name in ((FOUND, TP.format(i)), (N_PRED, PRED.format(i)), (N_GOLD, GOLD)):
                    cells[group, i, slot, place] = rows[name].to_numpy()
        return Summed(cells, np.zeros((systems, size)), self._ranks(table, groups, systems) if wanted.ranks else None)

    def _ranks(self, table: pl.DataFrame, groups: int, systems: int) -> Array:
        rows = table.filter(pl.col("slot") == RANKED)
        found = np.zeros((groups, 3 + 3 * systems))
        columns: list[Any] = [rows[GOLD], rows["x"], from_halves(rows, "xx")]
        for i in range(systems):
            columns += [rows[TP.format(i)], rows[TP.format(i)], rows[f"xy{i}"]]  # found or not is its own square
        found[rows["group"].to_numpy()] = np.column_stack(columns)
        return found


@dataclass(frozen=True, eq=False)
class _ItemSums:
    """Sums items' statistics by bucket and group, and the ranks of their values and scores."""

    placer: Placer
    wanted: tuple[Wanted, ...]
    by: tuple[str, ...] = ("placing", "system", "slot", "group", "limb")

    def knowing(self, ranks: pl.DataFrame) -> Self:
        """Return one that is told the ranks of a part's values."""
        return replace(self, wanted=tuple(one.knowing(ranks) for one in self.wanted))

    @property
    def needs(self) -> frozenset[str]:
        """What the attributes and the metric are worked out from."""
        return self.placer.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        placed = self.placer(part)
        tables = [self.empty(len(part.systems))]
        for p, one in enumerate(self.wanted):
            every = placed.slots(one.placing)
            for i, slots in enumerate(every):
                own = placed.statistics if len(every) == 1 else _of_system(placed.statistics, i)
                table = _item_sums(part, own, slots, one.placing.size)
                tables.append(_keyed(table, p, EVERY if len(every) == 1 else i))
            if one.ranks is not None:
                tables.append(_keyed(_item_ranks(placed, one), p, EVERY))
        return pl.concat(tables, how="diagonal").fill_null(0)

    def empty(self, systems: int) -> pl.DataFrame:
        """Return a table without rows; how many statistics a metric has is not known here."""
        columns = ["n", "x", "xx:0", "xx:1"]
        columns += [name.format(i) for i in range(systems) for name in ("y{}", "yy{}:0", "yy{}:1", "xy{}:0", "xy{}:1")]
        return pl.DataFrame(schema=dict.fromkeys((*self.by, *columns), pl.Int64))

    def read(self, evaluation: Evaluation, table: pl.DataFrame, wanted: Wanted) -> Summed:
        """Return the sums as arrays."""
        groups, systems, size = evaluation.aligned.clusters.groups, len(evaluation.systems), wanted.placing.size
        rows = table.filter(pl.col("slot") != RANKED)
        names = [name for name in table.columns if name[0].isdigit()]
        key = (pl.col("group") * size + pl.col("slot")).alias("group")
        cells = exact_cells(
            added([rows.select(key, "limb", *names)], ("group", "limb")), groups * size, systems
        ).reshape(groups, size, systems, -1)
        counts = np.zeros((systems, size))
        for (system,), own in rows.group_by("system"):
            n = np.bincount(own["slot"].to_numpy(), own["n"].to_numpy(), minlength=size)
            counts[slice(None) if system == EVERY else system] = n
        ranks = self._ranks(table, groups, systems) if wanted.ranks else None
        return Summed(np.ascontiguousarray(cells.transpose(0, 2, 1, 3)), counts, ranks)

    def _ranks(self, table: pl.DataFrame, groups: int, systems: int) -> Array:
        rows = table.filter(pl.col("slot") == RANKED)
        found = np.zeros((groups, 3 + 3 * systems))
        columns: list[Any] = [rows["n"], rows["x"], from_halves(rows, "xx")]
        for i in range(systems):
            columns += [rows[f"y{i}"], from_halves(rows, f"yy{i}"), from_halves(rows, f"xy{i}")]
        found[rows["group"].to_numpy()] = np.column_stack(columns)
        return found


def _keyed(table: pl.DataFrame, placing: int, system: int) -> pl.DataFrame:
    return table.with_columns(pl.lit(placing, pl.Int64).alias("placing"), pl.lit(system, pl.Int64).alias("system"))


def _of_system(statistics: dict[str, Array], system: int) -> dict[str, Array]:
    return {name: column for name, column in statistics.items() if name.startswith(f"{system}:")}


def _item_sums(part: Evaluation, statistics: dict[str, Array], slots: Ints, size: int) -> pl.DataFrame:
    """Sum items' statistics by group and slot, and count the items."""
    key = part.aligned.clusters.group.astype(np.int64) * size + slots
    every = {"n": np.ones(len(key))} | statistics
    place = pl.col("group")
    return exact_sums(every, key.astype(np.uint32)).with_columns(group=place // size, slot=place % size)


def _item_ranks(placed: Placed, wanted: Wanted) -> pl.DataFrame:
    """Sum by group the ranks of items that have a value and scores, their squares and their products."""
    coded = placed.coded(wanted.placing.attributes[0])[0]
    some = np.flatnonzero(coded.there() & placed.scores[0].there())
    group = placed.part.aligned.clusters.group.astype(np.int64)[some]
    of_values, *of_scores = wanted.ranks or ()
    x = of_values.of_values(coded.values)[coded.codes[some]]
    sums = _sums({"n": np.ones(len(some), np.int64), "x": x, **halves("xx", x * x)}, group)
    for j, (scores, ranks) in enumerate(zip(placed.scores, of_scores, strict=True)):
        y = ranks.of_values(scores.values)[scores.codes[some]]
        sums |= _sums({f"y{j}": y, **halves(f"yy{j}", y * y), **halves(f"xy{j}", x * y)}, group)
    there = np.flatnonzero(sums["n"])
    table = pl.DataFrame({name: column[there] for name, column in sums.items()})
    return table.with_columns(pl.Series("group", there), slot=pl.lit(RANKED, pl.Int64), limb=pl.lit(0, pl.Int64))


def _sums(columns: dict[str, Ints], group: Ints) -> dict[str, Ints]:
    return {name: np.rint(np.bincount(group, column)).astype(np.int64) for name, column in columns.items()}
