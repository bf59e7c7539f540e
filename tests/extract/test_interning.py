"""Numbers for strings, against a dictionary; and what happens when two strings have the same hash."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.profiles import with_examples

from slicewise.extract.interning import CollisionError, Interner
from slicewise.extract.tokens import tokenised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Hash = Callable[[str, int], int]

strings = st.text(max_size=5) | st.sampled_from(["", " ", "a", "b", "a" * 3000, "é" * 999, "\x00", "\x00\x00", "漢"])
batches = st.lists(st.lists(strings, max_size=20), max_size=8)


class Checked:
    """An interner beside a dictionary: what it says must be what it said before."""

    def __init__(self, interned: Interner) -> None:
        self.interned = interned
        self.numbers: dict[str, int] = {}

    def __call__(self, of: Sequence[str]) -> None:
        ids = self.interned(pl.Series(of, dtype=pl.String))
        assert ids.dtype == np.uint32
        assert len(ids) == len(of)
        for string, number in zip(of, ids.tolist(), strict=True):
            assert self.numbers.setdefault(string, number) == number

    def end(self) -> None:
        assert len(self.interned) == len(self.numbers)
        assert self.interned.strings.dtype == pl.String
        assert self.interned.strings.to_list() == sorted(self.numbers, key=self.numbers.__getitem__)
        assert sorted(self.numbers.values()) == list(range(len(self.numbers)))


@pytest.mark.parametrize("bits", [1, 3, 10])
@with_examples(20)
@given(of=batches)
def test_the_same_string_has_the_same_number(bits: int, of: list[list[str]]) -> None:
    checked = Checked(Interner(bits=bits))
    for batch in of:
        checked(batch)
    checked.end()


@pytest.mark.parametrize(("bits", "sparse"), [(1, 8), (18, 8), (4, 1), (6, 0)])
def test_tables_that_grow_and_tables_that_are_full(bits: int, sparse: int) -> None:
    """The last of these never grows, so that nearly all strings stand besides the table."""
    rng = np.random.default_rng(bits)
    checked = Checked(Interner(bits=bits, sparse=sparse))
    for size in (1, 0, 5, 3000, 100, 20_000, 7, 20_000):
        checked([f"w{i}" for i in rng.zipf(1.2, size).clip(max=10**6)])
    checked.end()
    assert len(checked.numbers) > 5000


def test_many_distinct_strings() -> None:
    interned = Interner()
    every = pl.Series([f"{i}" for i in range(150_000)])
    first = interned(every)
    assert len(interned) == 150_000
    assert np.array_equal(np.sort(first), np.arange(150_000))
    assert interned.strings.gather(first).equals(every)
    assert np.array_equal(interned(every.reverse()), first[::-1])
    assert len(interned) == 150_000


def test_very_long_strings() -> None:
    checked = Checked(Interner())
    long = ["x" * 10**6, "x" * 10**6 + "y", "y" + "x" * 10**6, ""]
    checked(long)
    checked(long[::-1])
    checked.end()


@pytest.mark.parametrize("seed", [0, 1, 17])
def test_the_order_of_numbers_is_that_of_another_run(seed: int) -> None:
    of = pl.Series([f"w{i % 77}" for i in range(500)])
    assert np.array_equal(Interner(seed)(of), Interner(seed)(of))


# ---------------------------------------------------------------------- the same hash


def hashed(monkeypatch: pytest.MonkeyPatch, by: Hash) -> None:
    """Let strings be hashed otherwise."""

    def hash_(self: pl.Series, seed: int = 0) -> pl.Series:
        return pl.Series([by(string, seed) % 2**64 for string in self], dtype=pl.UInt64)

    monkeypatch.setattr(pl.Series, "hash", hash_)


def spread(of: Iterable[int]) -> int:
    """Return a number that differs in its first bits for different numbers."""
    found = 1
    for number in of:
        found = (found * 31 + number + 1) * 0x9E3779B97F4A7C15 % 2**64
    return found


def test_the_same_first_bits_are_no_collision(monkeypatch: pytest.MonkeyPatch) -> None:
    """All strings come to one place of the table, and are told apart all the same."""
    hashed(monkeypatch, lambda string, _: 2**63 + spread(map(ord, string)) % 2**40)
    checked = Checked(Interner())
    rng = np.random.default_rng(0)
    for _ in range(20):
        checked([f"w{i}" for i in rng.integers(0, 300, 50)])
    checked.end()


@pytest.mark.parametrize(
    "of", [[["a", "b"]], [["a"], ["b"]], [["a", "c"], ["c", "b"]], [["c"], ["c", "a"], ["a", "b"]]]
)
@pytest.mark.parametrize("same", [1, 2**63, 2**64 - 1])
def test_two_strings_with_one_hash_are_never_one(
    of: list[list[str]], same: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed(monkeypatch, lambda string, _: same if string in "ab" else 2**62)
    interned = Interner()
    for batch in of[:-1]:
        interned(pl.Series(batch))
    with pytest.raises(CollisionError):
        interned(pl.Series(of[-1]))


@with_examples(25, HealthCheck.function_scoped_fixture)
@given(of=batches, width=st.integers(1, 12))
def test_weak_hashes_are_right_or_refused(of: list[list[str]], width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With hashes of a few bits, an interner raises as soon as one meets two different strings, and not before."""
    with monkeypatch.context() as patch:
        weak: dict[int, set[str]] = {}

        def by(string: str, _: int) -> int:
            return (spread(map(ord, string)) >> (64 - width) << (64 - width)) + 1

        hashed(patch, by)
        checked = Checked(Interner(bits=4))
        for batch in of:
            for string in batch:
                weak.setdefault(by(string, 0), set()).add(string)
            if any(len(strings) > 1 for strings in weak.values()):
                with pytest.raises(CollisionError):
                    checked(batch)
                return
            checked(batch)
        checked.end()


def test_text_is_cut_with_another_seed_after_a_collision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pieces collide under the first seed; what they are cut into does not."""
    tried: list[int] = []

    def by(string: str, seed: int) -> int:
        tried.append(seed)
        return 2**63 + 5 if seed == 0 and string in ("a,b", "c,d") else spread([seed, *map(ord, string)])

    hashed(monkeypatch, by)
    found = tokenised(pl.Series(["a,b x", "x", "c,d", None, "a,b c,d"]), "words", batch=2)
    names = found.vocabulary.to_list()
    items = [" ".join(names[i] for i in found.ids[a:b].tolist()) for a, b in pairwise(found.offsets.tolist())]
    assert items == ["a , b x", "x", "c , d", "", "a , b c , d"]
    assert max(tried) == 1
