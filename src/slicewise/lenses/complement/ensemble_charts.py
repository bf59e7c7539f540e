"""Charts of what systems would score together: one more at a time, ensembles, votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.render.figures import Field, Figure, Kind, Row
from slicewise.render.marks import by_name, drawn, forest
from slicewise.results.chart_rows import has_values, hidden, known_tips, more_note, with_values
from slicewise.results.estimates import WILSON
from slicewise.results.rows import bounds_row, row_of, scores_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import altair as alt

    from slicewise.lenses.complement.result import ComplementResult, EnsembleScore

STEPS = 20
"""Systems that are drawn in the curve."""
BEST = 15
"""Ensembles whose gain is drawn."""
SCORES = {"precision": "precision", "recall": "recall", "f1": "F1"}
LINES = {"recall": "union: recall", "union_f1": "union: F1", "vote_f1": "best vote: F1"}
SIGNS = {"union": " ∪ ", "intersection": " ∩ "}
KINDS = ("union", "intersection", "vote", "cross-validated")


def best_first(result: ComplementResult) -> list[str]:
    """Return the systems by F1 (of scored items, by what they find)."""

    def key(name: str) -> tuple[float, str]:
        value = _score(result.systems[name])
        return (1.0 if value is None else -value, name)

    return sorted(result.systems, key=key)


def _score(ensemble: EnsembleScore) -> float | None:
    return ensemble.recall if ensemble.f1 is None else ensemble.f1


def _interval(result: ComplementResult, method: str) -> str:
    share = f"{result.inference.confidence:.0%}"
    return f" The whisker is the {share} interval ({method})." if result.inference.resamples else ""


# ---------------------------------------------------------------------- one more at a time


def curve(result: ComplementResult) -> Figure:
    """Return what could be found, and what a vote scores, as systems are added."""
    rows = [
        {"k": i}
        | row_of(step, "system", "tp", "added", "recall", "r_comp")
        | {"union_f1": step.union.f1, "vote_f1": step.vote.f1, "vote_k": step.vote.k}
        | hidden(unless=i <= STEPS)
        for i, step in enumerate(result.curve, 1)
    ]
    lines = {key: title for key, title in LINES.items() if has_values(rows, key)}
    fields = (
        Field("k", "systems", "count"), Field("system", "added"), Field("tp", "found", "count"),
        Field("added", "more", "count"), Field("r_comp", "of what was missed", "share"),
        *(Field(key, title, "score") for key, title in lines.items()), Field("vote_k", "votes needed", "count"),
    )  # fmt: skip
    return Figure(
        "complement-curve",
        "What more systems add",
        "From left to right one more system joins, each time the one that finds most of what those before it miss: "
        f"what any of them finds (union){', and the vote among them with the best F1' if 'vote_f1' in lines else ''}.",
        with_values(fields, rows),
        rows,
        lambda: _steps(rows, lines),
        note=more_note(STEPS, len(rows), "systems"),
    )


def _steps(rows: Sequence[Row], lines: Mapping[str, str]) -> alt.TopLevelMixin:
    import altair as alt

    tips = known_tips(
        rows,
        ("system:N", "added"), ("k:Q", "systems"), ("added:Q", "finds more", ",d"), ("line:N", "of"),
        ("value:Q", "score", ".4f"), ("vote_k:Q", "votes needed"),
    )  # fmt: skip
    axis = alt.Axis(labelAngle=-90 if len(rows) > 7 else -35, labelLimit=100, labelOverlap=False)
    x = alt.X("system:N", sort=None, title="one more system at each step", axis=axis)
    return _lined(lines, x, tips)


def _lined(lines: Mapping[str, str], x: alt.X, tips: list[alt.Tooltip]) -> alt.LayerChart:
    """Return a line with dots (and whiskers, where there are intervals) for each of some keys."""
    import altair as alt

    titles = ", ".join(f"{key}: '{title}'" for key, title in lines.items())
    look = by_name("line", list(lines.values()))
    base = (
        drawn()
        .transform_fold(list(lines), ["key", "value"])
        .transform_filter("isValid(datum.value)")
        .transform_calculate(
            line=f"({{{titles}}})[datum.key]", lo="datum[datum.key + '_lo']", hi="datum[datum.key + '_hi']"
        )
        .encode(x=x, tooltip=tips)
    )
    y = alt.Y("value:Q", title="score", scale=alt.Scale(zero=False))
    whiskers = base.transform_filter("isValid(datum.lo)").mark_rule(strokeWidth=2)
    return alt.LayerChart(
        layer=[
            whiskers.encode(
                y=alt.Y("lo:Q", title="score", scale=alt.Scale(zero=False)), y2="hi:Q", color=look["color"]
            ),
            base.mark_line(strokeWidth=1.5).encode(y=y, color=look["color"]),
            base.mark_point(filled=True, size=50, opacity=1).encode(y=y, **look),
        ],
        width="container",
        height=240,
    )


# ---------------------------------------------------------------------- ensembles


def ensembles(result: ComplementResult) -> Figure:
    """Return systems alone and together, the best first."""
    named = [(ensemble.systems[0], ensemble) for ensemble in result.systems.values()]
    named += [(_name(ensemble), ensemble) for ensemble in result.ensembles]
    if result.greedy is not None:
        named.append((f"chosen: {_name(result.greedy.in_sample)}", result.greedy.in_sample))
        named.append(("chosen, cross-validated", result.greedy.cross_validated))
    named.sort(key=lambda pair: -(_score(pair[1]) or 0.0))
    measured = [i for i, (_, ensemble) in enumerate(named) if ensemble.gain is not None]
    shown = set(measured[:BEST])
    rows = [_together(name, ensemble) | hidden(unless=i in shown) for i, (name, ensemble) in enumerate(named)]
    rows.append(_together("oracle", result.oracle) | hidden(unless=False))
    kinds: tuple[tuple[str, str, Kind], ...] = (
        ("name", "systems", "text"), ("kind", "kind", "text"), ("precision", "precision", "score"),
        ("recall", "recall", "score"), ("f1", "F1", "score"), ("resolved_f1", "F1, overlaps resolved", "score"),
        ("tp", "found", "count"), ("n_pred", "returned", "count"), ("against", "best alone", "text"),
    )  # fmt: skip
    fields = [Field(key, title, kind, _ends(key)) for key, title, kind in kinds]
    over = "recall" if result.rule else "F1"
    left = more_note(len(shown), len(measured), "ensembles", "best")
    whisker = _interval(result, "percentiles")
    return Figure(
        "complement-ensembles",
        "What systems would score together",
        f"Each dot is an ensemble: its gain in {over} over the best of its systems alone.{whisker}",
        with_values([*fields, Field("value", "gain", "signed", ("lo", "hi"))], rows),
        rows,
        (lambda: _gains(rows, over)) if shown else None,
        note=f"oracle: all that any system finds, and nothing else. {left}".strip(),
        table_first=True,
    )


def _gains(rows: Sequence[Row], over: str) -> alt.TopLevelMixin:
    import altair as alt

    tips = known_tips(
        rows,
        ("name:N", "systems"), ("value:Q", "gain", "+.4f"), ("lo:Q", "from", "+.4f"), ("hi:Q", "to", "+.4f"),
        ("f1:Q", "F1", ".4f"), ("recall:Q", "recall", ".4f"), ("against:N", "best alone"),
    )  # fmt: skip
    y = alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=170, ticks=False, domain=False))
    return forest(y=y, title=f"gain in {over}", tips=tips, zero=True, **by_name("kind", KINDS, legend=False))


def _ends(key: str) -> tuple[str, str] | None:
    return (f"{key}_lo", f"{key}_hi") if key in SCORES else None


def _name(ensemble: EnsembleScore) -> str:
    if ensemble.kind != "vote":
        return SIGNS[ensemble.kind].join(ensemble.systems)
    return "most frequent label" if ensemble.k is None else f"{ensemble.k} of {len(ensemble.systems)} votes"


def _together(name: str, group: EnsembleScore) -> Row:
    row: Row = {"name": name} | row_of(group, "kind", "tp", "n_pred", "against") | scores_row(group)
    resolved = None if group.resolved is None else group.resolved.f1
    return row | {"resolved_f1": resolved, "value": group.gain} | bounds_row(group.gain_ci)


def votes(result: ComplementResult) -> list[Figure]:
    """Return the votes of all systems by how many must agree."""
    thresholds = [ensemble for ensemble in result.ensembles if ensemble.kind == "vote" and ensemble.k is not None]
    if len(thresholds) < 2:
        return []
    rows = [{"k": ensemble.k} | _together(_name(ensemble), ensemble) for ensemble in thresholds]
    lines = {key: title for key, title in SCORES.items() if has_values(rows, key)}
    fields = (
        Field("k", "votes needed", "count"), Field("tp", "found", "count"), Field("n_pred", "returned", "count"),
        *(Field(key, title, "score", _ends(key)) for key, title in lines.items()),
        Field("value", "gain", "signed", ("lo", "hi")),
    )  # fmt: skip
    text = f"Each dot is a vote: what at least so many systems return; {', '.join(lines.values())}."
    text += _interval(result, WILSON)
    name, title = "complement-votes", "Votes of all systems"
    return [Figure(name, title, text, with_values(fields, rows), rows, lambda: _ballots(rows, lines), wide=False)]


def _ballots(rows: Sequence[Row], lines: Mapping[str, str]) -> alt.TopLevelMixin:
    import altair as alt

    tips = known_tips(
        rows,
        ("k:Q", "votes needed"), ("line:N", "of"), ("value:Q", "score", ".4f"), ("lo:Q", "from", ".4f"),
        ("hi:Q", "to", ".4f"), ("n_pred:Q", "returned", ",d"), ("tp:Q", "found", ",d"),
    )  # fmt: skip
    x = alt.X("k:O", title="votes needed", axis=alt.Axis(labelAngle=0, labelOverlap=True))
    return _lined(lines, x, tips)
