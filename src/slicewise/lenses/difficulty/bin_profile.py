"""What is in each bin: shares of what can be seen in the units, their attributes, and some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from slicewise.arrays import Array, Ints
from slicewise.attributes import Attribute
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.strings import with_strings
from slicewise.engine.local import aggregate
from slicewise.evaluation import Evaluation
from slicewise.lenses.difficulty.bin_contents import (
    BELOW,
    DIFFERENT,
    KNOWN,
    MANY,
    MOST_VALUES,
    SHARE,
    SLOT,
    SUM,
    VALUE,
    Contents,
    has_only_scores,
    has_token_spans,
)
from slicewise.lenses.difficulty.result import AttributeProfile, BinProfile
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts
from slicewise.lenses.outcomes.outcomes import GOLD
from slicewise.lenses.slicing.breakdown import Plan, Sliced, share_measure
from slicewise.lenses.slicing.bucketed import BucketScheme
from slicewise.lenses.slicing.common_attributes import common_attributes
from slicewise.metrics.counts import PROPORTIONS
from slicewise.results.base import defined
from slicewise.stats.exact import from_limbs
from slicewise.stats.ratio import ratio

SHARES = (
    "characters_per_token", "punctuation", "digits", "single_character", "abbreviation", "hapax_gold", "hapax_test",
    "ambiguous", "multi_token",
)  # fmt: skip


@dataclass(frozen=True)
class Profiles:
    """What is in each bin of gold units (or items)."""

    bins: dict[int, BinProfile]
    attributes: tuple[Attribute, ...]
    """The attributes of the profile."""
    corpus_facts: CorpusFacts | None
    """Statistics over all parts, for reuse."""


def profiles(evaluation: Evaluation, outcomes: OutcomeCounts, plan: Plan) -> Profiles:
    """Describe the bins; the examples are filled in by the caller."""
    size = len(outcomes.systems) + 1
    sliced = _sliced(evaluation, plan)
    schemes = () if sliced is None else tuple(sliced.scheme(attribute) for attribute in common_attributes(sliced))
    table, corpus_facts = None, None
    if sliced is not None:
        bucketer = sliced.bucketer
        if has_token_spans(sliced.evaluation):
            bucketer = replace(bucketer, corpus_facts=with_strings(sliced.evaluation, bucketer.corpus_facts))
        corpus_facts = bucketer.corpus_facts
        aligned = sliced.evaluation.aligned
        words = aligned.has_words and aligned.tokens is None
        table = _Table(aggregate(sliced.evaluation, Contents(outcomes.reader, bucketer, schemes, words)), size)
    attributes = {} if table is None else {scheme.attributes[0].name: table.attribute(scheme) for scheme in schemes}
    shares = {} if table is None else table.shares()
    columns = {} if table is None else table.columns(list(evaluation.aligned.token_columns))
    totals = outcomes.bins(GOLD).totals
    bins = {
        n: BinProfile(
            n=int(totals[n]),
            shares={name: defined(float(values[n])) for name, values in shares.items()},
            attributes={name: of[n] for name, of in attributes.items()},
            columns={name: of[n] for name, of in columns.items()},
            examples=(),
        )
        for n in range(size)
    }
    return Profiles(bins, tuple(scheme.attributes[0] for scheme in schemes), corpus_facts)


def _sliced(evaluation: Evaluation, plan: Plan) -> Sliced | None:
    """Return the attributes; None where the data has none and none is requested."""
    from slicewise.attributes import Facts, choose

    if not plan.attributes and (has_only_scores(evaluation) or not choose(Facts.of(evaluation), ())[0]):
        return None
    return Sliced(evaluation, plan, share_measure("f1", PROPORTIONS["f1"]))


@dataclass(frozen=True, eq=False)
class _Table:
    """What was counted in the bins."""

    rows: pl.DataFrame
    size: int

    def _of(self, what: int, name: str) -> pl.DataFrame:
        return self.rows.filter((self.rows["what"] == what) & (self.rows["name"] == name))

    def _by_bin(self, what: int, name: str) -> Ints:
        rows = self._of(what, name)
        return np.bincount(rows["bin"].to_numpy(), rows["n"].to_numpy(), minlength=self.size).astype(np.int64)

    def attribute(self, scheme: BucketScheme) -> list[AttributeProfile]:
        """Return an attribute's mean and buckets in each bin."""
        name, slots = scheme.attributes[0].name, scheme.buckets[0].slots
        rows = self._of(SLOT, name)
        table = np.zeros((self.size, len(slots)), np.int64)
        table[rows["bin"].to_numpy(), rows["value"].cast(pl.Int64).to_numpy()] = rows["n"].to_numpy()
        means = self._means(name)
        return [
            AttributeProfile(
                mean=defined(float(means[n])),
                buckets={slot.name: int(k) for slot, k in zip(slots, table[n], strict=True)},
            )
            for n in range(self.size)
        ]

    def _means(self, name: str) -> Array:
        sums_of = self._of(SUM, name)
        limbs = {0: np.zeros(self.size, np.int64)}
        for (place,), rows in sums_of.group_by("limb"):
            limbs[int(str(place))] = sums = np.zeros(self.size, np.int64)
            sums[rows["bin"].to_numpy()] = rows["n"].to_numpy()
        return ratio(from_limbs(limbs), self._by_bin(KNOWN, name))

    def shares(self) -> dict[str, Array]:
        """Return every share in every bin."""
        names = self.rows.filter(self.rows["what"] == SHARE)["name"].unique().to_list()
        return {name: ratio(self._by_bin(SHARE, name), self._by_bin(BELOW, name)) for name in SHARES if name in names}

    def columns(self, names: list[str]) -> dict[str, list[dict[str, int]]]:
        """Return how often each value of the tokens' columns occurs in each bin, for columns with few values."""
        by_column = {}
        for name in names:
            different = self._of(DIFFERENT, name).height
            if not different or different > MOST_VALUES or self._of(MANY, name).height:
                continue
            rows = self._of(VALUE, name).sort(["n", "value"], descending=[True, False])
            counted = list(rows.select("bin", "value", "n").iter_rows())
            by_column[name] = [{value: n for b, value, n in counted if b == at} for at in range(self.size)]
        return by_column
