"""Kinds of item scores, each as a function of a uniform number: the higher the number, the higher the score."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from slicewise.arrays import Array

Quantile = Callable[[Array], Array]

F1_VALUES = np.array([0.0, 0.4, 0.5, 2 / 3, 0.8, 1.0])
F1_SHARES = np.array([0.05, 0.02, 0.04, 0.06, 0.08])
"""Of all values but the last."""


def binary(uniform: Array, mean: float) -> Array:
    """Return right or wrong."""
    return (uniform > 1 - mean).astype(float)


def f1_like(uniform: Array, perfect: float) -> Array:
    """Return a few fractions, most items being perfect."""
    cuts = np.cumsum(F1_SHARES) / F1_SHARES.sum() * (1 - perfect)
    values: Array = F1_VALUES[np.searchsorted(cuts, uniform)]
    return values


def bleu_like(uniform: Array) -> Array:
    """Return continuous scores between 0 and 100."""
    return np.asarray(100 * uniform**1.5)


def mostly_perfect(uniform: Array, perfect: float) -> Array:
    """Return 1 for most items, and continuous scores for the others."""
    return np.where(uniform < 1 - perfect, uniform / (1 - perfect), 1.0)


def change(uniform: Array, share: float) -> Array:
    """Return −1, 0 or 1: an item that got worse, stayed, got better."""
    return (uniform > 1 - share).astype(float) - (uniform < share)


KINDS: dict[str, Quantile] = {
    "accuracy 0.5": partial(binary, mean=0.5),
    "accuracy 0.85": partial(binary, mean=0.85),
    "accuracy 0.95": partial(binary, mean=0.95),
    "accuracy 0.99": partial(binary, mean=0.99),
    "F1-like": partial(f1_like, perfect=0.75),
    "F1-like 0.98": partial(f1_like, perfect=0.96),
    "BLEU-like": bleu_like,
    "98% perfect": partial(mostly_perfect, perfect=0.98),
    "change": partial(change, share=0.08),
}
