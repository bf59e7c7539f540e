"""How the rows of features lie in clusters: how many clusters have how many of them, and which scores lie there."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.align.clusters import Clusters
from slicewise.arrays import Array, Ints
from slicewise.engine.local import aggregate, reduce_parts
from slicewise.engine.protocols import Ranked
from slicewise.evaluation import Evaluation
from slicewise.extract.relation import Relation
from slicewise.lenses.ranking.context import NumberSpecs, RankingContext
from slicewise.lenses.ranking.feature_kernels import ContextKernel, QueryKernel
from slicewise.lenses.ranking.population import Population
from slicewise.lenses.ranking.queries import FeatureQuery
from slicewise.stats.canonical import splitmix64
from slicewise.stats.icc import cluster_correlation
from slicewise.stats.ratio import ratio

SAMPLED, ROWS = 2000, 100_000
"""Clusters whose scores are looked at one by one, and about how many of their items are where they are large."""
LEAST = 200
"""Items of a cluster that are looked at in any case."""
NOT_SAMPLED = -1
"""Stands for the stratum and the rank of rows of such clusters that are not looked at, but counted."""


def cluster_keys(part: Evaluation) -> Ints:
    """Return a number for the cluster of each item of a part that no other cluster of the data has.

    Of at most 10,000 clusters each is a group of its own; of more, whose items lie together, the first item tells.
    """
    clusters = part.aligned.clusters
    if clusters.count == clusters.groups:
        return clusters.group.astype(np.int64)
    _, first, number = np.unique(clusters.cluster, return_index=True, return_inverse=True)
    return np.asarray(first[number] + part.first, np.int64)


def sampled_groups(clusters: Clusters) -> Ints:
    """Return the groups of clusters that are looked at, picked by a hash."""
    groups = np.arange(clusters.groups)
    if clusters.count <= SAMPLED:
        return groups
    kept = -(-SAMPLED * clusters.groups // clusters.count)
    return np.sort(np.argsort(splitmix64(groups.astype(np.uint64)), kind="stable")[:kept])


def sampled_share(clusters: Clusters, items: int) -> float:
    """Return which share of a cluster's items is looked at: all, unless clusters are large."""
    most = max(LEAST, ROWS // max(1, min(clusters.count, SAMPLED)))
    return min(1.0, most * clusters.count / max(items, 1))


@dataclass(frozen=True)
class ClusterCounts(QueryKernel):
    """Counts the rows of features by cluster."""

    by: tuple[str, ...] = ("list", "feature", "cluster")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        features = self.context.extractor.extract(part)
        keys = cluster_keys(part)
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for i, query in enumerate(self.queries):
            if query.size:
                population = self.context.population(part, i)
                relation = query.uncached(self.context, features, i, population)
                tables.append(_by_cluster(relation, keys[population.item - part.first], i))
        return pl.concat(tables)


def _by_cluster(relation: Relation, keys: Ints, i: int) -> pl.DataFrame:
    columns = {"feature": np.repeat(np.arange(len(relation)), relation.counts), "cluster": keys[relation.rows]}
    counts = pl.DataFrame(columns).group_by("feature", "cluster").agg(n=pl.len().cast(pl.Int64))
    return counts.select(pl.lit(i, pl.Int64).alias("list"), "feature", "cluster", "n")


@dataclass(frozen=True)
class PairClusters(ContextKernel):
    """Counts the rows of pairs of features of a list by cluster."""

    list: int
    query: FeatureQuery
    a: Ints
    b: Ints
    by: tuple[str, ...] = ("list", "feature", "cluster")

    @property
    def needs(self) -> frozenset[str]:
        """What the features are made of."""
        return self.query.needs(self.context)

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        population = self.context.population(part, self.list)
        relation = self.query.relation(self.context, self.context.extractor.extract(part), self.list, population)
        keys = cluster_keys(part)[population.item - part.first]
        return _by_cluster(_shared(relation, self.a, self.b), keys, self.list)


def _shared(relation: Relation, a: Ints, b: Ints) -> Relation:
    """Return the rows that two features have, of each pair."""
    rarer = np.where(relation.counts[a] <= relation.counts[b], a, b)
    other = np.where(rarer == a, b, a)
    taken = relation.take(rarer)
    pair = np.repeat(np.arange(len(a)), taken.counts)
    every = np.repeat(np.arange(len(relation)), relation.counts) * relation.size + relation.rows
    wanted = other[pair] * relation.size + taken.rows
    at = np.searchsorted(every, wanted)
    both = np.append(every, -1)[at] == wanted
    starts = np.concatenate([[0], np.cumsum(np.bincount(pair[both], minlength=len(a)))]).astype(np.int64)
    return Relation(starts, taken.rows[both], relation.size)


def histogram(evaluation: Evaluation, kernel: ClusterCounts | PairClusters, ranks: Ranked | None) -> pl.DataFrame:
    """Return in how many clusters features have how many rows: list, feature, items, clusters."""
    (table,) = reduce_parts(evaluation, kernel, _sizes, ranks=ranks)
    return table.sort("list", "feature", "items")


def _sizes(counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    sizes = counts.group_by("list", "feature", "n").agg(nw.len().cast(nw.Int64).alias("clusters"))
    return sizes.rename({"n": "items"})


# ---------------------------------------------------------------------- scores of some clusters


@dataclass(frozen=True)
class ClusterRanks(ContextKernel):
    """Counts the rows of some clusters by stratum and rank; those that are not looked at are counted together."""

    groups: Ints
    share: float
    by: tuple[str, ...] = ("list", "cluster", "stratum", "doubled")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for i, spec in enumerate(self.context.specs):
            if not spec.confusions:
                rows = _sampled_rows(self.context, part, i, self.groups, self.share)
                names = ("stratum", "doubled")
                counted = {name: pl.when("sampled").then(name).otherwise(NOT_SAMPLED) for name in names}
                rows = rows.with_columns(**counted).group_by(self.by[1:]).len("n")
                tables.append(rows.select(pl.lit(i).alias("list"), *self.by[1:], "n").cast(pl.Int64))
        return pl.concat(tables)


@dataclass(frozen=True)
class ClusterNumbers(ContextKernel):
    """Counts the rows of some clusters by stratum, rank and the value of each number."""

    groups: Ints
    share: float
    numbers: NumberSpecs
    by: tuple[str, ...] = ("list", "number", "cluster", "stratum", "doubled", "value")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part; values are given by their bits."""
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for i, numbers in enumerate(self.numbers):
            rows = _sampled_rows(self.context, part, i, self.groups, self.share) if numbers else pl.DataFrame()
            for j, number in enumerate(numbers):
                values = self.context.numbers(part, i, number)[rows["row"].to_numpy()] + 0.0
                present = pl.Series(~np.isnan(values)) & rows["sampled"]
                named = rows.with_columns(value=pl.Series(values.view(np.int64))).filter(present)
                keys = [pl.lit(i).alias("list"), pl.lit(j).alias("number")]
                counts = named.group_by(self.by[2:]).len("n").select(*keys, *self.by[2:], "n")
                tables.append(counts.cast(pl.Int64))
        return pl.concat(tables)


def _sampled_rows(context: RankingContext, part: Evaluation, i: int, groups: Ints, share: float) -> pl.DataFrame:
    """Return the rows of a list that are of some groups: place, cluster, stratum (0 without strata) and rank.

    `sampled` says which are looked at, of items picked by a hash.
    """
    population: Population = context.population(part, i)
    rows = np.flatnonzero(np.isin(population.group, groups))
    strata = context.strata_of(i)
    stratum = np.zeros(len(rows), np.int64) if strata is None else context.stratum(part, i)[rows]
    keys = cluster_keys(part)[population.item[rows] - part.first]
    doubled = context.score_ranks[i].ranks(population)[rows]
    hashes = splitmix64(population.item[rows].astype(np.uint64))
    sampled = hashes <= np.uint64(share * float(np.iinfo(np.uint64).max - 2**11))
    columns = {"row": rows, "cluster": keys, "stratum": stratum, "doubled": doubled}
    return pl.DataFrame(columns | {"sampled": sampled | (share >= 1)})


def design_effects(
    evaluation: Evaluation, context: RankingContext, numbers: NumberSpecs, ranks: Ranked | None
) -> dict[tuple[int, int], tuple[float, float]]:
    """Return how many times the variance of each number's agreement with scores is that of independent rows.

    As it is, and within strata. The correlation of ranks within clusters counts as far as the number's values lie
    together in clusters, too.
    """
    clusters, items = evaluation.aligned.clusters, evaluation.aligned.items
    kernel = ClusterNumbers(context, sampled_groups(clusters), sampled_share(clusters, items), numbers)
    table = aggregate(evaluation, kernel, ranks=ranks)
    effects = {}
    for (i, j), group in table.group_by("list", "number", maintain_order=True):
        rows = group.with_columns(x=pl.Series(group["value"].to_numpy().view(np.float64)))
        effects[int(i), int(j)] = _design_effect(rows.with_columns(stratum=pl.lit(0))), _design_effect(rows)
    return effects


def _design_effect(rows: pl.DataFrame) -> float:
    """Return it from counted rows, of which ranks and values are centred within strata."""
    rows = rows.sort("stratum", "x", "doubled", "n")  # so that the order of clusters does not matter
    n = rows["n"].to_numpy().astype(np.float64)
    stratum, cluster = (np.unique(rows[name].to_numpy(), return_inverse=True)[1] for name in ("stratum", "cluster"))
    x, v = (_centred(rows[name].to_numpy().astype(np.float64), n, stratum) for name in ("x", "doubled"))
    correlation = cluster_correlation(*(np.bincount(cluster, weights) for weights in (n, n * v, n * v * v))).icc
    squares = fsum(n * x * x)
    if np.isnan(correlation) or not squares:
        return 1.0
    together = fsum(np.bincount(cluster, n * x) ** 2) / squares
    return max(1.0, (1 - correlation) + correlation * together)


def _centred(values: Array, n: Array, stratum: Ints) -> Array:
    means = ratio(np.bincount(stratum, n * values), np.bincount(stratum, n))
    return np.asarray(values - means[stratum])


def rows_of(table: pl.DataFrame, i: int, means: float | Array, scale: float) -> tuple[Array, Ints, Ints]:
    """Return the standardised ranks of a list's rows, their clusters, and how many rows each cluster has in all.

    From counts of `ClusterRanks`. `means`: of all rows, or of each stratum.
    """
    of_list = table.filter(pl.col("list") == i)
    sizes = of_list.group_by("cluster").agg(size=pl.col("n").sum())
    rows = of_list.filter(pl.col("doubled") != NOT_SAMPLED).join(sizes, on="cluster", maintain_order="left")
    expected = means[rows["stratum"].to_numpy()] if isinstance(means, np.ndarray) else means
    values = (rows["doubled"].to_numpy() - expected) / scale
    n = rows["n"].to_numpy()
    return np.repeat(values, n), np.repeat(rows["cluster"].to_numpy(), n), np.repeat(rows["size"].to_numpy(), n)
