"""Metrics of probabilities: of a binary outcome, or of the tokens of a text."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.errors import quoted
from slicewise.metrics.mean import mean
from slicewise.metrics.metric import ItemError, text_loss, text_metric
from slicewise.metrics.reading import LARGEST, probabilities, references, truths, words
from slicewise.stats.ratio import ratio

LEAST = 1e-15
"""What is true is given at least this probability, so that one item cannot make a loss infinite."""
EDGES = np.arange(1, 10) / 10
"""Where the ten bins of the calibration error end; a bin includes its end."""
LARGEST_EXPONENT = 700.0


def losses(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Each item once, with −log of the probability of what is true."""
    true, probability = truths(references(gold)), probabilities(outputs)
    of_truth = np.where(true == 1, probability, 1 - probability)
    return np.column_stack([np.ones(len(of_truth)), -np.log(np.maximum(of_truth, LEAST))])


def likelihood(sums: Array) -> Array:
    """exp(−log loss): the geometric mean of the probabilities of what is true."""
    return np.exp(-mean(sums))


def squares(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Each item once, with the square of what its probability lacks."""
    true, probability = truths(references(gold)), probabilities(outputs)
    return np.column_stack([np.ones(len(probability)), (probability - true) ** 2])


def surpluses(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Each item once, with probability less truth in the column of its bin."""
    true, probability = truths(references(gold)), probabilities(outputs)
    columns = np.zeros((len(probability), 2 + len(EDGES)))
    columns[:, 0] = 1
    columns[np.arange(len(probability)), 1 + np.searchsorted(EDGES, probability)] = probability - true
    return columns


def calibration_error(sums: Array) -> Array:
    """Σ over bins of items/all items · |mean probability − share of ones|."""
    return ratio(np.abs(sums[..., 1:]).sum(axis=-1), sums[..., 0])


def log_probabilities(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """(tokens, Σ log p) of an item; one number is of the whole item, whose tokens are the words of gold."""
    sums = np.zeros((len(outputs), 2))
    for item, (expected, returned) in enumerate(zip(words(references(gold)), words(outputs), strict=True)):
        if expected and not returned:
            raise ItemError(item, "the output is empty; expected log probabilities, as -0.5 -2.25")
        logs = [_log_probability(text, item) for text in returned]
        sums[item] = max(len(expected), 1) if len(logs) == 1 else len(logs), math.fsum(logs)
    return sums


def _log_probability(text: str, item: int) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ItemError(item, f"{quoted(text)} is no number; expected log probabilities, separated by spaces")
    if not -LARGEST <= number <= 0:
        message = f"{quoted(text)} is no log probability"
        raise ItemError(item, f"{message}; expected a natural logarithm, from {-LARGEST:g} to 0")
    return number


def perplexity(sums: Array) -> Array:
    """exp(−Σ log p/tokens)."""
    return np.exp(np.minimum(-ratio(sums[..., 1], sums[..., 0]), LARGEST_EXPONENT))


METRICS = [
    text_loss("log-loss", "mean −log of the probability of what is true", losses, mean),
    text_metric("likelihood", "geometric mean of the probability of what is true, exp(−log loss)", losses, likelihood),
    text_loss("brier", "mean squared error of probabilities", squares, mean, worst=1.0),
    text_loss(
        "ece",
        "expected calibration error, in ten bins of equal width",
        surpluses,
        calibration_error,
        worst=1.0,
        item_score=False,
    ),
    text_metric(
        "perplexity",
        "exp(−mean log probability of a token)",
        log_probabilities,
        perplexity,
        greater_is_better=False,
        worst=None,
    ),
]
