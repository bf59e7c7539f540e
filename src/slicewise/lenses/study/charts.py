"""Charts of a study: systems × data sets, attributes by system and by data set, relative changes, diagnoses."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from slicewise.errors import counted
from slicewise.lenses.study.view import FEW_PAIRS, survives
from slicewise.render.figures import SLICE, Field, Figure, Kind, Row
from slicewise.render.marks import across, by_name, down, drawn, heat, symmetric, tooltip
from slicewise.results.chart_rows import hidden, more_note, safely_named
from slicewise.results.rows import row_of
from slicewise.results.slices import bucket_slice
from slicewise.stats.multiplicity import ALPHA

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from slicewise.lenses.study.result import AttributeWise, Change, ModelWise, StudyDiagnosis, StudyResult

MEAN = "mean of all"
"""The column of the mean over data sets."""
MOST_SYSTEMS = 40
"""Systems below each other in a chart."""
MOST_POLYGONS = 6
"""Data sets in one radar."""
MOST_BUCKETS = 60
"""Buckets below each other in a chart."""
MOST_DIAGNOSES = 400
"""Rows of the table of diagnoses."""
RADIUS = 100
"""Pixels from the middle of a radar to its edge."""
RIM = {"x": 1.5, "y": 1.2}
"""Where a radar's picture ends, as a multiple of its radius: the names of the spokes stand there."""
WEB = "#80808060"
"""The colour of a radar's rings and spokes, on light and on dark."""


class ChartMeasure(NamedTuple):
    """What a heat map or a radar shows: its key, its name, what it is, and how it is written."""

    key: str
    name: str
    what: str
    kind: Kind
    label: str
    domain: tuple[float, float] | None


def figures(result: StudyResult) -> list[Figure]:
    """Return the figures, the most important first."""
    drawn_figures = [_holistic(result)]
    drawn_figures += [figure for measure in _of_models(result) if (figure := _model_wise(result, measure))]
    for part in (_attribute_wise, _radar):
        drawn_figures += [figure for measure in _of_attributes(result) if (figure := part(result, measure))]
    drawn_figures += [figure for pair in _pairs(result) if (figure := _changes(result, *pair))]
    return safely_named(drawn_figures + ([_diagnoses(result)] if result.diagnoses else []))


def _of_models(result: StudyResult) -> list[ChartMeasure]:
    spearman = f"Spearman's rank correlation of bucket and {result.metric}"
    return [
        ChartMeasure("spearman", "ρ", spearman, "signed", "+.2f", (-1.0, 1.0)),
        ChartMeasure("std", "σ", f"the standard deviation of {result.metric} over buckets", "score", ".2f", None),
    ]


def _of_attributes(result: StudyResult) -> list[ChartMeasure]:
    zeta = "the mean of an attribute over gold units, as a share of the largest of all data sets"
    rho = f"the mean over systems of |Spearman's rank correlation| of bucket and {result.metric}"
    return [
        ChartMeasure("zeta_relative", "ζ", zeta, "score", ".2f", (0.0, 1.0)),
        ChartMeasure("rho", "ρ", rho, "score", ".2f", (0.0, 1.0)),
    ]


def _holistic(result: StudyResult) -> Figure:
    """Return systems × data sets, with the mean over data sets."""
    places = [*result.datasets, MEAN] if len(result.datasets) > 1 else list(result.datasets)
    rows: list[Row] = [
        {"system": h.system, "column": h.dataset or MEAN, "value": h.value, "std": h.std, "runs": h.runs or None}
        | ({"dataset": h.dataset, "n": h.n} if h.dataset is not None else {"n": None})
        | hidden(unless=result.systems.index(h.system) < MOST_SYSTEMS)
        for h in result.holistic
        if h.dataset is not None or len(result.datasets) > 1
    ]

    def draw() -> alt.TopLevelMixin:
        tips: list[Any] = [("system:N", "system"), ("column:N", "data set"), ("value:Q", result.metric, ".4f")]
        x, y = across("column", places), down("system", result.systems[:MOST_SYSTEMS])
        return heat(x=x, y=y, value="value", tips=tooltip(*tips), label=".3f", opens=False)

    fields = (
        Field("system", "system"), Field("column", "data set"), Field("value", result.metric, "score"),
        Field("std", "std of runs", "score"), Field("runs", "runs", "count"), Field("n", "gold units", "count"),
    )  # fmt: skip
    caption = f"Each cell is a system's {result.metric} on a data set; blank: the system is missing there."
    note = more_note(MOST_SYSTEMS, len(result.systems), "systems")
    return Figure("holistic", f"{result.metric} of every system on every data set", caption, fields, rows, draw, note)


