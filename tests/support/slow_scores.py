"""Slow and obvious counterparts of scores, their intervals and their tests."""

from __future__ import annotations

import math
from itertools import product
from statistics import variance
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm, t

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Finish = Callable[[Array], Array]

Span = tuple[int, int, int, str]
"""Item, start, end, label."""


def conlleval_spans(sentences: Sequence[Sequence[str]]) -> set[Span]:
    """Read tags as conlleval does: B opens, I continues a span of its type or opens one, all else closes."""
    found: set[Span] = set()
    for item, sentence in enumerate(sentences):
        open_at, open_type = -1, ""
        for at, tag in enumerate([*sentence, "O"]):
            prefix, _, kind = tag.partition("-")
            kind = kind or "_"
            goes_on = open_at >= 0 and prefix in {"I", "M", "E", "L"} and kind == open_type
            if open_at >= 0 and not goes_on:
                found.add((item, open_at, at, open_type))
                open_at = -1
            if prefix != "O" and not goes_on:
                open_at, open_type = at, kind
            if open_at >= 0 and prefix in {"E", "L", "S", "U", "W"}:
                found.add((item, open_at, at + 1, open_type))
                open_at = -1
    return found


def f_beta(tp: float, n_pred: float, n_gold: float, beta: float = 1.0) -> float | None:
    """(1+β²)PR/(β²P+R), 0 where there is no true positive, None where there is nothing at all."""
    if n_pred + n_gold == 0:
        return None
    if tp == 0:
        return 0.0
    precision, recall = tp / n_pred, tp / n_gold
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def f1(sums: NDArray[Any]) -> NDArray[Any]:
    """Return F1 of arrays `(..., 3)` of summed counts: true positives, units returned, gold units; NaN of nothing."""
    units = sums[..., 1] + sums[..., 2]
    return np.asarray(np.divide(2 * sums[..., 0], units, out=np.full(units.shape, np.nan), where=units > 0))


def prf(gold: set[Any], returned: set[Any]) -> tuple[int, int, int, float | None, float | None, float | None]:
    """Return n_gold, n_pred, tp, precision, recall and F1 of two sets."""
    tp = len(gold & returned)
    precision = tp / len(returned) if returned else None
    recall = tp / len(gold) if gold else None
    return len(gold), len(returned), tp, precision, recall, f_beta(tp, len(returned), len(gold))


def label_means(gold: set[Span], returned: set[Span], beta: float = 1.0) -> tuple[float | None, float | None]:
    """Return macro and weighted F_β over the labels of either side."""
    labels = {unit[-1] for unit in gold | returned}
    if not labels:
        return None, None
    scores, weights = [], []
    for label in labels:
        ours, theirs = {u for u in gold if u[-1] == label}, {u for u in returned if u[-1] == label}
        scores.append(f_beta(len(ours & theirs), len(theirs), len(ours), beta) or 0.0)
        weights.append(len(ours))
    macro = sum(scores) / len(scores)
    if not sum(weights):
        return macro, None
    return macro, sum(s * w for s, w in zip(scores, weights, strict=True)) / sum(weights)


def draws_of_swaps(clusters: int, draws: int, seed: int) -> Iterator[list[bool]]:
    """Yield which clusters change places in each draw: bits of the generator, in blocks of 64 draws, high bit first."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    width = (clusters + 7) // 8
    left = draws
    while left > 0:
        block = rng.bytes(width * 64)
        for row in range(min(64, left)):
            some = block[row * width : (row + 1) * width]
            yield [bool(some[i // 8] >> (7 - i % 8) & 1) for i in range(clusters)]
        left -= 64


def difference_after_swaps(statistics: Array, finish: Finish, swapped: Sequence[bool]) -> float:
    """Return |a − b| after exchanging the two systems' statistics of some clusters; `(clusters, 2, k)`."""
    a, b = np.zeros(statistics.shape[2]), np.zeros(statistics.shape[2])
    for row, swap in zip(statistics, swapped, strict=True):
        a, b = (a + row[1], b + row[0]) if swap else (a + row[0], b + row[1])
    return abs(float(finish(a)) - float(finish(b)))


