"""The units of a partition: their attribute values and buckets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.attributes import Attribute, Facts, Of, Scope, values_of
from slicewise.attributes.attribute import TAGGED, Need
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.facts import Rows
from slicewise.attributes.strings import with_strings
from slicewise.bucketing import Buckets, Coded
from slicewise.engine.cells import item_statistics
from slicewise.engine.local import FIELDS, TEXTS, parts_of, whole
from slicewise.engine.slices import Holders
from slicewise.errors import quoted
from slicewise.evaluation import Evaluation
from slicewise.metrics.metric import Metric


@dataclass(frozen=True, eq=False)
class BucketScheme:
    """The buckets of an attribute, or of several at once."""

    attributes: tuple[Attribute, ...]
    buckets: tuple[Buckets, ...]

    @property
    def size(self) -> int:
        """How many buckets there are."""
        return int(np.prod([len(buckets.slots) for buckets in self.buckets]))


class BucketedUnits:
    """The units of a partition; derived columns are cached."""

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
        columns = [Coded.of(values_of(attribute, self.facts, system)) for system in systems]
        rows = self.rows(attribute)
        if rows is None or attribute.of not in (Of.ITEM, Of.OUTPUT):
            return columns
        return [coded.gather(rows.item) for coded in columns]

    def slots(self, scheme: BucketScheme) -> list[Ints]:
        """Return the bucket of each unit, or of each system's units."""
        first, *others = (
            [_slots(coded, b) for coded in self.coded(a)]
            for a, b in zip(scheme.attributes, scheme.buckets, strict=True)
        )
        for buckets, codes in zip(scheme.buckets[1:], others, strict=True):
            first = [a * len(buckets.slots) + b for a, b in zip(first, codes, strict=True)]
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


def _slots(coded: Coded, buckets: Buckets) -> Ints:
    return np.append(buckets.assign(coded.values), len(buckets.slots) - 1)[coded.codes]


@dataclass(frozen=True, eq=False)
class Bucketer:
    """Buckets the units of a partition; kernels hold it."""

    corpus_facts: CorpusFacts
    needs: frozenset[str]
    """The optional columns that are read."""
    metric: Metric | None = None

    @classmethod
    def of(cls, facts: Facts, attributes: Sequence[Attribute], metric: Metric | None) -> Bucketer:
        """Collect the corpus facts that some attributes depend on."""
        evaluation, corpus_facts = facts.evaluation, facts.corpus_facts
        if any(Scope.STRINGS in attribute.depends_on for attribute in attributes):
            corpus_facts = with_strings(evaluation, corpus_facts)
        return cls(corpus_facts, _needs(evaluation, attributes, metric), metric)

    def __call__(self, part: Evaluation) -> BucketedUnits:
        """Return the units of a part."""
        facts = Facts.of(part, self.corpus_facts)
        return part.memo((BucketedUnits, facts.corpus_facts, self.metric), lambda: BucketedUnits(facts, self.metric))


@dataclass(frozen=True, eq=False)
class BucketKernel:
    """A kernel over the units of a partition and their attributes."""

    bucketer: Bucketer

    @property
    def needs(self) -> frozenset[str]:
        """The columns that the attributes and the metric are computed from."""
        return self.bucketer.needs


def _needs(evaluation: Evaluation, attributes: Sequence[Attribute], metric: Metric | None) -> frozenset[str]:
    tagged = evaluation.task in TAGGED and evaluation.aligned.tokens is None
    whole_data = any(Scope.DATA in attribute.depends_on for attribute in attributes)
    texts = tagged or whole_data or any(Need.WORDS in attribute.needs for attribute in attributes)
    texts = texts or (metric is not None and metric.takes_input)
    fields = whole_data or any(Scope.FIELDS in attribute.depends_on for attribute in attributes)
    return frozenset({TEXTS} if texts else ()) | frozenset({FIELDS} if fields else ())


def with_all_of(evaluation: Evaluation, attributes: Sequence[Attribute]) -> Evaluation:
    """Return the data as a whole where the values that an attribute has in a part depend on other parts."""
    parts = parts_of(evaluation)
    if len(parts.source) == 1:
        return evaluation
    for attribute in attributes:
        if Scope.DATA in attribute.depends_on:
            return whole(evaluation, f"the attribute {quoted(attribute.name)}")
        if Scope.DOCUMENT in attribute.depends_on and parts.scattered:
            return whole(evaluation, f"the attribute {attribute.name} of clusters that stand in several places")
    return evaluation
