"""Cells: a metric's statistics summed by slice, system and cluster group, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.engine.local import TEXTS, aggregate
from slicewise.engine.protocols import FunctionKernel
from slicewise.engine.sums import GOLD, PRED, TP, WRONG, sums, unit_sums, wrong_cases
from slicewise.errors import UserError
from slicewise.evaluation import Evaluation
from slicewise.metrics.counts import CASES, FIRST_LABEL, RIGHT, UNANSWERED
from slicewise.metrics.metric import ItemError, Metric
from slicewise.stats.exact import from_limbs, limbs

__all__ = [
    "count_cells",
    "exact_cells",
    "exact_column",
    "exact_sums",
    "item_statistics",
    "metric_cells",
    "pinned",
]

NO_LABEL = -1
"""The label of counts by group alone."""


def count_cells(evaluation: Evaluation, systems: Sequence[str]) -> NDArray[np.float64]:
    """Return the statistics of set tasks, `(groups, systems, 3 + 3 × labels)`; see `slicewise.metrics.counts`."""
    groups, labels = evaluation.aligned.clusters.groups, evaluation.aligned.labels
    cells = np.zeros((groups, len(systems), FIRST_LABEL + 3 * len(labels)))
    counts = aggregate(evaluation, UnitCounts(tuple(systems)))
    of_items = (counts["label"] == NO_LABEL).to_numpy()
    group, label = counts["group"].to_numpy(), counts["label"].to_numpy()
    first = FIRST_LABEL + 3 * label[~of_items]
    for i in range(len(systems)):
        for place, name in enumerate((TP.format(i), PRED.format(i), GOLD)):
            cells[group[~of_items], i, first + place] = counts[name].to_numpy()[~of_items]
        for place, name in ((CASES, "cases"), (RIGHT, f"right:{i}"), (UNANSWERED, f"silent:{i}")):
            cells[group[of_items], i, place] = counts[name].to_numpy()[of_items]
    return cells


@dataclass(frozen=True)
class UnitCounts:
    """Counts units by group and label, and the cases that are right by group."""

    systems: tuple[str, ...]
    by: tuple[str, ...] = ("group", "label")
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a partition; those of cases have `NO_LABEL`."""
        numbers = [str(i) for i in range(len(self.systems))]
        units = _lazy(numbered(part.units, self.systems))
        counts = _collect(unit_sums(units, numbers, ["group", "label"]))
        whole = pl.exclude("group", "label").cast(pl.Int64)
        tables = [counts.with_columns(label=pl.col("label").cast(pl.Int64)), self._cases(part, units)]
        return pl.concat(tables, how="diagonal").fill_null(0).with_columns(pl.col("group").cast(pl.Int64), whole)

    def _cases(self, part: Evaluation, units: nw.LazyFrame[Any]) -> pl.DataFrame:
        tokens = part.task is Task.TOKENS
        size = nw.col("length").cast(nw.Int64) if tokens else nw.lit(1)
        counts = _collect(sums(_lazy(part.items), ["group"], {"cases": size}))
        group = part.aligned.clusters.group
        if part.task is Task.LABELS:
            # an empty output is no unit, but it is not the negative label either
            gold, columns = part.answers("gold"), {}
            for i, system in enumerate(self.systems):
                answers = part.answers(system)
                columns[f"right:{i}"] = gold.eq_missing(answers).cast(pl.Int64)
                columns[f"silent:{i}"] = answers.is_null().cast(pl.Int64)
            frame = _lazy(pl.DataFrame({"group": group} | columns))
            more = _collect(sums(frame, ["group"], {name: nw.col(name) for name in columns}))
            counts = counts.join(more, on="group")
        else:
            case = ["item", "start"] if tokens else ["item"]
            names = {WRONG.format(i): f"right:{i}" for i in range(len(self.systems))}
            wrong = _collect(wrong_cases(units, [str(i) for i in range(len(self.systems))], case, ["group"]))
            counts = counts.join(wrong, on="group", how="left").fill_null(0).rename(names)
            counts = counts.with_columns((pl.col("cases") - pl.col(name)).alias(name) for name in names.values())
            counts = counts.with_columns(pl.lit(0, pl.Int64).alias(f"silent:{i}") for i in range(len(self.systems)))
        return counts.with_columns(label=pl.lit(NO_LABEL, pl.Int64))


