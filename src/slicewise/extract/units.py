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

    from slicewise.attributes.told import Told
    from slicewise.evaluation import Evaluation
    from slicewise.extract.family import Family, Quantity
    from slicewise.extract.items import Wanted
    from slicewise.extract.ngrams import Runs

    Index = NDArray[np.int64]

BESIDE = ("left", "right")
"""The namespaces of a unit's neighbours."""
ELSEWHERE = frozenset({"label", "str", "shape"})
"""Attributes that are features of a unit already."""


class UnitFeatures:
    """The features of an evaluation's units, gold and returned; all systems share them."""

    def __init__(
        self, evaluation: Evaluation, wanted: Wanted, attributes: Sequence[str] = (), told: Told | None = None
    ) -> None:
        self.evaluation = evaluation
        self.wanted = wanted
        self.facts = Facts(evaluation, told)
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

    def some(self, over: str | None, kind: Kind, space: str, names: pl.Series) -> list[Family]:
        """Return families in which some features of a kind are: these alone, where that is less work."""
        if kind in (Kind.TOKEN, Kind.SHAPE):
            field, units = self._text(space)
            found = field.some(kind, names)
            return [found if units is None else self._inherited(found, units)]
        if kind is Kind.ATTRIBUTE:
            return self._described[over == "gold"][0]
        return [family for family in self._without_text if (family.kind, family.space) == (kind, space)]

    def numbers(self, over: str | None) -> list[str]:
        """Return the names of the attributes that are numbers."""
        return [quantity.name for quantity in self._described[over == "gold"][1]]

    def run(self, _over: str | None, space: str, runs: Runs, length: int) -> tuple[Family, Index]:
        """Return the runs of a length that are frequent in all of the data, and their keys."""
        field, units = self._text(space)
        found, keys = field.run(runs, length)
        return found if units is None else self._inherited(found, units), keys

    def values(self, over: str | None, _kind: Kind, _space: str, name: str) -> NDArray[np.float64]:
        """Return a number that units have; NaN where one has none."""
        return next(one.values for one in self._described[over == "gold"][1] if one.name == name)

    def spaces(self, _over: str | None = None) -> list[str]:
        """Return the namespaces of texts of which runs are features."""
        return [space for space in self._spaces if space not in BESIDE]

    @cached_property
    def _own(self) -> list[Family]:
        own = ("span", "token")
        texts = [family for space in self._spaces for family in self._of(space, shapes=space in own)]
        return [*self._without_text, *texts]

    @cached_property
    def _without_text(self) -> list[Family]:
        """Return the labels, and of spans the whole string and whether they are at the edge of the text."""
        rows = np.arange(len(self.facts.units), dtype=np.uint32)
        names = "label:" + pl.Series(self.evaluation.aligned.labels, dtype=pl.String)
        codes = self.facts.units.label.astype(np.uint32)
        found = [coded(Kind.LABEL, "label", codes, rows, len(rows), self.wanted.least, names)]
        if not self._has_words:
            return found
        kinds = {space: pl.Series(np.where(inside, "", "edge of the text")) for space, _, inside in self._beside}
        if self.evaluation.task is Task.SPANS:
            kinds["span"] = self.evaluation.surface()
        made = (categories(Kind.CATEGORY, s, f"{s} = ", values, self.wanted.least) for s, values in kinds.items())
        return [*found, *(family for family in made if family is not None)]

    @property
    def _has_words(self) -> bool:
        """Whether units are made of tokens."""
        return self.evaluation.task in (Task.SPANS, Task.TOKENS) and self.facts.corpus is not None

    @cached_property
    def _inputs(self) -> dict[str, Tokens]:
        """The tokens of items by namespace."""
        if self.evaluation.task not in (Task.SPANS, Task.TOKENS):
            return {field.space: field.tokens for field in ItemFeatures(self.evaluation, self.wanted).inputs}
        return {"in": self._tokens} if self._has_words else {}

    @property
    def _spaces(self) -> list[str]:
        """The namespaces of texts: of the neighbours, of the unit, of its item."""
        own = {Task.SPANS: "span", Task.TOKENS: "token"}.get(self.evaluation.task)
        return [*([] if own is None or not self._has_words else [*BESIDE, own]), *self._inputs]

    def _text(self, space: str) -> tuple[Field, Relation | None]:
        """Return a text of units: their own, or that of their item, with the units of each item."""
        if space in self._inputs:
            return self._around(space, self._inputs[space])
        first, length = self.facts.unit_ranges
        for beside, at, inside in self._beside:
            if space == beside:
                first, length = at, inside.astype(np.int64)
        return Field(space, _at(self._tokens, first, length)), None

    @property
    def _beside(self) -> Iterator[tuple[str, Index, NDArray[np.bool_]]]:
        """The places of the tokens left and right of each unit, and whether they are inside the text."""
        item, offsets = self.facts.units.item, self._tokens.offsets
        first, length = self.facts.unit_ranges
        yield "left", first - 1, first > offsets[item]
        yield "right", first + length, first + length < offsets[item + 1]

    def _around(self, space: str, tokens: Tokens) -> tuple[Field, Relation]:
        """Return the text of each item that has units: its features are made once, however many units it has."""
        item, starts = np.unique(self.facts.units.item, return_index=True)
        size = len(self.facts.units)
        units = Relation(np.append(starts, size), np.arange(size, dtype=np.int32), size)
        return Field(space, _at(tokens, tokens.offsets[item], np.diff(tokens.offsets)[item])), units

    def _of(self, space: str, *, shapes: bool) -> Iterator[Family]:
        """Return the tokens of a text, its runs and shapes; of neighbours, which stand alone, the tokens."""
        field, units = self._text(space)
        least = self.wanted.least
        if units is not None:  # fewer items cannot have enough units
            least = -(-least // int(units.counts.max(initial=1)))
        for family in self._made(field, least, shapes=shapes, alone=space in BESIDE):
            yield family if units is None else self._inherited(family, units)

    def _made(self, field: Field, least: int, *, shapes: bool, alone: bool) -> Iterator[Family]:
        yield field.unigrams(least)
        if alone:
            return
        if self.wanted.ngrams > 1:
            yield from field.ngrams(self.wanted.ngrams, least)
        if self.wanted.shapes or shapes:
            yield field.shapes(least)

    def _inherited(self, family: Family, units: Relation) -> Family:
        """Return the features of items as those of their units, where enough units have them."""
        relation = Inherited.of_items(family.relation.whole(), units)
        kept = np.flatnonzero(Limits(self.wanted.least, relation.size)(relation.counts))
        return replace(family, relation=relation.take(kept), names=lambda at: family.names(kept[at]))

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
