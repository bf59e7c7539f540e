"""Buckets: where the values of an attribute are cut, and in which bucket a value falls.

Cuts come from gold and serve all systems. Buckets are `(lo, hi]`, the first and the last are open-ended; every value is
in exactly one of them, a missing one in `missing`. There are always as many slots as were asked for, so that tables of
several data sets line up: slots that quantiles merged away are empty and stand after the filled ones, before a pinned
last one.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints, Mask
from slicewise.errors import UserError, quoted

SIZES = ("XS", "S", "L", "XL")
MOST_BUCKETS = 100
MOST_VALUES = 12
"""Categories that get a bucket of their own, unless all do."""
FITTING = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
"""Types of whole numbers that 64 bits hold."""


@dataclass(frozen=True, eq=False)
class Coded:
    """Values encoded by their rank among the distinct ones."""

    values: pl.Series
    """The different values in order, whole numbers, numbers or text; none is missing."""
    codes: NDArray[np.int32]
    """The place of each value; after the last, where it is missing."""

    @classmethod
    def of(cls, values: pl.Series) -> Coded:
        """Encode values."""
        if values.dtype == pl.Boolean:
            numbers = cls.of(values.cast(pl.Int8))
            return cls(as_category(numbers.values.cast(pl.Boolean)), numbers.codes)
        plain = _plain(values)
        different = plain.drop_nulls().unique().sort()
        if not is_number(plain.dtype):
            codes = plain.cast(pl.Enum(different)).to_physical().fill_null(len(different)).to_numpy()
            return cls(different, codes.astype(np.int32))
        codes = np.searchsorted(different.to_numpy(), plain.fill_null(0).to_numpy()).astype(np.int32)
        codes[plain.is_null().to_numpy()] = len(different)
        return cls(different, codes)

    def gather(self, rows: Ints) -> Coded:
        """Return the values of some rows; there may be different ones that none of them has."""
        return replace(self, codes=self.codes[rows])

    def column(self) -> pl.Series:
        """Return the value of each row; null where it is missing."""
        codes = pl.Series(self.codes)
        return self.values.gather(codes.set(codes == len(self.values), None))

    def present(self) -> Mask:
        """Return a mask of the rows that have a value."""
        return np.asarray(self.codes < len(self.values))

    def counts(self, rows: Mask | None = None) -> Ints:
        """Return how many of all rows, or of some, have each value; then, how many have none."""
        return np.bincount(self.codes if rows is None else self.codes[rows], minlength=len(self.values) + 1)


@dataclass(frozen=True, eq=False)
class Distinct:
    """The different values of some units, in order, and how many units have each."""

    values: pl.Series
    """Whole numbers, numbers or text."""
    gold: Ints
    """How many gold units have each value."""
    every: Ints
    """How many units have each value."""
    missing: int = 0
    """How many units have none."""

    @classmethod
    def of(cls, gold: pl.Series, units: pl.Series) -> Distinct:
        """Count the values of gold units and of all units."""
        coded = Coded.of(pl.concat([gold, units]))
        is_gold = np.arange(len(coded.codes)) < len(gold)
        counts, all_counts = coded.counts(is_gold), coded.counts(~is_gold)
        return cls(coded.values, counts[:-1], all_counts[:-1], int(all_counts[-1]))

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return is_number(self.values.dtype)

    def numbers(self) -> Array:
        """Return the values as numbers."""
        return self.values.cast(pl.Float64).to_numpy()

    def of_gold(self) -> tuple[Array, Ints]:
        """Return the numbers that gold units have, and how many have each."""
        present = self.gold > 0
        return self.numbers()[present], self.gold[present]

    def categories(self) -> Distinct:
        """Return the values as text."""
        return replace(self, values=as_category(self.values))


def merged(datasets: Sequence[Distinct]) -> Distinct:
    """Return the values of several data sets together: as whole numbers or numbers where all are, else as text."""
    if len(datasets) == 1:
        return datasets[0]
    comparable = (
        datasets if all(values.numeric for values in datasets) else [values.categories() for values in datasets]
    )
    integers = all(values.values.dtype.is_integer() for values in comparable)
    kind = (pl.Int64 if integers else pl.Float64) if comparable[0].numeric else pl.String
    coded = Coded.of(pl.concat([values.values.cast(kind).alias("") for values in comparable]))
    gold, every = (
        np.bincount(coded.codes, np.concatenate(counts), minlength=len(coded.values)).astype(np.int64)
        for counts in ([values.gold for values in comparable], [values.every for values in comparable])
    )
    return Distinct(coded.values, gold, every, sum(values.missing for values in comparable))


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One bucket: an interval `(lo, hi]`, None = open, or a single value."""

    name: str = ""
    lo: float | None = None
    hi: float | None = None
    value: float | str | None = None
    missing: bool = False
    merged: bool = False
    """Whether it merged away, and can hold nothing."""
    above: float | None = None
    """The pinned value of the bucket before, which this one does not hold."""
    below: float | None = None
    """The pinned value of the next bucket, which this one does not hold."""
    whole: bool = False
    """Whether the values are whole numbers."""
    digits: int = 3
    """Significant digits, enough to tell the attribute's buckets apart."""

    @property
    def interval(self) -> str:
        """The bucket's values for people."""
        if self.missing or self.merged:
            return "–"
        if self.value is not None:
            return self.value if isinstance(self.value, str) else _number(self.value, self.digits)
        if (self.lo, self.hi) == (None, None):
            return "any value" if not self.name or self.name in SIZES else self.name
        return self._edges()

    def _edges(self) -> str:
        step = 1 if self.whole and self.lo is not None and float(self.lo).is_integer() else 0
        lo, hi = (_number(edge, self.digits) for edge in (None if self.lo is None else self.lo + step, self.hi))
        if self.lo is None:
            return f"≤ {hi}"
        lo = lo if self.above is None else f">{lo}"
        if self.below is not None:
            return f"{lo} – <{_number(self.below, self.digits)}"
        if self.hi is None:
            return f"≥ {lo}" if step else f"> {lo}".replace("> >", "> ")
        return lo if step and self.hi == self.lo + 1 else f"{lo} – {hi}"


