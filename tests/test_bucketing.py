"""Cut points and slots against the literal definition, and what happens at the edges."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.profiles import with_examples

from slicewise import UserError
from slicewise.bucketing import (
    SIZES,
    Bucketing,
    Buckets,
    Counts,
    Fixed,
    Quantiles,
    Values,
    Widths,
    bucketing_of,
    parse_cuts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

numbers = st.lists(st.sampled_from((0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 7.0, -3.0)), max_size=12)
drawn = with_examples(30)


def cut(way: Bucketing, gold: Sequence[Any], more: Sequence[Any] = ()) -> Buckets:
    """Return the buckets of gold values and of others that only systems have."""
    return way.cut(pl.Series([*gold]), pl.Series([*gold, *more]))


def names(made: Buckets) -> list[str]:
    return [slot.name for slot in made.slots]


def where(made: Buckets, values: Sequence[Any]) -> list[str]:
    """Return the name of each value's bucket."""
    return [made.slots[code].name for code in made.assign(pl.Series([*values]))]


def ranges(made: Buckets) -> list[Any]:
    """Return each slot as its value, its bounds, or what it is."""
    return [
        "missing"
        if slot.missing
        else "merged"
        if slot.merged
        else (slot.lo, slot.hi)
        if slot.value is None
        else slot.value
        for slot in made.slots
    ]


def inverse_distribution(values: Sequence[float], share: Fraction) -> float:
    """Return the smallest value v with at least this share of the values ≤ v."""
    return min(v for v in values if Fraction(sum(x <= v for x in values), len(values)) >= share)


# ------------------------------------------------------------------ quantiles


@drawn
@given(numbers, st.integers(2, 9))
@example([], 4)
@example([1.0] * 7, 3)
@example([1.0, 2.0, 3.0, 4.0], 4)
def test_cuts_are_the_inverse_distribution_at_k_of_m(values: list[float], m: int) -> None:
    cuts = sorted({inverse_distribution(values, Fraction(k, m)) for k in range(1, m)}) if values else []
    expected = [c for c in cuts if c != max(values)]
    gold = pl.Series(values, dtype=pl.Float64)
    assert list(Quantiles(m).cut(gold, gold).cuts) == expected


@drawn
@given(numbers.filter(bool), st.integers(2, 9))
def test_ties_are_never_split_and_no_bucket_is_larger_than_it_must_be(values: list[float], m: int) -> None:
    made = cut(Quantiles(m), values)
    codes = made.assign(pl.Series(values)).tolist()
    assert sorted(codes) == [code for _, code in sorted(zip(values, codes, strict=True))]
    by_value: dict[float, set[int]] = {}
    for value, code in zip(values, codes, strict=True):
        by_value.setdefault(value, set()).add(code)
    assert all(len(found) == 1 for found in by_value.values())
    filled = len(made.cuts) + 1
    assert set(codes) == set(range(filled))
    assert [slot.merged for slot in made.slots] == [False] * filled + [True] * (m - filled) + [False]  # and missing


def test_four_in_four() -> None:
    made = cut(Quantiles(), [1, 2, 3, 4])
    assert made.cuts == (1.0, 2.0, 3.0)
    assert where(made, [-9.0, 1.0, 1.5, 2.0, 3.0, 3.5, 4.0, 1e9]) == ["XS", "XS", "S", "S", "L", "XL", "XL", "XL"]
    assert [slot.interval for slot in made.slots[:4]] == ["≤ 1", "2", "3", "≥ 4"]  # of whole numbers


def test_a_cut_at_the_largest_value_is_dropped_and_equal_cuts_merge() -> None:
    assert cut(Quantiles(), [1.0, 1.0, 1.0, 2.0]).cuts == (1.0,)
    assert cut(Quantiles(), [1.0, 2.0, 2.0, 2.0]).cuts == (1.0,)
    assert ranges(cut(Quantiles(), [1.0, 2.0, 2.0, 2.0])) == [(None, 1.0), (1.0, None), "merged", "merged", "missing"]


@pytest.mark.parametrize("values", [[5.0], [5.0] * 9, [5, 5, None]])
def test_all_equal_is_one_filled_bucket(values: list[float | None]) -> None:
    for way in (Quantiles(), Quantiles(2), Quantiles(7), Widths()):
        made = cut(way, values)
        assert made.cuts == ()
        assert len(set(where(made, [x for x in values if x is not None]))) == 1
        assert sum(slot.merged for slot in made.slots) == len(made.slots) - 2
    assert ranges(cut(Quantiles(), values)) == [(None, None), "merged", "merged", "merged", "missing"]


def test_without_gold_everything_returned_is_in_one_bucket() -> None:
    made = Quantiles().cut(pl.Series([], dtype=pl.Float64), pl.Series([1.0, 2.0]))
    assert where(made, [1.0, 2.0, 99.0]) == ["XS"] * 3
    made = Quantiles(low=0.0, high=1.0).cut(pl.Series([], dtype=pl.Float64), pl.Series([0.5]))
    assert where(made, [0.0, 0.5, 0.9, 1.0]) == ["XS", "S", "S", "XL"]


