from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from slicewise.stats.student import two_sided

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


@given(st.floats(-60, 60), st.floats(1, 1e6))
def test_tails_are_those_of_scipy(t: float, degrees: float) -> None:
    found = two_sided(np.array([t]), np.array([degrees]))[0]
    np.testing.assert_allclose(found, 2 * student.sf(abs(t), degrees), rtol=1e-7, atol=1e-300)


def test_many_at_once_infinite_degrees_and_undefined() -> None:
    found = two_sided(np.array([[0.0, 2.0, np.nan], [1.0, -3.0, 1e9]]), np.array([np.inf, 3.5, 2.0]))
    expected = [[1.0, 2 * student.sf(2, 3.5), np.nan], [2 * norm.sf(1), 2 * student.sf(3, 3.5), 2 * student.sf(1e9, 2)]]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
