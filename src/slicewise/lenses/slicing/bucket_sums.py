"""Statistics of units (or items) summed by bucket and group over all parts of the data, and the sums of their ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.engine.cells import exact_cells, exact_sums
from slicewise.engine.local import added, aggregate
from slicewise.engine.protocols import Ranked
from slicewise.engine.slices import from_halves, halves
from slicewise.engine.sums import GOLD, PRED, TP
from slicewise.evaluation import Evaluation
from slicewise.lenses.slicing.bucketed import BucketedUnits, Bucketer, BucketKernel, BucketScheme
from slicewise.lenses.slicing.counted_values import Ranks
from slicewise.metrics.counts import N_GOLD, N_PRED
from slicewise.metrics.counts import TP as FOUND

MAX_CELLS = 1 << 20
"""Cells (bucket, group and system) that are summed in one pass."""
EVERY = -1
"""Stands for the system where all share the buckets."""
RANKED = -1
"""Stands for the bucket where ranks are summed over all of them."""


@dataclass(frozen=True, eq=False)
class BucketSums:
    """What is in the buckets of an attribute."""

    cells: NDArray[np.floating[Any]]
    """`(groups, systems, buckets, k)`."""
    counts: Array
    """How many units each system has in each bucket, `(systems, buckets)`, where they are the items."""
    ranks: Array | None
    """n, Σx, Σx² and, per system, Σy, Σy², Σxy of each group: whole numbers, so that no order matters."""


@dataclass(frozen=True, eq=False)
class SumSpec:
    """Buckets that units are summed in, and the ranks that are summed beside them."""

    scheme: BucketScheme
    ranks: tuple[Ranks, ...] | None = None

    def with_ranks(self, ranks: pl.DataFrame) -> SumSpec:
        """Return one with the ranks of a part's values."""
        return (
            self if self.ranks is None else replace(self, ranks=tuple(known.with_ranks(ranks) for known in self.ranks))
        )


def bucket_sums(
    evaluation: Evaluation, bucketer: Bucketer, specs: Sequence[SumSpec], ranks: Ranked | None = None
) -> list[BucketSums]:
    """Sum the statistics of all units in all buckets, of as many attributes in one pass as fit into memory."""
    kind = _ItemSums if bucketer.metric is not None else _UnitSums
    sums: list[BucketSums] = []
    for batch in _batches(specs, evaluation.aligned.clusters.groups * len(evaluation.systems)):
        kernel = kind(bucketer, batch)
        tables = aggregate(evaluation, kernel, ranks=ranks).partition_by("scheme", as_dict=True)
        nothing = kernel.empty(len(evaluation.systems))
        sums += [kernel.read(evaluation, tables.get((p,), nothing), spec) for p, spec in enumerate(batch)]
    return sums


def _batches(specs: Sequence[SumSpec], width: int) -> Iterator[tuple[SumSpec, ...]]:
    """Yield as many at a time as have no more cells together than fit, each of so many per bucket."""
    batch: list[SumSpec] = []
    for spec in specs:
        if batch and width * sum(other.scheme.size for other in (*batch, spec)) > MAX_CELLS:
            yield tuple(batch)
            batch = []
        batch.append(spec)
    yield tuple(batch)


@dataclass(frozen=True, eq=False)
class _SumKernel(BucketKernel):
    """Sums by bucket and group."""

    specs: tuple[SumSpec, ...]

    def with_ranks(self, ranks: pl.DataFrame) -> Self:
        """Return one with the ranks of a part's values."""
        return replace(self, specs=tuple(spec.with_ranks(ranks) for spec in self.specs))


