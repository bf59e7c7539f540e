"""Inverted indexes, pairs and runs of tokens, against dictionaries of sets."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, example, given
from hypothesis import strategies as st
from support.profiles import with_examples

from slicewise.extract import ngrams as ngrams_module
from slicewise.extract import relation as relation_module
from slicewise.extract.family import Family, Kind, Quantity
from slicewise.extract.pairs import pairs
from slicewise.extract.relation import Batches, Inherited, Limits, Relation, by_row, joined, related
from slicewise.extract.shapes import shape_of
from slicewise.extract.text import TextField, categories, coded, numbers
from slicewise.extract.tokens import of_tokens, tokenised

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import SearchStrategy

Sets = list[set[int]]

drawn = with_examples(40)
rows_of_ids = st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=12)


@pytest.fixture(autouse=True, scope="module")
def small_batches() -> Iterator[None]:
    """Sort a few entries at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relation_module, "BATCH", 3)
        yield


@st.composite
def relations(draw: st.DrawFn, *, least: int = 0) -> tuple[Relation, Sets]:
    size = draw(st.integers(1, 15))
    sets = draw(st.lists(st.sets(st.integers(0, size - 1), min_size=least), max_size=10))
    return Relation.of_rows([np.array(sorted(own), np.int32) for own in sets], size), sets


def as_sets(relation: Relation) -> Sets:
    """Return the rows of each feature, and check the form of the relation."""
    assert relation.starts[0] == 0
    assert relation.starts[-1] == len(relation.rows)
    assert relation.rows.dtype == np.int32
    found = []
    for i in range(len(relation)):
        rows = relation.of(i).tolist()
        assert rows == sorted(set(rows))
        assert all(0 <= row < relation.size for row in rows)
        found.append(set(rows))
    assert relation.counts.tolist() == [len(own) for own in found]
    return found


def flat(rows: list[list[int]]) -> tuple[np.ndarray[Any, np.dtype[np.uint32]], np.ndarray[Any, np.dtype[np.int64]]]:
    return np.array([i for row in rows for i in row], np.uint32), np.cumsum([0, *map(len, rows)]).astype(np.int64)


# ---------------------------------------------------------------------- making a relation


