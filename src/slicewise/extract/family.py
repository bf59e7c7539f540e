"""Features of one kind from one place, and numbers that every row has."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from slicewise.extract.relation import Index, Relation


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


@dataclass(frozen=True)
class Family:
    """Features with the rows of each; their names are made when they are shown."""

    kind: Kind
    space: str
    """The namespace: `in`, `in<1>`, `exp`, `out` …"""
    relation: Relation
    names: Callable[[Index], pl.Series]
    """The names of some of the features, given by their places."""

    def __len__(self) -> int:
        return len(self.relation)


@dataclass(frozen=True)
class Quantity:
    """A number that rows have; NaN where one has none."""

    kind: Kind
    space: str
    name: str
    values: NDArray[np.float64]
