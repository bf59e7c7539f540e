"""Charts of scores: systems and pairs with intervals, kinds of errors and what they cost, labels, confusions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from slicewise.lenses.score.view import MOST_LABELS, NAMES
from slicewise.render.figures import SLICE, Field, Figure, Row
from slicewise.render.marks import (
    DARK_TEXT,
    POINTER,
    STEP,
    across,
    by_system,
    dodged,
    down,
    drawn,
    forest,
    heat,
    hollow,
    legend_of,
    symmetric,
    tooltip,
    when,
)
from slicewise.results.chart_rows import hidden, more_note, safely_named
from slicewise.results.estimates import WILSON
from slicewise.results.rows import bounds_row, row_of
from slicewise.results.slices import confusion_slice, error_slice, label_slice
from slicewise.stats.multiplicity import ALPHA

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from slicewise.lenses.score.result import Pair, ScoreResult
    from slicewise.results.estimates import Prf

MOST_SYSTEMS = 12
"""Systems beside each other in a chart."""
MOST_ROWS = 40
"""Systems below each other in a chart."""
MOST_PAIRS = 21
"""Pairs below each other; more are drawn as a matrix."""
MOST_DOTS = 60
"""Dots of labels and systems; more are drawn as a heat map."""
MOST_NAMED = 8
"""Systems that a sentence names."""
KIND_COLOURS = ("#8cc0ea", "#f2b866", "#bda2dd", "#d86a5f", "#98a1ad")
WAYS = (
    "strict: boundaries and type; exact: boundaries only; partial: overlap counts half; type: any overlap, right type"
)


def figures(result: ScoreResult) -> list[Figure]:
    """Return the figures, the most important first."""
    drawn_figures = [_scores(result, metric) for metric in result.metrics]
    drawn_figures += [figure for metric in result.metrics if (figure := _pairs(result, metric))]
    drawn_figures += [_restarts(result, metric) for metric in result.metrics if result.restarts]
    drawn_figures += [figure for part in (_errors, _repairs, _labels, _semeval) if (figure := part(result))]
    return safely_named(drawn_figures + _confusions(result))


def _named(name: str, result: ScoreResult, metric: str) -> str:
    """Return a figure's name: the first metric needs no mention."""
    return name if metric == result.metrics[0] else f"{name}-{metric}"


def _interval(result: ScoreResult) -> str:
    """Return how a whisker is read, where there are any."""
    if not result.inference.resamples:
        return ""
    return f"; the whisker is the {result.inference.confidence:.0%} interval"


def _note(result: ScoreResult, *parts: str, method: str) -> str:
    """Return what is left out of a chart, and how intervals were made."""
    method = f"Intervals: {method}." if result.inference.resamples else ""
    return " ".join(part for part in (*parts, method) if part)


def _better(result: ScoreResult, metric: str) -> str:
    return "lower is better" if metric in result.lower_is_better else "higher is better"


def _scores(result: ScoreResult, metric: str) -> Figure:
    """Return one metric of every system, best first."""
    order = result.ranking()
    with_prf = re.fullmatch(r"f[\d.]+", metric) is not None and result.systems[order[0]].micro is not None
    rows = [
        _score_row(result, name, metric, with_prf=with_prf) | hidden(unless=i < MOST_ROWS)
        for i, name in enumerate(order)
    ]

    def draw() -> alt.TopLevelMixin:
        tips = tooltip(("system:N", "system"), ("value:Q", metric, ".4f"), ("interval:N", "interval"))
        look = by_system(result.data["systems"], shown=order[:MOST_ROWS], legend=False)
        return forest(y=down("system", order[:MOST_ROWS]), title=metric, tips=tips, **look)

    fields = [Field("system", "system")]
    fields += [Field("precision", "P", "score"), Field("recall", "R", "score")] if with_prf else []
    fields.append(Field("value", metric, "score", ("lo", "hi")))
    if metric == result.metrics[0] and len(result.groups) > 1:
        fields.append(Field("group", "group"))
    caption = f"Each dot is a system's {metric} ({_better(result, metric)}){_interval(result)}."
    if metric == result.metrics[0]:
        caption = f"{caption} {_apart(result)}".strip()
    note = _note(result, more_note(MOST_ROWS, len(order), "systems", "best"), method=result.inference.interval)
    return Figure(
        _named("scores", result, metric),
        f"{metric} of every system",
        caption,
        tuple(fields),
        rows,
        draw,
        note,
        tab=metric,
    )


