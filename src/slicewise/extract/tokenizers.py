"""How text becomes tokens: each tokenizer cuts a piece that stands between spaces, and sees every distinct piece once.

None of them makes a token that reaches over a space, so cutting the distinct pieces cuts the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.words import cut_words

Pieces = tuple[pl.Series, NDArray[np.int64]]
"""The tokens of many pieces one after the other, and where those of each begin."""


def words(pieces: pl.Series) -> Pieces:
    """Cut into Unicode words; every other character but white space is a token of its own."""
    cut = cut_words(pieces)
    return cut.tokens, cut.offsets


def whitespace(pieces: pl.Series) -> Pieces:
    """Cut at white space."""
    return _flat(pieces.str.extract_all(r"\S+"))


def characters(pieces: pl.Series) -> Pieces:
    """Cut into characters, without white space."""
    return _flat(pieces.str.extract_all(r"\S"))


def mteval(pieces: pl.Series) -> Pieces:
    """Cut as mteval-v13a does, by sacreBLEU."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    cut: Callable[[str], str] = Tokenizer13a()  # type: ignore[no-untyped-call]
    return _listed(cut(piece).split() for piece in pieces)


def icu(pieces: pl.Series) -> Pieces:
    """Cut into the words of ICU, which knows those of Chinese, Japanese, Thai, Khmer and Lao."""
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        message = "the tokenizer icu needs icu4py; install it: pip install 'slicewise[cjk]'"
        raise UserError(message) from None
    return _listed([word for word in WordBreaker(piece, "en") if not word.isspace()] for piece in pieces)


def geval(pieces: pl.Series) -> Pieces:
    """Cut at spaces, tabs and colons, as the published tool does."""
    return _listed([part for part in re.split(r"[ \t:]", piece) if part] for piece in pieces)


TOKENIZERS: dict[str, Callable[[pl.Series], Pieces]] = {
    "words": words,
    "whitespace": whitespace,
    "13a": mteval,
    "char": characters,
    "icu": icu,
    "geval": geval,
}


def check_tokenizer(name: str) -> str:
    """Return the name of a tokenizer, or say which there are."""
    if name not in TOKENIZERS:
        raise UserError(f"unknown tokenizer {quoted(name)}; {did_you_mean(name, TOKENIZERS)}")
    return name


def _flat(lists: pl.Series) -> Pieces:
    sizes = lists.list.len().to_numpy()
    return lists.filter(lists.list.len() > 0).explode(), _offsets(sizes)


def _listed(pieces: Iterable[list[str]]) -> Pieces:
    tokens_of = list(pieces)
    return pl.Series(list(chain.from_iterable(tokens_of)), dtype=pl.String), _offsets(
        [len(tokens) for tokens in tokens_of]
    )


def _offsets(sizes: Iterable[int] | NDArray[np.uint32]) -> NDArray[np.int64]:
    sizes = np.asarray(list(sizes) if not isinstance(sizes, np.ndarray) else sizes, np.int64)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
