"""Shares of cases that are wholly right, and of labels that are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slicewise.annotations import Task
from slicewise.metrics.counts import CASES, N_GOLD, RIGHT, TP, by_label, cases, classes
from slicewise.metrics.metric import Metric, ratio
from slicewise.metrics.texts import pairs

if TYPE_CHECKING:
    import polars as pl

    from slicewise.metrics.metric import Array

ONE_LABEL = frozenset({Task.LABELS, Task.TOKENS})


def share_right(counts: Array) -> Array:
    """Right cases/cases."""
    return ratio(counts[..., RIGHT], counts[..., CASES])


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
    return ratio(wrong, sums[..., CASES] * counts.shape[-2])


def text_matches(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Whether an output is, but for spaces at its ends, one of the references."""
    found = pairs(gold, outputs)
    same = (found.outputs.str.strip_chars() == found.references.str.strip_chars()).fill_null(False).to_numpy()
    right = np.bincount(found.item, same, minlength=found.items) > 0
    return np.column_stack([np.ones(found.items), right.astype(np.float64)])


METRICS = [
    Metric(
        name="accuracy",
        summary="share of items (tokens, in tokens) whose label is right",
        tasks=ONE_LABEL,
        reduce=cases,
        finish=share_right,
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
    ),
    Metric(
        name="hamming-loss",
        summary="share of wrong decisions among all items × labels",
        tasks=frozenset({Task.MULTILABEL}),
        finish=hamming_loss,
        greater_is_better=False,
        best=0.0,
    ),
]

TEXT_METRICS = [
    Metric(
        name="exact-match",
        summary="share of outputs equal to a reference",
        tasks=frozenset({Task.TEXT}),
        statistics=text_matches,
        finish=share_right,
    ),
]
