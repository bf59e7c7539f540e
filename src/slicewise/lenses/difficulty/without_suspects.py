"""The scores of all systems without suspect units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Array, Ints, Mask
from slicewise.engine.cells import exact_sums, item_statistics
from slicewise.engine.local import added
from slicewise.evaluation import Evaluation
from slicewise.lenses.difficulty.result import SetAside
from slicewise.lenses.difficulty.suspect_search import KINDS, NOBODY, UNFOUND, Search
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts
from slicewise.lenses.outcomes.outcomes import AT_ONCE, Outcomes
from slicewise.metrics.counts import f_beta
from slicewise.metrics.metric import Metric
from slicewise.results.base import defined
from slicewise.stats.canonical import is_whole
from slicewise.stats.exact import from_limbs

ASIDE: dict[str, tuple[int, ...]] = {
    "none": (),
    **{kind: (code,) for code, kind in enumerate(KINDS) if code != UNFOUND},
    "contradicted": tuple(code for code in range(len(KINDS)) if code != UNFOUND),
    KINDS[UNFOUND]: (UNFOUND,),
    "all": tuple(range(len(KINDS))),
}
"""What is set aside, and which kinds of suspects that is."""
EXACT = 2.0**53
"""Sums of whole numbers up to here need no limbs."""


@dataclass(frozen=True, eq=False)
class Aside:
    """What systems score with nothing, and with each of the kinds of suspects, set aside."""

    systems: tuple[str, ...]
    metric: Metric | None
    sizes: tuple[int, ...]
    """The number of suspects of each kind."""
    values: dict[str, list[float]]

    def scores(self) -> tuple[SetAside, ...]:
        """Return the scores without each kind of suspect that occurs, and without several kinds together."""
        contradicted = sum(self.sizes[code] > 0 for code in ASIDE["contradicted"])
        shown = {"none": True, "contradicted": contradicted > 1}
        shown["all"] = bool(contradicted and self.sizes[UNFOUND])
        return tuple(
            self._without(name)
            for name, codes in ASIDE.items()
            if shown.get(name, self.sizes[codes[0]] > 0 if codes else False)
        )

    def _without(self, name: str) -> SetAside:
        scores = self.values[name]
        sign = 1 if self.metric is None or self.metric.greater_is_better else -1
        order = sorted(
            range(len(scores)), key=lambda i: (np.isnan(scores[i]), -sign * np.nan_to_num(scores[i]), self.systems[i])
        )
        return SetAside(
            kind=name,
            suspects=sum(self.sizes[code] for code in ASIDE[name]),
            scores={system: defined(value) for system, value in zip(self.systems, scores, strict=True)},
            ranking=tuple(self.systems[i] for i in order),
        )


def read_aside(outcomes: OutcomeCounts, table: pl.DataFrame) -> Aside:
    """Return what systems score, from what was summed."""
    systems, metric = outcomes.systems, outcomes.metric
    sizes = tuple(int(table["n"].filter(table["set"] == -1 - code).sum()) for code in range(len(KINDS)))
    columns = [name for name in table.columns if name not in ("set", "limb", "n")]
    finish = f_beta if metric is None else metric.finish
    values = {}
    for i, name in enumerate(ASIDE):
        rows = table.filter(table["set"] == i)
        limbs = dict(zip(rows["limb"].to_list(), rows.select(columns).to_numpy(), strict=True))
        sums = from_limbs({0: np.zeros(len(columns), np.int64)} | limbs)
        values[name] = [float(finish(of)) for of in sums.reshape(len(systems), -1)]
    return Aside(systems, metric, sizes, values)


@dataclass(frozen=True)
class AsideSums:
    """Kernel: sums the statistics of each system without the suspects."""

    search: Search
    metric: Metric | None
    by: tuple[str, ...] = ("set", "limb")

    @property
    def needs(self) -> frozenset[str]:
        """What the search needs."""
        return self.search.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part, and beside no set how many suspects of each kind it has."""
        kinds = self.search(part)["kind"].to_numpy()
        sizes = pl.DataFrame({"set": -1 - np.arange(len(KINDS)), "n": np.bincount(kinds, minlength=len(KINDS))})
        tables = self._unit_sums(part) if self.metric is None else self._item_sums(part, self.metric)
        sums = pl.concat([*tables, sizes.cast(pl.Int64)], how="diagonal").fill_null(0)
        return sums.select("set", "limb", pl.exclude("set", "limb"))

    def _unit_sums(self, part: Evaluation) -> list[pl.DataFrame]:
        """Return each system's true positives, units and gold units, without those that are set aside."""
        outcomes = self.search.reader(part)
        totals = _counts(outcomes)
        names = [f"{i}:{j}" for i in range(len(outcomes.systems)) for j in range(3)]
        rows = [totals - _counts(outcomes.where(self._dropped(part, codes))) for codes in ASIDE.values()]
        table = pl.DataFrame(np.array(rows, np.int64), names, orient="row")
        return [table.with_columns(set=pl.Series(np.arange(len(ASIDE))), limb=pl.lit(0, pl.Int64))]

    def _dropped(self, part: Evaluation, codes: tuple[int, ...]) -> Ints:
        """Return the units that go with some kinds of suspects; in `labels`, an item goes with all its labels."""
        suspects, outcomes = self.search(part), self.search.reader(part)
        chosen = suspects.filter(suspects["kind"].is_in(list(codes)))
        rows = np.unique(np.concatenate([chosen[side].to_numpy() for side in ("gold", "returned")]))
        rows = rows[rows != NOBODY]
        return np.flatnonzero(np.isin(outcomes.item, outcomes.item[rows])) if part.task is Task.LABELS else rows

    def _item_sums(self, part: Evaluation, metric: Metric) -> list[pl.DataFrame]:
        """Return the statistics of scored items, none of which is contradicted, without those that nobody finds."""
        suspects = self.search(part)
        unfound = np.zeros(part.aligned.items, np.bool_)
        unfound[suspects["gold"].to_numpy()] = True
        tables = _statistics(part, metric, self.search.reader.systems, unfound)
        sums = added(list(tables), ("group", "limb"))
        kept = sums.filter(sums["group"] == 0)
        return [
            (kept if UNFOUND in codes else sums).drop("group").with_columns(set=pl.lit(i, pl.Int64))
            for i, codes in enumerate(ASIDE.values())
        ]


