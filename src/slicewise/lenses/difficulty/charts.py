"""Charts of difficulty: the bins and who is in them; what is in a bin and suspect gold are beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.lenses.difficulty.bin_charts import bin_axis, profile, resistant
from slicewise.lenses.difficulty.suspects_charts import suspect_figures
from slicewise.lenses.difficulty.view import noun_of
from slicewise.lenses.ranking.charts import ranked_figures
from slicewise.render.figures import SLICE, Field, Figure, Row
from slicewise.render.marks import POINTER, by_system, down, drawn, forest, heat, tooltip
from slicewise.results.chart_rows import hidden, known_tips, more_note
from slicewise.results.rows import bounds_row, row_of
from slicewise.results.slices import bin_slice, spurious_slice

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from slicewise.lenses.difficulty.result import DifficultyResult, Pairwise

BARS = 20
"""Systems that have a bar."""
CELL = (Field("system", "system"), Field("bin", "bin", "count"), Field("found", "found", "count"))
SHARE = (Field("n", "of", "count"), Field("share", "share", "share"))
RETURNED = (Field("system", "system"), Field("bin", "bin", "count"), Field("found", "returned", "count"))


def figures(result: DifficultyResult) -> list[Figure]:
    """Return the figures, the most important first."""
    order = _best_first(result)
    title = f"What goes with {noun_of(result)} that nobody finds"
    ranked = result.features
    return [
        _bins(result, order),
        _sizes(result),
        *(_singular(result) if len(order) > 1 else []),
        *_left_out(result, order),
        *(_pair(result, i, pair) for i, pair in enumerate(result.pairwise[: result.shown_pairs], 1)),
        *(_spurious(result, order) if any(result.spurious.totals[1:]) else []),
        *profile(result, noun_of(result)),
        *([] if ranked is None else ranked_figures(ranked, "-bin-0", title, ("bin0", "nobody"), "share found")),
        *resistant(result),
        *suspect_figures(result),
    ]


def _best_first(result: DifficultyResult) -> list[str]:
    """Return the systems, those that find most first."""
    return sorted(result.gold.systems, key=lambda name: (-sum(result.gold.systems[name]), name))


# ---------------------------------------------------------------------- gold


def _bins(result: DifficultyResult, order: Sequence[str]) -> Figure:
    """Return each system's share of each bin."""
    table = result.gold
    rows = [
        {"system": name, "bin": n, "found": table.systems[name][n], "n": total, "share": table.shares[name][n]}
        | bounds_row((table.ci or {}).get(name, (None,) * len(table.totals))[n])
        | ({SLICE: bin_slice(n, name)} if table.systems[name][n] else {})
        for name in order
        for n, total in enumerate(table.totals)
    ]
    caption = (
        f"Bin n is the {noun_of(result)} that exactly n systems find. Each cell is the share of the bin that the row's "
        "system finds: none of bin 0 and all of the last bin, by construction."
    )
    title = "Who finds what is hard, and what is easy"
    parts = [] if all(table.totals) else ["The chart leaves out empty bins."]
    parts += [] if table.ci is None else [f"Intervals of shares: {result.inference.interval}."]
    fields, note = (*CELL, SHARE[0], Field("share", "share", "share", ("lo", "hi"))), " ".join(parts)
    return Figure("difficulty-bins", title, caption, fields, rows, lambda: _shares(order, "found"), note=note)


def _shares(order: Sequence[str], verb: str, axis: str = "bin: systems that find it") -> alt.TopLevelMixin:
    tips = tooltip(
        ("system:N", "system"), ("bin:O", "bin"), ("share:Q", "share", ".1%"), ("found:Q", verb, ",d"),
        ("n:Q", "of", ",d"),
    )  # fmt: skip
    return heat(x=bin_axis(axis), y=down("system", order), value="share", tips=tips, label=".0%", domain=(0, 1))


