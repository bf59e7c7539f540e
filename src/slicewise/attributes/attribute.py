"""Attributes: a value per unit, item, token or output, and the binning of these values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Flag, StrEnum, auto

import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.facts import Facts
from slicewise.bucketing import Bucketing, Quantiles, Slot


class Of(StrEnum):
    """What has a value: items hand theirs to all their units."""

    ITEM = "item"
    UNIT = "unit"
    TOKEN = "token"  # noqa: S105 (no secret)
    OUTPUT = "output"
    """An item's output by one system: the systems' items may stand in different buckets."""


class Need(StrEnum):
    """What an attribute cannot do without, in the words of the message that says so."""

    TRAIN = "training data; add --train FILE"
    TRAIN_WORDS = "training data with tokens or text; add --train FILE"
    TRAIN_LABELS = "training data with labels; add --train FILE"
    TRAIN_STRINGS = "training data with tokens and their labels; add --train FILE"
    WORDS = "tokens or text; add --input FILE"
    GOLD = "a gold standard; add --gold FILE"
    CONFIDENCE = "outputs with a confidence each"


class Scope(Flag):
    """What values depend on; a partition that has or receives all of it computes the same values as the whole data."""

    UNIT = auto()
    """The unit: its label and its string."""
    ITEM = auto()
    """The item: its text and its gold answer."""
    FIELDS = auto()
    """What else the files say of the item and of its outputs."""
    OUTPUT = auto()
    """What the system returns for the item."""
    DOCUMENT = auto()
    """All items of the same cluster."""
    STRINGS = auto()
    """How often the unit's string stands in all the test data, and with which labels (`CorpusFacts`)."""
    TRAINING = auto()
    """The training data."""
    DATA = auto()
    """All of the test data at once."""


EVERY = frozenset(Task)
SPANS = frozenset({Task.SPANS})
TAGGED = frozenset({Task.SPANS, Task.TOKENS})
WHOLE = frozenset({Task.LABELS, Task.MULTILABEL, Task.TEXT, Task.SCORES})
"""Tasks whose unit is a whole item."""


QUARTERS = Quantiles()


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """A named property; `values` returns numbers or categories, one per item, unit, token unit or output."""

    name: str
    summary: str
    values: Callable[..., pl.Series]
    """With `Of.OUTPUT` it is also given the system."""
    of: Of
    tasks: frozenset[Task]
    depends_on: Scope = Scope.DATA
    """By default, an attribute is computed from all data at once."""
    needs: frozenset[Need] = frozenset()
    buckets: Bucketing = QUARTERS
    version: int = 1
    core: bool = False
    """Whether it is one of the paper's, the default of a study."""
    from_gold: bool = False
    """Whether gold's own units make its value, which then tells something of what is right."""
    phrase: str = ""
    """How a bucket is said: `{units}` is entities, tokens or items, `{range}` the bucket's interval or value."""
    phrases: Mapping[float | str, str] = field(default_factory=dict)
    """How single values are said."""

    @property
    def versioned(self) -> str:
        """The name with its version, as it stands in a signature."""
        return f"{self.name}.v{self.version}"

    def describe(self, slot: Slot, units: str) -> str:
        """Return a bucket in plain words."""
        if slot.value is not None and slot.value in self.phrases:
            return self.phrases[slot.value].format(units=units)
        if slot.missing:
            return f"{units} without a value of {self.name}"
        template = self.phrase or "{units} with " + self.name + " {range}"
        return template.format(units=units, range=slot.interval)


def values_of(attribute: Attribute, facts: Facts, system: str | None = None) -> pl.Series:
    """Return the values of an attribute, of one system's outputs where it is theirs."""
    return attribute.values(facts) if system is None else attribute.values(facts, system)
