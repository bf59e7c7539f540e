from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency, hypergeom, mannwhitneyu, norm, rankdata

from slicewise.stats import rank_counts
from slicewise.stats.hypergeometric import hypergeometric_at_most
from slicewise.stats.rank_sums import METHODS, RankNull, RankTests, doubled_ranks

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

Array = np.ndarray[Any, Any]
Side = Literal["low", "high"]

few_scores = st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0, 7.5]), min_size=2, max_size=12)


def results(scores: Iterable[Any], members: Array, side: Side = "low") -> RankTests:
    """Test the features that are the rows of `(features, items)`."""
    null = RankNull.of(np.array(scores, dtype=float))
    return null.tests(members.sum(axis=1), members @ null.doubled, side)


def some_members(rng: np.random.Generator, features: int, items: int, smallest: int = 1) -> Array:
    """Return random features, each of which some items have and some have not."""
    n1 = rng.integers(smallest, items - smallest + 1, size=features)
    places = rng.permuted(np.tile(np.arange(items), (features, 1)), axis=1)
    return np.asarray(places < n1[:, None])


def all_subsets(n: int) -> Array:
    return np.array(list(itertools.product([False, True], repeat=n)))


def names(tests: RankTests) -> list[str]:
    return [METHODS[code] for code in tests.method]


# ranks, AUC, z and the normal tail


@given(st.lists(st.sampled_from([-np.inf, -2.0, 0.0, -0.0, 0.1, 3.0, np.inf]), max_size=12))
def test_doubled_ranks_are_twice_scipys(scores: list[float]) -> None:
    found = doubled_ranks(np.array(scores))
    assert found.dtype == np.int64
    assert found.tolist() == (2 * rankdata(scores)).tolist()


def test_what_is_not_a_number_has_no_rank() -> None:
    with pytest.raises(ValueError, match="not a number"):
        doubled_ranks(np.array([1.0, np.nan]))


