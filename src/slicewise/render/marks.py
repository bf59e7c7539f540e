"""Parts that charts share: encodings of systems, dots with whiskers, heat maps.

Rows with the flag `hidden` are in a figure's table alone: charts leave them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from slicewise.render.figures import ROWS
from slicewise.render.theme import DIVERGING, SEQUENTIAL, colours, shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import altair as alt

POINTER: Literal["pointer"] = "pointer"
"""The cursor over what can be opened."""
LIGHT_TEXT, DARK_TEXT = "#ffffff", "#111820"
"""What is written on dark and on light cells."""
LABEL_LIMIT = 160
"""Pixels of a row's name, so that the rows have room on a phone."""
LEGEND_LIMIT = 170
"""Pixels of a name in a legend."""
STEP = 24
"""Pixels of a row."""


def rows() -> alt.NamedData:
    """Return the dataset that a figure's chart reads."""
    import altair as alt

    return alt.NamedData(name=ROWS)


def drawn() -> alt.Chart:
    """Return a chart over the rows that are not hidden; `interval` is their keys `lo` and `hi`, for tooltips."""
    import altair as alt

    interval_text = "'[' + format(datum.lo, '.4f') + ', ' + format(datum.hi, '.4f') + ']'"
    visible = alt.Chart(rows()).transform_filter("!datum.hidden")
    return visible.transform_calculate(interval=f"isValid(datum.lo) ? {interval_text} : '–'")


def by_system(systems: Sequence[str], *, shown: Sequence[str] | None = None, legend: bool = True) -> dict[str, Any]:
    """Return colour and shape of the key `system`, the same in every chart of a page; `shown`: only these are drawn."""
    return by_name("system", systems, shown=shown, legend=legend)


def by_name(
    key: str, names: Sequence[str], *, shown: Sequence[str] | None = None, legend: bool = True
) -> dict[str, Any]:
    """Return colour and shape of a key's names, each as it has among all of them."""
    import altair as alt

    domain = list(names if shown is None else shown)
    places = [list(names).index(name) for name in domain]
    guide = legend_of(domain) if legend else None

    def scale(values: Sequence[str]) -> alt.Scale:
        return alt.Scale(domain=domain, range=[values[i] for i in places])

    return {
        "color": alt.Color(f"{key}:N", scale=scale(colours(names)), legend=guide),
        "shape": alt.Shape(f"{key}:N", scale=scale(shapes(names)), legend=guide),
    }


def legend_of(names: Sequence[str]) -> alt.Legend:
    """Return a legend of names, with as many beside each other as there is room for where the chart is shown."""
    import altair as alt

    widest = min(LEGEND_LIMIT, 7 * max(map(len, names), default=1)) + 30
    room = "(isFinite(containerSize()[0]) ? containerSize()[0] : 660) - 110"
    columns = alt.expr(f"max(1, floor(({room}) / {widest}))")
    return alt.Legend(title=None, symbolOpacity=1, labelLimit=LEGEND_LIMIT, columns=columns)


def hollow(flag: str) -> dict[str, Any]:
    """Return the encodings of dots that are hollow where a key's flag is set."""
    import altair as alt

    colour = colours(["every"])[0]
    inside = alt.FillValue(colour, condition=when(f"datum.{flag}", "transparent"))
    return {"stroke": alt.StrokeValue(colour), "fill": inside}


def when(test: str, value: str | float) -> dict[str, Any]:
    """Return the condition under which a channel has another value; altair's own way takes long to make."""
    return {"test": test, "value": value}


def tooltip(*fields: tuple[str, str] | tuple[str, str, str]) -> list[alt.Tooltip]:
    """Return a tooltip of fields: (key:type, title) or (key:type, title, number format)."""
    import altair as alt

    return [alt.Tooltip(key, title=title, format="".join(how) or alt.Undefined) for key, title, *how in fields]


