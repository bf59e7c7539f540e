"""Statistics of units (or items) summed by bucket and group over all parts of the data, and the sums of their ranks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.attributes import Attribute
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
"""The system code where all systems share the buckets."""
RANKED = -1
"""The bucket code of rank sums over all buckets."""


@dataclass(frozen=True, eq=False)
class BucketSums:
    """The summed statistics of an attribute's buckets."""

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
        """Return the specification with the ranks of a partition's values."""
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
    """Yield batches of at most `MAX_CELLS` cells, `width` per bucket."""
    batch: list[SumSpec] = []
    for spec in specs:
        if batch and width * sum(other.scheme.size for other in (*batch, spec)) > MAX_CELLS:
            yield tuple(batch)
            batch = []
        batch.append(spec)
    yield tuple(batch)


@dataclass(frozen=True, eq=False)
class _SumKernel(BucketKernel, ABC):
    """Sums by bucket and group."""

    specs: tuple[SumSpec, ...]
    by: tuple[str, ...] = ("scheme", "system", "slot", "group")
    distinct: bool = True
    n: ClassVar[str]
    """The column that counts units."""
    system_columns: ClassVar[tuple[str, ...]]
    """Templates of the columns that each system has."""

    def with_ranks(self, ranks: pl.DataFrame) -> Self:
        """Return a kernel with the ranks of a part's values."""
        return replace(self, specs=tuple(spec.with_ranks(ranks) for spec in self.specs))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        bucketed = self.bucketer(part)
        tables = [self.empty(len(part.systems))]
        for p, spec in enumerate(self.specs):
            slots_by_system = bucketed.slots(spec.scheme)
            for i, slots in enumerate(slots_by_system):
                only = None if len(slots_by_system) == 1 else i
                table = self.sums(bucketed, spec.scheme, slots, only)
                tables.append(_keyed(table, p, EVERY if only is None else only))
            if spec.ranks is not None:
                tables.append(_keyed(self.rank_sums(bucketed, spec.scheme.attributes[0], spec.ranks), p, EVERY))
        return pl.concat(tables, how="diagonal").fill_null(0)

    def empty(self, systems: int) -> pl.DataFrame:
        """Return a table without rows; a scored metric adds a column per statistic."""
        columns = [self.n, "x", "xx:0", "xx:1"]
        columns += [name.format(i) for i in range(systems) for name in self.system_columns]
        return pl.DataFrame(schema=dict.fromkeys((*self.by, *columns), pl.Int64))

    @abstractmethod
    def sums(self, bucketed: BucketedUnits, scheme: BucketScheme, slots: Ints, only: int | None) -> pl.DataFrame:
        """Return sums by group and slot, of one system or of all."""

    @abstractmethod
    def rank_sums(self, bucketed: BucketedUnits, attribute: Attribute, ranks: tuple[Ranks, ...]) -> pl.DataFrame:
        """Return sums of ranks by group."""

    @abstractmethod
    def system_ranks(self, rows: pl.DataFrame, system: int) -> list[Any]:
        """Return Σy, Σy² and Σxy of a system, by group."""

    def ranks(self, table: pl.DataFrame, groups: int, systems: int) -> Array:
        """Return the sums of ranks as an array; see `BucketSums.ranks`."""
        rows = table.filter(pl.col("slot") == RANKED)
        sums = np.zeros((groups, 3 + 3 * systems))
        columns: list[Any] = [rows[self.n], rows["x"], from_halves(rows, "xx")]
        for i in range(systems):
            columns += self.system_ranks(rows, i)
        sums[rows["group"].to_numpy()] = np.column_stack(columns)
        return sums