def _counts(outcomes: Outcomes) -> Ints:
    """Return (tp, n_pred, n_gold) of each system, one after the other."""
    n_gold = np.count_nonzero(outcomes.gold)
    counts = [
        (np.count_nonzero(returned & outcomes.gold), np.count_nonzero(returned), n_gold) for returned in outcomes.has
    ]
    return np.array(counts, np.int64).reshape(-1)


def _statistics(part: Evaluation, metric: Metric, systems: Sequence[str], aside: Mask) -> Iterator[pl.DataFrame]:
    """Yield the sums of what each system is scored by, of items that are set aside and of the others, in limbs."""
    for start in range(0, max(1, part.aligned.items), AT_ONCE):
        rows = slice(start, min(start + AT_ONCE, part.aligned.items))
        block, sides = part.between(rows.start, rows.stop), np.array([~aside[rows], aside[rows]], np.float64)
        sums: list[Array] = []
        others: dict[str, Array] = {}
        for i, name in enumerate(systems):
            statistics = metric.reduce(np.column_stack(list(item_statistics(block, metric, [name]).values())))
            if not _is_exact(statistics):
                others |= {f"{i}:{j}": statistics[:, j] for j in range(statistics.shape[1])}
                statistics = np.zeros(statistics.shape)
            sums.append(sides @ statistics)
        names = [f"{i}:{j}" for i, columns in enumerate(sums) for j in range(columns.shape[1])]
        whole = pl.DataFrame(np.column_stack(sums).astype(np.int64), names, orient="row")
        yield whole.with_columns(group=pl.Series([0, 1]), limb=pl.Series([0, 0])).select("group", "limb", *names)
        if others:
            exact = exact_sums(others, aside[rows].astype(np.uint32))
            nothing = [pl.lit(0, pl.Int64).alias(name) for name in names if name not in others]
            yield exact.with_columns(nothing).select("group", "limb", *names)


def _is_exact(values: Array) -> bool:
    """Return whether sums of the values are exact in floating point: whole numbers, not too large."""
    return is_whole(values) and np.abs(values).max(initial=0.0) * len(values) < EXACT
