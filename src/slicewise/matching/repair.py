"""What F1 would gain if all errors of one kind were repaired."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.stats.ratio import ratio

FOUND = np.array([1, 1, 1, 1, 0])  # by kind, in the order of `KINDS`: true positives that a repair adds
RETURNED = np.array([0, 0, 0, 1, -1])  # and returned units that it adds


def repaired_f1(tp: NDArray[Any], n_pred: NDArray[Any], n_gold: NDArray[Any], errors: NDArray[Any]) -> Array:
    """Return the gain in F1 per kind of error, `(..., kinds)`, from counts `(...)` and errors `(..., kinds)`.

    A repaired pair or missed unit is found, a repaired spurious unit is gone. NaN where either F1 is undefined.
    """
    tp, n_pred, n_gold = (np.asarray(counts, dtype=np.float64)[..., None] for counts in (tp, n_pred, n_gold))
    repaired = _f1(tp + FOUND * errors, n_pred + RETURNED * errors, n_gold)
    return np.asarray(repaired - _f1(tp, n_pred, n_gold))


def _f1(tp: Array, n_pred: Array, n_gold: Array) -> Array:
    return ratio(2 * tp, n_pred + n_gold)
