"""A ranked list of features as charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.errors import counted
from slicewise.lenses.ranking.sentences import NOUNS, adjusted_in_words
from slicewise.render.figures import SLICE, Field, Figure, Kind, Row
from slicewise.render.marks import POINTER, drawn, rows, when
from slicewise.results.chart_rows import has_values, hidden, known_tips, more_note, with_values
from slicewise.results.rows import bounds_row
from slicewise.results.slices import feature_slice
from slicewise.stats.multiplicity import ALPHA

if TYPE_CHECKING:
    import altair as alt

    from slicewise.lenses.ranking.result import Feature, FeatureList

DRAWN = 20
"""Features that have a bar."""
LEFT = "scale('x', datum.n) < width / 2"
"""Whether a dot is on the left, so that there is room on its right."""
SCORES = {"items": "mean score", "gold": "share found", "returned": "share right"}
LOW = {"items": "low scores", "gold": "gold units that are missed", "returned": "returned units that are spurious"}
HIGH = {"items": "high scores", "gold": "gold units that are found", "returned": "returned units that are right"}
NAMED, APART = 4, 0.08
"""Features whose name stands beside their dot, at most, and how far apart these are, of the range."""


def ranked_figures(of: FeatureList, name: str, title: str, place: tuple[str, str], compared: str) -> list[Figure]:
    """Return a list as a ranking and as effects.

    `place`: what slices call the population and the system. `compared`: what is compared with that of the rest.
    """
    if not of.features:
        return []
    rows_of_list = [_row(i, feature, place, adjusted=bool(of.adjusted_for)) for i, feature in enumerate(of.features, 1)]
    return [
        _ranking(of, f"features{name}", title, rows_of_list, compared),
        _effects(of, f"feature-effects{name}", title, rows_of_list, compared),
    ]


def _row(rank: int, f: Feature, place: tuple[str, str], *, adjusted: bool) -> Row:
    row: Row = {
        "rank": rank, "feature": f.feature, "n": f.n, "metric": f.metric, "rest": f.rest_metric,
        "difference": f.difference, "raw": f.raw_difference if adjusted else None,
        "p": f.p if adjusted else None, "raw_p": f.raw_p if adjusted else None,
        "gain": f.expected_improvement, "raw_gain": f.raw_expected_improvement, "auc": f.auc, "tau": f.tau,
        "q": f.q, "sure": f.q is not None and f.q < ALPHA, "folded": "; ".join(f.folded),
        SLICE: feature_slice(*place, f.feature),
    }  # fmt: skip
    return row | bounds_row(f.ci) | hidden(unless=rank <= DRAWN)


def _ranking(of: FeatureList, name: str, title: str, table: list[Row], compared: str) -> Figure:
    """Return the features in their order, with a bar for what each goes with."""
    value = of.metric if of.against is None else "ratio" if of.ratio else "change"
    kind: Kind = "score" if of.against is None or of.ratio else "signed"
    fields = [
        Field("feature", "feature"), Field("n", "n", "count"), Field("metric", value, kind),
        Field("rest", "rest", kind),
        Field("difference", "difference", "signed", ("lo", "hi")), Field("raw", "raw difference", "signed"),
        Field("p", "p", "p"), Field("raw_p", "raw p", "p"), Field("q", "q", "p"),
        Field("gain", "gain", "signed"), Field("raw_gain", "raw gain", "signed"),
        Field("auc", "AUC", "score"), Field("tau", "τ", "signed"),
        Field("folded", "also"),
    ]  # fmt: skip
    whiskers = "; the whisker is the interval" if has_values(table, "lo") else ""
    caption = (
        f"Each bar is a feature: the {compared} of the {NOUNS[of.over]}s that have it, less that of the rest{whiskers}."
        f" Bars are full where q < {ALPHA}, hollow where not."
    )
    return Figure(
        name,
        title,
        caption,
        with_values(fields, table),
        table,
        lambda: _bars(table, compared),
        note=_note(of, table),
        table_first=True,
        tab=place_of(of),
    )


def _note(of: FeatureList, table: list[Row]) -> str:
    tested = f"{counted(of.tested, 'feature')} tested on {counted(of.n, NOUNS[of.over])}"
    parts = [f"{tested}, {of.significant:,} with q < {ALPHA}.", *adjusted_in_words(of)]
    parts += [] if of.interval is None else [f"Intervals of differences: {of.interval}."]
    if has_values(table, "gain"):
        parts.append(
            "gain: what the score would rise by if these were as the others, shrunk, as it was picked for being large; "
            "raw gain: as measured."
        )
    if has_values(table, "folded"):
        parts.append("also: features of (nearly) the same rows.")
    parts.append(more_note(DRAWN, len(table), "features"))
    return " ".join(parts).strip()


def _tips(table: list[Row]) -> list[alt.Tooltip]:
    return known_tips(
        table,
        ("feature:N", "feature"), ("n:Q", "n", ",d"), ("metric:Q", "here", ".4f"), ("rest:Q", "rest", ".4f"),
        ("difference:Q", "difference", "+.4f"), ("lo:Q", "from", "+.4f"), ("hi:Q", "to", "+.4f"), ("q:Q", "q", ".2~g"),
    )  # fmt: skip


def _bars(table: list[Row], compared: str) -> alt.TopLevelMixin:
    import altair as alt

    title = f"{compared}, less the rest"
    y = alt.Y("feature:N", sort=None, title=None, axis=alt.Axis(labelLimit=170))
    base = drawn().encode(y=y, tooltip=_tips(table))
    bars = base.mark_bar(cursor=POINTER, stroke="#4c78a8").encode(
        x=alt.X("difference:Q", title=title, axis=alt.Axis(tickCount=6)),
        fillOpacity=alt.FillOpacityValue(0, condition=when("datum.sure", 0.5)),
    )
    whiskers = base.mark_rule(strokeWidth=2).encode(x="lo:Q", x2="hi:Q")
    return alt.layer(bars, whiskers).properties(width="container", height=alt.Step(20))


def _effects(of: FeatureList, name: str, title: str, table: list[Row], compared: str) -> Figure:
    """Return effect against frequency."""
    keys = ("rank", "feature", "n", "metric", "rest", "difference", "lo", "hi", "q", "sure", SLICE)
    dots: list[Row] = [{key: row[key] for key in keys} for row in table]
    for row in _named(dots):
        row["name"] = row["feature"]
    fields = (
        Field("feature", "feature"), Field("n", "n", "count"),
        Field("difference", "difference", "signed", ("lo", "hi")), Field("q", "q", "p"),
    )  # fmt: skip
    caption = (
        f"Each dot is a feature: to the right those that many {NOUNS[of.over]}s have, farther from the line those with "
        f"another {compared} than the rest. Dots are full where q < {ALPHA}, hollow where not."
    )
    return Figure(
        name,
        f"{title}, by frequency",
        caption,
        fields,
        dots,
        lambda: _dots(dots, NOUNS[of.over], compared),
        wide=False,
        tab=place_of(of),
    )


def _named(table: list[Row]) -> list[Row]:
    """Return the first features whose names do not cover each other."""
    defined = [row for row in table if row["difference"] is not None]
    values = [0.0, *(row["difference"] for row in defined)]
    least = APART * (max(values) - min(values))
    named: list[Row] = []
    for row in defined:
        if len(named) < NAMED and all(abs(row["difference"] - other["difference"]) > least for other in named):
            named.append(row)
    return named


def _dots(table: list[Row], noun: str, compared: str) -> alt.TopLevelMixin:
    import altair as alt

    base = alt.Chart(rows()).encode(
        x=alt.X("n:Q", title=f"{noun}s that have it", scale=alt.Scale(type="log", nice=False, padding=12)),
        y=alt.Y("difference:Q", title=f"{compared}, less the rest", scale=alt.Scale(zero=True, padding=12)),
        tooltip=_tips(table),
    )
    dots = base.mark_point(cursor=POINTER, size=70, filled=True, opacity=1, stroke="#4c78a8").encode(
        fillOpacity=alt.FillOpacityValue(0, condition=when("datum.sure", 0.8)),
    )
    names = (
        base.transform_filter("isValid(datum.name)")
        .mark_text(
            align=alt.expr(f"{LEFT} ? 'left' : 'right'"), dx=alt.expr(f"{LEFT} ? 8 : -8"), limit=120, fontSize=11
        )
        .encode(text="name:N")
    )
    zero = alt.Chart(rows()).mark_rule(strokeDash=[4, 3]).encode(y=alt.YDatum(0))
    return alt.layer(zero, dots, names).properties(width="container", height=260)


def place_of(of: FeatureList) -> str:
    """Return the system, or the step from one to another."""
    return of.system if of.against is None else f"{of.against}→{of.system}"