# ------------------------------------------------------------------ pinned values


@drawn
@given(st.lists(st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0)), min_size=1, max_size=12), st.integers(2, 8))
def test_pinned_values_have_their_own_buckets_and_the_rest_is_cut_without_them(values: list[float], m: int) -> None:
    rest = [x for x in values if x not in (0.0, 1.0)]
    made = cut(Quantiles(m, low=0.0, high=1.0), values)
    parts = max(1, m - 2)
    assert list(made.cuts) == list(cut(Quantiles(max(parts, 1)), rest).cuts if rest else ())
    slots = ranges(made)
    assert slots[0] == 0.0
    assert slots[-2:] == [1.0, "missing"]
    assert len(slots) == parts + 3
    filled = len(made.cuts) + 1
    assert slots[1 : 1 + filled] != ["merged"] * filled
    assert slots[1 + filled : -2] == ["merged"] * (parts - filled)  # after the filled ones, before the pinned last one
    codes = made.assign(pl.Series([0.0, -0.0, 1.0, 0.999, 1e-9])).tolist()
    assert codes == [0, 0, parts + 1, filled, 1]


@pytest.mark.parametrize("m", range(2, 8))
def test_the_middle_of_consistency_is_always_there(m: int) -> None:
    for values in ([0.0], [1.0, 1.0], [0.0, 1.0, 1.0]):
        made = cut(Quantiles(m, low=0.0, high=1.0), values)
        assert ranges(made) == [0.0, (0.0, None), *["merged"] * (max(1, m - 2) - 1), 1.0, "missing"]
        assert made.assign(pl.Series([0.5])).tolist() == [1]


def test_a_low_pin_alone_leaves_the_last_bucket_open() -> None:
    made = cut(Quantiles(low=0.0), [0.0, 0.0, 0.1, 0.2, 0.3, 1.0])
    assert ranges(made) == [0.0, (0.0, 0.2), (0.2, 0.3), (0.3, None), "missing"]
    assert where(made, [0.0, 0.1, 0.2, 0.3, 1.0]) == ["XS", "S", "S", "L", "XL"]


# ------------------------------------------------------------------ what is missing, and what has no bounds


def test_null_and_nan_are_missing() -> None:
    values = [None, math.nan, 1.0, 2.0, None]
    for way in (Quantiles(), Quantiles(low=1.0), Widths(3), Fixed((1.5,)), Counts()):
        made = cut(way, values)
        assert [name == "missing" for name in where(made, values)] == [True, True, False, False, True], way
        assert made.cuts == cut(way, [1.0, 2.0]).cuts, way
    made = cut(Values(), ["a", None])
    assert where(made, ["a", None]) == ["a", "missing"]
    assert where(cut(Values(), [1.5, math.nan, None]), [1.5, math.nan, None]) == ["1.5", "missing", "missing"]
    assert where(cut(Values(), [True, False, None]), [True, False, None]) == ["yes", "no", "missing"]


def test_missing_is_shown_only_where_something_is() -> None:
    made = cut(Quantiles(), [1.0, 2.0])
    assert len(made.slots) == 5
    assert names(made.used([made.assign(pl.Series([1.0, 2.0]))])) == list(SIZES)
    assert names(made.used([made.assign(pl.Series([1.0, None]))])) == [*SIZES, "missing"]
    assert len(made.used([made.assign(pl.Series([1.0])), made.assign(pl.Series([None], dtype=pl.Float64))]).slots) == 5


def test_infinities_are_the_lowest_and_the_highest() -> None:
    values = [-math.inf, 1.0, 2.0, 3.0, math.inf]
    for way in (Quantiles(), Quantiles(2), Widths(2), Fixed((2.0,)), Counts()):
        codes = cut(way, values).assign(pl.Series(values)).tolist()
        assert codes == sorted(codes)
        assert codes[0] < codes[-1], way
    assert cut(Widths(2), values).cuts == (2.0,)
    assert all(math.isfinite(c) for c in cut(Quantiles(2), values).cuts)


# ------------------------------------------------------------------ other ways


def test_equal_parts_of_the_range() -> None:
    assert cut(Widths(4), [0.0, 0.1, 8.0]).cuts == (2.0, 4.0, 6.0)
    assert cut(Widths(4), [-1e308, 0.0, 1e308]).cuts == (-5e307, 0.0, 5e307)
    assert cut(Widths(4), [0.0, 1e308]).cuts == (2.5e307, 5e307, 7.5e307)
    made = cut(Widths(2), [1, 2, 5])
    assert made.cuts == (3.0,)
    assert made.assign(pl.Series([1, 3, 4, 100, -100])).tolist() == [0, 0, 1, 1, 0]
    assert len(cut(Widths(6), [1, 2, 5]).slots) == 7


@drawn
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9), st.integers(2, 9))
def test_equal_parts_by_their_definition(values: list[int], m: int) -> None:
    lo, hi = min(values), max(values)
    expected = [Fraction(lo) + Fraction((hi - lo) * k, m) for k in range(1, m)] if lo < hi else []
    made = cut(Widths(m), values)
    assert list(made.cuts) == pytest.approx([float(x) for x in expected], abs=1e-12)
    assert made.assign(pl.Series(values)).tolist() == [sum(x > c for c in expected) for x in values]


