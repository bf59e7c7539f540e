"""Permutation tests over data sets, written from the definitions: loops, and all permutations or swaps."""

from __future__ import annotations

from itertools import permutations, product
from math import isnan, sqrt
from typing import Any

Rows = list[list[float | None]]
"""Data sets × buckets; None where a bucket is empty."""


def slow_standardised(values: Rows, variances: Rows) -> Rows:
    """Deviations from the weighted mean over √(variance + variance between), one data set after the other."""

    def centred(row: list[float | None], own: list[float]) -> list[float | None]:
        there = [(x, v) for x, v in zip(row, own, strict=True) if x is not None]
        mean = sum(x / v for x, v in there) / sum(1 / v for _, v in there)
        return [None if x is None else x - mean for x in row]

    excess = scale = 0.0
    kept = [(row, own) for row, own in zip(values, variances, strict=True) if sum(x is not None for x in row) > 1]
    for row, own in kept:
        known = [v for x, v in zip(row, own, strict=True) if x is not None and v is not None]
        deviations = centred(row, [v or 1.0 for v in own])
        excess += sum(x * x / v for x, v in zip([d for d in deviations if d is not None], known, strict=True))
        excess -= len(known) - 1
        scale += sum(1 / v for v in known) - sum(1 / v**2 for v in known) / sum(1 / v for v in known)
    between = max(0.0, excess / scale)
    result = []
    for row, own in kept:
        total = [(v or 1.0) + between for v in own]
        deviations = centred(row, total)
        result.append([None if d is None else d / sqrt(v) for d, v in zip(deviations, total, strict=True)])
    return result


def bucket_means(rows: Rows) -> list[float]:
    columns = [[x for x in column if x is not None] for column in zip(*rows, strict=True)]
    return [sum(column) / len(column) if column else float("nan") for column in columns]


def exact_p(rows: Rows, best: int, worst: int) -> float:
    """Return the share of all permutations within data sets with a gap as large."""
    means = bucket_means(rows)
    observed = means[best] - means[worst]
    places = [[k for k, x in enumerate(row) if x is not None] for row in rows]
    far = total = 0
    for orders in product(*(permutations(own) for own in places)):
        permuted: Rows = [[None] * len(row) for row in rows]
        for row, order, own, values in zip(permuted, orders, places, rows, strict=True):
            for at, source in zip(own, order, strict=True):
                row[at] = values[source]
        filled = [column for column in bucket_means(permuted) if not isnan(column)]
        far += max(filled) - min(filled) >= observed - 1e-9
        total += 1
    return far / total


def f1(counts: Any) -> float | None:
    """F1 of (tp, n_pred, n_gold)."""
    tp, returned, expected = counts
    return None if returned + expected == 0 else float(2 * tp / (returned + expected))


def slow_variances(cells: Any) -> list[float]:
    """Return the variance of F1 in each bucket, of clusters × runs × buckets × (tp, n_pred, n_gold).

    A jackknife over the clusters that have units there, taken together with 20 typical units.
    """
    runs, buckets = range(len(cells[0])), range(len(cells[0][0]))
    sizes = [sum(sum(c[r][k][1:]) for c in cells for r in runs) / (2 * len(runs)) for k in buckets]
    each = [[[c[r][k] for r in runs] for c in cells] for k in buckets]
    everything = [[[sum(c[r][k][j] for k in buckets) for j in range(3)] for r in runs] for c in cells]
    typical = _jackknife(everything) * sum(sizes)
    return [(n * _jackknife(own) * n + 20 * typical) / (n + 20) / n for n, own in zip(sizes, each, strict=True)]


def _jackknife(clusters: Any) -> float:
    """Of clusters × runs × counts."""
    there = [i for i, cluster in enumerate(clusters) if any(any(counts) for counts in cluster)]
    left = []
    for out in there:
        scores = []
        for run in range(len(clusters[0])):
            sums = [sum(c[run][j] for i, c in enumerate(clusters) if i != out) for j in range(3)]
            scores.append(f1(sums) or 0.0)
        left.append(sum(scores) / len(scores))
    mean = sum(left) / len(left)
    return float((len(left) - 1) / len(left) * sum((x - mean) ** 2 for x in left))


def swapped_differences(cells: Any, swapped: Any) -> list[float | None]:
    """Return a − b of each bucket where these clusters were swapped: clusters × 2 × buckets × counts."""
    result: list[float | None] = []
    for k in range(len(cells[0][0])):
        sums = [[0.0] * 3, [0.0] * 3]
        for cluster, swap in zip(cells, swapped, strict=True):
            for side in range(2):
                counts = cluster[1 - side if swap else side][k]
                sums[side] = [x + y for x, y in zip(sums[side], counts, strict=True)]
        a, b = f1(sums[0]), f1(sums[1])
        result.append(None if a is None or b is None else a - b)
    return result


def exact_swaps_p(sets: list[Any]) -> tuple[float, float]:
    """Return the p of the largest and of the smallest mean difference over all swaps of clusters that differ."""
    observed = bucket_means([swapped_differences(cells, [False] * len(cells)) for cells in sets])
    each = []
    for cells in sets:
        ways = [(False, True) if cluster[0] != cluster[1] else (False,) for cluster in cells]
        each.append([swapped_differences(cells, bits) for bits in product(*ways)])
    high = low = total = 0
    for rows in product(*each):
        means = [x for x, o in zip(bucket_means(list(rows)), observed, strict=True) if not isnan(x) and not isnan(o)]
        high += max(means) >= max(o for o in observed if not isnan(o)) - 1e-9
        low += min(means) <= min(o for o in observed if not isnan(o)) + 1e-9
        total += 1
    return high / total, low / total