def down(key: str, names: Sequence[str], *, limit: int = LABEL_LIMIT) -> alt.Y:
    """Return a row for each name, from the top; `limit`: the pixels that a name may take."""
    import altair as alt

    axis = alt.Axis(labelLimit=limit, ticks=False, domain=False)
    return alt.Y(f"{key}:N", title=None, sort=list(names), scale=alt.Scale(domain=list(names)), axis=axis)


def across(key: str, names: Sequence[str]) -> alt.X:
    """Return a column for each name, from the left, with its name slanted above it."""
    import altair as alt

    slant: dict[str, Any] = {"labelAngle": 50, "labelAlign": "right", "labelBaseline": "bottom", "labelLimit": 110}
    axis = alt.Axis(orient="top", ticks=False, domain=False, **slant)
    return alt.X(f"{key}:N", title=None, sort=list(names), scale=alt.Scale(domain=list(names)), axis=axis)


def forest(
    *, y: alt.Y, title: str, tips: Sequence[alt.Tooltip], zero: bool = False, opens: bool = False, **look: Any
) -> alt.LayerChart:
    """Return a dot with its whisker in each row, of the keys `value`, `lo` and `hi`.

    `zero`: with a line at 0. `look`: the encodings of the dots, as of `by_system`.
    """
    import altair as alt

    cursor: Any = POINTER if opens else alt.Undefined
    base = drawn().encode(y=y, tooltip=list(tips))
    line = [alt.Chart(rows()).mark_rule(strokeDash=[4, 3]).encode(x=alt.XDatum(0))] if zero else []
    whiskers = base.transform_filter("isValid(datum.lo)").mark_rule(strokeWidth=2, cursor=cursor)
    dots = base.transform_filter("isValid(datum.value)").mark_point(size=90, opacity=1, filled=True, cursor=cursor)
    hue = {"color": look["color"]} if "color" in look else {}
    ends = whiskers.encode(x=_measure(alt.X, "lo", title), x2="hi:Q", **hue)
    middle = dots.encode(x=_measure(alt.X, "value", title), **look)
    return alt.LayerChart(layer=[*line, ends, middle], width="container", height=alt.Step(STEP))


def _measure(side: type[alt.X | alt.Y], key: str, title: str) -> Any:
    """Return the axis of a measure, which need not begin at 0."""
    axis = {"labelFlush": False, "labelOverlap": True, "labelSeparation": 6, "tickCount": {"expr": "ceil(width / 80)"}}
    return side(f"{key}:Q", title=title, scale={"zero": False}, axis=axis)