def test_the_users_cuts_stay_where_they_are() -> None:
    made = cut(bucketing_of("x", [1, 2.5]), [100.0])
    assert ranges(made) == [(None, 1.0), (1.0, 2.5), (2.5, None), "missing"]
    assert made.assign(pl.Series([1.0, 1.1, 2.5, 2.6])).tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize("m", [2, 4, 6])
def test_small_counts(m: int) -> None:
    made = cut(Counts(m), [1, 1, 9])
    assert ranges(made) == [*(float(k) for k in range(1, m)), (m - 1.0, None), "missing"]
    assert made.assign(pl.Series([0, 1, 2, m - 1, m, m + 1])).tolist() == [0, 0, 1, m - 2, m - 1, m - 1]
    assert [slot.interval for slot in made.slots[:m]] == [*map(str, range(1, m)), f"≥ {m}"]
    assert ranges(cut(Counts(3, first=0), [0]))[:2] == [0.0, 1.0]


def test_names_tell_buckets_apart() -> None:
    """Results name buckets; two of the same name could not be told apart."""
    close = cut(Quantiles(5), [0.12341, 0.12342, 0.12343, 0.12344, 0.12345])
    assert len(close.cuts) == 4
    assert len(set(names(close))) == len(close.slots)
    assert len(set(names(cut(Quantiles(6), [1.0, 2.0])))) == 7


# ------------------------------------------------------------------ categories


def test_the_most_frequent_values_have_buckets_and_the_rest_is_pooled() -> None:
    gold = ["a"] * 3 + ["c"] * 2 + ["b"] * 2 + ["d"]
    made = cut(Values(most=2), gold, ["e", "b"])
    assert names(made) == ["a", "b", "other", "missing"]
    assert where(made, ["a", "b", "c", "d", "e", "never seen"]) == ["a", "b", "other", "other", "other", "other"]
    assert not made.ordered
    assert names(cut(Values(most=2), ["a", "b"])) == ["a", "b", "missing"]
    assert names(cut(Values(most=2), ["a", "b"], ["e"])) == ["a", "b", "other", "missing"]


def test_all_values_have_buckets_where_all_are_asked_for() -> None:
    gold = [str(k) for k in range(30)]
    made = cut(Values(all_of_them=True), gold, ["x", "y", "y"])
    assert names(made) == [*sorted(gold), "y", "x", "missing"]
    assert where(made, ["y", "29"]) == ["y", "29"]


def test_values_called_other_and_missing_are_values() -> None:
    gold = ["other", "other", "missing", "missing", "a", "(other)", "(other)", "b"]
    made = cut(Values(most=3), [*gold, None])
    assert names(made) == ["(other)", "missing", "other", "((other))", "(missing)"]
    assert where(made, ["other", "missing", "a", None]) == ["other", "missing", "((other))", "(missing)"]
    every = cut(Values(all_of_them=True), ["missing", None])
    assert where(every, ["missing", None]) == ["missing", "(missing)"]


def test_values_that_look_like_numbers_or_patterns_are_text() -> None:
    gold = ["1", "1.0", "^a.*$", "*", ""]
    made = cut(Quantiles(), gold)
    assert where(made, gold) == gold
    assert names(cut(Values(), [3, 3, 1])) == ["3", "1", "missing"]


# ------------------------------------------------------------------ as the user writes it


def test_ways_as_they_are_written() -> None:
    assert parse_cuts("eLen=1,2,3") == ("eLen", Fixed((1.0, 2.0, 3.0)))
    assert parse_cuts(" sLen = quantile(6) ") == ("sLen", Quantiles(6))
    assert bucketing_of("x", "width(5)") == Widths(5)
    assert bucketing_of("x", "values") == Values(1000)
    assert bucketing_of("x", "fixed([1, 2])") == Fixed((1.0, 2.0))
    assert bucketing_of("x", (0.5,)) == Fixed((0.5,))
    assert [str(way) for way in (Quantiles(6), Widths(5), Fixed((1.0, 2.5)), Values())] == [
        "quantile(6)",
        "width(5)",
        "1,2.5",
        "values",
    ]
    with pytest.raises(UserError, match="not increasing"):
        bucketing_of("x", [1, 1])
    for wrong in ("", "1,x", "nan", "quantile(1)", "width(101)", [], [math.inf], "quantile(0)", 3):
        with pytest.raises(UserError):
            bucketing_of("x", wrong)


def test_the_number_of_buckets_keeps_what_is_pinned() -> None:
    assert Quantiles(low=0.0, high=1.0).sized(7) == Quantiles(7, low=0.0, high=1.0)
    assert Counts(first=0).sized(3) == Counts(3, first=0)
    assert Widths().sized(3) == Widths(3)
    assert Values().sized(3) == Values()
    assert Fixed((1.0,)).sized(3) == Fixed((1.0,))
