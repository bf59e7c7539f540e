"""The performance table T: the measure of every run in every bucket, and how the buckets of data sets line up."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from slicewise.arrays import Array
from slicewise.evaluation import Evaluation
from slicewise.lenses.buckets import AttributeResult, BucketsResult
from slicewise.lenses.study.bucket_cells import BucketCells
from slicewise.stats.ratio import ratio

DECIMALS = 14
"""Of a mean: finer than any real difference, coarser than rounding."""


@dataclass(frozen=True, eq=False)
class DatasetPerformance:
    """One data set: its breakdown, and the runs of each system."""

    name: str
    result: BucketsResult
    runs: dict[str, tuple[str, ...]]
    labels: frozenset[str]
    cells: dict[str, BucketCells] = field(default_factory=dict)
    """Of each attribute, where diagnoses are tested over data sets; runs in the order of `runs`."""

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        result: BucketsResult,
        runs: dict[str, tuple[str, ...]],
        cells: dict[str, BucketCells],
    ) -> DatasetPerformance:
        """Return the data set with some runs of each system."""
        labels: frozenset[str] = frozenset()
        if evaluation.task.has_units:
            gold = evaluation.units["label"].filter(evaluation.units["gold"])
            labels = frozenset(str(label) for label in gold.unique())
        return cls(evaluation.name, result, runs, labels, cells)

    def scores(self, system: str, attribute: str) -> Array:
        """Return the measure of each run of a system in each slot, `(runs, slots)`."""
        buckets = self.result.attributes[attribute].buckets
        rows = [[self.result.value(bucket.systems[run]) for bucket in buckets] for run in self.runs[system]]
        return np.array([[np.nan if v is None else v for v in row] for row in rows], np.float64)

    def places(self, system: str) -> tuple[int, ...]:
        """Return where the runs of a system stand in `cells`."""
        order = [run for runs in self.runs.values() for run in runs]
        return tuple(order.index(run) for run in self.runs[system])

    def names(self, attribute: str) -> list[str]:
        """Return the names of the slots."""
        return [bucket.name for bucket in self.result.attributes[attribute].buckets]


@dataclass(frozen=True, eq=False)
class Table:
    """The performance table T of all data sets."""

    parts: tuple[DatasetPerformance, ...]

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets' names."""
        return tuple(part.name for part in self.parts)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of any data set."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.runs))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of any data set that are of the same kind on all that have them."""
        return tuple(name for name, kinds in self._kinds().items() if len(kinds) == 1)

    @property
    def unlike(self) -> tuple[str, ...]:
        """Attributes that are numbers on one data set and categories on another: their buckets do not line up."""
        return tuple(name for name, kinds in self._kinds().items() if len(kinds) > 1)

    def _kinds(self) -> dict[str, set[str]]:
        kinds: dict[str, set[str]] = {}
        for part in self.parts:
            for name, attribute in part.result.attributes.items():
                kinds.setdefault(name, set()).add(attribute.kind)
        return kinds

    def attribute(self, name: str) -> AttributeResult:
        """Return an attribute on the first data set that has it."""
        return next(p.result.attributes[name] for p in self.parts if name in p.result.attributes)

    def having(self, system: str, attribute: str) -> list[DatasetPerformance]:
        """Return the data sets that have both a system and an attribute."""
        return [part for part in self.parts if system in part.runs and attribute in part.result.attributes]

    def treatments(self, attribute: str) -> list[str]:
        """Return what lines up over data sets: the slots by their place, or the categories by their name."""
        parts = [part for part in self.parts if attribute in part.result.attributes]
        if self.attribute(attribute).ordered:
            names_of_parts = [[name for name in part.names(attribute) if name != "missing"] for part in parts]
            longest = max(names_of_parts, key=len)
            same = all(names == longest[: len(names)] for names in names_of_parts)
            return longest if same else [f"{place}/{len(longest)}" for place in range(1, len(longest) + 1)]
        return list(dict.fromkeys(name for part in parts for name in part.names(attribute)))

    def lined_up(self, part: DatasetPerformance, attribute: str, scores: Array) -> Array:
        """Return scores `(..., slots)` of a data set under the treatments of all, NaN where it has none."""
        treatments = self.treatments(attribute)
        names = part.names(attribute)
        result = np.full((*scores.shape[:-1], len(treatments)), np.nan)
        for place, name in enumerate(names):
            if self.attribute(attribute).ordered:
                if name != "missing" and place < len(treatments):
                    result[..., place] = scores[..., place]
            elif name in treatments:
                result[..., treatments.index(name)] = scores[..., place]
        return result

    def treatment(self, part: DatasetPerformance, attribute: str, place: int) -> str:
        """Return under what name a slot of a data set lines up with those of the others."""
        name = part.names(attribute)[place]
        ordered = self.attribute(attribute).ordered and name != "missing"
        return self.treatments(attribute)[place] if ordered else name

    def averaged(self, part: DatasetPerformance, system: str, attribute: str) -> Array:
        """Return T[system, attribute, :] on a data set: the measure averaged over restarts."""
        return mean_of(part.scores(system, attribute))


def mean_of(rows: Array, axis: int = 0) -> Array:
    """Return the mean of defined values, NaN where none is, rounded so that equal means are equal."""
    known = ~np.isnan(rows)
    count = known.sum(axis=axis)
    total = np.where(known, rows, 0.0).sum(axis=axis)
    return np.asarray(np.round(ratio(total, count), DECIMALS))


def blocks_of(part: DatasetPerformance, system: str, attribute: str, *, blocks: bool) -> Array:
    """Return a system's blocks on a data set: one, its restarts averaged, or one per restart."""
    scores = part.scores(system, attribute)
    return scores if blocks else mean_of(scores)[None]


def zeta_of(part: DatasetPerformance, attribute: str) -> float | None:
    """Return the mean of an attribute over a data set's gold units."""
    breakdown = part.result.attributes.get(attribute)
    return None if breakdown is None else breakdown.zeta
