"""How often something was seen in training."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.attributes.aggregate import share
from slicewise.attributes.attribute import SPANS, TAGGED, WHOLE, Attribute, Need, Of, Scope
from slicewise.attributes.density import per_token
from slicewise.attributes.facts import Facts
from slicewise.bucketing import Quantiles


def entity_frequency(facts: Facts) -> pl.Series:
    """Return F(x, string, training entities)."""
    return pl.Series(share(facts.surface, facts.train_surface))


def token_frequency(facts: Facts) -> pl.Series:
    """Return F(x, string, training tokens) of each token unit."""
    return pl.Series(share(facts.token[facts.token_units.position], facts.train_token))


def mean_frequency(facts: Facts) -> pl.Series:
    """Return the mean over an item's tokens of F(x, string, training tokens)."""
    item, weights = facts.required_corpus.item, facts.train_counts[facts.token]
    total = np.bincount(item, weights=weights, minlength=facts.items)
    return per_token(facts, total) / max(1, len(facts.train_token))


SEEN = frozenset({Need.TRAIN, Need.TRAIN_WORDS, Need.WORDS})

ATTRIBUTES = [
    Attribute(
        name="eFre", summary="share of the training entities that have the same string", values=entity_frequency,
        of=Of.UNIT, depends_on=Scope.UNIT | Scope.TRAINING, tasks=SPANS,
        needs=SEEN | {Need.TRAIN_LABELS, Need.TRAIN_STRINGS}, buckets=Quantiles(low=0.0), core=True,
        phrase="{units} that are a share of {range} of the training entities",
        phrases={0.0: "{units} never seen in training"},
    ),
    Attribute(
        name="tFre", summary="share of the training tokens that are the same token", values=token_frequency,
        of=Of.TOKEN, depends_on=Scope.UNIT | Scope.TRAINING, tasks=TAGGED, needs=SEEN, buckets=Quantiles(low=0.0),
        core=True, phrase="{units} that are a share of {range} of the training tokens",
        phrases={0.0: "{units} never seen in training"},
    ),
    Attribute(
        name="meanFre", summary="mean over the text's tokens of their share of the training tokens",
        values=mean_frequency, of=Of.ITEM, depends_on=Scope.ITEM | Scope.TRAINING, tasks=WHOLE, needs=SEEN, core=True,
        phrase="{units} whose tokens are, on average, a share of {range} of the training tokens",
    ),
]  # fmt: skip
