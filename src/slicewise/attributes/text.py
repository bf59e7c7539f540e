"""Texts compared with themselves, with their reference and with a system's output."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.aggregate import ratio
from slicewise.attributes.attribute import WHOLE, Attribute, Need, Of, Scope
from slicewise.attributes.density import per_token
from slicewise.attributes.facts import Facts
from slicewise.metrics.texts import output_texts
from slicewise.words import Words, split_words


def richness(facts: Facts) -> pl.Series:
    """Return the share of an item's tokens that are different (types/tokens)."""
    corpus = facts.required_corpus
    words = int(facts.token.max(initial=0)) + 1
    tokens = np.sort(corpus.item * words + facts.token)  # items stay where they are
    new = np.concatenate([[0], np.cumsum(np.diff(tokens, prepend=-1) > 0)])
    return per_token(facts, np.diff(new[corpus.offsets]))


def reference_ratio(facts: Facts) -> pl.Series:
    """Return the number of tokens of the (first) reference over that of the input."""
    return _ratio(facts, _first(facts.evaluation.answers("gold")))


def output_ratio(facts: Facts, system: str) -> pl.Series:
    """Return the number of tokens of the system's output over that of the input."""
    return _ratio(facts, output_texts(facts.evaluation.answers(system)))


def overlap(facts: Facts) -> pl.Series:
    """Return the share of the (first) reference's tokens that the input has too."""
    corpus = facts.required_corpus
    reference = split_words(_first(facts.evaluation.answers("gold")))
    items = np.repeat(np.arange(facts.items), np.diff(reference.offsets))
    ours = pl.DataFrame({"item": corpus.item, "token": corpus.tokens.str.to_lowercase()}).unique()
    theirs = pl.DataFrame({"item": items, "token": reference.tokens.str.to_lowercase()})
    shared = theirs.join(ours, on=["item", "token"], how="semi")["item"].to_numpy()
    return ratio(np.bincount(shared, minlength=facts.items), np.diff(reference.offsets))


def _ratio(facts: Facts, texts: pl.Series) -> pl.Series:
    words: Words = split_words(texts)
    return ratio(np.diff(words.offsets), facts.lengths)


def _first(references: pl.Series) -> pl.Series:
    return references.list.first() if isinstance(references.dtype, pl.List) else references


TEXT = frozenset({Task.TEXT})
BOTH = frozenset({Need.WORDS, Need.GOLD})

ATTRIBUTES = [
    Attribute(
        name="richness", summary="share of the text's tokens that are different ones", values=richness, of=Of.ITEM,
        depends_on=Scope.ITEM, tasks=WHOLE, needs=frozenset({Need.WORDS}),
        phrase="{units} with a share of {range} different tokens",
    ),
    Attribute(
        name="refRatio", summary="length of the reference over length of the input, in tokens", values=reference_ratio,
        of=Of.ITEM, depends_on=Scope.ITEM, tasks=TEXT, needs=BOTH, core=True,
        phrase="{units} whose reference is {range} times as long as the input",
    ),
    Attribute(
        name="outRatio", summary="length of the system's output over length of the input, in tokens",
        values=output_ratio, of=Of.OUTPUT, depends_on=Scope.ITEM | Scope.OUTPUT, tasks=TEXT,
        needs=frozenset({Need.WORDS}), phrase="{units} whose output is {range} times as long as the input",
    ),
    Attribute(
        name="overlap", summary="share of the reference's tokens that the input has too", values=overlap, of=Of.ITEM,
        depends_on=Scope.ITEM, tasks=TEXT, needs=BOTH, core=True,
        phrase="{units} whose reference has a share of {range} in common with the input",
    ),
]  # fmt: skip