@dataclass(frozen=True, eq=False)
class _UnitSums(_SumKernel):
    """Counts units by bucket and group, and sums the ranks of those that are gold."""

    by: tuple[str, ...] = ("scheme", "system", "slot", "group")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        bucketed = self.bucketer(part)
        tables = [self.empty(len(part.systems))]
        for p, spec in enumerate(self.specs):
            attribute, slots_by_system = spec.scheme.attributes[0], bucketed.slots(spec.scheme)
            holders = bucketed.holders(attribute)
            for i, slots in enumerate(slots_by_system):
                system = EVERY if len(slots_by_system) == 1 else i
                only = None if len(slots_by_system) == 1 else i
                tables.append(_keyed(holders.counts(slots, spec.scheme.size, only), p, system))
            if spec.ranks is not None:
                coded = bucketed.coded(attribute)[0]
                ranks = holders.rank_sums(coded.codes, spec.ranks[0].of_values(coded.values))
                tables.append(_keyed(ranks, p, EVERY))
        return pl.concat(tables, how="diagonal").fill_null(0)

    def empty(self, systems: int) -> pl.DataFrame:
        """Return a table without rows."""
        columns = [GOLD, "x", "xx:0", "xx:1"]
        columns += [name.format(i) for i in range(systems) for name in (PRED, TP, "xy{}")]
        return pl.DataFrame(schema=dict.fromkeys((*self.by, *columns), pl.Int64))

    def read(self, evaluation: Evaluation, table: pl.DataFrame, spec: SumSpec) -> BucketSums:
        """Return the sums as arrays."""
        groups, systems, size = evaluation.aligned.clusters.groups, len(evaluation.systems), spec.scheme.size
        cells = np.zeros((groups, systems, size, 3), np.float32)
        for (system,), rows in table.filter(pl.col("slot") != RANKED).group_by("system"):
            group, slot = rows["group"].to_numpy(), rows["slot"].to_numpy()
            for i in range(systems) if system == EVERY else (system,):
                for place, name in ((FOUND, TP.format(i)), (N_PRED, PRED.format(i)), (N_GOLD, GOLD)):
                    cells[group, i, slot, place] = rows[name].to_numpy()
        return BucketSums(cells, np.zeros((systems, size)), self._ranks(table, groups, systems) if spec.ranks else None)

    def _ranks(self, table: pl.DataFrame, groups: int, systems: int) -> Array:
        rows = table.filter(pl.col("slot") == RANKED)
        sums = np.zeros((groups, 3 + 3 * systems))
        columns: list[Any] = [rows[GOLD], rows["x"], from_halves(rows, "xx")]
        for i in range(systems):
            columns += [rows[TP.format(i)], rows[TP.format(i)], rows[f"xy{i}"]]  # found or not is its own square
        sums[rows["group"].to_numpy()] = np.column_stack(columns)
        return sums