def _score_row(result: ScoreResult, name: str, metric: str, *, with_prf: bool) -> Row:
    scores = result.systems[name]
    value = scores.metrics[metric]
    row: Row = {"system": name, "value": value.value, **bounds_row(value.ci)}
    if with_prf and scores.micro is not None:
        row |= {"precision": scores.micro.precision, "recall": scores.micro.recall}
    if metric == result.metrics[0] and len(result.groups) > 1:
        row["group"] = " ".join(str(i) for i, group in enumerate(result.groups, 1) if name in group)
    return row


def _apart(result: ScoreResult) -> str:
    """Return a sentence on the groups of systems without significant differences."""
    alike = [group for group in result.groups if len(group) > 1]
    if not result.groups or not result.inference.resamples:
        return ""
    if not alike:
        return f"Every two systems differ significantly (q < {ALPHA})." if len(result.groups) > 1 else ""
    return f"Not told apart (q ≥ {ALPHA}): {'; '.join(_listed(group) for group in alike)}."


def _listed(names: Sequence[str]) -> str:
    left = len(names) - MOST_NAMED
    return ", ".join(names) if left <= 0 else f"{', '.join(names[:MOST_NAMED])} and {left} more"


def _pairs(result: ScoreResult, metric: str) -> Figure | None:
    """Return the differences of every two systems: below each other, or as a matrix where they are many."""
    pairs = [pair for pair in result.pairs if pair.metric == metric]
    if not pairs:
        return None
    matrix = len(pairs) > MOST_PAIRS
    best = set(result.ranking()[:MOST_SYSTEMS])
    rows = [_pair_row(pair) | hidden(unless=not matrix or {pair.a, pair.b} <= best) for pair in pairs]
    ordered = dict.fromkeys([*(pair.a for pair in pairs), *(pair.b for pair in pairs)])
    names = [name for name in ordered if name in best]
    tips: list[Any] = [("pair:N", "a − b"), ("value:Q", "difference", "+.4f"), ("interval:N", "interval")]
    tested = result.inference.resamples > 0
    tips += [("q:Q", "q", ".3g")] if tested else []

    def draw() -> alt.TopLevelMixin:
        if not matrix:
            y = down("pair", [row["pair"] for row in rows], limit=180)
            return forest(y=y, title=f"{metric}, a − b", tips=tooltip(*tips), zero=True, **hollow("faint"))
        x, y = across("b", names[1:]), down("a", names[:-1])
        faint = "faint" if tested else None
        domain = symmetric(row["value"] for row in rows if "hidden" not in row)
        return heat(
            x=x, y=y, value="value", tips=tooltip(*tips), label="+.2f", domain=domain, diverging=True, faint=faint,
            opens=False,
        )  # fmt: skip

    fields = [Field("a", "a"), Field("b", "b"), Field("value", "a − b", "signed", ("lo", "hi"))]
    fields += [Field("p", "p", "p"), Field("q", "q", "p")] if tested else []
    subject = (
        "cell is the system of its row minus that of its column"
        if matrix
        else "dot is the first system minus the second"
    )
    caption = f"Each {subject}, on the same data ({_better(result, metric)})"
    if tested:
        caption += "; an asterisk: q < 0.05" if matrix else f"{_interval(result)}; hollow: q ≥ 0.05"
    test = f"Tested by {result.inference.test}; q: {result.inference.correction}." if tested else ""
    more = more_note(MOST_SYSTEMS, len(result.systems), "systems", "best") if matrix else ""
    note = _note(result, more, test, method=result.inference.difference_interval)
    caption = f"{caption}. {_apart(result) if metric == result.metrics[0] else ''}".strip()
    title = f"Differences of {metric} between systems"
    return Figure(_named("pairs", result, metric), title, caption, tuple(fields), rows, draw, note, tab=metric)


