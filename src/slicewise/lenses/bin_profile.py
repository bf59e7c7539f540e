"""What is in each bin: shares of what can be seen in the units, their attributes, and some of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.facts import expanded
from slicewise.attributes.surface import abbreviation
from slicewise.lenses.breakdown import LARGEST, Measure, Plan, Sliced
from slicewise.lenses.common_attributes import common_attributes
from slicewise.lenses.mentions import mentions, spread_out
from slicewise.lenses.outcomes import unit_outcomes
from slicewise.metrics.counts import f_beta
from slicewise.results.base import defined
from slicewise.results.difficulty import AttributeProfile, BinProfile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.attributes import Attribute, Facts
    from slicewise.evaluation import Evaluation
    from slicewise.lenses.breakdown import Described
    from slicewise.lenses.outcomes import Outcomes

    Array = NDArray[np.float64]
    Bits = NDArray[np.bool_]
    Index = NDArray[np.int64]

EXAMPLES = 5
MOST_VALUES = 50
"""A column of tokens with more different values is not shown one by one."""
PUNCTUATION = r"^[\p{P}\p{S}]+$"
NUMBER = r"^[^\p{L}]*\p{Nd}[^\p{L}]*$"


def profiles(evaluation: Evaluation, outcomes: Outcomes, plan: Plan) -> tuple[dict[int, BinProfile], list[Attribute]]:
    """Return what is in each bin of gold units (or items), and the attributes that were looked at."""
    size = len(outcomes.systems) + 1
    gold = np.flatnonzero(outcomes.gold)
    bins = outcomes.bins[gold]
    sliced = _sliced(evaluation, plan)
    described = [] if sliced is None else common_attributes(sliced)
    attributes = {} if sliced is None else {o.attribute.name: _attribute(sliced, o, outcomes, size) for o in described}
    seen = None if sliced is None else _Seen(sliced.facts, gold, bins, size)
    shares = {} if seen is None else seen.shares()
    columns = {} if seen is None else seen.columns()
    totals = np.bincount(bins, minlength=size)
    found = {
        n: BinProfile(
            n=int(totals[n]),
            shares={name: defined(float(values[n])) for name, values in shares.items()},
            attributes={name: of[n] for name, of in attributes.items()},
            columns={name: of[n] for name, of in columns.items()},
            examples=tuple(mentions(evaluation, outcomes, spread_out(gold[bins == n], EXAMPLES))),
        )
        for n in range(size)
    }
    return found, [one.attribute for one in described]


def _sliced(evaluation: Evaluation, plan: Plan) -> Sliced | None:
    """Return the attributes; None where the data has none, and none was asked for."""
    from slicewise.attributes import Facts, choose

    if not plan.attributes and not choose(Facts(evaluation), ())[0]:
        return None
    return Sliced(evaluation, plan, Measure("f1", f_beta))


def _attribute(sliced: Sliced, described: Described, outcomes: Outcomes, size: int) -> list[AttributeProfile]:
    """Return an attribute's mean and buckets in each bin."""
    buckets, codes = sliced.assigned(described)
    own = outcomes if described.rows is None else unit_outcomes(described.rows.frame, outcomes.systems)
    bins, slots = own.bins[own.gold], len(buckets.slots)
    table = np.bincount(bins * slots + codes[0][own.gold], minlength=size * slots).reshape(size, slots)
    means = _means(described, own.gold, bins, size)
    return [
        AttributeProfile(
            mean=defined(float(means[n])),
            buckets={slot.name: int(k) for slot, k in zip(buckets.slots, table[n], strict=True)},
        )
        for n in range(size)
    ]


def _means(described: Described, gold: Bits, bins: Index, size: int) -> Array:
    if not described.numeric:
        return np.full(size, np.nan)
    values = described.values[0].cast(pl.Float64).to_numpy()[gold]
    known = np.isfinite(values) & (np.abs(values) < LARGEST)
    return _ratio(np.bincount(bins[known], values[known], minlength=size), np.bincount(bins[known], minlength=size))


