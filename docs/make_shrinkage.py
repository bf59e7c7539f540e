"""Draw why gaps are shrunk: the widest of many, as measured, shrunk and as it is, in data whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from slicewise.render.figures import ROWS, Field, Figure
from slicewise.stats.shrinkage import bucket_factors

if TYPE_CHECKING:
    import altair as alt

PICTURE = Path(__file__).resolve().parent / "pictures" / "shrinkage.svg"
UNITS = (200, 400, 600, 1000, 2000, 4000, 8000)
ATTRIBUTES, BUCKETS, RUNS = 12, 4, 1000
LEVEL, SPREAD = 0.8, 0.04
"""The mean share of units that are found, and how much it truly varies between buckets."""
LINES = ("measured", "shrunk", "true")


def widest_gaps(units: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return the mean of the widest gap of so many units in buckets: as measured, shrunk, and as it is."""
    size = units // BUCKETS
    gaps = []
    for _ in range(RUNS):
        truth = np.clip(rng.normal(LEVEL, SPREAD, (ATTRIBUTES, BUCKETS)), 0, 1)
        found = rng.binomial(size, truth) / size
        widest = int(np.argmax(np.ptp(found, axis=1)))
        best, worst = int(found[widest].argmax()), int(found[widest].argmin())
        part = float(bucket_factors([(row, row * (1 - row) / size) for row in found])[widest])
        gap = float(found[widest, best] - found[widest, worst])
        gaps.append((gap, part * gap, float(truth[widest, best] - truth[widest, worst])))
    measured, shrunk, true = np.mean(gaps, axis=0).tolist()
    return measured, shrunk, true


def rows() -> list[dict[str, Any]]:
    """Return the points of all lines."""
    points = []
    for units in UNITS:
        gaps = widest_gaps(units, np.random.default_rng(units))
        points += [{"units": units, "line": line, "gap": gap} for line, gap in zip(LINES, gaps, strict=True)]
    return points


def figure() -> Figure:
    """Return the chart with its points."""
    fields = (Field("units", "units", "count"), Field("line", "gap"), Field("gap", "gap", "score"))
    title = "The widest gap among 12 attributes, simulated"
    return Figure("shrinkage", title, "The mean of the widest gap by the number of units.", fields, rows(), _lines)


def _lines() -> alt.TopLevelMixin:
    import altair as alt

    lines = list(LINES)
    base = alt.Chart(alt.NamedData(ROWS)).encode(
        x=alt.X("units:Q", scale=alt.Scale(type="log"), title="units", axis=alt.Axis(values=list(UNITS))),
        y=alt.Y("gap:Q", title="gap, best less worst bucket", scale=alt.Scale(zero=True)),
        color=alt.Color("line:N", scale=alt.Scale(domain=lines, range=["#e45756", "#4c78a8", "#555555"]), legend=None),
    )
    dashes = alt.Scale(domain=lines, range=[[], [], [5, 4]])
    drawn = base.mark_line(point=True).encode(strokeDash=alt.StrokeDash("line:N", scale=dashes, legend=None))
    names = base.mark_text(align="right", dx=-8).encode(text="line:N").transform_filter(f"datum.units == {UNITS[0]}")
    chart: alt.TopLevelMixin = alt.layer(drawn, names).properties(width=440, height=220)
    return chart


def main() -> None:
    """Draw the picture."""
    PICTURE.write_bytes(figure().rendered("svg"))


if __name__ == "__main__":
    main()
