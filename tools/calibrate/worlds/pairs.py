"""Two systems that are equally good, not equal: each has items and documents of its own in which it fails."""

from __future__ import annotations

import numpy as np

from calibrate.worlds.documents import Documents
from slicewise.arrays import Array, Ints


def two_systems(
    rng: np.random.Generator, world: Documents, document: Ints, kind: str, shift: Array | float = 0.0
) -> dict[str, Array]:
    """Return the scores of two systems; `shift`: how far the second falls, in standard deviations."""
    return {"first": world.scores(rng, document, kind), "second": world.scores(rng, document, kind, shift)}
