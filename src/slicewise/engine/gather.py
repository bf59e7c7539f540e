"""Tables worked out of parts of the data and put together: the same sums from one part, from many, and by a cluster.

A kernel looks at the rows of one part and returns a small table: its key columns and whole numbers. Whole numbers are
added exactly in any order, so that the parts, and where they are worked on, make no difference. Of data that is in
memory as a whole there is one part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from slicewise.engine.cells import sums
from slicewise.engine.ranks import KEYS, classes, doubled, groups, hit
from slicewise.errors import UserError
from slicewise.parts import FIELDS, TEXTS, Kernel, Knowing, Parts, PartSource, Result, Runner, stepped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.parts import Ranked, Reduction, Steps

__all__ = [
    "FIELDS",
    "TEXTS",
    "Kernel",
    "PartSource",
    "Parts",
    "Runner",
    "gathered",
    "in_parts",
    "made_small",
    "most_back",
    "ranked",
    "reduced",
    "summed",
    "whole",
]

MANY_ROWS = 6_000_000
"""So many rows of parts are kept before they are added up."""


def summed(
    evaluation: Evaluation, kernel: Kernel, keep: nw.Expr | None = None, told: Ranked | None = None
) -> pl.DataFrame:
    """Return a kernel's table of the whole data, one row per key, in the order of the keys; `keep`: some rows only.

    `told`: of what the kernel has to know the ranks.
    """
    if evaluation.parts is None:
        found = added([_told(kernel, told)(evaluation)], kernel.by)
        return found if keep is None else nw.from_native(found).filter(keep).to_native()
    pieces = list(evaluation.parts.runner.summed(evaluation.parts.source, kernel, keep, told))
    return pieces[0] if len(pieces) == 1 else pl.concat(pieces).sort(*kernel.by)


def ranked(evaluation: Evaluation, kernel: Kernel) -> Ranked:
    """Rank the values that a kernel counts, where the parts are."""
    if evaluation.parts is None:
        return RankedHere.of([kernel(evaluation)], kernel)
    return evaluation.parts.runner.ranked(evaluation.parts.source, kernel)


def most_back(evaluation: Evaluation) -> int | None:
    """Return how many different values of a column may be brought together; None: any number."""
    return None if evaluation.parts is None else evaluation.parts.runner.most_back


def reduced(
    evaluation: Evaluation, kernel: Kernel, *reductions: Reduction, told: Ranked | None = None
) -> list[pl.DataFrame]:
    """Return what reductions leave of a kernel's table, for tables that may have a row for every item.

    Where parts are worked on elsewhere, such a table stays there.
    """
    return made_small(evaluation, kernel, _each(reductions), told)


def _each(reductions: Sequence[Reduction]) -> Steps[list[pl.DataFrame]]:
    found = []
    for reduction in reductions:
        found.append((yield reduction))  # noqa: PERF401 (a comprehension cannot)
    return found


def made_small(evaluation: Evaluation, kernel: Kernel, steps: Steps[Result], told: Ranked | None = None) -> Result:
    """Return what comes of reductions of a kernel's table, of which later ones may depend on what earlier ones left."""
    if evaluation.parts is None:
        return _made_small(_told(kernel, told)(evaluation), kernel, steps)
    return evaluation.parts.runner.reduced(evaluation.parts.source, kernel, steps, told)


def _made_small(table: pl.DataFrame, kernel: Kernel, steps: Steps[Result]) -> Result:
    whole = added([table], kernel.by, ordered=False).lazy()
    return stepped(steps, lambda reduction: reduction(nw.from_native(whole)).collect().to_polars())


def gathered(evaluation: Evaluation, kernel: Kernel) -> list[pl.DataFrame]:
    """Return a kernel's tables part by part; they have to be small, and so many at most."""
    if evaluation.parts is None:
        return [kernel(evaluation)]
    return evaluation.parts.runner.gathered(evaluation.parts.source, kernel)


def whole(evaluation: Evaluation, what: str) -> Evaluation:
    """Return an evaluation in one piece, for what cannot be worked out of parts."""
    if evaluation.parts is None:
        return evaluation
    if evaluation.parts.whole is None:
        raise UserError(f"{what} needs all items in one place, which a cluster has not; leave out --engine spark")
    found: Evaluation = evaluation.parts.whole()
    return found


def added(tables: Sequence[pl.DataFrame], by: Sequence[str], *, ordered: bool = True) -> pl.DataFrame:
    """Add up tables with the same columns, in the order of the keys unless that comes later."""
    table = pl.concat(tables) if len(tables) > 1 else tables[0]
    numbers = [name for name in table.columns if name not in by]
    if not by:
        return table.sum()
    frame: nw.LazyFrame[Any] = nw.from_native(table.lazy())
    return sums(frame, by, {name: nw.col(name) for name in numbers}, ordered=ordered).collect().to_polars()