def _pair_row(pair: Pair) -> Row:
    row: Row = {"a": pair.a, "b": pair.b, "pair": f"{pair.a} − {pair.b}", "value": pair.difference}
    row |= row_of(pair, "ci", "p", "q")
    return row | ({"faint": True} if pair.q is not None and pair.q >= ALPHA else {})


def _restarts(result: ScoreResult, metric: str) -> Figure:
    """Return the mean and the ends of each system's restarts."""
    spreads = {name: spread[metric] for name, spread in result.restarts.items()}
    rows = [
        {"system": name, "n": s.n, "value": s.mean, "std": s.std, "lo": s.min, "hi": s.max}
        for name, s in spreads.items()
    ]

    def draw() -> alt.TopLevelMixin:
        tips = tooltip(
            ("system:N", "system"), ("value:Q", "mean", ".4f"), ("lo:Q", "lowest", ".4f"), ("hi:Q", "highest", ".4f"),
            ("std:Q", "std", ".4f"), ("n:Q", "runs"),
        )  # fmt: skip
        return forest(y=down("system", list(spreads)), title=metric, tips=tips)

    fields = [Field("system", "system"), Field("n", "runs", "count"), Field("value", "mean", "score")]
    fields += [Field(key, title, "score") for key, title in (("std", "std"), ("lo", "lowest"), ("hi", "highest"))]
    caption = f"Each dot is the mean {metric} of a system's runs; the line goes from the lowest run to the highest."
    name, title = _named("restarts", result, metric), f"{metric} of repeated runs"
    return Figure(name, title, caption, tuple(fields), rows, draw, wide=False, tab=metric)


def _errors(result: ScoreResult) -> Figure | None:
    """Return how many errors of each kind every system makes."""
    order = result.ranking()
    rows = [
        {"system": name, "kind": NAMES[kind], "n": n, SLICE: error_slice(name, kind)} | hidden(unless=i < MOST_ROWS)
        for i, name in enumerate(order)
        for kind, n in (result.systems[name].errors or {}).items()
    ]
    if not rows:
        return None
    caption = (
        "Each bar is a system, best first; its parts are its errors by kind, always in the same order. A missed and a "
        "spurious unit that overlap make one error: of boundary, of type or of both."
    )
    fields = (Field("system", "system"), Field("kind", "kind"), Field("n", "errors", "count"))
    note = more_note(MOST_ROWS, len(order), "systems", "best")
    return Figure("errors", "Errors by kind", caption, fields, rows, lambda: _stacked(order[:MOST_ROWS]), note)


def _stacked(order: Sequence[str]) -> alt.TopLevelMixin:
    """Return a bar of errors for each system, with the counts written in the parts that have room."""
    import altair as alt

    kinds = list(NAMES.values())
    kind = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=list(KIND_COLOURS)), legend=legend_of(kinds))
    tips = tooltip(("system:N", "system"), ("kind:N", "kind"), ("n:Q", "errors", ","))
    numbered = " : ".join(f"datum.kind == '{name}' ? {i}" for i, name in enumerate(kinds))
    base = (
        drawn()
        .transform_calculate(nth=f"{numbered} : {len(kinds)}")
        .encode(y=down("system", order), order="nth:Q", tooltip=tips)
    )
    bars = base.mark_bar(cursor=POINTER, stroke="#80808040").encode(
        x=alt.X("n:Q", title="errors", stack="zero"), color=kind
    )
    roomy = "scale('x', datum.n) - scale('x', 0) > 9 * length(toString(datum.n))"
    words = base.mark_text(cursor=POINTER, fontSize=11).encode(
        x=alt.X("n:Q", stack="zero", bandPosition=0.5),
        text=alt.Text("n:Q", format=","),
        detail="kind:N",
        color=alt.ColorValue(DARK_TEXT),
        opacity=alt.OpacityValue(0, condition=when(roomy, 1)),
    )
    return alt.layer(bars, words, width="container", height=alt.Step(STEP))