def _friedman(test: ModelWise | AttributeWise) -> Row:
    """Return Friedman's test; `faint` where it is not significant."""
    failed = test.friedman_q is None or test.friedman_q >= ALPHA
    return {"p": test.friedman_p, "q": test.friedman_q, **({"faint": True} if failed else {})}


def _tested(rows: Sequence[Row]) -> str:
    """Return how an asterisk is read, where there can be any."""
    return f"; an asterisk: q < {ALPHA} in Friedman's test" if any(row["q"] is not None for row in rows) else ""


def _model_wise(result: StudyResult, measure: ChartMeasure) -> Figure | None:
    """Return how attributes move each system: systems × attributes, averaged over data sets."""
    rows: list[Row] = [
        {"system": m.system, "attribute": m.attribute, "value": getattr(m, measure.key), **_friedman(m)}
        | hidden(unless=result.systems.index(m.system) < MOST_SYSTEMS)
        for m in result.model_wise
        if m.dataset is None
    ]
    over = ", averaged over data sets" if len(result.datasets) > 1 else ""
    caption = f"Each cell is {measure.what}, of a system and an attribute{over}{_tested(rows)}."
    restarts = " and restarts" if result.restarts == "blocks" else ""
    note = f"Friedman's test: blocks are data sets{restarts}, treatments are buckets. "
    note += more_note(MOST_SYSTEMS, len(result.systems), "systems")
    title = f"What attributes do to systems: {measure.name} of {result.metric}"
    y = ("system", result.systems[:MOST_SYSTEMS])
    return _heat_of(result, f"model-wise-{measure.key}", title, caption, note.strip(), measure, rows, y)


def _attribute_wise(result: StudyResult, measure: ChartMeasure) -> Figure | None:
    """Return data sets × attributes."""
    with_test = measure.key == "rho"
    rows: list[Row] = [
        {"dataset": a.dataset, "attribute": a.attribute, "value": getattr(a, measure.key), "zeta": a.zeta}
        | (_friedman(a) if with_test else {"p": None, "q": None})
        for a in result.attribute_wise
    ]
    caption = f"Each cell is {measure.what}{_tested(rows)}."
    note = "Friedman's test: blocks are systems, treatments are buckets." if with_test else ""
    title = f"Attributes on data sets: {measure.name}"
    y = ("dataset", result.datasets)
    return _heat_of(result, f"attribute-wise-{measure.key}", title, caption, note, measure, rows, y)


def _heat_of(
    result: StudyResult,
    name: str,
    title: str,
    caption: str,
    note: str,
    measure: ChartMeasure,
    cells: Sequence[Row],
    rows: tuple[str, Sequence[str]],
) -> Figure | None:
    """Return a figure of systems or data sets × attributes."""
    measured = {row["attribute"] for row in cells if row["value"] is not None}
    if not measured:
        return None
    names = [name for name in result.attributes if name in measured]
    cells = [row for row in cells if row["attribute"] in measured]
    key, of = rows[0], {"dataset": "data set"}.get(rows[0], rows[0])
    tested = any(row["q"] is not None for row in cells)

    def draw() -> alt.TopLevelMixin:
        tips: list[Any] = [(f"{key}:N", of), ("attribute:N", "attribute"), ("value:Q", measure.name, ".4f")]
        tips += [("p:Q", "Friedman p", ".3g"), ("q:Q", "q", ".3g")] if tested else []
        return heat(
            x=across("attribute", names), y=down(*rows), value="value", tips=tooltip(*tips), label=measure.label,
            domain=measure.domain, diverging=measure.kind == "signed", faint="faint" if tested else None, opens=False,
        )  # fmt: skip

    fields = [Field(key, of), Field("attribute", "attribute"), Field("value", measure.name, measure.kind)]
    fields += [Field("zeta", "mean", "number")] if measure.key == "zeta_relative" else []
    fields += [Field("p", "Friedman p", "p"), Field("q", "q", "p")] if tested else []
    return Figure(name, title, caption, tuple(fields), cells, draw, note)