def numbered(units: pl.DataFrame, systems: Sequence[str]) -> pl.DataFrame:
    """Return the units with systems and labels as numbers: a system's name could be a pattern to an expression."""
    places = [units[name] for name in ("item", "start", "group", "gold")]
    systems_by_number = [units[name].alias(str(i)) for i, name in enumerate(systems)]
    return pl.DataFrame([*places, units["label"].to_physical(), *systems_by_number])


def metric_cells(evaluation: Evaluation, metric: Metric, systems: Sequence[str]) -> NDArray[np.float64]:
    """Return the statistics of a scored metric, `(groups, systems, k)`."""
    sums = aggregate(evaluation, MetricSums(metric, tuple(systems)))
    return exact_cells(sums, evaluation.aligned.clusters.groups, len(systems))


@dataclass(frozen=True)
class MetricSums:
    """Sums a scored metric's statistics by group."""

    metric: Metric
    systems: tuple[str, ...]
    by: tuple[str, ...] = ("group", "limb")

    @property
    def needs(self) -> frozenset[str]:
        """The input, where the metric takes it."""
        return frozenset({TEXTS}) if self.metric.takes_input else frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        return exact_sums(item_statistics(part, self.metric, self.systems), part.aligned.clusters.group)


def item_statistics(evaluation: Evaluation, metric: Metric, systems: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Return a scored metric's statistics per item, named `system:statistic` by number."""
    if metric.statistics is None or evaluation.aligned.answers is None:
        raise ValueError(f"{metric.name} has no statistics of its own")
    gold = references(evaluation, rankings=metric.rankings)
    outputs = [_compared(evaluation, system, rankings=metric.rankings) for system in systems]
    if metric.coded and gold is not None:
        gold, *outputs = coded([gold, *outputs])
    inputs = (_inputs(evaluation, metric),) if metric.takes_input else ()
    statistics = metric.statistics

    def measured(system: str, output: pl.Series) -> NDArray[np.float64]:
        try:
            return statistics(gold, output, *inputs)
        except ItemError as error:
            raise _located(evaluation, metric, system, error) from error

    per_system = []
    for system, output in zip(systems, outputs, strict=True):
        if evaluation.task is Task.TEXT and not metric.coded:  # such metrics are dear
            key = ("statistics", metric, system)
            per_system.append(evaluation.memo(key, partial(measured, system, output)))
        else:
            per_system.append(measured(system, output))
    return {f"{i}:{j}": array[:, j] for i, array in enumerate(per_system) for j in range(array.shape[1])}


def _located(evaluation: Evaluation, metric: Metric, system: str, error: ItemError) -> UserError:
    """Return the error for an item that a metric cannot read, with its line where it is known."""
    places = evaluation.aligned.places.get("gold" if error.side == "reference" else system)
    if places is not None and error.where is None:
        return places.error(f"{metric.name} of {system}: {error}", error.item)
    message = f"{metric.name}: {system}, item {error.item + evaluation.first} (counted from 0): {error}"
    return UserError(message, where=error.where, line=error.line)


def coded(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Encode answers as integers from 0 in sorted order; a missing answer is a category too."""
    texts = [c.list.join("\t") if isinstance(c.dtype, pl.List) else c.cast(pl.String) for c in columns]
    known = pl.concat(texts).unique().sort()
    return [text.replace_strict(known, pl.Series(range(len(known))), return_dtype=pl.Int64) for text in texts]


def _inputs(evaluation: Evaluation, metric: Metric) -> pl.Series:
    """Return the input of each item; several fields are joined by tabs."""
    fields = evaluation.aligned.fields
    if not fields.width:
        raise UserError(f"the metric {metric.name} takes the input, and there is none; add --input FILE")
    return fields.select(pl.concat_str(pl.all(), separator="\t")).to_series()


def references(evaluation: Evaluation, *, rankings: bool = False) -> pl.Series | None:
    """Return the references; None without gold."""
    answers = evaluation.aligned.answers
    return (
        None if answers is None or "gold" not in answers.columns else _compared(evaluation, "gold", rankings=rankings)
    )


def _compared(evaluation: Evaluation, name: str, *, rankings: bool) -> pl.Series:
    """Return the normalised answers of gold or a system; rankings are split at tabs first."""
    answers = evaluation.answers(name)
    cut = answers.str.split("\t") if rankings and answers.dtype == pl.String else answers
    return evaluation.options.normalised(cut)


def pinned(evaluation: Evaluation, metrics: Sequence[Metric]) -> list[str]:
    """Return the signatures of metrics that have options of their own."""
    signed = [(metric.name, metric.signature) for metric in metrics if metric.signature is not None]
    if not signed:
        return []
    gold = references(evaluation)
    if gold is not None:
        numbers = aggregate(evaluation, FunctionKernel(_by_references, ("references",)))["references"]
        gold = pl.Series([[""] * n for n in numbers.to_list()], dtype=pl.List(pl.String))
    return [f"{name}({signature(gold)})" for name, signature in signed]


def _by_references(part: Evaluation) -> pl.DataFrame:
    """Count the items of a part by their number of references."""
    gold = part.answers("gold")
    numbers = gold.list.len() if isinstance(gold.dtype, pl.List) else pl.Series(np.ones(len(gold), np.int64))
    return pl.DataFrame({"references": numbers.cast(pl.Int64)}).group_by("references").len("n").cast(pl.Int64)


def exact_sums(columns: Mapping[str, NDArray[Any]], group: NDArray[np.uint32]) -> pl.DataFrame:
    """Sum columns by group as whole numbers, limb by limb, so that no order of items, threads or parts matters."""
    by_place: dict[int, dict[str, NDArray[np.int64]]] = {0: {}}
    for name, column in columns.items():
        for place, numbers in limbs(np.asarray(column, np.float64)).items():
            by_place.setdefault(place, {})[name] = numbers
    tables = []
    for place, limb_columns in by_place.items():
        frame = _lazy(pl.DataFrame({"group": group} | limb_columns))
        table = _collect(sums(frame, ["group"], {name: nw.col(name) for name in limb_columns}))
        others = [pl.lit(0, pl.Int64).alias(name) for name in columns if name not in limb_columns]
        table = table.with_columns(pl.col("group").cast(pl.Int64), pl.lit(place, pl.Int64).alias("limb"), *others)
        tables.append(table.select("group", "limb", *columns))
    return pl.concat(tables)


def exact_cells(table: pl.DataFrame, groups: int, systems: int) -> NDArray[np.float64]:
    """Return sums by group and limb as numbers, `(groups, systems, k)`."""
    names, group = table.columns[2:], table["group"].to_numpy()
    cells = np.column_stack([np.zeros((groups, 0)), *(exact_column(table, name, group, groups) for name in names)])
    return cells.reshape(groups, systems, len(names) // systems)


def exact_column(table: pl.DataFrame, name: str, place: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """Return a column of sums by limb as numbers, each at its place."""
    limb, column = table["limb"].to_numpy(), table[name].to_numpy()
    parts = {0: np.zeros(size, np.int64)}
    for number in np.unique(limb).tolist():
        rows = limb == number
        parts[number] = np.zeros(size, np.int64)
        parts[number][place[rows]] = column[rows]
    return from_limbs(parts)


def _lazy(frame: pl.DataFrame) -> nw.LazyFrame[Any]:
    return nw.from_native(frame.lazy())


def _collect(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    return frame.collect().to_polars()
