"""Global facts about the corpus, which a single partition does not show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl


@dataclass(frozen=True, eq=False)
class CorpusFacts:
    """Global facts that attribute values depend on."""

    columns: Mapping[str, pl.DataType] = field(default_factory=dict)
    """The informative fields of items, and the types of their values."""
    token_columns: Mapping[str, pl.DataType] = field(default_factory=dict)
    """The columns of tokens that units have one value of, and the types of the values."""
    confidence: bool = False
    """Whether any output comes with a confidence."""
    strings: pl.DataFrame | None = None
    """Of the strings of units that do not stand just once: how often, in how many gold units, with how many labels."""
