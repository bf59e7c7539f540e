"""Words against a reader that goes character by character, and the laws that any cutting of text must keep."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.profiles import with_examples

from slicewise.words import Words, split_words

ODD = (
    "aÉz_9²½ß'’-.,!$#(\t\n\r\x0b\x1c\x1f\x85\xa0\u2003\u2028\u3000\x00\ufeff\u200b\u00ad\u200c\u200d"
    "\u0301\u0308\u093f\u3099\ufe0f\u20e3❤👩💻🏽🇵🇱אבمی٣हिन्ประ漢字々〇ひカーｶﾞ、한글ǅªʰ\U0001f1f5"
)
KNOWN = [c for c in map(chr, range(0x110000)) if unicodedata.ucd_3_2_0.category(c) not in {"Cn", "Cs", "Co"}]
"""Characters that all versions of Unicode have: Python and Polars do not follow the same one."""
texts = st.lists(
    st.none() | st.text(st.sampled_from(ODD) | st.sampled_from("ab'é ") | st.sampled_from(KNOWN)),
    max_size=6,
)


def unspaced(c: str) -> bool:
    """Tell Han and kana by their names, where the module asks the tables of scripts."""
    return bool(re.search("CJK|IDEOGRAPH|HIRAGANA|KATAKANA|KANA REPEAT|MASU MARK|HANGZHOU", unicodedata.name(c, "")))


def extends(c: str) -> bool:
    return unicodedata.category(c).startswith("M") or c in "\u00ad\u200c\u200d🏻🏼🏽🏾🏿"


def is_word(c: str) -> bool:
    return bool(c) and (c.isalnum() or c == "_") and not unspaced(c) and not extends(c)


def is_letter(c: str) -> bool:
    return c.isalpha() and is_word(c)


def slow(text: str) -> list[tuple[int, int]]:
    """Return where the words are, one character after the other."""
    spans: list[tuple[int, int]] = []
    base = ""  # what the last character is or extends; empty after white space
    for i, c in enumerate(text):
        if c.isspace():
            base = ""
            continue
        if not base:
            same = False
            role = "0" if extends(c) else c  # with nothing to extend it begins a word
        elif extends(c):
            same, role = True, base
        elif c in "'’" and is_letter(base) and is_letter(text[i + 1 : i + 2]):
            same, role = True, "_"
        else:
            same, role = (is_word(base) and is_word(c)) or text[i - 1] == "\u200d", c
        spans.append((spans.pop()[0] if same else i, i + 1))
        base = role
    return spans


def by_item(words: Words) -> list[list[tuple[str, int, int]]]:
    rows = list(zip(words.tokens, *(place.tolist() for place in words.places), strict=True))
    offsets = words.offsets.tolist()
    return [rows[a:b] for a, b in pairwise(offsets)]


@with_examples(250)
@given(texts)
@example(["a", "'b", "\u0301", "a'", "b"])
@example(["!", "\u0301b \u0301\u0308c", "\u200da"])
@example(["l'", None, "eau", "", "'", "x\u200d", "y"])
@example(["👩🏽\u200d💻a❤\ufe0fb \u200d\u200da e\u0301'a a'\u0301b a''b 1'b a'1 漢'a a'漢 a'b'c"])
def test_words_are_those_of_the_slow_reader(of: list[str | None]) -> None:
    found = by_item(split_words(pl.Series(of, dtype=pl.String)))
    assert found == [[(text[a:b], a, b) for a, b in slow(text)] for text in (t or "" for t in of)]


@given(texts)
def test_words_cover_all_but_white_space_once_and_in_order(of: list[str | None]) -> None:
    found = by_item(split_words(pl.Series(of, dtype=pl.String)))
    assert len(found) == len(of)
    for text, words in zip(of, found, strict=True):
        covered = [i for _, start, end in words for i in range(start, end)]
        assert covered == [i for i, c in enumerate(text or "") if not c.isspace()]
        assert all(start < end and token == (text or "")[start:end] for token, start, end in words)


@given(texts)
def test_an_item_does_not_depend_on_its_neighbours(of: list[str | None]) -> None:
    alone = [by_item(split_words(pl.Series([text], dtype=pl.String)))[0] for text in of]
    assert by_item(split_words(pl.Series(of, dtype=pl.String))) == alone


def test_every_character_is_known_to_both() -> None:
    between = ["a" + c + "a" for c in KNOWN]
    found = split_words(pl.Series(between))
    expected = [(a, b) for text in between for a, b in slow(text)]
    assert list(zip(*(place.tolist() for place in found.places), strict=True)) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't, you know.", "I|don't|,|you|know|."),
        ("l’eau d'Evian", "l’eau|d'Evian"),
        ("'quoted' it''s 90's", "'|quoted|'|it|'|'|s|90|'|s"),
        ("well-known a_b 12.5%", "well|-|known|a_b|12|.|5|%"),
        ("東京タワーis", "東|京|タ|ワ|ー|is"),
        ("한글 ประเทศ हिन्दी", "한글|ประเทศ|हिन्दी"),
        ("e\u0301te\u0301", "e\u0301te\u0301"),
        ("❤\ufe0fyou", "❤\ufe0f|you"),
        ("👩🏽\u200d💻!", "👩🏽\u200d💻|!"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\x00b\nc", "a|\x00|b|c"),
    ],
)
def test_examples(text: str, words: str) -> None:
    assert split_words(pl.Series([text])).tokens.to_list() == words.split("|")


@pytest.mark.parametrize("of", [[], [None], ["", " \n", None]])
def test_nothing_has_no_words(of: list[str | None]) -> None:
    words = split_words(pl.Series(of, dtype=pl.String))
    assert words.tokens.dtype == pl.String
    assert words.offsets.tolist() == [0] * (len(of) + 1)
    assert [len(words.tokens), *map(len, words.places)] == [0, 0, 0]
