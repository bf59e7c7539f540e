"""The rows of a slice: what is behind a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class SliceRows:
    """A slice and what is in it: rows of units, or items where these are what is counted."""

    name: str
    title: str
    rows: NDArray[np.int64]
    of_items: bool = False
    """Whether the rows are items, in a task that has units."""
    system: str | None = None
    """The system that it is about: what this one has wrong and others right comes first."""