@dataclass(frozen=True)
class Buckets:
    """The slots of one attribute."""

    slots: tuple[Slot, ...]
    cuts: tuple[float, ...] = ()
    numeric: bool = True
    pinned: tuple[tuple[float, int], ...] = ()
    """Single values and their slots."""
    first: int = 0
    """The slot of the lowest interval."""
    ordered: bool = True

    def assign(self, values: pl.Series) -> Ints:
        """Return the slot of each value."""
        return self._numbers(values) if self.numeric else self._categories(values)

    def _numbers(self, values: pl.Series) -> Ints:
        numbers = values.cast(pl.Float64).to_numpy()
        defined = ~np.isnan(numbers)
        codes = self.first + np.searchsorted(np.array(self.cuts, np.float64), numbers, side="left")
        for value, slot in self.pinned:
            codes[numbers == value] = slot
        codes[~defined] = len(self.slots) - 1
        return codes

    def _categories(self, values: pl.Series) -> Ints:
        slot_of = {slot.value: code for code, slot in enumerate(self.slots) if slot.value is not None}
        pooled = next((code for code, slot in enumerate(self.slots) if slot.value is None and not slot.missing), -1)
        text = as_category(values)
        names = [str(value) for value in slot_of]
        codes = np.full(len(text), pooled, np.int64)
        matched = text.replace_strict(names, list(slot_of.values()), default=None, return_dtype=pl.Int64)
        present = matched.is_not_null().to_numpy()
        codes[present] = matched.drop_nulls().to_numpy()
        codes[text.is_null().to_numpy()] = len(self.slots) - 1
        return codes

    def used(self, codes: Sequence[Ints]) -> Buckets:
        """Return the buckets without `missing`, where no value is missing; it is the last."""
        missing = len(self.slots) - 1
        if not self.slots[missing].missing or any((c == missing).any() for c in codes):
            return self
        return replace(self, slots=self.slots[:-1])