@dataclass(frozen=True, eq=False)
class _ItemSums(_SumKernel):
    """Sums items' statistics by bucket and group, and the ranks of their values and scores."""

    by: tuple[str, ...] = ("scheme", "system", "slot", "group", "limb")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        bucketed = self.bucketer(part)
        tables = [self.empty(len(part.systems))]
        for p, spec in enumerate(self.specs):
            slots_by_system = bucketed.slots(spec.scheme)
            for i, slots in enumerate(slots_by_system):
                statistics = bucketed.statistics if len(slots_by_system) == 1 else _of_system(bucketed.statistics, i)
                table = _item_sums(part, statistics, slots, spec.scheme.size)
                tables.append(_keyed(table, p, EVERY if len(slots_by_system) == 1 else i))
            if spec.ranks is not None:
                tables.append(_keyed(_item_ranks(bucketed, spec), p, EVERY))
        return pl.concat(tables, how="diagonal").fill_null(0)

    def empty(self, systems: int) -> pl.DataFrame:
        """Return a table without rows; how many statistics a metric has is not known here."""
        columns = ["n", "x", "xx:0", "xx:1"]
        columns += [name.format(i) for i in range(systems) for name in ("y{}", "yy{}:0", "yy{}:1", "xy{}:0", "xy{}:1")]
        return pl.DataFrame(schema=dict.fromkeys((*self.by, *columns), pl.Int64))

    def read(self, evaluation: Evaluation, table: pl.DataFrame, spec: SumSpec) -> BucketSums:
        """Return the sums as arrays."""
        groups, systems, size = evaluation.aligned.clusters.groups, len(evaluation.systems), spec.scheme.size
        rows = table.filter(pl.col("slot") != RANKED)
        names = [name for name in table.columns if name[0].isdigit()]
        key = (pl.col("group") * size + pl.col("slot")).alias("group")
        cells = exact_cells(
            added([rows.select(key, "limb", *names)], ("group", "limb")), groups * size, systems
        ).reshape(groups, size, systems, -1)
        counts = np.zeros((systems, size))
        for (system,), counted_rows in rows.group_by("system"):
            n = np.bincount(counted_rows["slot"].to_numpy(), counted_rows["n"].to_numpy(), minlength=size)
            counts[slice(None) if system == EVERY else system] = n
        ranks = self._ranks(table, groups, systems) if spec.ranks else None
        return BucketSums(np.ascontiguousarray(cells.transpose(0, 2, 1, 3)), counts, ranks)

    def _ranks(self, table: pl.DataFrame, groups: int, systems: int) -> Array:
        rows = table.filter(pl.col("slot") == RANKED)
        sums = np.zeros((groups, 3 + 3 * systems))
        columns: list[Any] = [rows["n"], rows["x"], from_halves(rows, "xx")]
        for i in range(systems):
            columns += [rows[f"y{i}"], from_halves(rows, f"yy{i}"), from_halves(rows, f"xy{i}")]
        sums[rows["group"].to_numpy()] = np.column_stack(columns)
        return sums


def _keyed(table: pl.DataFrame, scheme: int, system: int) -> pl.DataFrame:
    return table.with_columns(pl.lit(scheme, pl.Int64).alias("scheme"), pl.lit(system, pl.Int64).alias("system"))


def _of_system(statistics: dict[str, Array], system: int) -> dict[str, Array]:
    return {name: column for name, column in statistics.items() if name.startswith(f"{system}:")}


def _item_sums(part: Evaluation, statistics: dict[str, Array], slots: Ints, size: int) -> pl.DataFrame:
    """Sum items' statistics by group and slot, and count the items."""
    key = part.aligned.clusters.group.astype(np.int64) * size + slots
    columns = {"n": np.ones(len(key))} | statistics
    place = pl.col("group")
    return exact_sums(columns, key.astype(np.uint32)).with_columns(group=place // size, slot=place % size)


def _item_ranks(bucketed: BucketedUnits, spec: SumSpec) -> pl.DataFrame:
    """Sum by group the ranks of items that have a value and scores, their squares and their products."""
    coded = bucketed.coded(spec.scheme.attributes[0])[0]
    rows = np.flatnonzero(coded.present() & bucketed.scores[0].present())
    group = bucketed.part.aligned.clusters.group.astype(np.int64)[rows]
    of_values, *of_scores = spec.ranks or ()
    x = of_values.of_values(coded.values)[coded.codes[rows]]
    sums = _sums({"n": np.ones(len(rows), np.int64), "x": x, **halves("xx", x * x)}, group)
    for j, (scores, ranks) in enumerate(zip(bucketed.scores, of_scores, strict=True)):
        y = ranks.of_values(scores.values)[scores.codes[rows]]
        sums |= _sums({f"y{j}": y, **halves(f"yy{j}", y * y), **halves(f"xy{j}", x * y)}, group)
    groups = np.flatnonzero(sums["n"])
    table = pl.DataFrame({name: column[groups] for name, column in sums.items()})
    return table.with_columns(pl.Series("group", groups), slot=pl.lit(RANKED, pl.Int64), limb=pl.lit(0, pl.Int64))


def _sums(columns: dict[str, Ints], group: Ints) -> dict[str, Ints]:
    return {name: np.rint(np.bincount(group, column)).astype(np.int64) for name, column in columns.items()}
