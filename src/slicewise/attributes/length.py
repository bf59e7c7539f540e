"""How long things are."""

from __future__ import annotations

import polars as pl

from slicewise.attributes.attribute import EVERY, SPANS, TAGGED, WHOLE, Attribute, Need, Of, Scope
from slicewise.attributes.facts import Facts
from slicewise.attributes.surface import characters
from slicewise.bucketing import Counts


def entity_length(facts: Facts) -> pl.Series:
    """Return the number of tokens of each unit."""
    return pl.Series(facts.unit_ranges[1])


def sentence_length(facts: Facts) -> pl.Series:
    """Return the number of tokens of each item."""
    if facts.corpus is None:
        return pl.Series(facts.evaluation.aligned.lengths)
    return pl.Series(facts.lengths)


def entity_characters(facts: Facts) -> pl.Series:
    """Return the number of characters of each unit's string."""
    return characters(facts.surface_text)


def text_characters(facts: Facts) -> pl.Series:
    """Return the number of characters of each item's text."""
    if facts.texts is not None:
        return characters(facts.texts)
    raise ValueError("no text")


ATTRIBUTES = [
    Attribute(
        name="eLen", summary="length of the entity in tokens", values=entity_length, of=Of.UNIT, depends_on=Scope.UNIT,
        tasks=SPANS, buckets=Counts(), core=True, phrase="{units} of length {range}",
        phrases={1.0: "{units} of one token", 2.0: "{units} of two tokens", 3.0: "{units} of three tokens"},
    ),
    Attribute(
        name="sLen", summary="length of the sentence in tokens", values=sentence_length, of=Of.ITEM,
        depends_on=Scope.ITEM, tasks=TAGGED, core=True, phrase="{units} in sentences of {range} tokens",
    ),
    Attribute(
        name="eChars", summary="length of the entity in characters", values=entity_characters, of=Of.UNIT,
        depends_on=Scope.UNIT, tasks=SPANS, needs=frozenset({Need.WORDS}), phrase="{units} of {range} characters",
    ),
    Attribute(
        name="tokens", summary="length of the text in tokens", values=sentence_length, of=Of.ITEM,
        depends_on=Scope.ITEM, tasks=WHOLE, needs=frozenset({Need.WORDS}), core=True,
        phrase="{units} of {range} tokens",
    ),
    Attribute(
        name="chars", summary="length of the text in characters", values=text_characters, of=Of.ITEM,
        depends_on=Scope.ITEM, tasks=EVERY - TAGGED, needs=frozenset({Need.WORDS}),
        phrase="{units} of {range} characters",
    ),
]  # fmt: skip