def randomisation_p(statistics: Array, finish: Finish, *, draws: int, seed: int) -> float:
    """Return p of one pair, `(clusters, 2, k)`, draw by draw and cluster by cluster."""
    observed = difference_after_swaps(statistics, finish, [False] * len(statistics))
    as_large = defined = 0
    for swapped in draws_of_swaps(len(statistics), draws, seed):
        difference = difference_after_swaps(statistics, finish, swapped)
        if not np.isnan(difference):
            defined += 1
            as_large += difference >= observed - 1e-12
    return (1 + as_large) / (1 + defined)


def exact_p(statistics: Array, finish: Finish) -> float:
    """Return the share of all ways of swapping in which the difference is as large as observed."""
    observed = difference_after_swaps(statistics, finish, [False] * len(statistics))
    ways = list(product([False, True], repeat=len(statistics)))
    return sum(difference_after_swaps(statistics, finish, way) >= observed - 1e-12 for way in ways) / len(ways)


def bootstrap_values(statistics: Array, finish: Finish, *, draws: int, seed: int) -> list[float]:
    """Return the defined values of one system, `(clusters, k)`, by adding up the drawn clusters one by one."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    chunk = max(1, 2**16 // len(statistics))
    values: list[float] = []
    while len(values) < draws:
        for row in rng.integers(0, len(statistics), size=(min(chunk, draws - len(values)), len(statistics))):
            total = np.zeros(statistics.shape[1])
            for cluster in row:
                total = total + statistics[cluster]
            values.append(float(finish(total)))
    return [value for value in values if not np.isnan(value)]


def bootstrap_interval(statistics: Array, finish: Finish, *, draws: int, seed: int, confidence: float) -> Array:
    """Return the percentile interval of one system."""
    tail = 50 * (1 - confidence)
    values = bootstrap_values(statistics, finish, draws=draws, seed=seed)
    return np.asarray(np.percentile(np.array(values), [tail, 100 - tail]))


def widened_interval(
    statistics: Array, finish: Finish, limits: tuple[float, float], *, draws: int, seed: int, confidence: float
) -> tuple[float, float]:
    """Return the percentile interval of fewer than 100 clusters."""
    clusters, tail = len(statistics), (1 - confidence) / 2
    estimate = float(finish(statistics.sum(axis=0)))
    lo, hi = bootstrap_interval(statistics, finish, draws=draws, seed=seed, confidence=confidence)
    factor = math.sqrt(clusters / (clusters - 1)) * t.isf(tail, clusters - 1) / norm.isf(tail)
    return max(limits[0], estimate - factor * (estimate - lo)), min(limits[1], estimate + factor * (hi - estimate))


def wilson(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Return the two p for which (share − p)² = quantile² p (1 − p)/n."""
    square = quantile**2 / n
    lo, hi = sorted(np.roots([1 + square, -(2 * share + square), share**2]).real)
    return max(float(lo), 0.0), min(float(hi), 1.0)


def corpus_interval(
    statistics: Array, finish: Finish, *, draws: int, seed: int, confidence: float
) -> tuple[float, float]:
    """Return Wilson's interval of a proportion over all clusters, whose effective n its variance over draws gives."""
    clusters, share = len(statistics), float(finish(statistics.sum(axis=0)))
    spread = variance(bootstrap_values(statistics, finish, draws=draws, seed=seed)) * clusters / (clusters - 1)
    return wilson(share, share * (1 - share) / spread, t.isf((1 - confidence) / 2, clusters - 1))


def holm(p: Sequence[float]) -> list[float]:
    """Return Holm's corrected p-values, the smallest first times m, m − 1, …, never decreasing."""
    corrected = [0.0] * len(p)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        highest = max(highest, min(1.0, (len(p) - rank) * p[at]))
        corrected[at] = highest
    return corrected
