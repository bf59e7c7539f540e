from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_scores import f1

from slicewise.stats import exchange as tested
from slicewise.stats.exchange import ClusterTable, Exchanges, slice_randomisation
from slicewise.stats.tests import randomisation_p

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def mean(sums: Array) -> Array:
    return np.asarray(
        np.divide(sums[..., 0], sums[..., 2], out=np.full(sums.shape[:-1], np.nan), where=sums[..., 2] > 0)
    )


def weighted(sums: Array) -> Array:
    """Use all statistics, curved, and undefined for some sums."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sqrt(sums[..., 0] + 0.3 * sums[..., 1] - 0.25 * sums[..., 2]) * np.exp(-sums[..., 1] / 50))


def cells(rng: np.random.Generator, clusters: int, systems: int, slices: int, units: float = 1.3) -> Array:
    """Return (tp, n_pred, n_gold) of clusters with few units, each in one slice."""
    result = np.zeros((clusters, systems, slices, 3))
    for _ in range(int(clusters * units)):
        cluster, at, hard = rng.integers(clusters), rng.integers(slices), rng.random() < 0.4
        right = rng.random(systems) < (0.5 + 0.3 * np.arange(systems) / systems if hard else 1)
        n_pred = right + rng.integers(0, 2, size=systems) * hard
        result[cluster, :, at] += np.stack([right, n_pred, np.ones(systems)], axis=1)
    return result


def pairs_of(systems: int) -> Array:
    return np.array([(i, j) for i in range(systems) for j in range(systems) if i != j or not i])


def assert_equal(arrays: list[Array], finish: Any, pairs: Array, draws: int, seed: int) -> list[tuple[Array, Array]]:
    found = slice_randomisation(arrays, finish, pairs, draws=draws, seed=seed)
    assert len(found) == len(arrays)
    for array, (p, undefined) in zip(arrays, found, strict=True):
        assert p.shape == undefined.shape == (len(pairs), array.shape[2])
        for at in range(array.shape[2]):
            expected_p, expected = randomisation_p(array[:, :, at], finish, pairs, draws=draws, seed=seed)
            assert np.array_equal(p[:, at], expected_p, equal_nan=True)
            assert np.array_equal(undefined[:, at], expected)
    return found


@pytest.mark.parametrize("finish", [f1, mean, weighted])
@pytest.mark.parametrize(("clusters", "draws"), [(1, 10), (7, 64), (150, 1000), (700, 700)])
def test_every_slice_has_the_p_it_has_alone(clusters: int, draws: int, finish: Any) -> None:
    rng = np.random.default_rng(clusters)
    arrays = [cells(rng, clusters, 4, slices) for slices in (3, 1, 5)]
    found = assert_equal(arrays, finish, pairs_of(4), draws, 3)
    if clusters > 100:
        assert len(np.unique(np.concatenate([p.ravel() for p, _ in found]))) > 30


@with_examples(30)
@given(st.integers(1, 25), st.integers(1, 4), st.integers(0, 3), st.integers(0, 140), st.integers(0, 2**32))
def test_small_tables_too(clusters: int, systems: int, slices: int, draws: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    array = rng.integers(-3, 4, size=(clusters, systems, slices, 3)) * (rng.random((clusters, 1, slices, 3)) < 0.5)
    for finish in (f1, weighted):
        assert_equal([array, array * 2.0], finish, pairs_of(systems), draws, seed)


def test_slices_without_units_and_systems_that_agree() -> None:
    array = cells(np.random.default_rng(0), 60, 3, 4)
    array[:, :, 1] = 0
    array[:, :, 2] = array[:, :1, 2]
    (p, undefined), *_ = assert_equal([array], f1, pairs_of(3), 200, 1)
    assert np.isnan(p[:, 1]).all()
    assert (undefined[:, 1] == 200).all()
    assert (p[:, 2] == 1).all()
    assert (p[1:, 0] < 1).any()


def test_undefined_draws_are_counted() -> None:
    array = np.zeros((3, 2, 2, 3))
    array[0, 0, 0] = array[1, 1, 0] = 1  # exchanging one of them empties a side
    array[2, :, 1] = [[1, 1, 1], [0, 0, 0]]
    (p, undefined), *_ = assert_equal([array], f1, np.array([(0, 1)]), 300, 2)
    assert 0 < undefined[0, 0] < 300
    assert np.isnan(p[0, 1])


@pytest.mark.parametrize("unit", [0.5, 0.3, 1 / 7])
def test_fractions(unit: float) -> None:
    array = cells(np.random.default_rng(5), 200, 4, 3)
    array[..., 0] *= unit
    for finish in (f1, mean):
        assert_equal([array], finish, pairs_of(4), 500, 0)
    array[..., 0] += np.random.default_rng(1).random(array.shape[:-1]) * (array[..., 0] > 0)
    assert_equal([array], mean, pairs_of(4), 500, 0)


def test_undefined_statistics_concern_their_system_only() -> None:
    array = cells(np.random.default_rng(5), 50, 3, 2)
    array[4, 0, 0, 0] = np.nan
    p = assert_equal([array], f1, pairs_of(3), 100, 0)[0][0]
    assert np.isnan(p).any()
    assert not np.isnan(p).all()


@pytest.mark.parametrize("largest", [2**11, 2**24 + 1, 2**40 + 1])
def test_large_whole_numbers(largest: int) -> None:
    rng = np.random.default_rng(1)
    array = cells(rng, 40, 3, 2) * rng.integers(1, largest, size=(40, 1, 1, 3))
    assert_equal([array], f1, pairs_of(3), 300, 0)
    assert_equal([array], lambda sums: sums[..., 0] + sums[..., 1], pairs_of(3), 300, 0)


def test_a_first_system_far_from_the_pairs_tested() -> None:
    array = np.random.default_rng(1).integers(0, 2**20, size=(30, 3, 1, 3)).astype(float)
    array[:, 0] = 2**45
    assert_equal([array], f1, np.array([(1, 2)]), 300, 0)
    assert_equal([array], lambda sums: sums[..., 0] - sums[..., 2], np.array([(1, 2)]), 300, 0)


def test_many_statistics_and_more_systems_than_a_tile_has_columns() -> None:
    rng = np.random.default_rng(2)
    many = rng.integers(0, 9, size=(40, 3, 2, 60)) * (rng.random((40, 1, 2, 1)) < 0.6)
    assert_equal([many], lambda sums: sums[..., :30].sum(axis=-1) / sums[..., 30:].max(axis=-1), pairs_of(3), 200, 0)
    most = rng.integers(0, 9, size=(20, 2, 1, 1500))
    assert_equal([most], lambda sums: sums[..., :700].sum(axis=-1) / sums[..., -1], pairs_of(2), 70, 0)
    assert_equal([cells(rng, 30, 35, 2)], f1, pairs_of(35)[::9], 100, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AT_ONCE", 0),
        ("AT_ONCE", 2**30),
        ("HELD", 0),
        ("FEW", 0),
        ("FEW", 1),
        ("JUDGED_AT_ONCE", 1),
        ("JUDGED_AT_ONCE", 700),
        ("SPARSE", 0),
        ("EXACT_IN_SINGLE", 0),
    ],
)
def test_blocks_make_no_difference(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tested, name, value)
    assert_equal([cells(np.random.default_rng(8), 300, 4, 3)], f1, pairs_of(4), 700, 5)


def test_the_draws_are_whole_and_fair() -> None:
    exchanges = Exchanges.drawn(20, 4000, 1)
    some, none = np.array([3, 11]), np.empty((0, 2))
    tables = [
        ClusterTable.cut(np.eye(20, dtype=np.float32)),
        ClusterTable.cut(np.eye(2), some),
        ClusterTable.cut(none, np.array([], int)),
    ]
    moved, moved_of_some, moved_of_none = exchanges.sums(tables)
    assert moved.shape == (20, 4000)
    assert set(np.unique(moved)) == {0, 1}
    assert np.abs(moved.mean(axis=1) - 0.5).max() < 4.5 * 0.5 / np.sqrt(4000)
    assert np.array_equal(moved_of_some, moved[some])
    assert moved_of_none.tolist() == [[0.0] * 4000] * 2


def test_the_callers_numbers_are_left_alone() -> None:
    array = cells(np.random.default_rng(8), 30, 3, 2)
    before = array.copy()
    slice_randomisation([array], f1, pairs_of(3), draws=70, seed=0)
    assert np.array_equal(array, before)


def test_no_arrays_no_pairs_and_no_clusters() -> None:
    assert slice_randomisation([], f1, pairs_of(2), draws=10, seed=0) == []
    (p, undefined), *_ = slice_randomisation([np.ones((4, 2, 3, 3))], f1, np.empty((0, 2)), draws=10, seed=0)
    assert p.shape == undefined.shape == (0, 3)
    assert_equal([np.empty((0, 2, 3, 3))], f1, pairs_of(2), 10, 0)


def test_arrays_of_different_clusters_are_refused() -> None:
    with pytest.raises(ValueError, match="arrays of 3, 4 clusters cannot share"):
        slice_randomisation([np.ones((3, 2, 1, 3)), np.ones((4, 2, 1, 3))], f1, pairs_of(2), draws=10, seed=0)