class Bucketing(ABC):
    """A binning strategy."""

    @property
    def most_values(self) -> int | None:
        """The most categories with a bucket of their own; None: all."""
        return MOST_VALUES

    def cut(self, gold: pl.Series, units: pl.Series) -> Buckets:
        """Return buckets from the values of gold units; `units` has the values of all units."""
        return self.cut_counted(Distinct.of(gold, units))

    def cut_counted(self, values: Distinct) -> Buckets:
        """Return buckets from the values of gold units; of categories, those that only systems have may count."""
        if not values.numeric and not isinstance(self, Values):
            return Values().cut_counted(values)
        buckets = self.fit(values)
        if not (values.values.dtype.is_integer() and buckets.numeric):
            return buckets
        return replace(buckets, slots=_named([replace(slot, whole=True) for slot in buckets.slots]))

    @abstractmethod
    def fit(self, values: Distinct) -> Buckets:
        """Return buckets for values that this strategy supports."""

    def decide(self, numbers: Array) -> Mask:
        """Return a mask of the numbers that cuts are computed from."""
        return np.ones(len(numbers), np.bool_)

    def places(self, n: int) -> list[int] | None:  # noqa: ARG002 (some ways need all)
        """Return the positions, from 0, among `n` sorted numbers whose values determine cuts; None: all do."""
        return None

    def __str__(self) -> str:
        return f"{type(self).__name__.lower().rstrip('s')}({getattr(self, 'm', '')})"

    def sized(self, buckets: int) -> Bucketing:  # noqa: ARG002 (some strategies have no number)
        """Return the same strategy with another number of buckets."""
        return self


@dataclass(frozen=True)
class SizedBucketing(Bucketing):
    """A strategy with a number of buckets."""

    m: int = 4

    def sized(self, buckets: int) -> Bucketing:
        """Return the same strategy with another number of buckets."""
        return self if buckets < 1 else replace(self, m=buckets)


@dataclass(frozen=True)
class Quantiles(SizedBucketing):
    """As many gold units in each bucket as ties allow; `low` and `high` are pinned values with buckets of their own."""

    low: float | None = None
    high: float | None = None

    def fit(self, values: Distinct) -> Buckets:
        """Cut at the k/m quantiles of what is not pinned; equal cuts merge, a cut at the largest value is dropped."""
        numbers, counts = values.of_gold()
        for pin in (self.low, self.high):
            free = numbers != pin
            numbers, counts = (numbers, counts) if pin is None else (numbers[free], counts[free])
        cuts = quantile_cuts(numbers, counts, self._parts)
        return _intervals(cuts, self._parts, low=self.low, high=self.high)

    @property
    def _parts(self) -> int:
        """How many buckets there are besides those of pinned values."""
        return max(1, self.m - (self.low is not None) - (self.high is not None))

    def decide(self, numbers: Array) -> Mask:
        """Leave out the pinned ones."""
        pins = [pin for pin in (self.low, self.high) if pin is not None]
        return np.asarray(~np.isin(numbers, pins))

    def places(self, n: int) -> list[int]:
        """Return those of the quantiles, and the last."""
        return [*(place - 1 for place in _quantile_places(n, self._parts)), n - 1] if n else []


@dataclass(frozen=True)
class Widths(SizedBucketing):
    """The range of the gold values in m equal parts."""

    def fit(self, values: Distinct) -> Buckets:
        """Cut the range evenly."""
        numbers, _ = values.of_gold()
        numbers = numbers[np.isfinite(numbers)]
        lo, hi = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)
        if math.isinf((hi - lo) * self.m):
            cuts = {lo * (1 - k / self.m) + hi * (k / self.m) for k in range(1, self.m)}
        else:
            cuts = {lo + (hi - lo) * k / self.m for k in range(1, self.m)}
        return _intervals(sorted(cuts - {lo, hi}), self.m)

    def decide(self, numbers: Array) -> Mask:
        """Leave out what is not finite."""
        return np.asarray(np.isfinite(numbers))

    def places(self, n: int) -> list[int]:
        """Return the first and the last."""
        return [0, n - 1] if n else []


