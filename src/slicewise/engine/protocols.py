"""Protocols: a Kernel maps one partition to a small additive table; a Runner executes it.

`Any` stands for an evaluation, whose module imports this one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

Result = TypeVar("Result")


Reduction = Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]
"""Reduces a table by expressions that run locally and on a cluster alike."""
Steps = Generator[Reduction, pl.DataFrame, Result]
"""Yields reductions one by one, receives the result of each, and returns a value computed from them."""

TEXTS, FIELDS = "texts", "fields"
"""What a part is read with besides the answers: the input texts, and all other fields of the items."""


class Kernel(Protocol):
    """Maps one partition to a table. Kernels are pickled: they hold little data and no open files."""

    @property
    def by(self) -> tuple[str, ...]:
        """The key columns; all other columns are integers, and summed."""

    @property
    def needs(self) -> frozenset[str]:
        """The optional columns that the kernel reads: `texts`, `fields`."""

    def __call__(self, part: Any, /) -> pl.DataFrame:
        """Return the table of a part; of one without items, an empty table with the same columns."""


@dataclass(frozen=True)
class FunctionKernel:
    """A function of one part as a kernel; the function is defined in a module, so that it can be pickled."""

    function: Callable[[Any], pl.DataFrame]
    by: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Any, /) -> pl.DataFrame:
        """Return the table of a part."""
        return self.function(part)


@runtime_checkable
class RankAware(Kernel, Protocol):
    """A kernel that depends on the global ranks of a partition's values."""

    def with_ranks(self, ranks: pl.DataFrame, /) -> Kernel:
        """Return the kernel with the ranks of one partition's values: `doubled`, by `column` and `value`."""


@runtime_checkable
class LocalKeys(Kernel, Protocol):
    """A kernel with partition-local keys, which are mapped to global keys before tables are summed."""

    def local(self, part: Any, /) -> pl.DataFrame:
        """Return the table of a partition under local keys."""

    def shared(self, part: Any, table: pl.DataFrame, /) -> pl.DataFrame:
        """Return rows of such a table under global keys."""


@runtime_checkable
class DistinctKeys(Kernel, Protocol):
    """A kernel whose rows of one part all have different keys, so that the table of a single part is added up."""

    @property
    def distinct(self) -> bool:
        """Whether they have."""


class PartSource(Protocol):
    """A source of partitions; it is pickled."""

    def __len__(self) -> int:
        """Return how many parts there are."""

    def items(self, i: int) -> int:
        """Return how many items a part has."""

    def head(self, needs: frozenset[str]) -> Any:
        """Return a part without items, which has the columns of any other."""

    def part(self, i: int, needs: frozenset[str]) -> Any:
        """Read a part: labels, groups and item numbers are those of the whole data."""


class Ranked(Protocol):
    """Values of high cardinality, ranked where the partitions are; each receives the ranks of its own values."""

    def sizes(self, column: int, below: int | None = None) -> pl.DataFrame:
        """Return the number of values, `groups`, by the number of their rows, `n`."""

    def at(self, column: int, places: NDArray[np.int64]) -> pl.DataFrame:
        """Return the values at some places from 0, ascending: each once as `value`, its first place `start` and `n`."""


class Runner(Protocol):
    """Executes kernels: in this process, partition by partition, or on a cluster."""

    @property
    def at_once(self) -> int:
        """The number of partitions processed in parallel."""

    @property
    def max_collected(self) -> int | None:
        """The most distinct values of a column that may be collected; None: no limit."""

    def rank_values(self, source: PartSource, kernel: Kernel) -> Ranked:
        """Rank the values that a kernel counts as `n` by `column` and `value`; it returns a row of every part."""

    def aggregate(
        self, source: PartSource, kernel: Kernel, keep: nw.Expr | None, ranks: Ranked | None = None
    ) -> Iterator[pl.DataFrame]:
        """Return the tables of all parts added up, in one or several pieces; only rows that are to be kept.

        `ranks`: those that the kernel has to know of the values of each part.
        """

    def reduce_parts(
        self, source: PartSource, kernel: Kernel, steps: Steps[Result], ranks: Ranked | None = None
    ) -> Result:
        """Run reductions over the summed tables of all partitions, which are not collected."""

    def collect_parts(self, source: PartSource, kernel: Kernel) -> list[pl.DataFrame]:
        """Return the tables of all parts in their order."""


def run_steps(steps: Steps[Result], reduce: Callable[[Reduction], pl.DataFrame]) -> Result:
    """Run the reductions that a generator yields, and return its result."""
    try:
        reduction = next(steps)
        while True:
            reduction = steps.send(reduce(reduction))
    except StopIteration as end:
        result: Result = end.value
        return result


class Scratch(Protocol):
    """A temporary folder, deleted with this object."""

    folder: Path


@dataclass(frozen=True)
class Parts:
    """Partitioned data and its runner."""

    source: PartSource
    runner: Runner
    gold_units: int | None = None
    whole: Callable[[], Any] | None = None
    """Reads all data into memory; None where that is impossible."""
    kept: Scratch | None = None
    """A cache for intermediate results; None on a cluster."""
    scattered: bool = False
    """Whether there are clusters whose items are in several parts."""

    @property
    def scratch(self) -> Path | None:
        """The folder of the cache."""
        return None if self.kept is None else self.kept.folder
