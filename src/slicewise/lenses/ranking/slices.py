"""The items or units that have the features of a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from slicewise.arrays import Ints, Mask
from slicewise.evaluation import Evaluation
from slicewise.extract.family import Quantity
from slicewise.lenses.ranking.result import FeatureList
from slicewise.lenses.slice_rows import SliceRows
from slicewise.results.slices import feature_slice


def among(quantities: Sequence[Quantity], of_whom: Mask) -> list[Quantity]:
    """Return numbers of some units only: what is large depends on the others."""
    return [replace(quantity, values=np.where(of_whom, quantity.values, np.nan)) for quantity in quantities]


def feature_slices(
    evaluation: Evaluation,
    ranked: FeatureList,
    rows_by_feature: Mapping[str, Ints],
    of_whom: Mask | None,
    place: str,
    over: str | None = None,
) -> Iterator[SliceRows]:
    """Yield the rows of each feature, all or those `of_whom`; `place` is the system that slices are named after."""
    noun = {"items": "Items", "gold": "Gold units", "returned": "Returned units"}[ranked.over]
    for name, rows in rows_by_feature.items():
        yield SliceRows(
            name=feature_slice(over or ranked.over, place, name),
            title=f"{noun} with {name}",
            rows=rows if of_whom is None else rows[of_whom[rows]],
            of_items=of_whom is None and evaluation.task.has_units,
            system=ranked.system if ranked.system in evaluation.systems else None,
        )
