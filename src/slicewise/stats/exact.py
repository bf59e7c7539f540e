"""Sums of fractions as sums of whole numbers: exact, and the same in whatever order and parts they are added."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from slicewise.arrays import Array, Ints

LIMB = 30
"""Bits of a number that go into one whole number; so many numbers fit 64 bits as have 33."""
LOWEST, HIGHEST = -36, 34
"""The places of limbs: 2^(30 × place) is worth one there."""


def limbs(values: Array) -> dict[int, Ints]:
    """Return numbers as whole numbers by place: the value is the sum of each times 2^(30 × place).

    Whole numbers below 2^30 need one. What lies below the lowest place, 2^-1080, is nothing.
    """
    by_place: dict[int, Ints] = {}
    remainder = np.asarray(values, np.float64)
    if not len(remainder) or not remainder.any():
        return {0: np.zeros(len(remainder), np.int64)}
    place = min(HIGHEST, int(np.frexp(np.abs(remainder).max())[1]) // LIMB)
    while place >= LOWEST and remainder.any():
        scale = np.ldexp(1.0, -LIMB * place) if LIMB * place > -1000 else None
        digits = np.trunc(remainder * scale if scale is not None else np.ldexp(remainder, -LIMB * place))
        if digits.any():
            by_place[place] = digits.astype(np.int64)
            remainder = remainder - np.ldexp(digits, LIMB * place)
        place -= 1
    return by_place


def exact_total(numbers: Array, counts: Ints) -> float:
    """Return the weighted sum of numbers, rounded once."""
    return total_of({place: int(part @ counts) for place, part in limbs(numbers).items()})


def total_of(sums: Mapping[int, int]) -> float:
    """Return the sum of numbers from the sums of their limbs, rounded once."""
    halves = [(place + shift, half) for place, total in sums.items() for shift, half in _halves(total)]
    return math.fsum(math.ldexp(half, LIMB * place) for place, half in halves)


def _halves(total: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the upper and the lower bits of a sum, which are exact in floating point, and their places."""
    above, below = divmod(total, 1 << LIMB)
    return (1, above), (0, below)


def from_limbs(parts: Mapping[int, Ints]) -> Array:
    """Return sums of numbers from the sums of their limbs, rounded once."""
    size = len(next(iter(parts.values()))) if parts else 0
    top, low = np.zeros(size), np.zeros(size)
    for place in sorted(parts, reverse=True):
        # whole numbers of up to 63 bits: the upper and the lower half are exact in floating point
        high, below = np.divmod(parts[place], np.int64(1 << LIMB))
        for half, scale in ((high, place + 1), (below, place)):
            added = np.ldexp(half.astype(np.float64), LIMB * scale)
            total = top + added
            low += np.where(np.abs(top) >= np.abs(added), (top - total) + added, (added - total) + top)
            top = total
    return top + low
