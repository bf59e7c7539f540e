"""Charts of a breakdown: every attribute's buckets, what makes units hard, where systems differ, findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slicewise.errors import counted
from slicewise.lenses.buckets.result import Measured
from slicewise.lenses.buckets.view import OF_OUTPUTS, size_of
from slicewise.render.figures import SLICE, Field, Figure, Row
from slicewise.render.marks import across, dodged, down, heat, symmetric, tooltip
from slicewise.results.chart_rows import hidden, more_note, safely_named
from slicewise.results.rows import bounds_row, row_of
from slicewise.results.slices import bucket_slice
from slicewise.stats.multiplicity import ALPHA

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from slicewise.lenses.buckets.result import AttributeResult, Bucket, BucketsResult
    from slicewise.lenses.slicing.result import Comparison, Extreme

MOST_SYSTEMS = 12
"""Systems beside each other in a chart."""
MOST_DOTS = 48
"""Dots of buckets and systems in a small chart."""
MOST_BUCKETS = 12
MOST_PAIRS = 24
"""Pairs of systems below each other in a chart."""
MOST_LISTED = 66
"""Pairs of systems in a table."""
EXTREME_TIPS: list[Any] = [
    ("pair:N", "a − b"), ("attribute:N", "attribute"), ("bucket:N", "bucket"), ("value:Q", "difference", "+.4f"),
    ("interval:N", "interval"), ("q:Q", "q", ".3g"),
]  # fmt: skip


def figures(result: BucketsResult) -> list[Figure]:
    """Return the figures, the most important first."""
    drawn = [_findings(result)] if result.findings else []
    drawn += [_hard(result)] if result.attributes else []
    split = [name for name, attribute in result.attributes.items() if len(_filled(attribute)) > 1]
    drawn += [_breakdown(result, name) for name in sorted(split, key=lambda name: name not in result.shown)]
    return safely_named(drawn + _comparisons(result))


def _ranking(result: BucketsResult) -> list[str]:
    """Return the systems, best first over all units; undefined ones last."""
    first = next(iter(result.overall.values()), {})
    sign = 1 if result.lower_is_better else -1

    def key(name: str) -> tuple[bool, float]:
        value = first.get(name)
        return value is None, sign * (value or 0.0)

    return sorted(result.data["systems"], key=key)


def _tested(result: BucketsResult) -> bool:
    return result.inference.resamples > 0


def _findings(result: BucketsResult) -> Figure:
    """Return what survives correction, as sentences with their numbers."""
    rows = [
        {
            "text": f.text, "n": f.n, "value": f.difference, "raw": f.raw_difference, **bounds_row(f.ci), "q": f.q,
            "worth": f.worth, SLICE: bucket_slice(f.attribute, f.bucket),
        }
        for f in result.findings
    ]  # fmt: skip
    fields = (
        Field("text", "finding"),
        Field("n", "n", "count"),
        Field("value", "difference", "number"),
        Field("raw", "raw", "number", ("lo", "hi")),
        Field("q", "q", "p"),
        Field("worth", "worth", "number"),
    )
    caption = (
        f"What survives correction (q < {ALPHA}). Worth: what {result.metric} over all units would gain if the bucket "
        "were like the rest, or the worse system like the better one in it. What is worth most comes first, but "
        "buckets that hold nearly all units, and differences that are there over all units, come later. Gaps and "
        "their worth are shrunk, as they were picked for being large; raw: as measured, with its interval."
    )
    return Figure("findings", "Findings about buckets", caption, fields, rows, table_first=True)


def _hard(result: BucketsResult) -> Figure:
    """Return the gap between the best and the worst bucket, attributes × systems."""
    order = _ranking(result)
    rows = [
        _gap_row(result, name, system) | hidden(unless=i < MOST_SYSTEMS)
        for name in result.attributes
        for i, system in enumerate(order)
    ]
    names = [name for name in result.attributes if any(r["attribute"] == name and r["gap"] is not None for r in rows)]
    tips: list[Any] = [
        ("attribute:N", "attribute"), ("system:N", "system"), ("worst:N", "worst"), ("best:N", "best"),
        ("gap:Q", "gap", ".4f"), ("raw_gap:Q", "raw gap", ".4f"), ("interval:N", "its interval"), ("q:Q", "q", ".3g"),
    ]  # fmt: skip

    def draw() -> alt.TopLevelMixin:
        x, y = across("system", order[:MOST_SYSTEMS]), down("attribute", names)
        return heat(x=x, y=y, value="gap", tips=tooltip(*tips), faint="faint" if _tested(result) else None)

    fields = [Field("attribute", "attribute"), Field("system", "system"), Field("worst", "worst bucket")]
    fields += [Field("best", "best bucket"), Field("gap", "gap", "number")]
    fields += [Field("raw_gap", "raw gap", "number", ("lo", "hi"))]
    fields += [Field("q", "q", "p")] if _tested(result) else []
    caption = f"Each cell is the gap of {result.metric} between a system's best and worst bucket of an attribute"
    caption += f", shrunk, as it was picked for being large; an asterisk: q < {ALPHA}." if _tested(result) else "."
    note = (
        "Tested by Welch's t test on the cluster bootstrap; q: Benjamini–Hochberg over buckets, attributes and systems."
    )
    notes = [note if _tested(result) else "", more_note(MOST_SYSTEMS, len(order), "systems", "best")]
    title = "What makes units hard"
    return Figure("self-diagnosis", title, caption, tuple(fields), rows, draw if names else None, _joined(notes))


def _joined(notes: Sequence[str]) -> str:
    return " ".join(note for note in notes if note)


def _gap_row(result: BucketsResult, name: str, system: str) -> Row:
    d = result.attributes[name].systems[system]
    row: Row = {"attribute": name, "system": system} | row_of(d, "worst", "best", "gap", "raw_gap", "ci", "q")
    row |= {"faint": True} if d.q is None or d.q >= ALPHA else {}
    return row | ({} if d.worst is None else {SLICE: bucket_slice(name, d.worst)})


def _filled(attribute: AttributeResult) -> list[Bucket]:
    """Return the buckets that have units."""
    return [bucket for bucket in attribute.buckets if any(map(size_of, bucket.systems.values()))]


def _breakdown(result: BucketsResult, name: str) -> Figure:
    """Return the measure in each bucket of one attribute, of every system."""
    attribute = result.attributes[name]
    filled = _filled(attribute)
    order = _ranking(result)
    drawn = _most_frequent(attribute, filled)
    shown = order[: max(2, min(MOST_SYSTEMS, MOST_DOTS // max(1, len(drawn))))]
    rows = [
        _bucket_row(result, name, bucket, system) | hidden(unless=bucket in drawn and system in shown)
        for bucket in filled
        for system in order
    ]

    def draw() -> alt.TopLevelMixin:
        return dodged(
            key="axis", order=[_axis(attribute, bucket) for bucket in drawn], title=result.metric, shown=shown,
            systems=result.data["systems"], tips=tooltip(*_tips(result)), upright=attribute.ordered, opens=True,
        )  # fmt: skip

    fields = [Field("bucket", "bucket")]
    fields += [Field("values", "values")] if any(bucket.name != bucket.interval for bucket in filled) else []
    fields += [Field("system", "system"), Field("n", "n", "count")]
    fields.append(Field("value", result.metric, "score", ("lo", "hi")))
    notes = _notes(name, len(drawn), len(filled), len(shown), len(order))
    notes += ["* fewer than 30: rough."] if any(bucket.small for bucket in drawn) else []
    notes += [f"Intervals: {result.inference.interval}."] if _tested(result) else []
    caption = f"Each dot is a system's {result.metric} in a bucket"
    caption += f"; the whisker is the {result.inference.confidence:.0%} interval" if _tested(result) else ""
    caption += f"; {'under' if attribute.ordered else 'beside'} the bucket, its number of {_unit(result, attribute)}."
    title = f"{name}: {attribute.summary}"
    return Figure(f"buckets-{name}", title, caption, tuple(fields), rows, draw, _joined(notes), wide=False)


def _tips(result: BucketsResult) -> list[Any]:
    return [
        ("system:N", "system"), ("bucket:N", "bucket"), ("values:N", "values"), ("n:Q", "n", ","),
        ("value:Q", result.metric, ".4f"), ("interval:N", "interval"),
    ]  # fmt: skip


def _unit(result: BucketsResult, attribute: AttributeResult) -> str:
    if result.data["task"] in ("text", "scores"):
        return "items"
    return {"span": "gold entities", "token": "gold tokens", "item": "gold labels"}[attribute.unit]


def _most_frequent(attribute: AttributeResult, filled: Sequence[Bucket]) -> list[Bucket]:
    """Return the buckets that are drawn, in their order: the first of ordered ones, else those with most units."""
    if attribute.ordered or len(filled) <= MOST_BUCKETS:
        return list(filled[:MOST_BUCKETS])
    return sorted(filled, key=lambda bucket: -bucket.n)[:MOST_BUCKETS]


def _notes(name: str, n_drawn: int, n_filled: int, n_shown: int, n_systems: int) -> list[str]:
    """Return what a breakdown's chart leaves out."""
    notes = [more_note(n_shown, n_systems, "systems", "best")]
    notes.append(more_note(n_drawn, n_filled, "buckets"))
    notes += (
        ["Each system has other items in these buckets; the axis has the most of any."] if name in OF_OUTPUTS else []
    )
    return notes


