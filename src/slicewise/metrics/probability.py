"""How good probabilities are: of a yes in every item, or of the words of a text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from slicewise.annotations import Task
from slicewise.errors import quoted
from slicewise.metrics.mean import mean
from slicewise.metrics.metric import ItemError, Metric, ratio
from slicewise.metrics.reading import LARGEST, probabilities, references, truths, words

if TYPE_CHECKING:
    import polars as pl

    from slicewise.metrics.metric import Array

TEXT = frozenset({Task.TEXT})
LEAST = 1e-15
"""What is true is given at least this probability, so that one item cannot make a loss infinite."""
EDGES = np.arange(1, 10) / 10
"""Where the ten bins of the calibration error end; a bin includes its end."""
LARGEST_EXPONENT = 700.0


def losses(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Each item once, with −log of the probability of what is true."""
    true, given = truths(references(gold)), probabilities(outputs)
    found = np.where(true == 1, given, 1 - given)
    return np.column_stack([np.ones(len(found)), -np.log(np.maximum(found, LEAST))])


def likelihood(sums: Array) -> Array:
    """exp(−log loss): the geometric mean of the probabilities of what is true."""
    return np.exp(-mean(sums))


def squares(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Each item once, with the square of what its probability lacks."""
    true, given = truths(references(gold)), probabilities(outputs)
    return np.column_stack([np.ones(len(given)), (given - true) ** 2])


def surpluses(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Each item once, with probability less truth in the column of its bin."""
    true, given = truths(references(gold)), probabilities(outputs)
    found = np.zeros((len(given), 2 + len(EDGES)))
    found[:, 0] = 1
    found[np.arange(len(given)), 1 + np.searchsorted(EDGES, given)] = given - true
    return found


def calibration_error(sums: Array) -> Array:
    """Σ over bins of items/all items · |mean probability − share of ones|."""
    return ratio(np.abs(sums[..., 1:]).sum(axis=-1), sums[..., 0])


def log_probabilities(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """(tokens, Σ log p) of an item; one number is of the whole item, whose tokens are the words of gold."""
    found = np.zeros((len(outputs), 2))
    for item, (expected, given) in enumerate(zip(words(references(gold)), words(outputs), strict=True)):
        if expected and not given:
            raise ItemError(item, "the output is empty; expected log probabilities, as -0.5 -2.25")
        logs = [_log_probability(text, item) for text in given]
        found[item] = max(len(expected), 1) if len(logs) == 1 else len(logs), math.fsum(logs)
    return found


def _log_probability(text: str, item: int) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ItemError(item, f"{quoted(text)} is no number; expected log probabilities, separated by spaces")
    if not -LARGEST <= found <= 0:
        what = f"{quoted(text)} is no log probability"
        raise ItemError(item, f"{what}; expected a natural logarithm, from {-LARGEST:g} to 0")
    return found


def perplexity(sums: Array) -> Array:
    """exp(−Σ log p/tokens)."""
    return np.exp(np.minimum(-ratio(sums[..., 1], sums[..., 0]), LARGEST_EXPONENT))


METRICS = [
    Metric(
        name="log-loss",
        summary="mean −log of the probability of what is true",
        tasks=TEXT,
        statistics=losses,
        finish=mean,
        greater_is_better=False,
        best=0.0,
    ),
    Metric(
        name="likelihood",
        summary="geometric mean of the probability of what is true, exp(−log loss)",
        tasks=TEXT,
        statistics=losses,
        finish=likelihood,
    ),
    Metric(
        name="brier",
        summary="mean squared error of probabilities",
        tasks=TEXT,
        statistics=squares,
        finish=mean,
        greater_is_better=False,
        best=0.0,
    ),
    Metric(
        name="ece",
        summary="expected calibration error, in ten bins of equal width",
        tasks=TEXT,
        statistics=surpluses,
        finish=calibration_error,
        greater_is_better=False,
        best=0.0,
        item_score=False,
    ),
    Metric(
        name="perplexity",
        summary="exp(−mean log probability of a token)",
        tasks=TEXT,
        statistics=log_probabilities,
        finish=perplexity,
        greater_is_better=False,
    ),
]
