"""Accuracy, exact match and Hamming loss."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.metrics.counts import CASES, N_GOLD, ONE_LABEL, RIGHT, TP, by_label, cases, classes
from slicewise.metrics.metric import Metric, text_metric
from slicewise.metrics.texts import pairs
from slicewise.stats.ratio import ratio


def share_right(counts: Array) -> Array:
    """Right cases/cases."""
    return ratio(counts[..., RIGHT], counts[..., CASES])


def all_cases(counts: Array) -> Array:
    """Return how many cases there are."""
    return counts[..., CASES]


def decisions(sums: Array) -> Array:
    """Items × labels that gold or any system uses."""
    return np.asarray(sums[..., CASES] * by_label(sums).shape[-2])


def balanced_accuracy(sums: Array) -> Array:
    """Mean recall of the classes that gold has, the negative label among them."""
    counts = classes(sums)
    expected = counts[..., N_GOLD] > 0
    recalls = np.nan_to_num(ratio(counts[..., TP], counts[..., N_GOLD]))
    return ratio(recalls.sum(axis=-1), expected.sum(axis=-1))


def hamming_loss(sums: Array) -> Array:
    """Wrong label decisions/(items × labels that gold or any system uses)."""
    counts = by_label(sums)
    wrong = (counts[..., 1] + counts[..., 2] - 2 * counts[..., TP]).sum(axis=-1)
    return ratio(wrong, decisions(sums))


def text_matches(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Whether an output is, but for spaces at its ends, one of the references."""
    texts = pairs(gold, outputs)
    equal = (texts.outputs.str.strip_chars() == texts.references.str.strip_chars()).fill_null(False).to_numpy()
    right = np.bincount(texts.item, equal, minlength=texts.items) > 0
    return np.column_stack([np.ones(texts.items), right.astype(np.float64)])


METRICS = [
    Metric(
        name="accuracy",
        summary="share of items (tokens, in tokens) whose label is right",
        tasks=ONE_LABEL,
        reduce=cases,
        finish=share_right,
        size=all_cases,
    ),
    Metric(
        name="balanced-accuracy",
        summary="mean recall of the classes",
        tasks=ONE_LABEL,
        finish=balanced_accuracy,
        item_score=False,
    ),
    Metric(
        name="exact-match",
        summary="share of items whose set of units is wholly right",
        tasks=frozenset({Task.SPANS, Task.MULTILABEL}),
        reduce=cases,
        finish=share_right,
        size=all_cases,
    ),
    Metric(
        name="hamming-loss",
        summary="share of wrong decisions among all items × labels",
        tasks=frozenset({Task.MULTILABEL}),
        finish=hamming_loss,
        size=decisions,
        greater_is_better=False,
        best=0.0,
        worst=1.0,
    ),
    text_metric("exact-match", "share of outputs equal to a reference", text_matches, share_right, size=all_cases),
]
