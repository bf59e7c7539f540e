"""How a breakdown is laid out for people, and as tables of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.errors import counted
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import bounds, probability, score, signed, whole
from slicewise.results.buckets import Measured
from slicewise.results.heading import heading
from slicewise.results.rows import bounds_row, prf_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.results.base import Row
    from slicewise.results.buckets import AttributeResult, Bucket, BucketsResult, Comparison, Finding
    from slicewise.results.score import Prf

ALPHA = 0.05
MOST_FINDINGS = 10
MOST_COMPARISONS = 12
PER_PAIR = 2
"""Rows of one pair, where there are many."""
OF_OUTPUTS = ("confidence", "outRatio")
"""Attributes whose buckets hold other items for each system."""
FEW_SYSTEMS = 3
"""Up to so many systems stand with their intervals."""


def blocks(result: BucketsResult) -> list[Block]:
    """Return what a person is shown, the most important first."""
    shown: list[Block] = [Sentence(heading(result.data), "title")]
    shown += [Sentence(f"! {warning}", "warning") for warning in result.data["warnings"]]
    shown += [Sentence(text) for text in sentences(result)]
    shown.append(_overview(result))
    shown += [_breakdown(result, name) for name in result.shown]
    shown += _comparisons(result)
    shown += [Sentence(""), *_absent(result), Sentence(result.signature, "aside")]
    return shown


def sentences(result: BucketsResult) -> list[str]:
    """Return the strongest findings, of one system and of two in turn, or that there are none."""
    if not result.inference.resamples:
        return []
    if not result.findings:
        return ["No gap between buckets and no difference between systems survives correction."]
    listed = _spread_out(result.findings)
    said = [f"• {f.text[:-1]} (q {_q(f.q)})." for f in listed]
    left = len(result.findings) - len(listed)
    return [*said, *([f"  {counted(left, 'more finding')} in --json and --csv."] if left else [])]


def _spread_out(findings: Sequence[Finding]) -> list[Finding]:
    """Return the first findings of each kind, no more than three of the same systems, two of the same attribute."""
    taken: list[Finding] = []
    for finding in findings:
        of_systems = [
            t for t in taken if (t.kind, t.system, t.against) == (finding.kind, finding.system, finding.against)
        ]
        of_attribute = [t for t in taken if (t.kind, t.attribute) == (finding.kind, finding.attribute)]
        of_kind = [t for t in taken if t.kind == finding.kind]
        if len(of_systems) < 3 and len(of_attribute) < 2 and len(of_kind) < MOST_FINDINGS // 2:
            taken.append(finding)
    return taken


def _q(q: float) -> str:
    return probability(q) if q < 0.001 else f"= {probability(q)}"


def _overview(result: BucketsResult) -> Grid:
    """Return one row per attribute: its mean, and each system's gap between best and worst bucket."""
    systems = result.data["systems"]
    columns = [Column("attribute", "left"), Column("mean")]
    columns += [Column(system) for system in systems]
    rows, faint = [], set()
    for i, (name, attribute) in enumerate(result.attributes.items()):
        row = [name, mean(attribute.zeta)]
        for j, system in enumerate(systems):
            own = attribute.systems[system]
            row.append(
                "–" if own.gap is None else f"{_short(own.worst or '', 10)}→{_short(own.best or '', 10)} {own.gap:.2f}"
            )
            if result.inference.resamples and own.gap is not None and (own.q is None or own.q >= ALPHA):
                faint.add((i, 2 + j))
        rows.append(tuple(row))
    over = "items" if result.data["task"] in ("text", "scores") else "gold units"
    note = f"Mean: over {over}. Per system: worst→best bucket, and the gap of {result.metric}."
    if result.inference.resamples:
        note += " Welch t test on the cluster bootstrap; q: Benjamini–Hochberg over buckets, attributes and systems."
    return Grid("What makes units hard", tuple(columns), tuple(rows), note, faint=frozenset(faint), name="overview")


