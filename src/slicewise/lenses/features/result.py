"""The result of `features`: ranked lists, one per system or pair of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slicewise.lenses.ranking.result import Example, FeatureList, feature_row
from slicewise.render.blocks import Block
from slicewise.render.figures import Figure
from slicewise.results.base import Result, Row


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FeaturesResult(Result):
    """The ranked lists of all systems, or of one step from a system to another."""

    lists: tuple[FeatureList, ...]
    examples: dict[int, Example]
    correction: str
    least: int
    geval: bool
    scale: float

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON."""
        return {"lists": self.lists, "items": list(self.examples.values()), "correction": self.correction}

    def tables(self) -> dict[str, list[Row]]:
        """Return the features of all lists, and the confusions."""
        rows_of = {
            name: [feature_row(of, feature) for of in self.lists for feature in getattr(of, name)]
            for name in ("features", "confusions")
        }
        return {name: rows for name, rows in rows_of.items() if rows or name == "features"}

    def blocks(self) -> list[Block]:
        """Return the blocks for people."""
        from slicewise.lenses.features.view import blocks

        return blocks(self)

    def figures(self) -> list[Figure]:
        """Return the charts with their tables."""
        from slicewise.lenses.features.charts import figures

        return figures(self)