@pytest.mark.parametrize("values", [3, 6, 40, 10**9])
def test_auc_and_z_are_scipys_and_p_is_near(values: int) -> None:
    rng = np.random.default_rng(values)
    scores = np.minimum(rng.integers(0, values, size=180), values * 2 // 3).astype(float)
    members = some_members(rng, 30, 180, 50)
    low, high = results(scores, members), results(scores, members, "high")
    assert set(names(low) + names(high)) <= {"modal", "saddlepoint"}
    for at, own in enumerate(members):
        expected = [
            mannwhitneyu(scores[own], scores[~own], method="asymptotic", use_continuity=False, alternative="less"),
            mannwhitneyu(scores[own], scores[~own], method="asymptotic", use_continuity=False, alternative="greater"),
        ]
        n1 = int(own.sum())
        for found, scipys, sign in zip((low, high), expected, (1, -1), strict=True):
            np.testing.assert_allclose(found.auc[at], scipys.statistic / (n1 * (180 - n1)), rtol=1e-12)
            np.testing.assert_allclose(norm.cdf(sign * found.z[at]), scipys.pvalue, rtol=1e-9)
            np.testing.assert_allclose(found.p[at], scipys.pvalue, atol=0.015)
            np.testing.assert_allclose(found.log10_p[at], math.log10(found.p[at]), rtol=0, atol=1e-9)


@given(few_scores, st.integers(0, 2**32))
def test_z_is_scipys_for_any_count(scores: list[float], seed: int) -> None:
    members = some_members(np.random.default_rng(seed), 2, len(scores))
    found = results(scores, members)
    for z, own in zip(found.z, members, strict=True):
        if len(set(scores)) == 1:
            assert np.isnan(z)
            continue
        sides = np.array(scores)[own], np.array(scores)[~own]
        expected = mannwhitneyu(*sides, method="asymptotic", use_continuity=False, alternative="less")
        np.testing.assert_allclose(norm.cdf(z), expected.pvalue, rtol=1e-9)


def test_p_underflows_and_its_logarithm_does_not() -> None:
    n = 100_000
    null = RankNull.of(np.arange(n))
    n1 = np.array([n // 2, n // 2])
    lowest = int(null.doubled[: n // 2].sum())
    found = null.tests(n1, np.array([lowest, n * (n + 1) - lowest]))
    assert found.p[0] == 0.0
    ways = math.lgamma(n + 1) - 2 * math.lgamma(n // 2 + 1)
    np.testing.assert_allclose(found.log10_p[0], -ways / math.log(10), rtol=1e-12)
    assert found.log10_p[0] < -10_000
    assert found.auc.tolist() == [0.0, 1.0]
    assert found.p[1] == 1.0


@pytest.mark.parametrize("n", [1, 6, 200])
def test_where_nothing_differs_there_is_no_z_and_p_is_one(n: int) -> None:
    null = RankNull.of(np.full(n, 0.3))
    n1 = np.unique([0, n // 3, n // 2, n])
    for found in (null.tests(n1, n1 * (n + 1)), null.tests(n1, n1 * (n + 1), "high")):
        assert np.isnan(found.z).all()
        assert found.p.tolist() == [1.0] * len(n1)
        assert found.log10_p.tolist() == [0.0] * len(n1)


@pytest.mark.parametrize("scores", [[0, 1, 1, 0], [1, 2, 3, 4]])
def test_all_items_and_none_cannot_be_compared(scores: list[int]) -> None:
    found = results(scores, np.array([[False] * 4, [True] * 4]))
    assert np.isnan(found.auc).all()
    assert np.isnan(found.z).all()
    assert found.p.tolist() == [1.0, 1.0]


# binary scores


def test_binary_p_is_scipys_hypergeometric() -> None:
    rng = np.random.default_rng(5)
    scores = rng.random(600) < 0.85
    right = int(scores.sum())
    members = some_members(rng, 300, 600)
    x, n1 = (members & scores).sum(axis=1), members.sum(axis=1)
    low, high = results(scores, members), results(scores, members, "high")
    assert set(names(low)) == set(names(high)) == {"hypergeometric"}
    np.testing.assert_allclose(low.p, hypergeom.cdf(x, 600, right, n1), rtol=1e-11)
    np.testing.assert_allclose(high.p, hypergeom.sf(x - 1, 600, right, n1), rtol=1e-11)
    np.testing.assert_allclose(low.log10_p, hypergeom.logcdf(x, 600, right, n1) / math.log(10), rtol=1e-9, atol=1e-11)


@given(st.integers(1, 30), st.integers(0, 30))
def test_every_small_urn_is_exact(n: int, successes: int) -> None:
    successes = min(successes, n)
    table = [(n1, x) for n1 in range(n + 1) for x in range(max(0, n1 + successes - n), min(n1, successes) + 1)]
    found = hypergeometric_at_most(n, successes, *np.array(table).T)
    failures = n - successes
    for (n1, x), p in zip(table, found.p, strict=True):
        ways = sum(math.comb(successes, k) * math.comb(failures, n1 - k) for k in range(x + 1) if k <= n1)
        assert p == pytest.approx(ways / math.comb(n, n1), rel=1e-13)


def exact_log_at_most(n: int, successes: int, n1: int, x: int) -> float:
    """Return the logarithm of the tail from whole numbers; what is 2¹⁰⁰ times smaller than the sum is left out."""
    failures = n - successes
    ways = math.comb(successes, x) * math.comb(failures, n1 - x)
    total = ways
    while ways.bit_length() + 100 > total.bit_length():
        ways = ways * x * (failures - n1 + x) // ((successes - x + 1) * (n1 - x + 1))
        total, x = total + ways, x - 1
    below = math.comb(n, n1)
    shift = below.bit_length() - total.bit_length()
    # a quotient near 1, to 120 bits
    return math.log(((total << (120 + shift)) // below) / 2**120) - shift * math.log(2)


@pytest.mark.parametrize(
    ("n", "successes", "n1", "x"),
    [
        (1_000_000, 850_000, 5_000, 4_250),
        (1_000_000, 850_000, 5_000, 4_100),
        (1_000_000, 850_000, 5_000, 3_400),
        (1_000_000, 500_000, 3_000, 1_000),
        (1_000_000, 850_000, 300, 30),
        (1_000_000, 3, 2_000, 1),
        (1_000_000, 999_000, 2_000, 1_990),
        (1_000_000, 500_000, 20_000, 7_000),
    ],
)
def test_the_tail_of_a_large_urn_is_exact(n: int, successes: int, n1: int, x: int) -> None:
    expected = exact_log_at_most(n, successes, n1, x)
    found = hypergeometric_at_most(n, successes, np.array([n1]), np.array([x]))
    np.testing.assert_allclose(found.log10_p[0] * math.log(10), expected, rtol=1e-13, atol=1e-11)
    np.testing.assert_allclose(found.p[0], math.exp(expected), rtol=1e-11)


def test_p_of_a_large_urn_is_scipys() -> None:
    rng = np.random.default_rng(3)
    n, right = 1_000_000, 850_000
    n1 = np.exp(rng.uniform(0, math.log(n), 300)).astype(int)
    x = rng.hypergeometric(right, n - right, n1)
    found = hypergeometric_at_most(n, right, n1, x)
    # scipy itself is no closer to the exact tail
    np.testing.assert_allclose(found.p, hypergeom.cdf(x, n, right, n1), rtol=1e-9)


def test_all_right_or_all_wrong_is_the_whole_tail() -> None:
    null = RankNull.of(np.array([0] * 30 + [1] * 970))
    none_right = null.tests(np.array([30]), null.ranks[:1] * 30)
    assert none_right.log10_p[0] == pytest.approx(-math.log10(math.comb(1000, 30)), rel=1e-14)
    all_right = null.tests(np.array([970]), null.ranks[1:] * 970)
    assert all_right.p[0] == 1.0
    assert null.tests(np.array([970]), null.ranks[1:] * 970, "high").log10_p[0] == none_right.log10_p[0]


def test_chi2_is_scipys_and_nearly_z_squared() -> None:
    rng = np.random.default_rng(8)
    scores = rng.random(150) < 0.7
    members = some_members(rng, 40, 150)
    found = results(scores, members)
    np.testing.assert_allclose(found.z**2, found.chi2 * 149 / 150, rtol=1e-12)
    for at, own in enumerate(members):
        table = [[(own & scores).sum(), (own & ~scores).sum()], [(~own & scores).sum(), (~own & ~scores).sum()]]
        np.testing.assert_allclose(found.chi2[at], chi2_contingency(table, correction=False).statistic, rtol=1e-9)
    assert np.isnan(results(np.arange(150), members).chi2).all()


@pytest.mark.parametrize(("n1", "right", "published"), [(343, 254, 35.2501), (767, 619, 13.4284), (72, 57, 2.2260)])
def test_the_papers_table_1_is_a_one_sample_statistic(n1: int, right: int, published: float) -> None:
    # the smallest data set whose accuracy gives all the printed digits
    n, all_right = 3707, 3165
    accuracy = all_right / n
    assert round(accuracy, 5) == 0.85379
    one_sample = (right - n1 * accuracy) ** 2 / (n1 * accuracy * (1 - accuracy))
    assert round(one_sample, 4) == published
    null = RankNull.of(np.repeat([0.0, 1.0], [n - all_right, all_right]))
    found = null.tests(np.array([n1]), np.array([(n1 - right) * null.ranks[0] + right * null.ranks[1]]))
    # the paper compares the feature with all items, its own among them; the test compares it with the others
    assert found.chi2[0] == pytest.approx(one_sample * n / (n - n1), rel=1e-12)
    assert found.z[0] ** 2 == pytest.approx(one_sample * (n - 1) / (n - n1), rel=1e-12)


# few items with the feature: counting


@given(few_scores, st.sampled_from(["low", "high"]))
def test_counted_p_is_the_share_of_all_subsets(scores: list[float], side: Side) -> None:
    scores = scores[:8]
    doubled, members = doubled_ranks(np.array(scores)), all_subsets(len(scores))
    found = results(scores, members, side)
    sums = [
        np.array([sum(some) for some in itertools.combinations(doubled.tolist(), n1)]) for n1 in range(len(scores) + 1)
    ]
    for at, own in enumerate(members):
        possible, observed = sums[int(own.sum())], int(doubled[own].sum())
        share = np.mean(possible <= observed) if side == "low" else np.mean(possible >= observed)
        assert math.isclose(found.p[at], share, rel_tol=1e-12)


@given(few_scores, st.integers(1, 6))
def test_counting_in_a_table_or_in_a_list_is_the_same(scores: list[float], most: int) -> None:
    null = RankNull.of(np.array(scores))
    wanted = list(range(min(most, null.n) + 1))
    table = rank_counts._counted_in_table(null.ranks, null.sizes, wanted)
    listed = rank_counts._counted_in_list(null.ranks, null.sizes, wanted)
    for picks in wanted:
        sums = np.arange(-1, 2 * null.n * picks + 2)
        np.testing.assert_allclose(table[picks].at_most(sums), listed[picks].at_most(sums), rtol=1e-13)
        np.testing.assert_allclose(table[picks].at_least(sums), listed[picks].at_least(sums), rtol=1e-13)


def test_methods_go_by_what_is_cheap() -> None:
    rng = np.random.default_rng(0)
    n1 = np.array([5, 49, 50, 950, 951, 995])
    for scores, expected in (
        (rng.random(1000), ["counted", *["saddlepoint"] * 4, "counted"]),
        (rng.integers(0, 7, 1000), ["counted", "counted", "saddlepoint", "saddlepoint", "counted", "counted"]),
        (np.minimum(rng.random(1000) * 2, 1.0), ["counted", "modal", "modal", "modal", "modal", "counted"]),
        (rng.integers(0, 2, 1000), ["hypergeometric"] * 6),
    ):
        null = RankNull.of(scores)
        own = [np.sort(null.doubled)[:k].sum() for k in n1]
        assert names(null.tests(n1, np.array(own))) == expected


def test_the_most_extreme_count_of_many_items_is_exact() -> None:
    null = RankNull.of(np.repeat([-1.0, 0.0, 1.0], [40, 900_000, 99_960]))
    found = null.tests(np.array([40]), null.ranks[:1] * 40)
    assert names(found) == ["counted"]
    assert found.log10_p[0] == pytest.approx(-math.log10(math.comb(1_000_000, 40)), rel=1e-13)


# laws


@given(few_scores, st.integers(0, 2**32))
def test_both_tails_make_one_and_the_observed_sum_twice(scores: list[float], seed: int) -> None:
    members = some_members(np.random.default_rng(seed), 3, len(scores))
    doubled = doubled_ranks(np.array(scores))
    low, high = results(scores, members), results(scores, members, "high")
    for at, own in enumerate(members):
        sums = [sum(some) for some in itertools.combinations(doubled.tolist(), int(own.sum()))]
        equal = sums.count(int(doubled[own].sum())) / len(sums)
        assert low.p[at] + high.p[at] == pytest.approx(1 + equal, rel=1e-12)


@given(few_scores, st.integers(0, 2**32))
def test_turning_scores_round_turns_the_tails_round(scores: list[float], seed: int) -> None:
    members = some_members(np.random.default_rng(seed), 3, len(scores))
    high, turned = results(scores, members, "high"), results([-score for score in scores], members)
    np.testing.assert_allclose(turned.p, high.p, rtol=1e-12)
    np.testing.assert_allclose(turned.auc, 1 - high.auc, rtol=0, atol=1e-15)
    assert np.array_equal(turned.z, -high.z, equal_nan=True)


@given(few_scores, st.integers(0, 2**32))
def test_the_order_of_items_and_the_scale_of_scores_make_no_difference(scores: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, members = np.array(scores), some_members(rng, 4, len(scores))
    order = rng.permutation(len(scores))
    found = results(values, members)
    for other in (results(values[order], members[:, order]), results(np.exp(values) * 3 - 100, members)):
        for name in ("auc", "z", "p", "log10_p", "method", "chi2"):
            assert getattr(found, name).tobytes() == getattr(other, name).tobytes()


@given(arrays(np.bool_, (3, 9)), few_scores.filter(lambda scores: len(scores) >= 9))
def test_each_feature_is_tested_as_if_alone(members: Array, scores: list[float]) -> None:
    found = results(scores[:9], members)
    alone = [results(scores[:9], own[None]) for own in members]
    np.testing.assert_allclose(found.p, [test.p[0] for test in alone], rtol=1e-12)
    assert np.array_equal(found.auc, [test.auc[0] for test in alone], equal_nan=True)


# validity: under the null, p ≤ 0.05 no more often than 0.05


@pytest.mark.parametrize("accuracy", [0.7, 0.85, 0.95])
@pytest.mark.parametrize("n1", [5, 20, 50])
@pytest.mark.parametrize("side", ["low", "high"])
def test_binary_p_is_valid(accuracy: float, n1: int, side: Side) -> None:
    rng = np.random.default_rng(n1)
    n, runs = 1000, 20_000
    null = RankNull.of(np.repeat([0.0, 1.0], [n - round(n * accuracy), round(n * accuracy)]))
    lower, higher = null.sizes.tolist()
    right = rng.hypergeometric(higher, lower, n1, size=runs)
    found = null.tests(np.full(runs, n1), (n1 - right) * null.ranks[0] + right * null.ranks[1], side)
    for level in (0.05, 0.01, 0.001):
        assert (found.p <= level).mean() <= level + 4 * math.sqrt(level / runs)


@pytest.mark.parametrize("n1", [5, 20, 49, 60])
@pytest.mark.parametrize("side", ["low", "high"])
def test_p_of_skewed_scores_is_valid_and_uniform(n1: int, side: Side) -> None:
    rng = np.random.default_rng(n1)
    runs, n = 4000, 500
    scores = np.maximum(rng.beta(5, 0.5, n), 0.5)
    ranks = rng.permuted(np.tile(doubled_ranks(scores), (runs, 1)), axis=1)
    found = RankNull.of(scores).tests(np.full(runs, n1), ranks[:, :n1].sum(axis=1), side)
    for level in (0.01, 0.05, 0.25, 0.5, 0.9):
        assert abs((found.p <= level).mean() - level) <= 4.5 * math.sqrt(level * (1 - level) / runs)
