"""Texts of made-up words. Words are topical: what a document is about, it says again and again."""

from __future__ import annotations

import numpy as np

from slicewise.arrays import Ints

TOPICAL = 0.08
"""How unevenly a document uses the words: the shape of a gamma distribution, the smaller the more topical."""


def lengths(rng: np.random.Generator, items: int, mean: int = 9) -> Ints:
    """Return how many tokens each item has, at least two; some are several times as long as others."""
    return np.asarray(2 + rng.poisson((mean - 2) * rng.gamma(3, 1 / 3, items)))


def texts(
    rng: np.random.Generator, document: Ints, tokens: Ints, *, words: int = 250, topical: float | None = TOPICAL
) -> list[str]:
    """Return a text per item; frequent words are frequent in most documents (None: all documents are alike)."""
    frequency = 1 / np.arange(3, words + 3)
    drawn = np.empty(int(tokens.sum()), dtype=np.int64)
    of_token = np.repeat(document, tokens)
    for number in np.unique(document) if topical is not None else [-1]:
        here = of_token == number if topical is not None else np.ones(len(of_token), dtype=bool)
        weights = frequency if topical is None else frequency * rng.gamma(topical, 1, words)
        edges = np.cumsum(weights)
        places = np.searchsorted(edges, rng.random(int(here.sum())) * edges[-1], side="right")
        drawn[here] = np.minimum(places, words - 1)
    names = np.array([f"w{i}" for i in range(words)], dtype=object)[drawn]
    stops = np.cumsum(tokens)
    return [" ".join(names[stop - count : stop]) for stop, count in zip(stops, tokens, strict=True)]
