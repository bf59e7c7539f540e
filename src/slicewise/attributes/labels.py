"""Labels of whole items: how many, and how frequent in training."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.aggregate import share
from slicewise.attributes.attribute import Attribute, Need, Of, Scope
from slicewise.attributes.facts import Facts
from slicewise.bucketing import Counts, Quantiles


def number_of_labels(facts: Facts) -> pl.Series:
    """Return how many gold labels an item has."""
    units = facts.units
    return pl.Series(np.bincount(units.item[units.frame["gold"].to_numpy()], minlength=facts.items))


def label_frequency(facts: Facts) -> pl.Series:
    """Return F(x, label, training units)."""
    return pl.Series(share(facts.units.label, facts.train_labels))


ATTRIBUTES = [
    Attribute(
        name="labels", summary="number of gold labels of the item", values=number_of_labels, of=Of.ITEM,
        depends_on=Scope.ITEM, tasks=frozenset({Task.MULTILABEL}), buckets=Counts(first=0), core=True, from_gold=True,
        phrase="{units} with {range} gold labels",
    ),
    Attribute(
        name="labelFre", summary="share of the training labels that are the same label", values=label_frequency,
        of=Of.UNIT, depends_on=Scope.UNIT | Scope.TRAINING, tasks=frozenset({Task.LABELS, Task.MULTILABEL}),
        needs=frozenset({Need.TRAIN, Need.TRAIN_LABELS}), buckets=Quantiles(low=0.0), core=True,
        phrase="{units} whose label is a share of {range} of the training labels",
        phrases={0.0: "{units} whose label is never in training"},
    ),
]  # fmt: skip
