"""How much of the sentence is entities, or words that were never seen in training."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.arrays import Ints
from slicewise.attributes.aggregate import ratio
from slicewise.attributes.attribute import SPANS, TAGGED, WHOLE, Attribute, Need, Of, Scope
from slicewise.attributes.facts import Facts
from slicewise.bucketing import Quantiles


def entity_density(facts: Facts) -> pl.Series:
    """Return the number of gold entities over the number of tokens, per item."""
    units = facts.units
    gold = np.bincount(units.item[units.frame["gold"].to_numpy()], minlength=facts.items)
    return per_token(facts, gold)


def entity_token_density(facts: Facts) -> pl.Series:
    """Return the number of tokens inside gold entities over the number of tokens, per item."""
    rows = facts.token_units
    gold = rows.frame["gold"].to_numpy()
    _, once = np.unique(rows.position[gold], return_index=True)
    return per_token(facts, np.bincount(rows.item[gold][once], minlength=facts.items))


def unknown_share(facts: Facts) -> pl.Series:
    """Return the share of each item's tokens that are not in the training vocabulary."""
    unknown = facts.train_counts[facts.token] == 0
    return per_token(facts, np.bincount(facts.required_corpus.item[unknown], minlength=facts.items))


def per_token(facts: Facts, count: Ints) -> pl.Series:
    """Return a count per item over its number of tokens; null where it has none."""
    lengths = facts.evaluation.aligned.lengths if facts.corpus is None else facts.lengths
    return ratio(count, lengths)


VOCABULARY = frozenset({Need.TRAIN, Need.TRAIN_WORDS, Need.WORDS})

ATTRIBUTES = [
    Attribute(
        name="eDen", summary="gold entities per token of the sentence", values=entity_density, of=Of.ITEM,
        depends_on=Scope.ITEM, tasks=SPANS, core=True, from_gold=True,
        phrase="{units} in sentences with {range} entities per token",
    ),
    Attribute(
        name="eDenTok", summary="share of the sentence's tokens that are inside gold entities",
        values=entity_token_density, of=Of.ITEM, depends_on=Scope.ITEM, tasks=TAGGED, from_gold=True,
        phrase="{units} in sentences of which a share of {range} is inside entities",
    ),
    Attribute(
        name="oDen", summary="share of the sentence's tokens that training never has", values=unknown_share, of=Of.ITEM,
        depends_on=Scope.ITEM | Scope.TRAINING, tasks=TAGGED, needs=VOCABULARY, buckets=Quantiles(low=0.0), core=True,
        phrase="{units} in sentences with a share of {range} unknown words",
        phrases={0.0: "{units} in sentences without unknown words"},
    ),
    Attribute(
        name="oov", summary="share of the text's tokens that training never has", values=unknown_share, of=Of.ITEM,
        depends_on=Scope.ITEM | Scope.TRAINING, tasks=WHOLE, needs=VOCABULARY, buckets=Quantiles(low=0.0), core=True,
        phrase="{units} with a share of {range} unknown words", phrases={0.0: "{units} without unknown words"},
    ),
]  # fmt: skip
