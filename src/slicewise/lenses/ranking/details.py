"""What is said of features that are shown: sums over their rows, by group, and the rows that tell most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.engine.cells import exact_column
from slicewise.extract.relation import Relation
from slicewise.lenses.ranking.population import Population
from slicewise.lenses.ranking.strata import Strata
from slicewise.stats.exact import limbs
from slicewise.stats.ratio import ratio

EXAMPLES = 3
SEVERAL = 20
"""So many times as many units are looked through for different items and different texts."""
KEYS, GROUP_KEYS = ("feature", "limb"), ("feature", "group", "limb")


@dataclass(frozen=True, eq=False)
class Details:
    """Sums over the rows of each feature, and over all rows; exact."""

    n: Array
    scores: Array
    statistics: Array
    """`(features, k)`."""
    score: float
    """Of all rows."""
    totals: Array
    """`(k,)`, of all rows."""
    cells: Array | None
    """`(groups, 2 × features + 2)`: number and sum of scores of each feature and of all rows."""
    examples: list[tuple[int, ...]]
    """Items whose rows have the lowest scores, or the highest, of each feature."""
    units: list[tuple[str, ...]]
    """Texts of units, likewise."""
    within: WithinStrata | None = None
    """What is known of strata, where there are some."""
    plain: tuple[Ints, Array] | None = None
    """The places of features that are not adjusted although there are strata, and their cells without these."""

    @classmethod
    def of(cls, sums: pl.DataFrame, rows: pl.DataFrame, features: int, strata: Strata | None) -> Details:
        """Make them from tables as `sums_of` and `telling` return them."""
        words = [name for name in sums.columns if name.startswith("w:")]
        names = [name for name in sums.columns if name not in (*KEYS, *words)]
        size = features + (0 if strata is None else len(strata))
        place = sums["feature"].to_numpy()
        n, *numbers = (exact_column(sums, name, place, size + 1) for name in names)
        by_feature = rows.sort("feature", "order", maintain_order=True).partition_by("feature", as_dict=True)
        none = rows.clear()
        own_rows = [by_feature.get((i,), none).head(EXAMPLES * SEVERAL) for i in range(features)]
        statistics, within = np.column_stack(numbers[1:]), None
        if strata is not None:
            packed = sums.filter(pl.col("limb") == 0, pl.col("feature") < features).sort("feature")
            counts = strata.unpacked(packed.select(words[: strata.words]).to_numpy(), packed["n"].to_numpy())
            within = WithinStrata(counts, n[features:-1], numbers[0][features:-1])
        return cls(
            n[:features],
            numbers[0][:features],
            statistics[:features],
            float(numbers[0][-1]),
            statistics[-1],
            None,
            [tuple(dict.fromkeys(telling_rows["item"].to_list()))[:EXAMPLES] for telling_rows in own_rows],
            [tuple(dict.fromkeys(telling_rows["name"].drop_nulls().to_list()))[:EXAMPLES] for telling_rows in own_rows],
            within,
        )


@dataclass(frozen=True, eq=False)
class WithinStrata:
    """How many rows of each stratum have the features, and what the scores of all its rows are."""

    counts: Ints
    """`(features, strata)`."""
    sizes: Array
    scores: Array
    """The sum of each stratum's scores."""

    @property
    def means(self) -> Array:
        """The mean score of each stratum."""
        return self.scores / self.sizes

    @property
    def weights(self) -> Array:
        """How many rows of a stratum with a feature are compared with one without it, over all strata; by feature."""
        return np.asarray((self.counts * (1 - self.counts / self.sizes)).sum(axis=1))

    def differences(self, scores: Array) -> Array:
        """Return the mean difference between rows with a feature, whose scores sum to this, and others of a stratum.

        Strata are weighted as Mantel and Haenszel do, by n₁n₂/n.
        """
        return ratio(scores - self.counts @ self.means, self.weights)


