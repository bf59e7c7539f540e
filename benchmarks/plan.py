"""How much is measured, and where its data are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Plan:
    """A folder for data; quick: the smallest size of each kind, once."""

    folder: Path
    quick: bool = False

    @property
    def repetitions(self) -> int:
        """How often a short job runs."""
        return 1 if self.quick else 3

    def sizes(self, sizes: Sequence[int]) -> Sequence[int]:
        """Return the sizes to measure, the smallest first."""
        return sizes[:1] if self.quick else sizes