@dataclass(frozen=True)
class Fixed(Bucketing):
    """The user's cuts."""

    cuts: tuple[float, ...]

    def __str__(self) -> str:
        return ",".join(f"{cut:g}" for cut in self.cuts)

    def fit(self, values: Distinct) -> Buckets:  # noqa: ARG002 (cuts are given)
        """Cut where the user says."""
        return _intervals(self.cuts, len(self.cuts) + 1)

    def places(self, n: int) -> list[int]:  # noqa: ARG002 (cuts are given)
        """Return none."""
        return []


@dataclass(frozen=True)
class Counts(SizedBucketing):
    """Small whole numbers: 1, 2, …, and m or more."""

    first: int = 1

    def fit(self, values: Distinct) -> Buckets:  # noqa: ARG002 (cuts are fixed)
        """Assign each number its bucket."""
        cuts = tuple(float(self.first + k) for k in range(self.m - 1))
        buckets = _intervals(cuts, self.m)
        slots = [replace(slot, value=slot.hi, lo=None, hi=None) for slot in buckets.slots[: self.m - 1]]
        return replace(buckets, slots=_named([*slots, *buckets.slots[self.m - 1 :]]))

    def places(self, n: int) -> list[int]:  # noqa: ARG002 (cuts are fixed)
        """Return none."""
        return []


@dataclass(frozen=True)
class Values(Bucketing):
    """One bucket per value, the most frequent first; rare ones are pooled unless `all_of_them`."""

    most: int = MOST_VALUES
    all_of_them: bool = False

    @property
    def most_values(self) -> int | None:
        """The most categories with a bucket of their own; None: all."""
        return None if self.all_of_them else self.most

    def __str__(self) -> str:
        return "values"

    def fit(self, values: Distinct) -> Buckets:
        """Assign the values of gold their buckets; with `all_of_them`, values of systems alone follow."""
        text = as_category(values.values)
        frequent = _by_frequency(text, values.gold, self.most_values)
        other = ~text.is_in(pl.Series(frequent, dtype=pl.String).implode())
        remaining = np.where(other.to_numpy(), values.gold + values.every, 0)
        frequent += _by_frequency(text, remaining) if self.all_of_them else []
        pooled = not self.all_of_them and remaining.any()
        slots = [Slot(name=value, value=value) for value in frequent]
        slots += [Slot(name=_unique_name("other", frequent))] if pooled else []
        return Buckets(
            (*slots, Slot(name=_unique_name("missing", frequent), missing=True)), numeric=False, ordered=False
        )


def quantile_cuts(numbers: Array, counts: Ints, parts: int) -> list[float]:
    """Return the inverse empirical distribution at k/parts: the smallest value with at least that share at or below."""
    if not len(numbers):
        return []
    below = np.cumsum(counts)
    cuts = {float(numbers[np.searchsorted(below, place)]) for place in _quantile_places(int(below[-1]), parts)}
    return sorted(cuts - {float(numbers[-1])})


