"""How the scores of a list's rows are ranked, known without the rows: brought together, or left where the parts are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.arrays import Array, Ints
from slicewise.engine.local import collect_if_small, rank_values, reduce_parts
from slicewise.engine.protocols import Ranked
from slicewise.evaluation import Evaluation
from slicewise.lenses.ranking.context import ListSpec, ScoreRanks
from slicewise.lenses.ranking.feature_kernels import ScoreColumns, ScoreCounts
from slicewise.lenses.ranking.population import Scoring, places_of, population_warnings, tidy
from slicewise.stats.rank_sums import RankNull


@dataclass(frozen=True, eq=False)
class ListSummary:
    """What is known of the rows of a list without them."""

    scoring: Scoring
    score_ranks: ScoreRanks
    null: RankNull
    warnings: tuple[str, ...]

    @property
    def over(self) -> str:
        """What the rows are."""
        return self.scoring.over

    @property
    def metric(self) -> str:
        """What the metric is called."""
        return self.scoring.metric_name

    @property
    def sign(self) -> int:
        """-1 where lower is better."""
        return self.scoring.sign

    @property
    def finish(self) -> Callable[[Array], Array]:
        """From summed statistics to the metric."""
        return self.scoring.finish

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.null.n

    @property
    def alike(self) -> bool:
        """Whether all have the same score."""
        return len(self.score_ranks.scores) == 1


@dataclass(frozen=True, eq=False, kw_only=True)
class RemoteRankNull(RankNull):
    """Ranks of more different scores than are collected: only those at some places are asked for."""

    ranked: Ranked
    column: int
    tied: int
    values: int

    @classmethod
    def of_column(cls, ranked: Ranked, column: int) -> RemoteRankNull:
        """Return the ranks of a column of scores."""
        sizes = ranked.sizes(column)
        n, values = int((sizes["n"] * sizes["groups"]).sum()), int(sizes["groups"].sum())
        nothing = np.zeros(0, np.int64)
        return cls(n, nothing, nothing, nothing, ranked=ranked, column=column, tied=_sum_of_ties(sizes), values=values)

    @property
    def distinct(self) -> int:
        """How many different scores there are."""
        return self.values

    @property
    def ties(self) -> int:
        """Return Σ(t³ − t) over the groups of equal scores."""
        return self.tied

    def ties_below(self, place: int) -> int:
        """Return Σ(t³ − t) over the groups of equal scores that begin before a place."""
        return _sum_of_ties(self.ranked.sizes(self.column, place))

    def _countable(self) -> int:
        return 0

    def tie_at(self, places: Ints) -> tuple[Ints, Ints]:
        """Return where the group of equal scores at each place begins, and how many items it has."""
        distinct = np.unique(places).astype(np.int64)
        values = self.ranked.at(self.column, distinct)
        start, size = values["start"].to_numpy(), values["n"].to_numpy()
        group = np.searchsorted(start, places, side="right") - 1
        return start[group], size[group]


def _sum_of_ties(sizes: pl.DataFrame) -> int:
    """Return Σ(t³ − t) over groups of equal scores, `groups` of them with `n` items."""
    return sum(k * (t**3 - t) for t, k in sizes.select("n", "groups").iter_rows())


def summaries_of(evaluation: Evaluation, specs: Sequence[ListSpec]) -> tuple[list[ListSummary], Ranked | None]:
    """Rank the scores of every list; also those that stay where the parts are, if there are any."""
    kernel = ScoreCounts(tuple(specs))
    table, remote = collect_if_small(evaluation, kernel, ["list"])
    spans = reduce_parts(evaluation, kernel, _spans)[0] if remote.height else None
    if spans is None:
        return [_collected_summary(spec, table.filter(pl.col("list") == i)) for i, spec in enumerate(specs)], None
    places = {i: _places(spans.filter(pl.col("list") == i)) for i in remote["list"].to_list()}
    column = rank_values(evaluation, ScoreColumns(tuple(specs), places))
    summaries = []
    for i, spec in enumerate(specs):
        if i not in places:
            summaries.append(_collected_summary(spec, table.filter(pl.col("list") == i)))
            continue
        null = RemoteRankNull.of_column(column, i)
        warnings = population_warnings(spec.scoring, null.n, int(spans.filter(pl.col("list") == i)["lost"].sum()))
        score_ranks = ScoreRanks(places[i], np.zeros(0), np.zeros(0, np.int64), remote=True)
        summaries.append(ListSummary(spec.scoring, score_ranks, null, warnings))
    return summaries, column


def _collected_summary(spec: ListSpec, counts: pl.DataFrame) -> ListSummary:
    """Rank scores that have been brought together."""
    scores, n = counts["score"].to_numpy().view(np.float64), counts["n"].to_numpy()
    warnings = population_warnings(spec.scoring, int(n.sum()), int(counts["lost"].sum()))
    scores, n = scores[n > 0], n[n > 0]
    places = places_of(float(np.abs(scores).max()))
    distinct, where = np.unique(spec.scoring.sign * tidy(scores, places) + 0.0, return_inverse=True)
    sizes = np.zeros(len(distinct), np.int64)
    np.add.at(sizes, where, n)
    null = RankNull.of_counts(sizes)
    return ListSummary(spec.scoring, ScoreRanks(places, distinct, null.ranks), null, warnings)


def _spans(counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return of the scores of each list, negative or not, how many there are, and the bits of the largest."""
    signed = counts.with_columns(negative=nw.col("score") < 0, there=(nw.col("n") > 0).cast(nw.Int64))
    largest = nw.when(nw.col("n") > 0).then(nw.col("score")).otherwise(nw.lit(None)).max()
    return signed.group_by("list", "negative").agg(
        nw.col("there").sum().alias("rows"), nw.col("lost").sum(), largest.alias("largest")
    )


def _places(span: pl.DataFrame) -> int:
    """Return how many decimal places the scores of a list have."""
    largest = span["largest"].drop_nulls().to_numpy().view(np.float64)
    return places_of(float(np.abs(largest).max()))