@dataclass(frozen=True, eq=False)
class _UnitSums(_SumKernel):
    """Counts units by bucket and group, and sums the ranks of those that are gold."""

    n = GOLD
    system_columns = (PRED, TP, "xy{}")

    def sums(self, bucketed: BucketedUnits, scheme: BucketScheme, slots: Ints, only: int | None) -> pl.DataFrame:
        """Count units."""
        return bucketed.holders(scheme.attributes[0]).counts(slots, scheme.size, only)

    def rank_sums(self, bucketed: BucketedUnits, attribute: Attribute, ranks: tuple[Ranks, ...]) -> pl.DataFrame:
        """Sum the ranks of gold units."""
        coded = bucketed.coded(attribute)[0]
        return bucketed.holders(attribute).rank_sums(coded.codes, ranks[0].of_values(coded.values))

    def system_ranks(self, rows: pl.DataFrame, system: int) -> list[Any]:
        """Return the sums where y is 1 for a unit that was found, which is its own square."""
        return [rows[TP.format(system)], rows[TP.format(system)], rows[f"xy{system}"]]

    def read(self, evaluation: Evaluation, table: pl.DataFrame, spec: SumSpec) -> BucketSums:
        """Return the sums as arrays."""
        groups, systems, size = evaluation.aligned.clusters.groups, len(evaluation.systems), spec.scheme.size
        cells = np.zeros((groups, systems, size, 3), np.float32)
        for (system,), rows in table.filter(pl.col("slot") != RANKED).group_by("system"):
            group, slot = rows["group"].to_numpy(), rows["slot"].to_numpy()
            for i in range(systems) if system == EVERY else (system,):
                for place, name in ((FOUND, TP.format(i)), (N_PRED, PRED.format(i)), (N_GOLD, GOLD)):
                    cells[group, i, slot, place] = rows[name].to_numpy()
        return BucketSums(cells, np.zeros((systems, size)), self.ranks(table, groups, systems) if spec.ranks else None)


@dataclass(frozen=True, eq=False)
class _ItemSums(_SumKernel):
    """Sums items' statistics by bucket and group, and the ranks of their values and scores."""

    by: tuple[str, ...] = ("scheme", "system", "slot", "group", "limb")
    n = "n"
    system_columns = ("y{}", "yy{}:0", "yy{}:1", "xy{}:0", "xy{}:1")

    def sums(self, bucketed: BucketedUnits, scheme: BucketScheme, slots: Ints, only: int | None) -> pl.DataFrame:
        """Sum the statistics, and count the items."""
        statistics = bucketed.statistics
        if only is not None:
            statistics = {name: column for name, column in statistics.items() if name.startswith(f"{only}:")}
        key = bucketed.part.aligned.clusters.group.astype(np.int64) * scheme.size + slots
        table = exact_sums({"n": np.ones(len(key))} | statistics, key.astype(np.uint32))
        return table.with_columns(group=pl.col("group") // scheme.size, slot=pl.col("group") % scheme.size)

    def rank_sums(self, bucketed: BucketedUnits, attribute: Attribute, ranks: tuple[Ranks, ...]) -> pl.DataFrame:
        """Sum the ranks of items that have a value and scores, their squares and their products."""
        coded = bucketed.coded(attribute)[0]
        rows = np.flatnonzero(coded.present() & bucketed.scores[0].present())
        group = bucketed.part.aligned.clusters.group.astype(np.int64)[rows]
        value_ranks, *score_ranks = ranks
        x = value_ranks.of_values(coded.values)[coded.codes[rows]]
        sums = _sums({"n": np.ones(len(rows), np.int64), "x": x, **halves("xx", x * x)}, group)
        for j, (scores, of_scores) in enumerate(zip(bucketed.scores, score_ranks, strict=True)):
            y = of_scores.of_values(scores.values)[scores.codes[rows]]
            sums |= _sums({f"y{j}": y, **halves(f"yy{j}", y * y), **halves(f"xy{j}", x * y)}, group)
        groups = np.flatnonzero(sums["n"])
        table = pl.DataFrame({name: column[groups] for name, column in sums.items()})
        return table.with_columns(pl.Series("group", groups), slot=pl.lit(RANKED, pl.Int64), limb=pl.lit(0, pl.Int64))

    def system_ranks(self, rows: pl.DataFrame, system: int) -> list[Any]:
        """Return the sums where y is the rank of a score."""
        return [rows[f"y{system}"], from_halves(rows, f"yy{system}"), from_halves(rows, f"xy{system}")]

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
        ranks = self.ranks(table, groups, systems) if spec.ranks else None
        return BucketSums(np.ascontiguousarray(cells.transpose(0, 2, 1, 3)), counts, ranks)


def _keyed(table: pl.DataFrame, scheme: int, system: int) -> pl.DataFrame:
    return table.with_columns(pl.lit(scheme, pl.Int64).alias("scheme"), pl.lit(system, pl.Int64).alias("system"))


def _sums(columns: dict[str, Ints], group: Ints) -> dict[str, Ints]:
    return {name: np.rint(np.bincount(group, column)).astype(np.int64) for name, column in columns.items()}
