"""Metrics of an output's words: as a bag, or position by position."""

from __future__ import annotations

import re
import string
from collections import Counter

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.metrics.mean import mean
from slicewise.metrics.metric import ItemError, text_metric
from slicewise.metrics.texts import pairs, words

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)


def answer_words(text: str) -> list[str]:
    """Return the words of an answer as SQuAD compares them: lower case, no punctuation, no articles."""
    return ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split()


def token_f1(output: str, reference: str) -> float:
    """F1 of two bags of words; nothing expected and nothing returned is right."""
    returned, expected = answer_words(output), answer_words(reference)
    total = len(returned) + len(expected)
    return 2 * (Counter(returned) & Counter(expected)).total() / total if total else 1.0


def best_f1(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Each item once, with the F1 of its best reference."""
    texts = pairs(gold, outputs)
    scores = np.array([token_f1(*pair) for pair in zip(texts.outputs, texts.references, strict=True)], np.float64)
    return np.column_stack([np.ones(texts.items), scores[texts.best(scores, np.zeros_like(scores))]])


def positions(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Words and how many stand in their place, with the best reference that has as many words as the output."""
    texts = pairs(gold, outputs)
    counts = np.full((len(texts.item), 2), -1.0)
    sides = list(zip(words(texts.outputs), words(texts.references), strict=True))
    for i, (output, reference) in enumerate(sides):
        if len(output) == len(reference):
            counts[i] = len(output), sum(a == b for a, b in zip(output, reference, strict=True))
    best = texts.best(counts[:, 1], counts[:, 0])
    unequal = np.flatnonzero(counts[best, 0] < 0)
    if len(unequal):
        returned, expected = (len(side) for side in sides[best[unequal[0]]])
        raise ItemError(int(unequal[0]), f"{returned:,} tokens where the reference has {expected:,}; expected as many")
    return counts[best]


def positions_expected(counts: Array) -> Array:
    """Return how many words there are."""
    return counts[..., 0]


def item_share_in_place(counts: Array) -> Array:
    """Finish one item in the same way; nothing expected and nothing returned is right."""
    return np.where(counts[..., 0] == 0, 1.0, mean(counts))


METRICS = [
    text_metric("token-f1", "mean F1 of the words of answers, as in SQuAD", best_f1, mean),
    text_metric(
        "token-accuracy",
        "share of tokens that are right, position by position",
        positions,
        mean,
        size=positions_expected,
        item_finish=item_share_in_place,
    ),
]
