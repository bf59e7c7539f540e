"""Attributes of strings against the same rules written character by character."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.profiles import with_examples

from slicewise.attributes import surface

if TYPE_CHECKING:
    from collections.abc import Callable

STABLE = [
    c
    for c in map(chr, range(0x110000))
    if unicodedata.category(c) not in {"Cn", "Cs", "Co"}
    and unicodedata.category(c) == unicodedata.ucd_3_2_0.category(c)
]
"""Characters whose category all versions of Unicode agree on: Python and Polars do not follow the same one."""
ODD = "aÉzǅªʰ9٣²½ß'’-–.,!$+#@&/()[]«» \t\x1c\x1f\x85\xa0\u2003\u3000\x00\u200b\u0301\ufe0f❤👩אב漢カ한s"
strings = (
    st.text(st.sampled_from(ODD) | st.sampled_from(STABLE))
    | st.text("ABabs1.-&' ", max_size=8)
    | st.from_regex(r"([A-Z][a-z]{0,2}\.|[A-Z]{1,4}s?|[A-Z][a-z]{1,6}[.]?){1,3}", fullmatch=True)
)
texts = st.lists(st.none() | strings, max_size=6)


def category(c: str) -> str:
    return unicodedata.category(c)


def is_upper(c: str) -> bool:
    return category(c) in {"Lu", "Lt"}


def is_lower(c: str) -> bool:
    return category(c) == "Ll"


def without_marks(text: str) -> str:
    """Leave out the marks that stand on a character."""
    kept, base = "", False
    for c in text:
        mark = category(c)[0] == "M"
        kept += "" if mark and base else c
        base = base if mark else not c.isspace()
    return kept


def sign(c: str) -> str:
    if c.isspace():
        return " "
    signs = {"Lu": "A", "Lt": "A", "Ll": "a", "Nd": "9", "Ps": "(", "Pe": "("}
    return signs.get(category(c), "." if category(c)[0] == "P" else "#")


def slow_shape(text: str) -> str:
    shape = ""
    for one, run in groupby(map(sign, without_marks(text))):
        n = len(list(run))
        shape += one * n if one == "9" else one if n == 1 or one == " " else one + "+"
    return shape


def slow_capitalisation(text: str) -> str:
    cased = [c for c in text if is_upper(c) or is_lower(c)]
    if not cased:
        return "no letters"
    if all(map(is_lower, cased)):
        return "lower"
    if len(cased) > 1 and all(map(is_upper, cased)):
        return "ALL CAPS"
    return "Capitalised" if all(map(capitalised, text.split())) else "mixed"


def capitalised(word: str) -> bool:
    cased = [i for i, c in enumerate(word) if is_upper(c) or is_lower(c)]
    free = [i for i in cased if word[i - 1 : i] in {"'", "’"} or (i and category(word[i - 1]) == "Pd")]
    return not cased or (is_upper(word[cased[0]]) and all(is_lower(word[i]) for i in cased[1:] if i not in free))


def share(text: str, kinds: tuple[str, ...]) -> float | None:
    seen = [c for c in text if not c.isspace()]
    return sum(category(c).startswith(kinds) for c in seen) / len(seen) if seen else None


def slow_abbreviation(text: str) -> bool:
    text = without_marks(text)
    singular = text[:-1] if text.endswith("s") and is_upper(text[-2:-1] or " ") else text
    if (
        2 <= len(text) <= 6
        and sum(map(is_upper, text)) >= 2
        and all(is_upper(c) or category(c) == "Nd" or c in "&/-" for c in singular)
    ):
        return True
    signs = "".join("A" if is_upper(c) else "a" if is_lower(c) else "x" if category(c)[0] == "L" else c for c in text)
    return bool(re.fullmatch(r"(?:([Aax]|Aa{1,2})\.){2,}|Aa{0,4}\.", signs))


REFERENCES: list[tuple[Callable[[pl.Series], pl.Series], Callable[[str], Any], pl.DataType]] = [
    (surface.shape, slow_shape, pl.String()),
    (surface.capitalisation, slow_capitalisation, pl.String()),
    (surface.punctuation_share, lambda text: share(text, ("P", "S")), pl.Float64()),
    (surface.digit_share, lambda text: share(text, ("Nd",)), pl.Float64()),
    (surface.characters, len, pl.Int64()),
    (surface.abbreviation, slow_abbreviation, pl.Boolean()),
]


@pytest.mark.parametrize(("fast", "slow", "kind"), REFERENCES)
@with_examples(150)
@given(of=texts)
@example(of=[])
@example(of=[None, "", " ", "\x00", "", None])
@example(of=["\u0301 \u0301\u0301x\u0301", "e\u0301E\u0301", "A-b'C d", "ABs", "A1&", "-A B"])
def test_each_is_as_the_slow_rule_says(
    fast: Callable[[pl.Series], pl.Series], slow: Callable[[str], Any], kind: pl.DataType, of: list[str | None]
) -> None:
    found = fast(pl.Series("name", of, dtype=pl.String))
    assert (found.name, found.dtype) == ("name", kind)
    assert found.to_list() == [None if text is None else slow(text) for text in of]


@pytest.mark.parametrize(("fast", "slow", "kind"), REFERENCES)
def test_every_character_is_known_to_both(
    fast: Callable[[pl.Series], pl.Series], slow: Callable[[str], Any], kind: pl.DataType
) -> None:
    assert fast(pl.Series(STABLE)).to_list() == [slow(c) for c in STABLE]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("PCMCIA", "A+"),
        ("Poznań", "Aa+"),
        ("Poznan\u0301", "Aa+"),
        ("12.5", "99.9"),
        ("New York", "Aa+ Aa+"),
        ("(([x]))...", "(+a(+.+"),
        ("東京#1+", "#+.9#"),
        ("²", "#"),
    ],
)
def test_shapes(text: str, shape: str) -> None:
    assert surface.shape(pl.Series([text])).to_list() == [shape]


@pytest.mark.parametrize(
    ("kind", "of"),
    [
        ("lower", ["of", "e.g.", "1st", "a-b", "hello world"]),
        ("Capitalised", ["Paris", "New York", "A", "Jean-Paul", "O'Neill", "Vice-president", "3Com", "World 2"]),
        ("ALL CAPS", ["UN", "U.S.", "NEW YORK", "A B", "R2D2"]),
        ("mixed", ["iPhone", "McDonald", "Bank of England", "MPs", "the UN", "AMRO Bank", "Ab123C"]),
        ("no letters", ["", "12", "東京", "!?", "אב"]),
    ],
)
def test_capitalisations(kind: str, of: list[str]) -> None:
    assert surface.capitalisation(pl.Series(of)).to_list() == [kind] * len(of)


def test_abbreviations() -> None:
    yes = ["NATO", "UN", "MPs", "AT&T", "B2B", "CD-ROM", "U.S.", "e.g.", "Ph.D.", "M.Sc.", "Dr.", "Corp.", "J.", "ÉU"]
    no = [
        "",
        "A",
        "EU's",
        "F-16",
        "PCMCIAs",
        "12",
        "s",
        "Os",
        "Paris",
        "Berlin.",
        "e.",
        "e.g",
        "U S",
        "U.S.\n",
        "..",
        "N S",
    ]
    assert surface.abbreviation(pl.Series(yes)).to_list() == [True] * len(yes)
    assert surface.abbreviation(pl.Series(no)).to_list() == [False] * len(no)


def test_shares() -> None:
    of = pl.Series(["$5.00", "a b", "❤", " \u3000"])
    assert surface.punctuation_share(of).to_list() == [0.4, 0.0, 1.0, None]
    assert surface.digit_share(of).to_list() == [0.6, 0.0, 0.0, None]
