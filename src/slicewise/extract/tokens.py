"""The tokens of a field as numbers: read once, and every feature of them is made from the numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.extract.interning import CollisionError, Interner
from slicewise.extract.tokenizers import TOKENIZERS

Ids = NDArray[np.uint32]

NONE = np.uint32(2**32 - 1)
"""Stands for a token or a run that is left out."""
BATCH = 20_000
"""Items that are cut at a time, so that their strings never stand in memory all at once."""


@dataclass(frozen=True)
class ItemTexts:
    """The texts of items that have several: the first token of each text, and its item."""

    offsets: NDArray[np.int64]
    item: NDArray[np.int64]


@dataclass(frozen=True)
class Tokens:
    """The tokens of many items in order; those of item i are `offsets[i]:offsets[i + 1]`."""

    ids: Ids
    offsets: NDArray[np.int64]
    vocabulary: pl.Series
    """The string of each number."""
    parts: ItemTexts | None = None
    """Where an item has several texts: tokens of different ones are not adjacent."""

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.offsets) - 1

    def numbered(self, strings: pl.Series) -> Ids:
        """Return the token at each place by its place among some strings, NONE for all others."""
        return self._places(strings)[self.ids]

    def only(self, strings: pl.Series) -> Tokens:
        """Return some of the tokens; they are not adjacent any more."""
        places = self._places(strings)
        present = np.flatnonzero((places != NONE)[self.ids])
        return Tokens(places[self.ids[present]], np.searchsorted(present, self.offsets), strings)

    def _places(self, strings: pl.Series) -> Ids:
        """Return the place of every string of the vocabulary among others, or NONE."""
        numbered = pl.DataFrame({"string": strings, "number": np.arange(len(strings), dtype=np.uint32)})
        joined = pl.DataFrame({"string": self.vocabulary}).join(
            numbered, on="string", how="left", maintain_order="left"
        )
        return joined["number"].fill_null(int(NONE)).to_numpy()


def tokenised(texts: pl.Series, tokenizer: str, *, batch: int = BATCH) -> Tokens:
    """Cut running text; an absent text has no tokens. Lists are several texts of one item."""
    if isinstance(texts.dtype, pl.List):
        return _several(texts, tokenizer)
    return _without_collision(lambda seed: _tokenised(texts, tokenizer, seed, batch))


def _several(lists: pl.Series, tokenizer: str) -> Tokens:
    sizes = lists.list.len().fill_null(0).to_numpy().astype(np.int64)
    tokens = tokenised(lists.filter(pl.Series(sizes > 0)).explode().cast(pl.String), tokenizer)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    parts = ItemTexts(tokens.offsets, np.repeat(np.arange(len(sizes)), sizes))
    return Tokens(tokens.ids, tokens.offsets[ends], tokens.vocabulary, parts)


def _without_collision(make: Callable[[int], Tokens]) -> Tokens:
    """Make tokens with another seed of the hash for as long as two strings have the same."""
    for seed in count():
        try:
            return make(seed)
        except CollisionError:
            continue
    raise AssertionError


def _tokenised(texts: pl.Series, tokenizer: str, seed: int, batch: int) -> Tokens:
    interned = Interner(seed)
    pieces: list[Ids] = []
    sizes: list[NDArray[np.int64]] = []
    for start in range(0, len(texts), batch):
        cut = texts.slice(start, batch).fill_null("").str.split(" ")
        sizes.append(cut.list.len().to_numpy().astype(np.int64))
        pieces.append(interned(cut.explode()))
    return _split_pieces(pieces, sizes, interned.strings, tokenizer, seed)


def of_tokens(tokens: pl.Series, offsets: NDArray[np.int64], tokenizer: str | None) -> Tokens:
    """Return given tokens, split further by a tokenizer if one is named."""

    def make(seed: int) -> Tokens:
        interned = Interner(seed)
        ids = interned(tokens.fill_null(""))
        if tokenizer is None:
            return Tokens(ids, offsets, interned.strings)
        return _split_pieces([ids], [np.diff(offsets)], interned.strings, tokenizer, seed)

    return _without_collision(make)


def _split_pieces(
    pieces: list[Ids], sizes: list[NDArray[np.int64]], distinct: pl.Series, tokenizer: str, seed: int
) -> Tokens:
    """Replace every piece by its tokens; `sizes` are the pieces of each item."""
    tokens, starts = TOKENIZERS[tokenizer](distinct)
    if tokens.equals(distinct):  # every piece is a token
        ids_of_pieces = np.concatenate(pieces) if pieces else np.zeros(0, np.uint32)
        return Tokens(ids_of_pieces, _offsets(sizes), distinct)
    interned = Interner(seed)
    ids = interned(tokens)
    parts = [_expanded(batch, item_sizes, ids, starts) for batch, item_sizes in zip(pieces, sizes, strict=True)]
    flat = np.concatenate([part for part, _ in parts]) if parts else np.zeros(0, np.uint32)
    return Tokens(flat, _offsets([item_sizes for _, item_sizes in parts]), interned.strings)


def _expanded(
    pieces: Ids, sizes: NDArray[np.int64], ids: Ids, starts: NDArray[np.int64]
) -> tuple[Ids, NDArray[np.int64]]:
    """Return the tokens of one batch, and how many each item has."""
    number = np.diff(starts)[pieces]
    ends = np.cumsum(number)
    at = np.repeat(starts[pieces] - ends + number, number)
    at += np.arange(len(at))
    before = np.concatenate([[0], ends])
    last = np.cumsum(sizes)
    return ids[at], before[last] - before[last - sizes]


def _offsets(sizes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.concatenate(sizes) if sizes else [])]).astype(np.int64)
