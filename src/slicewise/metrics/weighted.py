"""Counts of items that are counted several times, or not at all, in many draws at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.metrics.metric import Array


def class_counts(column: Array, weights: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return how often each distinct value counts, ascending, `(values, draws)`, and which of them each item has."""
    from scipy.sparse import csr_array

    distinct, place = np.unique(column, return_inverse=True)
    of_value = csr_array((np.ones(len(place)), (place, np.arange(len(place)))), shape=(len(distinct), len(place)))
    return np.asarray(of_value @ weights), place