def _ratio(above: NDArray[np.generic], below: NDArray[np.generic]) -> Array:
    top, bottom = np.asarray(above, np.float64), np.asarray(below, np.float64)
    found = np.full(len(top), np.nan)
    np.divide(top, bottom, out=found, where=bottom > 0)
    return found


@dataclass(frozen=True, eq=False)
class _Seen:
    """What can be seen in the strings of units and in their tokens."""

    facts: Facts
    gold: Index
    bins: Index
    size: int

    @property
    def _placed(self) -> bool:
        """Whether units have a place in tokens."""
        return self.facts.task in (Task.SPANS, Task.TOKENS) and self.facts.corpus is not None

    @cached_property
    def _tokens(self) -> tuple[Index, Index]:
        """The bin and the position of each token of gold units; of whole items, of each of their tokens."""
        corpus = self.facts.corpus
        if corpus is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        if self._placed:
            first, length = (part[self.gold] for part in self.facts.unit_ranges)
        else:
            item = self.gold if not self.facts.task.has_units else self.facts.units.item[self.gold]
            first, length = corpus.offsets[item], np.diff(corpus.offsets)[item]
        row, position = expanded(first, length)
        return self.bins[row], position

    def shares(self) -> dict[str, Array]:
        """Return every share in every bin."""
        corpus = self.facts.corpus
        if corpus is None:
            return {}
        bins, position = self._tokens
        tokens = corpus.tokens.gather(position)
        characters = tokens.str.len_chars().to_numpy().astype(np.float64)
        found = {
            "characters_per_token": _ratio(
                np.bincount(bins, characters, minlength=self.size), np.bincount(bins, minlength=self.size)
            ),
            "punctuation": self._share(bins, tokens.str.contains(PUNCTUATION)),
            "digits": self._share(bins, tokens.str.contains(NUMBER)),
            "single_character": self._share(bins, tokens.str.len_chars() == 1),
        }
        return found | (self._of_strings() if self._placed else {})

    def _of_strings(self) -> dict[str, Array]:
        facts, gold = self.facts, self.gold
        surface = facts.surface
        among = np.bincount(surface[gold], minlength=int(surface.max(initial=0)) + 1)[surface[gold]]
        standing = facts.test_occurrences[gold]
        several = _several_labels(surface[gold], facts.units.label[gold])
        return {
            "abbreviation": self._share(self.bins, abbreviation(facts.surface_text.gather(gold))),
            "hapax_gold": self._share(self.bins, among == 1),
            "hapax_test": self._share(self.bins, standing == 1),
            "ambiguous": self._share(self.bins, several | (standing > among)),
            "multi_token": self._share(self.bins, facts.unit_ranges[1][gold] > 1),
        }

    def _share(self, bins: Index, flags: pl.Series | Bits) -> Array:
        there = np.asarray(flags, np.float64)
        return _ratio(np.bincount(bins, there, minlength=self.size), np.bincount(bins, minlength=self.size))

    def columns(self) -> dict[str, list[dict[str, int]]]:
        """Return how often each value of the tokens' columns occurs in each bin."""
        if not self._placed:
            return {}
        bins, position = self._tokens
        found = {}
        for name, column in self.facts.evaluation.aligned.token_columns.items():
            if column.n_unique() > MOST_VALUES:
                continue
            counted = pl.DataFrame({"bin": bins, "value": column.gather(position).cast(pl.String).fill_null("")})
            rows = counted.group_by("bin", "value").len().sort(["len", "value"], descending=[True, False])
            found[name] = [{v: n for b, v, n in rows.iter_rows() if b == at} for at in range(self.size)]
        return found


def _several_labels(surface: Index, label: Index) -> Bits:
    """Return whether gold gives a string more than one label."""
    pairs = np.unique(np.column_stack([surface, label]), axis=0)
    names, labels = np.unique(pairs[:, 0], return_counts=True)
    return np.asarray(labels[np.searchsorted(names, surface)] > 1) if len(names) else np.zeros(0, np.bool_)
