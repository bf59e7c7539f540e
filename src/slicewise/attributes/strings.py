"""The strings of units over all partitions: their occurrences and gold labels.

A string is written with a space between its tokens; a space within a token is marked, so that no two sequences of
tokens are written alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from slicewise.arrays import Ints
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.facts import Facts, joined
from slicewise.attributes.sequences import Sequences
from slicewise.engine.local import TEXTS, aggregate, parts_of
from slicewise.evaluation import Evaluation

NO_TOKENS = "\\0"
"""The string of a unit without tokens."""


def with_strings(evaluation: Evaluation, corpus_facts: CorpusFacts) -> CorpusFacts:
    """Return the corpus facts with the strings of all parts; as they are where there is one part alone."""
    if corpus_facts.strings is not None or len(parts_of(evaluation).source) == 1:
        return corpus_facts
    return evaluation.memo((strings_of, corpus_facts), lambda: replace(corpus_facts, strings=strings_of(evaluation)))


def strings_of(evaluation: Evaluation) -> pl.DataFrame:
    """Return the strings that do not stand just once: how often, in how many gold units, with how many gold labels."""
    needs = frozenset({TEXTS} if evaluation.aligned.tokens is None else ())
    units = aggregate(evaluation, _OfUnits(needs))
    labels = (pl.col("gold") > 0).sum().cast(pl.Int64)
    strings = units.group_by("string").agg(pl.col("gold").sum(), labels.alias("labels"))
    standing = aggregate(evaluation, _Standing(strings["string"], needs)).rename({"n": "occurrences"})
    strings = strings.join(standing, on="string", how="left").with_columns(pl.col("occurrences").fill_null(0))
    return strings.filter((pl.col("occurrences") != 1) | (pl.col("gold") > 1)).sort("string")


@dataclass(frozen=True)
class _OfUnits:
    """Kernel: gold units by string and label; of strings that only systems have, there are none."""

    needs: frozenset[str]
    by: tuple[str, ...] = ("string", "label")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        facts = Facts.of(part)
        strings, place = unit_strings(facts)
        labels = max(1, len(part.aligned.labels))
        key, where = np.unique(place * labels + facts.units.label, return_inverse=True)
        gold = np.bincount(where, facts.units.frame["gold"].to_numpy(), minlength=len(key)).astype(np.int64)
        return pl.DataFrame({"string": strings.gather(key // labels), "label": key % labels, "gold": gold})


@dataclass(frozen=True, eq=False)
class _Standing:
    """Kernel: how often each string occurs, as a unit or not."""

    strings: pl.Series
    needs: frozenset[str]
    by: tuple[str, ...] = ("string",)

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        corpus = Facts.of(part).required_corpus
        split = self.strings.str.split(" ")
        length = split.list.len().to_numpy().astype(np.int64)
        tokens = pl.concat([split.explode().alias(""), _written(part, corpus.tokens).alias("")])
        codes = tokens.cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
        size = int(length.sum())
        sequences = Sequences.of(codes, np.cumsum(length) - length, length, int(codes.max(initial=-1)) + 1)
        counts = sequences.occurrences(codes[size:], corpus.item)[sequences.numbers]
        present = np.flatnonzero(counts)
        return pl.DataFrame({"string": self.strings.gather(present), "n": counts[present]})


def unit_strings(facts: Facts) -> tuple[pl.Series, Ints]:
    """Return the different strings of units, and the place of each unit's among them."""
    _, example, place = np.unique(facts.surface, return_index=True, return_inverse=True)
    first, length = (part[example] for part in facts.unit_ranges)
    tokens = partial(_written, facts.evaluation)
    return joined(facts.required_corpus.tokens, first, length, tokens).fill_null(NO_TOKENS), place


def _written(part: Evaluation, tokens: pl.Series) -> pl.Series:
    folded = tokens.str.to_lowercase() if part.options.lower else tokens
    return folded.str.replace_all("\\", "\\\\", literal=True).str.replace_all(" ", "\\_", literal=True)


def known_of(facts: Facts, strings: pl.DataFrame, column: str) -> Ints:
    """Return a global count of each unit's string; 1 where it occurs once."""
    distinct, place = unit_strings(facts)
    known = pl.DataFrame({"string": distinct}).join(strings, on="string", how="left", maintain_order="left")[column]
    return known.fill_null(1).to_numpy()[place]