def _repairs(result: ScoreResult) -> Figure | None:
    """Return what repairing all errors of a kind would gain."""
    order = result.ranking()
    rows = [
        {
            "system": name, "kind": NAMES[kind], "n": (result.systems[name].errors or {})[kind], "value": gain.value,
            **bounds_row(gain.ci), SLICE: error_slice(name, kind), **hidden(unless=i < MOST_SYSTEMS),
        }
        for i, name in enumerate(order)
        for kind, gain in (result.systems[name].repairs or {}).items()
    ]  # fmt: skip
    if not rows:
        return None
    tips = (
        ("system:N", "system"),
        ("kind:N", "kind"),
        ("n:Q", "errors", ","),
        ("value:Q", "gain", ".4f"),
        ("interval:N", "interval"),
    )
    fields = [Field("system", "system"), Field("kind", "kind"), Field("n", "errors", "count")]
    fields.append(Field("value", "F1 gained", "signed", ("lo", "hi")))
    caption = f"Each dot is the F1 a system would gain if all its errors of a kind were repaired{_interval(result)}."
    return _by_system(
        result, "repairs", "What repairing errors would gain", caption, fields, rows, "kind", "F1 gained", tips,
        method=result.inference.difference_interval,
    )  # fmt: skip


def _by_system(
    result: ScoreResult,
    name: str,
    title: str,
    caption: str,
    fields: Sequence[Field],
    rows: Sequence[Row],
    key: str,
    measure: str,
    tips: Sequence[Any],
    *,
    method: str,
) -> Figure:
    """Return a figure of categories with the systems beside each other in them."""
    order = list(dict.fromkeys(row[key] for row in rows))
    shown = result.ranking()[:MOST_SYSTEMS]

    def draw() -> alt.TopLevelMixin:
        return dodged(
            key=key, order=order, title=measure, systems=result.data["systems"], shown=shown, tips=tooltip(*tips),
            opens=SLICE in rows[0],
        )  # fmt: skip

    return Figure(
        name,
        title,
        caption,
        tuple(fields),
        rows,
        draw,
        _note(result, more_note(MOST_SYSTEMS, len(result.systems), "systems", "best"), method=method),
    )


def _prf_row(prf: Prf) -> Row:
    """Return counts, P, R and F1 with its interval."""
    return row_of(prf, "n_gold", "n_pred", "precision", "recall") | {
        "value": prf.f1,
        **bounds_row((prf.ci or {}).get("f1")),
    }


def _prf_fields() -> list[Field]:
    counts = [Field("n_gold", "gold", "count"), Field("n_pred", "returned", "count")]
    shares = [Field("precision", "P", "score"), Field("recall", "R", "score")]
    return [*counts, *shares, Field("value", "F1", "score", ("lo", "hi"))]


def _prf_tips(key: str) -> list[Any]:
    counts = [("n_gold:Q", "gold", ","), ("n_pred:Q", "returned", ",")]
    return [("system:N", "system"), (f"{key}:N", key), ("value:Q", "F1", ".4f"), ("interval:N", "interval"), *counts]


def _labels(result: ScoreResult) -> Figure | None:
    """Return F1 by label and system: as dots, or as a heat map where they are many."""
    n_gold = result.label_sizes()
    labels = list(n_gold)
    if not labels:
        return None
    order = result.ranking()
    rows = [
        {
            "label": label,
            "axis": f"{label} ({n_gold[label]:,})",
            "system": name,
            **_prf_row(prf),
            SLICE: label_slice(label),
        }
        | hidden(unless=i < MOST_LABELS and j < MOST_SYSTEMS)
        for i, label in enumerate(labels)
        for j, name in enumerate(order)
        if (prf := result.systems[name].labels.get(label)) is not None
    ]
    fields = (Field("label", "label"), Field("system", "system"), *_prf_fields())
    dots = min(len(labels), MOST_LABELS) * min(len(order), MOST_SYSTEMS) <= MOST_DOTS
    subject = f"dot is a system's F1 on a label{_interval(result)}" if dots else "cell is a system's F1 on a label"
    caption = f"Each {subject}; beside the label, its number of gold units."
    notes = [more_note(MOST_SYSTEMS, len(order), "systems", "best")]
    notes.append(more_note(MOST_LABELS, len(labels), "labels", "most frequent"))

    def draw() -> alt.TopLevelMixin:
        axis = [f"{label} ({n_gold[label]:,})" for label in labels[:MOST_LABELS]]
        tips, shown = tooltip(*_prf_tips("label")), order[:MOST_SYSTEMS]
        if not dots:
            return heat(x=across("system", shown), y=down("axis", axis), value="value", tips=tips)
        systems = result.data["systems"]
        return dodged(key="axis", order=axis, title="F1", systems=systems, shown=shown, tips=tips, opens=True)

    return Figure("labels", "F1 by label", caption, fields, rows, draw, _note(result, *notes, method=WILSON))


