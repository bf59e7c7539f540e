"""F_β of several labels per item, which a system may return with probabilities."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.errors import quoted
from slicewise.metrics.counts import f_proportion, total
from slicewise.metrics.metric import TEXT, ItemError, Metric, unchanged
from slicewise.metrics.prf import f_name, of_items
from slicewise.metrics.reading import references, words

THRESHOLD = 0.5
"""A label with at least this probability is returned."""


def label_counts(gold: pl.Series | None, outputs: pl.Series, *, soft: bool) -> Array:
    """(tp, n_pred, n_gold) of an item; `soft`: a label counts as much as it is probable."""
    counts = np.zeros((len(outputs), 3))
    for item, (expected, returned) in enumerate(zip(words(references(gold)), words(outputs), strict=True)):
        weights: dict[str, float] = {}
        for text in returned:
            label, probability = _label(text, item)
            weight = probability if soft else float(probability >= THRESHOLD)
            weights[label] = max(weight, weights.get(label, 0.0))
        labels = set(expected)
        right = math.fsum(weight for label, weight in weights.items() if label in labels)
        counts[item] = right, math.fsum(weights.values()), len(labels)
    return counts


def _label(text: str, item: int) -> tuple[str, float]:
    """Return a label and its probability; a colon without a number behind it belongs to the label."""
    label, _, number = text.rpartition(":")
    try:
        probability = float(number)
    except ValueError:
        return text, 1.0
    if not label:
        return text, 1.0
    if not 0 <= probability <= 1:
        raise ItemError(item, f"{quoted(text)} has the probability {number}; expected LABEL:PROBABILITY, from 0 to 1")
    return label, probability


def multilabel_metrics(beta: float = 1.0) -> list[Metric]:
    """Return the metrics of one β: of labels, of labels in text, and of their probabilities."""
    measure, f = f_proportion(beta), f_name(beta)
    of_labels = Metric(
        name=f"multilabel-{f}",
        summary=f"{f} over all items and labels (micro)",
        tasks=frozenset({Task.MULTILABEL}),
        reduce=total,
        finish=measure.value,
        size=measure.size,
        item_finish=partial(of_items, measure.value),
    )
    in_text = replace(
        of_labels,
        summary=f"{f} over all items and labels, those of probability ½ or more",
        tasks=TEXT,
        reduce=unchanged,
        statistics=partial(label_counts, soft=False),
    )
    soft = replace(
        in_text,
        name=f"soft-multilabel-{f}",
        summary=f"{f} over all items and labels, each as much as it is probable",
        statistics=partial(label_counts, soft=True),
    )
    return [of_labels, in_text, soft]
