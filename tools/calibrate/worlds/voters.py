"""Several systems of which no vote is better than one of them: on hard items each of them tosses a coin."""

from __future__ import annotations

import numpy as np

from calibrate.worlds.documents import Documents
from slicewise.arrays import Array, Ints

EASY, HARD = 0.5, 0.3
"""Shares of the items that all get right, and of those for which each system tosses a coin; none gets the others."""
ACCURACY = EASY + HARD / 2
COMP = 1 - (1 - EASY - HARD + HARD / 4) / (1 - EASY - HARD / 2)
"""Of two systems: the share of one's errors that the other does not make."""


def coin_tossers(rng: np.random.Generator, world: Documents, document: Ints, systems: int) -> dict[str, Array]:
    """Return who is right where; documents differ in how many easy items they have."""
    uniform = world.uniform(rng, document, "accuracy 0.5")
    coins = rng.random((systems, len(document))) < 0.5
    right = (uniform > 1 - EASY) | ((uniform > 1 - EASY - HARD) & coins)
    return {f"s{i}": values.astype(float) for i, values in enumerate(right)}


def independent(rng: np.random.Generator, document: Ints, systems: int, accuracy: float) -> dict[str, Array]:
    """Return systems that fail independently of each other, so that a vote of all is better than any."""
    return {f"s{i}": (rng.random(len(document)) < accuracy).astype(float) for i in range(systems)}


def vote_of_three(accuracy: float) -> float:
    """Return how often two of three independent systems are right."""
    return accuracy**3 + 3 * accuracy**2 * (1 - accuracy)
