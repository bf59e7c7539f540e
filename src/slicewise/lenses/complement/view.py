"""The view of complementarity: what systems would gain from each other, in sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence

from slicewise.errors import counted
from slicewise.lenses.complement.result import Complement, ComplementResult, EnsembleScore, Questions, Slice
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import bounds, score, signed
from slicewise.results.capping import MOST_ROWS, capped
from slicewise.results.heading import opening

FEW_SYSTEMS = 3
"""Systems whose pairs are shown one by one, with intervals."""
MANY_SYSTEMS = 12
"""With more, only the best partner of each system is shown."""
BEST_PAIRS = 3
BEST_VOTES = 5
MOST_BUCKETS = 16
TITLES = {
    "r_comp": "Of what the row's system misses, the column's finds (R_comp)",
    "p_comp": "Of what the row's system returns wrongly, the column's does not return (P_comp)",
    "f_comp": "Both together (F_comp)",
    "comp": "Of all errors of the row's system, the column's does not make (Comp)",
}

QUESTIONS = {
    "correct_both": "right in both",
    "only_a": "right in {a} only",
    "only_b": "right in {b} only",
    "missed_both": "missed by both",
    "spurious_both": "spurious in both",
    "spurious_only_a": "spurious in {a} only",
    "spurious_only_b": "spurious in {b} only",
}


def blocks(result: ComplementResult) -> list[Block]:
    """Return the blocks for people."""
    view = opening(result.data)
    if result.rule:
        rule = f"{result.rule[0].upper()}{result.rule[1:]}."
        view.append(Sentence(f"{rule} Only misses are known, not what is spurious."))
    view += [Sentence(f"• {text}") for text in result.findings]
    view.append(_together(result))
    view += _pairs(result)
    view += _slices(result)
    view += [capped(_curve(result)), *_questions(result)]
    return [*view, Sentence(result.signature, "aside")]


def _together(result: ComplementResult) -> Grid:
    """Return systems alone, then what they would score together."""
    recall_only = bool(result.rule)
    alone = sorted(result.systems.values(), key=_rank)
    rows = [(e.systems[0], e) for e in alone[:MOST_ROWS]]
    marked = {(0, 1 if recall_only else 3)}
    votes = _best_votes(result)
    single = result.data["task"] == "labels"
    for kind, sign in () if single else (("union", "∪"), ("intersection", "∩")):
        pairs = sorted((e for e in result.ensembles if e.kind == kind), key=_rank)[:BEST_PAIRS]
        rows += [(f" {sign} ".join(e.systems), e) for e in pairs]
    rows += [(_vote(e, recall_only=recall_only), e) for e in votes if e.k is None or (len(alone) > 2 and not single)]
    if result.greedy is not None and len(alone) > 2:
        greedy = result.greedy
        how = "plurality" if greedy.k is None else f"{greedy.k} of {len(greedy.systems)}"
        rows.append((f"chosen vote: {how}", greedy.in_sample))
        rows.append(("chosen, cross-validated", greedy.cross_validated))
    rows.append(("oracle", result.oracle))
    tags = any(e.resolved is not None and e.resolved.left_out for _, e in rows)
    columns = [Column("", "left"), *([Column("found")] if recall_only else [Column("P"), Column("R"), Column("F1")])]
    columns += [Column("tags")] if tags else []
    drawn = result.inference.resamples > 0
    columns += [Column("gain")] + (
        [Column(f"{result.inference.confidence:.0%} interval", beside=True)] if drawn else []
    )
    cells = tuple(_scores(name, e, recall_only=recall_only, drawn=drawn, tags=tags) for name, e in rows)
    return Grid("Alone and together", tuple(columns), cells, _note(result), frozenset(marked), name="ensembles")


def _best_votes(result: ComplementResult) -> list[EnsembleScore]:
    """Return the votes of all systems; where these are many, the best ones."""
    votes = [ensemble for ensemble in result.ensembles if ensemble.kind == "vote"]
    best = sorted(range(len(votes)), key=lambda i: _rank(votes[i]))
    return [votes[i] for i in sorted(best[:BEST_VOTES])] if len(votes) > MOST_ROWS else votes


def _vote(group: EnsembleScore, *, recall_only: bool) -> str:
    if group.k is None:
        return "most frequent label"
    return f"at least {group.k} of {len(group.systems)}" if recall_only else f"{group.k} of {len(group.systems)} votes"


def _rank(ensemble: EnsembleScore) -> tuple[float, tuple[str, ...]]:
    value = ensemble.recall if ensemble.f1 is None else ensemble.f1
    return (-(-1.0 if value is None else value), ensemble.systems)


def _scores(name: str, ensemble: EnsembleScore, *, recall_only: bool, drawn: bool, tags: bool) -> tuple[str, ...]:
    values = (ensemble.recall,) if recall_only else (ensemble.precision, ensemble.recall, ensemble.f1)
    gain = (signed(ensemble.gain, 3) if ensemble.against else "", *((bounds(ensemble.gain_ci),) if drawn else ()))
    resolved = "" if ensemble.resolved is None else score(ensemble.resolved.f1, 3)
    return (name, *(score(value, 3) for value in values), *((resolved,) if tags else ()), *gain)


def _note(result: ComplementResult) -> str:
    over = "the best of its systems alone"
    parts = [f"gain: over {over}{', with its interval' if result.inference.resamples else ''}."]
    if any(ensemble.resolved is not None and ensemble.resolved.left_out for ensemble in result.ensembles):
        parts.append("Units that overlap count each; tags: F1 once they are resolved, as --write-ensemble does.")
    left = sum(ensemble.kind == "union" for ensemble in result.ensembles) - BEST_PAIRS
    listed = f", the best {BEST_PAIRS}; --csv DIR writes all" if left > 0 else ""
    parts += [] if result.data["task"] == "labels" else [f"∪ union, ∩ intersection of two{listed}."]
    if result.greedy is not None and len(result.systems) > 2:
        parts.append(
            f"chosen vote: members added one by one by F1; cross-validated: chosen without the clusters it is scored "
            f"on, {counted(result.greedy.folds, 'fold')}, and so is the system that it is compared with."
        )
    parts.append("oracle: every right unit that any system has, and nothing else.")
    if len(result.systems) > MOST_ROWS:
        shown = f"The best {MOST_ROWS} systems and the best {BEST_VOTES} votes"
        parts.append(f"{shown} of {len(result.systems):,}: --csv DIR and --json FILE have all.")
    if result.inference.resamples:
        parts.append(f"Intervals: {result.inference.difference_interval}.")
    return " ".join(parts)


def _pairs(result: ComplementResult) -> list[Block]:
    names = list(result.systems)
    if len(names) <= FEW_SYSTEMS:
        return [_one_by_one(result)]
    if len(names) > MANY_SYSTEMS:
        return [capped(_partners(result))]
    measures = ["r_comp"] if result.rule else ["r_comp", "p_comp", "f_comp", "comp"]
    return [_matrix(result, name) for name in measures]


def _one_by_one(result: ComplementResult) -> Grid:
    drawn = result.inference.resamples > 0
    rows = []
    for pair in result.pairs:
        cells = [f"{pair.b} over {pair.a}"]
        for name in ("r_comp",) if result.rule else ("r_comp", "p_comp", "f_comp", "comp"):
            cells.append(score(getattr(pair, name), 3))
            cells += [bounds(None if pair.ci is None else pair.ci[name], 2)] if drawn else []
        rows.append(tuple(cells))
    columns = [Column("", "left")]
    for title in ("R_comp",) if result.rule else ("R_comp", "P_comp", "F_comp", "Comp"):
        columns += [Column(title)] + ([Column("interval", beside=True)] if drawn else [])
    method = f" Intervals: {result.inference.interval}." if drawn else ""
    return Grid("What one offers over another", tuple(columns), tuple(rows), _meaning(result) + method, name="pairs")


def _meaning(result: ComplementResult) -> str:
    errors = "item" if result.over == "items" else "missed and spurious units"
    parts = ["R_comp: the share of misses that the other repairs."]
    if not result.rule:
        parts.append("P_comp: of spurious units that it does not return. F_comp: both together.")
        parts.append(f"Comp: over all errors ({'items' if errors == 'item' else errors}).")
    return " ".join(parts)


def _matrix(result: ComplementResult, measure: str) -> Grid:
    names = list(result.systems)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    values = {(pair.a, pair.b): getattr(pair, measure) for pair in result.pairs}
    counts = {pair.a: _errors_of(pair, measure) for pair in result.pairs}
    rows, marked = [], set()
    for i, a in enumerate(names):
        row_values = [values.get((a, b)) for b in names]
        best = max((v for v in row_values if v is not None), default=None)
        marked |= {(i, j + 2) for j, v in enumerate(row_values) if v is not None and v == best}
        cells = ("·" if a == b else score(v, 2) for b, v in zip(names, row_values, strict=True))
        rows.append((f"{letters[i]} {a}", f"{counts[a]:,}", *cells))
    columns = [Column("", "left"), Column({"r_comp": "missed", "p_comp": "spurious"}.get(measure, "wrong"))]
    columns += [Column(letter) for letter in letters[: len(names)]]
    return Grid(TITLES[measure], tuple(columns), tuple(rows), marked=frozenset(marked), name=measure.replace("_", "-"))


def _errors_of(pair: Complement, measure: str) -> int:
    """Return how many errors of the row's system the measure is a share of."""
    return {"r_comp": pair.missed_a, "p_comp": pair.spurious_a or 0}.get(measure, pair.wrong_a)


