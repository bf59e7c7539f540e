"""The units of a part of the data, and where they stand: their values of attributes, and the buckets these are in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.attributes import Facts, Of, catalogue, values_of
from slicewise.attributes.attribute import TAGGED, Need
from slicewise.attributes.columns import OfItem, OfTokens
from slicewise.attributes.mentions import OF_ALL_STRINGS
from slicewise.attributes.place import OF_DOCUMENTS
from slicewise.attributes.strings import strings_of
from slicewise.bucketing import Coded
from slicewise.engine import item_statistics
from slicewise.engine.gather import FIELDS, TEXTS, whole
from slicewise.engine.slices import Holders
from slicewise.errors import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from slicewise.attributes import Attribute
    from slicewise.attributes.facts import Rows
    from slicewise.attributes.told import Told
    from slicewise.bucketing import Buckets
    from slicewise.evaluation import Evaluation
    from slicewise.metrics.metric import Metric

    Array = NDArray[np.float64]
    Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Placing:
    """The buckets of an attribute, or of several at once."""

    attributes: tuple[Attribute, ...]
    buckets: tuple[Buckets, ...]

    @property
    def size(self) -> int:
        """How many buckets there are."""
        return int(np.prod([len(one.slots) for one in self.buckets]))


class Placed:
    """The units of a part; what is found out of them is kept."""

    def __init__(self, facts: Facts, metric: Metric | None) -> None:
        self.facts = facts
        self.metric = metric
        self._coded: dict[str, list[Coded]] = {}
        self._holders: dict[bool, Holders] = {}

    @property
    def part(self) -> Evaluation:
        """The part."""
        return self.facts.evaluation

    def rows(self, attribute: Attribute) -> Rows | None:
        """Return the units that an attribute describes; None where they are the items."""
        if not self.part.task.has_units:
            return None
        return self.facts.token_units if attribute.of is Of.TOKEN else self.facts.units

    def holders(self, attribute: Attribute) -> Holders:
        """Return the units that an attribute describes by their groups and by who has them."""
        rows, tokens = self.rows(attribute), attribute.of is Of.TOKEN
        if rows is None:
            raise ValueError("items are not held")
        if tokens not in self._holders:
            self._holders[tokens] = Holders.of(rows.frame, self.part.systems)
        return self._holders[tokens]

    def gold(self, attribute: Attribute) -> NDArray[np.bool_] | None:
        """Return which units are gold; None where they are the items, and all count."""
        rows = self.rows(attribute)
        return None if rows is None else rows.frame["gold"].to_numpy()

    def coded(self, attribute: Attribute) -> list[Coded]:
        """Return the values of all units, or those of each system."""
        if attribute.name not in self._coded:
            self._coded[attribute.name] = self._code(attribute)
        return self._coded[attribute.name]

    def _code(self, attribute: Attribute) -> list[Coded]:
        systems = self.part.systems if attribute.of is Of.OUTPUT else (None,)
        found = [Coded.of(values_of(attribute, self.facts, system)) for system in systems]
        rows = self.rows(attribute)
        if rows is None or attribute.of not in (Of.ITEM, Of.OUTPUT):
            return found
        return [one.gather(rows.item) for one in found]

    def slots(self, placing: Placing) -> list[Codes]:
        """Return the bucket of each unit, or of each system's units."""
        first, *others = (
            [_slots(one, b) for one in self.coded(a)] for a, b in zip(placing.attributes, placing.buckets, strict=True)
        )
        for buckets, own in zip(placing.buckets[1:], others, strict=True):
            first = [a * len(buckets.slots) + b for a, b in zip(first, own, strict=True)]
        return first

    # ------------------------------------------------------------------ scores of items

    @cached_property
    def statistics(self) -> dict[str, Array]:
        """A scored metric's statistics per item and system."""
        return {} if self.metric is None else item_statistics(self.part, self.metric, self.part.systems)

    @cached_property
    def scores(self) -> list[Coded]:
        """Each system's scores of the items; none of an item that any system has no score of."""
        if self.metric is None:
            return []
        systems = range(len(self.part.systems))
        unknown = np.logical_or.reduce([np.isnan(self._scores(i)) for i in systems])
        return [Coded.of(pl.Series(np.where(unknown, np.nan, self._scores(i)))) for i in systems]

    def _scores(self, system: int) -> Array:
        if self.metric is None:
            raise ValueError("items without a metric")
        columns, width = list(self.statistics.values()), len(self.statistics) // len(self.part.systems)
        return self.metric.value(np.column_stack(columns[system * width : (system + 1) * width]))


def _slots(coded: Coded, buckets: Buckets) -> Codes:
    return np.append(buckets.assign(coded.values), len(buckets.slots) - 1)[coded.codes]


@dataclass(frozen=True, eq=False)
class Placer:
    """Finds the units of a part; a kernel holds it."""

    told: Told
    needs: frozenset[str]
    """What parts are read with."""
    metric: Metric | None = None
    own: Placed | None = None
    """Of data in memory, its units, kept for the next question."""

    @classmethod
    def of(cls, facts: Facts, attributes: Sequence[Attribute], metric: Metric | None) -> Placer:
        """Find out what all parts have to be told for some attributes."""
        evaluation = facts.evaluation
        if evaluation.parts is None:
            return cls(facts.told, frozenset(), metric, Placed(facts, metric))
        told = facts.told
        if any(attribute.name in OF_ALL_STRINGS for attribute in attributes):
            told = replace(told, strings=strings_of(evaluation))
        return cls(told, _needs(evaluation, attributes, metric), metric)

    def __call__(self, part: Evaluation) -> Placed:
        """Return the units of a part."""
        return Placed(Facts(part, self.told), self.metric) if self.own is None else self.own


def _needs(evaluation: Evaluation, attributes: Sequence[Attribute], metric: Metric | None) -> frozenset[str]:
    tagged = evaluation.task in TAGGED and evaluation.aligned.tokens is None
    texts = tagged or any(Need.WORDS in attribute.needs for attribute in attributes)
    texts = texts or (metric is not None and metric.takes_input)
    fields = any(isinstance(one.values, OfItem) or Need.CONFIDENCE in one.needs for one in attributes)
    return frozenset({TEXTS} if texts else ()) | frozenset({FIELDS} if fields else ())


def with_all_of(evaluation: Evaluation, attributes: Sequence[Attribute]) -> Evaluation:
    """Return the data as a whole where the values that an attribute has in a part depend on other parts."""
    if evaluation.parts is None:
        return evaluation
    for attribute in attributes:
        ours = isinstance(attribute.values, (OfItem, OfTokens)) or catalogue().get(attribute.name) is attribute
        if not ours:
            return whole(evaluation, f"the attribute {quoted(attribute.name)}")
        if attribute.name in OF_DOCUMENTS and evaluation.parts.scattered:
            return whole(evaluation, f"the attribute {attribute.name} of clusters that stand in several places")
    return evaluation
