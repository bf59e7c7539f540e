"""The units behind the numbers of `buckets`: those of every bucket."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slicewise.arrays import Ints
from slicewise.attributes.facts import expanded
from slicewise.lenses.buckets.result import BucketsResult
from slicewise.lenses.contract import LensContext
from slicewise.lenses.slice_rows import SliceRows
from slicewise.lenses.slicing.breakdown import Described, Plan, Sliced, find_measure
from slicewise.results.slices import bucket_slice


def slices(_: BucketsResult, context: LensContext) -> Iterator[SliceRows]:
    """Yield the units of every bucket of every attribute."""
    options = context.options
    plan = Plan.of(**options.slicing, crosses=options.cross)
    sliced = Sliced(context.evaluation, plan, find_measure(context.evaluation, options.metrics, options.beta))
    for breakdown in sliced.broken_down(options.shared_buckets):
        for k, slot in enumerate(breakdown.slots):
            rows = np.unique(np.concatenate([np.flatnonzero(codes == k) for codes in breakdown.codes]))
            yield SliceRows(
                name=bucket_slice(breakdown.name, slot.name),
                title=f"{breakdown.name} {slot.interval}: {breakdown.said(k)}",
                rows=_as_units(sliced, breakdown.described, rows),
            )


def _as_units(sliced: Sliced, described: Described, rows: Ints) -> Ints:
    """Return the units that some rows of an attribute belong to: itself, or the entities around a token."""
    if described.rows is None or described.rows is sliced.facts.units:
        return rows
    units, labels = sliced.facts.units, max(1, len(sliced.evaluation.aligned.labels))
    row, position = expanded(*sliced.facts.unit_ranges)
    tokens = described.rows.position * labels + described.rows.label  # in order, each once
    at = np.searchsorted(tokens, position * labels + units.label[row])
    chosen = np.zeros(len(tokens), np.bool_)
    chosen[rows] = True
    return np.unique(row[chosen[at]])
