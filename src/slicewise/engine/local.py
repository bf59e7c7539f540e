"""Map and reduce over partitions in this process; data in memory is a single partition.

A kernel maps one partition to a small table of key columns and integers. Integers are summed exactly in any order, so
the result depends neither on the partitioning nor on the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.engine.protocols import (
    FIELDS,
    TEXTS,
    DistinctKeys,
    Kernel,
    LocalKeys,
    Parts,
    PartSource,
    RankAware,
    Ranked,
    Reduction,
    Result,
    Runner,
    Steps,
    run_steps,
)
from slicewise.engine.ranks import KEYS, classes, doubled, groups, hit
from slicewise.engine.sums import sums
from slicewise.errors import UserError
from slicewise.evaluation import Evaluation

__all__ = [
    "FIELDS",
    "TEXTS",
    "Kernel",
    "PartSource",
    "Parts",
    "Runner",
    "aggregate",
    "collect_if_small",
    "collect_parts",
    "parts_of",
    "rank_values",
    "reduce_parts",
    "reduce_stepwise",
    "whole",
]

MANY_ROWS = 6_000_000
"""Rows of partial tables held before they are summed."""


def parts_of(evaluation: Evaluation) -> Parts:
    """Return the parts of an evaluation; data in memory is one part, itself."""
    if evaluation.parts is not None:
        return evaluation.parts
    return Parts(InMemory(evaluation), LocalRunner(), whole=lambda: evaluation)


def aggregate(
    evaluation: Evaluation, kernel: Kernel, keep: nw.Expr | None = None, ranks: Ranked | None = None
) -> pl.DataFrame:
    """Return a kernel's table of the whole data, one row per key, sorted by key.

    `keep` filters rows; `ranks` are for a rank-aware kernel.
    """
    parts = parts_of(evaluation)
    pieces = list(parts.runner.aggregate(parts.source, kernel, keep, ranks))
    return pieces[0] if len(pieces) == 1 else pl.concat(pieces).sort(*kernel.by)


def rank_values(evaluation: Evaluation, kernel: Kernel) -> Ranked:
    """Rank the values that a kernel counts, without collecting them."""
    parts = parts_of(evaluation)
    return parts.runner.rank_values(parts.source, kernel)


def reduce_parts(
    evaluation: Evaluation, kernel: Kernel, *reductions: Reduction, ranks: Ranked | None = None
) -> list[pl.DataFrame]:
    """Return reductions of a kernel's table that may have a row per item; on a cluster it is not collected."""
    return reduce_stepwise(evaluation, kernel, _each(reductions), ranks)


def _each(reductions: Sequence[Reduction]) -> Steps[list[pl.DataFrame]]:
    tables = []
    for reduction in reductions:
        tables.append((yield reduction))  # noqa: PERF401 (a comprehension cannot)
    return tables


def reduce_stepwise(
    evaluation: Evaluation, kernel: Kernel, steps: Steps[Result], ranks: Ranked | None = None
) -> Result:
    """Run a generator of reductions over a kernel's table; later ones may depend on the results of earlier ones."""
    parts = parts_of(evaluation)
    return parts.runner.reduce_parts(parts.source, kernel, steps, ranks)


