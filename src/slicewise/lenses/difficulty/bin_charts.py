"""Charts of what is in the bins: shares and means, and strings that are sometimes found and sometimes not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from slicewise.lenses.difficulty.view import ROWS
from slicewise.render.figures import SLICE, Field, Figure, Row
from slicewise.render.marks import POINTER, down, drawn, heat, tooltip
from slicewise.render.theme import SEQUENTIAL
from slicewise.results.chart_rows import hidden, more_note
from slicewise.results.slices import bin_slice, form_slice

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from slicewise.lenses.difficulty.result import DifficultyResult

STRINGS, LISTED = 15, 200
"""Strings that have a bar, and those in the table."""


def bin_axis(title: str) -> alt.X:
    """Return the bins from left to right."""
    import altair as alt

    return alt.X("bin:O", title=title, axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False, domain=False))


def profile(result: DifficultyResult, noun: str) -> list[Figure]:
    """Return shares and means in each bin that is not empty, each coloured by its own range."""
    bins = [n for n, bin_profile in result.profile.items() if bin_profile.n]
    values = _values(result, bins)
    rows = [
        {
            "what": measure, "bin": n, "value": value, "short": _short(value), "relative": _relative(value, row_values),
            "n": result.profile[n].n, SLICE: bin_slice(n),
        }
        for measure, row_values in values.items()
        for n, value in zip(bins, row_values, strict=True)
    ]  # fmt: skip
    if not rows:
        return []
    fields = (
        Field("what", "what"), Field("bin", "bin", "count"), Field("value", "value", "number"),
        Field("n", "n", "count"),
    )  # fmt: skip
    return [
        Figure(
            "difficulty-profile",
            "What is in the bins",
            f"Each column is a bin, the {noun} that so many systems find; each row is a share or a mean of what is in "
            "it. The darker a cell, the higher it is within its row.",
            fields,
            rows,
            lambda: _content(list(values)),
        )
    ]


def _values(result: DifficultyResult, bins: Sequence[int]) -> dict[str, list[float | None]]:
    """Return the measures of the bins, by their titles."""
    shares = {title: [result.profile[n].shares.get(name) for n in bins] for name, title in ROWS.items()}
    means = {
        f"mean {name}": [result.profile[n].attributes[name].mean for n in bins] for name in result.shown_attributes
    }
    return {measure: row_values for measure, row_values in (shares | means).items() if any(row_values)}


def _relative(value: float | None, row_values: Sequence[float | None]) -> float | None:
    """Return a value scaled to [0, 1] by the range of its row."""
    defined = [v for v in row_values if v is not None]
    if value is None or min(defined) == max(defined):
        return None if value is None else 0.0
    return (value - min(defined)) / (max(defined) - min(defined))


def _short(value: float | None) -> float | None:
    """Return a number of two digits, but none before the point lost, for a cell."""
    if not value:
        return value
    return round(value, max(0, 1 - math.floor(math.log10(abs(value)))))


def _content(order: Sequence[str]) -> alt.TopLevelMixin:
    tips = tooltip(("what:N", "what"), ("bin:O", "bin"), ("value:Q", "value", ".4~r"), ("n:Q", "n", ",d"))
    x, y = bin_axis("bin: systems that find it"), down("what", order)
    return heat(x=x, y=y, value="relative", written="short", tips=tips, label="", domain=(0.0, 1.0))


def resistant(result: DifficultyResult) -> list[Figure]:
    """Return strings whose mentions are mostly found, and sometimes not."""
    forms = [form for form in result.spread if form.lost > 0]
    if not forms or len(result.gold.systems) < 2:
        return []
    keys = [f"bin{n}" for n in range(len(result.gold.totals))]
    rows: list[Row] = [
        {"surface": form.surface, "n": form.n, "lost": form.lost}
        | dict(zip(keys, form.bins, strict=True))
        | hidden(unless=i < STRINGS)
        | {SLICE: form_slice(form.surface)}
        for i, form in enumerate(forms[:LISTED])
    ]
    fields = (
        Field("surface", "string"), Field("n", "n", "count"), Field("lost", "lost", "number"),
        *(Field(key, f"bin {n}", "count") for n, key in enumerate(keys)),
    )  # fmt: skip
    left = len(forms) - len(rows)
    parts = (
        "lost: how far its mentions fall below its own median bin, in mentions.",
        more_note(min(STRINGS, len(rows)), len(rows), "strings"),
        f"{left:,} more resist less and are left out." if left else "",
    )
    return [
        Figure(
            "difficulty-spread",
            "Strings that are mostly found, and sometimes resist",
            "Each bar is a string and its gold units, from those that no system finds (left, dark) to those that all "
            "find (right, light).",
            fields,
            rows,
            lambda: _stacks(keys),
            note=" ".join(part for part in parts if part),
        )
    ]


def _stacks(keys: Sequence[str]) -> alt.TopLevelMixin:
    import altair as alt

    tips = tooltip(
        ("surface:N", "string"), ("at:Q", "systems that find it"), ("mentions:Q", "gold units", ",d"),
        ("n:Q", "of", ",d"), ("lost:Q", "lost", ".2f"),
    )  # fmt: skip
    scale = alt.Scale(scheme={"name": SEQUENTIAL}, reverse=True, domain=[0, len(keys) - 1])
    legend = alt.Legend(title="systems that find it", gradientLength=160, tickMinStep=1, format="d")
    chart: alt.TopLevelMixin = (
        drawn()
        .transform_fold(list(keys), ["key", "mentions"])
        .transform_calculate(at="toNumber(slice(datum.key, 3))")
        .transform_filter("datum.mentions > 0")
        .mark_bar(cursor=POINTER, stroke="#80808080")
        .encode(
            x=alt.X("mentions:Q", title="gold units", axis=alt.Axis(tickMinStep=1, format=",d")),
            y=alt.Y("surface:N", sort=None, title=None, axis=alt.Axis(labelLimit=140, ticks=False, domain=False)),
            color=alt.Color("at:Q", scale=scale, legend=legend),
            order="at:Q",
            tooltip=tips,
        )
        .properties(width="container", height=alt.Step(22))
    )
    return chart