def with_strata(relation: Relation, stratum: Ints, strata: int) -> Relation:
    """Return features, and behind them the strata as if they were features."""
    order = np.argsort(stratum, kind="stable").astype(np.int32)
    ends = relation.starts[-1] + np.cumsum(np.bincount(stratum, minlength=strata))
    starts = np.concatenate([relation.starts, ends]).astype(np.int64)
    return Relation(starts, np.concatenate([relation.rows, order]), relation.size)


def sums_of(population: Population, relation: Relation, words: Sequence[Ints] = ()) -> pl.DataFrame:
    """Sum scores and statistics over the rows of each feature and, last, over all, as whole numbers limb by limb.

    `words`: packed counts of strata, summed as they are.
    """
    columns = {"score": population.scores} | {f"s{i}": column for i, column in enumerate(population.statistics.T)}
    by_limb: dict[int, dict[str, Ints]] = {0: {}}
    for name, column in columns.items():
        for place, numbers in limbs(np.ascontiguousarray(column)).items():
            by_limb.setdefault(place, {})[name] = numbers
    by_limb[0] |= {f"w:{k}": word for k, word in enumerate(words)}
    table = pl.concat(
        [_added(relation, place, numbers_by_name) for place, numbers_by_name in by_limb.items()], how="diagonal"
    )
    names = ("n", *columns, *(f"w:{k}" for k in range(len(words))))
    return table.select(*KEYS, *(pl.col(name).fill_null(0).cast(pl.Int64) for name in names))


def _added(relation: Relation, place: int, columns: dict[str, Ints]) -> pl.DataFrame:
    size = len(relation)
    sums = {name: np.append(relation.sums(numbers), numbers.sum()) for name, numbers in columns.items()}
    n = np.append(relation.counts, relation.size) if place == 0 else np.zeros(size + 1, np.int64)
    return pl.DataFrame({"feature": np.arange(size + 1), "limb": np.full(size + 1, place), "n": n} | sums)


def group_sums(population: Population, relation: Relation, scores: Array) -> pl.DataFrame:
    """Count rows and sum scores by feature, and last of all rows, and by group."""
    rows = np.concatenate([relation.rows, np.arange(population.size, dtype=np.int32)])
    sizes = np.append(relation.counts, population.size)
    keys = {"feature": np.repeat(np.arange(len(sizes)), sizes), "group": population.group[rows]}
    tables = []
    for place, numbers in ({0: np.zeros(population.size, np.int64)} | limbs(scores)).items():
        frame = pl.DataFrame(keys | {"score": numbers[rows]}).group_by("feature", "group")
        n = pl.len() if place == 0 else pl.lit(0)
        sums = frame.agg(n=n.cast(pl.Int64), score=pl.col("score").sum())
        tables.append(sums.with_columns(limb=pl.lit(place, pl.Int64)))
    return pl.concat(tables).select(*GROUP_KEYS, "n", "score")


def cells_of(sums: pl.DataFrame, features: int, groups: int) -> Array:
    """Return the cells of a table as `group_sums` returns it."""
    place = (sums["group"] * (features + 1) + sums["feature"]).to_numpy()
    columns = [exact_column(sums, name, place, groups * (features + 1)) for name in ("n", "score")]
    return np.stack([column.reshape(groups, -1) for column in columns], axis=-1).reshape(groups, -1)


def telling(population: Population, relation: Relation, *, high: bool) -> pl.DataFrame:
    """Return the rows with the lowest scores (highest, where these are looked for), the first of equal ones."""
    most = EXAMPLES if population.over == "items" else EXAMPLES * SEVERAL
    orders = -population.oriented if high else population.oriented
    chosen = [_lowest(orders, relation.of(i), most) for i in range(len(relation))]
    rows = np.concatenate([np.zeros(0, np.int32), *chosen])
    names = [None] * len(rows) if population.names is None else population.names(rows)
    return pl.DataFrame(
        {
            "feature": np.repeat(
                np.arange(len(chosen)), np.array([len(chosen_rows) for chosen_rows in chosen], np.int64)
            ),
            "order": orders[rows],
            "item": population.item[rows],
            "name": pl.Series(names, dtype=pl.String),
        }
    )


def _lowest(orders: Array, rows: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    return rows[np.argsort(orders[rows], kind="stable")[:most]]
