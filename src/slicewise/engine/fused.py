"""Several kernels in one pass over the parts, which are read once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from slicewise.engine.local import collect_parts
from slicewise.engine.protocols import Kernel
from slicewise.evaluation import Evaluation

KERNEL = "kernel"


def run_fused(evaluation: Evaluation, kernels: Sequence[Kernel]) -> list[pl.DataFrame]:
    """Return the rows of each kernel's tables, part by part; they have to be small."""
    rows = pl.concat(collect_parts(evaluation, _Fused(tuple(kernels))), how="vertical")
    tables = []
    for i in range(len(kernels)):
        names = [name for name in rows.columns if name.startswith(f"{i}:")]
        table = rows.filter(rows[KERNEL] == i).select(names)
        tables.append(table.rename({name: name.removeprefix(f"{i}:") for name in names}))
    return tables


@dataclass(frozen=True)
class _Fused:
    """Stacks the tables of several kernels, each with its own columns."""

    kernels: tuple[Kernel, ...]
    by: tuple[str, ...] = ()

    @property
    def needs(self) -> frozenset[str]:
        """The union of their needs."""
        return frozenset().union(*(kernel.needs for kernel in self.kernels))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the tables of a part."""
        tables = []
        for i, kernel in enumerate(self.kernels):
            table = kernel(part)
            named = table.rename({name: f"{i}:{name}" for name in table.columns})
            tables.append(named.with_columns(pl.lit(i, pl.Int64).alias(KERNEL)))
        return pl.concat(tables, how="diagonal")
