"""Features of one kind from one place, and numbers that every row has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.extract.relation import Batches, Relation

PAIR = "~~"
"""Between the parts of a pair's name."""


class Kind(StrEnum):
    """What a feature is."""

    TOKEN = "token"  # noqa: S105 (no secret)
    BIGRAM = "bigram"
    NGRAM = "ngram"
    SHAPE = "shape"
    PAIR = "pair"
    NUMBER = "number"
    LENGTH = "length"
    CATEGORY = "category"
    LABEL = "label"
    ATTRIBUTE = "attribute"
    CONFUSION = "confusion"


FamilyKey = tuple[Kind, str, bool]


@dataclass(frozen=True)
class Family:
    """Features with the rows of each; their names are made when they are shown."""

    kind: Kind
    space: str
    """The namespace: `in`, `in<1>`, `exp`, `out` …"""
    relation: Relation | Batches
    names: Callable[[Ints], pl.Series]
    """The names of some of the features, given by their places."""
    shaped: bool = False
    """Whether they are made of shapes."""
    lookup: Callable[[pl.Series], Ints] | None = None
    """The places of some names, -1 where there is none; without it, all names are made."""

    def __len__(self) -> int:
        return len(self.relation)

    @property
    def key(self) -> FamilyKey:
        """What it is: its kind, its namespace, and whether it is made of shapes."""
        return self.kind, self.space, self.shaped

    def places(self, names: pl.Series) -> Ints:
        """Return the places of features by their names, -1 where there is none."""
        return places_in(self.names(np.arange(len(self))), names) if self.lookup is None else self.lookup(names)


def places_in(known: pl.Series, strings: pl.Series) -> Ints:
    """Return the place of each string among others, all different; -1 where it is none of them."""
    wanted = pl.DataFrame({"string": strings})
    table = pl.DataFrame({"string": known, "place": np.arange(len(known))})
    table = table.join(wanted, on="string", how="semi")  # hashes the wanted ones, which are few
    joined = wanted.join(table, on="string", how="left", maintain_order="left")
    return joined["place"].fill_null(-1).to_numpy()


@dataclass(frozen=True)
class Quantity:
    """A number that rows have; NaN where one has none."""

    kind: Kind
    space: str
    name: str
    values: NDArray[np.float64]

    def cut(self, *, large: bool) -> float:
        """Return where the quarter of the rows begins that have the largest or smallest values."""
        values, counts = np.unique(self.values[~np.isnan(self.values)], return_counts=True)
        return quarter(values, counts, large=large)

    def extreme(self, *, large: bool) -> NDArray[np.int32]:
        """Return the rows of that quarter, and all others that have the value at its end."""
        cut = self.cut(large=large)
        return np.flatnonzero(self.values >= cut if large else self.values <= cut).astype(np.int32)


def quarter(values: NDArray[np.float64], counts: NDArray[np.int64], *, large: bool) -> float:
    """Return where the quarter of the rows begins that have the largest (smallest) of the values, given ascending."""
    if large:
        values, counts = values[::-1], counts[::-1]
    at = int(np.searchsorted(np.cumsum(counts), max(1, int(counts.sum()) // 4)))
    if at == len(values) - 1 and at:  # the most frequent value is no extreme
        at -= 1
    return float(values[at])
