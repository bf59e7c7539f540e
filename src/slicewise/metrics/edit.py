"""Error rates: how many words or characters must be changed, per word or character of the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.metrics.mean import mean
from slicewise.metrics.metric import Metric, text_loss, text_metric
from slicewise.metrics.texts import pairs, words
from slicewise.stats.ratio import ratio

Split = Callable[[pl.Series], Sequence[Sequence[str]]]


def characters(texts: pl.Series) -> list[str]:
    """Return texts as sequences of characters, without the white space at their ends."""
    return [text.strip() for text in texts]


def edits(gold: pl.Series | None, outputs: pl.Series, split: Split) -> Array:
    """Edits and the length of the reference, with the reference of each item that has the lowest rate."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    texts = pairs(gold, outputs)
    expected = split(texts.references)
    changed = cpdist(split(texts.outputs), expected, scorer=Levenshtein.distance, dtype=np.int64)
    counts = np.column_stack([changed, [len(reference) for reference in expected]]).astype(np.float64)
    return counts[texts.best(-item_rate(counts), counts[:, 1])]


def rates(gold: pl.Series | None, outputs: pl.Series, split: Split) -> Array:
    """Each item once, with its rate."""
    counts = edits(gold, outputs, split)
    return np.column_stack([np.ones(len(counts)), item_rate(counts)])


def rate(sums: Array) -> Array:
    """Edits/length; 1 where there are edits but no reference has a text, undefined where no output has one either."""
    return np.where((sums[..., 1] == 0) & (sums[..., 0] > 0), 1.0, ratio(sums[..., 0], sums[..., 1]))


def item_rate(counts: Array) -> Array:
    """Finish one item in the same way; nothing expected and nothing returned is right."""
    return np.where(counts.sum(axis=-1) == 0, 0.0, rate(counts))


def accuracy(sums: Array, of: Callable[[Array], Array] = rate) -> Array:
    """1 − the rate, but not below 0."""
    return np.maximum(1 - of(sums), 0.0)


def edit_metrics(short: str, unit: str, split: Split) -> list[Metric]:
    """Return the rate over the corpus, the mean of the items' rates, and the accuracy."""
    return [
        text_loss(
            short,
            f"{unit} error rate: edits/length of the references",
            partial(edits, split=split),
            rate,
            item_finish=item_rate,
        ),
        text_loss(f"mean-{short}", f"mean {unit} error rate of the items", partial(rates, split=split), mean),
        text_metric(
            f"{short}-accuracy",
            f"1 − {unit} error rate, but not below 0",
            partial(edits, split=split),
            accuracy,
            item_finish=partial(accuracy, of=item_rate),
        ),
    ]


METRICS = [*edit_metrics("wer", "word", words), *edit_metrics("cer", "character", characters)]
