"""What is behind each number that a page can open: the units (or items) of every slice, by lens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.facts import expanded
from slicewise.extract.find import rows_of
from slicewise.extract.items import ItemFeatures, Wanted
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.errors import KINDS, span_errors
from slicewise.lenses.evidence import Behind
from slicewise.lenses.spread import surfaces
from slicewise.matching.error_types import TYPE
from slicewise.results import slices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.extract.family import Quantity
    from slicewise.lenses.breakdown import Breakdown, Described, Sliced
    from slicewise.lenses.outcomes import Outcomes
    from slicewise.results.complement import ComplementResult
    from slicewise.results.difficulty import DifficultyResult
    from slicewise.results.features import FeatureList, FeaturesResult
    from slicewise.results.mentions import Mention

    Index = NDArray[np.int64]
    Bits = NDArray[np.bool_]

MOST_PAIRED = 20
"""With more systems, the pairs of systems cannot be opened: there are too many."""
MOST_SUSPECTS = 200
MOST_FORMS = 100
ERRORS = {
    "boundary": "other boundaries than gold",
    "type": "another label than gold",
    "boundary_type": "other boundaries and another label",
    "missed": "missed: nothing there that fits",
    "spurious": "spurious: gold has nothing there that fits",
}


def of_scores(evaluation: Evaluation) -> Iterator[Behind]:
    """Yield the units of each label, each system's errors by kind, and its confusions."""
    if not evaluation.task.has_units:
        return
    units = evaluation.units
    code = units["label"].to_physical().to_numpy()
    for i, label in enumerate(evaluation.aligned.labels):
        yield Behind(name=slices.label_slice(label), title=f"Units labelled {label}", rows=np.flatnonzero(code == i))
    for system in evaluation.systems:
        if evaluation.task is not Task.MULTILABEL:
            yield from _right(evaluation, system, code)
        if evaluation.task is Task.SPANS:
            yield from _span_errors(evaluation, system, code)
        elif evaluation.task in (Task.LABELS, Task.TOKENS):
            yield from _label_errors(evaluation, system)


def _right(evaluation: Evaluation, system: str, code: NDArray[np.unsignedinteger]) -> Iterator[Behind]:
    """Yield what a system has right, by label: the diagonal of its confusions."""
    right = (evaluation.units["gold"] & evaluation.units[system]).to_numpy()
    for i, label in enumerate(evaluation.aligned.labels):
        rows = np.flatnonzero(right & (code == i))
        name, title = slices.confusion_slice(system, label, label), f"{system}: {label}, as gold says"
        yield Behind(name=name, title=title, rows=rows, system=system)


