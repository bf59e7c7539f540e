"""How often strings are gold units, with which labels, and how often they are not, in test and training data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes import Facts
from slicewise.attributes.strings import strings_of, unit_strings
from slicewise.engine.gather import summed
from slicewise.parts import TEXTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.attributes.told import Told
    from slicewise.evaluation import Evaluation

    Index = NDArray[np.int64]

NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Strings:
    """What parts are told of strings; of data in memory nothing, which sees for itself."""

    told: Told | None = None
    gold: pl.DataFrame | None = None
    """How many gold units have a string and a label."""
    needs: frozenset[str] = frozenset()

    @classmethod
    def of(cls, evaluation: Evaluation, told: Told | None) -> Strings:
        """Count the strings of all parts."""
        if evaluation.parts is None or evaluation.task not in (Task.SPANS, Task.TOKENS):
            return cls()
        told = Facts(evaluation).told if told is None else told
        needs = frozenset({TEXTS} if evaluation.aligned.tokens is None else ())
        if not evaluation.aligned.has_words:
            return cls()
        known = strings_of(evaluation) if told.strings is None else told.strings
        return cls(replace(told, strings=known), summed(evaluation, _GoldStrings(needs)), needs)


@dataclass(frozen=True)
class _GoldStrings:
    """Counts gold units by string and label."""

    needs: frozenset[str]
    by: tuple[str, ...] = ("string", "label")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        facts = Facts(part)
        strings, place = unit_strings(facts)
        gold = facts.units.frame["gold"].to_numpy()
        rows = pl.DataFrame({"string": strings.gather(place[gold]), "label": facts.units.label[gold]})
        return rows.group_by("string", "label").len("n").cast({"n": pl.Int64})


class StringCounts:
    """How often the strings of a part's units are gold units, and how often they are not."""

    def __init__(self, facts: Facts, strings: Strings) -> None:
        trained = facts.has_train_strings
        self.labels = max(1, len(facts.evaluation.aligned.labels))
        self.label = facts.units.label
        train_surface = NOTHING
        if facts.task is Task.TOKENS:  # whose strings are single tokens
            self.surface = facts.token[facts.unit_ranges[0]]
            if trained:
                train_surface = facts.train_token[facts.train_ranges[0]]
            standing = facts.train_counts[self.surface] if trained else 0
        else:
            self.surface = facts.surface
            if trained:
                train_surface = facts.train_surface
            standing = facts.occurrences if trained else 0
        self.standing = np.asarray(facts.test_occurrences + standing)
        self.told = np.zeros((2, len(self.label)), np.int64)
        known = [train_surface], [facts.train_labels if trained else NOTHING]
        if strings.gold is None:
            gold = facts.units.frame["gold"].to_numpy()
            known[0].append(self.surface[gold])
            known[1].append(self.label[gold])
        else:
            self.told = _told(facts, strings.gold)
        surface, label = (np.concatenate(part) for part in known)
        self.keys = np.sort(surface * (self.labels + 1) + np.where(label < 0, self.labels, label))

    def labelled(self, rows: Index) -> Index:
        """Return how often gold gives the string of each unit the unit's label."""
        key = self.surface[rows] * (self.labels + 1) + self.label[rows]
        return np.asarray(self.told[0, rows] + self._between(key, key + 1))

    def bare(self, rows: Index) -> Index:
        """Return how often the string of each unit stands where gold has no such unit."""
        first = self.surface[rows] * (self.labels + 1)
        gold = self.told[1, rows] + self._between(first, first + self.labels + 1)
        return np.asarray(np.maximum(self.standing[rows] - gold, 0))

    def _between(self, low: Index, high: Index) -> Index:
        return np.asarray(np.searchsorted(self.keys, high) - np.searchsorted(self.keys, low))


def _told(facts: Facts, gold: pl.DataFrame) -> Index:
    """Return for each unit how many gold units of all parts have its string and its label, and its string."""
    strings, place = unit_strings(facts)
    every = gold.group_by("string").agg(pl.col("n").sum())
    units = pl.DataFrame({"string": strings.gather(place), "label": facts.units.label})
    found = [
        units.join(table, on=list(on), how="left", maintain_order="left")["n"].fill_null(0).to_numpy()
        for table, on in ((gold, ("string", "label")), (every, ("string",)))
    ]
    return np.array(found, np.int64).reshape(2, len(units))
