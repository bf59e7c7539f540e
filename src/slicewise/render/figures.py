"""Figures: rows of values with what a person reads of them, as a table and, where it helps, as a chart.

A chart is a Vega-Lite specification over the dataset `rows`; the same figure serves a notebook, a page and a file.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from slicewise.errors import UserError
from slicewise.render.visible import drawable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import altair as alt

ROWS = "rows"
"""The dataset that charts read."""
SLICE = "slice"
"""The key of a row that names the units behind it."""
VALUE = "value"
"""The key of what most charts show."""
DATASET = "dataset"
"""The key of a row that names its data set, where a figure is of several."""
FORMATS = ("svg", "png", "pdf")
TRIAL = """import vl_convert; vl_convert.vega_to_svg({"marks": []})"""
"""A program that draws, to see whether that can be done."""
Kind = Literal["text", "count", "score", "signed", "share", "p", "number"]
Row = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """A column of a figure's table: the key of its values, its heading, and how they are written."""

    key: str
    title: str
    kind: Kind = "text"
    bounds: tuple[str, str] | None = None
    """The keys of its interval's ends."""


@dataclass(frozen=True, eq=False)
class Figure:
    """Values with their table and chart; a row's `slice` names the units behind it."""

    name: str
    """Short, for a file or an anchor: `buckets-eLen`."""
    title: str
    caption: str
    """What it shows and how it is read, in a sentence or two; also the alternative text of the chart."""
    fields: tuple[Field, ...]
    rows: Sequence[Row]
    draw: Callable[[], alt.TopLevelMixin] | None = None
    """Makes the chart over `rows`; None: a table is enough."""
    note: str = ""
    wide: bool = True
    """Whether it needs the page's whole width; others stand side by side."""
    table_first: bool = False
    """Whether the table is what people come for, so that it is open."""
    tab: str = ""
    """Where several figures that follow each other show the same of different things (systems, metrics): of what."""

    def spec(self) -> dict[str, Any] | None:
        """Return the chart's specification without its rows."""
        if self.draw is None or not self.has_chart:
            return None
        from altair.utils.schemapi import debug_mode

        with debug_mode(False):  # altair's own check of every part; the tests make it, and it takes most of the time
            chart: dict[str, Any] = self.draw().to_dict(validate=False)
        for key in ("config", "$schema"):
            chart.pop(key, None)
        drawn: dict[str, Any] = drawable(chart)
        return drawn

    @property
    def has_chart(self) -> bool:
        """Whether there is a chart, and anything to draw: rows, and where they have a value, one that is defined."""
        return self.draw is not None and any(VALUE not in row or row[VALUE] is not None for row in self.rows)

    def drawn_rows(self) -> list[Row]:
        """Return the rows as a chart can draw them: hidden characters are seen, what links them is as it was."""
        kept = (SLICE, DATASET)
        return [{key: value if key in kept else drawable(value) for key, value in row.items()} for row in self.rows]

    def chart(self) -> alt.TopLevelMixin:
        """Return the chart with its rows, as altair has it."""
        import altair as alt

        chart: alt.TopLevelMixin = alt.Chart.from_dict(self.full_spec())
        return chart

    def full_spec(self) -> dict[str, Any]:
        """Return the specification with its rows, on white."""
        from slicewise.render.theme import LIGHT

        spec = self.spec()
        if spec is None:
            raise UserError(f"{self.name} has no chart; its table is all there is")
        datasets = {**spec.pop("datasets", {}), ROWS: self.drawn_rows()}
        return {**spec, "datasets": datasets, "config": dict(LIGHT)}

    def rendered(self, ending: str) -> bytes:
        """Return the chart as SVG, PNG or PDF, on white."""
        import vl_convert

        check_can_draw()
        spec = _with_fixed_width(self.full_spec())
        spec["title"] = {"text": self.title, "anchor": "start"}
        if ending == "svg":
            return str(vl_convert.vegalite_to_svg(spec)).encode()
        image: bytes = (
            vl_convert.vegalite_to_png(spec, scale=2) if ending == "png" else vl_convert.vegalite_to_pdf(spec)
        )
        return image


@cache
def check_can_draw() -> None:
    """Refuse to draw where the engine cannot start: it reserves more address space than some limits leave.

    It would end the whole program, so another one tries.
    """
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # Windows has no such limits
        return
    limit, _ = getrlimit(RLIMIT_AS)
    if limit == RLIM_INFINITY:
        return
    if subprocess.run((sys.executable, "-c", TRIAL), capture_output=True, check=False).returncode:  # noqa: S603
        raise UserError(
            f"charts cannot be drawn: their engine needs more than the {limit / 1e9:.1f} GB of address space that "
            "this process may have; raise the limit (ulimit -v), or leave out the figures"
        )


def _with_fixed_width(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a specification whose width is a number: a file has no container to fill."""
    return spec | {"width": 560} if spec.get("width") == "container" else spec