def _quantile_places(n: int, parts: int) -> list[int]:
    """Return the 1-based ranks of the quantiles of n numbers."""
    return [-(-k * n // parts) for k in range(1, parts)]


def _intervals(cuts: Sequence[float], parts: int, *, low: float | None = None, high: float | None = None) -> Buckets:
    """Return pinned values and the intervals between cuts as `parts` slots, those that merged away after the others."""
    edges = [low, *cuts, None]
    middle = [Slot(lo=lo, hi=hi) for lo, hi in pairwise(edges)]
    middle[0] = replace(middle[0], above=low)
    middle[-1] = replace(middle[-1], below=high)
    middle += [Slot(merged=True)] * (parts - len(middle))
    slots = [] if low is None else [Slot(value=low)]
    first = len(slots)
    slots += middle
    slots += [] if high is None else [Slot(value=high)]
    pinned = [] if low is None else [(low, 0)]
    pinned += [] if high is None else [(high, len(slots) - 1)]
    named = _named([*slots, Slot(name="missing", missing=True)])
    return Buckets(named, tuple(cuts), pinned=tuple(pinned), first=first)


def _named(slots: Sequence[Slot]) -> tuple[Slot, ...]:
    """Return intervals with names: four are XS to XL, others are called by their values."""
    present = [slot for slot in slots if not slot.missing]
    for digits in (3, 5, 8, 17):
        present = [replace(slot, digits=digits) for slot in present]
        texts = [slot.interval for slot in present if not slot.merged]
        if len(set(texts)) == len(texts):
            break
    names = [f"(empty {i})" if slot.merged else slot.interval for i, slot in enumerate(present, 1)]
    names = list(SIZES) if len(present) == len(SIZES) else names
    return (*(replace(slot, name=name) for slot, name in zip(present, names, strict=True)), *slots[len(present) :])


def is_number(dtype: pl.DataType) -> bool:
    """Return whether values of this type are cut as numbers."""
    return dtype.is_numeric()


def as_category(values: pl.Series) -> pl.Series:
    """Return values as text."""
    if values.dtype == pl.Boolean:
        return values.replace_strict({True: "yes", False: "no"}, default=None, return_dtype=pl.String)
    return (values.fill_nan(None) if values.dtype.is_float() else values).cast(pl.String)


def _by_frequency(values: pl.Series, counts: Ints, most: int | None = None) -> list[str]:
    """Return the values that occur, or the first of them, the most frequent first, ties by name."""
    table = pl.DataFrame({"value": values, "n": counts}).filter(pl.col("n") > 0)
    ranked = table.sort(["n", "value"], descending=[True, False])["value"]
    return (ranked if most is None else ranked.head(most)).to_list()


def _plain(values: pl.Series) -> pl.Series:
    """Return values as whole numbers, as numbers, or as text; null where there is none."""
    if not is_number(values.dtype):
        return as_category(values)
    if values.dtype in FITTING:
        return values.cast(pl.Int64)
    return pl.Series(values.cast(pl.Float64).to_numpy() + 0.0).fill_nan(None)  # -0.0 becomes 0.0


def _unique_name(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name = f"({name})"
    return name


def _number(value: float | None, digits: int = 3) -> str:
    if value is None:
        return ""
    if float(value).is_integer() and abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def parse_cuts(text: str) -> tuple[str, Bucketing]:
    """Read `ATTR=1,2,3`, `ATTR=quantile(6)`, `ATTR=width(5)` or `ATTR=values`."""
    name, equals, how = text.partition("=")
    name, how = name.strip(), how.strip()
    if not (equals and name and how):
        raise UserError(f"{quoted(text)} is not of the form ATTR=CUTS; write --cuts eLen=1,2,3,5")
    return name, bucketing_of(name, how)


def bucketing_of(name: str, how: Any) -> Bucketing:
    """Return the binning strategy of a user's specification: numbers, or `quantile(m)`, `width(m)`, `values`."""
    if isinstance(how, Bucketing):
        return how
    original = how
    if isinstance(how, str):
        if way := re.fullmatch(r"(quantile|width)s?\(\s*(\d{1,9})\s*\)", how):
            m = check_buckets(int(way[2]))
            return Quantiles(m) if way[1] == "quantile" else Widths(m)
        if re.fullmatch(r"values(\(\s*\))?", how):
            return Values(MOST_BUCKETS * 10)
        how = how.removeprefix("fixed").strip("()[] ").split(",")
    try:
        cuts = tuple(float(cut) for cut in how)
    except (TypeError, ValueError, OverflowError):
        expected = "numbers such as 1,2,3, or quantile(4), width(4), values"
        raise UserError(f"cuts of {name}: {quoted(str(original))} are no cuts; expected {expected}") from None
    if not cuts or not all(math.isfinite(cut) for cut in cuts):
        raise UserError(f"cuts of {name}: {quoted(str(original))}; expected finite numbers such as 1,2,3")
    for a, b in pairwise(cuts):
        if a >= b:
            raise UserError(f"cuts of {name} are not increasing: {a:g} comes before {b:g}; write them from low to high")
    check_buckets(len(cuts) + 1)
    return Fixed(cuts)


def check_buckets(m: int) -> int:
    """Check a number of buckets."""
    if not 1 < m <= MOST_BUCKETS:
        raise UserError(f"{m} buckets; expected 2 to {MOST_BUCKETS}")
    return m
