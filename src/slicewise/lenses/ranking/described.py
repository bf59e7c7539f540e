"""What is said of the features that are shown, summed over the parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from slicewise.arrays import Ints
from slicewise.engine.local import aggregate, collect_parts
from slicewise.evaluation import Evaluation
from slicewise.lenses.ranking.context import RankingContext
from slicewise.lenses.ranking.details import KEYS, Details, cells_of
from slicewise.lenses.ranking.feature_kernels import GroupSums, PartDetails
from slicewise.lenses.ranking.queries import FeatureQuery, subset_of


def described(
    evaluation: Evaluation,
    context: RankingContext,
    queries: tuple[FeatureQuery, ...],
    unadjusted: Sequence[Ints],
    groups: int | None,
    *,
    high: bool,
) -> list[Details]:
    """Return what is said of the features of every list.

    `unadjusted`: the places of those that are not adjusted although there are strata; `groups`: of clusters, where
    intervals are drawn.
    """
    both = pl.concat(collect_parts(evaluation, PartDetails(context, queries, high)), how="diagonal")
    rows = both.filter(pl.col("item").is_not_null())
    sums = both.filter(pl.col("item").is_null()).drop("order", "item", "name").group_by("list", *KEYS).sum()
    details = []
    for i, query in enumerate(queries):
        own_sums, own_rows = (table.filter(pl.col("list") == i).drop("list") for table in (sums, rows))
        details.append(Details.of(own_sums, own_rows, query.size, context.strata_of(i)))
    if groups is None:
        return details
    details = _with_cells(evaluation, context, details, queries, groups)
    return _with_plain_cells(evaluation, context, details, queries, unadjusted, groups)


def _with_cells(
    evaluation: Evaluation,
    context: RankingContext,
    details: Sequence[Details],
    queries: tuple[FeatureQuery, ...],
    groups: int,
) -> list[Details]:
    """Add what intervals are drawn from: number and sum of scores of each feature by group."""
    means = tuple(None if each.within is None else each.within.means for each in details)
    by_group = aggregate(evaluation, GroupSums(context, queries, means))
    with_cells = []
    for i, each in enumerate(details):
        size = len(each.n) + (0 if each.within is None else len(each.within.sizes))
        with_cells.append(replace(each, cells=cells_of(by_group.filter(pl.col("list") == i), size, groups)))
    return with_cells


def _with_plain_cells(
    evaluation: Evaluation,
    context: RankingContext,
    details: list[Details],
    queries: tuple[FeatureQuery, ...],
    unadjusted: Sequence[Ints],
    groups: int,
) -> list[Details]:
    """Add the cells of features that are not adjusted, if there are some."""
    if not any(map(len, unadjusted)):
        return details
    subsets = tuple(subset_of(query, at) for query, at in zip(queries, unadjusted, strict=True))
    by_group = aggregate(evaluation, GroupSums(context, subsets, (None,) * len(subsets)))
    return [
        replace(each, plain=(at, cells_of(by_group.filter(pl.col("list") == i), len(at), groups)))
        for i, (each, at) in enumerate(zip(details, unadjusted, strict=True))
    ]