def _partners(result: ComplementResult) -> Grid:
    rows = []
    ranked = [system.systems[0] for system in sorted(result.systems.values(), key=_rank)]
    for name in ranked if len(ranked) > MOST_ROWS else result.systems:
        rivals = [pair for pair in result.pairs if pair.a == name]
        best = max(rivals, key=lambda pair: (-1.0 if pair.r_comp is None else pair.r_comp, pair.b))
        rows.append(
            (name, f"{best.missed_a:,}", best.b, f"{best.only_b:,}", score(best.r_comp, 3), score(best.p_comp, 3))
        )
    columns = (
        Column("system", "left"), Column("missed"), Column("most found by"), Column("of them"), Column("R_comp"),
        Column("P_comp"),
    )  # fmt: skip
    note = f"{_meaning(result)} All {len(result.pairs):,} pairs are in --csv DIR and --json FILE."
    return Grid("The best partner of each system", columns, tuple(rows), note, name="partners")


def _slices(result: ComplementResult) -> list[Block]:
    """Return the listed pairs in the buckets of each attribute, both ways."""
    grids: list[Block] = []
    pairs = [(s.a, s.b) for s in result.questions[:1]]
    for attribute in dict.fromkeys(s.attribute for s in result.slices):
        for a, b in pairs:
            of_pair = [s for s in result.slices if s.attribute == attribute and {s.pair.a, s.pair.b} == {a, b}]
            grids.append(_slice_grid(result, attribute, a, b, of_pair))
    return grids


