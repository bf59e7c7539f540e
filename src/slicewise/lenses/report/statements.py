"""The strongest statements of all lenses, each with what mending it would be worth."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from slicewise.results.statement import Statement

MOST = 10
EACH = 2
"""So many at most of one lens and one of the best systems (of others, one), and of one attribute or feature."""


def strongest(statements: Sequence[Statement], best: Collection[str]) -> tuple[Statement, ...]:
    """Return up to ten, what is worth most first: the first of every lens, then the best systems', then the rest."""
    ordered = sorted(statements, key=_by_worth)
    of_best = [statement for statement in ordered if statement.system in best]
    chosen: list[Statement] = []
    for statement in (*_first_of_each(ordered), *of_best, *ordered):
        most = EACH if statement.system in best else 1
        if len(chosen) < MOST and statement not in chosen and not _enough(chosen, statement, most):
            chosen.append(statement)
    return tuple(sorted(chosen, key=_by_worth))


def _enough(chosen: Sequence[Statement], statement: Statement, most: int) -> bool:
    """Return whether the limit per lens and system, or per attribute or feature, is reached."""
    alike = sum((c.lens, c.dataset, c.system) == (statement.lens, statement.dataset, statement.system) for c in chosen)
    same = sum(c.topic == statement.topic for c in chosen)
    return alike >= most or same >= EACH


def _by_worth(statement: Statement) -> tuple[float, float, str]:
    return -(statement.worth or 0.0), statement.q, statement.text


def _first_of_each(ordered: Sequence[Statement]) -> list[Statement]:
    first: dict[str, Statement] = {}
    for statement in ordered:
        first.setdefault(statement.lens, statement)
    return list(first.values())