def _breakdown(result: BucketsResult, name: str) -> Grid:
    attribute = result.attributes[name]
    systems = result.data["systems"]
    tested, task = result.inference.resamples > 0, result.data["task"]
    few = len(systems) <= FEW_SYSTEMS
    filled = [b for b in attribute.buckets if any(_size(b.systems[s]) for s in systems) or not _is_category(attribute)]
    columns = [Column("bucket", "left")]
    named = any(b.name != b.interval for b in filled)
    columns += [Column("values", "left")] if named else []
    columns += [Column("n")]
    alone = len(systems) == 1 and task not in ("text", "scores")
    columns += [Column(title) for title in ("returned", "P", "R")] if alone else []
    for system in systems:
        columns += [Column(system)] + ([Column("interval", beside=True)] if tested and few else [])
    rows, marked = [], set()
    for i, bucket in enumerate(filled):
        row = [bucket.name, *([bucket.interval] if named else [])]
        row.append(whole(bucket.n) + ("*" if bucket.small else ""))
        row += _counts(bucket.systems[systems[0]]) if alone else []
        values = {system: result.value(bucket.systems[system]) for system in systems}
        known = [v for v in values.values() if v is not None]
        best = None if not known else min(known) if result.lower_is_better else max(known)
        for system in systems:
            if len(systems) > 1 and best is not None and values[system] == best and known.count(best) < len(known):
                marked.add((i, len(row)))
            row.append(score(values[system]))
            row += [bounds(result.bounds(bucket.systems[system]))] if tested and few else []
        rows.append(tuple(row))
    noun = {"span": "entities", "token": "tokens", "item": "labels"}[attribute.unit]
    note = (
        f"{result.metric} of {noun}; n: gold {noun}."
        if task not in ("text", "scores")
        else f"{result.metric}; n: items."
    )
    note += "" if few or not tested else " Intervals are in --json and --csv."
    note += " n: the most that any system has." if name in OF_OUTPUTS else ""
    note += " * fewer than 30, rough." if any(b.small for b in filled) else ""
    title = f"{name}: {attribute.summary}"
    return Grid(title, tuple(columns), tuple(rows), note.strip(), frozenset(marked), name=f"buckets-{name}")


def _counts(scored: Prf | Measured) -> list[str]:
    """Return how many units were returned, P and R, of one system alone."""
    if isinstance(scored, Measured):
        return []
    return [whole(scored.n_pred), score(scored.precision), score(scored.recall)]


def mean(zeta: float | None) -> str:
    """Write the mean of an attribute."""
    return "–" if zeta is None else f"{zeta:,.0f}" if abs(zeta) >= 1000 else f"{zeta:.3g}"


def _is_category(attribute: AttributeResult) -> bool:
    return attribute.kind == "category"


def _size(scored: Prf | Measured) -> int:
    return scored.n if isinstance(scored, Measured) else scored.n_gold + scored.n_pred


def _comparisons(result: BucketsResult) -> list[Block]:
    if not result.comparisons:
        return []
    tested = result.inference.draws > 0
    pairs = {(c.a, c.b) for c in result.comparisons}
    listed = [c for c in result.comparisons if c.attribute in result.shown]
    if len(listed) > MOST_COMPARISONS:
        ranked = sorted(listed, key=lambda c: (_least_q(c), -_distance(c)))
        first = [c for i, c in enumerate(ranked) if sum((d.a, d.b) == (c.a, c.b) for d in ranked[:i]) < PER_PAIR]
        listed = first[:MOST_COMPARISONS]
    titles = [Column("a − b", "left"), Column("attribute", "left")]
    for side in ("largest in", "smallest in"):
        titles += [Column(side), *([Column("q", beside=True)] if tested else [])]
    rows, faint = [], set()
    for i, c in enumerate(listed):
        row = [f"{c.a} − {c.b}", c.attribute]
        for extreme in (c.largest, c.smallest):
            if tested and extreme.difference is not None and (extreme.q is None or extreme.q >= ALPHA):
                faint.add((i, len(row)))
            row.append(f"{_short(extreme.bucket or '')} {signed(extreme.difference, 3)}".strip())
            row += [probability(extreme.q)] if tested else []
        rows.append(tuple(row))
    note = f"{result.inference.test}; q: Benjamini–Hochberg over all buckets, attributes and pairs." if tested else ""
    left = len(result.comparisons) - len(listed)
    note += f" {counted(left, 'more row')} of {counted(len(pairs), 'pair')} in --json and --csv." if left else ""
    title = f"Where two systems differ most in {result.metric}"
    return [Grid(title, tuple(titles), tuple(rows), note.strip(), faint=frozenset(faint), name="comparisons")]


