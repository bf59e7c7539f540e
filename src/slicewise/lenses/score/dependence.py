"""How alike the items of one cluster are scored, by system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.engine.cells import exact_cells, exact_sums
from slicewise.engine.items import item_scores
from slicewise.engine.local import aggregate
from slicewise.evaluation import Evaluation
from slicewise.lenses.score.result import Dependence
from slicewise.metrics.metric import Metric
from slicewise.results.base import defined
from slicewise.stats.icc import cluster_correlation


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
            known = np.isfinite(scores)
            scores = np.where(known, scores, 0.0)
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
        found = cluster_correlation(*cells[:, i].T)
        if (icc := defined(found.icc)) is not None:
            result[system] = Dependence(
                metric=able[0].name,
                icc=icc,
                design_effect=found.design_effect,
                items=found.items,
                effective_items=found.effective_items,
            )
    return result
