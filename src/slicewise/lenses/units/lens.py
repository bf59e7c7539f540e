"""`units`: the unit table itself, with text, bins and kinds of error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes import Facts, Of, choose, values_of
from slicewise.attributes.columns import OfItem, OfTokens
from slicewise.engine.local import whole
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.evaluation import Evaluation
from slicewise.lenses.error_types import KINDS, span_errors
from slicewise.lenses.outcomes.outcome_counts import outcomes_of
from slicewise.lenses.units.result import UnitsResult

EXTRAS = ("bins", "errors", "attributes")


def units(evaluation: Evaluation, *, include: Sequence[str] = ()) -> UnitsResult:
    """Return one row per unit: where it is, its text, and who has it.

    `include`: "bins" (how many systems found a gold unit, or returned a spurious one; of scored items, got them right:
    a score of 1, or at least the median), "errors" (each system's kind of
    error, and whether the wrong unit overlaps one of the other side; spans only), "attributes" (all that describe the
    unit or its item; in spans, not those of tokens).
    """
    evaluation = whole(evaluation, "the table of units")  # which has a row for each
    for name in include:
        if name not in EXTRAS:
            raise UserError(f"unknown column group {quoted(name)}; {did_you_mean(name, EXTRAS)}")
    table = _unit_rows(evaluation) if evaluation.task.has_units else _item_rows(evaluation)
    if "bins" in include:
        table = table.with_columns(bin=_bins(evaluation))
    if "errors" in include:
        if evaluation.task is not Task.SPANS:
            raise UserError(f"kinds of error are for spans, but the task is {evaluation.task.value}; leave out errors")
        table = table.with_columns(_error_columns(evaluation))
    if "attributes" in include:
        table = table.with_columns(_attribute_columns(evaluation, table.columns))
    parts = [f"with:{'+'.join(sorted(include))}"] if include else []
    return UnitsResult(command="units", signature=evaluation.signature(*parts), data=evaluation.summary(), frame=table)


def _unit_rows(evaluation: Evaluation) -> pl.DataFrame:
    frame = evaluation.units
    places = ["item", "start", "end"] if evaluation.task in (Task.SPANS, Task.TOKENS) else ["item"]
    who = [frame[name] for name in ("gold", *evaluation.systems)]  # a name is never a pattern
    cluster = pl.Series("cluster", evaluation.aligned.clusters.cluster[frame["item"].to_numpy()])
    label = frame["label"].cast(pl.String)
    return pl.DataFrame([*(frame[name] for name in places), label, evaluation.surface(), *who, cluster])


def _item_rows(evaluation: Evaluation) -> pl.DataFrame:
    """Return the items of tasks whose unit is the item: its text, its reference, and every system's answer or score."""
    items, answers, fields = evaluation.items, evaluation.aligned.answers, evaluation.aligned.fields
    text = [fields.to_series(0).alias("text")] if fields.width else []
    given = [] if answers is None else answers.get_columns()
    return pl.DataFrame([items["item"], *text, *given, items["cluster"]])


def _bins(evaluation: Evaluation) -> pl.Series:
    """Count the systems that have each unit, restarts once."""
    if evaluation.task is Task.TEXT:
        raise UserError("bins of texts need a metric that says which are right; see slicewise difficulty --metric NAME")
    return pl.Series(outcomes_of(evaluation, evaluation.ranked_systems).bins.astype(np.uint32))


def _error_columns(evaluation: Evaluation) -> list[pl.Series]:
    names = pl.Series(["", *KINDS])
    columns = []
    for system in evaluation.systems:
        types = span_errors(evaluation, system).types
        columns.append(names.gather(types.kind.astype(np.int64)).alias(f"error:{system}"))
        columns.append(pl.Series(f"overlaps:{system}", types.overlaps))
    return columns


def _attribute_columns(evaluation: Evaluation, taken: Sequence[str]) -> list[pl.Series]:
    """Return a column per attribute that every unit has, except `label`, which the table has; names are unique."""
    facts = Facts.of(evaluation)
    columns: dict[str, pl.Series] = {}
    for attribute in choose(facts, ())[0]:
        of_tokens = attribute.of is Of.TOKEN and evaluation.task is not Task.TOKENS
        of_data = isinstance(attribute.values, (OfItem, OfTokens))
        if of_tokens or attribute.of is Of.OUTPUT or (attribute.name == "label" and not of_data):
            continue
        name = attribute.name
        while name in taken or name in columns:
            name = f"field:{name}" if of_data else f"attribute:{name}"
        values = values_of(attribute, facts)
        by_item = attribute.of is Of.ITEM and evaluation.task.has_units
        columns[name] = (values.gather(facts.units.item) if by_item else values).alias(name)
    return list(columns.values())
