"""Comparative diagnosis: the buckets in which two systems differ most, tested before they are picked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.evaluation import Evaluation
from slicewise.lenses.slicing.breakdown import Measure
from slicewise.lenses.slicing.draws import BucketDraws
from slicewise.lenses.slicing.result import BucketDifference, Comparison, Extreme
from slicewise.results.base import Bounds, defined
from slicewise.stats.exchange import slice_randomisation
from slicewise.stats.multiplicity import benjamini_hochberg


def pairs_to_compare(
    evaluation: Evaluation, compared: Sequence[str], requested: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return the pairs of systems to compare: all, a < b by code points, or those asked for, in their order."""
    if not requested:
        return list(combinations(sorted(compared), 2))
    names = {name: runs[0] for name, runs in evaluation.restarts.items()} | {run: run for run in evaluation.systems}
    for pair in requested:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise UserError(f"{quoted(','.join(pair))} are not two systems; write --compare A,B")
        for name in pair:
            if name not in names:
                raise UserError(f"no system {quoted(name)} to compare; {did_you_mean(name, names)}")
    return [(names[a], names[b]) for a, b in requested]


def listed_pairs(
    evaluation: Evaluation, compared: Sequence[str], requested: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return the pairs asked for, each once; all of them must take part."""
    pairs = list(dict.fromkeys(pairs_to_compare(evaluation, compared, requested)))
    if absent := [name for pair in pairs for name in pair if name not in compared]:
        raise UserError(f"{quoted(absent[0])} is a restart that takes no part; add --restarts each")
    return pairs


def compare_systems(
    evaluation: Evaluation,
    tallies: Sequence[BucketDraws],
    pairs: Sequence[tuple[str, str]],
    measure: Measure,
    *,
    draws: int,
    seed: int,
) -> tuple[Comparison, ...]:
    """Test every pair of systems in every bucket, correct over all of them, then pick the two extremes."""
    comparable = [t for t in tallies if t.broken.shared and t.broken.slots]
    if not pairs or not comparable:
        return ()
    places = np.array([[evaluation.systems.index(name) for name in pair] for pair in pairs])
    p_values = [np.full((len(pairs), len(t.broken.slots)), np.nan) for t in comparable]
    if draws:
        cells = [t.broken.cells for t in comparable]
        p_values = [p for p, _ in slice_randomisation(cells, measure.finish, places, draws=draws, seed=seed)]
        # one bucket is all units: that difference is no finding about buckets
        p_values = [
            p if (~np.isnan(t.values).all(axis=0)).sum() > 1 else np.full(p.shape, np.nan)
            for t, p in zip(comparable, p_values, strict=True)
        ]
    corrected = benjamini_hochberg(np.concatenate([p.ravel() for p in p_values]))
    comparisons, at = [], 0
    for tally, p in zip(comparable, p_values, strict=True):
        q = corrected[at : at + p.size].reshape(p.shape)
        at += p.size
        comparisons += _compared(tally, pairs, places, p, q)
    order = {pair: i for i, pair in enumerate(pairs)}
    return tuple(sorted(comparisons, key=lambda c: order[c.a, c.b]))


def _compared(
    tally: BucketDraws, pairs: Sequence[tuple[str, str]], places: NDArray[np.int64], p: Array, q: Array
) -> list[Comparison]:
    difference = tally.values[places[:, 0]] - tally.values[places[:, 1]]
    nowhere: NDArray[np.bool_] = np.asarray(np.isnan(difference).all(axis=1))
    largest = np.argmax(np.where(np.isnan(difference), -np.inf, difference), axis=1)
    smallest = np.argmin(np.where(np.isnan(difference), np.inf, difference), axis=1)
    bounds: list[Bounds | None] = [None] * (2 * len(pairs))
    if tally.drawn_values is not None:
        slot = np.concatenate([largest, smallest])
        a, b = np.tile(places[:, 0], 2), np.tile(places[:, 1], 2)
        drawn = tally.drawn_values[:, a, slot] - tally.drawn_values[:, b, slot]
        bounds = tally.difference_bounds(tally.values[a, slot] - tally.values[b, slot], drawn)

    def extreme(i: int, k: int, ci: Bounds | None) -> Extreme:
        if nowhere[i]:
            return Extreme(bucket=None, difference=None)
        return Extreme(
            bucket=tally.broken.slots[k].name,
            difference=defined(float(difference[i, k])),
            ci=ci,
            p=defined(float(p[i, k])),
            q=defined(float(q[i, k])),
        )

    return [
        Comparison(
            a=a,
            b=b,
            attribute=tally.broken.name,
            buckets=tuple(
                BucketDifference(
                    bucket=bucket.name,
                    difference=defined(float(difference[i, k])),
                    p=defined(float(p[i, k])),
                    q=defined(float(q[i, k])),
                )
                for k, bucket in enumerate(tally.broken.slots)
            ),
            largest=extreme(i, int(largest[i]), bounds[i]),
            smallest=extreme(i, int(smallest[i]), bounds[len(pairs) + i]),
        )
        for i, (a, b) in enumerate(pairs)
    ]
