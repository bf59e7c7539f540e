"""The units behind the numbers of `score`: by label, by kind of error, by confusion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Ints
from slicewise.evaluation import Evaluation
from slicewise.lenses.contract import LensContext
from slicewise.lenses.error_types import KINDS, span_errors
from slicewise.lenses.score.result import ScoreResult
from slicewise.lenses.slice_rows import SliceRows
from slicewise.matching.error_types import TYPE
from slicewise.results.slices import confusion_slice, error_slice, label_slice

ERRORS = {
    "boundary": "other boundaries than gold",
    "type": "another label than gold",
    "boundary_type": "other boundaries and another label",
    "missed": "missed: nothing there that fits",
    "spurious": "spurious: gold has nothing there that fits",
}


def slices(_: ScoreResult, context: LensContext) -> Iterator[SliceRows]:
    """Yield the units of each label, each system's errors by kind, and its confusions."""
    evaluation = context.evaluation
    if not evaluation.task.has_units:
        return
    units = evaluation.units
    code = units["label"].to_physical().to_numpy()
    for i, label in enumerate(evaluation.aligned.labels):
        yield SliceRows(name=label_slice(label), title=f"Units labelled {label}", rows=np.flatnonzero(code == i))
    for system in evaluation.systems:
        if evaluation.task is not Task.MULTILABEL:
            yield from _right(evaluation, system, code)
        if evaluation.task is Task.SPANS:
            yield from _span_errors(evaluation, system, code)
        elif evaluation.task in (Task.LABELS, Task.TOKENS):
            yield from _label_errors(evaluation, system)


def _right(evaluation: Evaluation, system: str, code: NDArray[np.unsignedinteger]) -> Iterator[SliceRows]:
    """Yield what a system has right, by label: the diagonal of its confusions."""
    right = (evaluation.units["gold"] & evaluation.units[system]).to_numpy()
    for i, label in enumerate(evaluation.aligned.labels):
        rows = np.flatnonzero(right & (code == i))
        name, title = confusion_slice(system, label, label), f"{system}: {label}, as gold says"
        yield SliceRows(name=name, title=title, rows=rows, system=system)


def _span_errors(evaluation: Evaluation, system: str, code: NDArray[np.unsignedinteger]) -> Iterator[SliceRows]:
    types, labels = span_errors(evaluation, system).types, evaluation.aligned.labels
    for k, kind in enumerate(KINDS, 1):
        rows = np.flatnonzero(types.kind == k)
        yield SliceRows(name=error_slice(system, kind), title=f"{system}: {ERRORS[kind]}", rows=rows, system=system)
    wrong = np.flatnonzero(types.counted & (types.kind == TYPE))
    partner = types.partner[wrong]
    pairs = code[wrong].astype(np.int64) * len(labels) + code[partner]
    for pair in np.unique(pairs).tolist():
        mask = pairs == pair
        gold, returned = labels[pair // len(labels)], labels[pair % len(labels)]
        yield _confused(system, gold, returned, np.concatenate([wrong[mask], partner[mask]]))


def _label_errors(evaluation: Evaluation, system: str) -> Iterator[SliceRows]:
    """Yield what gold calls one thing and a system another, of items or tokens."""
    units = evaluation.units.with_row_index("row")
    at = ["item"] if evaluation.task is Task.LABELS else ["item", "start"]
    wrong = units.filter(units["gold"] != units[system]).select(
        "row", *at, label=pl.col("label").cast(pl.String), expected=pl.col("gold")
    )
    gold = wrong.filter("expected").select(*at, gold="label", gold_row="row")
    returned = wrong.filter(~pl.col("expected")).select(*at, returned="label", returned_row="row")
    both = gold.join(returned, on=at, how="inner")
    for (expected, answered), rows in both.group_by(["gold", "returned"], maintain_order=True):
        chosen = np.concatenate([rows["gold_row"].to_numpy(), rows["returned_row"].to_numpy()]).astype(np.int64)
        yield _confused(system, str(expected), str(answered), chosen)


def _confused(system: str, gold: str, returned: str, rows: Ints) -> SliceRows:
    return SliceRows(
        name=confusion_slice(system, gold, returned),
        title=f"{system}: gold says {gold}, returned was {returned}",
        rows=rows,
        system=system,
    )
