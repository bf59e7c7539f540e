"""Counts of strings as gold units, by label, and of their other occurrences, in test and training data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Ints
from slicewise.attributes import Facts
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.strings import unit_strings, with_strings
from slicewise.engine.local import aggregate
from slicewise.engine.protocols import TEXTS
from slicewise.evaluation import Evaluation

NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Strings:
    """String statistics over all parts, which kernels need."""

    corpus_facts: CorpusFacts | None = None
    gold: pl.DataFrame | None = None
    """How many gold units have a string and a label."""
    needs: frozenset[str] = frozenset()

    @classmethod
    def of(cls, evaluation: Evaluation, corpus_facts: CorpusFacts | None) -> Strings:
        """Count the strings of all parts."""
        if evaluation.task not in (Task.SPANS, Task.TOKENS) or not evaluation.aligned.has_words:
            return cls()
        corpus_facts = Facts.of(evaluation).corpus_facts if corpus_facts is None else corpus_facts
        needs = frozenset({TEXTS} if evaluation.aligned.tokens is None else ())
        return cls(with_strings(evaluation, corpus_facts), aggregate(evaluation, _GoldStrings(needs)), needs)


@dataclass(frozen=True)
class _GoldStrings:
    """Counts gold units by string and label."""

    needs: frozenset[str]
    by: tuple[str, ...] = ("string", "label")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        facts = Facts.of(part)
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
        self.gold_counts = np.zeros((2, len(self.label)), np.int64)
        known = [train_surface], [facts.train_labels if trained else NOTHING]
        if strings.gold is None:
            gold = facts.units.frame["gold"].to_numpy()
            known[0].append(self.surface[gold])
            known[1].append(self.label[gold])
        else:
            self.gold_counts = _gold_counts(facts, strings.gold)
        surface, label = (np.concatenate(part) for part in known)
        self.keys = np.sort(surface * (self.labels + 1) + np.where(label < 0, self.labels, label))

    def labelled(self, rows: Ints) -> Ints:
        """Return how often gold gives the string of each unit the unit's label."""
        key = self.surface[rows] * (self.labels + 1) + self.label[rows]
        return np.asarray(self.gold_counts[0, rows] + self._between(key, key + 1))

    def bare(self, rows: Ints) -> Ints:
        """Return how often the string of each unit occurs without being a gold unit."""
        first = self.surface[rows] * (self.labels + 1)
        gold = self.gold_counts[1, rows] + self._between(first, first + self.labels + 1)
        return np.asarray(np.maximum(self.standing[rows] - gold, 0))

    def _between(self, low: Ints, high: Ints) -> Ints:
        return np.asarray(np.searchsorted(self.keys, high) - np.searchsorted(self.keys, low))


def _gold_counts(facts: Facts, gold: pl.DataFrame) -> Ints:
    """Return for each unit how many gold units of all parts have its string and its label, and its string."""
    strings, place = unit_strings(facts)
    by_string = gold.group_by("string").agg(pl.col("n").sum())
    units = pl.DataFrame({"string": strings.gather(place), "label": facts.units.label})
    counts = [
        units.join(table, on=list(on), how="left", maintain_order="left")["n"].fill_null(0).to_numpy()
        for table, on in ((gold, ("string", "label")), (by_string, ("string",)))
    ]
    return np.array(counts, np.int64).reshape(2, len(units))
