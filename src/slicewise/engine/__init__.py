"""Cells: a metric's statistics summed by slice, system and cluster group, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.engine.cells import GOLD, PRED, TP, WRONG, sums, unit_sums, wrong_cases
from slicewise.errors import UserError
from slicewise.metrics.counts import CASES, FIRST_LABEL, RIGHT, UNANSWERED
from slicewise.metrics.metric import ItemError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.metrics.metric import Metric

__all__ = ["count_cells", "item_statistics", "metric_cells", "slice_cells", "slice_statistics", "unit_column_cells"]

HIGH_BITS = 30
MOST_BITS = 960
WHOLE = 2.0**31
"""Sums of two thousand million numbers below this fit 64 bits."""


def count_cells(evaluation: Evaluation, systems: Sequence[str]) -> NDArray[np.float64]:
    """Return the statistics of set tasks, `(groups, systems, 3 + 3 × labels)`; see `slicewise.metrics.counts`."""
    groups, labels = evaluation.aligned.clusters.groups, evaluation.aligned.labels
    cells = np.zeros((groups, len(systems), FIRST_LABEL + 3 * len(labels)))
    units = _lazy(numbered(evaluation.units, systems))
    numbers = [str(i) for i in range(len(systems))]
    found = _collect(unit_sums(units, numbers, ["group", "label"]))
    group, first = found["group"].to_numpy(), FIRST_LABEL + 3 * found["label"].to_numpy().astype(np.int64)
    for i, system in enumerate(numbers):
        cells[group, i, first] = found[TP.format(system)].to_numpy()
        cells[group, i, first + 1] = found[PRED.format(system)].to_numpy()
        cells[group, i, first + 2] = found[GOLD].to_numpy()
    tokens = evaluation.task is Task.TOKENS
    size = nw.col("length").cast(nw.Int64) if tokens else nw.lit(1)
    items = _collect(sums(_lazy(evaluation.items), ["group"], {"cases": size}))
    cells[items["group"].to_numpy(), :, CASES] = cells[items["group"].to_numpy(), :, RIGHT] = items["cases"].to_numpy()[
        :, None
    ]
    if evaluation.task is Task.LABELS:
        # an empty output is no unit, but it is not the negative label either
        gold = evaluation.answers("gold")
        right = {f"{i}:0": gold.eq_missing(evaluation.answers(s)).cast(pl.Int64) for i, s in enumerate(systems)}
        cells[:, :, RIGHT] = column_cells(right, evaluation.aligned.clusters.group, groups, len(systems))[:, :, 0]
        silent = {f"{i}:0": evaluation.answers(s).is_null().cast(pl.Int64) for i, s in enumerate(systems)}
        cells[:, :, UNANSWERED] = column_cells(silent, evaluation.aligned.clusters.group, groups, len(systems))[:, :, 0]
        return cells
    wrong = _collect(wrong_cases(units, numbers, ["item", "start"] if tokens else ["item"], ["group"]))
    for i, system in enumerate(numbers):
        cells[wrong["group"].to_numpy(), i, RIGHT] -= wrong[WRONG.format(system)].to_numpy()
    return cells


def numbered(units: pl.DataFrame, systems: Sequence[str]) -> pl.DataFrame:
    """Return the units with systems and labels as numbers: a system's name could be a pattern to an expression."""
    places = [units[name] for name in ("item", "start", "group", "gold")]
    systems_by_number = [units[name].alias(str(i)) for i, name in enumerate(systems)]
    return pl.DataFrame([*places, units["label"].to_physical(), *systems_by_number])


def metric_cells(evaluation: Evaluation, metric: Metric, systems: Sequence[str]) -> NDArray[np.float64]:
    """Return the statistics of a scored metric, `(groups, systems, k)`."""
    clusters = evaluation.aligned.clusters
    return column_cells(item_statistics(evaluation, metric, systems), clusters.group, clusters.groups, len(systems))


