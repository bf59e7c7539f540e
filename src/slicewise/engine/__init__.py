"""Cells: a metric's statistics summed by slice, system and cluster group, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.engine.cells import GOLD, PRED, TP, WRONG, sums, unit_sums, wrong_cases
from slicewise.metrics.counts import CASES, FIRST_LABEL, RIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.metrics.metric import Metric

__all__ = ["count_cells", "metric_cells", "unit_column_cells"]

Cells = "NDArray[np.float64]"


def count_cells(evaluation: Evaluation, systems: Sequence[str]) -> NDArray[np.float64]:
    """Return the statistics of set tasks, `(groups, systems, 2 + 3 × labels)`; see `slicewise.metrics.counts`."""
    groups, labels = evaluation.aligned.clusters.groups, evaluation.aligned.labels
    cells = np.zeros((groups, len(systems), FIRST_LABEL + 3 * len(labels)))
    units = _lazy(evaluation.units.with_columns(pl.col("label").to_physical()))
    found = _collect(unit_sums(units, systems, ["group", "label"]))
    group, first = found["group"].to_numpy(), FIRST_LABEL + 3 * found["label"].to_numpy().astype(np.int64)
    for i, system in enumerate(systems):
        cells[group, i, first] = found[TP.format(system)].to_numpy()
        cells[group, i, first + 1] = found[PRED.format(system)].to_numpy()
        cells[group, i, first + 2] = found[GOLD].to_numpy()
    tokens = evaluation.task is Task.TOKENS
    size = nw.col("length").cast(nw.Int64) if tokens else nw.lit(1)
    items = _collect(sums(_lazy(evaluation.items), ["group"], {"cases": size}))
    cells[items["group"].to_numpy(), :, CASES] = cells[items["group"].to_numpy(), :, RIGHT] = items["cases"].to_numpy()[
        :, None
    ]
    wrong = _collect(wrong_cases(units, systems, ["item", "start"] if tokens else ["item"], ["group"]))
    for i, system in enumerate(systems):
        cells[wrong["group"].to_numpy(), i, RIGHT] -= wrong[WRONG.format(system)].to_numpy()
    return cells


def metric_cells(evaluation: Evaluation, metric: Metric, systems: Sequence[str]) -> NDArray[np.float64]:
    """Return the statistics of a scored metric, `(groups, systems, k)`."""
    answers = evaluation.aligned.answers
    if metric.statistics is None or answers is None:
        raise ValueError(f"{metric.name} has no statistics of its own")
    gold = answers["gold"] if "gold" in answers.columns else None
    per_system = [metric.statistics(gold, answers[system]) for system in systems]
    columns = {f"{i}:{j}": array[:, j] for i, array in enumerate(per_system) for j in range(array.shape[1])}
    return column_cells(columns, evaluation.aligned.clusters.group, evaluation.aligned.clusters.groups, len(systems))


def unit_column_cells(evaluation: Evaluation, columns: Mapping[str, NDArray[Any]], systems: int) -> NDArray[np.float64]:
    """Return sums of columns over units, `(groups, systems, k)`; columns are named `system:statistic` by number."""
    group = evaluation.units["group"].to_numpy()
    return column_cells(columns, group, evaluation.aligned.clusters.groups, systems)


def column_cells(
    columns: Mapping[str, NDArray[Any]], group: NDArray[np.uint32], groups: int, systems: int
) -> NDArray[np.float64]:
    """Sum columns by group."""
    frame = _lazy(pl.DataFrame({"group": group} | dict(columns)))
    found = _collect(sums(frame, ["group"], {name: nw.col(name) for name in columns}))
    cells = np.zeros((groups, len(columns)))
    for i, name in enumerate(columns):
        cells[found["group"].to_numpy(), i] = found[name].to_numpy()
    return cells.reshape(groups, systems, -1)


def _lazy(frame: pl.DataFrame) -> nw.LazyFrame[Any]:
    return nw.from_native(frame.lazy())


def _collect(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    return frame.collect().to_polars()
