"""The chart of the page: shares of false discoveries and of intervals that hold the truth, with what is promised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl
import vl_convert

from calibrate.claim import COVERAGE, SIZE, Promise
from calibrate.runner import Simulated
from slicewise.render.theme import LIGHT

CHART = "calibration.svg"
PANELS: dict[str, tuple[str, Promise, float]] = {
    "false discoveries": ("Nothing to find: share of runs with a discovery", SIZE, 1.0),
    "coverage": ("95% intervals: share that hold the truth", COVERAGE, 1.0),
}
"""The title of each panel, what it promises, and the largest share."""
WIDTH, STEP = 520, 17
HELD, MISSED, BAND = "#1f6fb8", "#c8551b", "#1f8461"
Row = dict[str, Any]


def svg(simulated: Sequence[Simulated]) -> str:
    """Return the chart, on white, so that it can be read on a dark page too; empty where there is nothing to draw."""
    panels = [panel for name in PANELS if (rows := points(simulated, name)) for panel in [_panel(name, rows)]]
    if not panels:
        return ""
    title = alt.TitleParams(
        "What was promised, and what happened",
        subtitle="A row for each claim, a dot for each setting with two standard errors; green: what is promised.",
        anchor="start",
    )
    spec = alt.vconcat(*panels, spacing=25, title=title).to_dict() | {"config": LIGHT}
    return str(vl_convert.vegalite_to_svg(spec))


def points(simulated: Sequence[Simulated], panel: str) -> list[Row]:
    """Return a point for each figure that is promised what its panel promises."""
    return [
        {
            "claim": f"{setting.claim.name}: {name}",
            "share": figure.value,
            "low": max(figure.value - 2 * figure.error, 0.0),
            "high": min(figure.value + 2 * figure.error, 1.0),
            "holds": bool(figure.holds),
            "place": place,
        }
        for place, setting in enumerate(simulated)
        if setting.claim.chart == panel
        for name, figure in setting.figures.items()
        if figure.promise == PANELS[panel][1] and figure.value == figure.value
    ]


def _panel(name: str, rows: Sequence[Row]) -> alt.LayerChart | alt.FacetChart:
    """Return a strip for each figure; its settings lie beside each other, in the order of the tables."""
    said, promise, high = PANELS[name]
    low = 0.0 if promise == SIZE else max(0.6, min(0.85, *(row["low"] for row in rows)))
    frame = pl.DataFrame(_placed(rows))
    scale = alt.Scale(domain=[low, high], nice=False, clamp=True)
    axis = alt.Axis(format=".0%")
    y = alt.Y("claim:N", title=None, sort=None, axis=alt.Axis(labelLimit=340))
    colour = alt.condition("datum.holds", alt.value(HELD), alt.value(MISSED))
    band = pl.DataFrame({"from": [max(promise.low, low)], "to": [min(promise.high, high)]})
    x = alt.X("from:Q", title=None, axis=axis, scale=scale)
    promised = alt.Chart(band).mark_rect(color=BAND, opacity=0.18).encode(x=x, x2="to:Q")
    base = alt.Chart(frame).encode(y=y, yOffset=alt.YOffset("offset:Q").scale(domain=[-0.1, 1.1]), color=colour)
    bars = base.mark_rule(strokeWidth=1, opacity=0.6).encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q")
    dots = base.mark_point(filled=True, size=22, opacity=1).encode(x=alt.X("share:Q", scale=scale, axis=axis))
    height = STEP * 3 * len(dict.fromkeys(row["claim"] for row in rows))
    shown = alt.TitleParams(said, anchor="start", fontSize=12)
    return alt.layer(promised, bars, dots).properties(width=WIDTH, height=height, title=shown)


def _placed(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with a place within their strip."""
    strips: dict[str, list[Row]] = {}
    for row in rows:
        strips.setdefault(row["claim"], []).append(row)
    return [row | {"offset": i / max(len(strip) - 1, 1)} for strip in strips.values() for i, row in enumerate(strip)]
