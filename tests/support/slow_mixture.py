"""A slow and obvious counterpart of the mixture of tests with and without an effect: plain expectation maximisation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS = 3000


def density(z: float, variance: float) -> float:
    return math.exp(-z * z / variance / 2) / math.sqrt(2 * math.pi * variance)


def slow_mixture(z: Sequence[float]) -> tuple[float, float]:
    """Return the share of tests that have an effect, and τ², of z ~ π₀N(0, 1) + (1 − π₀)N(0, 1 + τ²)."""
    fits = [_climbed(z, start) for start in (0.5, 4.0, 30.0)]

    def log_likelihood(fit: tuple[float, float]) -> float:
        share, spread = fit
        return math.fsum(math.log((1 - share) * density(x, 1) + share * density(x, 1 + spread)) for x in z)

    return max(fits, key=log_likelihood)


def _climbed(z: Sequence[float], spread: float) -> tuple[float, float]:
    share = 0.5
    for _ in range(STEPS):
        effects = []
        for x in z:
            with_effect, without = share * density(x, 1 + spread), (1 - share) * density(x, 1)
            effects.append(with_effect / (with_effect + without))
        last = share, spread
        share = math.fsum(effects) / len(z)
        spread = math.fsum(e * x * x for e, x in zip(effects, z, strict=True)) / math.fsum(effects) - 1
        if spread <= 0:
            return 0.0, 0.0
        if abs(share - last[0]) + abs(spread - last[1]) < 1e-10:
            break
    return share, spread
