"""The catalogue of attributes: what there is for an evaluation, and an attribute by its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from slicewise.attributes import (
    confidence,
    consistency,
    density,
    form,
    frequency,
    identity,
    labels,
    length,
    mentions,
    place,
    text,
)
from slicewise.attributes.attribute import Attribute, Need, Of
from slicewise.attributes.columns import column_attributes
from slicewise.attributes.facts import Facts
from slicewise.attributes.own import from_entry_points, from_file, from_function
from slicewise.errors import UserError, did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    import polars as pl

__all__ = ["Attribute", "Facts", "Need", "Of", "catalogue", "choose", "missing"]


def catalogue() -> dict[str, Attribute]:
    """Return the attributes that come with the package, by name."""
    modules = (identity, length, density, frequency, consistency, place, form, mentions, text, labels, confidence)
    return {attribute.name: attribute for module in modules for attribute in module.ATTRIBUTES}


def missing(attribute: Attribute, facts: Facts) -> Need | None:
    """Return what the attribute needs and the evaluation has not."""
    evaluation = facts.evaluation
    there = {
        Need.TRAIN: lambda: evaluation.train is not None,
        Need.TRAIN_WORDS: lambda: facts.has_train_words,
        Need.TRAIN_LABELS: lambda: facts.train_units is not None,
        Need.TRAIN_STRINGS: lambda: facts.has_train_strings,
        Need.WORDS: lambda: evaluation.aligned.has_words,
        Need.GOLD: lambda: evaluation.aligned.answers is None or "gold" in evaluation.aligned.answers.columns,
        Need.CONFIDENCE: lambda: facts.told.confidence,
    }
    return next((need for need in Need if need in attribute.needs and not there[need]()), None)


def available(facts: Facts) -> tuple[dict[str, Attribute], dict[str, Need]]:
    """Return the attributes of an evaluation, and what those of its task that it lacks would need."""
    known = {name: a for name, a in catalogue().items() if facts.task in a.tasks}
    lacking = {name: need for name, a in known.items() if (need := missing(a, facts)) is not None}
    there = {name: a for name, a in known.items() if name not in lacking}
    own = {a.name: a for a in (*column_attributes(facts), *from_entry_points()) if a.name not in there}
    return there | own, {name: need for name, need in lacking.items() if name not in own}


def choose(
    facts: Facts, names: Iterable[str | Attribute | Callable[..., Any]], *, core: bool = False
) -> tuple[list[Attribute], dict[str, Need]]:
    """Return the attributes asked for, or all that the evaluation has (the paper's, with `core`).

    `all` and `core` stand for these. What is lacking is returned only where the user did not ask for it by name.
    """
    asked = list(names) or ["core" if core else "all"]
    known, lacking = available(facts)
    chosen: dict[str, Attribute] = {}
    left_out: dict[str, Need] = {}
    for name in asked:
        if name in ("all", "core"):
            chosen |= {n: a for n, a in known.items() if name == "all" or a.core}
            left_out |= {n: need for n, need in lacking.items() if name == "all" or catalogue()[n].core}
            continue
        found = name if isinstance(name, Attribute) else _find(name, facts, known, lacking)
        if chosen.get(found.name, found) is not found:
            raise UserError(f"two attributes are called {quoted(found.name)}; rename your function")
        chosen[found.name] = found
    return list(chosen.values()), left_out


def _find(
    name: str | Callable[..., Any], facts: Facts, known: dict[str, Attribute], lacking: dict[str, Need]
) -> Attribute:
    if not isinstance(name, str):
        return from_function(name)
    if (own := from_file(name)) is not None:
        return own
    bare, version = _versioned(name)
    every = catalogue()
    if bare not in known and (near := {n.lower(): n for n in known}.get(bare.lower())):
        bare = near
    if bare in known:
        if version is not None and version != known[bare].version:
            there = known[bare].versioned
            raise UserError(f"there is no version {version} of the attribute {quoted(bare)}; there is {there}")
        return known[bare]
    if bare in lacking:
        raise UserError(f"the attribute {quoted(bare)} needs {lacking[bare].value}")
    if bare in every:
        tasks = " and ".join(sorted(task.value for task in every[bare].tasks))
        raise UserError(
            f"the attribute {quoted(bare)} is for {tasks}, but the task is {facts.task.value}; use one of: "
            + ", ".join(known)
        )
    raise UserError(f"unknown attribute {quoted(name)}; {did_you_mean(name, [*known, *lacking])}")


def _versioned(name: str) -> tuple[str, int | None]:
    found = re.fullmatch(r"(.+)\.v(\d+)", name)
    return (found[1], int(found[2])) if found else (name, None)


def values_of(attribute: Attribute, facts: Facts, system: str | None = None) -> pl.Series:
    """Return the values of an attribute, of one system's outputs where it is theirs."""
    return attribute.values(facts) if system is None else attribute.values(facts, system)


def names_of(attributes: Sequence[Attribute]) -> list[str]:
    """Return the versioned names, as they stand in a signature."""
    return [attribute.versioned for attribute in attributes]
