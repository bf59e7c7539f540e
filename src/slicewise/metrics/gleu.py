"""GLEU, Google's: the n-grams that match among those of the output or the reference, whichever has more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.metrics.metric import text_metric
from slicewise.metrics.texts import pairs, words
from slicewise.stats.ratio import ratio

ORDER = 4


def ngrams(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    """Count all runs of one to four tokens."""
    return Counter(tuple(tokens[i : i + n]) for n in range(1, ORDER + 1) for i in range(len(tokens) - n + 1))


def gleu_counts(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """N-grams that match and n-grams of the longer side, with the best reference of each item."""
    texts = pairs(gold, outputs)
    counts = np.zeros((len(texts.item), 2))
    for i, (output, reference) in enumerate(zip(words(texts.outputs), words(texts.references), strict=True)):
        returned, expected = ngrams(output), ngrams(reference)
        counts[i] = (returned & expected).total(), max(returned.total(), expected.total())
    return counts[texts.best(item_gleu(counts), counts[:, 1])]


def gleu(sums: Array) -> Array:
    """Matches/all; undefined where there is no text."""
    return ratio(sums[..., 0], sums[..., 1])


def item_gleu(counts: Array) -> Array:
    """Finish one item in the same way; nothing expected and nothing returned is right."""
    return np.where(counts[..., 1] == 0, 1.0, gleu(counts))


METRICS = [
    text_metric("gleu", "share of 1- to 4-grams that match (Google's GLEU)", gleu_counts, gleu, item_finish=item_gleu)
]
