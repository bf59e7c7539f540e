"""Charts of suspect gold: what it is, how much of each kind, and the scores without it."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from slicewise.lenses.difficulty.view import SUSPECT
from slicewise.render.figures import SLICE, Field, Figure, Row
from slicewise.render.marks import dodged, down, drawn, tooltip
from slicewise.results.chart_rows import hidden, more_note, with_values
from slicewise.results.slices import suspect_slice

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from slicewise.lenses.difficulty.result import DifficultyResult, Suspect

LISTED = 500
"""Suspects in the table."""
AROUND = 120
"""Characters of a suspect with its context."""
MOST_SYSTEMS = 12
"""Systems whose scores are drawn, the best ones."""
DRAWN = ("none", "label", "boundary", "missing", "contradicted")
"""What is set aside in the chart: what nobody finds only adds to every recall."""
NARROW = 10
"""Letters of a line below the chart."""
ASIDE = {"none": "as it is", "contradicted": "all these", "all": "all suspects"} | SUSPECT


def suspect_figures(result: DifficultyResult) -> list[Figure]:
    """Return the suspects, their kinds, and what setting them aside does to the scores."""
    if not result.suspects:
        return []
    return [_suspects(result), *_kinds(result), *_set_aside(result)]


def _suspects(result: DifficultyResult) -> Figure:
    """Return the first suspects, the most suspect first."""
    rows = [_suspect(i, suspect) for i, suspect in enumerate(result.suspects[:LISTED], 1)]
    fields = (
        Field("rank", "rank", "count"), Field("kind", "suspect"), Field("item", "item", "number"),
        Field("context", "in context"), Field("gold", "gold"), Field("gold_text", "gold's unit"),
        Field("systems", "systems"), Field("agree", "systems that agree", "count"),
        Field("as_gold", "elsewhere as in gold", "count"), Field("as_systems", "elsewhere as in systems", "count"),
    )  # fmt: skip
    left = result.suspects_found - len(rows)
    caption = (
        f"Each row is a place where at least {result.nearly_all} systems say the same and gold something else, or that "
        "nobody finds, with how often the data elsewhere treat the string as gold does here, and as the systems do."
    )
    return Figure(
        "suspects",
        "Suspect gold",
        "Each row is an item that no system gets right, the worst first." if result.rule else caption,
        with_values(fields, rows),
        rows,
        note=f"{left:,} more are left out." if left else "",
        table_first=True,
    )


def _suspect(rank: int, suspect: Suspect) -> Row:
    mention, gold, returned = suspect.mention, suspect.gold, suspect.systems
    return {
        "rank": rank, "kind": SUSPECT[suspect.kind], "item": mention.item, "context": mention.excerpt(AROUND),
        "gold": None if gold is None else gold.label,
        "gold_text": gold.text if gold is not None and suspect.kind == "boundary" else None,
        "systems": None if returned is None else returned.label, "agree": suspect.agree, "as_gold": suspect.as_gold,
        "as_systems": suspect.as_systems, SLICE: suspect_slice(rank),
    }  # fmt: skip


def _kinds(result: DifficultyResult) -> list[Figure]:
    """Return the number of suspects of each kind."""
    rows: list[Row] = [
        {"kind": SUSPECT[aside.kind], "n": aside.suspects} for aside in result.without_suspects if aside.kind in SUSPECT
    ]
    if len(rows) < 2:
        return []

    def draw() -> alt.TopLevelMixin:
        import altair as alt

        axis = alt.Axis(tickCount=5, tickMinStep=1, format=",d")
        base = drawn().encode(
            y=down("kind", [row["kind"] for row in rows]),
            x=alt.X("n:Q", title="suspects", axis=axis),
            tooltip=tooltip(("kind:N", "suspect"), ("n:Q", "n", ",d")),
        )
        numbers = base.mark_text(align="left", dx=4).encode(text=alt.Text("n:Q", format=",d"))
        return alt.LayerChart(layer=[base.mark_bar(), numbers], width="container", height=alt.Step(24))

    caption = "Each bar is the number of suspects of one kind."
    fields = (Field("kind", "suspect"), Field("n", "n", "count"))
    return [Figure("suspects-kinds", "Kinds of suspects", caption, fields, rows, draw, wide=False)]


def _set_aside(result: DifficultyResult) -> list[Figure]:
    """Return every system's score with each kind of suspects set aside."""
    if not any(s.kind == "contradicted" and s.suspects for s in result.without_suspects):
        return []
    ranking = result.without_suspects[0].ranking
    shown = ranking[:MOST_SYSTEMS]
    rows: list[Row] = [
        {
            "aside": "\n".join(wrap(ASIDE[s.kind], NARROW)), "kind": ASIDE[s.kind], "suspects": s.suspects,
            "system": name, "value": s.scores[name], "rank": s.ranking.index(name) + 1,
        }
        | hidden(unless=name in shown and s.kind in DRAWN)
        for s in result.without_suspects
        for name in ranking
    ]  # fmt: skip
    metric = "F1" if result.metric == "f1" else result.metric
    fields = (
        Field("kind", "set aside"), Field("suspects", "suspects", "count"), Field("system", "system"),
        Field("value", metric, "score"), Field("rank", "rank", "count"),
    )  # fmt: skip
    order = list(dict.fromkeys(row["aside"] for row in rows if "hidden" not in row))
    return [
        Figure(
            "suspects-set-aside",
            f"{metric} with suspects set aside",
            f"Each line is a system's {metric}: as it is, and with suspects of one kind counted neither as gold nor as "
            "returned. Lines that cross change places.",
            fields,
            rows,
            lambda: _lines(metric, order, result.data["systems"], shown),
            note=more_note(len(shown), len(ranking), "systems", "best"),
        )
    ]


def _lines(metric: str, order: Sequence[str], systems: Sequence[str], shown: Sequence[str]) -> alt.TopLevelMixin:
    tips = tooltip(
        ("system:N", "system"), ("kind:N", "set aside"), ("suspects:Q", "suspects", ",d"), ("value:Q", metric, ".4f"),
        ("rank:Q", "rank"),
    )  # fmt: skip
    return dodged(key="aside", order=order, title=metric, systems=systems, shown=shown, tips=tips, upright=True)