def _slice_grid(result: ComplementResult, attribute: str, a: str, b: str, slices: Sequence[Slice]) -> Grid:
    filled = [cell for cell in slices if cell.n_gold or cell.pair.wrong_a or cell.pair.wrong_b]
    buckets = list(dict.fromkeys(cell.bucket for cell in filled))
    at = {(cell.bucket, cell.pair.a): cell for cell in slices}
    rows = []
    for bucket in buckets[:MOST_BUCKETS]:
        forward, backward = at[bucket, a].pair, at[bucket, b].pair
        interval = at[bucket, a].interval
        cells: list[str] = [bucket if interval == bucket else f"{bucket} ({interval})", f"{at[bucket, a].n_gold:,}"]
        for pair in (forward, backward):
            cells += [f"{pair.missed_a:,}", score(pair.r_comp, 2)]
            cells += [] if result.rule else [f"{pair.spurious_a:,}", score(pair.p_comp, 2)]
        rows.append(tuple(cells))
    spurious = () if result.rule else (Column("spurious"), Column("P_comp"))
    cell = (Column("missed"), Column("R_comp"), *spurious)
    columns = (Column(attribute, "left"), Column("gold"), *cell, *cell)
    groups = (("", 2), ("1→2", len(cell)), ("2→1", len(cell)))
    left = len(buckets) - MOST_BUCKETS
    note = f"{left:,} more buckets are in --csv DIR." if left > 0 else ""
    full_note = f"{note} Intervals are in --csv DIR and --json FILE." if result.inference.resamples else note
    title = f"By {attribute}: 1 = {a}, 2 = {b}"
    full_note = f"1→2: of what 1 misses (returns wrongly), 2 finds (avoids) that share. {full_note}"
    return Grid(title, columns, tuple(rows), full_note.strip(), groups=groups, name=f"by-{attribute}")


