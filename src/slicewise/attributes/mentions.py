"""How often and how differently a string is labelled."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.attributes.attribute import SPANS, Attribute, Need, Of, Scope
from slicewise.attributes.facts import Facts
from slicewise.bucketing import Counts


def ambiguity(facts: Facts) -> pl.Series:
    """Return how many different labels gold gives to the unit's string in the test set; 1 where it gives none."""
    return pl.Series(np.maximum(facts.gold_labels, 1))


def once_in_test(facts: Facts) -> pl.Series:
    """Return whether the unit's string stands exactly once in the test set, entity or not."""
    return pl.Series(facts.test_occurrences == 1)


def once_in_training(facts: Facts) -> pl.Series:
    """Return whether the unit's string stands exactly once in training, entity or not."""
    return pl.Series(facts.occurrences == 1)


ATTRIBUTES = [
    Attribute(
        name="ambiguity", summary="number of different labels that gold gives to the string in the test set",
        values=ambiguity, of=Of.UNIT, depends_on=Scope.UNIT | Scope.STRINGS, tasks=SPANS, needs=frozenset({Need.WORDS}),
        buckets=Counts(), from_gold=True,
        phrase="{units} whose string has {range} different gold labels in the test set",
        phrases={1.0: "{units} whose string has one gold label in the test set"},
    ),
    Attribute(
        name="hapaxTest", summary="whether the string stands exactly once in the test set", values=once_in_test,
        of=Of.UNIT, depends_on=Scope.UNIT | Scope.STRINGS, tasks=SPANS, needs=frozenset({Need.WORDS}),
        phrases={
            "yes": "{units} whose string stands once in the test set",
            "no": "{units} whose string stands more than once in the test set",
        },
    ),
    Attribute(
        name="hapaxTrain", summary="whether the string stands exactly once in training", values=once_in_training,
        of=Of.UNIT, depends_on=Scope.UNIT | Scope.TRAINING, tasks=SPANS,
        needs=frozenset({Need.TRAIN, Need.TRAIN_WORDS, Need.WORDS}),
        phrases={
            "yes": "{units} whose string stands once in training",
            "no": "{units} whose string does not stand exactly once in training",
        },
    ),
]  # fmt: skip
