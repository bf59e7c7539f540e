"""Charts of complementarity: who repairs whose errors; who finds what and what they score together are beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.render.figures import SLICE, Field, Figure, Row
from slicewise.render.marks import across, down, heat
from slicewise.results.chart_rows import ends, hidden, known_tips, more_note, with_values
from slicewise.results.complement import MEASURES
from slicewise.results.found_by_chart import found_by
from slicewise.results.slices import bucket_slice, pair_slice
from slicewise.results.together_charts import best_first, curve, ensembles, votes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from slicewise.results.complement import Complement, ComplementResult

MANY = 12
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
    shown = order[:MANY]
    found = [
        _pair(one) | hidden(unless={one.a, one.b} <= set(shown)) | {SLICE: pair_slice(one.a, one.b)}
        for one in result.pairs
    ]
    return Figure(
        "complement-matrix",
        "What each system offers over each other",
        "Each cell is the share of the errors of the row's system that the column's system does not make (Comp).",
        _pair_fields(found),
        found,
        lambda: _cells(found, shown),
        note=more_note(len(shown), len(order), "systems", "best"),
    )


def _cells(found: Sequence[Row], shown: Sequence[str]) -> alt.TopLevelMixin:
    tips = known_tips(
        found,
        ("a:N", "errors of"), ("b:N", "not made by"), ("comp:Q", "Comp", ".4f"), ("comp_lo:Q", "from", ".4f"),
        ("comp_hi:Q", "to", ".4f"), ("wrong_a:Q", "errors", ",d"), ("wrong_both:Q", "made by both", ",d"),
    )  # fmt: skip
    return heat(x=across("b", shown), y=down("a", shown), value="comp", tips=tips, label=".0%", domain=(0, 1))


def _pair(one: Complement) -> Row:
    counts = ("wrong_a", "wrong_both", "missed_a", "missed_both", "spurious_a", "spurious_both", "only_a", "only_b")
    row: Row = {name: getattr(one, name) for name in ("a", "b", *MEASURES, *counts)}
    return row | ends(None if one.ci is None else one.ci["comp"], "comp_lo", "comp_hi")


def _pair_fields(found: Sequence[Row]) -> tuple[Field, ...]:
    fields = (
        Field("a", "a"), Field("b", "b"), Field("comp", "Comp", "score", ("comp_lo", "comp_hi")),
        *(Field(name, TITLES[name], "score") for name in MEASURES[1:]), Field("wrong_a", "errors of a", "count"),
        Field("wrong_both", "of both", "count"), Field("missed_a", "missed by a", "count"),
        Field("missed_both", "by both", "count"), Field("spurious_a", "spurious in a", "count"),
        Field("spurious_both", "in both", "count"), Field("only_a", "found by a, not b", "count"),
        Field("only_b", "by b, not a", "count"),
    )  # fmt: skip
    return with_values(fields, found)


def _slices(result: ComplementResult, order: Sequence[str]) -> list[Figure]:
    """Return pairs in the buckets of attributes, as a table."""
    shown = set(order[:MANY])
    found = [
        {"attribute": one.attribute, "bucket": one.bucket, "interval": one.interval, "n": one.n_gold}
        | _pair(one.pair)
        | {SLICE: bucket_slice(one.attribute, one.bucket)}
        for one in result.slices
        if {one.pair.a, one.pair.b} <= shown
    ]
    if not found:
        return []
    own = (
        Field("attribute", "attribute"), Field("bucket", "bucket"), Field("interval", "values"),
        Field("n", "n", "count"),
    )  # fmt: skip
    left = len(result.slices) - len(found)
    return [
        Figure(
            "complement-slices",
            "Pairs of systems in the buckets of attributes",
            "Each row is what b offers over a within one bucket: the share of a's errors there that b does not make.",
            own + _pair_fields(found),
            found,
            note=f"Of the {MANY} best systems; {left:,} rows of the others are left out." if left else "",
        )
    ]
