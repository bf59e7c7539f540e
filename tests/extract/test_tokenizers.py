"""Tokenizers, which see every distinct piece once, against what the same tool makes of each whole text."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from support.needs import need_module
from support.profiles import with_examples

from slicewise.errors import UserError
from slicewise.extract.tokenizers import TOKENIZERS, check_tokenizer
from slicewise.extract.tokens import Tokens, of_tokens, tokenised
from slicewise.words import split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SPACES = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000"
"""White space to Unicode, to Python and to Polars."""
SEPARATORS = "\x1c\x1d\x1e\x1f"
"""White space to Python only."""
MADE = (
    *SPACES, *"    ", *"ab1290éßА.,;:-–'\"$%&<>()[]{}/\\@#*~`^_|+=!?", "&quot;", "&amp;", "&lt;",
    "&gt;", "&amp", "amp;", "<skipped>", "-\n", "1.5", "1,000", "2-3", ".5", "5.", "'s", "http://x.y", "a++b",
    "漢字", "ひら", "カナ", "ประเทศไทย", "한글", "❤\ufe0f", "👩\u200d💻", "🇵🇱", "e\u0301", "\u00ad", "\u200b",
    "\u200d", "\ufeff", "\x00", "אב",
)  # fmt: skip
texts = st.lists(
    st.none() | st.lists(st.sampled_from(MADE), max_size=12).map("".join) | st.text(max_size=12), max_size=6
)
some = with_examples(60)

sacrebleu_cut: Callable[[str], str] = Tokenizer13a()  # type: ignore[no-untyped-call]


def without_separators(of: Sequence[str | None]) -> list[str | None]:
    return [None if text is None else re.sub(f"[{SEPARATORS}]", "", text) for text in of]


def by_item(tokens: Tokens) -> list[list[str]]:
    names = tokens.vocabulary.to_list()
    assert len(set(names)) == len(names)
    assert tokens.offsets[0] == 0
    assert tokens.offsets[-1] == len(tokens.ids)
    return [[names[i] for i in tokens.ids[a:b].tolist()] for a, b in pairwise(tokens.offsets.tolist())]


def cut(of: Sequence[str | None], name: str, **options: int) -> list[list[str]]:
    return by_item(tokenised(pl.Series(of, dtype=pl.String), name, **options))


def whole_13a(text: str) -> list[str]:
    return sacrebleu_cut(text).split()


def whole_words(text: str) -> list[str]:
    return split_words(pl.Series([text], dtype=pl.String)).tokens.to_list()


def whole_geval(text: str) -> list[str]:
    return [part for part in re.split("[ \t:]", text) if part]


def whole_characters(text: str) -> list[str]:
    return [c for c in text if not c.isspace()]


def whole_icu(text: str) -> list[str]:
    """The words of ICU; it puts a mark that follows a space into one word with that, which no token begins with."""
    from icu4py.breakers import WordBreaker

    return [word.rpartition(" ")[2] for word in WordBreaker(text, "en") if not word.isspace()]


ORACLES: dict[str, Callable[[str], list[str]]] = {
    "words": whole_words,
    "whitespace": str.split,
    "13a": whole_13a,
    "char": whole_characters,
    "icu": whole_icu,
    "geval": whole_geval,
}


def expected(of: Sequence[str | None], name: str) -> list[list[str]]:
    return [[] if text is None else ORACLES[name](text) for text in of]


def test_every_tokenizer_has_an_oracle() -> None:
    assert set(ORACLES) == set(TOKENIZERS)


# ---------------------------------------------------------------------- whole texts


@some
@given(texts)
@example(["a. ,5 5. ,b 1.,2 .,. ,, 3-4 -5 5- -\n- a-\nb &amp;quot; &quot;a&quot; <skip<skipped>ped> &lt;b&gt; 1 . 5"])
@example(["x .", ". x", " . ", "5 .5 5. 5", "a\u00a0.5", "1,\u20035", "\n", "-\n", "&amp; lt;"])
@example(["p.m., 3.5% 1,000-2,000 $5.00/kg a.b.c U.S. (e.g., x) \u201cx,\u201d don't"])
def test_13a_is_that_of_sacrebleu_on_the_whole_line(of: list[str | None]) -> None:
    assert cut(of, "13a") == expected(of, "13a")


@some
@given(texts)
@example(["don't ' l' eau a'  'b \u0301 \u0301a e \u0301 x \u200dy"])
def test_words_are_those_of_the_whole_text(of: list[str | None]) -> None:
    assert cut(of, "words") == expected(of, "words")


@some
@given(texts.map(without_separators))
def test_white_space_is_that_of_python(of: list[str | None]) -> None:
    assert cut(of, "whitespace") == expected(of, "whitespace")
    assert cut(of, "char") == expected(of, "char")


@some
@given(texts)
@example([":a::b:c\td  e:", ":", "a:b++c", "a\nb:c\xa0d"])
def test_geval_cuts_at_spaces_tabs_and_colons(of: list[str | None]) -> None:
    assert cut(of, "geval") == expected(of, "geval")


@with_examples(50)
@given(texts)
@example(["私は東京都に住んでいます。", "我爱北京天安门 中文分词", "ฉันรักประเทศไทย สวัสดีครับ", "I can't, 3.14 e.g. l'eau"])
@example(["ខ្ញុំស្រឡាញ់ប្រទេសកម្ពុជា ຂ້ອຍຮັກປະເທດລາວ", "東 京 都 に", "🇵🇱 🇵 🇱 👩 \u200d💻", "a \u0301 b\u3000 \u0301"])
def test_icu_is_that_of_the_whole_text(of: list[str | None]) -> None:
    need_module("icu4py", "icu4py")
    assert cut(of, "icu") == expected(of, "icu")


def test_icu_knows_words_that_no_space_separates() -> None:
    need_module("icu4py", "icu4py")
    assert cut(["我爱北京", "東京に住む", "สวัสดีครับ", "can't stop"], "icu") == [
        ["我", "爱", "北京"],
        ["東京", "に", "住む"],
        ["สวัสดี", "ครับ"],
        ["can't", "stop"],
    ]


# ---------------------------------------------------------------------- absent and empty texts


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("of", [[], [None], [""], [" "], ["", None, " \n\t ", None], [None, "a", "", "a  a", None]])
def test_absent_and_empty_texts_have_no_tokens(name: str, of: list[str | None]) -> None:
    if name == "icu":
        need_module("icu4py", "icu4py")
    found = tokenised(pl.Series(of, dtype=pl.String), name)
    assert found.items == len(of)
    assert found.ids.dtype == np.uint32
    assert found.vocabulary.dtype == pl.String
    assert by_item(found) == [["\n"] if name == "geval" and "\n" in (t or "") else (t or "").split() for t in of]


# ---------------------------------------------------------------------- many items


@pytest.mark.parametrize("batch", [1, 7, 1000])
@pytest.mark.parametrize("name", TOKENIZERS)
def test_batches_change_nothing(name: str, batch: int) -> None:
    if name == "icu":
        need_module("icu4py", "icu4py")
    rng = np.random.default_rng(batch)
    items = 40 if batch == 1 else 150 * batch if batch < 10 else 3000
    known = ["", "a", "b,c", "don't", "1.5", "漢字", "x:y", "\t", "Zażółć", "&amp;", *(f"w{i}" for i in range(500))]
    of: list[str | None] = [" ".join(rng.choice(known, size=rng.integers(0, 9)).tolist()) for _ in range(items)]
    of[1::10] = [None] * len(of[1::10])
    memory = {piece: ORACLES[name](piece) for piece in known}
    expected = [[t for piece in (text or "").split(" ") for t in memory[piece]] for text in of]
    assert cut(of, name, batch=batch) == expected


# ---------------------------------------------------------------------- tokens that are there already

tokenised_items = st.lists(st.lists(st.sampled_from(MADE) | st.text(max_size=4), max_size=6), max_size=6)


def flat(items: Sequence[Sequence[str]]) -> tuple[pl.Series, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    offsets = np.cumsum([0, *map(len, items)]).astype(np.int64)
    return pl.Series([token for item in items for token in item], dtype=pl.String), offsets


@some
@given(tokenised_items)
@example([[], ["a b", "", " ", "a b"], []])
def test_tokens_that_are_there_stay_as_they_are(items: list[list[str]]) -> None:
    assert by_item(of_tokens(*flat(items), None)) == items


@pytest.mark.parametrize("name", ["words", "13a", "char", "geval", "whitespace"])
@with_examples(30)
@given(items=tokenised_items)
@example(items=[[], ["don't", "", "1.5,b:c"], ["don't"], []])
@example(items=[["a"], ["b", "a"]])
def test_tokens_that_are_cut_further(name: str, items: list[list[str]]) -> None:
    items = [[re.sub(f"[{SEPARATORS}]", "", token) for token in item] for item in items]
    assert by_item(of_tokens(*flat(items), name)) == [
        [t for token in item for t in ORACLES[name](token)] for item in items
    ]


# ---------------------------------------------------------------------- names


def test_an_unknown_tokenizer_is_told_which_there_are() -> None:
    assert [check_tokenizer(name) for name in TOKENIZERS] == list(TOKENIZERS)
    with pytest.raises(UserError, match=r"unknown tokenizer 'word'.*words"):
        check_tokenizer("word")


def test_icu_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    with pytest.raises(UserError, match=r"needs icu4py; install it: pip install 'slicewise\[cjk\]'"):
        cut(["a"], "icu")
