"""ROUGE: F1 of the words, pairs of words or longest common subsequence of an output and its best reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.metrics.mean import mean
from slicewise.metrics.metric import text_metric
from slicewise.metrics.texts import pairs
from slicewise.stats.ratio import ratio

Tokens = list[list[str]]

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}"
"""Scripts that put no space between words: each character is a token."""
TOKEN = rf"[{UNSPACED}]|[\p{{L}}\p{{M}}\p{{N}}--[{UNSPACED}]]+"


def tokens(texts: pl.Series) -> Tokens:
    """Return runs of letters and digits, lower case; on ASCII what the package rouge_score makes without stemming."""
    return texts.str.to_lowercase().str.extract_all(TOKEN).to_list()


def ngram_counts(outputs: Tokens, references: Tokens, order: int) -> Array:
    """How many n-grams match, and how many the output and the reference have."""
    counts = np.zeros((len(outputs), 3))
    for i, (output, reference) in enumerate(zip(outputs, references, strict=True)):
        returned, expected = (
            Counter(zip(*(side[n:] for n in range(order)), strict=False)) for side in (output, reference)
        )
        counts[i] = (returned & expected).total(), returned.total(), expected.total()
    return counts


def subsequence_counts(outputs: Tokens, references: Tokens) -> Array:
    """How long the longest common subsequence is, and how long the output and the reference."""
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cpdist

    common = cpdist(outputs, references, scorer=LCSseq.similarity, dtype=np.int64)
    return np.column_stack([common, [len(t) for t in outputs], [len(t) for t in references]]).astype(np.float64)


def f1(gold: pl.Series | None, outputs: pl.Series, counts: Callable[[Tokens, Tokens], Array]) -> Array:
    """Each item once, with the F1 of its best reference; a text too short to count is right where the tokens are."""
    texts = pairs(gold, outputs)
    returned, expected = tokens(texts.outputs), tokens(texts.references)
    matched, n_returned, n_expected = counts(returned, expected).T
    equal = np.array([a == b for a, b in zip(returned, expected, strict=True)], np.float64)
    total = n_returned + n_expected
    scores = np.where(total == 0, equal, ratio(2 * matched, total))
    best = scores[texts.best(scores, total)]
    return np.column_stack([np.ones(texts.items), best])


METRICS = [
    text_metric(name, f"mean F1 of {what}", partial(f1, counts=counts), mean)
    for name, what, counts in (
        ("rouge-1", "words", partial(ngram_counts, order=1)),
        ("rouge-2", "pairs of words", partial(ngram_counts, order=2)),
        ("rouge-l", "the longest common subsequence of words", subsequence_counts),
    )
]