def _semeval(result: ScoreResult) -> Figure | None:
    """Return F1 counted in the four ways of SemEval-2013."""
    rows = [
        {"way": way, "system": name, **_prf_row(prf)} | hidden(unless=i < MOST_SYSTEMS)
        for i, name in enumerate(result.ranking())
        for way, prf in (result.systems[name].semeval or {}).items()
    ]
    if not rows:
        return None
    caption = f"Each dot is a system's F1 in one way of counting{_interval(result)}. {WAYS[0].upper()}{WAYS[1:]}."
    fields = (Field("way", "way"), Field("system", "system"), *_prf_fields())
    title = "F1 counted in the four ways of SemEval-2013"
    return _by_system(result, "semeval", title, caption, fields, rows, "way", "F1", _prf_tips("way"), method=WILSON)


def _confusions(result: ScoreResult) -> list[Figure]:
    """Return what each system takes for what, the best systems first."""
    named = [name for name in result.ranking() if any(c.gold != c.returned for c in result.systems[name].confusions)]
    return [_confusion(result, name) for name in named[:MOST_SYSTEMS]]


def _confusion(result: ScoreResult, name: str) -> Figure:
    """Return one system's confusions; what is right has its number, but no colour."""
    confusions = result.systems[name].confusions
    wrong: dict[str, int] = {}
    for c in confusions:
        for label in (c.gold, c.returned):
            wrong[label] = wrong.get(label, 0) + (c.n if c.gold != c.returned else 0)
    confused = sorted(wrong, key=lambda label: (-wrong[label], label))
    labels = sorted(confused[:MOST_LABELS])
    shown = set(labels)
    rows: list[Row] = [
        {
            "gold": c.gold, "returned": c.returned, "n": c.n, "wrong": c.n if c.gold != c.returned else None,
            SLICE: confusion_slice(name, c.gold, c.returned), **hidden(unless={c.gold, c.returned} <= shown),
        }
        for c in sorted(confusions, key=lambda c: (c.gold == c.returned, -c.n, c.gold, c.returned))
    ]  # fmt: skip
    words = (
        "Each cell is how many units with gold's label (row) were returned with a label (column); those on the "
        "diagonal are right."
    )
    fields = (Field("gold", "gold"), Field("returned", "returned as"), Field("n", "n", "count"))
    title = f"What {name} takes for what"
    note = more_note(MOST_LABELS, len(wrong), "labels", "most confused")
    return Figure(f"confusions-{name}", title, words, fields, rows, lambda: _matrix(labels), note, wide=False, tab=name)


def _matrix(labels: Sequence[str]) -> alt.TopLevelMixin:
    """Return gold labels × returned labels."""
    import altair as alt

    x, y = across("returned", labels), down("gold", labels)
    tips = tooltip(("gold:N", "gold"), ("returned:N", "returned as"), ("n:Q", "n", ","))
    right = drawn().transform_filter("datum.gold == datum.returned").mark_text(cursor=POINTER, fontSize=11)
    words = right.encode(x=x, y=y, tooltip=tips, text=alt.Text("n:Q", format=","))
    return alt.layer(heat(x=x, y=y, value="wrong", tips=tips, label=",d"), words).properties(width="container")
