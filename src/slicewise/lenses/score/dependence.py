"""How alike the items of one cluster are scored, by system; and neighbours, where a file marks no clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.engine.cells import exact_cells, exact_column, exact_sums
from slicewise.engine.items import item_scores
from slicewise.engine.local import aggregate
from slicewise.evaluation import Evaluation
from slicewise.lenses.score.result import Dependence
from slicewise.metrics.metric import Metric
from slicewise.results.base import defined
from slicewise.stats.icc import cluster_correlation
from slicewise.stats.serial import autocorrelation

FIRST_ITEMS = 5_000
"""Neighbours among so many items, the first, are compared: a million take no longer."""
FEWEST_ITEMS = 100
LARGEST = 1e100
"""Scores beyond this, whose squares a float cannot hold, are left out."""
SURE = 0.005
"""The p below which items are said to look dependent."""
NOTABLE = 0.05
"""The least correlation of neighbours that is worth a warning."""


@dataclass(frozen=True)
class ItemMoments:
    """Kernel: counts, sums and sums of squares of item scores by group."""

    metric: Metric
    systems: tuple[str, ...]
    by: tuple[str, ...] = ("group", "limb")
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part."""
        columns: dict[str, Array] = {}
        for i, system in enumerate(self.systems):
            scores = item_scores(part, self.metric, system).scores
            known, scores = np.abs(scores) < LARGEST, _finite(scores)
            columns |= {f"{i}:n": known.astype(np.float64), f"{i}:y": scores, f"{i}:yy": scores**2}
        return exact_sums(columns, part.aligned.clusters.group)


def dependences(evaluation: Evaluation, metrics: Sequence[Metric]) -> dict[str, Dependence]:
    """Return the intra-class correlation of each system's item scores, where clusters have several items.

    By the first metric that scores single items. Beyond 10,000 clusters only groups of them are known: nothing.
    """
    clusters = evaluation.aligned.clusters
    able = [m for m in metrics if m.item_score and m.additive and not m.takes_input]
    if not able or clusters.groups < clusters.count or clusters.count == evaluation.aligned.items:
        return {}
    sums = aggregate(evaluation, ItemMoments(able[0], tuple(evaluation.systems)))
    cells = exact_cells(sums, clusters.groups, len(evaluation.systems))
    result = {}
    for i, system in enumerate(evaluation.systems):
        alike = cluster_correlation(*cells[:, i].T)
        if (icc := defined(alike.icc)) is not None:
            result[system] = Dependence(
                metric=able[0].name,
                icc=icc,
                design_effect=alike.design_effect,
                items=alike.items,
                effective_items=alike.effective_items,
            )
    return result


@dataclass(frozen=True)
class FirstScores:
    """Kernel: the scores of the first items, summed over systems; an item has one row."""

    metric: Metric
    systems: tuple[str, ...]
    by: tuple[str, ...] = ("item", "limb")
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the scores of a part."""
        size = max(0, min(part.aligned.items, FIRST_ITEMS - part.first))
        head = part.between(0, size) if size < part.aligned.items else part
        scores = np.zeros(size)
        for system in self.systems:
            scores += _finite(item_scores(head, self.metric, system).scores)
        items = np.arange(part.first, part.first + size, dtype=np.uint32)
        return exact_sums({"score": scores}, items).rename({"group": "item"})


def _finite(scores: Array) -> Array:
    return np.where(np.abs(scores) < LARGEST, scores, 0.0)


def neighbour_warnings(evaluation: Evaluation, metrics: Sequence[Metric], seed: int) -> list[str]:
    """Warn where no documents are marked, and neighbours are scored so alike that there may be some."""
    clusters = evaluation.aligned.clusters
    able = [m for m in metrics if m.item_score and m.additive and not m.takes_input]
    if not able or clusters.kind != "item" or evaluation.aligned.items < FEWEST_ITEMS:
        return []
    table = aggregate(evaluation, FirstScores(able[0], tuple(sorted(evaluation.systems))))
    size = min(FIRST_ITEMS, evaluation.aligned.items)
    scores = exact_column(table, "score", table["item"].to_numpy(), size)
    neighbours = autocorrelation(scores, seed=seed)
    if not (neighbours.correlation >= NOTABLE and neighbours.p <= SURE):
        return []
    sure = f"correlation {neighbours.correlation:.2f}, p {neighbours.p:.3f}"
    hint = "if a field names documents, add --cluster FIELD, or intervals are too narrow"
    return [f"items next to each other are scored alike ({sure}), as those of one document are: {hint}"]
