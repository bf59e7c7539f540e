"""Folds of a cross-validation: of equal size, and drawn without a look at the data."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slicewise.stats.folds import folds_of


@given(st.integers(1, 300), st.integers(1, 12))
def test_folds_are_of_equal_size_and_follow_the_place(clusters: int, folds: int) -> None:
    place = np.random.default_rng(clusters).permutation(clusters)
    fold = folds_of(place, folds)
    sizes = np.bincount(fold, minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    assert np.array_equal(fold, folds_of(np.arange(clusters), folds)[place])


def test_what_is_best_without_a_fold_is_not_best_in_it_by_luck() -> None:
    """Three equal systems: the one that is best elsewhere is right as often as any, though items are sorted."""
    held_out = []
    for seed in range(300):
        right = np.random.default_rng(seed).random((100, 3)) < 0.7
        right = right[np.lexsort(right.T)]
        fold = folds_of(np.arange(100), 10)
        picked = [int(right[fold != k].sum(axis=0).argmax()) for k in range(10)]
        held_out.append(np.mean([right[i, picked[fold[i]]] for i in range(100)]))
    assert abs(np.mean(held_out) - 0.7) < 0.01
