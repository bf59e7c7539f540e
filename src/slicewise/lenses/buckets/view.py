"""The view of a breakdown: blocks for people, and tables of values."""

from __future__ import annotations

from collections.abc import Sequence

from slicewise.errors import counted
from slicewise.lenses.buckets.result import Bucket, BucketsResult, Finding, Measured
from slicewise.lenses.slicing.result import Comparison
from slicewise.lenses.slicing.sentences import absences, mean
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import bounds, probability, score, signed, whole
from slicewise.render.texts import short
from slicewise.results.base import Row
from slicewise.results.estimates import Prf
from slicewise.results.heading import opening
from slicewise.results.rows import bounds_row, prf_row, row_of
from slicewise.stats.multiplicity import ALPHA

MOST_FINDINGS = 10
MOST_COMPARISONS = 12
PER_PAIR = 2
"""Rows of one pair, where there are many."""
OF_OUTPUTS = ("confidence", "outRatio")
"""Attributes whose buckets hold other items for each system."""
FINDING_COLUMNS = (
    "kind", "system", "against", "attribute", "bucket", "n", "share", "difference", "raw_difference", "ci", "p", "q",
    "worth", "raw_worth", "text",
)  # fmt: skip
FEW_SYSTEMS = 3
"""Largest number of systems shown with their intervals."""


def blocks(result: BucketsResult) -> list[Block]:
    """Return the blocks for people, the most important first."""
    view = opening(result.data)
    view += [Sentence(text) for text in sentences(result)]
    view.append(_overview(result))
    view += [_breakdown(result, name) for name in result.shown]
    view += _comparisons(result)
    view += [Sentence(""), *(Sentence(f"Left out: {text}.", "aside") for text in absences(result.absent))]
    view.append(Sentence(result.signature, "aside"))
    return view


def sentences(result: BucketsResult) -> list[str]:
    """Return the strongest findings, of one system and of two in turn, or that there are none."""
    if not result.inference.resamples:
        return []
    if not result.findings:
        return ["No gap between buckets and no difference between systems survives correction."]
    listed = _spread_out(result.findings)
    texts = [f"• {f.text[:-1]} (q {_q(f.q)})." for f in listed]
    left = len(result.findings) - len(listed)
    return [*texts, *([f"  {counted(left, 'more finding')} in --json and --csv."] if left else [])]


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
            d = attribute.systems[system]
            row.append("–" if d.gap is None else f"{short(d.worst or '', 10)}→{short(d.best or '', 10)} {d.gap:.2f}")
            if result.inference.resamples and d.gap is not None and (d.q is None or d.q >= ALPHA):
                faint.add((i, 2 + j))
        rows.append(tuple(row))
    over = "items" if result.data["task"] in ("text", "scores") else "gold units"
    note = f"Mean: over {over}. Per system: worst→best bucket, and the gap of {result.metric}."
    if result.inference.resamples:
        note += " Gaps are shrunk by what chance alone would make of the largest; --json and --csv have the raw ones."
        note += " Welch t test on the cluster bootstrap; q: Benjamini–Hochberg over buckets, attributes and systems."
    return Grid("What makes units hard", tuple(columns), tuple(rows), note, faint=frozenset(faint), name="overview")


def _breakdown(result: BucketsResult, name: str) -> Grid:
    attribute = result.attributes[name]
    systems = result.data["systems"]
    tested, task = result.inference.resamples > 0, result.data["task"]
    few = len(systems) <= FEW_SYSTEMS
    filled = [
        b for b in attribute.buckets if any(size_of(b.systems[s]) for s in systems) or attribute.kind != "category"
    ]
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
        defined = [v for v in values.values() if v is not None]
        best = None if not defined else min(defined) if result.lower_is_better else max(defined)
        for system in systems:
            if len(systems) > 1 and best is not None and values[system] == best and defined.count(best) < len(defined):
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
    note += f" Intervals: {result.inference.interval}." if few and tested else ""
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


def size_of(scored: Prf | Measured) -> int:
    """Return how many units a bucket's score is of."""
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
            row.append(f"{short(extreme.bucket or '')} {signed(extreme.difference, 3)}".strip())
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


def grids(result: BucketsResult) -> list[Grid]:
    """Return every table, for files: those of the terminal, and the breakdown by every other attribute."""
    in_terminal = [block for block in blocks(result) if isinstance(block, Grid)]
    return [*in_terminal, *(_breakdown(result, name) for name in result.attributes if name not in result.shown)]


def tables(result: BucketsResult) -> dict[str, list[Row]]:
    """Return long tables: buckets, diagnoses, comparisons, differences, findings."""
    out: dict[str, list[Row]] = {"buckets": [], "diagnoses": [], "comparisons": [], "differences": []}
    for name, attribute in result.attributes.items():
        head: Row = {"attribute": name, "kind": attribute.kind, "unit": attribute.unit}
        for place, bucket in enumerate(attribute.buckets):
            out["buckets"] += [
                head | _bucket_row(place, bucket) | {"system": system} | _scored_row(scored)
                for system, scored in bucket.systems.items()
            ]
        for system, d in attribute.systems.items():
            row: Row = {"attribute": name, "zeta": attribute.zeta, "system": system}
            row |= row_of(d, "spearman", "std", "best", "worst", "gap", "raw_gap", "ci", "p", "q")
            value, ci = (None, None) if d.correlation is None else (d.correlation.value, d.correlation.ci)
            out["diagnoses"].append(row | {"correlation": value} | bounds_row(ci, "correlation_"))
    for c in result.comparisons:
        head = row_of(c, "a", "b", "attribute")
        extremes = {"largest": c.largest, "smallest": c.smallest}
        out["comparisons"] += [head | {"extreme": kind} | row_of(extreme) for kind, extreme in extremes.items()]
        out["differences"] += [head | row_of(difference) for difference in c.buckets]
    out["findings"] = [row_of(finding, *FINDING_COLUMNS) for finding in result.findings]
    return {name: rows for name, rows in out.items() if rows}


def _bucket_row(place: int, bucket: Bucket) -> Row:
    value = None if bucket.value is None else str(bucket.value)
    row: Row = {"place": place, "bucket": bucket.name, "lo": bucket.lo, "hi": bucket.hi, "value": value}
    return row | {"small": bucket.small}


def _scored_row(scored: Prf | Measured) -> Row:
    if isinstance(scored, Measured):
        return {"n": scored.n, "score": scored.value} | bounds_row(scored.ci, "score_")
    return prf_row(scored)
