"""Ngrams of adjacent tokens: two, three and more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.extract.relation import WORD, Limits, Relation, batches, of_packed, related, row_bits
from slicewise.extract.tokens import NONE, Tokens

Numbers = NDArray[np.uint32]

GLUE = "++"


@dataclass(frozen=True)
class Ngrams:
    """The runs that are frequent in all data, to be counted in a partition; none has a rare token."""

    words: pl.Series
    """The frequent tokens."""
    keys: tuple[Ints, ...] = ()
    """Of each length from two on the frequent runs, ascending: a run of one less, and a token."""
    fewest: int = 1
    """How many rows of a partition must have a run: more than one only where there is a single partition."""

    @property
    def longest(self) -> int:
        """How long the longest are."""
        return len(self.keys) + 1

    def names(self, length: int) -> pl.Series:
        """Return the names of the frequent runs of a length."""
        if length == 1:
            return self.words
        left, right = np.divmod(self.keys[length - 2], max(1, len(self.words)))
        return self.names(length - 1).gather(left) + GLUE + self.words.gather(right)

    def of(self, tokens: Tokens, length: int) -> tuple[Relation, Ints]:
        """Return the runs of a length that a part has, and their keys; all shorter ones have to be known."""
        token_numbers = runs = tokens.numbered(self.words)
        for shorter, keys in enumerate(self.keys[: length - 2], 2):
            runs = _numbered(tokens, runs, token_numbers, keys, len(self.words), shorter)
        sizes = (len(self.words) if length == 2 else len(self.keys[length - 3]), len(self.words))
        return _run_together(tokens, runs, token_numbers, sizes, length, self.fewest)


def ngrams(tokens: Tokens, longest: int, least: int) -> Iterator[tuple[Relation, Callable[[Ints], pl.Series]]]:
    """Return the runs of two tokens, of three …, with their names.

    A run is no more frequent than its parts, so those of rare parts are passed over.
    """
    token_numbers, words = _frequent(tokens, least)
    runs, names = token_numbers, words
    for length in range(2, longest + 1):
        relation, keys = _run_together(tokens, runs, token_numbers, (len(names), len(words)), length, least)
        left, right = np.divmod(keys, max(1, len(words)))
        names = names.gather(left) + GLUE + words.gather(right)
        frequent = np.flatnonzero(Limits(least, tokens.items)(relation.counts))
        yield relation.take(frequent), partial(gather_names, names, frequent)
        if not len(keys):
            return
        if length < longest:
            runs = _numbered(tokens, runs, token_numbers, keys, len(words), length)


def gather_names(names: pl.Series, places: Ints, at: Ints) -> pl.Series:
    """Return the names of some features, by their places among those that are kept."""
    return names.gather(places[at])


def _frequent(tokens: Tokens, least: int) -> tuple[Numbers, pl.Series]:
    """Return the token at each place by a new number, NONE for rare ones, and the strings of the numbers."""
    counts = np.zeros(len(tokens.vocabulary), np.int64)
    for start in range(0, len(tokens.ids), 1 << 22):
        counts += np.bincount(tokens.ids[start : start + (1 << 22)], minlength=len(counts))
    often = np.flatnonzero(counts >= max(least, 1))
    numbers = np.full(len(counts), NONE)
    numbers[often] = np.arange(len(often), dtype=np.uint32)
    return numbers[tokens.ids], tokens.vocabulary.gather(often)


def _keys(
    tokens: Tokens, runs: Numbers, token_numbers: Numbers, words: int, length: int
) -> Iterator[tuple[Ints, NDArray[np.uint64], Numbers]]:
    """Return, batch by batch, the places where a run begins, its key and its row: a run of one less, and a token."""
    offsets = tokens.offsets if tokens.parts is None else tokens.parts.offsets
    item = np.arange(tokens.items) if tokens.parts is None else tokens.parts.item
    for batch in batches(offsets):
        start, end = int(offsets[batch.start]), int(offsets[batch.stop])
        sizes = np.diff(offsets[batch.start : batch.stop + 1])
        rows = np.repeat(item[batch].astype(np.uint32), sizes)
        room = np.repeat(offsets[batch.start + 1 : batch.stop + 1] - length + 1, sizes)
        inside = np.arange(start, end) < room
        inside &= runs[start:end] != NONE
        at = np.flatnonzero(inside) + start
        last = token_numbers[at + length - 1]
        frequent = last != NONE
        at, last = at[frequent], last[frequent]
        yield at, runs[at] * np.uint64(max(1, words)) + last, rows[at - start]


def _run_together(
    tokens: Tokens, runs: Numbers, token_numbers: Numbers, sizes: tuple[int, int], length: int, least: int
) -> tuple[Relation, Ints]:
    """Return the relation of runs that enough rows have, and their keys."""
    width, fewest = row_bits(tokens.items), max(least, 1)
    largest = max(1, sizes[0]) * max(1, sizes[1])
    located = _keys(tokens, runs, token_numbers, sizes[1], length)
    if largest.bit_length() + width <= WORD:
        packed = [(keys << np.uint64(width)) | rows for _, keys, rows in located]
        return of_packed(np.concatenate([np.zeros(0, np.uint64), *packed]), tokens.items, fewest)
    parts = [(keys, rows) for _, keys, rows in located]
    keys = np.concatenate([np.zeros(0, np.uint64), *(keys for keys, _ in parts)])
    return related(keys, np.concatenate([np.zeros(0, np.uint32), *(rows for _, rows in parts)]), tokens.items, fewest)


def _numbered(tokens: Tokens, runs: Numbers, token_numbers: Numbers, keys: Ints, words: int, length: int) -> Numbers:
    """Return the number of the run that begins at each place."""
    numbers = np.full(len(tokens.ids), NONE)
    if not len(keys):
        return numbers
    for at, run_keys, _ in _keys(tokens, runs, token_numbers, words, length):
        place = np.searchsorted(keys, run_keys.astype(np.int64))
        place[place == len(keys)] = 0
        present = keys[place] == run_keys.astype(np.int64)
        numbers[at[present]] = place[present]
    return numbers
