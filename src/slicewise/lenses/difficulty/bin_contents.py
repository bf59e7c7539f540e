"""What is counted of the units in each bin: their attributes, what can be seen in their strings and in their tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Ints, Mask
from slicewise.attributes import Facts
from slicewise.attributes.facts import expanded
from slicewise.attributes.surface import abbreviation
from slicewise.engine.cells import exact_sums
from slicewise.engine.protocols import TEXTS
from slicewise.evaluation import Evaluation
from slicewise.lenses.outcomes.bucket_patterns import bucketed_outcomes
from slicewise.lenses.outcomes.outcomes import OutcomeReader
from slicewise.lenses.slicing.bucketed import BucketedUnits, Bucketer, BucketScheme

LARGEST = 1e290
"""Larger values have no mean: their sum overflows."""
MOST_VALUES = 50
"""A column of tokens with more different values is not shown one by one."""
PUNCTUATION = r"^[\p{P}\p{S}]+$"
NUMBER = r"^[^\p{L}]*\p{Nd}[^\p{L}]*$"
SLOT, SUM, KNOWN, SHARE, BELOW, VALUE, DIFFERENT, MANY = range(8)
"""What a row counts: units in a bucket; the sum of values, limb by limb, and how many there are; units or tokens with
something, and all of them; tokens with a value; values of a column, and whether they are many."""
EVERYWHERE = -1
"""The bin of counts over all bins."""
SCHEMA = {"what": pl.Int64, "name": pl.String, "value": pl.String, "bin": pl.Int64, "limb": pl.Int64, "n": pl.Int64}


def has_only_scores(evaluation: Evaluation) -> bool:
    """Return whether items have nothing but scores."""
    a = evaluation.aligned
    return a.task is Task.SCORES and not (a.fields.width or a.metadata.width or a.confidences or a.tokens is not None)


def has_token_spans(evaluation: Evaluation) -> bool:
    """Return whether units are spans of tokens."""
    return evaluation.task in (Task.SPANS, Task.TOKENS) and evaluation.aligned.has_words


@dataclass(frozen=True, eq=False)
class Contents:
    """Counts what is in each bin of gold units, or items."""

    reader: OutcomeReader
    bucketer: Bucketer
    schemes: tuple[BucketScheme, ...]
    words: bool
    by: tuple[str, ...] = ("what", "name", "value", "bin", "limb")

    @property
    def needs(self) -> frozenset[str]:
        """What outcomes, attributes and words need."""
        return self.reader.needs | self.bucketer.needs | ({TEXTS} if self.words else set())

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        bucketed, outcomes = self.bucketer(part), self.reader(part)
        gold = np.flatnonzero(outcomes.gold)
        tables = [pl.DataFrame(schema=SCHEMA)]
        for scheme in self.schemes:
            tables += self._attribute(part, bucketed, scheme)
        seen = _TokenFeatures(bucketed.facts, gold, outcomes.bins[gold], len(self.reader.systems) + 1)
        tables += [*seen.shares(), *seen.columns()]
        return pl.concat(tables)

    def _attribute(self, part: Evaluation, bucketed: BucketedUnits, scheme: BucketScheme) -> Iterator[pl.DataFrame]:
        """Yield an attribute's buckets, and the sums of its values, in each bin."""
        attribute, slots = scheme.attributes[0], scheme.size
        outcomes = bucketed_outcomes(part, self.reader, bucketed, scheme)
        bins, codes = outcomes.bins[outcomes.gold], bucketed.slots(scheme)[0][outcomes.gold]
        key, n = np.unique(bins * slots + codes, return_counts=True)
        yield _rows(SLOT, attribute.name, key // slots, n, values=pl.Series(key % slots).cast(pl.String))
        coded = bucketed.coded(attribute)[0]
        if not coded.values.dtype.is_numeric():
            return
        numbers = np.append(coded.values.cast(pl.Float64).to_numpy(), np.nan)[coded.codes[outcomes.gold]]
        known = np.isfinite(numbers) & (np.abs(numbers) < LARGEST)
        sums = exact_sums({"value": numbers[known]}, bins[known].astype(np.uint32))
        yield _rows(SUM, attribute.name, sums["group"], sums["value"], limbs=sums["limb"])
        at, n = np.unique(bins[known], return_counts=True)
        yield _rows(KNOWN, attribute.name, at, n)


def _rows(
    what: int,
    name: str,
    bins: pl.Series | Ints,
    n: pl.Series | Ints,
    *,
    values: pl.Series | None = None,
    limbs: pl.Series | None = None,
) -> pl.DataFrame:
    """Return rows of the table."""
    rows = pl.DataFrame({"bin": bins, "n": n}).cast(pl.Int64)
    value = pl.lit("") if values is None else values.alias("value")
    limb = pl.lit(0, pl.Int64) if limbs is None else limbs
    return rows.with_columns(
        what=pl.lit(what, pl.Int64), name=pl.lit(name), value=value, limb=limb
    ).select(*SCHEMA)  # fmt: skip


@dataclass(frozen=True, eq=False)
class _TokenFeatures:
    """Features of the strings of units and of their tokens."""

    facts: Facts
    gold: Ints
    bins: Ints
    size: int

    @cached_property
    def _tokens(self) -> tuple[Ints, Ints]:
        """The bin and the position of each token of gold units; of whole items, of each of their tokens."""
        corpus = self.facts.corpus
        if corpus is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        if has_token_spans(self.facts.evaluation):
            first, length = (part[self.gold] for part in self.facts.unit_ranges)
        else:
            item = self.gold if not self.facts.task.has_units else self.facts.units.item[self.gold]
            first, length = corpus.offsets[item], np.diff(corpus.offsets)[item]
        row, position = expanded(first, length)
        return self.bins[row], position

    def shares(self) -> Iterator[pl.DataFrame]:
        """Yield the numerators and denominators of all shares in every bin."""
        corpus = self.facts.corpus
        if corpus is None:
            return
        bins, position = self._tokens
        tokens = corpus.tokens.gather(position)
        characters = tokens.str.len_chars()
        yield from self._share("characters_per_token", bins, characters)
        yield from self._share("punctuation", bins, tokens.str.contains(PUNCTUATION))
        yield from self._share("digits", bins, tokens.str.contains(NUMBER))
        yield from self._share("single_character", bins, characters == 1)
        if has_token_spans(self.facts.evaluation):
            yield from self._of_strings()

    def _of_strings(self) -> Iterator[pl.DataFrame]:
        facts, gold = self.facts, self.gold
        among, standing = facts.gold_mentions[gold], facts.test_occurrences[gold]
        yield from self._share("abbreviation", self.bins, abbreviation(facts.surface_text.gather(gold)))
        yield from self._share("hapax_gold", self.bins, among == 1)
        yield from self._share("hapax_test", self.bins, standing == 1)
        yield from self._share("ambiguous", self.bins, (facts.gold_labels[gold] > 1) | (standing > among))
        yield from self._share("multi_token", self.bins, facts.unit_ranges[1][gold] > 1)

    def _share(self, name: str, bins: Ints, flags: pl.Series | Mask) -> Iterator[pl.DataFrame]:
        bins_of_all = np.arange(self.size)
        above = np.bincount(bins, np.asarray(flags, np.float64), minlength=self.size)
        yield _rows(SHARE, name, bins_of_all, above.astype(np.int64))
        yield _rows(BELOW, name, bins_of_all, np.bincount(bins, minlength=self.size))

    def columns(self) -> Iterator[pl.DataFrame]:
        """Yield how often each value of the tokens' columns occurs in each bin, and which values there are."""
        if not has_token_spans(self.facts.evaluation):
            return
        bins, position = self._tokens
        nowhere = np.array([EVERYWHERE])
        for name, column in self.facts.evaluation.aligned.token_columns.items():
            different = column.unique().cast(pl.String)
            if len(different) > MOST_VALUES:
                yield _rows(MANY, name, nowhere, np.array([1]))
                continue
            value = pl.when(different.is_null()).then(pl.lit("")).otherwise("=" + different)
            names = different.to_frame("value").select(value.alias("value")).to_series()
            places = np.full(len(names), EVERYWHERE)
            yield _rows(DIFFERENT, name, places, np.ones(len(names), np.int64), values=names)
            counted = pl.DataFrame({"bin": bins, "value": column.gather(position).cast(pl.String).fill_null("")})
            counts = counted.group_by("bin", "value").len("n")
            yield _rows(VALUE, name, counts["bin"], counts["n"], values=counts["value"])
