"""Complementarity in plain sentences: what systems would gain from each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slicewise.annotations import Task
from slicewise.errors import counted
from slicewise.evaluation import Evaluation
from slicewise.lenses.complement.result import Complement, EnsembleScore, Greedy


def prospects(
    evaluation: Evaluation,
    alone: Mapping[str, EnsembleScore],
    pairs: Sequence[Complement],
    together: Sequence[EnsembleScore],
    greedy: Greedy | None,
    oracle: EnsembleScore,
    best: Sequence[str],
) -> tuple[str, ...]:
    """Return what the pairs, the votes and the oracle say; a union of labels is no output like others."""
    noun = "unit" if evaluation.task.has_units else "item"
    clusters = {"item": "items", "doc": "documents"}.get(evaluation.aligned.clusters.kind, "clusters")
    texts = [
        _repairs(pairs, best[0], noun),
        *(_combined(alone, pairs, together) if evaluation.task is not Task.LABELS else ()),
        _vote(together, len(alone)),
        _chosen(greedy, clusters),
    ]
    return tuple(text for text in (*texts, _oracle(oracle, alone[best[0]], best[0], noun)) if text)


def _repairs(pairs: Sequence[Complement], best: str, noun: str) -> str:
    """Return a sentence on the system that finds most of what the best one misses."""
    rivals = [pair for pair in pairs if pair.a == best and pair.missed_a and pair.r_comp is not None]
    if not rivals:
        return f"{best} misses nothing, so nobody can add to what it finds."
    best_rival = max(rivals, key=lambda pair: (pair.r_comp or 0.0, pair.b))
    if not best_rival.only_b:
        return f"Nobody finds anything that {best} misses: its misses are missed by all."
    spurious = ""
    if best_rival.p_comp is not None and best_rival.spurious_a:
        spurious = f", and avoids {best_rival.p_comp:.0%} of its {best_rival.spurious_a:,} spurious ones"
    share = f"{best_rival.only_b:,} of the {best_rival.missed_a:,} {noun}s that {best} misses ({best_rival.r_comp:.0%})"
    return f"{best_rival.b} finds {share}{spurious}."


def _combined(
    alone: Mapping[str, EnsembleScore], pairs: Sequence[Complement], together: Sequence[EnsembleScore]
) -> list[str]:
    """Return sentences on the gains of the best union and the best intersection of two systems."""
    texts = []
    by_pair = {(pair.a, pair.b): pair for pair in pairs}
    for kind in ("union", "intersection"):
        rivals = [e for e in together if e.kind == kind and len(e.systems) == 2 and e.gain is not None]
        if not rivals:
            continue
        best = max(rivals, key=lambda e: (e.f1 or 0.0, e.systems))
        better = str(best.against)
        partner = next(name for name in best.systems if name != better)
        describe = _union if kind == "union" else _intersection
        if best.f1 is not None:
            texts.append(describe(alone[better], best, by_pair[better, partner], better, partner))
    return texts


def _union(single: EnsembleScore, pooled: EnsembleScore, pair: Complement, better: str, partner: str) -> str:
    spurious = counted((pooled.n_pred or 0) - pooled.tp - ((single.n_pred or 0) - single.tp), "more spurious one")
    new = counted(pair.only_b, "more unit")
    return (
        f"The union of {better} and {partner} finds {new} and returns {spurious}: "
        f"recall {_step(single.recall, pooled.recall)}, precision {_step(single.precision, pooled.precision)}, "
        f"F1 {_step(single.f1, pooled.f1)}{_gain(pooled)}{_tags(pooled)}."
    )


def _tags(pooled: EnsembleScore) -> str:
    """Return the F1 once overlapping units are resolved, in brackets."""
    if pooled.resolved is None or not pooled.resolved.left_out or pooled.resolved.f1 is None:
        return ""
    left = counted(pooled.resolved.left_out, "overlapping unit")
    return f" ({pooled.resolved.f1:.3f} without {left}, as in a file of tags)"


def _intersection(single: EnsembleScore, pooled: EnsembleScore, pair: Complement, better: str, partner: str) -> str:
    fewer = ((single.n_pred or 0) - single.tp) - ((pooled.n_pred or 0) - pooled.tp)
    return (
        f"The intersection of {better} and {partner} leaves out {fewer:,} of {better}'s spurious units and loses "
        f"{pair.only_a:,} right ones: precision {_step(single.precision, pooled.precision)}, "
        f"recall {_step(single.recall, pooled.recall)}, F1 {_step(single.f1, pooled.f1)}{_gain(pooled)}."
    )


def _step(old: float | None, new: float | None) -> str:
    return " → ".join("undefined" if value is None else f"{value:.3f}" for value in (old, new))


def _gain(union: EnsembleScore) -> str:
    if union.gain is None:
        return ""
    bounds = "" if union.gain_ci is None else f" [{union.gain_ci[0]:+.3f}, {union.gain_ci[1]:+.3f}]".replace("-", "−")
    return f", {union.gain:+.3f}{bounds}".replace("-", "−")


def _vote(together: Sequence[EnsembleScore], systems: int) -> str:
    """Return a sentence on the best vote of all systems."""
    votes = [ensemble for ensemble in together if ensemble.kind == "vote" and ensemble.f1 is not None]
    if not votes or systems < 3:
        return ""
    best = max(votes, key=lambda ensemble: ensemble.f1 or 0.0)
    verb = "gains" if (best.gain or 0) > 0 else "loses" if (best.gain or 0) < 0 else "neither gains nor loses"
    name = "the plurality vote" if best.k is None else f"{best.k} of {len(best.systems)} votes"
    against = f"against {best.against} alone it {verb}{_gain(best).removeprefix(',')}"
    verb = "scores" if best.k is None else "score"
    return f"Of all votes of the {systems} systems, {name} {verb} best: F1 {best.f1:.3f}{_tags(best)}; {against}."


def _chosen(greedy: Greedy | None, cluster: str) -> str:
    if greedy is None or greedy.in_sample.f1 is None or greedy.cross_validated.f1 is None:
        return ""
    members = ", ".join(greedy.systems)
    if len(greedy.systems) == 1:
        return f"No vote of chosen members beats {members} alone."
    of = f"{len(greedy.systems)} systems ({members})"
    rule = f"the most frequent answer of {of}" if greedy.k is None else f"a vote of {greedy.k} of {of}"
    fair = greedy.cross_validated
    alone = [name for name, folds in greedy.baseline.items() if folds]
    against = f"{fair.against}" if len(alone) == 1 else "the system that was best there"
    return (
        f"With members chosen one by one, {rule} scores F1 {greedy.in_sample.f1:.3f}{_tags(greedy.in_sample)}; scored "
        f"on {cluster} that it was not chosen on, such a vote scores {fair.f1:.3f}{_gain(fair)} against {against}."
    )


def _oracle(oracle: EnsembleScore, best: EnsembleScore, name: str, noun: str) -> str:
    if oracle.recall is None or best.recall is None:
        return ""
    missed = oracle.n_gold - oracle.tp
    units = "gold units" if noun == "unit" else "items"
    return (
        f"All systems together find {oracle.tp:,} of {oracle.n_gold:,} {units} (recall {oracle.recall:.3f}, {name} "
        f"alone {best.recall:.3f}); {missed:,} nobody finds."
    )
