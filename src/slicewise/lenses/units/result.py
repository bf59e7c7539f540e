"""The result of `units`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from slicewise.annotations import Task
from slicewise.errors import counted
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.texts import short
from slicewise.results.base import Result, Row
from slicewise.results.files import without_lists, write_frame

SHOWN = 20
FORMATS = (".csv", ".jsonl", ".parquet")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class UnitsResult(Result):
    """One row per distinct unit."""

    frame: pl.DataFrame

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON."""
        return {"units": self.frame.to_dicts()}

    def to_polars(self, table: str | None = None) -> pl.DataFrame:  # noqa: ARG002 (there is one table)
        """Return the table."""
        return self.frame

    def tables(self) -> dict[str, list[Row]]:
        """Return the table as rows."""
        return {"units": without_lists(self.frame).to_dicts()}

    def csv_tables(self) -> dict[str, pl.DataFrame]:
        """Return the table as it is: it may be large."""
        return {"units": self.frame}

    def blocks(self) -> list[Block]:
        """Return the first rows."""
        grid = self._units() if Task(self.data["task"]).has_units else self._items()
        warnings: list[Block] = [Sentence(f"! {w}", "warning") for w in self.data["warnings"]]
        return [Sentence(f"{self.data['name']} · {counted(self.frame.height, 'unit')}", "title"), *warnings, grid]

    def _units(self) -> Grid:
        wanted_columns = {"bin", *(f"error:{system}" for system in self.data["systems"])}
        extras = [name for name in self.frame.columns if name in wanted_columns]
        placed = Task(self.data["task"]) in (Task.SPANS, Task.TOKENS)
        rows = []
        for row in self.frame.head(SHOWN).iter_rows(named=True):
            place = f"{row['item']}" + (f":{row['start']}–{row['end']}" if placed else "")
            holders = ", ".join(name for name in self.data["systems"] if row[name]) or "nobody"
            kind = "gold" if row["gold"] else "spurious"
            cells = (place, row["label"], short(row["text"] or "", 24), kind, short(holders, 30))
            rows.append((*cells, *(str(row[name]) for name in extras)))
        titles = [Column(title, "left") for title in ("item", "label", "text", "unit", "who has it")]
        return Grid("Units", (*titles, *(Column(name) for name in extras)), tuple(rows), self._note())

    def _items(self) -> Grid:
        names = [name for name in self.frame.columns if name != "cluster"]
        columns = tuple(Column(name, "left" if name == "item" else "right") for name in names)
        rows = tuple(
            tuple("–" if row[name] is None else short(str(row[name]), 30) for name in names)
            for row in self.frame.head(SHOWN).iter_rows(named=True)
        )
        return Grid("Items", columns, rows, self._note())

    def _note(self) -> str:
        left = self.frame.height - SHOWN
        return f"{left:,} more; --csv DIR or -o units.parquet writes them all." if left > 0 else ""

    def write(self, path: Path, *, raw_csv: bool = False) -> None:
        """Write the table as CSV, JSONL or Parquet, by the file's ending; `raw_csv`: text as it is, formulas too."""
        write_frame(self.frame, path, FORMATS, raw_csv=raw_csv)
