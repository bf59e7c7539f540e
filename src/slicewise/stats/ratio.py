"""Division that is undefined, not an error, where there is nothing to divide by."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from slicewise.arrays import Array


def ratio(numerator: ArrayLike, denominator: ArrayLike, *, otherwise: float = np.nan) -> Array:
    """Return numerator/denominator, broadcast against each other; NaN, or `otherwise`, where the denominator is 0."""
    above, below = np.asarray(numerator), np.asarray(denominator, np.float64)
    result = np.full(np.broadcast(above, below).shape, otherwise)
    np.divide(above, below, out=result, where=below != 0)
    return result
