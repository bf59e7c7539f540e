"""The catalogue of attributes: what there is for an evaluation, and an attribute by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

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
from slicewise.attributes.attribute import Attribute, Need
from slicewise.attributes.columns import column_attributes
from slicewise.attributes.custom import from_entry_points, from_file, from_function
from slicewise.attributes.facts import Facts
from slicewise.errors import UserError, did_you_mean, quoted

MODULES = (identity, length, density, frequency, consistency, place, form, mentions, text, labels, confidence)


def catalogue() -> dict[str, Attribute]:
    """Return the attributes that come with the package, by name."""
    return {attribute.name: attribute for module in MODULES for attribute in module.ATTRIBUTES}


def missing(attribute: Attribute, facts: Facts) -> Need | None:
    """Return what the attribute needs and the evaluation has not."""
    evaluation = facts.evaluation
    has = {
        Need.TRAIN: lambda: evaluation.train is not None,
        Need.TRAIN_WORDS: lambda: facts.has_train_words,
        Need.TRAIN_LABELS: lambda: facts.train_units is not None,
        Need.TRAIN_STRINGS: lambda: facts.has_train_strings,
        Need.WORDS: lambda: evaluation.aligned.has_words,
        Need.GOLD: lambda: evaluation.aligned.answers is None or "gold" in evaluation.aligned.answers.columns,
        Need.CONFIDENCE: lambda: facts.corpus_facts.confidence,
    }
    return next((need for need in Need if need in attribute.needs and not has[need]()), None)


def available(facts: Facts) -> tuple[dict[str, Attribute], dict[str, Need]]:
    """Return the attributes of an evaluation, and what those of its task that it lacks would need."""
    known = {name: a for name, a in catalogue().items() if facts.task in a.tasks}
    lacking = {name: need for name, a in known.items() if (need := missing(a, facts)) is not None}
    listed = {name: a for name, a in known.items() if name not in lacking}
    added = {a.name: a for a in (*column_attributes(facts), *from_entry_points()) if a.name not in listed}
    return listed | added, {name: need for name, need in lacking.items() if name not in added}


def choose(
    facts: Facts, names: Iterable[str | Attribute | Callable[..., Any]], *, core: bool = False
) -> tuple[list[Attribute], dict[str, Need]]:
    """Return the attributes asked for, or all that the evaluation has (the paper's, with `core`).

    `all` and `core` stand for these. What is lacking is returned only where the user did not ask for it by name.
    """
    requested = list(names) or ["core" if core else "all"]
    known, lacking = available(facts)
    chosen: dict[str, Attribute] = {}
    left_out: dict[str, Need] = {}
    for name in requested:
        if name in ("all", "core"):
            chosen |= {n: a for n, a in known.items() if name == "all" or a.core}
            left_out |= {n: need for n, need in lacking.items() if name == "all" or catalogue()[n].core}
            continue
        attribute = name if isinstance(name, Attribute) else _find(name, facts, known, lacking)
        if chosen.get(attribute.name, attribute) is not attribute:
            raise UserError(f"two attributes are called {quoted(attribute.name)}; rename your function")
        chosen[attribute.name] = attribute
    return list(chosen.values()), left_out


def _find(
    name: str | Callable[..., Any], facts: Facts, known: dict[str, Attribute], lacking: dict[str, Need]
) -> Attribute:
    if not isinstance(name, str):
        return from_function(name)
    if (custom := from_file(name)) is not None:
        return custom
    bare, version = _versioned(name)
    if bare not in known and (near := {n.lower(): n for n in known}.get(bare.lower())):
        bare = near
    if bare in known:
        if version is not None and version != known[bare].version:
            current = known[bare].versioned
            raise UserError(f"there is no version {version} of the attribute {quoted(bare)}; there is {current}")
        return known[bare]
    if bare in lacking:
        raise UserError(f"the attribute {quoted(bare)} needs {lacking[bare].value}")
    if (attribute := catalogue().get(bare)) is not None:
        tasks = " and ".join(sorted(task.value for task in attribute.tasks))
        raise UserError(
            f"the attribute {quoted(bare)} is for {tasks}, but the task is {facts.task.value}; use one of: "
            + ", ".join(known)
        )
    raise UserError(f"unknown attribute {quoted(name)}; {did_you_mean(name, [*known, *lacking])}")


def _versioned(name: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(.+)\.v(\d+)", name)
    return (match[1], int(match[2])) if match else (name, None)