def _least_q(comparison: Comparison) -> bool:
    """Return False, which comes first, where one of the two extremes survives correction."""
    return all(extreme.q is None or extreme.q >= ALPHA for extreme in (comparison.largest, comparison.smallest))


def _distance(comparison: Comparison) -> float:
    return max(abs(comparison.largest.difference or 0.0), abs(comparison.smallest.difference or 0.0))


def _absent(result: BucketsResult) -> list[Block]:
    """Say which attributes are not there, by what they need."""
    needs: dict[str, list[str]] = {}
    for name, need in result.absent.items():
        needs.setdefault(need, []).append(name)
    return [Sentence(f"Left out: {left_out(names, need)}.", "aside") for need, names in needs.items()]


def left_out(names: Sequence[str], need: str) -> str:
    """Return which attributes need what."""
    return f"{', '.join(names)}, which {'needs' if len(names) == 1 else 'need'} {need}"


def _short(text: str, limit: int = 24) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def grids(result: BucketsResult) -> list[Grid]:
    """Return every table, for files: those of the terminal, and the breakdown by every other attribute."""
    shown = [block for block in blocks(result) if isinstance(block, Grid)]
    return [*shown, *(_breakdown(result, name) for name in result.attributes if name not in result.shown)]


def tables(result: BucketsResult) -> dict[str, list[Row]]:
    """Return long tables of values."""
    made: dict[str, list[Row]] = {"buckets": [], "diagnoses": [], "comparisons": [], "differences": [], "findings": []}
    for name, attribute in result.attributes.items():
        head: Row = {"attribute": name, "kind": attribute.kind, "unit": attribute.unit}
        for place, bucket in enumerate(attribute.buckets):
            made["buckets"] += [
                head | _bucket_row(place, bucket) | {"system": system} | _scored_row(scored)
                for system, scored in bucket.systems.items()
            ]
        for system, own in attribute.systems.items():
            companion = own.correlation
            row: Row = {"attribute": name, "zeta": attribute.zeta, "system": system, "spearman": own.spearman}
            row |= {"std": own.std, "best": own.best, "worst": own.worst, "gap": own.gap, **bounds_row(own.ci)}
            row |= {"p": own.p, "q": own.q, "correlation": None if companion is None else companion.value}
            ci = bounds_row(None if companion is None else companion.ci)
            made["diagnoses"].append(row | {f"correlation_{side}": bound for side, bound in ci.items()})
    for c in result.comparisons:
        for kind, extreme in (("largest", c.largest), ("smallest", c.smallest)):
            row = {"a": c.a, "b": c.b, "attribute": c.attribute, "extreme": kind, "bucket": extreme.bucket}
            row |= {"difference": extreme.difference, **bounds_row(extreme.ci), "p": extreme.p, "q": extreme.q}
            made["comparisons"].append(row)
        made["differences"] += [
            {
                "a": c.a,
                "b": c.b,
                "attribute": c.attribute,
                "bucket": d.bucket,
                "difference": d.difference,
                "p": d.p,
                "q": d.q,
            }
            for d in c.buckets
        ]
    for f in result.findings:
        row = {"kind": f.kind, "system": f.system, "against": f.against, "attribute": f.attribute, "bucket": f.bucket}
        row |= {"n": f.n, "share": f.share, "difference": f.difference, **bounds_row(f.ci), "p": f.p, "q": f.q}
        made["findings"].append(row | {"worth": f.worth, "text": f.text})
    return {name: rows for name, rows in made.items() if rows}


def _bucket_row(place: int, bucket: Bucket) -> Row:
    value = None if bucket.value is None else str(bucket.value)
    row: Row = {"place": place, "bucket": bucket.name, "lo": bucket.lo, "hi": bucket.hi, "value": value}
    return row | {"small": bucket.small}


def _scored_row(scored: Prf | Measured) -> Row:
    if isinstance(scored, Measured):
        ci = bounds_row(scored.ci)
        return {"n": scored.n, "score": scored.value} | {f"score_{side}": bound for side, bound in ci.items()}
    return prf_row(scored)
