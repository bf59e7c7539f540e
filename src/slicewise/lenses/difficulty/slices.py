"""The units behind the numbers of `difficulty`: bins, strings, features of bin 0, suspects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Ints, Mask
from slicewise.evaluation import Evaluation
from slicewise.extract.find import rows_of
from slicewise.extract.items import FeatureSpec, ItemFeatures
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.contract import LensContext
from slicewise.lenses.difficulty.result import DifficultyResult
from slicewise.lenses.difficulty.surface_forms import surfaces
from slicewise.lenses.outcomes.outcomes import Outcomes
from slicewise.lenses.ranking.slices import among, feature_slices
from slicewise.lenses.slice_rows import SliceRows
from slicewise.results.mentions import Mention
from slicewise.results.slices import bin_slice, form_slice, spurious_slice, suspect_slice

MOST_SUSPECTS = 200
MOST_FORMS = 100


def slices(result: DifficultyResult, context: LensContext) -> Iterator[SliceRows]:
    """Yield the units of the bins, those of each system in them, mentions of strings, features of bin 0, suspects."""
    evaluation, outcomes = context.evaluation, context.outcomes
    systems = list(result.gold.systems)
    has = {name: outcomes.has[outcomes.systems.index(name)] for name in systems}
    bins = np.sum(list(has.values()), axis=0, dtype=np.int64)
    sides: tuple[tuple[Mask, str, int], ...] = ((outcomes.gold, "found", 0), (~outcomes.gold, "wrongly returned", 1))
    for side, verb, first in sides:
        named = bin_slice if side is outcomes.gold else spurious_slice
        for n in range(first, len(systems) + 1):
            in_bin = side & (bins == n)
            who = f"{n} of {len(systems)} systems"
            yield SliceRows(name=named(n), title=f"{verb.capitalize()} by {who}", rows=np.flatnonzero(in_bin))
            for name in systems:
                title = f"{verb.capitalize()} by {f'{name} alone' if n == 1 else f'{who}, {name} among them'}"
                yield SliceRows(name=named(n, name), title=title, rows=np.flatnonzero(in_bin & has[name]))
    yield from _of_forms(evaluation, outcomes, result)
    yield from _of_nobody(evaluation, outcomes, result)
    yield from _of_suspects(evaluation, outcomes, result)


def _of_forms(evaluation: Evaluation, outcomes: Outcomes, result: DifficultyResult) -> Iterator[SliceRows]:
    """Yield the mentions of strings that are sometimes found."""
    texts = surfaces(evaluation)
    if texts is None:
        return
    for form in result.spread[:MOST_FORMS]:
        rows = np.flatnonzero((texts == form.surface).fill_null(value=False).to_numpy() & outcomes.gold)
        yield SliceRows(name=form_slice(form.surface), title=f"“{form.surface}” in gold", rows=rows)


def _of_nobody(evaluation: Evaluation, outcomes: Outcomes, result: DifficultyResult) -> Iterator[SliceRows]:
    """Yield what has the features that go with being found by nobody."""
    ranked = result.features
    if ranked is None:
        return
    names = [feature.feature for feature in ranked.features]
    if evaluation.task.has_units:
        units = UnitFeatures.of(evaluation, FeatureSpec(least=0))
        rows = rows_of(names, units.families("gold"), among(units.quantities("gold"), outcomes.gold))
    else:
        items = ItemFeatures.of(evaluation, FeatureSpec(least=0), ("all",))
        rows = rows_of(names, items.families(None), items.quantities(None))
    yield from feature_slices(evaluation, ranked, rows, outcomes.gold, "nobody", "bin0")


def _of_suspects(evaluation: Evaluation, outcomes: Outcomes, result: DifficultyResult) -> Iterator[SliceRows]:
    suspects = result.suspects[:MOST_SUSPECTS]
    rows = _located(evaluation, outcomes, [(suspect.gold, suspect.systems) for suspect in suspects])
    for rank, (suspect, suspect_rows) in enumerate(zip(suspects, rows, strict=True), 1):
        yield SliceRows(name=suspect_slice(rank), title=f"Suspect {rank}: “{suspect.mention.text}”", rows=suspect_rows)


def _located(evaluation: Evaluation, outcomes: Outcomes, groups: Sequence[tuple[Mention | None, ...]]) -> list[Ints]:
    """Return the rows of some mentions."""
    if not evaluation.task.has_units:
        return [np.array(sorted({m.item for m in mentions if m is not None}), np.int64) for mentions in groups]
    items = np.unique([m.item for mentions in groups for m in mentions if m is not None]).astype(np.int64)
    at = np.flatnonzero(np.isin(outcomes.item, items))
    units = evaluation.units[at]
    has_spans = evaluation.task in (Task.SPANS, Task.TOKENS)
    columns = [units[name].to_list() for name in (("item", "start", "end") if has_spans else ("item",))]
    keys = zip(*columns, units["label"].cast(pl.String).to_list(), strict=True)
    known = dict(zip(keys, at.tolist(), strict=True))

    def key(m: Mention) -> tuple[object, ...]:
        return (m.item, m.start, m.end, m.label) if has_spans else (m.item, m.label)

    return [np.array(sorted(known[key(m)] for m in mentions if m is not None), np.int64) for mentions in groups]
