"""The view of scores: blocks for people, and tables of values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from slicewise.errors import counted
from slicewise.lenses.score.result import Pair, ScoreResult, SystemScores
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import bounds, probability, score, signed, whole
from slicewise.results.base import Row
from slicewise.results.estimates import WILSON, Prf, Value
from slicewise.results.heading import opening
from slicewise.results.rows import bounds_row, prf_row, row_of
from slicewise.stats.multiplicity import ALPHA

MOST_PAIRS = 10
MOST_LABELS = 15
LEAST_GOLD = 10
"""Gold units that a label needs to be called the weakest."""
NOTABLE_EFFECT = 1.05
"""A design effect from which on it is said how many items the items count as."""
NAMES = {
    "boundary": "wrong boundary",
    "type": "wrong type",
    "boundary_type": "wrong boundary and type",
    "missed": "missed",
    "spurious": "spurious",
}


def blocks(result: ScoreResult) -> list[Block]:
    """Return the blocks for people, the most important first."""
    view = opening(result.data)
    view.append(_systems(result))
    if texts := sentences(result):
        view += [Sentence(""), *(Sentence(text) for text in texts)]
    view += _restarts(result)
    view += _labels(result)
    view += _errors(result)
    view += _semeval(result)
    view += _confusions(result)
    view += _pairs(result)
    view.append(Sentence(""))
    view.append(Sentence(result.signature, "aside"))
    return view


def _systems(result: ScoreResult) -> Grid:
    main, *further = result.metrics
    ranking = result.ranking()
    tested = result.inference.resamples > 0
    with_prf = result.systems[ranking[0]].micro is not None and re.fullmatch(r"f[\d.]+", main) is not None
    columns = [Column("system", "left"), *([Column("P"), Column("R")] if with_prf else []), Column(main)]
    columns += [Column(f"{result.inference.confidence:.0%} interval")] if tested else []
    columns += [Column("group")] if len(result.groups) > 1 else []
    columns += [Column(name) for name in further]
    rows = tuple(_system_row(result, name, with_prf=with_prf) for name in ranking)
    marked = frozenset({(0, 3 if with_prf else 1)} if len(ranking) > 1 else ())
    return Grid("Scores", tuple(columns), rows, _systems_note(result), marked)


def _systems_note(result: ScoreResult) -> str:
    main = result.metrics[0]
    note = []
    if len(result.systems) > 1:
        note.append(f"Sorted by {main}{' (lower is better)' if main in result.lower_is_better else ''}.")
    if result.inference.resamples:
        note.append(f"Intervals: {result.inference.interval}.")
    if len(result.groups) > 1:
        note.append("Systems that share a group letter cannot be told apart.")
        if result.restarts and not {name for group in result.groups for name in group} >= set(result.systems):
            note.append("Only the first run of a system is tested.")
    return " ".join(note)


def _system_row(result: ScoreResult, name: str, *, with_prf: bool) -> tuple[str, ...]:
    scores = result.systems[name]
    main, *further = (scores.metrics[metric] for metric in result.metrics)
    row = [name]
    if with_prf and scores.micro is not None:
        row += [score(scores.micro.precision), score(scores.micro.recall)]
    row.append(score(main.value))
    row += [bounds(main.ci)] if result.inference.resamples else []
    if len(result.groups) > 1:
        row.append("".join(_letter(i) for i, group in enumerate(result.groups) if name in group))
    return (*row, *(score(value.value) for value in further))


def _letter(i: int) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] if i < 26 else f"({i + 1})"


def sentences(result: ScoreResult) -> list[str]:
    """Return what the tables mean, in plain words."""
    main = result.metrics[0]
    pairs = [p for p in result.pairs if p.metric == main and p.q is not None]
    best = _best(result)
    texts = [_best_sentence(result, best, pairs), *_otherwise(result, best)] if pairs else []
    scores = result.systems[best]
    if scores.repairs is not None and scores.errors is not None:
        kind, gain = max(scores.repairs.items(), key=lambda item: item[1].value or 0.0)
        if gain.value:
            texts.append(
                f"{best}: repairing {_all_errors(scores.errors[kind])} of the kind “{NAMES[kind]}” would gain most, "
                f"{gain.value:.3f} F1{_within(gain)}."
            )
    texts += _weakness(best, scores)
    return texts + _alike(result, scores)


def _alike(result: ScoreResult, scores: SystemScores) -> list[str]:
    """Say how many items those of clusters that are alike count as."""
    dependence = scores.dependence
    if dependence is None or dependence.design_effect < NOTABLE_EFFECT:
        return []
    kind = result.data["cluster"]
    cluster = "document" if kind == "doc" else f"“{kind}”"
    about = float(f"{dependence.effective_items:.2g}")
    alike = f"Items of one {cluster} are alike (ICC {dependence.icc:.2f})"
    return [f"{alike}: {dependence.items:,} items count as about {about:,.0f}."]


def _weakness(best: str, scores: SystemScores) -> list[str]:
    """Name the weakest label, if all of its interval is below the F1 over all labels."""
    if scores.micro is None or scores.micro.f1 is None:
        return []
    weak = []
    for label, prf in scores.labels.items():
        ci = prf.ci["f1"] if prf.ci else None
        if prf.f1 is not None and prf.n_gold >= LEAST_GOLD and ci is not None and ci[1] < scores.micro.f1:
            weak.append((prf.f1, label, prf.n_gold, ci))
    if not weak:
        return []
    f1, label, n_gold, ci = min(weak)
    overall = score(scores.micro.f1, 3)
    return [f"{best} is weakest on {label}: F1 {f1:.3f} {bounds(ci)} on {n_gold:,} gold units, {overall} on all."]


def _best(result: ScoreResult) -> str:
    """Return the best of the systems that were compared, or of all where none were."""
    compared = {name for p in result.pairs for name in (p.a, p.b)} or set(result.systems)
    return next(name for name in result.ranking() if name in compared)


def _all_errors(n: int) -> str:
    return "the one error" if n == 1 else f"all {n:,} errors"


def _within(value: Value) -> str:
    return f" {bounds(value.ci)}" if value.ci else ""


def _best_sentence(result: ScoreResult, best: str, pairs: Sequence[Pair]) -> str:
    """Return a sentence on whether the first system is significantly better than the others."""
    main = result.metrics[0]
    value = score(result.systems[best].metrics[main].value)
    mine = [p for p in pairs if best in (p.a, p.b)]
    alike = {p.a if p.b == best else p.b for p in mine if p.q is not None and p.q >= ALPHA}
    runs = "Of the first runs, " if result.restarts and best != result.ranking()[0] else ""
    if not alike:
        rivals = "the other" if len(mine) == 1 else "every other"
        rivals += " first run" if result.restarts else " system"
        return f"{runs}{best} is best ({main} {value}), and the difference to {rivals} is significant (q < 0.05, Holm)."
    names = [name for name in result.ranking() if name in alike]
    return f"{runs}{best} is first ({main} {value}), but cannot be told apart from {_listed(names)} (q ≥ 0.05, Holm)."


def _otherwise(result: ScoreResult, best: str) -> list[str]:
    """Return sentences on other metrics by which another system is significantly better than the first."""
    by_system: dict[str, list[str]] = {}
    for p in result.pairs:
        if p.metric == result.metrics[0] or best not in (p.a, p.b) or p.q is None or p.q >= ALPHA or not p.difference:
            continue
        better = p.a if (p.difference > 0) != (p.metric in result.lower_is_better) else p.b
        if better != best:
            by_system.setdefault(better, []).append(p.metric)
    return [f"By {_listed(names)}, {system} is better than {best} (q < 0.05)." for system, names in by_system.items()]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _restarts(result: ScoreResult) -> list[Block]:
    if not result.restarts:
        return []
    main = result.metrics[0]
    rows = tuple(
        (name, str(s[main].n), score(s[main].mean), score(s[main].std), score(s[main].min), score(s[main].max))
        for name, s in result.restarts.items()
    )
    titles = ("runs", "mean", "std", "min", "max")
    columns = (Column("system", "left"), *(Column(t) for t in titles))
    return [
        Grid(
            f"Restarts, {main}", columns, rows, "Paired tests take the first run of each system (--restarts each: all)."
        )
    ]


def _labels(result: ScoreResult) -> list[Block]:
    n_gold = result.label_sizes()
    labels = list(n_gold)
    if not labels:
        return []
    note = f"{len(labels) - MOST_LABELS} rarer labels are in --json and --csv." if len(labels) > MOST_LABELS else ""
    method = f"Intervals: {WILSON}." if result.inference.resamples else ""
    first = (Column("label", "left"), Column("gold"))
    if len(result.systems) == 1:
        by_label = next(iter(result.systems.values())).labels
        rows = tuple(_label_row(label, by_label.get(label), n_gold[label]) for label in labels[:MOST_LABELS])
        titles = ("P", "R", "F1", f"{result.inference.confidence:.0%} interval")
        columns = (*first, *map(Column, titles))
        kept = columns if result.inference.resamples else columns[:-1]
        return [Grid("By label", kept, tuple(row[: len(kept)] for row in rows), f"{note} {method}".strip())]
    ranking = result.ranking()
    cells, marked = [], set()
    for i, label in enumerate(labels[:MOST_LABELS]):
        scores_of_label = [result.systems[name].labels.get(label) for name in ranking]
        values = [None if prf is None else prf.f1 for prf in scores_of_label]
        cells.append((label, whole(n_gold[label]), *(score(value, 3) for value in values)))
        best = max((v for v in values if v is not None), default=None)
        marked |= {(i, 2 + j) for j, v in enumerate(values) if v is not None and v == best and v > 0}
    return [Grid("F1 by label", (*first, *(Column(name) for name in ranking)), tuple(cells), note, frozenset(marked))]


def _label_row(label: str, prf: Prf | None, n_gold: int) -> tuple[str, ...]:
    if prf is None:
        return (label, whole(n_gold), "–", "–", "–", "")
    values = (score(value, 3) for value in (prf.precision, prf.recall, prf.f1))
    return (label, whole(n_gold), *values, bounds(prf.ci["f1"] if prf.ci else None))


def _errors(result: ScoreResult) -> list[Block]:
    counts, gains = [], []
    for name in result.ranking():
        scores = result.systems[name]
        if scores.errors is None or scores.repairs is None:
            return []
        counts.append((name, *(whole(n) for n in scores.errors.values())))
        gains.append((name, *(signed(gain.value, 3) for gain in scores.repairs.values())))
    titles = ("boundary", "type", "both", "missed", "spurious")
    columns = (Column("system", "left"), *(Column(title) for title in titles))
    note = "A missed and a spurious span that overlap make one error: of boundary, type or both."
    return [
        Grid("Errors by kind", columns, tuple(counts), note),
        Grid("F1 gained if all errors of a kind were repaired", columns, tuple(gains)),
    ]


def _semeval(result: ScoreResult) -> list[Block]:
    ways = ("strict", "exact", "partial", "type")
    rows = []
    for name in result.ranking():
        semeval = result.systems[name].semeval
        if semeval is None:
            return []
        rows.append((name, *(score(semeval[way].f1) for way in ways)))
    columns = (Column("system", "left"), *(Column(way) for way in ways))
    note = "exact: boundaries only; partial: overlap counts half; type: any overlap with the right type."
    return [Grid("F1 counted in the four ways of SemEval-2013", columns, tuple(rows), note)]


def _confusions(result: ScoreResult) -> list[Block]:
    best = result.ranking()[0]
    wrong = [c for c in result.systems[best].confusions if c.gold != c.returned]
    if not wrong:
        return []
    wrong = sorted(wrong, key=lambda c: (-c.n, c.gold, c.returned))
    rows = tuple((c.gold, c.returned, whole(c.n)) for c in wrong[:8])
    columns = (Column("gold", "left"), Column("returned as", "left"), Column("n"))
    left = f"{len(wrong) - 8} more are in --json and --csv." if len(wrong) > 8 else ""
    return [Grid(f"Most frequent confusions of {best}", columns, rows, left)]


def _pairs(result: ScoreResult) -> list[Block]:
    main = result.metrics[0]
    pairs = [p for p in result.pairs if p.metric == main]
    if not pairs:
        return []
    best = _best(result)
    listed = pairs if len(pairs) <= MOST_PAIRS else [p for p in pairs if best in (p.a, p.b)]
    listed = listed[: 2 * MOST_PAIRS]
    tested = result.inference.resamples > 0
    columns = [Column("a", "left"), Column("b", "left"), Column("a − b")]
    columns += [Column(f"{result.inference.confidence:.0%} interval"), Column("p"), Column("q")] if tested else []
    rows = [
        (p.a, p.b, signed(p.difference), *((bounds(p.ci), probability(p.p), probability(p.q)) if tested else ()))
        for p in listed
    ]
    left = len(pairs) - len(listed)
    note = f"Intervals: {result.inference.difference_interval}. p: {result.inference.test}; q: Holm." if tested else ""
    note += f" {counted(left, 'more pair')} in --json and --csv." if left else ""
    return [Grid(f"Differences of {main}", tuple(columns), tuple(rows), note.strip())]


def tables(result: ScoreResult) -> dict[str, list[Row]]:
    """Return long tables: metrics, scores (micro and labels), errors, semeval, confusions, pairs, restarts."""
    out: dict[str, list[Row]] = {"metrics": [], "scores": [], "errors": [], "semeval": [], "confusions": []}
    for name, scores in result.systems.items():
        head: Row = {"system": name}
        out["metrics"] += [
            head | {"metric": metric} | row_of(value, "value", "ci") for metric, value in scores.metrics.items()
        ]
        if scores.micro is not None:
            out["scores"].append(head | {"label": None} | prf_row(scores.micro))
        out["scores"] += [head | {"label": label} | prf_row(prf) for label, prf in scores.labels.items()]
        for kind, n in (scores.errors or {}).items():
            gain = (scores.repairs or {})[kind]
            row = head | {"kind": kind, "n": n, "overlapping": (scores.overlapping or {}).get(kind)}
            out["errors"].append(row | {"f1_gain": gain.value} | bounds_row(gain.ci))
        out["semeval"] += [head | {"way": way} | prf_row(prf) for way, prf in (scores.semeval or {}).items()]
        out["confusions"] += [head | row_of(confusion) for confusion in scores.confusions]
    columns = ("metric", "a", "b", "a_value", "b_value", "difference", "ci", "p", "q")
    out["pairs"] = [row_of(pair, *columns) for pair in result.pairs]
    out["restarts"] = [
        {"system": name, "metric": metric, "runs": spread.n, **row_of(spread, "mean", "std", "min", "max")}
        for name, spreads in result.restarts.items()
        for metric, spread in spreads.items()
    ]
    return {name: rows for name, rows in out.items() if rows}
