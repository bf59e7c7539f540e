"""What data in parts is: kernels that look at one part, where parts come from, and where they are worked on.

`Any` stands for an evaluation, which this is a part of.
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
"""What makes a table small; wherever that is, the same expressions do it."""
Steps = Generator[Reduction, pl.DataFrame, Result]
"""Asks for one reduction after the other, is given what each leaves, and returns what comes of it."""

TEXTS, FIELDS = "texts", "fields"
"""What a part is read with besides the answers: the input texts, and all other fields of the items."""


class Kernel(Protocol):
    """What is worked out of one part. Kernels travel to other processes: they hold little, and nothing that is open."""

    @property
    def by(self) -> tuple[str, ...]:
        """The key columns; all others are whole numbers, and added."""

    @property
    def needs(self) -> frozenset[str]:
        """What the part is read with: `texts`, `fields`."""

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
    """A kernel that has to know the ranks of a part's values among those of all parts."""

    def with_ranks(self, ranks: pl.DataFrame, /) -> Kernel:
        """Return a kernel that knows the ranks of one part's values: by `column` and `value`, `doubled`."""


@runtime_checkable
class LocalKeys(Kernel, Protocol):
    """A kernel that counts under keys of its part; rows get keys that all parts share when tables are added."""

    def local(self, part: Any, /) -> pl.DataFrame:
        """Return the table of a part under its own keys."""

    def shared(self, part: Any, table: pl.DataFrame, /) -> pl.DataFrame:
        """Return rows of such a table under the keys that all parts share."""


class PartSource(Protocol):
    """Where parts come from; travels to other processes."""

    def __len__(self) -> int:
        """Return how many parts there are."""

    def items(self, i: int) -> int:
        """Return how many items a part has."""

    def head(self, needs: frozenset[str]) -> Any:
        """Return a part without items, which has the columns of any other."""

    def part(self, i: int, needs: frozenset[str]) -> Any:
        """Read a part: labels, groups and item numbers are those of the whole data."""


class Ranked(Protocol):
    """Values that may all be different, ranked where the parts are: a part can be told the ranks of its own."""

    def sizes(self, column: int) -> pl.DataFrame:
        """Return how many values, `groups`, so many rows have, `n`."""

    def at(self, column: int, places: NDArray[np.int64]) -> pl.DataFrame:
        """Return the values at some places from 0, ascending: each once as `value`, its first place `start` and `n`."""


class Runner(Protocol):
    """Where kernels run: here, part by part, or on a cluster."""

    @property
    def at_once(self) -> int:
        """How many parts are worked on at the same time."""

    @property
    def max_collected(self) -> int | None:
        """How many different values of a column may come back; None: any number."""

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
        """Return what comes of reductions of the tables of all parts, added up, which stay where they are."""

    def collect_parts(self, source: PartSource, kernel: Kernel) -> list[pl.DataFrame]:
        """Return the tables of all parts in their order."""


def run_steps(steps: Steps[Result], reduce: Callable[[Reduction], pl.DataFrame]) -> Result:
    """Give steps what they ask for, and return what comes of it."""
    try:
        reduction = next(steps)
        while True:
            reduction = steps.send(reduce(reduction))
    except StopIteration as end:
        result: Result = end.value
        return result


class Scratch(Protocol):
    """A folder that goes when this does."""

    folder: Path


@dataclass(frozen=True)
class Parts:
    """Data that is kept in parts, and where they are worked on."""

    source: PartSource
    runner: Runner
    gold_units: int | None = None
    whole: Callable[[], Any] | None = None
    """Reads all of it into memory; None where that cannot be."""
    kept: Scratch | None = None
    """Where what is worked out of parts and wanted again is kept; None where parts are worked on elsewhere."""
    scattered: bool = False
    """Whether there are clusters whose items are in several parts."""

    @property
    def scratch(self) -> Path | None:
        """The folder of what is kept."""
        return None if self.kept is None else self.kept.folder
