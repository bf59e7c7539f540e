"""The base class of results: frozen, typed, serialisable, with views as blocks and as tables of values."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from slicewise._version import __version__
from slicewise.errors import UserError, did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import altair as alt
    import pandas as pd
    import polars as pl

    from slicewise.render.blocks import Block, Grid
    from slicewise.render.figures import Figure

SCHEMA = 1
Bounds = tuple[float, float]
Row = dict[str, str | int | float | bool | None]


@dataclass(frozen=True, kw_only=True)
class Result:
    """A command's result on one data set."""

    command: str
    signature: str
    data: dict[str, Any]

    view_only: ClassVar[tuple[str, ...]] = ()
    """Fields that only views read: they are not in the JSON."""

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON."""
        outside = {"command", "signature", "data", *self.view_only}
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in outside}

    def blocks(self) -> list[Block]:
        """Return the blocks for people."""
        raise NotImplementedError

    def tables(self) -> dict[str, list[Row]]:
        """Return the result as long tables of values, by name."""
        raise NotImplementedError

    def csv_tables(self) -> Mapping[str, list[Row] | pl.DataFrame]:
        """Return the tables as --csv writes them."""
        return self.tables()

    def lines(self) -> Iterator[str] | None:
        """Return a long result as lazily generated lines of text; None where blocks are shown."""
        return None

    def grids(self) -> list[Grid]:
        """Return every table for people, for files of their own."""
        from slicewise.render.blocks import Grid

        return [block for block in self.blocks() if isinstance(block, Grid)]

    def figures(self) -> list[Figure]:
        """Return the result as figures, each a table of values with the chart that people would draw of it."""
        return []

    def chart(self, name: str | None = None) -> alt.TopLevelMixin:
        """Return one of the charts (the first, unless named) as altair has it."""
        drawn = {figure.name: figure for figure in self.figures() if figure.has_chart}
        if not drawn:
            raise UserError(f"{self.command} has no chart here")
        if name is not None and name not in drawn:
            raise UserError(f"no chart {quoted(name)}; {did_you_mean(name, drawn)}")
        return (next(iter(drawn.values())) if name is None else drawn[name]).chart()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document as plain values; undefined is None."""
        return {
            "slicewise": __version__,
            "schema": SCHEMA,
            "command": self.command,
            "signature": self.signature,
            "data": plain(self.data),
            "result": plain(self.body()),
        }

    def to_json(self) -> str:
        """Return the JSON document."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """Return one of the tables (the first, unless named) as a frame."""
        import polars as pl

        tables = self.tables()
        if table is not None and table not in tables:
            raise UserError(f"no table {quoted(table)}; {did_you_mean(table, tables)}")
        rows = tables[table] if table is not None else next(iter(tables.values()))
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """Return one of the tables (the first, unless named) as a pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise UserError("pandas is not installed; add it with pip install pandas, or use to_polars()") from None
        return pd.DataFrame(self.to_polars(table).to_dict(as_series=False))

    def to_markdown(self) -> str:
        """Return what a person is shown, as Markdown."""
        from slicewise.render.markdown import as_markdown

        return as_markdown(self.blocks())

    def to_latex(self) -> str:
        """Return the tables a person is shown, as LaTeX."""
        from slicewise.render.latex import as_latex

        return "\n".join(map(as_latex, Result.grids(self)))

    def __str__(self) -> str:
        from slicewise.render.terminal import as_text

        return as_text(self.blocks())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from slicewise.render.notebook import as_html

        return as_html(self.blocks(), self.figures())


def plain(value: Any) -> Any:
    """Return dataclasses, tuples and numbers as what JSON knows; NaN and infinities as None."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def defined(value: float) -> float | None:
    """Return a number, or None where it is NaN or too large to be one."""
    return float(value) if math.isfinite(value) else None


def count(value: float) -> int | float:
    """Return a count as a whole number where it is one."""
    return int(value) if float(value).is_integer() else float(value)
