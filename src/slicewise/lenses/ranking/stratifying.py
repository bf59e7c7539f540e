"""Where the strata of lists are cut: deciles of numbers, and categories, from counts over all of the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.bucketing import quantile_cuts
from slicewise.engine.local import aggregate
from slicewise.errors import UserError, quoted
from slicewise.evaluation import Evaluation
from slicewise.lenses.ranking.context import FeatureExtractor, ListSpec
from slicewise.lenses.ranking.strata import FEWEST, LENGTH, Adjuster, Strata, combined, merge_small
from slicewise.stats.ranks import from_order, in_order

PARTS = 10
"""Numbers are cut at their deciles."""
MOST_STRATA, MOST_CODES = 500, 20_000
NUMBER, MISSING = "\0", np.iinfo(np.int64).max
"""Stand for the name of what is a number, and for a number that is missing."""


@dataclass(frozen=True)
class AdjusterCounts:
    """Counts the rows of some lists by the values that they are put into strata by."""

    specs: tuple[tuple[int, ListSpec], ...]
    extractor: FeatureExtractor
    names: tuple[str, ...]
    by: tuple[str, ...] = ("list", "adjuster", "value", "name")

    @property
    def needs(self) -> frozenset[str]:
        """What values are made of."""
        return self.extractor.needs.union(*(spec.scoring.needs for _, spec in self.specs))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part; numbers as whole numbers in the same order."""
        schema = {"list": pl.Int64, "adjuster": pl.Int64, "value": pl.Int64, "name": pl.String, "n": pl.Int64}
        tables = [pl.DataFrame(schema=schema)]
        values = self.extractor.adjusting_values(part, self.names)
        for i, spec in self.specs:
            kept = spec.scoring.scored(part).kept
            for j, column in enumerate(values):
                tables.append(_counted(column, kept, i, j).select(*self.by, "n").cast(schema))  # type: ignore[arg-type]
        return pl.concat(tables)


def _counted(column: pl.Series | Array, kept: NDArray[np.bool_], i: int, j: int) -> pl.DataFrame:
    if isinstance(column, pl.Series):
        frame = pl.DataFrame({"value": np.zeros(int(kept.sum()), np.int64), "name": column.filter(pl.Series(kept))})
    else:
        numbers = column[kept]
        present = numbers[~np.isnan(numbers)]
        codes = np.append(in_order(present), np.full(len(numbers) - len(present), MISSING))
        frame = pl.DataFrame({"value": codes, "name": pl.repeat(NUMBER, len(codes), eager=True)})
    counts = frame.group_by("value", "name").agg(n=pl.len().cast(pl.Int64))
    return counts.with_columns(list=pl.lit(i, pl.Int64), adjuster=pl.lit(j, pl.Int64))


@dataclass(frozen=True)
class CodeCounts:
    """Counts the rows of some lists by the combination of their codes."""

    specs: tuple[tuple[int, ListSpec], ...]
    extractor: FeatureExtractor
    adjusters: dict[int, tuple[Adjuster, ...]]
    by: tuple[str, ...] = ("list", "code")

    @property
    def needs(self) -> frozenset[str]:
        """What values are made of."""
        return self.extractor.needs.union(*(spec.scoring.needs for _, spec in self.specs))

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        tables = [pl.DataFrame(schema=dict.fromkeys((*self.by, "n"), pl.Int64))]
        for i, spec in self.specs:
            adjusters = self.adjusters[i]
            values = self.extractor.adjusting_values(part, [adjuster.name for adjuster in adjusters])
            code = combined(adjusters, values)[spec.scoring.scored(part).kept]
            counts = pl.DataFrame({"code": code}).group_by("code").agg(n=pl.len().cast(pl.Int64))
            tables.append(counts.select(pl.lit(i, pl.Int64).alias("list"), "code", "n"))
        return pl.concat(tables)


