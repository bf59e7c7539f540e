"""Charts of complementarity: who repairs whose errors; who finds what and what they score together are beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.lenses.complement.ensemble_charts import best_first, curve, ensembles, votes
from slicewise.lenses.complement.found_by_chart import found_by
from slicewise.lenses.complement.result import MEASURES
from slicewise.render.figures import SLICE, Field, Figure, Row
from slicewise.render.marks import across, down, heat
from slicewise.results.chart_rows import hidden, known_tips, more_note, with_values
from slicewise.results.rows import bounds_row, row_of
from slicewise.results.slices import bucket_slice, pair_slice

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from slicewise.lenses.complement.result import Complement, ComplementResult

MOST_SYSTEMS = 12
"""Systems whose pairs are drawn, the best ones."""
TITLES = {"comp": "Comp", "p_comp": "P_comp", "r_comp": "R_comp", "f_comp": "F_comp"}


def figures(result: ComplementResult) -> list[Figure]:
    """Return the figures, the most important first."""
    order = best_first(result)
    return [
        _matrix(result, order),
        found_by(result, order),
        curve(result),
        ensembles(result),
        *votes(result),
        *_slices(result, order),
    ]


def _matrix(result: ComplementResult, order: Sequence[str]) -> Figure:
    """Return what every system offers over every other."""
    shown = order[:MOST_SYSTEMS]
    rows = [
        _pair(pair) | hidden(unless={pair.a, pair.b} <= set(shown)) | {SLICE: pair_slice(pair.a, pair.b)}
        for pair in result.pairs
    ]
    return Figure(
        "complement-matrix",
        "What each system offers over each other",
        "Each cell is the share of the errors of the row's system that the column's system does not make (Comp).",
        _pair_fields(rows),
        rows,
        lambda: _cells(rows, shown),
        note=more_note(len(shown), len(order), "systems", "best"),
    )


def _cells(rows: Sequence[Row], shown: Sequence[str]) -> alt.TopLevelMixin:
    tips = known_tips(
        rows,
        ("a:N", "errors of"), ("b:N", "not made by"), ("comp:Q", "Comp", ".4f"), ("comp_lo:Q", "from", ".4f"),
        ("comp_hi:Q", "to", ".4f"), ("wrong_a:Q", "errors", ",d"), ("wrong_both:Q", "made by both", ",d"),
    )  # fmt: skip
    return heat(x=across("b", shown), y=down("a", shown), value="comp", tips=tips, label=".0%", domain=(0, 1))


def _pair(pair: Complement) -> Row:
    counts = ("wrong_a", "wrong_both", "missed_a", "missed_both", "spurious_a", "spurious_both", "only_a", "only_b")
    return row_of(pair, "a", "b", *MEASURES, *counts) | bounds_row((pair.ci or {}).get("comp"), "comp_")


def _pair_fields(rows: Sequence[Row]) -> tuple[Field, ...]:
    fields = (
        Field("a", "a"), Field("b", "b"), Field("comp", "Comp", "score", ("comp_lo", "comp_hi")),
        *(Field(name, TITLES[name], "score") for name in MEASURES[1:]), Field("wrong_a", "errors of a", "count"),
        Field("wrong_both", "of both", "count"), Field("missed_a", "missed by a", "count"),
        Field("missed_both", "by both", "count"), Field("spurious_a", "spurious in a", "count"),
        Field("spurious_both", "in both", "count"), Field("only_a", "found by a, not b", "count"),
        Field("only_b", "by b, not a", "count"),
    )  # fmt: skip
    return with_values(fields, rows)


def _slices(result: ComplementResult, order: Sequence[str]) -> list[Figure]:
    """Return pairs in the buckets of attributes, as a table."""
    shown = set(order[:MOST_SYSTEMS])
    rows = [
        row_of(cell, "attribute", "bucket", "interval")
        | {"n": cell.n_gold}
        | _pair(cell.pair)
        | {SLICE: bucket_slice(cell.attribute, cell.bucket)}
        for cell in result.slices
        if {cell.pair.a, cell.pair.b} <= shown
    ]
    if not rows:
        return []
    fields = (
        Field("attribute", "attribute"), Field("bucket", "bucket"), Field("interval", "values"),
        Field("n", "n", "count"),
    )  # fmt: skip
    left = len(result.slices) - len(rows)
    return [
        Figure(
            "complement-slices",
            "Pairs of systems in the buckets of attributes",
            "Each row is what b offers over a within one bucket: the share of a's errors there that b does not make.",
            fields + _pair_fields(rows),
            rows,
            note=f"Of the {MOST_SYSTEMS} best systems; {left:,} rows of the others are left out." if left else "",
        )
    ]
