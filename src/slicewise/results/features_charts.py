"""Charts of features: the ranking with what each goes with, effect against frequency, confusions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.errors import counted
from slicewise.render.figures import SLICE, Field, Figure, Kind, Row
from slicewise.render.marks import POINTER, drawn, rows, when
from slicewise.results.chart_rows import ends, has_values, hidden, known_tips, more_note, with_values
from slicewise.results.files import safe_name, unique
from slicewise.results.slices import feature_slice

if TYPE_CHECKING:
    import altair as alt

    from slicewise.results.features import Feature, FeatureList, FeaturesResult

ALPHA = 0.05
DRAWN = 20
"""Features that have a bar."""
NAMED, APART = 4, 0.08
"""Features whose name stands beside their dot, at most, and how far apart these are, of the range."""
LEFT = "scale('x', datum.n) < width / 2"
"""Whether a dot is on the left, so that there is room on its right."""
NOUNS = {"items": "item", "gold": "gold unit", "returned": "returned unit"}
SCORES = {"items": "mean score", "gold": "share found", "returned": "share right"}
LOW = {"items": "low scores", "gold": "gold units that are missed", "returned": "returned units that are spurious"}
HIGH = {"items": "high scores", "gold": "gold units that are found", "returned": "returned units that are right"}
CHANGED = {"items": "", "gold": " in gold units", "returned": " in returned units"}


def figures(result: FeaturesResult) -> list[Figure]:
    """Return the figures of every list, in their order."""
    names = unique([safe_name("-".join((of.over, _place(of)))) for of in result.lists])
    return [
        figure
        for of, name in zip(result.lists, names, strict=True)
        for figure in (
            *ranked_figures(of, f"-{name}", _title(of), (of.over, _place(of)), _compared(of)),
            *_confusions(of, name),
        )
    ]


def ranked_figures(of: FeatureList, name: str, title: str, place: tuple[str, str], compared: str) -> list[Figure]:
    """Return a list as a ranking and as effects.

    `place`: what slices call the population and the system. `compared`: what is compared with that of the rest.
    """
    if not of.features:
        return []
    found = [_row(i, one, place) for i, one in enumerate(of.features, 1)]
    return [
        _ranking(of, f"features{name}", title, found, compared),
        _effects(of, f"feature-effects{name}", title, found, compared),
    ]


def _place(of: FeatureList) -> str:
    """Return the system, or the step from one to another."""
    return of.system if of.against is None else f"{of.against}→{of.system}"


def _title(of: FeatureList) -> str:
    if of.against is not None:
        turn = "worse" if of.direction == "worsening" else "better"
        return f"What gets {turn} from {of.against} to {of.system}{CHANGED[of.over]}"
    return f"{of.system}: what goes with {(LOW if of.direction == 'worst' else HIGH)[of.over]}"


def _row(rank: int, one: Feature, place: tuple[str, str]) -> Row:
    row: Row = {
        "rank": rank, "feature": one.feature, "n": one.n, "metric": one.metric, "rest": one.rest_metric,
        "difference": one.difference, "gain": one.expected_improvement, "auc": one.auc,
        "tau": one.tau, "q": one.q, "sure": one.q is not None and one.q < ALPHA, "folded": "; ".join(one.folded),
        SLICE: feature_slice(*place, one.feature),
    }  # fmt: skip
    return row | ends(one.ci) | hidden(unless=rank <= DRAWN)


def _ranking(of: FeatureList, name: str, title: str, found: list[Row], compared: str) -> Figure:
    """Return the features in their order, with a bar for what each goes with."""
    value = of.metric if of.against is None else "ratio" if of.ratio else "change"
    kind: Kind = "score" if of.against is None or of.ratio else "signed"
    fields = [
        Field("feature", "feature"), Field("n", "n", "count"), Field("metric", value, kind),
        Field("rest", "rest", kind),
        Field("difference", "difference", "signed", ("lo", "hi")), Field("q", "q", "p"),
        Field("gain", "gain", "signed"), Field("auc", "AUC", "score"), Field("tau", "τ", "signed"),
        Field("folded", "also"),
    ]  # fmt: skip
    whiskers = "; the whisker is the interval" if has_values(found, "lo") else ""
    said = (
        f"Each bar is a feature: the {compared} of the {NOUNS[of.over]}s that have it, less that of the rest{whiskers}."
        f" Bars are full where q < {ALPHA}, hollow where not."
    )
    return Figure(
        name,
        title,
        said,
        with_values(fields, found),
        found,
        lambda: _bars(found, compared),
        note=_note(of, found),
        table_first=True,
        tab=_place(of),
    )


def _compared(of: FeatureList) -> str:
    """Say what is compared."""
    return SCORES[of.over] if of.against is None else f"change in {SCORES[of.over]}"


def _note(of: FeatureList, found: list[Row]) -> str:
    tested = f"{counted(of.tested, 'feature')} tested on {counted(of.n, NOUNS[of.over])}"
    parts = [f"{tested}, {of.significant:,} with q < {ALPHA}."]
    if has_values(found, "gain"):
        parts.append("gain: what the score would rise by if these were as the others.")
    if has_values(found, "folded"):
        parts.append("also: features of (nearly) the same rows.")
    parts.append(more_note(DRAWN, len(found), "features"))
    return " ".join(parts).strip()


def _tips(found: list[Row]) -> list[alt.Tooltip]:
    return known_tips(
        found,
        ("feature:N", "feature"), ("n:Q", "n", ",d"), ("metric:Q", "here", ".4f"), ("rest:Q", "rest", ".4f"),
        ("difference:Q", "difference", "+.4f"), ("lo:Q", "from", "+.4f"), ("hi:Q", "to", "+.4f"), ("q:Q", "q", ".2~g"),
    )  # fmt: skip


def _bars(found: list[Row], compared: str) -> alt.TopLevelMixin:
    import altair as alt

    title = f"{compared}, less the rest"
    y = alt.Y("feature:N", sort=None, title=None, axis=alt.Axis(labelLimit=170))
    base = drawn().encode(y=y, tooltip=_tips(found))
    bars = base.mark_bar(cursor=POINTER, stroke="#4c78a8").encode(
        x=alt.X("difference:Q", title=title, axis=alt.Axis(tickCount=6)),
        fillOpacity=alt.FillOpacityValue(0, condition=when("datum.sure", 0.5)),
    )
    whiskers = base.mark_rule(strokeWidth=2).encode(x="lo:Q", x2="hi:Q")
    return alt.layer(bars, whiskers).properties(width="container", height=alt.Step(20))


def _effects(of: FeatureList, name: str, title: str, found: list[Row], compared: str) -> Figure:
    """Return effect against frequency."""
    keys = ("rank", "feature", "n", "metric", "rest", "difference", "lo", "hi", "q", "sure", SLICE)
    own: list[Row] = [{key: row[key] for key in keys} for row in found]
    for row in _named(own):
        row["name"] = row["feature"]
    fields = (
        Field("feature", "feature"), Field("n", "n", "count"),
        Field("difference", "difference", "signed", ("lo", "hi")), Field("q", "q", "p"),
    )  # fmt: skip
    said = (
        f"Each dot is a feature: to the right those that many {NOUNS[of.over]}s have, farther from the line those with "
        f"another {compared} than the rest. Dots are full where q < {ALPHA}, hollow where not."
    )
    return Figure(
        name,
        f"{title}, by frequency",
        said,
        fields,
        own,
        lambda: _dots(own, NOUNS[of.over], compared),
        wide=False,
        tab=_place(of),
    )


def _named(found: list[Row]) -> list[Row]:
    """Return the first features whose names do not cover each other."""
    known = [row for row in found if row["difference"] is not None]
    values = [0.0, *(row["difference"] for row in known)]
    least = APART * (max(values) - min(values))
    named: list[Row] = []
    for row in known:
        if len(named) < NAMED and all(abs(row["difference"] - one["difference"]) > least for one in named):
            named.append(row)
    return named


def _dots(found: list[Row], noun: str, compared: str) -> alt.TopLevelMixin:
    import altair as alt

    base = alt.Chart(rows()).encode(
        x=alt.X("n:Q", title=f"{noun}s that have it", scale=alt.Scale(type="log", nice=False, padding=12)),
        y=alt.Y("difference:Q", title=f"{compared}, less the rest", scale=alt.Scale(zero=True, padding=12)),
        tooltip=_tips(found),
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


def _confusions(of: FeatureList, name: str) -> list[Figure]:
    """Return what was returned instead of what."""
    if not of.confusions:
        return []
    found = [
        {
            "feature": one.feature, "n": one.n, "gain": one.expected_improvement,
            SLICE: feature_slice(of.over, _place(of), one.feature),
        }
        for one in of.confusions
    ]  # fmt: skip
    fields = (Field("feature", "expected ~ returned"), Field("n", "n", "count"), Field("gain", "gain", "signed"))
    said = (
        "What was expected and what was returned instead, the most frequent first; wrong by construction, not tested."
    )
    return [
        Figure(
            f"feature-confusions-{name}", f"{_place(of)}: confusions", said, fields, found, wide=False, tab=_place(of)
        )
    ]
