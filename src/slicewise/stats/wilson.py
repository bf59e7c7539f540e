"""Wilson intervals of proportions that come in clusters: as if of fewer, independent units.

How many fewer, the design effect, is the variance over draws of clusters by that of independent units. An interval is
never of zero width: 12 of 12 do not make certain that the next is right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.stats.contrasts import TYPICAL
from slicewise.stats.ratio import ratio

LEAST_EFFECT = 1e-9
"""A smaller design effect is rounding: the draws do not vary."""


def wilson_bounds(shares: NDArray[Any], sizes: NDArray[Any], quantile: float) -> tuple[Array, Array]:
    """Return the bounds of Wilson's interval of shares of so many units; NaN where the share or the size is unknown.

    `quantile` is that of the normal distribution or of Student's t, 1.96 for 95 %.
    """
    shares, sizes = np.asarray(shares, np.float64), np.asarray(sizes, np.float64)
    weight = ratio(quantile * quantile, sizes)
    centre = (shares + weight / 2) / (1 + weight)
    half = np.sqrt(weight * (shares * (1 - shares) + weight / 4)) / (1 + weight)
    # rounding must not leave the estimate outside
    return np.clip(centre - half, 0.0, shares), np.clip(centre + half, shares, 1.0)


def design_effects(shares: NDArray[Any], variance: NDArray[Any], sizes: NDArray[Any]) -> Array:
    """Return the variance of shares by that of as many independent units; NaN where it cannot be known.

    A share of 0 or 1, or one that is the same in every draw, says nothing of how units vary.
    """
    effects = ratio(np.asarray(variance, np.float64) * sizes, np.asarray(shares * (1 - shares), np.float64))
    return np.where(effects > LEAST_EFFECT, effects, np.nan)


def or_independent(effects: NDArray[Any]) -> Array:
    """Return design effects with 1, that of independent units, where they are unknown."""
    return np.where(np.isnan(effects), 1.0, effects)


def units_together(sizes: NDArray[Any], variance: NDArray[Any], clusters: int) -> Array:
    """Return how many units there are in the cluster of a unit, Σn²/Σn, from the variance of their number over draws.

    Clusters without units are among the `clusters` that are drawn.
    """
    sizes = np.asarray(sizes, np.float64)
    return np.fmax(ratio(variance + sizes * sizes / clusters, sizes), 1.0)


def few_clusters_factor(clusters: NDArray[Any]) -> Array:
    """Return C/(C − 1): draws of C clusters vary less than clusters do, by as much. Below 2, that of 2."""
    most = np.maximum(clusters, 2.0)
    return np.asarray(most / (most - 1))


def expected_effects(corpus: NDArray[Any], together: NDArray[Any], corpus_together: NDArray[Any]) -> Array:
    """Return the design effects to expect in slices with so many units to a cluster.

    What exceeds 1 comes of units of the same cluster being alike, and grows with the others there are: a slice
    with few units to a cluster has less of it than the corpus. Where the corpus has hardly two to a cluster, it does
    not tell how alike they are.
    """
    independent = np.minimum(corpus, 1.0)
    return np.asarray(independent + (corpus - independent) * (together - 1) / np.maximum(corpus_together - 1, 1.0))


def pooled_effects(observed: NDArray[Any], expected: NDArray[Any], sizes: NDArray[Any]) -> Array:
    """Return the design effects of slices as if some units with the expected effect were among their own."""
    sizes = np.asarray(sizes, np.float64)
    return np.asarray(
        (sizes * np.where(np.isnan(observed), expected, observed) + TYPICAL * expected) / (sizes + TYPICAL)
    )
