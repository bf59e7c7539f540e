"""Do neighbours in a file score alike? The autocorrelation of consecutive items, against permuted ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.stats.tests import TOLERANCE

DRAWS = 499


@dataclass(frozen=True)
class Autocorrelation:
    """The correlation of neighbours, and its one-sided p: large is alike. NaN where nothing varies."""

    correlation: float
    p: float


def autocorrelation(values: NDArray[Any], *, seed: int, draws: int = DRAWS) -> Autocorrelation:
    """Test whether consecutive values are alike; p = (1 + permutations as alike)/(1 + permutations)."""
    centred = np.asarray(values, dtype=np.float64)
    scale = float(np.abs(centred).max(initial=0.0))
    if len(centred) < 3 or not 0 < scale < inf:
        return Autocorrelation(nan, nan)
    centred = centred / scale
    centred -= centred.mean()
    total = float(centred @ centred)
    if not total > TOLERANCE:
        return Autocorrelation(nan, nan)
    observed = float(centred[:-1] @ centred[1:])
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    as_alike = 0
    for _ in range(draws):
        shuffled = rng.permutation(centred)
        as_alike += float(shuffled[:-1] @ shuffled[1:]) >= observed - TOLERANCE * total
    return Autocorrelation(observed / total, (1 + as_alike) / (1 + draws))