def strata_of(
    evaluation: Evaluation, specs: Sequence[ListSpec], extractor: FeatureExtractor, sizes: Sequence[int]
) -> tuple[Strata | None, ...]:
    """Return the strata of every list, the same of lists with the same rows; None where there are not two of them."""
    names = adjusters_of(evaluation, extractor)
    lists = [i for i, spec in enumerate(specs) if not spec.confusions]
    if not names or not lists:
        return (None,) * len(specs)
    owners = {i: next(j for j in lists if _same_rows(evaluation, specs, sizes, i, j)) for i in lists}
    distinct = tuple((i, specs[i]) for i in dict.fromkeys(owners.values()))
    counts = aggregate(evaluation, AdjusterCounts(distinct, extractor, names))
    adjusters = {i: _adjusters(counts.filter(pl.col("list") == i), names) for i, _ in distinct}
    most = max(math.prod(adjuster.codes for adjuster in each) for each in adjusters.values())
    if most > MOST_CODES:
        raise UserError(f"--adjust has {most:,} combinations of values; {MOST_CODES:,} are the most: name fewer")
    crossed = tuple((i, spec) for i, spec in distinct if len(adjusters[i]) > 1)
    codes = aggregate(evaluation, CodeCounts(crossed, extractor, adjusters)) if crossed else counts.clear()
    strata: dict[int, Strata | None] = {}
    for i, _ in distinct:
        if not adjusters[i]:
            strata[i] = None
            continue
        of_list = counts.filter(pl.col("list") == i)
        n = _by_code(of_list, names, adjusters[i][0]) if len(adjusters[i]) == 1 else _of_all(codes, adjusters[i], i)
        merged, merged_sizes = merge_small(n)
        if len(merged_sizes) > MOST_STRATA:
            raise UserError(f"--adjust makes {len(merged_sizes):,} strata; {MOST_STRATA} are the most: name fewer")
        strata[i] = Strata(adjusters[i], merged, merged_sizes) if len(merged_sizes) > 1 else None
    return tuple(strata[owners[i]] if i in owners else None for i in range(len(specs)))


def adjusters_of(evaluation: Evaluation, extractor: FeatureExtractor) -> tuple[str, ...]:
    """Return what features are adjusted for: what was asked for, else length where there is text."""
    if extractor.geval:
        return ()
    has_text = extractor.empty(evaluation).has_input
    if extractor.adjust is None:
        return (LENGTH,) if has_text else ()
    if LENGTH in extractor.adjust and not has_text:
        raise UserError("there is no text whose length could be adjusted for; add --input FILE, or name another column")
    return tuple(dict.fromkeys(extractor.adjust))


def _same_rows(evaluation: Evaluation, specs: Sequence[ListSpec], sizes: Sequence[int], i: int, j: int) -> bool:
    over = specs[i].scoring.over
    if over != specs[j].scoring.over:
        return False
    everything = over == "gold" or (over == "items" and sizes[i] == sizes[j] == evaluation.aligned.items)
    return i == j or everything


def _adjusters(counts: pl.DataFrame, names: Sequence[str]) -> tuple[Adjuster, ...]:
    """Return what the rows of a list are put into strata by; what is the same for all of them is left out."""
    adjusters = [_adjuster(counts.filter(pl.col("adjuster") == j), name) for j, name in enumerate(names)]
    return tuple(each for each in adjusters if np.count_nonzero(_by_code(counts, names, each)) > 1)


def _adjuster(values: pl.DataFrame, name: str) -> Adjuster:
    named = values.filter(pl.col("name").fill_null("") != NUMBER)
    if named.height:
        frequent = named.filter(pl.col("name").is_not_null(), pl.col("n") >= FEWEST).sort("name")
        if frequent.height > MOST_STRATA:
            raise UserError(f"{quoted(name)} has {frequent.height:,} different values; --adjust takes {MOST_STRATA}")
        return Adjuster(name, names=tuple(frequent["name"].to_list()))
    present = values.filter(pl.col("value") < MISSING).sort("value")
    return Adjuster(name, tuple(quantile_cuts(from_order(present["value"].to_numpy()), present["n"].to_numpy(), PARTS)))


def _by_code(counts: pl.DataFrame, names: Sequence[str], adjuster: Adjuster) -> Ints:
    """Return how many rows of a list have each code of an adjuster."""
    values = counts.filter(pl.col("adjuster") == names.index(adjuster.name))
    if adjuster.names is not None:
        code = adjuster.coded(values["name"])
    else:
        bits = values["value"].to_numpy()
        missing = bits == MISSING
        code = adjuster.coded(np.where(missing, np.nan, from_order(np.where(missing, 0, bits))))
    return np.bincount(code, values["n"].to_numpy(), minlength=adjuster.codes).astype(np.int64)


def _of_all(codes: pl.DataFrame, adjusters: Sequence[Adjuster], i: int) -> Ints:
    rows = codes.filter(pl.col("list") == i)
    size = int(np.prod([adjuster.codes for adjuster in adjusters], dtype=np.int64))
    return np.bincount(rows["code"].to_numpy(), rows["n"].to_numpy(), minlength=size).astype(np.int64)