def _sizes(result: DifficultyResult) -> Figure:
    """Return how much is in each bin."""
    noun = noun_of(result)
    rows = [
        {"bin": n, "n": total} | ({SLICE: bin_slice(n)} if total else {}) for n, total in enumerate(result.gold.totals)
    ]
    return Figure(
        "difficulty-sizes",
        "How hard the data are",
        f"Each bar is the number of {noun} that exactly so many systems find: on the left what nobody finds, on the "
        "right what all do.",
        (Field("bin", "bin", "count"), Field("n", noun, "count")),
        rows,
        lambda: _bars(noun, "systems that find it"),
        wide=False,
    )


def _bars(noun: str, title: str) -> alt.TopLevelMixin:
    """Return a bar for each bin, with its count above it if it fits."""
    import altair as alt

    axis = alt.Axis(tickCount=5, tickMinStep=1, format=",d")
    base = drawn().encode(
        x=bin_axis(title), y=alt.Y("n:Q", title=noun, axis=axis), tooltip=tooltip(("bin:O", "bin"), ("n:Q", noun, ",d"))
    )
    numbers = base.mark_text(dy=-6, fontSize=alt.expr("bandwidth('x') < 22 ? 0 : 11"))
    layers = [base.mark_bar(cursor=POINTER), numbers.encode(text=alt.Text("n:Q", format=",d"))]
    return alt.LayerChart(layer=layers, width="container", height=200)


def _singular(result: DifficultyResult) -> list[Figure]:
    """Return what each system alone finds."""
    ranked = sorted(result.singular.items(), key=lambda pair: (-pair[1].found, pair[0]))
    rows = [
        {"system": name}
        | row_of(contribution, "found", "share", "of_own")
        | hidden(unless=i < BARS)
        | ({SLICE: bin_slice(1, name)} if contribution.found else {})
        for i, (name, contribution) in enumerate(ranked)
    ]
    order, noun = [name for name, _ in ranked[:BARS]], noun_of(result)
    fields = (
        Field("system", "system"), Field("found", "found by it alone", "count"),
        Field("share", "of what one system alone finds", "share"), Field("of_own", "of all that it finds", "share"),
    )  # fmt: skip

    def draw() -> alt.TopLevelMixin:
        import altair as alt

        tips = tooltip(
            ("system:N", "system"), ("found:Q", "found by it alone", ",d"), ("share:Q", "of bin 1", ".1%"),
            ("of_own:Q", "of its own", ".1%"),
        )  # fmt: skip
        axis = alt.Axis(tickCount=5, tickMinStep=1, format=",d")
        base = drawn().encode(
            y=down("system", order), x=alt.X("found:Q", title=f"{noun} that it alone finds", axis=axis), tooltip=tips
        )
        colour = by_system(result.data["systems"], shown=order, legend=False)["color"]
        numbers = base.mark_text(align="left", dx=4).encode(text=alt.Text("found:Q", format=",d"))
        layers = [base.mark_bar(cursor=POINTER).encode(color=colour), numbers]
        return alt.LayerChart(layer=layers, width="container", height=alt.Step(22))

    caption = f"Each bar is the number of {noun} that one system finds and no other does (bin 1)."
    note = more_note(BARS, len(ranked), "systems")
    drawing = draw if ranked[0][1].found else None
    name, title = "difficulty-singular", "Found by one system alone"
    return [Figure(name, title, caption, fields, rows, drawing, note=note, wide=False)]


def _left_out(result: DifficultyResult, order: Sequence[str]) -> list[Figure]:
    """Return each system in the bins that the others make; what it has of n others' is in bin n + 1."""
    if result.leave_one_out is None:
        return []
    rows = [
        {"system": name, "bin": n, "found": bins.found[n], "n": total, "share": bins.shares[n]}
        | ({SLICE: bin_slice(n + 1, name)} if bins.found[n] else {})
        for name, bins in ((name, result.leave_one_out[name]) for name in order)
        for n, total in enumerate(bins.totals)
    ]
    caption = (
        f"Bin n is the {noun_of(result)} that exactly n of the other systems find, so that no system makes its own "
        "bins. Each cell is the share of the bin that the row's system finds."
    )
    name, title = "difficulty-left-out", "The same bins, made by the other systems alone"
    axis = "other systems that find it"
    return [Figure(name, title, caption, (*CELL, *SHARE), rows, lambda: _shares(order, "found", axis))]


