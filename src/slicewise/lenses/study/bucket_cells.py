"""Statistics by cluster and bucket, which tests over data sets permute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.bucketing import Buckets
from slicewise.evaluation import Evaluation
from slicewise.lenses.slicing.breakdown import Measure, Plan, Sliced, sizes
from slicewise.stats.canonical import canonical_order


@dataclass(frozen=True, eq=False)
class BucketCells:
    """The statistics of one attribute's buckets."""

    cells: NDArray[np.floating[Any]]
    """`(clusters, runs, slots, k)`, clusters in an order that comes from their statistics alone."""
    sizes: Array
    """How many units each run has in each slot, those expected and those returned averaged: `(runs, slots)`."""


def bucket_cells(
    evaluation: Evaluation, plan: Plan, measure: Measure, given: Mapping[str, Buckets], runs: Sequence[str]
) -> dict[str, BucketCells]:
    """Return the statistics of each attribute's buckets, as `buckets` cuts them, of some runs."""
    places = [evaluation.systems.index(run) for run in runs]
    result = {}
    for broken in Sliced(evaluation, plan, measure).broken_down(given):
        cells = broken.cells[:, places]
        order = canonical_order(cells.reshape(len(cells), len(places), prod(cells.shape[2:])))
        result[broken.name] = BucketCells(cells[order], np.mean(sizes(broken, measure), axis=0)[places])
    return result