@pytest.mark.parametrize("short", [4, 32])
@with_examples(30, HealthCheck.function_scoped_fixture)
@given(rows=rows_of_ids, least=st.integers(0, 4))
@example(rows=[], least=0)
@example(rows=[[], [], []], least=0)
@example(rows=[[9] * 8, [], [9], [0]], least=1)
def test_by_row(short: int, rows: list[list[int]], least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In short words and in long ones."""
    monkeypatch.setattr(relation_module, "SHORT", short)
    expected: dict[int, set[int]] = defaultdict(set)
    for i, row in enumerate(rows):
        for feature in row:
            expected[feature].add(i)
    kept = {f: own for f, own in expected.items() if len(own) >= least and len(rows) - len(own) >= least}
    relation, numbers_ = by_row(*flat(rows), 10, least)
    assert relation.size == len(rows)
    assert dict(zip(numbers_.tolist(), as_sets(relation), strict=True)) == kept
    assert numbers_.tolist() == sorted(kept)


@drawn
@given(
    st.lists(st.tuples(st.integers(0, 2**63 - 1) | st.integers(0, 5), st.integers(0, 19)), max_size=30),
    st.integers(1, 3),
)
@example([], 1)
@example([(2**63 - 1, 19), (0, 0), (2**63 - 1, 19), (2**63 - 1, 0)], 1)
@example([(2**63 - 1, 19), (0, 0), (2**63 - 1, 19), (2**63 - 1, 0)], 2)
def test_related(given_: list[tuple[int, int]], fewest: int) -> None:
    """Numbers so large that feature and row do not fit one word are no exception."""
    expected: dict[int, set[int]] = defaultdict(set)
    for key, row in given_:
        expected[key].add(row)
    kept = {key: own for key, own in expected.items() if len(own) >= fewest}
    keys = np.array([key for key, _ in given_], np.uint64)
    relation, found = related(keys, np.array([row for _, row in given_], np.uint32), 20, fewest)
    assert relation.size == 20
    assert found.tolist() == sorted(kept)
    assert dict(zip(found.tolist(), as_sets(relation), strict=True)) == kept


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 64, 65, 2**31])
@pytest.mark.parametrize("bits", [1, 31, 32, 33, 57, 58, 59, 61, 62, 63])
def test_numbers_at_the_edge_of_the_word(size: int, bits: int) -> None:
    keys = np.array([2**bits - 1, 2**bits - 2, 0, 2**bits - 1], np.uint64)
    relation, found = related(keys, np.array([size - 1, 0, size - 1, size - 1], np.uint32), size)
    expected = {2**bits - 1: {size - 1}, 2**bits - 2: {0}} | ({0: {size - 1}} if bits > 1 else {0: {0, size - 1}})
    assert dict(zip(found.tolist(), as_sets(relation), strict=True)) == expected


@with_examples(30)
@given(rows=rows_of_ids, features=st.lists(st.integers(0, 9), max_size=12))
@example(rows=[[1, 2], [1], [], [1, 3], [1]], features=[1, 9, 3, 1])
def test_features_taken_from_batches(rows: list[list[int]], features: list[int]) -> None:
    """A feature whose rows lie in several batches has them all, in order, wherever it is asked for."""
    batches = Batches.of_ids(*flat(rows), 10)
    assert as_sets(batches.take(np.array(features, np.int64)).whole()) == [
        {i for i, row in enumerate(rows) if feature in row} for feature in features
    ]


def test_related_does_not_change_what_it_is_given() -> None:
    keys, rows = np.array([5, 1, 5], np.uint64), np.array([2, 1, 0], np.uint32)
    related(keys, rows, 3)
    assert keys.tolist() == [5, 1, 5]
    assert rows.tolist() == [2, 1, 0]


# ---------------------------------------------------------------------- asking it


@drawn
@given(relations(), st.data())
def test_take(made: tuple[Relation, Sets], data: st.DataObject) -> None:
    relation, sets = made
    chosen = data.draw(st.lists(st.integers(0, len(sets) - 1), max_size=12)) if sets else []
    assert as_sets(relation) == sets
    assert as_sets(relation.take(np.array(chosen, np.int64))) == [sets[i] for i in chosen]


@drawn
@given(relations(), st.data())
def test_among(made: tuple[Relation, Sets], data: st.DataObject) -> None:
    relation, sets = made
    kept = data.draw(st.lists(st.booleans(), min_size=relation.size, max_size=relation.size))
    anew = {row: i for i, row in enumerate(row for row, there in enumerate(kept) if there)}
    found = relation.among(np.array(kept))
    assert found.size == len(anew)
    assert as_sets(found) == [{anew[row] for row in own if row in anew} for own in sets]


@drawn
@given(relations(), st.data())
def test_sums(made: tuple[Relation, Sets], data: st.DataObject) -> None:
    relation, sets = made
    values = data.draw(st.lists(st.integers(-(2**40), 2**40), min_size=relation.size, max_size=relation.size))
    whole = relation.sums(np.array(values, np.int64))
    assert whole.dtype == np.int64
    assert whole.tolist() == [sum(values[row] for row in own) for own in sets]
    tenths = relation.sums(np.array(values) / 8)
    assert tenths.tolist() == [math.fsum(values[row] / 8 for row in own) for own in sets]


@drawn
@given(relations(), st.data())
def test_what_items_have_their_rows_have(made: tuple[Relation, Sets], data: st.DataObject) -> None:
    """The same as the relation in one piece, whatever is asked."""
    items, sets = made
    owner = sorted(data.draw(st.lists(st.integers(0, items.size - 1), max_size=20)))
    starts = np.searchsorted(owner, np.arange(items.size + 1))
    units = Relation(starts, np.arange(len(owner), dtype=np.int32), len(owner))
    found = Inherited.of_items(items, units)
    expected = [{row for row, item in enumerate(owner) if item in own} for own in sets]
    assert (len(found), found.size) == (len(sets), len(owner))
    assert as_sets(found.whole()) == expected
    assert [set(found.of(i).tolist()) for i in range(len(found))] == expected
    assert found.counts.tolist() == [len(own) for own in expected]
    values = np.array(data.draw(st.lists(st.integers(-99, 99), min_size=len(owner), max_size=len(owner))), np.int64)
    assert found.sums(values).tolist() == found.whole().sums(values).tolist()
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(owner), max_size=len(owner))), np.bool_)
    some = found.among(kept)
    assert (some.size, as_sets(some.whole())) == (kept.sum(), as_sets(found.whole().among(kept)))
    assert some.counts.tolist() == [len(own) for own in as_sets(some.whole())]
    back = np.arange(len(found))[::-1]
    assert as_sets(found.take(back).whole()) == expected[::-1]


@drawn
@given(st.lists(relations(), max_size=4))
def test_joined(made: list[tuple[Relation, Sets]]) -> None:
    size = max((relation.size for relation, _ in made), default=3)
    wide = [Relation(relation.starts, relation.rows, size) for relation, _ in made]
    found = joined(wide, size)
    assert found.size == size
    assert as_sets(found) == [own for _, sets in made for own in sets]


@given(st.integers(0, 6), st.integers(0, 12), st.lists(st.integers(0, 12), max_size=8))
def test_limits(least: int, size: int, counts: list[int]) -> None:
    found = Limits(least, size)(np.array(counts, np.int64))
    assert found.tolist() == [least <= count <= size - least for count in counts]


# ---------------------------------------------------------------------- pairs


@pytest.mark.parametrize("cells", [1, 7, 1 << 23])
@pytest.mark.parametrize("largest", [9, 2**52])
@with_examples(20)
@given(made=relations(), least=st.integers(1, 4), data=st.data())
def test_pairs(cells: int, largest: int, made: tuple[Relation, Sets], least: int, data: st.DataObject) -> None:
    """Also where count and sum do not fit one number."""
    relation, sets = made
    many = 2**10 if largest > 9 else 1  # rows that nothing has, so that counts need more bits
    relation = Relation(relation.starts, relation.rows, relation.size * many)
    least_value = largest // 2 + 1
    values = data.draw(st.lists(st.integers(least_value, largest), min_size=relation.size // many, max_size=99))
    weights = np.zeros(relation.size, np.int64)
    weights[: relation.size // many] = values[: relation.size // many]
    expected = {
        (a, b): (len(both), sum(int(weights[row]) for row in both))
        for a, b in combinations(range(len(sets)), 2)
        if len(both := sets[a] & sets[b]) >= least
    }
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for block in pairs(relation, weights, least, most_cells=cells):
        assert len(block) == len(block.a) == len(block.b) == len(block.counts) == len(block.sums)
        keys = list(zip(block.a.tolist(), block.b.tolist(), strict=True))
        assert not set(keys) & set(found)
        found |= dict(zip(keys, zip(block.counts.tolist(), block.sums.tolist(), strict=True), strict=True))
    assert found == expected


@pytest.mark.parametrize("cells", [1, 100, 1 << 23])
def test_pairs_of_many_rows(cells: int) -> None:
    """In many blocks, so that what is behind is cut off now and then."""
    rng = np.random.default_rng(0)
    dense = rng.random((40, 1500)) < 0.1
    relation = Relation.of_rows([np.flatnonzero(own).astype(np.int32) for own in dense], 1500)
    values = rng.integers(2, 3000, 1500)
    blocks = list(pairs(relation, values, 5, most_cells=cells))
    counts = dense.astype(np.int64) @ dense.T.astype(np.int64)
    sums = dense.astype(np.int64) @ (dense * values).T
    found = {(a, b): (n, s) for x in blocks for a, b, n, s in zip(x.a, x.b, x.counts, x.sums, strict=True)}
    expected = {(a, b): (counts[a, b], sums[a, b]) for a in range(40) for b in range(a + 1, 40) if counts[a, b] >= 5}
    assert found == expected


# ---------------------------------------------------------------------- runs of tokens

word = st.sampled_from(["a", "b", "c", "++", "a++b", ""])
sentences = st.lists(st.lists(word, max_size=7), max_size=10)


def field(items: list[list[str]], *, geval: bool = False) -> TextField:
    tokens = pl.Series([token for item in items for token in item], dtype=pl.String)
    return TextField("in", of_tokens(tokens, np.cumsum([0, *map(len, items)]).astype(np.int64), None), geval=geval)


def as_pairs(family: Family) -> list[tuple[str, frozenset[int]]]:
    """Names may be the same for different runs (`a++b` is a token, too), so no dictionary."""
    names = family.names(np.arange(len(family))).to_list()
    return sorted(
        ((name, frozenset(own)) for name, own in zip(names, as_sets(family.relation.whole()), strict=True)), key=str
    )


def slow_runs(items: list[list[str]], n: int, least: int) -> list[tuple[str, frozenset[int]]]:
    found: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for i, item in enumerate(items):
        for start in range(len(item) - n + 1):
            found[tuple(item[start : start + n])].add(i)
    kept = ((run, own) for run, own in found.items() if len(own) >= least and len(items) - len(own) >= least)
    return sorted((("in:" + "++".join(run), frozenset(own)) for run, own in kept), key=str)


@pytest.mark.parametrize("word_size", [8, 64])
@with_examples(40, HealthCheck.function_scoped_fixture)
@given(items=sentences, longest=st.integers(1, 4), least=st.integers(1, 3))
@example(items=[["a"], ["b"], ["a", "b"], ["a", "b"], ["b", "a"]], longest=4, least=1)
@example(items=[["a", "a", "a", "a"], ["a", "a"], [], ["a", "a", "a"], []], longest=4, least=2)
@example(items=[["a", "b", "c", "a"]] * 3 + [["c", "b"], [], ["x"]], longest=4, least=3)
@example(items=[], longest=4, least=1)
@example(items=[[]], longest=4, least=1)
def test_runs_of_adjacent_tokens(
    word_size: int, items: list[list[str]], longest: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never over the end of an item, and once per item; also where run and row do not fit one word."""
    monkeypatch.setattr(ngrams_module, "WORD", word_size)
    made = field(items)
    assert as_pairs(made.unigrams(least)) == slow_runs(items, 1, least)
    found = list(made.ngrams(longest, least))
    assert [family.kind for family in found] == [Kind.BIGRAM, Kind.NGRAM, Kind.NGRAM][: len(found)]
    assert all(not slow_runs(items, n, least) for n in range(len(found) + 2, longest + 1))  # ends where there are none
    for n, family in enumerate(found, 2):
        assert (family.space, family.relation.size) == ("in", len(items))
        assert as_pairs(family) == slow_runs(items, n, least)


@with_examples(40)
@given(sentences, st.integers(1, 3))
def test_the_published_tool_drops_what_an_item_has_had_before_it_looks_at_neighbours(
    items: list[list[str]], least: int
) -> None:
    once = [list(dict.fromkeys(item)) for item in items]
    made = field(items, geval=True)
    assert as_pairs(made.unigrams(least)) == slow_runs(once, 1, least)
    assert as_pairs(next(made.ngrams(2, least))) == slow_runs(once, 2, least)


@pytest.mark.parametrize("batch", [50, 500_000])
def test_runs_of_many_items(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relation_module, "BATCH", batch)
    rng = np.random.default_rng(1)
    items = [[f"w{i}" for i in rng.zipf(1.5, rng.integers(0, 12)).clip(max=60)] for _ in range(1500)]
    made = field(items)
    for n, family in enumerate([made.unigrams(3), *made.ngrams(4, 3)], 1):
        assert len(family) > 20
        assert as_pairs(family) == slow_runs(items, n, 3)


# ---------------------------------------------------------------------- shapes

SHAPES = {
    "PCMCIA": "A+", "Poznań": "Aa+", "12.5": "99.9", "a": "a", "aa": "a+", "A": "A", "Ab": "Aa", "iPhone": "aAa+",
    "(": "(", "[x]": "(a(", "...": ".+", "3-5": "9.9", "€": "#", "漢字": "#+", "1234": "9999", "B2B": "A9A", "": "",
}  # fmt: skip


def test_examples_of_shapes() -> None:
    assert shape_of(pl.Series(list(SHAPES))).to_list() == list(SHAPES.values())


@pytest.mark.parametrize(("token", "usual", "published"), [("²", "#", "#"), ("٣", "9", "#"), ("e\u0301", None, "a#")])
def test_shapes_of_the_published_tool(token: str, usual: str | None, published: str) -> None:
    assert shape_of(pl.Series([token]), geval=True).to_list() == [published]
    assert usual is None or shape_of(pl.Series([token])).to_list() == [usual]


LOOKS = {"a": "a", "bb": "a+", "Cd": "Aa", "12": "99", "3": "9", ".": ".", "Ef": "Aa", "x": "a", "Efg": "Aa+"}
shaped_words = st.lists(st.lists(st.sampled_from(sorted(LOOKS)), max_size=5), max_size=8)


@with_examples(20)
@given(shaped_words, st.integers(1, 3))
def test_shapes_are_features(items: list[list[str]], least: int) -> None:
    assume(any(items))
    looks = {token: f"SHAPE:{LOOKS[token]}" for item in items for token in item}
    shaped = [[looks[token] for token in item] for item in items]
    family = field(items).shapes(least)
    assert family.kind is Kind.SHAPE
    assert as_pairs(family) == slow_runs(shaped, 1, least)
    once = [list(dict.fromkeys(looks[token] for token in dict.fromkeys(item))) for item in items]
    made = field(items, geval=True)
    assert as_pairs(next(made.shape_bigrams(least))) == slow_runs(once, 2, least)


# ---------------------------------------------------------------------- categories and numbers

values = st.lists(st.none() | st.sampled_from(["", "x", "y", "x y", "<b>", "^x$", "*"]), max_size=12)


@given(values, st.integers(1, 3))
def test_categories(of: list[str | None], least: int) -> None:
    expected: dict[str, set[int]] = defaultdict(set)
    for i, value in enumerate(of):
        if value:
            expected[f"v = {value}"].add(i)
    kept = {name: own for name, own in expected.items() if len(own) >= least and len(of) - len(own) >= least}
    family = categories(Kind.CATEGORY, "v", "v = ", pl.Series(of, dtype=pl.String), least)
    assert family is not None
    assert dict(as_pairs(family)) == kept
    assert family.relation.size == len(of)
    none = categories(Kind.CATEGORY, "v", "", pl.Series(of, dtype=pl.String), least, most=len(expected) - 1)
    assert none is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7)), max_size=20), st.integers(1, 3))
