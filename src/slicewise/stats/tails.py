"""Lower tail probabilities: p and its logarithm, which stays finite where p underflows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array

LN10 = math.log(10)


@dataclass(frozen=True, eq=False)
class Tail:
    """One-sided p-values, and their logarithms to the base of 10."""

    p: Array
    log10_p: Array


def lower_normal(z: NDArray[Any]) -> Tail:
    """Return the share of the standard normal distribution below z; NaN stays NaN."""
    from scipy.special import log_ndtr, ndtr

    z = np.asarray(z, dtype=np.float64)
    return Tail(np.asarray(ndtr(z)), np.asarray(log_ndtr(z)) / LN10)