def _curve(result: ComplementResult) -> Grid:
    rows = []
    for i, step in enumerate(result.curve, 1):
        cells = [str(i), step.system, f"{step.added:,}", score(step.recall, 3), score(step.r_comp, 3)]
        if not result.rule:
            cells += [score(step.union.f1, 3), score(step.vote.f1, 3), str(step.vote.k)]
        rows.append(tuple(cells))
    columns = [Column("", "left"), Column("system", "left"), Column("adds"), Column("recall"), Column("R_comp")]
    columns += [] if result.rule else [Column("F1 of the union"), Column("best vote"), Column("k")]
    note = "Always the system that finds most of what those before it miss; R_comp: its share of these."
    return Grid("One more system", tuple(columns), tuple(rows), note, name="curve")


def _questions(result: ComplementResult) -> list[Block]:
    """Return how many units answer each question on a pair, with one of them."""
    grids: list[Block] = []
    for pair in result.questions:
        if result.listed:
            grids += _all_units(pair)
            continue
        rows = []
        for question, question_text in QUESTIONS.items():
            if question not in pair.counts:
                continue
            units = pair.units[question]
            example = units[len(units) // 2] if units else None
            text = "" if example is None else example.excerpt(36)
            name = f"{question_text.format(a=pair.a, b=pair.b)}: {pair.counts[question]:,}"
            rows.append((name, text, "" if example is None else example.label or ""))
        columns = [
            Column("items" if result.rule else "units", "left"),
            Column("such as", "left"),
            Column("label", "left"),
        ]
        width = 3 if any(row[2] for row in rows) else 2
        note = "--compare A,B lists the units of two systems, --top N more of them (0 = all)."
        title = f"{pair.a} and {pair.b}: who has what"
        cells = tuple(row[:width] for row in rows)
        grids.append(Grid(title, tuple(columns[:width]), cells, note, name=f"questions-{pair.a}-{pair.b}"))
    return grids


def _all_units(pair: Questions) -> list[Block]:
    """Return all units of a pair."""
    grids: list[Block] = []
    for question, question_text in QUESTIONS.items():
        units = pair.units.get(question, ())
        if not units:
            continue
        rows = tuple((str(m.item), m.excerpt(60), m.label or "") for m in units)
        columns = (Column("item", "left"), Column("unit", "left"), Column("label", "left"))
        left = pair.counts[question] - len(units)
        note = f"{left:,} more; --top N shows more, 0 all." if left else ""
        title = f"{question_text.format(a=pair.a, b=pair.b)}: {pair.counts[question]:,}"
        title = f"{title[0].upper()}{title[1:]}"
        grids.append(Grid(title, columns, rows, note, name=f"{question}-{pair.a}-{pair.b}"))
    return grids
