"""The features of units: their own tokens and label, their neighbours, the text around them, their attributes."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.facts import Facts, expanded
from slicewise.extract.described import UNITS, attributes_of, described
from slicewise.extract.family import Kind
from slicewise.extract.items import ItemFeatures
from slicewise.extract.relation import Inherited, Limits, Relation
from slicewise.extract.text import Field, categories, coded
from slicewise.extract.tokens import Tokens, of_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.extract.family import Family, Quantity
    from slicewise.extract.items import Wanted

    Index = NDArray[np.int64]

ELSEWHERE = frozenset({"label", "str", "shape"})
"""Attributes that are features of a unit already."""


class UnitFeatures:
    """The features of an evaluation's units, gold and returned; all systems share them."""

    def __init__(self, evaluation: Evaluation, wanted: Wanted, attributes: Sequence[str] = ()) -> None:
        self.evaluation = evaluation
        self.wanted = wanted
        self.facts = Facts(evaluation)
        asked = attributes_of(self.facts, attributes or ["all"], UNITS)
        self.attributes = [a for a in asked if a.name not in ELSEWHERE]

    def families(self, over: str = "gold") -> list[Family]:
        """Return all features; of returned units those that do not tell what gold has."""
        return [*self._own, *self._described[over == "gold"][0]]

    def quantities(self, over: str = "gold") -> list[Quantity]:
        """Return the numbers that units have."""
        return self._described[over == "gold"][1]

    @cached_property
    def _described(self) -> dict[bool, tuple[list[Family], list[Quantity]]]:
        """Return the attributes by whether those from gold are among them."""
        plain = [a for a in self.attributes if not a.from_gold]
        golden = [a for a in self.attributes if a.from_gold]
        made = [described(self.facts, some, self.wanted.least, units=True, system=None) for some in (plain, golden)]
        return {False: made[0], True: (made[0][0] + made[1][0], made[0][1] + made[1][1])}

    @cached_property
    def _own(self) -> list[Family]:
        rows = np.arange(len(self.facts.units), dtype=np.uint32)
        names = "label:" + pl.Series(self.evaluation.aligned.labels, dtype=pl.String)
        codes = self.facts.units.label.astype(np.uint32)
        found = [coded(Kind.LABEL, "label", codes, rows, len(rows), self.wanted.least, names)]
        if self.evaluation.task not in (Task.SPANS, Task.TOKENS):
            inputs = ItemFeatures(self.evaluation, self.wanted).inputs
            return [*found, *(family for field in inputs for family in self._around(field.space, field.tokens))]
        return found if self.facts.corpus is None else [*found, *self._words()]

    def _around(self, space: str, tokens: Tokens) -> Iterator[Family]:
        """Return the features of each unit's item: made once per item, however many units it has."""
        item, starts = np.unique(self.facts.units.item, return_index=True)
        size = len(self.facts.units)
        units = Relation(np.append(starts, size), np.arange(size, dtype=np.int32), size)
        fewest = -(-self.wanted.least // int(units.counts.max(initial=1)))  # fewer items cannot have enough units
        own = Field(space, _at(tokens, tokens.offsets[item], np.diff(tokens.offsets)[item]))
        return (self._inherited(family, units) for family in self._of(own, fewest))

    def _inherited(self, family: Family, units: Relation) -> Family:
        """Return the features of items as those of their units, where enough units have them."""
        relation = Inherited.of_items(family.relation.whole(), units)
        kept = np.flatnonzero(Limits(self.wanted.least, relation.size)(relation.counts))
        return replace(family, relation=relation.take(kept), names=lambda at: family.names(kept[at]))

    def _of(self, field: Field, least: int, *, shapes: bool = False) -> Iterator[Family]:
        yield field.unigrams(least)
        if self.wanted.ngrams > 1:
            yield from field.ngrams(self.wanted.ngrams, least)
        if self.wanted.shapes or shapes:
            yield field.shapes(least)

    def _words(self) -> Iterator[Family]:
        own = "span" if self.evaluation.task is Task.SPANS else "token"
        first, length = self.facts.unit_ranges
        yield from self._neighbours(first, length)
        if self.evaluation.task is Task.SPANS:
            strings = categories(Kind.CATEGORY, own, f"{own} = ", self.evaluation.surface(), self.wanted.least)
            yield from [] if strings is None else [strings]
        yield from self._of(Field(own, _at(self._tokens, first, length)), self.wanted.least, shapes=True)
        yield from self._around("in", self._tokens)

    def _neighbours(self, first: Index, length: Index) -> Iterator[Family]:
        item, offsets = self.facts.units.item, self._tokens.offsets
        for space, at, inside in (
            ("left", first - 1, first > offsets[item]),
            ("right", first + length, first + length < offsets[item + 1]),
        ):
            yield Field(space, _at(self._tokens, at, inside.astype(np.int64))).unigrams(self.wanted.least)
            edge = pl.Series(np.where(inside, "", "edge of the text"))
            if (found := categories(Kind.CATEGORY, space, f"{space} = ", edge, self.wanted.least)) is not None:
                yield found

    @cached_property
    def _tokens(self) -> Tokens:
        corpus = self.facts.corpus
        if corpus is None:
            raise ValueError("no tokens")
        return of_tokens(corpus.tokens, corpus.offsets, None)


def _at(tokens: Tokens, first: Index, length: Index) -> Tokens:
    """Return some tokens of each unit: so many from the first on."""
    _, at = expanded(first, length)
    return Tokens(tokens.ids[at], np.concatenate([[0], np.cumsum(length)]), tokens.vocabulary)
