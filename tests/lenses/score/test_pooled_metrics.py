"""Metrics that are not additive: their intervals and p-values, against all draws there are and the additive road."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import norm, spearmanr, t

from slicewise import Evaluation, UserError, buckets, score
from slicewise.stats.intervals import Resamples
from slicewise.stats.pooled import Pool
from slicewise.stats.tests import randomisation_p

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from slicewise.lenses.score.result import ScoreResult

    Array = NDArray[np.float64]

DOCUMENTS = [0, 0, 1, 2, 2, 2, 3, 4, 4]
GOLD = [1, 2, 3, 4, 5, 5, 7, 8, 9]
A = [1, 2, 4, 3, 6, 5, 7, 9, 8]
B = [2, 1, 5, 9, 3, 6, 1, 8, 4]


def scored(systems: dict[str, Sequence[Any]], *, metric: str = "spearman", **options: Any) -> ScoreResult:
    texts = {name: [str(v) for v in values] for name, values in systems.items()}
    clusters = options.pop("clusters", DOCUMENTS)
    return score(Evaluation.from_texts([str(g) for g in GOLD], texts, clusters=clusters), metrics=metric, **options)


def correlation(items: Sequence[int], values: Sequence[float]) -> float:
    gold = [GOLD[i] for i in items]
    chosen = [values[i] for i in items]
    return float("nan") if len(set(gold)) < 2 or len(set(chosen)) < 2 else float(spearmanr(gold, chosen)[0])


def items_of(documents: Sequence[int]) -> list[int]:
    return [i for document in documents for i, own in enumerate(DOCUMENTS) if own == document]


def test_the_interval_is_of_all_draws_of_documents() -> None:
    result = scored({"a": A, "b": B}, resamples=5000)
    draws = [items_of(drawn) for drawn in product(range(5), repeat=5)]
    every = {name: np.array([correlation(d, v) for d in draws]) for name, v in (("a", A), ("b", B))}
    every["difference"] = every["a"] - every["b"]
    estimates = {name: correlation(range(len(GOLD)), v) for name, v in (("a", A), ("b", B))}
    estimates["difference"] = estimates["a"] - estimates["b"]
    factor = np.sqrt(5 / 4) * t.isf(0.025, 4) / norm.isf(0.025)  # of five documents
    found = {name: result.systems[name].metrics["spearman"].ci for name in "ab"} | {"difference": result.pairs[0].ci}
    for name, values in every.items():
        ci = found[name]
        assert ci is not None
        limit = 2 if name == "difference" else 1
        for bound, share in zip(ci, (0.025, 0.975), strict=True):
            quantiles = np.nanquantile(values, [share - 0.01, share + 0.01])
            lo, hi = np.clip(estimates[name] + factor * (quantiles - estimates[name]), -limit, limit)
            assert lo <= bound <= hi, name
        undefined = np.isnan(values).mean()
        assert 0 < undefined < 0.01


def test_p_is_of_all_exchanges_of_documents() -> None:
    result = scored({"a": A, "b": B}, resamples=10)
    observed = abs(correlation(range(9), A) - correlation(range(9), B))
    large = 0
    for exchanged in product((False, True), repeat=5):
        first = [B[i] if exchanged[DOCUMENTS[i]] else A[i] for i in range(9)]
        second = [A[i] if exchanged[DOCUMENTS[i]] else B[i] for i in range(9)]
        large += abs(correlation(range(9), first) - correlation(range(9), second)) >= observed - 1e-12
    pair = result.pairs[0]
    assert pair.difference == pytest.approx(correlation(range(9), A) - correlation(range(9), B))
    assert pair.p == pytest.approx(large / 32, abs=0.015)
    assert result.inference.draws == 10_000


def test_values_do_not_depend_on_the_draws() -> None:
    result = scored({"a": A, "b": B, "none": [1] * 9}, resamples=50)
    for name, values in (("a", A), ("b", B)):
        assert result.systems[name].metrics["spearman"].value == pytest.approx(spearmanr(GOLD, values)[0])
    nothing = result.systems["none"].metrics["spearman"]
    assert (nothing.value, nothing.ci, nothing.undefined_draws) == (None, None, 50)
    assert {(p.a, p.b): p.p is None for p in result.pairs} == {
        ("a", "b"): False,
        ("a", "none"): True,
        ("b", "none"): True,
    }
    assert scored({"a": A}, resamples=0).systems["a"].metrics["spearman"].ci is None
    assert scored({"a": A}, resamples=50, clusters=["one"] * 9).systems["a"].metrics["spearman"].ci is None


def test_both_kinds_at_once() -> None:
    alone = scored({"a": A, "b": B}, resamples=30)
    texts = {"a": [str(v) for v in A], "b": [str(v) for v in B]}
    evaluation = Evaluation.from_texts([str(g) for g in GOLD], texts, clusters=DOCUMENTS)
    mixed = score(evaluation, metrics=["mse", "spearman", "nmi"], resamples=30)
    assert {p.metric for p in mixed.pairs} == {"mse", "spearman", "nmi"}
    for name in "ab":
        values = mixed.systems[name].metrics
        assert values["spearman"].value == alone.systems[name].metrics["spearman"].value
        assert all(value.ci is not None for value in values.values())


def test_equal_systems_have_p_1() -> None:
    result = scored({"a": A, "b": A}, resamples=20)
    assert (result.pairs[0].p, result.pairs[0].difference, result.pairs[0].ci) == (1.0, 0.0, (0.0, 0.0))


# ------------------------------------------------------------------ the same numbers as on the additive road


def weighted_mean(rows: Array, weights: Array) -> Array:
    sums = weights.T @ rows
    return np.asarray(sums[:, 1] / np.where(sums[:, 0] > 0, sums[:, 0], np.nan))


def mean(sums: Array) -> Array:
    return np.asarray(sums[..., 1] / np.where(sums[..., 0] > 0, sums[..., 0], np.nan))


@pytest.fixture
def items() -> tuple[Array, NDArray[np.int64]]:
    """Statistics of three systems, `(systems, items, 2)`, and the group of each item."""
    rng = np.random.default_rng(4)
    values = rng.integers(0, 6, (3, 400)).astype(np.float64)
    counted = np.broadcast_to(rng.random(400) < 0.7, (3, 400)).astype(np.float64)
    return np.stack([counted, counted * values], axis=2), rng.permutation(np.arange(400) % 37)


def test_a_mean_by_either_road(items: tuple[Array, NDArray[np.int64]]) -> None:
    statistics, group = items
    pool = Pool.of(statistics, group, 37)
    cells = np.stack([statistics[:, group == g].sum(axis=1) for g in range(37)])
    drawn = Resamples(37, 300, 7)
    np.testing.assert_allclose(pool.values(weighted_mean), mean(cells.sum(axis=0)), rtol=1e-12)
    np.testing.assert_allclose(pool.draws(weighted_mean, drawn), mean(drawn.sums(cells)), rtol=1e-12)
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    p, undefined = pool.randomisation_p(weighted_mean, pairs, draws=500, seed=3)
    expected, nowhere = randomisation_p(cells, mean, pairs, draws=500, seed=3)
    np.testing.assert_array_equal(p, expected)
    np.testing.assert_array_equal(undefined, nowhere)


@pytest.mark.parametrize("at_once", [1, 999, 10**7])
def test_blocks_of_draws_make_no_difference(items: tuple[Array, NDArray[np.int64]], at_once: int) -> None:
    pool = Pool.of(*items, 37)
    usual = pool.draws(weighted_mean, Resamples(37, 30, 7)), pool.randomisation_p(weighted_mean, PAIR, draws=70, seed=3)
    drawn = pool.draws(weighted_mean, Resamples(37, 30, 7), at_once=at_once)
    np.testing.assert_allclose(drawn, usual[0], rtol=1e-13)
    assert pool.randomisation_p(weighted_mean, PAIR, draws=70, seed=3, at_once=at_once) == usual[1]


PAIR = np.array([(0, 1)])


def test_the_order_of_items_makes_no_difference(items: tuple[Array, NDArray[np.int64]]) -> None:
    statistics, group = items
    order = np.random.default_rng(0).permutation(len(group))
    one, other = Pool.of(statistics, group, 37), Pool.of(statistics[:, order], group[order], 37)
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.group, other.group)
    np.testing.assert_array_equal(one.fingerprints(), other.fingerprints())
    assert len(np.unique(one.fingerprints())) == 3 * 37
    renumbered = np.random.default_rng(1).permutation(37)
    moved = Pool.of(statistics, np.argsort(renumbered)[group], 37)
    np.testing.assert_array_equal(one.reordered(renumbered).rows, moved.rows)
    np.testing.assert_array_equal(one.fingerprints()[renumbered], moved.fingerprints())


def test_fingerprints_tell_what_belongs_to_which_group() -> None:
    """Two groups with the same sums, but not the same rows."""
    rows = np.array([[[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [-0.0, 1.0]]])
    found = Pool.of(rows, np.array([0, 0, 1, 1, 2, 2]), 3).fingerprints()[:, 0, 0]
    assert found[0] == found[2]
    assert found[0] != found[1]


# ------------------------------------------------------------------ where items must be summed


@pytest.mark.parametrize("metric", ["spearman", "nmi"])
def test_buckets_cannot_show_it(metric: str) -> None:
    evaluation = Evaluation.from_texts(["1", "2"], {"s": ["1", "2"]}, inputs=["a b", "c"])
    with pytest.raises(
        UserError, match=f"'{metric}' cannot be summed over buckets; use one of: .*mse.*pearson"
    ) as said:
        buckets(evaluation, metrics=metric)
    assert metric not in str(said.value).partition("use one of: ")[2]


def test_buckets_show_the_others() -> None:
    evaluation = Evaluation.from_texts(["1", "2", "5"], {"s": ["1", "3", "1"]}, inputs=["a b", "c", "d"])
    shown: Callable[..., Any] = buckets
    assert shown(evaluation, metrics="pearson", resamples=0).to_dict()["result"]["attributes"]
    labels = Evaluation.from_labels([["a"], ["b"]], {"s": [["a"], ["a"]]})
    assert shown(labels, metrics="multilabel-f2", resamples=0).to_dict()["result"]["attributes"]