def dodged(
    *,
    key: str,
    order: Sequence[str],
    title: str,
    systems: Sequence[str],
    shown: Sequence[str],
    tips: Sequence[alt.Tooltip],
    upright: bool = False,
    opens: bool = False,
) -> alt.LayerChart:
    """Return dots with whiskers, the systems beside each other in each category.

    Of the keys `value`, `lo`, `hi` and `system`. `upright`: categories from left to right, joined by a line.
    """
    import altair as alt

    side = alt.Y if upright else alt.X
    cursor: Any = POINTER if opens else alt.Undefined
    look = by_system(systems, shown=shown, legend=len(shown) > 1)
    base = drawn().encode(tooltip=list(tips), **_places(key, order, shown, upright=upright))
    whiskers = base.transform_filter("isValid(datum.lo)").mark_rule(strokeWidth=1.5, opacity=0.75, cursor=cursor)
    dots = base.transform_filter("isValid(datum.value)").mark_point(filled=True, size=45, opacity=1, cursor=cursor)
    upper = alt.Y2("hi") if upright else alt.X2("hi")
    layers = [
        whiskers.encode(_measure(side, "lo", title), upper, look["color"]),
        dots.encode(_measure(side, "value", title), **look),
    ]
    if upright:
        joined = base.mark_line(strokeWidth=1, opacity=0.5, tooltip=None)
        layers.insert(0, joined.encode(y=_measure(alt.Y, "value", title), color=look["color"]))
    step = alt.Step(max(9, STEP // len(shown)), **{"for": "offset"})
    return alt.LayerChart(layer=layers, width="container", height=220 if upright else step)


def _places(key: str, order: Sequence[str], shown: Sequence[str], *, upright: bool) -> dict[str, Any]:
    """Return the positions of categories, and of systems within them."""
    import altair as alt

    scale = alt.Scale(domain=list(shown))
    if upright:
        return {"x": _categories(key, order), "xOffset": alt.XOffset("system:N", scale=scale)}
    return {"y": down(key, order), "yOffset": alt.YOffset("system:N", scale=scale)}


def _categories(key: str, names: Sequence[str]) -> alt.X:
    """Return a column for each name, apart from the next, whose lines stand under each other below it."""
    import altair as alt

    room: Any = alt.expr("1.6 * bandwidth('x')")
    lines = "split(datum.label, '\\n')"
    axis = alt.Axis(labelAngle=0, labelExpr=lines, labelLimit=room, labelFontSize=11, ticks=False)
    scale = alt.Scale(domain=list(names), paddingInner=0.4, paddingOuter=0.2)
    return alt.X(f"{key}:N", title=None, sort=list(names), scale=scale, axis=axis)


def symmetric(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the ends of colours that diverge from 0, equally far on both sides."""
    largest = max((abs(value) for value in values if value is not None), default=1.0) or 1.0
    return -largest, largest


def heat(
    *,
    x: alt.X,
    y: alt.Y,
    value: str,
    tips: Sequence[alt.Tooltip],
    label: str = ".2f",
    domain: tuple[float, float] | None = None,
    diverging: bool = False,
    faint: str | None = None,
    opens: bool = True,
    written: str | None = None,
) -> alt.LayerChart:
    """Return a heat map with the value written in each cell; undefined ones are blank.

    `faint`: the key of a flag for what is not significant; the others get an asterisk. `domain`: the values at the ends
    of the colours; those beyond are coloured as the ends are. `written`: the key of what is written, where it is not
    what the colour shows. `diverging`: from 0; give it a domain that is `symmetric`.
    """
    import altair as alt

    scale: dict[str, Any] = {"scheme": DIVERGING if diverging else SEQUENTIAL}
    if domain is not None:
        scale |= {"domain": list(domain), "clamp": True}
    if diverging:
        scale["domainMid"] = 0
    cursor: Any = POINTER if opens else alt.Undefined
    base = drawn().transform_filter(f"isValid(datum.{value})").encode(x=x, y=y, tooltip=list(tips))
    cells = base.mark_rect(cursor=cursor, stroke="#80808040").encode(
        color=alt.Color(f"{value}:Q", scale=alt.Scale(**scale), legend=None)
    )
    star = "" if faint is None else f" + (datum.{faint} ? '' : '*')"
    words = (
        base.transform_calculate(words=f"format(datum.{written or value}, '{label}'){star}")
        .mark_text(cursor=cursor, fontSize=alt.expr(FITTED))
        .encode(text="words:N", color=alt.ColorValue(DARK_TEXT, condition=when(_is_dark(value), LIGHT_TEXT)))
    )
    return alt.LayerChart(layer=[cells, words], width="container", height=alt.Step(STEP))


_ROOM = "(bandwidth('x') - 4) / (0.65 * max(5, length(datum.words)))"
FITTED = f"{_ROOM} < 8 ? 0 : min(12, {_ROOM})"
"""The size of letters with which words fit in their cell; 0 where they would be too small to read."""


def _is_dark(value: str) -> str:
    """Return when light letters are better to read on a cell's colour, as an expression."""
    colour = f"scale('color', datum.{value})"
    return f"contrast('{LIGHT_TEXT}', {colour}) > contrast('{DARK_TEXT}', {colour})"
