"""The chart of growth: size against CPU seconds, both logarithmic, a panel for each kind of work."""

from __future__ import annotations

import json
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    import altair as alt
    from growth import Point

    Row = dict[str, Any]

WIDTH, HEIGHT, COLUMNS, ROOM = 210, 200, 2, 165
LINE = 12  # pixels: labels are no closer to each other
OURS, BOUND = "#1f6fb8", "#6b7280"
PEERS = ("#c8551b", "#1f8461", "#b0478a", "#8a6d00", "#6250b8", "#b53a31", "#2b7f8c", "#66721c", "#84563a", "#4a6b2c")


def draw(points: str, path: str) -> None:
    """Write the chart as SVG, on white, so that it can be read on a dark page too."""
    import altair as alt
    import vl_convert

    from slicewise.render.theme import LIGHT

    given: list[Point] = json.loads(points)
    if not given:
        return
    kinds = dict.fromkeys(point["kind"] for point in given)
    colours = _colours(given)
    panels = [_panel([point for point in given if point["kind"] == kind], colours) for kind in kinds]
    title = alt.TitleParams(
        "CPU seconds against size",
        subtitle="Both axes are logarithmic. Dashed: reading and splitting alone.",
        anchor="start",
    )
    chart = alt.concat(*panels, columns=COLUMNS, spacing=30, title=title).to_dict() | {"config": LIGHT}
    Path(path).write_text(str(vl_convert.vegalite_to_svg(chart)), encoding="utf-8")


def _colours(points: list[Point]) -> dict[str, str]:
    """Return a colour for each job, the same in all panels."""
    peers = dict.fromkeys(point["job"] for point in points if point["role"] == "peer")
    fixed = {point["job"]: OURS if point["role"] == "ours" else BOUND for point in points if point["role"] != "peer"}
    return {job: PEERS[i % len(PEERS)] for i, job in enumerate(peers)} | fixed


def _panel(points: list[Point], colours: dict[str, str]) -> alt.LayerChart | alt.FacetChart:
    """Return one kind of work: a line for each job, with its name at the end."""
    import altair as alt
    import polars as pl

    sizes = sorted({point["size"] for point in points})
    seconds = [point["cpu"] for point in points]
    low, high = min(seconds) / 1.3, max(seconds) * 1.3
    x = alt.X("size:Q", title=points[0]["unit"], axis=alt.Axis(values=sizes, format=".2~s", grid=False)).scale(
        type="log", domain=[sizes[0] / 1.1, sizes[-1] * 1.1], nice=False
    )
    y_scale = alt.Scale(type="log", domain=[low, high], nice=False)
    y = alt.Y("cpu:Q", title="CPU s", axis=alt.Axis(values=_ticks(low, high), format="~g"), scale=y_scale)
    colour = alt.Color("job:N", legend=None).scale(domain=list(colours), range=list(colours.values()))
    dash = alt.condition("datum.role == 'bound'", alt.value([4, 3]), alt.value([1, 0]))
    width = alt.condition("datum.role == 'ours'", alt.value(3), alt.value(1.5))
    base = alt.Chart(pl.DataFrame(points)).encode(x=x, y=y, color=colour)
    lines = base.mark_line().encode(detail="job:N", strokeDash=dash, strokeWidth=width)
    dots = base.mark_point(filled=True, size=35, opacity=1)
    labels = (
        alt.Chart(pl.DataFrame(_labels(points, low, high)))
        .mark_text(align="left", dx=8, fontSize=11, limit=ROOM)
        .encode(x=x, y=alt.Y("cpu:Q", scale=y_scale), color=colour, text="job:N")
    )
    shown = alt.TitleParams(points[0]["kind"], anchor="start", fontSize=12)
    return alt.layer(lines, dots, labels).properties(width=WIDTH, height=HEIGHT, title=shown)


def _ticks(low: float, high: float) -> list[float]:
    """Return 1, 3, 10, 30 … within the bounds."""
    return [tick for power in range(-3, 5) for step in (1, 3) if low <= (tick := step * 10.0**power) <= high]


def _labels(points: list[Point], low: float, high: float) -> list[Row]:
    """Return a label at each line's end, moved apart where they would cover each other."""
    last = {point["job"]: point for point in sorted(points, key=lambda point: point["size"])}
    right = max(point["size"] for point in points)
    gap = log(high / low) * LINE / HEIGHT
    placed: list[Row] = []
    for point in sorted(last.values(), key=lambda point: point["cpu"]):
        height = log(point["cpu"])
        if placed and point["size"] == right:
            height = max(height, placed[-1]["height"] + gap)
        placed.append({**point, "height": height})
    return [row | {"cpu": exp(row["height"])} for row in placed]
