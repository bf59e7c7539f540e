"""The tokens of a field as numbers: read once, and every feature of them is made from the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slicewise.extract.interning import CollisionError, Interner
from slicewise.extract.tokenizers import TOKENIZERS

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Ids = NDArray[np.uint32]

BATCH = 20_000
"""Items that are cut at a time, so that their strings never stand in memory all at once."""


@dataclass(frozen=True)
class Tokens:
    """The tokens of many items in order; those of item i are `offsets[i]:offsets[i + 1]`."""

    ids: Ids
    offsets: NDArray[np.int64]
    vocabulary: pl.Series
    """The string of each number."""

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.offsets) - 1


def tokenised(texts: pl.Series, tokenizer: str) -> Tokens:
    """Cut running text; an absent text has no tokens."""
    seed = 0
    while True:
        try:
            return _tokenised(texts, tokenizer, Interner(seed))
        except CollisionError:
            seed += 1


def _tokenised(texts: pl.Series, tokenizer: str, interned: Interner) -> Tokens:
    sizes: list[NDArray[np.int64]] = []
    pieces: list[Ids] = []
    for start in range(0, len(texts), BATCH):
        cut = texts.slice(start, BATCH).fill_null("").str.split(" ")
        sizes.append(cut.list.len().to_numpy().astype(np.int64))
        pieces.append(interned(cut.explode()))
    return _cut_further(pieces, sizes, interned.strings, tokenizer)


def of_tokens(tokens: pl.Series, offsets: NDArray[np.int64], tokenizer: str | None) -> Tokens:
    """Return tokens that are there already, cut further where a tokenizer is named."""
    interned = Interner()
    ids = interned(tokens)
    if tokenizer is None:
        return Tokens(ids, offsets, interned.strings)
    return _cut_further([ids], [np.diff(offsets)], interned.strings, tokenizer)


def _cut_further(pieces: list[Ids], sizes: list[NDArray[np.int64]], distinct: pl.Series, tokenizer: str) -> Tokens:
    """Replace every piece by its tokens; `sizes` are the pieces of each item."""
    found, starts = TOKENIZERS[tokenizer](distinct)
    if found.equals(distinct):  # every piece is a token
        whole = np.concatenate(pieces) if pieces else np.zeros(0, np.uint32)
        return Tokens(whole, _offsets(sizes), distinct)
    interned = Interner()
    ids = interned(found)
    parts = [_expanded(batch, own, ids, starts) for batch, own in zip(pieces, sizes, strict=True)]
    flat = np.concatenate([part for part, _ in parts]) if parts else np.zeros(0, np.uint32)
    return Tokens(flat, _offsets([own for _, own in parts]), interned.strings)


def _expanded(
    pieces: Ids, sizes: NDArray[np.int64], ids: Ids, starts: NDArray[np.int64]
) -> tuple[Ids, NDArray[np.int64]]:
    """Return the tokens of one batch, and how many each item has."""
    count = np.diff(starts)[pieces]
    ends = np.cumsum(count)
    at = np.repeat(starts[pieces] - ends + count, count)
    at += np.arange(len(at))
    before = np.concatenate([[0], ends])
    last = np.cumsum(sizes)
    return ids[at], before[last] - before[last - sizes]


def _offsets(sizes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.concatenate(sizes) if sizes else [])]).astype(np.int64)