def _pair(result: DifficultyResult, place: int, pair: Pairwise) -> Figure:
    """Return the difference of two systems in each bin; in the first and the last there is none."""
    last = len(pair.bins) - 1
    rows = [
        row_of(entry, "bin", "n", "a", "b")
        | {"value": entry.difference}
        | bounds_row(entry.ci)
        | hidden(unless=last < 2 or 0 < entry.bin < last)
        | ({SLICE: bin_slice(entry.bin)} if entry.n else {})
        for entry in pair.bins
    ]
    fields = (
        Field("bin", "bin", "count"), Field("n", "n", "count"), Field("a", pair.a, "share"),
        Field("b", pair.b, "share"), Field("value", "difference", "signed", ("lo", "hi")),
    )  # fmt: skip
    interval = f"; the whisker is the {result.inference.confidence:.0%} interval" if result.inference.resamples else ""
    return Figure(
        f"difficulty-pair-{place}",
        f"{pair.a} and {pair.b}, bin by bin",
        f"Each dot is the share of a bin that {pair.a} finds, less the share that {pair.b} finds{interval}.",
        fields,
        rows,
        lambda: _differences(rows),
        wide=False,
    )


def _differences(rows: Sequence[Row]) -> alt.TopLevelMixin:
    import altair as alt

    tips = known_tips(
        rows,
        ("bin:O", "bin"), ("n:Q", "n", ",d"), ("a:Q", "the one", ".1%"), ("b:Q", "the other", ".1%"),
        ("value:Q", "difference", "+.4f"), ("lo:Q", "from", "+.4f"), ("hi:Q", "to", "+.4f"),
    )  # fmt: skip
    y = alt.Y("bin:O", title="bin", axis=alt.Axis(ticks=False, domain=False))
    return forest(y=y, title="difference of the shares", tips=tips, zero=True, opens=True)


# ---------------------------------------------------------------------- spurious


def _spurious(result: DifficultyResult, order: Sequence[str]) -> list[Figure]:
    """Return spurious units by the number of systems that return them."""
    table = result.spurious
    sizes: list[Row] = [
        {"bin": n, "n": total} | hidden(unless=n > 0) | ({SLICE: spurious_slice(n)} if total and n else {})
        for n, total in enumerate(table.totals)
        if n or total
    ]
    shares = [
        {"system": name, "bin": n, "found": table.systems[name][n], "n": total, "share": table.shares[name][n]}
        | ({SLICE: spurious_slice(n, name)} if table.systems[name][n] else {})
        for name in order
        for n, total in enumerate(table.totals)
        if n
    ]
    zero = "Bin 0 is the tokens that neither gold nor any system labels; it has no bar." if table.totals[0] else ""
    axis = "systems that return it"
    return [
        Figure(
            "difficulty-spurious-sizes",
            "Errors that systems share",
            "Each bar is the number of units that gold has not and exactly so many systems return: the farther right, "
            "the more agree on what gold does not have.",
            (Field("bin", "bin", "count"), Field("n", "units", "count")),
            sizes,
            lambda: _bars("units that gold has not", axis),
            note=zero,
            wide=False,
        ),
        Figure(
            "difficulty-spurious",
            "Who returns what gold has not",
            "Bin n is the units that gold has not and exactly n systems return. Each cell is the share of the bin that "
            "the row's system returns.",
            (*RETURNED, *SHARE),
            shares,
            lambda: _shares(order, "returned", axis),
        ),
    ]