def _radar(result: StudyResult, measure: ChartMeasure) -> Figure | None:
    """Return a polygon for each data set, over the attributes; where there are fewer than three, none."""
    values = {(a.dataset, a.attribute): v for a in result.attribute_wise if (v := getattr(a, measure.key)) is not None}
    names = [name for name in result.attributes if any(attribute == name for _, attribute in values)]
    if len(names) < 3:
        return None
    rows = [
        {"dataset": dataset, "attribute": name, "value": values.get((dataset, name)), "spoke": i}
        | _polar(values.get((dataset, name)), i / len(names), edge=j == 0)
        | hidden(unless=j < MOST_POLYGONS)
        for j, dataset in enumerate(result.datasets)
        for i, name in enumerate(names)
    ]
    fields = (Field("dataset", "data set"), Field("attribute", "attribute"), Field("value", measure.name, measure.kind))
    caption = (
        f"Each polygon is a data set; the further out it is on an attribute's spoke (to 1), the larger {measure.what}."
    )
    note = more_note(MOST_POLYGONS, len(result.datasets), "data sets")
    title = f"Attributes on data sets as a radar: {measure.name}"
    shown = result.datasets[:MOST_POLYGONS]
    name = f"radar-{measure.key.partition('_')[0]}"
    return Figure(
        name, title, caption, fields, rows, lambda: _polygons(result.datasets, shown, measure), note, wide=False
    )


def _polar(value: float | None, turn: float, *, edge: bool) -> Row:
    """Return a value's point on its spoke, clockwise from the top; once per spoke, also the spoke's end."""
    across_, up = sin(2 * pi * turn), cos(2 * pi * turn)
    point: Row = {"x": None if value is None else value * across_, "y": None if value is None else value * up}
    side = "middle" if abs(across_) < 0.2 else "left" if across_ > 0 else "right"
    return point | ({"end_x": across_, "end_y": up, "side": side} if edge else {})


def _polygons(datasets: Sequence[str], shown: Sequence[str], measure: ChartMeasure) -> alt.TopLevelMixin:
    """Return a radar: rings and spokes, the polygons over them, and the attributes' names around them."""
    import altair as alt

    look = by_name("dataset", datasets, shown=shown)
    tips = tooltip(("dataset:N", "data set"), ("attribute:N", "attribute"), ("value:Q", measure.name, ".3f"))
    defined = drawn().transform_filter("isValid(datum.x)")
    points = defined.encode(order="spoke:Q", tooltip=tips, **_at("x", "y"))
    lines = points.mark_line(interpolate="linear-closed", strokeWidth=2).encode(color=look["color"])
    dots = points.mark_point(filled=True, size=50, opacity=1).encode(**look)
    names = [_spoke_names("left", "left"), _spoke_names("middle", "center"), _spoke_names("right", "right")]
    width, height = (round(2 * RADIUS * rim) for rim in RIM.values())
    return alt.LayerChart(layer=[*_web(), lines, dots, *names], width=width, height=height)


def _at(x: str, y: str) -> dict[str, Any]:
    """Return the place of two keys in a radar, whose middle is 0."""
    return {
        channel: {
            "field": key,
            "type": "quantitative",
            "axis": None,
            "scale": {"domain": [-RIM[channel], RIM[channel]]},
        }
        for channel, key in (("x", x), ("y", y))
    }


def _web() -> list[alt.Chart]:
    """Return the rings and the spokes of a radar."""
    import altair as alt

    radius = alt.Radius("data:Q", scale=alt.Scale(domain=[0, 4], range=[0, RADIUS]), stack=None)
    rings = alt.Chart(alt.sequence(1, 5)).mark_arc(theta=0, theta2=2 * pi, filled=False, stroke=WEB, strokeWidth=1)
    ends = drawn().transform_filter("isValid(datum.end_x)").mark_rule(stroke=WEB)
    return [rings.encode(radius=radius), ends.encode(x2=alt.X2Datum(0), y2=alt.Y2Datum(0), **_at("end_x", "end_y"))]


def _spoke_names(side: str, align: Literal["left", "center", "right"]) -> alt.Chart:
    """Return the attributes' names at the ends of the spokes that point to one side."""
    chart = drawn().transform_filter(f"isValid(datum.end_x) && datum.side == '{side}'")
    chart = chart.transform_calculate(out_x="1.08 * datum.end_x", out_y="1.1 * datum.end_y")
    words = chart.mark_text(align=align, baseline="middle", fontSize=11, limit=90)
    named: alt.Chart = words.encode(text="attribute:N", **_at("out_x", "out_y"))
    return named


