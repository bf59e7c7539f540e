"""How the scores of a list's rows are ranked, known without the rows: brought together, or left where the parts are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl

from slicewise.engine.gather import made_small, most_back, ranked, summed
from slicewise.lenses.feature_kernels import ScoreColumns, ScoreCounts
from slicewise.lenses.part_view import Ladder
from slicewise.lenses.population import places_of, tidy, told
from slicewise.stats.rank_counts import drawn
from slicewise.stats.rank_sums import MANY, RankNull

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.part_view import Listing
    from slicewise.lenses.population import Scoring
    from slicewise.parts import Ranked, Steps

    Array = NDArray[np.float64]
    Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Head:
    """What is known of the rows of a list without them."""

    scoring: Scoring
    ladder: Ladder
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
        return len(self.ladder.scores) == 1


@dataclass(frozen=True, eq=False, kw_only=True)
class FarNull(RankNull):
    """Ranks of more different scores than are brought together: no ways to pick items are counted, all are drawn.

    They are drawn at once, as the ranks of what is drawn come from far.
    """

    told: Ranked
    column: int
    tied: int

    @classmethod
    def of_column(cls, told: Ranked, column: int, seed: int) -> FarNull:
        """Return the ranks of a column of scores."""
        sizes = told.sizes(column)
        every = list(sizes.select("n", "groups").iter_rows())
        n, tied = (sum(how(t) * k for t, k in every) for how in (int, lambda t: t**3 - t))
        nothing = np.zeros(0, np.int64)
        found = cls(n, nothing, nothing, nothing, seed, told=told, column=column, tied=tied)
        most = min(MANY, n // 2 + 1)
        found._sums.update(drawn(n, found._ranks_at, range(1, most), seed=seed))
        return found

    @property
    def ties(self) -> int:
        """Return Σ(t³ − t) over the groups of equal scores."""
        return self.tied

    def _countable(self) -> int:
        return 0

    def _ranks_at(self, places: Index) -> Index:
        asked = np.unique(places).astype(np.int64)
        found = self.told.at(self.column, asked)
        doubled = (2 * found["start"] + found["n"] + 1).to_numpy()
        of_asked = doubled[np.searchsorted(found["start"].to_numpy(), asked, side="right") - 1]
        return np.asarray(of_asked[np.searchsorted(asked, places)])


def heads_of(evaluation: Evaluation, listings: Sequence[Listing], seed: int) -> tuple[list[Head], Ranked | None]:
    """Rank the scores of every list; also those that stay where the parts are, if there are any."""
    kernel, most = ScoreCounts(tuple(listings)), most_back(evaluation)
    if most is None:
        together = summed(evaluation, kernel)
        every = [together.filter(pl.col("list") == i) for i in range(len(listings))]
        return [_near(listing, own, seed) for listing, own in zip(listings, every, strict=True)], None
    spans, tables = made_small(evaluation, kernel, _brought(len(listings), most))
    far = {i: _places(spans[i]) for i, table in enumerate(tables) if table is None}
    column = ranked(evaluation, ScoreColumns(tuple(listings), far)) if far else None
    heads = []
    for i, (listing, table) in enumerate(zip(listings, tables, strict=True)):
        if table is not None:
            heads.append(_near(listing, table, seed))
        if table is not None or column is None:
            continue
        null = FarNull.of_column(column, i, seed)
        warnings = told(listing.scoring, null.n, int(spans[i]["lost"].sum()))
        heads.append(
            Head(listing.scoring, Ladder(far[i], np.zeros(0), np.zeros(0, np.int64), far=True), null, warnings)
        )
    return heads, column


def _near(listing: Listing, own: pl.DataFrame, seed: int) -> Head:
    """Rank scores that have been brought together."""
    scores, n = own["score"].to_numpy().view(np.float64), own["n"].to_numpy()
    warnings = told(listing.scoring, int(n.sum()), int(own["lost"].sum()))
    scores, n = scores[n > 0], n[n > 0]
    places = places_of(float(np.abs(scores).max()))
    distinct, where = np.unique(listing.scoring.sign * tidy(scores, places) + 0.0, return_inverse=True)
    sizes = np.zeros(len(distinct), np.int64)
    np.add.at(sizes, where, n)
    null = RankNull.of_counts(sizes, seed=seed)
    return Head(listing.scoring, Ladder(places, distinct, null.ranks), null, warnings)


def _brought(lists: int, most: int) -> Steps[tuple[list[pl.DataFrame], list[pl.DataFrame | None]]]:
    """Bring the scores of lists together, unless they are too many, with what is known of them."""
    said = yield _spans
    spans = [said.filter(pl.col("list") == i) for i in range(lists)]
    tables: list[pl.DataFrame | None] = [None] * lists
    for i, own in enumerate(spans):
        if own["rows"].sum() <= most:
            tables[i] = yield partial(_of_list, i)
    return spans, tables


def _of_list(number: int, counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    return counts.filter(nw.col("list") == number)


def _spans(counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return of the scores of each list, negative or not, how many there are, and the bits of the largest."""
    some = counts.with_columns(negative=nw.col("score") < 0, there=(nw.col("n") > 0).cast(nw.Int64))
    largest = nw.when(nw.col("n") > 0).then(nw.col("score")).otherwise(nw.lit(None)).max()
    return some.group_by("list", "negative").agg(
        nw.col("there").sum().alias("rows"), nw.col("lost").sum(), largest.alias("largest")
    )


def _places(span: pl.DataFrame) -> int:
    """Return how many decimal places the scores of a list have."""
    largest = span["largest"].drop_nulls().to_numpy().view(np.float64)
    return places_of(float(np.abs(largest).max()))
