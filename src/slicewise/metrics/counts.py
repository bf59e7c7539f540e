"""The statistics of set tasks, on the last axis: cases, right ones, unanswered ones, (tp, n_pred, n_gold) per label.

A case is what is wholly right or not: a token in `tokens`, an item in the other tasks. In `labels` and `tokens` every
case has one label, so what the labels leave over belongs to the negative label, or has no answer: `classes` adds both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.stats.ratio import ratio

CASES, RIGHT, UNANSWERED, FIRST_LABEL = range(4)
TP, N_PRED, N_GOLD = range(3)
ONE_LABEL = frozenset({Task.LABELS, Task.TOKENS})
"""Tasks in which every case has exactly one label."""


def by_label(sums: Array) -> Array:
    """Return the counts of each label, `(..., labels, 3)`."""
    return sums[..., FIRST_LABEL:].reshape(*sums.shape[:-1], (sums.shape[-1] - FIRST_LABEL) // 3, 3)


def total(sums: Array) -> Array:
    """Return the counts of all labels together, `(..., 3)`."""
    return np.asarray(by_label(sums).sum(axis=-2))


def cases(sums: Array) -> Array:
    """Return how many cases there are and how many are right, `(..., 2)`."""
    return sums[..., :UNANSWERED]


def classes(sums: Array) -> Array:
    """Return the counts of each label, of the negative one, and of no answer, `(..., labels + 2, 3)`."""
    labels = by_label(sums)
    none = np.zeros_like(sums[..., UNANSWERED])
    silent = np.stack([none, sums[..., UNANSWERED], none], axis=-1)
    all_cases = np.stack([sums[..., RIGHT], sums[..., CASES], sums[..., CASES]], axis=-1)
    negative = all_cases - labels.sum(axis=-2) - silent
    return np.concatenate([labels, negative[..., None, :], silent[..., None, :]], axis=-2)


def precision(counts: Array) -> Array:
    """tp/n_pred; undefined where nothing was returned."""
    return ratio(counts[..., TP], counts[..., N_PRED])


def recall(counts: Array) -> Array:
    """tp/n_gold; undefined where nothing was expected."""
    return ratio(counts[..., TP], counts[..., N_GOLD])


def f_beta(counts: Array, beta: float = 1.0) -> Array:
    """(1+β²)PR/(β²P+R), which is (1+β²)tp/(β² n_gold + n_pred): 0 where tp is 0, undefined where there is nothing."""
    weight = beta * beta
    return ratio((1 + weight) * counts[..., TP], weight * counts[..., N_GOLD] + counts[..., N_PRED])


def n_pred(counts: Array) -> Array:
    """How many units were returned."""
    return counts[..., N_PRED]


def n_gold(counts: Array) -> Array:
    """How many units were expected."""
    return counts[..., N_GOLD]


def f_size(counts: Array, beta: float = 1.0) -> Array:
    """How many units F_β is a share of, (β² n_gold + n_pred)/(1+β²): (n_gold + n_pred)/2 of F1."""
    weight = beta * beta
    return np.asarray((weight * counts[..., N_GOLD] + counts[..., N_PRED]) / (1 + weight))


@dataclass(frozen=True)
class Proportion:
    """A share of units, from their counts."""

    value: Callable[[Array], Array]
    size: Callable[[Array], Array]
    """How many units it is a share of."""


def f_proportion(beta: float) -> Proportion:
    """Return F_β."""
    return Proportion(partial(f_beta, beta=beta), partial(f_size, beta=beta))


PRECISION, RECALL = Proportion(precision, n_pred), Proportion(recall, n_gold)
PROPORTIONS = {"precision": PRECISION, "recall": RECALL, "f1": Proportion(f_beta, f_size)}
"""What is said of counts `(..., 3)` wherever they are shown."""