def test_features_that_are_numbered_already(of: list[tuple[int, int]], least: int) -> None:
    expected: dict[str, set[int]] = defaultdict(set)
    for code, row in of:
        expected["ABCD"[code]].add(row)
    codes, rows = (np.array([pair[i] for pair in of], np.uint32) for i in (0, 1))
    family = coded(Kind.LABEL, "", codes, rows, 8, least, pl.Series(list("ABCD")))
    kept = {name: own for name, own in expected.items() if least <= len(own) <= 8 - least}
    assert dict(as_pairs(family)) == kept


def test_a_field_of_too_many_values_is_no_category() -> None:
    many = pl.Series([f"v{i % 1001}" for i in range(3000)])
    assert TextField("in", tokenised(many, "words"), many).category(1) is None
    few = pl.Series([f"v{i % 1000}" for i in range(3000)])
    family = TextField("in", tokenised(few, "words"), few).category(2)
    assert family is not None
    assert len(family) == 1000
    late = pl.Series(["x"] * 10_000 + [f"v{i}" for i in range(1000)])
    assert TextField("in", tokenised(late, "words"), late).category(1) is None


finite = st.floats(allow_nan=False, allow_infinity=False)
numeric = st.one_of(finite.map(repr), finite.map(lambda x: f" {x:.3g}\t"), st.integers(-99, 99).map(str), st.just(""))
wordy = st.sampled_from(["nan", "inf", "-inf", "1e999", "x", "1 2", "1,5", "--1", "", "12", "-0.5", "."])