def _pairs(result: StudyResult) -> list[tuple[str, str]]:
    """Return the pairs whose changes are drawn: those of --compare, or the first few."""
    return result.pairs if result.compared else result.pairs[:FEW_PAIRS]


def _changes(result: StudyResult, a: str, b: str) -> Figure | None:
    """Return the relative change of one system against another, buckets × data sets."""
    changes = [c for c in result.relative_changes if (c.a, c.b) == (a, b)]
    names = list(dict.fromkeys(_bucket(c) for c in changes if c.change is not None))
    drawn_changes = [c for c in changes if _bucket(c) in set(names)]
    if not names:
        return None
    shown = set(names[:MOST_BUCKETS])
    rows: list[Row] = [
        {
            "dataset": c.dataset, "attribute": c.attribute, "bucket": c.bucket, "row": _bucket(c), "value": c.change,
            SLICE: bucket_slice(c.attribute, c.bucket), **hidden(unless=_bucket(c) in shown),
        }
        for c in drawn_changes
    ]  # fmt: skip

    def draw() -> alt.TopLevelMixin:
        tips: list[Any] = [("dataset:N", "data set"), ("attribute:N", "attribute"), ("bucket:N", "bucket")]
        tips.append(("value:Q", "change", "+.1%"))
        _, largest = symmetric(row["value"] for row in rows if "hidden" not in row)
        ends = (-min(largest, 1.0), min(largest, 1.0))
        x, y = across("dataset", result.datasets), down("row", names[:MOST_BUCKETS])
        return heat(x=x, y=y, value="value", tips=tooltip(*tips), label="+.0%", domain=ends, diverging=True)

    fields = (
        Field("dataset", "data set"), Field("attribute", "attribute"), Field("bucket", "bucket"),
        Field("value", "change", "share"),
    )  # fmt: skip
    caption = f"Each cell is the change of {result.metric} from {b} to {a}, as a share of {b}'s; blank: undefined."
    left = len(result.pairs) - len(_pairs(result))
    note = f"{more_note(MOST_BUCKETS, len(names), 'buckets')} "
    note += f"{counted(left, 'more pair')} of systems not shown." if left else ""
    title = f"Relative change of {result.metric}: {a} against {b}"
    return Figure(f"change-{a}-{b}", title, caption, fields, rows, draw, note.strip(), tab=f"{a} against {b}")


def _bucket(change: Change) -> str:
    """Return the row of a bucket, the same on all data sets."""
    return f"{change.attribute}: {change.treatment}"


def _diagnoses(result: StudyResult) -> Figure:
    """Return the diagnoses: those that survive correction first, then the widest."""
    ordered = sorted(result.diagnoses, key=lambda d: (not survives(d), -abs(d.difference or 0.0), d.a, d.attribute))
    rows = [_diagnosis_row(d) for d in ordered[:MOST_DIAGNOSES]]
    fields = [Field("what", "diagnosis"), Field("attribute", "attribute"), Field("where", "on")]
    fields += [Field("best", "bucket"), Field("worst", "worst bucket")]
    fields.append(Field("value", "difference", "signed", ("lo", "hi")))
    fields += [Field("p", "p", "p"), Field("q", "q", "p"), Field("survives", "survives")]
    caption = (
        "Where each system is best and worst, and where the difference of two systems is largest and smallest; those "
        "that survive correction first."
    )
    tests = "; ".join(dict.fromkeys(d.test for d in ordered if d.test))
    note = f"Tested by {tests}; q: Benjamini–Hochberg." if tests else ""
    left = len(ordered) - len(rows)
    note += f" {counted(left, 'more diagnosis', 'more diagnoses')} left out." if left else ""
    return Figure("diagnoses", "Diagnoses", caption, tuple(fields), rows, None, note.strip(), table_first=True)


def _diagnosis_row(d: StudyDiagnosis) -> Row:
    title = f"{d.a}: best − worst" if d.b is None else f"{d.a} − {d.b}, {d.kind}"
    row: Row = {"what": title, "attribute": d.attribute, "where": d.dataset or d.group or "all data sets"}
    row |= {"best": d.best, "worst": d.worst, "value": d.difference} | row_of(d, "ci", "p", "q")
    row["survives"] = "yes" if survives(d) else "no"
    bucket = d.best if d.b is not None else d.worst
    if d.dataset is None or bucket is None:
        return row
    return row | {"dataset": d.dataset, SLICE: bucket_slice(d.attribute, bucket)}