@dataclass(frozen=True)
class Here:
    """Works on parts one after the other in this process."""

    on_part: Callable[[int, int], None] | None = None
    """Told how many items are done, of how many."""
    at_once: int = 1
    most_back: int | None = None

    def ranked(self, source: PartSource, kernel: Kernel) -> RankedHere:
        """Rank the values of all parts together."""
        return RankedHere.of(self._few(source, kernel), kernel)

    def summed(
        self, source: PartSource, kernel: Kernel, keep: nw.Expr | None, told: Ranked | None = None
    ) -> Iterator[pl.DataFrame]:
        """Add up the tables of all parts as they come."""
        found = added(self._few(source, _told(kernel, told)), kernel.by)
        yield found if keep is None else nw.from_native(found).filter(keep).to_native()

    def reduced(self, source: PartSource, kernel: Kernel, steps: Steps[Result], told: Ranked | None = None) -> Result:
        """Return what comes of reductions of the tables of all parts."""
        return _made_small(pl.concat(self._few(source, _told(kernel, told))), kernel, steps)

    def _few(self, source: PartSource, kernel: Kernel) -> list[pl.DataFrame]:
        """Return the tables of all parts; of many rows, some are added up already."""
        kept: list[pl.DataFrame] = []
        for table in self._tables(source, kernel):
            kept.append(table)
            if len(kept) > 1 and sum(one.height for one in kept) > MANY_ROWS + kept[0].height:
                kept = [added(kept, kernel.by, ordered=False)]
        return kept

    def gathered(self, source: PartSource, kernel: Kernel) -> list[pl.DataFrame]:
        """Return the tables of all parts in their order."""
        return list(self._tables(source, kernel))

    def _tables(self, source: PartSource, kernel: Kernel) -> Iterator[pl.DataFrame]:
        total, done = sum(source.items(i) for i in range(len(source))), 0
        for i in range(len(source)):
            yield kernel(source.part(i, kernel.needs))
            done += source.items(i)
            if self.on_part is not None:
                self.on_part(done, total)


def _told(kernel: Kernel, told: Ranked | None) -> Kernel:
    """Return a kernel that knows the ranks of all values."""
    if not (isinstance(told, RankedHere) and isinstance(kernel, Knowing)):
        return kernel
    return kernel.knowing(nw.from_native(told.places).select(*KEYS, doubled=doubled()).to_native())


@dataclass(frozen=True, eq=False)
class RankedHere:
    """Values of columns with their places, in order."""

    places: pl.DataFrame

    @classmethod
    def of(cls, tables: Sequence[pl.DataFrame], kernel: Kernel) -> RankedHere:
        """Rank the values that a kernel has counted."""
        counts = added(tables, kernel.by, ordered=False)
        return cls(classes(nw.from_native(counts.lazy())).collect().to_polars().sort(*KEYS))

    def sizes(self, column: int) -> pl.DataFrame:
        """Return how many values so many rows have."""
        return groups(nw.from_native(self.places.lazy()), column).collect().to_polars()

    def at(self, column: int, places: NDArray[np.int64]) -> pl.DataFrame:
        """Return the values at some places."""
        return hit(self.places.filter(pl.col("column") == column), places).select("value", "start", "n")


@dataclass(frozen=True)
class Cut:
    """An evaluation in memory as a source of parts: so many pieces, one after the other."""

    evaluation: Evaluation
    size: int
    bounds: tuple[int, ...] = ()
    """Where each part begins, and where the last one ends; parts are of one size unless given."""

    def __len__(self) -> int:
        return self.size

    def _bounds(self, i: int) -> tuple[int, int]:
        if self.bounds:
            return self.bounds[i], self.bounds[i + 1]
        items = self.evaluation.aligned.items
        return items * i // self.size, items * (i + 1) // self.size

    def items(self, i: int) -> int:
        """Return how many items a part has."""
        start, stop = self._bounds(i)
        return stop - start

    def head(self, needs: frozenset[str]) -> Evaluation:
        """Return a part without items."""
        return self.evaluation.between(0, 0, without=frozenset({TEXTS, FIELDS}) - needs)

    def part(self, i: int, needs: frozenset[str]) -> Evaluation:
        """Return a part."""
        return self.evaluation.between(*self._bounds(i), without=frozenset({TEXTS, FIELDS}) - needs)


def in_parts(evaluation: Evaluation, size: int, bounds: Sequence[int] = ()) -> Evaluation:
    """Return an evaluation that is in memory as one in so many parts; `bounds`: where they begin, and the last ends."""
    gold = int(evaluation.units["gold"].sum()) if evaluation.task.has_units else None
    return evaluation.parted(Parts(Cut(evaluation, size, tuple(bounds)), Here(), gold, lambda: evaluation))
