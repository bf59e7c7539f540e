"""Sums by limbs against `math.fsum`, which rounds once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slicewise.stats.exact import from_limbs, limbs

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def total(values: np.ndarray) -> float:
    """Return the sum of numbers through the sums of their limbs."""
    return float(from_limbs({place: np.array([part.sum()]) for place, part in limbs(values).items()})[0])


@given(st.lists(NUMBERS, min_size=1, max_size=50))
def test_numbers_come_back(values: list[float]) -> None:
    """Limbs hold every bit of a number."""
    numbers = np.array(values)
    np.testing.assert_array_equal(from_limbs(limbs(numbers)), numbers)


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=200))
def test_sums_are_those_of_fsum(values: list[float]) -> None:
    """What is lost is below one unit in the last place."""
    assert total(np.array(values)) == pytest.approx(math.fsum(values), rel=3e-16, abs=1e-300)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=100), st.integers(1, 99), st.randoms())
def test_parts_and_order_make_no_difference(values: list[float], cut: int, random: object) -> None:
    """Sums of parts, added up in another order, are the same to the last bit."""
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    parts: dict[int, np.ndarray] = {}
    for some in (shuffled[:cut], shuffled[cut:]):
        for place, own in limbs(np.array(some)).items():
            parts[place] = parts.get(place, np.zeros(1, np.int64)) + own.sum()
    assert float(from_limbs(parts)[0]) == total(np.array(values))


def test_a_million_large_numbers_do_not_overflow() -> None:
    """Sums of limbs fit 64 bits."""
    values = np.full(1_000_000, 2.0**30 - 2.0**-20)
    assert total(values) == 1_000_000 * (2.0**30 - 2.0**-20)


def test_nothing_is_zero() -> None:
    """No numbers, and zeros alone, have limbs too."""
    assert list(limbs(np.zeros(0))) == [0]
    assert total(np.zeros(3)) == 0