def slow_numbers(of: list[str | None]) -> list[float] | None:
    found = []
    for text in of:
        if text is None or not text.strip():
            found.append(math.nan)
            continue
        try:
            value = float(text)
        except ValueError:
            return None
        if not math.isfinite(value):
            return None
        found.append(value)
    return None if all(map(math.isnan, found)) else found


def lists_of(one: SearchStrategy[str]) -> SearchStrategy[list[str | None]]:
    return st.lists(st.none() | one, max_size=6)


@with_examples(100)
@given(lists_of(numeric) | lists_of(wordy) | lists_of(numeric | wordy))
@example([])
@example([None, "", " "])
@example(["1"] * 150 + ["x"])
@example([""] * 150 + ["2", None])
def test_texts_that_are_numbers(of: list[str | None]) -> None:
    found, expected = numbers(pl.Series(of, dtype=pl.String)), slow_numbers(of)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert np.array_equal(found, expected, equal_nan=True)


@given(sentences)
def test_the_length_of_a_field(items: list[list[str]]) -> None:
    found = field(items).length()
    assert (found.kind, found.name) == (Kind.LENGTH, "in length")
    assert found.values.tolist() == [len(item) for item in items]


def test_items_that_follow_each_other_share_no_run() -> None:
    items = [["a"], ["b"], ["a"], ["b"], ["a", "b"], []]
    (family,) = field(items).ngrams(2, 1)
    assert as_pairs(family) == [("in:a++b", frozenset({4}))]


@given(st.lists(st.just(math.nan) | st.integers(-3, 3).map(float), min_size=2, max_size=20))
@example([1.0] * 9 + [2.0])
@example([1.0, 2.0])
def test_the_extremes_of_a_number(of: list[float]) -> None:
    """A quarter of the rows and those that equal its last, but never all of them."""
    there = sorted(value for value in of if not math.isnan(value))
    assume(len(set(there)) > 1)
    quantity = Quantity(Kind.NUMBER, "in", "in value", np.array(of))
    for large in (True, False):
        ordered = there[::-1] if large else there
        cut = ordered[max(1, len(there) // 4) - 1]
        if cut == ordered[-1]:
            cut = next(value for value in reversed(ordered) if value != cut)
        assert quantity.cut(large=large) == cut
        rows = [i for i, value in enumerate(of) if (value >= cut if large else value <= cut)]
        assert quantity.extreme(large=large).tolist() == rows
        assert 0 < len(rows) < len(there)
