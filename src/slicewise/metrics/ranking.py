"""Metrics of rankings; an item without relevant ids has no score and is left out of the mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.metrics.mean import mean
from slicewise.metrics.metric import Metric, text_metric
from slicewise.metrics.reading import ids, references

Judge = Callable[[Sequence[bool], int], float]
"""From whether each id of a ranking is relevant, and how many are in all, to a score."""

USUAL_DEPTH = 10


def ranking_scores(gold: pl.Series | None, outputs: pl.Series, judge: Judge) -> Array:
    """Each item that has something relevant once, with its score."""
    scores = np.zeros((len(outputs), 2))
    for item, (expected, ranking) in enumerate(zip(ids(references(gold)), ids(outputs), strict=True)):
        if expected:
            relevant = set(expected)
            scores[item] = 1, judge([entry in relevant for entry in ranking], len(relevant))
    return scores


def average_precision(hits: Sequence[bool], relevant: int) -> float:
    """Sum of the precisions at the ranks of what is relevant/relevant ids."""
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit]
    return math.fsum(n / rank for n, rank in enumerate(ranks, 1)) / relevant


def reciprocal_rank(hits: Sequence[bool], relevant: int) -> float:  # noqa: ARG001 (it is a Judge)
    """1/rank of the first relevant id, 0 where there is none."""
    return 1 / (hits.index(True) + 1) if True in hits else 0.0


def gain(hits: Sequence[bool], relevant: int, depth: int) -> float:
    """Discounted gain of the first ids/that of the best ranking."""
    discounted = math.fsum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits[:depth], 1) if hit)
    return discounted / math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(relevant, depth) + 1))


def _mean_of(name: str, summary: str, judge: Judge) -> Metric:
    statistics = partial(ranking_scores, judge=judge)
    return text_metric(name, summary, statistics, mean, rankings=True)


MAP = _mean_of("map", "mean average precision of rankings", average_precision)
MRR = _mean_of("mrr", "mean reciprocal rank of the first relevant id", reciprocal_rank)


def ranking_metrics(depth: int = USUAL_DEPTH) -> list[Metric]:
    """Return the metrics of rankings, with the gain of their first ids to some depth."""
    summary = f"normalised discounted cumulative gain of the first {depth:,} ids"
    return [MAP, MRR, _mean_of(f"ndcg@{depth}", summary, partial(gain, depth=depth))]