def _span_errors(evaluation: Evaluation, system: str, code: NDArray[np.unsignedinteger]) -> Iterator[Behind]:
    types, labels = span_errors(evaluation, system).types, evaluation.aligned.labels
    for k, kind in enumerate(KINDS, 1):
        rows = np.flatnonzero(types.kind == k)
        yield Behind(name=slices.error_slice(system, kind), title=f"{system}: {ERRORS[kind]}", rows=rows, system=system)
    wrong = np.flatnonzero(types.counted & (types.kind == TYPE))
    partner = types.partner[wrong]
    pairs = code[wrong].astype(np.int64) * len(labels) + code[partner]
    for pair in np.unique(pairs).tolist():
        here = pairs == pair
        gold, returned = labels[pair // len(labels)], labels[pair % len(labels)]
        yield _confused(system, gold, returned, np.concatenate([wrong[here], partner[here]]))


def _label_errors(evaluation: Evaluation, system: str) -> Iterator[Behind]:
    """Yield what gold calls one thing and a system another, of items or tokens."""
    units = evaluation.units.with_row_index("row")
    at = ["item"] if evaluation.task is Task.LABELS else ["item", "start"]
    wrong = units.filter(units["gold"] != units[system]).select(
        "row", *at, label=pl.col("label").cast(pl.String), expected=pl.col("gold")
    )
    gold = wrong.filter("expected").select(*at, gold="label", gold_row="row")
    returned = wrong.filter(~pl.col("expected")).select(*at, returned="label", returned_row="row")
    both = gold.join(returned, on=at, how="inner")
    for (expected, said), rows in both.group_by(["gold", "returned"], maintain_order=True):
        chosen = np.concatenate([rows["gold_row"].to_numpy(), rows["returned_row"].to_numpy()]).astype(np.int64)
        yield _confused(system, str(expected), str(said), chosen)


def _confused(system: str, gold: str, returned: str, rows: Index) -> Behind:
    return Behind(
        name=slices.confusion_slice(system, gold, returned),
        title=f"{system}: gold says {gold}, returned was {returned}",
        rows=rows,
        system=system,
    )


def of_buckets(sliced: Sliced, broken: Sequence[Breakdown]) -> Iterator[Behind]:
    """Yield the units of every bucket of every attribute."""
    for one in broken:
        for k, slot in enumerate(one.slots):
            rows = np.unique(np.concatenate([np.flatnonzero(own == k) for own in one.codes]))
            yield Behind(
                name=slices.bucket_slice(one.name, slot.name),
                title=f"{one.name} {slot.interval}: {one.said(k)}",
                rows=_as_units(sliced, one.described, rows),
            )


def _as_units(sliced: Sliced, described: Described, rows: Index) -> Index:
    """Return the units that some rows of an attribute belong to: itself, or the entities around a token."""
    if described.rows is None or described.rows is sliced.facts.units:
        return rows
    units, labels = sliced.facts.units, max(1, len(sliced.evaluation.aligned.labels))
    row, position = expanded(*sliced.facts.unit_ranges)
    tokens = described.rows.position * labels + described.rows.label  # in order, each once
    at = np.searchsorted(tokens, position * labels + units.label[row])
    chosen = np.zeros(len(tokens), np.bool_)
    chosen[rows] = True
    return np.unique(row[chosen[at]])


def of_features(
    evaluation: Evaluation, outcomes: Outcomes, result: FeaturesResult, made: ItemFeatures | UnitFeatures
) -> Iterator[Behind]:
    """Yield the items or units that have each of the features that are listed."""
    for ranked in result.lists:
        names = [feature.feature for feature in (*ranked.features, *ranked.confusions)]
        if isinstance(made, UnitFeatures):
            families = made.families(ranked.over)
            of_whom = outcomes.gold if ranked.over == "gold" else outcomes.has[outcomes.systems.index(ranked.system)]
            quantities = _among(made.quantities(ranked.over), of_whom)
        else:
            confusions = made.confusions(ranked.system)
            families = [*made.families(ranked.system), *([] if confusions is None else [confusions])]
            of_whom, quantities = None, made.quantities(ranked.system)
        found = rows_of(names, families, quantities)
        place = ranked.system if ranked.against is None else f"{ranked.against}→{ranked.system}"
        yield from _with_features(evaluation, ranked, found, of_whom, place)


def _among(quantities: Sequence[Quantity], of_whom: Bits) -> list[Quantity]:
    """Return numbers of some units only: what is large depends on the others."""
    return [replace(one, values=np.where(of_whom, one.values, np.nan)) for one in quantities]


def _with_features(
    evaluation: Evaluation,
    ranked: FeatureList,
    found: Mapping[str, Index],
    of_whom: Bits | None,
    place: str,
    over: str | None = None,
) -> Iterator[Behind]:
    noun = {"items": "Items", "gold": "Gold units", "returned": "Returned units"}[ranked.over]
    for name, rows in found.items():
        yield Behind(
            name=slices.feature_slice(over or ranked.over, place, name),
            title=f"{noun} with {name}",
            rows=rows if of_whom is None else rows[of_whom[rows]],
            of_items=of_whom is None and evaluation.task.has_units,
            system=ranked.system if ranked.system in evaluation.systems else None,
        )


def of_complement(outcomes: Outcomes, result: ComplementResult) -> Iterator[Behind]:
    """Yield what one system has right where another is wrong, and what exactly some systems find."""
    systems = list(result.systems)
    right = {name: outcomes.has[outcomes.systems.index(name)] == outcomes.gold for name in systems}
    if len(systems) <= MOST_PAIRED:
        for a in systems:
            for b in systems:
                if a != b:
                    rows = np.flatnonzero(~right[a] & right[b])
                    title = f"What {a} has wrong and {b} has right"
                    yield Behind(name=slices.pair_slice(a, b), title=title, rows=rows, system=a)
    has = np.array([outcomes.has[outcomes.systems.index(name)] for name in systems])
    for pattern in result.patterns:
        own = np.isin(systems, pattern.systems)
        rows = np.flatnonzero((has == own[:, None]).all(axis=0) & outcomes.gold)
        who = f"exactly {', '.join(pattern.systems)}" if pattern.systems else "no system"
        yield Behind(name=slices.pattern_slice(pattern.systems), title=f"Found by {who}", rows=rows)


def of_difficulty(evaluation: Evaluation, outcomes: Outcomes, result: DifficultyResult) -> Iterator[Behind]:
    """Yield the units of the bins, those of each system in them, mentions of strings, features of bin 0, suspects."""
    systems = list(result.gold.systems)
    has = {name: outcomes.has[outcomes.systems.index(name)] for name in systems}
    bins = np.sum(list(has.values()), axis=0, dtype=np.int64)
    sides: tuple[tuple[Bits, str, int], ...] = ((outcomes.gold, "found", 0), (~outcomes.gold, "wrongly returned", 1))
    for side, verb, first in sides:
        named = slices.bin_slice if side is outcomes.gold else slices.spurious_slice
        for n in range(first, len(systems) + 1):
            here = side & (bins == n)
            who = f"{n} of {len(systems)} systems"
            yield Behind(name=named(n), title=f"{verb.capitalize()} by {who}", rows=np.flatnonzero(here))
            for name in systems:
                title = f"{verb.capitalize()} by {f'{name} alone' if n == 1 else f'{who}, {name} among them'}"
                yield Behind(name=named(n, name), title=title, rows=np.flatnonzero(here & has[name]))
    yield from _of_forms(evaluation, outcomes, result)
    yield from _of_nobody(evaluation, outcomes, result)
    yield from _of_suspects(evaluation, outcomes, result)


def _of_forms(evaluation: Evaluation, outcomes: Outcomes, result: DifficultyResult) -> Iterator[Behind]:
    """Yield the mentions of strings that are sometimes found."""
    texts = surfaces(evaluation)
    if texts is None:
        return
    for form in result.spread[:MOST_FORMS]:
        rows = np.flatnonzero((texts == form.surface).fill_null(value=False).to_numpy() & outcomes.gold)
        yield Behind(name=slices.form_slice(form.surface), title=f"“{form.surface}” in gold", rows=rows)


def _of_nobody(evaluation: Evaluation, outcomes: Outcomes, result: DifficultyResult) -> Iterator[Behind]:
    """Yield what has the features that go with being found by nobody."""
    ranked = result.features
    if ranked is None:
        return
    names = [feature.feature for feature in ranked.features]
    if evaluation.task.has_units:
        units = UnitFeatures(evaluation, Wanted(least=0))
        found = rows_of(names, units.families("gold"), _among(units.quantities("gold"), outcomes.gold))
    else:
        items = ItemFeatures(evaluation, Wanted(least=0), ("all",))
        found = rows_of(names, items.families(None), items.quantities(None))
    yield from _with_features(evaluation, ranked, found, outcomes.gold, "nobody", "bin0")


def _of_suspects(evaluation: Evaluation, outcomes: Outcomes, result: DifficultyResult) -> Iterator[Behind]:
    suspects = result.suspects[:MOST_SUSPECTS]
    rows = _located(evaluation, outcomes, [(one.gold, one.systems) for one in suspects])
    for rank, (one, own) in enumerate(zip(suspects, rows, strict=True), 1):
        yield Behind(name=slices.suspect_slice(rank), title=f"Suspect {rank}: “{one.mention.text}”", rows=own)


def _located(evaluation: Evaluation, outcomes: Outcomes, wanted: Sequence[tuple[Mention | None, ...]]) -> list[Index]:
    """Return the rows of some mentions."""
    if not evaluation.task.has_units:
        return [np.array(sorted({m.item for m in own if m is not None}), np.int64) for own in wanted]
    items = np.unique([m.item for own in wanted for m in own if m is not None]).astype(np.int64)
    at = np.flatnonzero(np.isin(outcomes.item, items))
    some = evaluation.units[at]
    placed = evaluation.task in (Task.SPANS, Task.TOKENS)
    columns = [some[name].to_list() for name in (("item", "start", "end") if placed else ("item",))]
    keys = zip(*columns, some["label"].cast(pl.String).to_list(), strict=True)
    known = dict(zip(keys, at.tolist(), strict=True))

    def key(m: Mention) -> tuple[object, ...]:
        return (m.item, m.start, m.end, m.label) if placed else (m.item, m.label)

    return [np.array(sorted(known[key(m)] for m in own if m is not None), np.int64) for own in wanted]