def item_statistics(evaluation: Evaluation, metric: Metric, systems: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Return a scored metric's statistics per item, named `system:statistic` by number."""
    if metric.statistics is None or evaluation.aligned.answers is None:
        raise ValueError(f"{metric.name} has no statistics of its own")
    gold = references(evaluation)
    outputs = [evaluation.options.normalised(evaluation.answers(system)) for system in systems]
    if metric.coded and gold is not None:
        gold, *outputs = coded([gold, *outputs])
    inputs = (_inputs(evaluation, metric),) if metric.takes_input else ()
    per_system = []
    for system, own in zip(systems, outputs, strict=True):
        try:
            per_system.append(metric.statistics(gold, own, *inputs))
        except ItemError as error:
            message = f"{metric.name}: {system}, item {error.item} (counted from 0): {error}"
            raise UserError(message, where=error.where, line=error.line) from error
    return {f"{i}:{j}": array[:, j] for i, array in enumerate(per_system) for j in range(array.shape[1])}


def coded(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Return answers as numbers from 0 in the order of the answers; no answer is an answer like any other."""
    texts = [c.list.join("\t") if isinstance(c.dtype, pl.List) else c.cast(pl.String) for c in columns]
    known = pl.concat(texts).unique().sort()
    return [text.replace_strict(known, pl.Series(range(len(known))), return_dtype=pl.Int64) for text in texts]


def _inputs(evaluation: Evaluation, metric: Metric) -> pl.Series:
    """Return the input of each item; several fields are joined by tabs."""
    fields = evaluation.aligned.fields
    if not fields.width:
        raise UserError(f"the metric {metric.name} takes the input, and there is none; add --input FILE")
    return fields.select(pl.concat_str(pl.all(), separator="\t")).to_series()


def references(evaluation: Evaluation) -> pl.Series | None:
    """Return what outputs are compared with, normalised as the user wishes; None where there is no gold."""
    answers = evaluation.aligned.answers
    if answers is None or "gold" not in answers.columns:
        return None
    return evaluation.options.normalised(evaluation.answers("gold"))


def slice_cells(
    evaluation: Evaluation, units: pl.DataFrame, slices: Sequence[NDArray[np.int64]], size: int
) -> NDArray[np.float32]:
    """Return (tp, n_pred, n_gold) by slice, `(groups, systems, size, 3)`.

    `units` have a group, gold and a boolean per system; `slices` is the slice of each, one for all systems or one each.
    """
    systems = evaluation.systems
    groups = evaluation.aligned.clusters.groups
    cells = np.zeros((groups, len(systems), size, 3), np.float32)
    group, gold = units["group"].to_numpy().astype(np.int64), units["gold"].to_numpy()
    for i, codes in enumerate(slices):
        key = group * size + codes

        def counted(flags: NDArray[np.bool_], key: NDArray[np.int64] = key) -> NDArray[np.int64]:
            return np.bincount(key[flags], minlength=groups * size).reshape(groups, size)

        expected = counted(gold)
        for k in range(len(systems)) if len(slices) == 1 else (i,):
            returned = units[systems[k]].to_numpy()
            cells[:, k, :, 0] = counted(gold & returned)
            cells[:, k, :, 1] = counted(returned)
            cells[:, k, :, 2] = expected
    return cells


def slice_statistics(
    evaluation: Evaluation,
    statistics: Mapping[str, NDArray[np.float64]],
    slices: Sequence[NDArray[np.int64]],
    size: int,
) -> NDArray[np.float64]:
    """Return statistics of items (named `system:statistic` by number) by slice, `(groups, systems, size, k)`."""
    clusters, systems = evaluation.aligned.clusters, len(evaluation.systems)
    parts = []
    for i, codes in enumerate(slices):
        own = {name: column for name, column in statistics.items() if len(slices) == 1 or name.startswith(f"{i}:")}
        key = (clusters.group.astype(np.int64) * size + codes).astype(np.uint32)
        parts.append(column_cells(own, key, clusters.groups * size, systems if len(slices) == 1 else 1))
    cells = np.concatenate(parts, axis=1).reshape(clusters.groups, size, systems, -1)
    return np.ascontiguousarray(cells.transpose(0, 2, 1, 3))


def unit_column_cells(evaluation: Evaluation, columns: Mapping[str, NDArray[Any]], systems: int) -> NDArray[np.float64]:
    """Return sums of columns over units, `(groups, systems, k)`; columns are named `system:statistic` by number."""
    group = evaluation.units["group"].to_numpy()
    return column_cells(columns, group, evaluation.aligned.clusters.groups, systems)


def column_cells(
    columns: Mapping[str, NDArray[Any] | pl.Series], group: NDArray[np.uint32], groups: int, systems: int
) -> NDArray[np.float64]:
    """Sum columns by group; fractions as whole numbers, so that no order of items or threads makes a difference."""
    parts: dict[str, NDArray[np.int64]] = {}
    scales: dict[str, list[tuple[str, NDArray[np.float64]]]] = {}
    for name, column in columns.items():
        whole = whole_numbers(np.asarray(column, np.float64), group, groups)
        parts |= {f"{name}/{i}": numbers for i, (numbers, _) in enumerate(whole)}
        scales[name] = [(f"{name}/{i}", scale) for i, (_, scale) in enumerate(whole)]
    frame = _lazy(pl.DataFrame({"group": group} | parts))
    found = _collect(sums(frame, ["group"], {name: nw.col(name) for name in parts}))
    at = found["group"].to_numpy()
    cells = np.zeros((groups, len(columns)))
    for i, name in enumerate(columns):
        for part, scale in scales[name]:
            cells[at, i] += found[part].to_numpy() * scale[at]
    return cells.reshape(groups, systems, len(columns) // systems)


def whole_numbers(
    values: NDArray[np.float64], group: NDArray[np.uint32], groups: int
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Return a column as whole numbers with what one is worth in each group: the numbers themselves, or two parts.

    Sums of whole numbers are exact in any order. What two parts leave out is below 2⁻⁶⁰ of the group's largest value.
    """
    if float(np.abs(values).max(initial=0.0)) < WHOLE:
        halves = values * 2
        if bool((halves == np.rint(halves)).all()):
            return [(halves.astype(np.int64), np.full(groups, 0.5))]
    largest = np.zeros(groups)
    np.maximum.at(largest, group, np.abs(values))
    scale = np.ldexp(1.0, np.minimum(HIGH_BITS - np.frexp(largest)[1], MOST_BITS))
    scaled = values * scale[group]
    high = np.rint(scaled)
    low = np.rint((scaled - high) * WHOLE)
    return [(high.astype(np.int64), 1 / scale), (low.astype(np.int64), 1 / scale / WHOLE)]


def _lazy(frame: pl.DataFrame) -> nw.LazyFrame[Any]:
    return nw.from_native(frame.lazy())


def _collect(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    return frame.collect().to_polars()
