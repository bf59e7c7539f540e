"""Corrects tests of features for rows that lie together in clusters, whose scores are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Array, Ints
from slicewise.engine.local import aggregate
from slicewise.engine.protocols import Ranked
from slicewise.evaluation import Evaluation
from slicewise.lenses.ranking.clusters import (
    ClusterCounts,
    ClusterRanks,
    PairClusters,
    histogram,
    rows_of,
    sampled_groups,
    sampled_share,
)
from slicewise.lenses.ranking.context import RankingContext
from slicewise.lenses.ranking.query_builder import parts_query, ranking_query
from slicewise.lenses.ranking.sources import Single, Tails
from slicewise.lenses.ranking.testing import Adjustment, Ranking, Tests, corrected, normal_scores
from slicewise.stats.cluster_profile import ClusterProfile
from slicewise.stats.rank_sums import RankNull, Side
from slicewise.stats.stratified_ranks import FAR, group_middles, lattice_step, rank_groups


def several_in_a_cluster(evaluation: Evaluation, context: RankingContext) -> list[bool]:
    """Return for each list whether several rows may be of one cluster, of which there is more than one."""
    together = evaluation.aligned.clusters.count < evaluation.aligned.items
    several_units = evaluation.task is not Task.LABELS
    if evaluation.aligned.clusters.count < 2 or context.extractor.geval:
        return [False] * len(context.specs)
    return [
        not spec.confusions and (together or (spec.scoring.over != "items" and several_units)) for spec in context.specs
    ]


@dataclass(frozen=True, eq=False)
class ClusterCorrection:
    """What is known of the clusters of all lists."""

    evaluation: Evaluation
    context: RankingContext
    ranks: Ranked | None
    nulls: Sequence[RankNull]
    adjustments: Sequence[Adjustment | None]

    @cached_property
    def together(self) -> list[bool]:
        """Whether several rows of a list may be of one cluster."""
        return several_in_a_cluster(self.evaluation, self.context)

    @cached_property
    def _cluster_ranks(self) -> pl.DataFrame:
        clusters, items = self.evaluation.aligned.clusters, self.evaluation.aligned.items
        kernel = ClusterRanks(self.context, sampled_groups(clusters), sampled_share(clusters, items))
        return aggregate(self.evaluation, kernel, ranks=self.ranks)

    @cached_property
    def _steps(self) -> list[float]:
        """Between neighbouring sums of ranks, where nothing is adjusted for."""
        bounds = [rank_groups(null) for null in self.nulls]
        return [lattice_step(group_middles(each), np.diff(each)) for each in bounds]

    def by_cluster(self, rankings: Sequence[Ranking], side: Side, *, adjusted: bool = True) -> list[Ranking]:
        """Correct rankings for rows that lie together in clusters: those of their features that are far from chance.

        `adjusted`: within strata.
        """
        if not any(self.together):
            return list(rankings)
        queries, places = [], []
        for i, ranking in enumerate(rankings):
            numbers = np.array([isinstance(source, Tails) for source in ranking.sources], np.bool_)
            tests = ranking.tests
            far = (normal_scores(tests) < FAR) & ~np.isnan(tests.z)
            far &= ~numbers[tests.source] if len(tests) else far
            at = np.flatnonzero(far) if self.together[i] else np.zeros(0, np.int64)
            places.append(at)
            queries.append(ranking_query(ranking, at.tolist()))
        if not any(map(len, places)):
            return list(rankings)
        table = histogram(self.evaluation, ClusterCounts(self.context, tuple(queries)), None)
        corrected_rankings = []
        for i, (ranking, at) in enumerate(zip(rankings, places, strict=True)):
            rows = table.filter(pl.col("list") == i)
            ratios = self.ratios(i, rows, ranking.tests.centred[at], side, adjusted=adjusted)
            tests = corrected(ranking.tests, at, ratios)
            corrected_rankings.append(replace(ranking, tests=tests, tested=tests.p))
        return corrected_rankings

    def ratios(self, i: int, rows: pl.DataFrame, centred: Array, side: Side, *, adjusted: bool = True) -> Array:
        """Return by what factor features that have rows in clusters as counted are nearer to chance."""
        largest = int(rows["items"].to_numpy().max(initial=0))
        if largest < 2:
            return np.ones(len(centred))
        adjustment = self.adjustments[i] if adjusted else None
        null = self.nulls[i]
        means = null.n + 1.0 if adjustment is None else adjustment.null.means
        scale = null.deviation if adjustment is None else adjustment.null.scale
        values, cluster, sizes = rows_of(self._cluster_ranks, i, means, scale)
        sign = 1 if side == "low" else -1
        step = self._steps[i] / scale if adjustment is None else adjustment.null.step
        profile = ClusterProfile.of(sign * values, cluster, largest, sizes, step)
        feature, items, clusters = (rows[name].to_numpy() for name in ("feature", "items", "clusters"))
        return profile.ratios(feature, items, clusters, sign * centred / scale)

    def pair_ratios(
        self, i: int, sources: Sequence[Single], parts: Tests, pairs: tuple[Ints, Ints], centred: Array, side: Side
    ) -> Array | None:
        """Return by what factor pairs of features of a list are nearer to chance; None: rows are independent."""
        if not self.together[i]:
            return None
        query = parts_query(sources, parts.source, parts.place)
        rows = histogram(self.evaluation, PairClusters(self.context, i, query, *pairs), None)
        return self.ratios(i, rows, centred, side)
