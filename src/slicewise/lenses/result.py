"""The base class of results that have modules of their own for what they show: `view.py`, and `charts.py`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from slicewise.render.blocks import Block, Grid
from slicewise.render.figures import Figure
from slicewise.results.base import Result, Row


class LensResult(Result):
    """Shows itself by the modules beside the one that defines it, which are imported when they are used."""

    def blocks(self) -> list[Block]:
        """Return the blocks for people."""
        blocks: list[Block] = self._beside("view").blocks(self)
        return blocks

    def grids(self) -> list[Grid]:
        """Return every table for people: also those that the terminal leaves out."""
        view = self._beside("view")
        return view.grids(self) if hasattr(view, "grids") else super().grids()

    def figures(self) -> list[Figure]:
        """Return the charts with their tables."""
        figures: list[Figure] = self._beside("charts").figures(self)
        return figures

    def tables(self) -> dict[str, list[Row]]:
        """Return long tables, one per part of the result."""
        tables: dict[str, list[Row]] = self._beside("view").tables(self)
        return tables

    def _beside(self, module: str) -> Any:
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.{module}")