def _axis(attribute: AttributeResult, bucket: Bucket) -> str:
    """Return a bucket's name with its size: on lines of their own, with its values, where there is room below it."""
    n = f"{bucket.n:,}{'*' if bucket.small else ''}"
    if not attribute.ordered:
        return f"{bucket.name} ({n})"
    values = [bucket.interval.replace(" – ", "–")] if bucket.interval != bucket.name else []
    return "\n".join([bucket.name, *values, f"n = {n}"])


def _bucket_row(result: BucketsResult, name: str, bucket: Bucket, system: str) -> Row:
    scored = bucket.systems[system]
    n = scored.n if isinstance(scored, Measured) else scored.n_gold
    row: Row = {"bucket": bucket.name, "values": bucket.interval, "system": system, "n": n}
    row |= {"axis": _axis(result.attributes[name], bucket), "value": result.value(scored)}
    return row | bounds_row(result.bounds(scored)) | {SLICE: bucket_slice(name, bucket.name)}


def _comparisons(result: BucketsResult) -> list[Figure]:
    """Return where every two systems differ most, one way and the other; pairs × attributes."""
    widest: dict[tuple[str, str], float] = {}
    for c in result.comparisons:
        largest = max(abs(c.largest.difference or 0.0), abs(c.smallest.difference or 0.0))
        widest[c.a, c.b] = max(widest.get((c.a, c.b), 0.0), largest)
    pairs = sorted(widest, key=lambda pair: -widest[pair])
    return [_extremes(result, pairs, kind) for kind in ("largest", "smallest")] if pairs else []


