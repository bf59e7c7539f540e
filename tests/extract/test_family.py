"""Features by their names."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from slicewise.extract.family import places_in

STRINGS = st.text("ab", max_size=3)


@given(st.lists(STRINGS, unique=True), st.lists(STRINGS))
def test_places_of_strings(known: list[str], strings: list[str]) -> None:
    places = places_in(pl.Series(known, dtype=pl.String), pl.Series(strings, dtype=pl.String))
    assert places.tolist() == [known.index(string) if string in known else -1 for string in strings]
