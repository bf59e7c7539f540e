"""What is believed of gaps that were picked for being large: a slow reference, laws, and a simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.slow_buckets import slow_factors

from slicewise.stats.shrinkage import bucket_factors

VALUES = st.lists(st.tuples(st.floats(0, 1), st.floats(1e-6, 0.1)), min_size=2, max_size=6)
ATTRIBUTES = st.lists(VALUES, min_size=1, max_size=5)


@given(ATTRIBUTES)
def test_factors_as_a_slow_reference(attributes: list[list[tuple[float, float]]]) -> None:
    found = bucket_factors([tuple(np.array(attribute).T) for attribute in attributes])
    assert found.tolist() == pytest.approx(slow_factors(attributes), abs=1e-9)
    assert ((found >= 0) & (found <= 1)).all()


@given(ATTRIBUTES, st.data())
def test_empty_buckets_and_their_order_make_no_difference(
    attributes: list[list[tuple[float, float]]], data: st.DataObject
) -> None:
    changed = [[*data.draw(st.permutations(attribute)), (np.nan, np.nan)] for attribute in attributes]
    plain, other = (bucket_factors([tuple(np.array(a).T) for a in these]) for these in (attributes, changed))
    assert other.tolist() == pytest.approx(plain.tolist())


def test_what_is_certain_is_believed_and_what_varies_by_chance_is_not() -> None:
    values = np.array([0.2, 0.5, 0.9])
    assert bucket_factors([(values, np.full(3, 1e-12))]) == pytest.approx([1.0])
    assert bucket_factors([(values, np.ones(3))]) == pytest.approx([0.0])
    assert bucket_factors([(np.ones(3), np.zeros(3))]) == pytest.approx([1.0])  # there is nothing to shrink


def test_an_attribute_with_one_bucket_has_no_factor() -> None:
    one, several = (np.array([0.5]), np.array([0.01])), (np.array([0.2, 0.8]), np.array([0.01, 0.01]))
    assert np.isnan(bucket_factors([one]))
    assert bucket_factors([several, one])[0] == pytest.approx(bucket_factors([several])[0])


def test_the_widest_gap_is_nearer_to_the_truth_once_it_is_shrunk() -> None:
    """Twelve attributes of four buckets; the truth varies as much as chance."""
    rng = np.random.default_rng(5)
    raw, shrunk, true = [], [], []
    for _ in range(300):
        truth = rng.normal(0.8, 0.03, (12, 4))
        seen = truth + rng.normal(0, 0.03, truth.shape)
        widest = int(np.argmax(np.ptp(seen, axis=1)))
        hi, lo = int(seen[widest].argmax()), int(seen[widest].argmin())
        factor = bucket_factors([(row, np.full(4, 0.03**2)) for row in seen])[widest]
        raw.append(seen[widest, hi] - seen[widest, lo])
        shrunk.append(factor * raw[-1])
        true.append(truth[widest, hi] - truth[widest, lo])
    assert np.mean(raw) / np.mean(true) > 1.6
    assert 0.9 < np.mean(shrunk) / np.mean(true) < 1.4
