"""Warnings of parts become those of the whole: numbers are added up, places are those of the first part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slicewise.data_warnings import DataWarning, First, Plural, Total, When, merge_warnings, number, verb, warning
from slicewise.loading import load

if TYPE_CHECKING:
    from pathlib import Path

words = st.text(st.sampled_from("ab {}0%\\\"'é<"), max_size=6)
numbers = st.integers(0, 10**12)
pieces = st.one_of(
    words,
    st.builds(number, numbers, st.just("item")),
    st.builds(Total, numbers, st.sampled_from(["items", "tokens"])),
    st.builds(First, words, st.none() | numbers),
)
warnings = st.builds(DataWarning, st.lists(pieces, max_size=4).map(tuple), st.sampled_from(When))


@given(warnings)
def test_a_warning_travels(one: DataWarning) -> None:
    """It is the same after it was written and read, whatever is in it."""
    assert DataWarning.from_json(one.to_json()) == one
    assert str(DataWarning.from_json(one.to_json())) == str(one)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_numbers_are_added_up(counts: list[int]) -> None:
    """In any order; the first part says where."""
    said = []
    for i, n in enumerate(counts):
        one = warning("f: ", number(n, "tag"), verb(n, " was", " were"), " of ", Total(99, "tokens"), First(" at ", 3))
        said.append((10 * i, one))
    (found,) = merge_warnings(said[::-1], len(counts), {"tokens": 1234})
    n = sum(counts)
    assert str(found) == f"f: {n} {'tag was' if n == 1 else 'tags were'} of 1,234 at 4"


@pytest.mark.parametrize(
    ("when", "of_one", "of_all"),
    [(When.ANY, 1, 1), (When.EVERY, 0, 1), (When.FIRST, 0, 1), (When.NEVER, 0, 0)],
)
def test_what_is_said_of_the_whole(when: When, of_one: int, of_all: int) -> None:
    """Of any part, of all parts, of the first part, or of none."""
    one = warning("so it is", when=when)
    assert len(merge_warnings([(5, one)], 2, {})) == of_one
    assert len(merge_warnings([(5, one), (0, one)], 2, {})) == of_all


def test_other_words_are_other_warnings() -> None:
    """Of another file, or of other things."""
    said = [
        warning("a: ", number(1, "tag")),
        warning("b: ", number(1, "tag")),
        warning("a: ", number(1, "unit")),
    ]
    assert len(merge_warnings([(0, one) for one in said], 1, {})) == 3
    assert str(Plural(1, "{:,} tag", "{:,} tags")) == "1 tag"


def test_texts_that_differ(tmp_path: Path) -> None:
    """How many texts of all differ, and the first, by its number in the whole."""
    texts = [f"In Rome {i:02}" for i in range(40)]
    spans = [[{"start": 3, "end": 7, "label": "LOC"}]] * 40
    pl.DataFrame({"text": texts, "spans": spans}).write_parquet(tmp_path / "gold.parquet")
    for i in (13, 14, 35):
        texts[i] = f"in {{}}me {i:02}"
    pl.DataFrame({"text": texts, "spans": spans}).write_parquet(tmp_path / "x.parquet")
    given: dict[str, Any] = {"gold": f"{tmp_path}/gold.parquet", "systems": {"x": f"{tmp_path}/x.parquet"}}
    whole = load(**given)
    assert "3 texts of 40 differ" in whole.warnings[0]
    assert "(first: item 14)" in whole.warnings[0]
    assert load(**given, part_rows=10).warnings == whole.warnings


def test_a_first_row_like_a_header(tmp_path: Path) -> None:
    """The first row of the data may be one, not the first row of a part."""
    rows = ["label", *["a", "b"] * 60]
    rows[40] = "c"  # where the second of three parts begins
    table = pl.DataFrame({"x": rows, "y": rows})
    table.write_parquet(tmp_path / "d.parquet")
    given: dict[str, Any] = {
        "gold": f"{tmp_path}/d.parquet:1", "systems": {"x": f"{tmp_path}/d.parquet:2"}, "task": "labels",
    }  # fmt: skip
    whole = load(**given)
    assert any("is 'label' in the first row a header?" in one for one in whole.warnings)
    assert load(**given, part_rows=60).warnings == whole.warnings
