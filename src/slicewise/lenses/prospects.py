"""What systems would gain from each other, in plain sentences; every number in them was counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.errors import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slicewise.results.complement import Complement, Greedy, Together


def prospects(
    alone: Mapping[str, Together],
    pairs: Sequence[Complement],
    together: Sequence[Together],
    greedy: Greedy | None,
    oracle: Together,
    best: Sequence[str],
    noun: str,
    cluster: str,
    *,
    sets: bool,
) -> tuple[str, ...]:
    """Return what the pairs, the votes and the oracle say; `noun` is `unit` or `item`.

    `sets`: whether a system may return several units of an item, so that unions are outputs like others.
    """
    found = [
        _repairs(pairs, best[0], noun),
        *(_combined(alone, pairs, together) if sets else ()),
        _vote(together, len(alone)),
        _chosen(greedy, cluster),
    ]
    return tuple(text for text in (*found, _oracle(oracle, alone[best[0]], best[0], noun)) if text)


def _repairs(pairs: Sequence[Complement], best: str, noun: str) -> str:
    """Say who repairs most of the best system's misses."""
    rivals = [pair for pair in pairs if pair.a == best and pair.missed_a and pair.r_comp is not None]
    if not rivals:
        return f"{best} misses nothing, so nobody can add to what it finds."
    most = max(rivals, key=lambda pair: (pair.r_comp or 0.0, pair.b))
    if not most.only_b:
        return f"Nobody finds anything that {best} misses: its misses are missed by all."
    spurious = ""
    if most.p_comp is not None and most.spurious_a:
        spurious = f", and avoids {most.p_comp:.0%} of its {most.spurious_a:,} spurious ones"
    share = f"{most.only_b:,} of the {most.missed_a:,} {noun}s that {best} misses ({most.r_comp:.0%})"
    return f"{most.b} finds {share}{spurious}."


def _combined(alone: Mapping[str, Together], pairs: Sequence[Complement], together: Sequence[Together]) -> list[str]:
    """Say what the best union and the best intersection of two systems would gain or lose."""
    found = []
    by_pair = {(pair.a, pair.b): pair for pair in pairs}
    for kind in ("union", "intersection"):
        rivals = [one for one in together if one.kind == kind and len(one.systems) == 2 and one.gain is not None]
        if not rivals:
            continue
        most = max(rivals, key=lambda one: (one.f1 or 0.0, one.systems))
        better = str(most.against)
        other = next(name for name in most.systems if name != better)
        told = _union if kind == "union" else _intersection
        if most.f1 is not None:
            found.append(told(alone[better], most, by_pair[better, other], better, other))
    return found


def _union(one: Together, both: Together, pair: Complement, better: str, other: str) -> str:
    more = counted((both.n_pred or 0) - both.tp - ((one.n_pred or 0) - one.tp), "more spurious one")
    new = counted(pair.only_b, "more unit")
    return (
        f"The union of {better} and {other} finds {new} and returns {more}: "
        f"recall {_step(one.recall, both.recall)}, precision {_step(one.precision, both.precision)}, "
        f"F1 {_step(one.f1, both.f1)}{_gain(both)}{_tags(both)}."
    )


def _tags(both: Together) -> str:
    """Say what is left of it where overlapping units have to be resolved."""
    if both.resolved is None or not both.resolved.left_out or both.resolved.f1 is None:
        return ""
    left = counted(both.resolved.left_out, "overlapping unit")
    return f" ({both.resolved.f1:.3f} without {left}, as in a file of tags)"


def _intersection(one: Together, both: Together, pair: Complement, better: str, other: str) -> str:
    fewer = ((one.n_pred or 0) - one.tp) - ((both.n_pred or 0) - both.tp)
    return (
        f"The intersection of {better} and {other} leaves out {fewer:,} of {better}'s spurious units and loses "
        f"{pair.only_a:,} right ones: precision {_step(one.precision, both.precision)}, "
        f"recall {_step(one.recall, both.recall)}, F1 {_step(one.f1, both.f1)}{_gain(both)}."
    )


def _step(old: float | None, new: float | None) -> str:
    return " → ".join("undefined" if value is None else f"{value:.3f}" for value in (old, new))


def _gain(both: Together) -> str:
    if both.gain is None:
        return ""
    bounds = "" if both.gain_ci is None else f" [{both.gain_ci[0]:+.3f}, {both.gain_ci[1]:+.3f}]".replace("-", "−")
    return f", {both.gain:+.3f}{bounds}".replace("-", "−")


def _vote(together: Sequence[Together], systems: int) -> str:
    """Say which vote of all systems scores best."""
    votes = [one for one in together if one.kind == "vote" and one.f1 is not None]
    if not votes or systems < 3:
        return ""
    best = max(votes, key=lambda one: one.f1 or 0.0)
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
    return (
        f"With members chosen one by one, {rule} scores F1 {greedy.in_sample.f1:.3f}{_tags(greedy.in_sample)}; scored "
        f"on {cluster} that it was not chosen on, such a vote scores {fair.f1:.3f}{_gain(fair)} against {fair.against}."
    )


def _oracle(oracle: Together, best: Together, name: str, noun: str) -> str:
    if oracle.recall is None or best.recall is None:
        return ""
    nobody = oracle.n_gold - oracle.tp
    said = "gold units" if noun == "unit" else "items"
    return (
        f"All systems together find {oracle.tp:,} of {oracle.n_gold:,} {said} (recall {oracle.recall:.3f}, {name} "
        f"alone {best.recall:.3f}); {nobody:,} nobody finds."
    )
