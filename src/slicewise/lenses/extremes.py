"""Units of a list that fewest systems have, or that most have, from all parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.lenses.mentions import from_table, mention_table, mentions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.outcomes import Outcomes
    from slicewise.results.mentions import Mention

    Index = NDArray[np.int64]


def by_bin(outcomes: Outcomes, rows: Index) -> Index:
    """Return rows, those that fewest systems have first."""
    return rows[np.argsort(outcomes.bins[rows], kind="stable")]


def extreme_table(part: Evaluation, outcomes: Outcomes, lists: Iterable[tuple[int, Index]]) -> pl.DataFrame:
    """Return rows of lists, by number, as mentions with their bins."""
    every = [(number, rows) for number, rows in lists if len(rows)]
    rows = np.concatenate([np.zeros(0, np.int64), *(own for _, own in every)])
    number = np.repeat([n for n, _ in every], [len(own) for _, own in every]).astype(np.int64)
    places = {"list": number, "bin": outcomes.bins[rows], "row": rows}
    return pl.DataFrame(places).cast(pl.Int64).hstack(mention_table(mentions(part, outcomes, rows)))


class Extremes:
    """The rows of all parts, list by list."""

    def __init__(self, tables: Sequence[pl.DataFrame]) -> None:
        ordered = pl.concat(tables).sort("bin", "item", "row")
        self._lists = {int(str(number)): own for (number,), own in ordered.group_by("list", maintain_order=True)}

    def lowest(self, number: int, size: int) -> tuple[Mention, ...]:
        """Return so many of a list that fewest systems have, in the order of the data."""
        return tuple(from_table(self._lists[number].head(size))) if number in self._lists else ()

    def highest(self, number: int, size: int) -> tuple[Mention, ...]:
        """Return so many of a list that most systems have, in the opposite order."""
        return tuple(from_table(self._lists[number].reverse().head(size))) if number in self._lists else ()
