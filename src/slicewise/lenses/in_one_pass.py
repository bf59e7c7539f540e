"""Several kernels in one pass over the parts, which are read once for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from slicewise.engine.gather import gathered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.evaluation import Evaluation
    from slicewise.parts import Kernel

KERNEL = "kernel"


def in_one_pass(evaluation: Evaluation, kernels: Sequence[Kernel]) -> list[pl.DataFrame]:
    """Return the rows of each kernel's tables, part by part; they have to be small."""
    every = pl.concat(gathered(evaluation, _Several(tuple(kernels))), how="vertical")
    found = []
    for i in range(len(kernels)):
        names = [name for name in every.columns if name.startswith(f"{i}:")]
        own = every.filter(every[KERNEL] == i).select(names)
        found.append(own.rename({name: name.removeprefix(f"{i}:") for name in names}))
    return found


@dataclass(frozen=True)
class _Several:
    """Puts the tables of several kernels below each other, each with columns of its own."""

    kernels: tuple[Kernel, ...]
    by: tuple[str, ...] = ()

    @property
    def needs(self) -> frozenset[str]:
        """What any of them needs."""
        return frozenset().union(*(one.needs for one in self.kernels))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the tables of a part."""
        tables = []
        for i, kernel in enumerate(self.kernels):
            own = kernel(part)
            named = own.rename({name: f"{i}:{name}" for name in own.columns})
            tables.append(named.with_columns(pl.lit(i, pl.Int64).alias(KERNEL)))
        return pl.concat(tables, how="diagonal")
