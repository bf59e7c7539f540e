"""How consistently training gives a string the label that it has here."""

from __future__ import annotations

import polars as pl

from slicewise.attributes.aggregate import paired, share
from slicewise.attributes.attribute import SPANS, TAGGED, Attribute, Need, Of, Scope
from slicewise.attributes.facts import Facts
from slicewise.bucketing import Quantiles


def entity_consistency(facts: Facts) -> pl.Series:
    """Return the training entities with x's string and label, over the occurrences of x's tokens in training."""
    labels = max(1, len(facts.evaluation.aligned.labels))
    x = paired(facts.surface, facts.units.label, labels)
    members = paired(facts.train_surface, facts.train_labels, labels)
    return pl.Series(share(x, members, within=facts.occurrences))


def token_consistency(facts: Facts) -> pl.Series:
    """Return the training tokens equal to x that carry x's type, over the training tokens equal to x."""
    types, size = facts.types
    rows = facts.token_units
    token = facts.token[rows.position]
    return pl.Series(
        share(
            paired(token, types[rows.label], size),
            paired(*facts.train_token_types, size),
            within=facts.train_counts[token],
        )
    )


LABELLED = frozenset({Need.TRAIN, Need.TRAIN_WORDS, Need.TRAIN_LABELS, Need.TRAIN_STRINGS, Need.WORDS})
ENDS = Quantiles(low=0.0, high=1.0)
SHARE = "{units} that have this label in a share of {range} of their occurrences in training"
PHRASES: dict[float | str, str] = {
    0.0: "{units} that never have this label in training",
    1.0: "{units} that always have this label in training",
}

ATTRIBUTES = [
    Attribute(
        name="eCon", summary="share of the string's occurrences in training that are entities with this label",
        values=entity_consistency, of=Of.UNIT, depends_on=Scope.UNIT | Scope.TRAINING, tasks=SPANS, needs=LABELLED,
        buckets=ENDS, core=True, phrase=SHARE, phrases=PHRASES,
    ),
    Attribute(
        name="tCon", summary="share of the token's occurrences in training that have this label",
        values=token_consistency, of=Of.TOKEN, depends_on=Scope.UNIT | Scope.TRAINING, tasks=TAGGED, needs=LABELLED,
        buckets=ENDS, core=True, phrase=SHARE, phrases=PHRASES,
    ),
]  # fmt: skip
