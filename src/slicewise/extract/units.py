"""The features of units: their own tokens and label, their neighbours, the text around them, their attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Ints
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.facts import Facts, expanded
from slicewise.evaluation import Evaluation
from slicewise.extract.described import UNITS, attribute_features, attributes_of
from slicewise.extract.family import Family, Kind, Quantity
from slicewise.extract.items import FeatureSpec, ItemFeatures
from slicewise.extract.ngrams import Ngrams
from slicewise.extract.relation import Inherited, Limits, Relation
from slicewise.extract.text import TextField, categories, coded
from slicewise.extract.tokens import Tokens, of_tokens

BESIDE = ("left", "right")
"""The namespaces of a unit's neighbours."""
ELSEWHERE = frozenset({"label", "str", "shape"})
"""Attributes that are features of a unit already."""


class UnitFeatures:
    """The features of an evaluation's units, gold and returned; all systems share them."""

    @classmethod
    def of(
        cls,
        part: Evaluation,
        spec: FeatureSpec,
        attributes: Sequence[str] = (),
        corpus_facts: CorpusFacts | None = None,
    ) -> UnitFeatures:
        """Return the features of a part's units, which are made once."""
        key = (cls.__name__, spec, tuple(attributes), Facts.of(part, corpus_facts))
        return part.memo(key, lambda: cls(part, spec, attributes, corpus_facts))

    def __init__(
        self,
        evaluation: Evaluation,
        spec: FeatureSpec,
        attributes: Sequence[str] = (),
        corpus_facts: CorpusFacts | None = None,
    ) -> None:
        self.evaluation = evaluation
        self.spec = spec
        self.facts = Facts.of(evaluation, corpus_facts)
        chosen = attributes_of(self.facts, attributes or ["all"], UNITS)
        self.attributes = [a for a in chosen if a.name not in ELSEWHERE]
        self._extracted: list[Family] | None = None
        """All that does not come from attributes, once it has been extracted."""

    def families(self, over: str = "gold") -> list[Family]:
        """Return all features; of returned units those that do not tell what gold has."""
        return [*self._unit_families(), *self._described[over == "gold"][0]]

    def quantities(self, over: str = "gold") -> list[Quantity]:
        """Return the numbers that units have."""
        return self._described[over == "gold"][1]

    @cached_property
    def _described(self) -> dict[bool, tuple[list[Family], list[Quantity]]]:
        """Return the attributes by whether those from gold are among them."""
        plain = [a for a in self.attributes if not a.from_gold]
        golden = [a for a in self.attributes if a.from_gold]
        least = self.spec.least
        a, b = (
            attribute_features(self.facts, attributes, least, units=True, system=None) for attributes in (plain, golden)
        )
        return {False: a, True: (a[0] + b[0], a[1] + b[1])}

    def subset(self, over: str | None, kind: Kind, space: str, names: pl.Series) -> list[Family]:
        """Return families in which some features of a kind are: these alone, where that is less work."""
        if kind in (Kind.TOKEN, Kind.SHAPE) and self._extracted is None:
            field, units = self._text(space)
            chosen = field.subset(kind, names)
            return [chosen if units is None else self._inherited(chosen, units)]
        if kind is Kind.ATTRIBUTE:
            return self._described[over == "gold"][0]
        families = self._without_text if self._extracted is None else self._extracted
        return [family for family in families if (family.kind, family.space) == (kind, space)]

    def numbers(self, over: str | None) -> list[str]:
        """Return the names of the attributes that are numbers."""
        return [quantity.name for quantity in self._described[over == "gold"][1]]

    def run(self, _over: str | None, space: str, runs: Ngrams, length: int) -> tuple[Family, Ints]:
        """Return the runs of a length that are frequent in all of the data, and their keys."""
        field, units = self._text(space)
        family, keys = field.run(runs, length)
        return family if units is None else self._inherited(family, units), keys

    def values(self, over: str | None, _kind: Kind, _space: str, name: str) -> NDArray[np.float64]:
        """Return a number that units have; NaN where one has none."""
        return next(quantity.values for quantity in self._described[over == "gold"][1] if quantity.name == name)

    def spaces(self, _over: str | None = None) -> list[str]:
        """Return the namespaces of texts of which runs are features."""
        return [space for space in self._spaces if space not in BESIDE]

    def _unit_families(self) -> list[Family]:
        if self._extracted is None:
            shaped = ("span", "token")
            texts = [family for space in self._spaces for family in self._of(space, shapes=space in shaped)]
            self._extracted = [*self._without_text, *texts]
        return self._extracted

    @cached_property
    def _without_text(self) -> list[Family]:
        """Return the labels, and of spans the whole string and whether they are at the edge of the text."""
        rows = np.arange(len(self.facts.units), dtype=np.uint32)
        names = "label:" + pl.Series(self.evaluation.aligned.labels, dtype=pl.String)
        codes = self.facts.units.label.astype(np.uint32)
        labels = [coded(Kind.LABEL, "label", codes, rows, len(rows), self.spec.least, names)]
        if not self._has_words:
            return labels
        kinds = {space: pl.Series(np.where(inside, "", "edge of the text")) for space, _, inside in self._beside}
        if self.evaluation.task is Task.SPANS:
            kinds["span"] = self.evaluation.surface()
        families = (categories(Kind.CATEGORY, s, f"{s} = ", values, self.spec.least) for s, values in kinds.items())
        return [*labels, *(family for family in families if family is not None)]

    @property
    def _has_words(self) -> bool:
        """Whether units are made of tokens."""
        return self.evaluation.task in (Task.SPANS, Task.TOKENS) and self.facts.corpus is not None

    @cached_property
    def _inputs(self) -> dict[str, Tokens]:
        """The tokens of items by namespace."""
        if self.evaluation.task not in (Task.SPANS, Task.TOKENS):
            return {field.space: field.tokens for field in ItemFeatures.of(self.evaluation, self.spec).inputs}
        return {"in": self._tokens} if self._has_words else {}

    @property
    def input_tokens(self) -> list[Tokens]:
        """The tokens of the input fields of items."""
        return list(self._inputs.values())

    @property
    def has_input(self) -> bool:
        """Whether items have an input that is cut into tokens."""
        return bool(self._inputs)

    @property
    def _spaces(self) -> list[str]:
        """The namespaces of texts: of the neighbours, of the unit, of its item."""
        unit_space = {Task.SPANS: "span", Task.TOKENS: "token"}.get(self.evaluation.task)
        return [*([] if unit_space is None or not self._has_words else [*BESIDE, unit_space]), *self._inputs]

    def _text(self, space: str) -> tuple[TextField, Relation | None]:
        """Return a text of units: their own, or that of their item, with the units of each item."""
        if space in self._inputs:
            return self._around(space, self._inputs[space])
        first, length = self.facts.unit_ranges
        for beside, at, inside in self._beside:
            if space == beside:
                first, length = at, inside.astype(np.int64)
        return TextField(space, _at(self._tokens, first, length)), None

    @property
    def _beside(self) -> Iterator[tuple[str, Ints, NDArray[np.bool_]]]:
        """The places of the tokens left and right of each unit, and whether they are inside the text."""
        item, offsets = self.facts.units.item, self._tokens.offsets
        first, length = self.facts.unit_ranges
        yield "left", first - 1, first > offsets[item]
        yield "right", first + length, first + length < offsets[item + 1]

    def _around(self, space: str, tokens: Tokens) -> tuple[TextField, Relation]:
        """Return the text of each item that has units: its features are made once, however many units it has."""
        item, starts = np.unique(self.facts.units.item, return_index=True)
        size = len(self.facts.units)
        units = Relation(np.append(starts, size), np.arange(size, dtype=np.int32), size)
        return TextField(space, _at(tokens, tokens.offsets[item], np.diff(tokens.offsets)[item])), units

    def _of(self, space: str, *, shapes: bool) -> Iterator[Family]:
        """Return the tokens of a text, its runs and shapes; of neighbours, which stand alone, the tokens."""
        field, units = self._text(space)
        least = self.spec.least
        if units is not None:  # fewer items cannot have enough units
            least = -(-least // int(units.counts.max(initial=1)))
        for family in self._field_families(field, least, shapes=shapes, alone=space in BESIDE):
            yield family if units is None else self._inherited(family, units)

    def _field_families(self, field: TextField, least: int, *, shapes: bool, alone: bool) -> Iterator[Family]:
        yield field.unigrams(least)
        if alone:
            return
        if self.spec.ngrams > 1:
            yield from field.ngrams(self.spec.ngrams, least)
        if self.spec.shapes or shapes:
            yield field.shapes(least)

    def _inherited(self, family: Family, units: Relation) -> Family:
        """Return the features of items as those of their units, where enough units have them."""
        relation = Inherited.of_items(family.relation.whole(), units)
        if not self.spec.least:
            return replace(family, relation=relation)
        kept = np.flatnonzero(Limits(self.spec.least, relation.size)(relation.counts))
        return replace(family, relation=relation.take(kept), names=lambda at: family.names(kept[at]), lookup=None)

    @cached_property
    def _tokens(self) -> Tokens:
        corpus = self.facts.corpus
        if corpus is None:
            raise ValueError("no tokens")
        return of_tokens(corpus.tokens, corpus.offsets, None)


def _at(tokens: Tokens, first: Ints, length: Ints) -> Tokens:
    """Return some tokens of each unit: so many from the first on."""
    _, at = expanded(first, length)
    return Tokens(tokens.ids[at], np.concatenate([[0], np.cumsum(length)]), tokens.vocabulary)
