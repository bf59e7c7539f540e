"""UpSet chart of who finds what: bars for exact sets of systems, and dots for the systems of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.render.figures import SLICE, Field, Figure, Row
from slicewise.render.marks import POINTER, by_system, drawn, tooltip
from slicewise.results.chart_rows import hidden
from slicewise.results.slices import pattern_slice

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from slicewise.lenses.complement.result import ComplementResult

SETS = 20
"""Sets that have a bar."""
BARS, GAP, ROW = 150, 12, 17
"""Pixels: the height of the bars, what is between them and the dots, and the height of a row of dots."""


def found_by(result: ComplementResult, order: Sequence[str]) -> Figure:
    """Return the sets of systems that find the same units, the largest first; systems in an order."""
    place = {name: i for i, name in enumerate(order)}
    rows: list[Row] = []
    for i, pattern in enumerate(result.patterns, 1):
        members = sorted(pattern.systems, key=place.__getitem__)
        row = {"rank": i, "systems": _named(members, len(order)), "size": len(members), "n": pattern.n}
        dots = {"members": members} if i <= SETS else {}
        rows.append(row | dots | hidden(unless=i <= SETS) | {SLICE: pattern_slice(pattern.systems)})
    noun = "items" if result.rule else "gold units"
    return Figure(
        "complement-found-by",
        "Who finds what",
        f"Each bar is the number of {noun} that exactly the systems with a mark below it find, and no other; a bar "
        "without marks is what nobody finds.",
        (Field("systems", "found by exactly"), Field("size", "systems", "count"), Field("n", noun, "count")),
        rows,
        lambda: _upset(order, result.data["systems"], noun),
        note=_note(result, noun),
    )


def _named(members: Sequence[str], systems: int) -> str:
    """Return the names of a set of systems."""
    if not members:
        return "nobody"
    return f"all {systems}" if len(members) == systems else ", ".join(members)


def _note(result: ComplementResult, noun: str) -> str:
    """Return a note on the sets without a bar and those left out of the table."""
    parts = []
    if result.patterns_found > SETS:
        remaining = result.oracle.n_gold - sum(pattern.n for pattern in result.patterns[:SETS])
        parts.append(f"{result.patterns_found - SETS:,} smaller sets with {remaining:,} {noun} together have no bar.")
    if result.patterns_found > len(result.patterns):
        parts.append(f"The table has the {len(result.patterns):,} largest of {result.patterns_found:,} sets.")
    return " ".join(parts)


def _upset(order: Sequence[str], systems: Sequence[str], noun: str) -> alt.TopLevelMixin:
    """Return bars above dots: two scales, one below the other, over the same sets."""
    import altair as alt

    height = BARS + GAP + ROW * len(order)
    tips = tooltip(("systems:N", "found by exactly"), ("n:Q", noun, ",d"))
    x = alt.X("rank:O", axis=None)
    base = drawn().encode(x=x, tooltip=tips)
    axis = alt.Axis(tickCount=5, tickMinStep=1, format=",d", orient="left")
    count = alt.Y("n:Q", title=noun, scale=alt.Scale(range=[BARS, 0]), axis=axis)
    bars = base.mark_bar(cursor=POINTER).encode(y=count)
    numbers = base.mark_text(dy=-6, fontSize=alt.expr("bandwidth('x') < 20 ? 0 : 11")).encode(
        y=count, text=alt.Text("n:Q", format=",d")
    )
    names = alt.Axis(labelLimit=150, ticks=False, domain=False, grid=True, orient="left")
    scale = alt.Scale(domain=list(order), range=[BARS + GAP, height])
    system = alt.Y("system:N", sort=None, title=None, scale=scale, axis=names)
    members = drawn().transform_flatten(["members"], ["system"]).encode(x=x, y=system, tooltip=tips)
    lines = members.mark_line(strokeWidth=2, color="#8790a0", cursor=POINTER).encode(detail="rank:O")
    look = by_system(systems, shown=order, legend=False)
    dots = members.mark_point(filled=True, size=70, opacity=1, cursor=POINTER).encode(**look)
    parts = [alt.layer(bars, numbers), alt.layer(lines, dots)]
    apart = alt.Resolve(scale=alt.ScaleResolveMap(y="independent"))
    return alt.LayerChart(layer=parts, width="container", height=height, resolve=apart)
