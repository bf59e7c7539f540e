"""The result of `units`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slicewise.errors import UserError, counted
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.results.base import Result, Row
from slicewise.results.files import whole_file

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

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
        return {"units": self.frame.to_dicts()}

    def blocks(self) -> list[Block]:
        """Return the first rows."""
        systems = self.data["systems"]
        rows = []
        for row in self.frame.head(SHOWN).iter_rows(named=True):
            place = f"{row['item']}" + (f":{row['start']}–{row['end']}" if "start" in row else "")
            who = [name for name in systems if row[name]]
            kind = "gold" if row["gold"] else "spurious"
            rows.append((place, row["label"], _short(row["text"], 24), kind, _short(", ".join(who) or "nobody", 30)))
        titles = ("item", "label", "text", "unit", "who has it")
        grid = Grid("Units", tuple(Column(t, "left") for t in titles), tuple(rows), self._note())
        warnings: list[Block] = [Sentence(f"! {w}", "warning") for w in self.data["warnings"]]
        return [Sentence(f"{self.data['name']} · {counted(self.frame.height, 'unit')}", "title"), *warnings, grid]

    def _note(self) -> str:
        left = self.frame.height - SHOWN
        return f"{left:,} more; --csv DIR or -o units.parquet writes them all." if left > 0 else ""

    def write(self, path: Path) -> None:
        """Write the table as CSV, JSONL or Parquet, by the file's ending."""
        ending = path.suffix.lower()
        if ending not in FORMATS:
            raise UserError(f"unknown ending {ending!r}; expected one of {', '.join(FORMATS)}", where=str(path))
        with whole_file(path) as file:
            if ending == ".csv":
                self.frame.write_csv(file)
            elif ending == ".jsonl":
                self.frame.write_ndjson(file)
            else:
                self.frame.write_parquet(file)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
