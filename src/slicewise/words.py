"""Running text into words, with the place of each in its text.

Words are runs of letters, digits and underscores, with an apostrophe between letters (`don't`, `l'eau`). Han, Hiragana
and Katakana are written without spaces: each character is a token. So is every other character but white space. What
only modifies the character before it (a combining mark, a skin tone) stays with it, whatever that character is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints, Mask

_SPACE, _SINGLE, _APOSTROPHE, _EXTENDER, _JOINER, _WORD, _LETTER = range(7)

_UNSPACED = r"[\p{scx:Han}\p{scx:Hiragana}\p{scx:Katakana}]"
_EXTENDERS = {"\N{SOFT HYPHEN}", "\N{ZERO WIDTH NON-JOINER}", *map(chr, range(0x1F3FB, 0x1F400))}
"""Besides the combining marks; the last five are skin tones."""


@dataclass(frozen=True)
class Words:
    """The words of many texts, one after the other; those of item i are `offsets[i]:offsets[i + 1]`."""

    tokens: pl.Series
    offsets: Ints
    _places: Callable[[], tuple[Ints, Ints]]

    @cached_property
    def places(self) -> tuple[Ints, Ints]:
        """Where each word begins and ends in its item's text, in characters (code points)."""
        return self._places()


def split_words(texts: pl.Series) -> Words:
    """Return the words of each text; an absent text has none.

    No word reaches over a space, so the distinct pieces between spaces are cut, and each text is put together of them.
    """
    cut = texts.fill_null("").str.split(" ")
    sizes = cut.list.len().to_numpy().astype(np.int64)
    distinct, piece = _numbered(cut.explode())
    pieces = cut_words(distinct)
    number = np.diff(pieces.offsets)[piece]
    before = np.concatenate([[0], np.cumsum(number)])
    at = np.repeat(pieces.offsets[piece] - before[:-1], number) + np.arange(before[-1])
    items = np.concatenate([[0], np.cumsum(sizes)])

    def places() -> tuple[Ints, Ints]:
        reach = np.concatenate([[0], np.cumsum(distinct.str.len_chars().to_numpy().astype(np.int64)[piece] + 1)])
        origin = np.repeat(reach[:-1] - np.repeat(reach[items[:-1]], sizes), number)
        start, end = pieces.places
        return start[at] + origin, end[at] + origin

    return Words(pieces.tokens.gather(at), before[items], places)


def _numbered(strings: pl.Series) -> tuple[pl.Series, NDArray[np.uint32]]:
    """Return the distinct strings, and the place of each string among them."""
    coded = strings.cast(pl.Categorical(pl.Categories.random()))
    categories = coded.unique()
    distinct = categories.gather(categories.to_physical().arg_sort()).cast(pl.String)
    return distinct, coded.to_physical().to_numpy()


def cut_words(texts: pl.Series) -> Words:
    """Return the words of each text, character by character."""
    points = np.frombuffer("".join(texts.to_list()).encode("utf-32-le"), np.uint32)
    items = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(texts.str.len_chars().to_numpy(), out=items[1:])

    kinds = _kinds(points)
    visible = kinds != _SPACE
    starts = visible & ~_continues(kinds, items)
    ends = visible.copy()
    ends[:-1] &= starts[1:] | ~visible[1:]

    start, end = np.flatnonzero(starts), np.flatnonzero(ends) + 1
    offsets = np.searchsorted(start, items)
    origin = np.repeat(items[:-1], np.diff(offsets))
    return Words(_cut(points[visible], end - start), offsets, lambda: (start - origin, end - origin))


def _kinds(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return what each character is; every distinct one is looked up once."""
    seen = np.zeros(0x110000, np.bool_)
    seen[points] = True
    distinct = np.flatnonzero(seen)
    characters = [chr(point) for point in distinct]
    unspaced = pl.Series(characters, dtype=pl.String).str.contains(_UNSPACED)
    kinds = np.zeros(len(seen), np.uint8)
    kinds[distinct] = [_kind(c, alone) for c, alone in zip(characters, unspaced, strict=True)]
    return kinds[points]


def _kind(character: str, unspaced: bool) -> int:
    if character.isspace():
        return _SPACE
    if character in "'’":
        return _APOSTROPHE
    if character == "\N{ZERO WIDTH JOINER}":
        return _JOINER
    if unicodedata.category(character)[0] == "M" or character in _EXTENDERS:
        return _EXTENDER
    if unspaced or not (character.isalnum() or character == "_"):
        return _SINGLE
    return _LETTER if character.isalpha() else _WORD


def _continues(kinds: NDArray[np.uint8], items: Ints) -> Mask:
    """Return which visible characters belong to the same word as the one before them."""
    inside = np.ones(len(kinds) + 1, np.bool_)
    inside[items] = False
    inside = inside[:-1]
    inside[1:] &= kinds[:-1] != _SPACE

    extends = (kinds == _EXTENDER) | (kinds == _JOINER)
    base = _bases(kinds, extends, inside) if extends.any() else kinds
    letter = base == _LETTER
    word = letter | (base == _WORD)
    kept = np.zeros(len(kinds), np.bool_)
    kept[1:-1] = (kinds[1:-1] == _APOSTROPHE) & letter[:-2] & (kinds[2:] == _LETTER) & inside[1:-1] & inside[2:]
    word |= kept

    continues: Mask = extends
    continues[1:] |= (word[1:] & word[:-1]) | (kinds[:-1] == _JOINER)
    return continues & inside


def _bases(kinds: NDArray[np.uint8], extends: Mask, inside: Mask) -> NDArray[np.uint8]:
    """Return the kind of the character that each one extends, or its own; with nothing to extend it begins a word."""
    base_kinds = np.where(extends, np.uint8(_WORD), kinds)
    return base_kinds[np.maximum.accumulate(np.where(extends & inside, 0, np.arange(len(kinds))))]


def _cut(characters: NDArray[np.uint32], lengths: Ints) -> pl.Series:
    """Return the words as strings: a line break, which no word contains, goes between them, and one split cuts all."""
    if not len(lengths):
        return pl.Series(dtype=pl.String)
    breaks = np.cumsum(lengths + 1) - 1
    lines = np.full(breaks[-1], ord("\n"), np.uint32)
    ours = np.ones(len(lines), np.bool_)
    ours[breaks[:-1]] = False
    lines[ours] = characters
    return pl.Series(lines.tobytes().decode("utf-32-le").split("\n"), dtype=pl.String)