def _extremes(result: BucketsResult, pairs: Sequence[tuple[str, str]], kind: str) -> Figure:
    """Return the buckets where the first system is furthest ahead of the second, or furthest behind."""
    listed, drawn = set(pairs[:MOST_LISTED]), set(pairs[:MOST_PAIRS])
    rows = [
        _extreme_row(c, getattr(c, kind)) | hidden(unless=(c.a, c.b) in drawn and c.attribute in result.shown)
        for c in result.comparisons
        if (c.a, c.b) in listed
    ]

    def draw() -> alt.TopLevelMixin:
        visible = [row for row in rows if "hidden" not in row]
        x = across("attribute", list(dict.fromkeys(row["attribute"] for row in visible)))
        y = down("pair", list(dict.fromkeys(row["pair"] for row in visible)), limit=180)
        return heat(
            x=x, y=y, value="value", tips=tooltip(*EXTREME_TIPS), label="+.2f", diverging=True,
            domain=symmetric(row["value"] for row in visible), faint="faint" if _tested(result) else None,
        )  # fmt: skip

    fields = [Field("pair", "a − b"), Field("attribute", "attribute"), Field("bucket", "bucket")]
    fields.append(Field("value", "a − b", "signed", ("lo", "hi")))
    fields += [Field("q", "q", "p")] if _tested(result) else []
    caption = f"Each cell is the {kind} difference of {result.metric} between two systems in any bucket of an attribute"
    caption += f"; an asterisk: q < {ALPHA}." if _tested(result) else "."
    ahead = (kind == "largest") != result.lower_is_better
    title = f"Where the first of two systems is furthest {'ahead' if ahead else 'behind'}"
    return Figure(f"comparison-{kind}", title, caption, tuple(fields), rows, draw, _pairs_note(result, len(pairs)))


def _pairs_note(result: BucketsResult, n: int) -> str:
    """Return how differences were tested, and which pairs are left out."""
    tested = f"Tested by {result.inference.test}; q: Benjamini–Hochberg over all buckets, attributes and pairs."
    drawn = f"Drawn: the {MOST_PAIRS} pairs of {n} that differ most." if n > MOST_PAIRS else ""
    listed = f"The table has the first {MOST_LISTED} of them." if n > MOST_LISTED else ""
    left = len(result.attributes) - len(result.shown)
    attributes = f"{counted(left, 'more attribute')} in the table." if left else ""
    return _joined([tested if _tested(result) else "", drawn, listed, attributes])


def _extreme_row(c: Comparison, extreme: Extreme) -> Row:
    row: Row = {"pair": f"{c.a} − {c.b}", "attribute": c.attribute, "bucket": extreme.bucket}
    row |= {"value": extreme.difference} | row_of(extreme, "ci", "q")
    row |= {"faint": True} if extreme.q is None or extreme.q >= ALPHA else {}
    return row | ({} if extreme.bucket is None else {SLICE: bucket_slice(c.attribute, extreme.bucket)})
