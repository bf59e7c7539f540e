"""The score of every item: a metric finished on one item's statistics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.engine.cells import item_statistics
from slicewise.engine.local import parts_of
from slicewise.engine.protocols import PartSource
from slicewise.errors import UserError
from slicewise.evaluation import Evaluation
from slicewise.metrics import catalogue
from slicewise.metrics.counts import CASES, FIRST_LABEL, RIGHT, UNANSWERED
from slicewise.metrics.metric import Metric

BLOCK = 1 << 22
"""Statistics held at a time before they are reduced."""


@dataclass(frozen=True)
class ItemScores:
    """One system's items."""

    metric: Metric
    scores: Array
    """NaN where an item has none."""
    statistics: Array
    """`(items, k)`, reduced."""


def item_scores(evaluation: Evaluation, metric: Metric, system: str) -> ItemScores:
    """Score every item of a system."""
    if not metric.item_score or not metric.additive:
        able = [m.name for m in catalogue(evaluation.task).values() if m.item_score and m.additive]
        message = f"the metric {metric.name} has no score of a single item, so it cannot rank; use one of: "
        raise UserError(message + ", ".join(able))
    if metric.statistics is not None:
        columns = item_statistics(evaluation, metric, [system])
        statistics = np.column_stack(list(columns.values()))
        return ItemScores(metric, metric.item_values(statistics), metric.reduce(statistics))
    items = evaluation.aligned.items
    size = max(1, BLOCK // (FIRST_LABEL + 3 * len(evaluation.aligned.labels)))
    blocks = [_item_counts(evaluation, system, start, min(start + size, items)) for start in range(0, items, size)] or [
        np.zeros((0, FIRST_LABEL + 3 * len(evaluation.aligned.labels)))
    ]
    return ItemScores(
        metric,
        np.concatenate([metric.item_values(block) for block in blocks]),
        np.concatenate([metric.reduce(block) for block in blocks]),
    )


def _item_counts(evaluation: Evaluation, system: str, start: int, end: int) -> Array:
    """Return the statistics of set tasks for some items; see `slicewise.metrics.counts`."""
    units, a = evaluation.units, evaluation.aligned
    first, last = np.searchsorted(units["item"].to_numpy(), [start, end])  # units stand in the order of items
    piece = units.slice(int(first), int(last - first))
    item = piece["item"].to_numpy().astype(np.int64) - start
    labels, rows = max(1, len(a.labels)), end - start
    key = item * labels + piece["label"].to_physical().to_numpy()
    gold, returned = piece["gold"].to_numpy(), piece[system].to_numpy()
    counts = np.zeros((rows, FIRST_LABEL + 3 * len(a.labels)))
    if len(a.labels):
        tallies = [np.bincount(key[flags], minlength=rows * labels) for flags in (gold & returned, returned, gold)]
        counts[:, FIRST_LABEL:] = np.stack(tallies, axis=-1).reshape(rows, -1)
    counts[:, CASES] = a.lengths[start:end] if evaluation.task is Task.TOKENS else 1
    if evaluation.task is Task.LABELS:
        expected, answer = (evaluation.answers(name).slice(start, rows) for name in ("gold", system))
        counts[:, RIGHT] = expected.eq_missing(answer).to_numpy()
        counts[:, UNANSWERED] = answer.is_null().to_numpy()
        return counts
    wrong = gold != returned
    if evaluation.task is Task.TOKENS:
        place = np.unique(np.stack([item[wrong], piece["start"].to_numpy()[wrong]]), axis=1)[0]
        counts[:, RIGHT] = counts[:, CASES] - np.bincount(place, minlength=rows)
    else:
        counts[:, RIGHT] = np.bincount(item[wrong], minlength=rows) == 0
    return counts


@dataclass(frozen=True)
class _SomeParts:
    """Some of the parts of a source."""

    source: PartSource
    chosen: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.chosen)

    def items(self, i: int) -> int:
        """Return how many items a part has."""
        return self.source.items(self.chosen[i])

    def head(self, needs: frozenset[str]) -> Any:
        """Return a part without items."""
        return self.source.head(needs)

    def part(self, i: int, needs: frozenset[str]) -> Any:
        """Read a part."""
        return self.source.part(self.chosen[i], needs)


def where_items_are(evaluation: Evaluation, items: NDArray[np.int64]) -> Evaluation:
    """Return partitioned data restricted to the partitions of some items."""
    parts = parts_of(evaluation)
    source = parts.source
    if len(source) == 1:
        return evaluation
    ends = np.cumsum([source.items(i) for i in range(len(source))])
    chosen = np.unique(np.searchsorted(ends, items, side="right"))
    chosen_parts = _SomeParts(source, tuple(chosen.tolist()))
    return replace(evaluation, parts=replace(parts, source=chosen_parts))