def collect_if_small(
    evaluation: Evaluation,
    kernel: Kernel,
    group: Sequence[str],
    *,
    remote: Callable[[pl.DataFrame, int], pl.Series] | None = None,
    reduction: Reduction | None = None,
    ranks: Ranked | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of a kernel's table but those of groups that have more than may be collected, and their `rows`.

    `remote` selects the groups that are not collected, by their sizes and the limit; `reduction` is applied to the
    others. A local runner collects all rows.
    """
    limit = parts_of(evaluation).runner.max_collected
    left = reduction or (lambda rows: rows)
    steps = _collecting(group, limit, remote or (lambda sizes, most: sizes["rows"] > most), left)
    rows, staying = reduce_stepwise(evaluation, kernel, steps, ranks)
    return rows.sort(*kernel.by), staying


def _collecting(
    group: Sequence[str], limit: int | None, remote: Callable[[pl.DataFrame, int], pl.Series], reduction: Reduction
) -> Steps[tuple[pl.DataFrame, pl.DataFrame]]:
    if limit is None:
        return (yield reduction), pl.DataFrame(schema=dict.fromkeys((*group, "rows"), pl.Int64))
    sizes = yield lambda rows: rows.group_by(*group).agg(nw.len().cast(nw.Int64).alias("rows"))
    staying = sizes.filter(remote(sizes, limit)).select(*group, "rows")

    def collected(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        for keys in staying.select(group).iter_rows():
            rows = rows.filter(~reduce(and_, (nw.col(name) == key for name, key in zip(group, keys, strict=True))))
        return reduction(rows)

    return (yield collected), staying


def collect_parts(evaluation: Evaluation, kernel: Kernel) -> list[pl.DataFrame]:
    """Return a kernel's tables partition by partition; they must be small."""
    parts = parts_of(evaluation)
    return parts.runner.collect_parts(parts.source, kernel)


def whole(evaluation: Evaluation, what: str) -> Evaluation:
    """Return an evaluation in memory, for what cannot be computed from partitions."""
    read_whole = parts_of(evaluation).whole
    if read_whole is None:
        raise UserError(f"{what} needs all items in one place, which a cluster has not; leave out --engine spark")
    data: Evaluation = read_whole()
    return data


def added(tables: Sequence[pl.DataFrame], by: Sequence[str], *, ordered: bool = True) -> pl.DataFrame:
    """Sum tables with the same columns by key; `ordered`: sorted by key."""
    table = pl.concat(tables) if len(tables) > 1 else tables[0]
    numbers = [name for name in table.columns if name not in by]
    if not by:
        return table.sum()
    frame: nw.LazyFrame[Any] = nw.from_native(table.lazy())
    return sums(frame, by, {name: nw.col(name) for name in numbers}, ordered=ordered).collect().to_polars()


@dataclass(frozen=True)
class LocalRunner:
    """Runs kernels on one partition after the other in this process."""

    on_part: Callable[[int, int], None] | None = None
    """Called with the number of items done and of all."""
    at_once: int = 1
    max_collected: int | None = None

    def rank_values(self, source: PartSource, kernel: Kernel) -> LocalRanks:
        """Rank the values of all parts together."""
        return LocalRanks.of(self._few(source, kernel), kernel)

    def aggregate(
        self, source: PartSource, kernel: Kernel, keep: nw.Expr | None, ranks: Ranked | None = None
    ) -> Iterator[pl.DataFrame]:
        """Sum the tables of all partitions; of a single one, rows are filtered before keys become global."""
        informed = _with_ranks(kernel, ranks)
        if len(source) == 1 and isinstance(informed, LocalKeys):
            with _part(source, 0, kernel.needs) as part:
                table = informed.shared(part, _filtered(informed.local(part), keep))
            yield table.sort(*kernel.by) if _distinct(informed) else added([table], kernel.by)
            return
        tables = self._few(source, informed)
        if len(source) == 1 and _distinct(informed):
            yield _filtered(tables[0], keep).sort(*kernel.by)
            return
        yield _filtered(added(tables, kernel.by), keep)

    def reduce_parts(
        self, source: PartSource, kernel: Kernel, steps: Steps[Result], ranks: Ranked | None = None
    ) -> Result:
        """Run reductions over the summed tables of all partitions."""
        table = added(self._few(source, _with_ranks(kernel, ranks)), kernel.by, ordered=False).lazy()
        return run_steps(steps, lambda reduction: reduction(nw.from_native(table)).collect().to_polars())

    def _few(self, source: PartSource, kernel: Kernel) -> list[pl.DataFrame]:
        """Return the tables of all partitions, partly summed where they have many rows."""
        kept: list[pl.DataFrame] = []
        for table in self._tables(source, kernel):
            kept.append(table)
            if len(kept) > 1 and sum(rows.height for rows in kept) > MANY_ROWS + kept[0].height:
                kept = [added(kept, kernel.by, ordered=False)]
        return kept

    def collect_parts(self, source: PartSource, kernel: Kernel) -> list[pl.DataFrame]:
        """Return the tables of all parts in their order."""
        return list(self._tables(source, kernel))

    def _tables(self, source: PartSource, kernel: Kernel) -> Iterator[pl.DataFrame]:
        total, done = sum(source.items(i) for i in range(len(source))), 0
        for i in range(len(source)):
            with _part(source, i, kernel.needs) as part:
                table = kernel(part)
            del part  # before the next one is read
            yield table
            done += source.items(i)
            if self.on_part is not None:
                self.on_part(done, total)


@contextmanager
def _part(source: PartSource, i: int, needs: frozenset[str]) -> Iterator[Any]:
    """Read a part; what it remembers is forgotten afterwards, unless it is the data in memory."""
    part = source.part(i, needs)
    try:
        yield part
    finally:
        if isinstance(part, Evaluation) and not isinstance(source, InMemory):
            part.memo.clear()


def _distinct(kernel: Kernel) -> bool:
    return isinstance(kernel, DistinctKeys) and kernel.distinct


def _filtered(table: pl.DataFrame, keep: nw.Expr | None) -> pl.DataFrame:
    return table if keep is None else nw.from_native(table).filter(keep).to_native()


def _with_ranks(kernel: Kernel, ranks: Ranked | None) -> Kernel:
    """Return a rank-aware kernel with the ranks of all values."""
    if not (isinstance(ranks, LocalRanks) and isinstance(kernel, RankAware)):
        return kernel
    return kernel.with_ranks(nw.from_native(ranks.places).select(*KEYS, doubled=doubled()).to_native())


@dataclass(frozen=True, eq=False)
class LocalRanks:
    """Values of columns with their ranks, sorted."""

    places: pl.DataFrame

    @classmethod
    def of(cls, tables: Sequence[pl.DataFrame], kernel: Kernel) -> LocalRanks:
        """Rank the values that a kernel has counted."""
        counts = added(tables, kernel.by, ordered=False)
        return cls(classes(nw.from_native(counts.lazy())).collect().to_polars().sort(*KEYS))

    def sizes(self, column: int, below: int | None = None) -> pl.DataFrame:
        """Return the number of values by the number of their rows."""
        return groups(nw.from_native(self.places.lazy()), column, below).collect().to_polars()

    def at(self, column: int, places: NDArray[np.int64]) -> pl.DataFrame:
        """Return the values at some places."""
        return hit(self.places.filter(pl.col("column") == column), places).select("value", "start", "n")


@dataclass(frozen=True)
class InMemory:
    """An evaluation in memory as a source of one part, itself."""

    evaluation: Evaluation

    def __len__(self) -> int:
        return 1

    def items(self, _: int) -> int:
        """Return the number of items."""
        return self.evaluation.aligned.items

    def head(self, needs: frozenset[str]) -> Evaluation:
        """Return a part without items."""
        return self.evaluation.between(0, 0, without=frozenset({TEXTS, FIELDS}) - needs)

    def part(self, i: int, needs: frozenset[str]) -> Evaluation:  # noqa: ARG002 (all is in memory already)
        """Return the evaluation, with all that its memo holds."""
        return self.evaluation
