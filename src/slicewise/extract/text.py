"""Features of a field of text: its tokens, n-grams, shapes, length, number and whole value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.extract.family import Family, Kind, Quantity, places_in
from slicewise.extract.ngrams import Ngrams, gather_names, ngrams
from slicewise.extract.relation import Batches, Limits, by_row, related
from slicewise.extract.shapes import shape_of
from slicewise.extract.tokens import Tokens

MOST_CATEGORIES = 1000
"""A field with more distinct values is text, not a category."""
SHAPE = "SHAPE:"


class TextField:
    """One text field of all rows, under its namespace."""

    def __init__(self, space: str, tokens: Tokens, texts: pl.Series | None = None, *, geval: bool = False) -> None:
        self.space = space
        self.texts = texts
        self.geval = geval
        self.tokens = _distinct_tokens(tokens) if geval else tokens
        self._families: dict[Kind, Family] = {}
        self._last_run: tuple[Ngrams, int, Family, Ints] | None = None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.tokens.items

    def unigrams(self, least: int) -> Family:
        """Return the tokens."""
        return self._all(Kind.TOKEN, self.tokens, least)

    def shapes(self, least: int) -> Family:
        """Return the shapes of the tokens."""
        return self._all(Kind.SHAPE, self._shaped, least)

    def _all(self, kind: Kind, tokens: Tokens, least: int) -> Family:
        family = self._families.get(kind) or self._family(kind, tokens, least)
        if not least:
            self._families[kind] = family
        return family

    def subset(self, kind: Kind, names: pl.Series) -> Family:
        """Return some of the tokens, or of the shapes, by their names; all, if they are cached."""
        if kind in self._families:
            return self._families[kind]
        tokens = self.tokens if kind is Kind.TOKEN else self._shaped
        return self._family(kind, tokens.only(names.unique(maintain_order=True).str.slice(len(self.space) + 1)), 0)

    def run(self, runs: Ngrams, length: int) -> tuple[Family, Ints]:
        """Return the runs of a length that are frequent in all of the data, and their keys."""
        last = self._last_run
        if last is None or last[0] is not runs or last[1] != length:
            relation, keys = runs.of(self.tokens, length)
            kind = Kind.BIGRAM if length == 2 else Kind.NGRAM
            family = Family(kind, self.space, relation, lambda at: pl.Series(keys[at]).cast(pl.String))
            self._last_run = last = (runs, length, family, keys)
        return last[2:]

    def _family(self, kind: Kind, tokens: Tokens, least: int) -> Family:
        """Return the tokens that at least `least` rows have; all, sorted in batches, where it is 0."""
        if not least:
            all_tokens = Batches.of_ids(tokens.ids, tokens.offsets, len(tokens.vocabulary))
            lookup = partial(self._places, tokens.vocabulary)
            named = partial(self._glued, tokens.vocabulary.gather)
            return Family(kind, self.space, all_tokens, named, shaped=kind is Kind.SHAPE, lookup=lookup)
        relation, kept = by_row(tokens.ids, tokens.offsets, len(tokens.vocabulary), least)
        names = partial(gather_names, tokens.vocabulary, kept)
        return Family(kind, self.space, relation, partial(self._glued, names), shaped=kind is Kind.SHAPE)

    def ngrams(self, longest: int, least: int) -> Iterator[Family]:
        """Return the n-grams, from two tokens to `longest`."""
        return (
            Family(
                Kind.BIGRAM if n == 2 else Kind.NGRAM,
                self.space,
                relation,
                partial(self._glued, glued),
            )
            for n, (relation, glued) in enumerate(ngrams(self.tokens, longest, least), 2)
        )

    def shape_bigrams(self, least: int) -> Iterator[Family]:
        """Return the runs of two adjacent shapes, as the published tool has them."""
        distinct = _distinct_tokens(self._shaped)
        for relation, glued in ngrams(distinct, 2, least):
            yield Family(Kind.BIGRAM, self.space, relation, partial(self._glued, glued), shaped=True)

    def category(self, least: int) -> Family | None:
        """Return the field's whole values, where they are few."""
        if (
            self.texts is None
            or self.texts.dtype != pl.String
            or self.texts.head(MOST_CATEGORIES * 10).n_unique() > MOST_CATEGORIES
        ):
            return None
        return categories(Kind.CATEGORY, self.space, f"{self.space} = ", self.texts, least, most=MOST_CATEGORIES)

    def length(self) -> Quantity:
        """Return the number of tokens; of the published tool, of characters."""
        sizes = np.diff(self.tokens.offsets).astype(np.float64)
        if self.geval and self.texts is not None:
            sizes = self.texts.fill_null("").str.len_chars().to_numpy().astype(np.float64)
        return Quantity(Kind.LENGTH, self.space, f"{self.space} length", sizes)

    def number(self) -> Quantity | None:
        """Return the field as a number, where every row that has a value has a finite one."""
        values = None if self.texts is None or self.texts.dtype != pl.String else numbers(self.texts)
        if values is not None and self.geval and np.isnan(values).any():  # which wants every row to have one
            values = None
        return None if values is None else Quantity(Kind.NUMBER, self.space, f"{self.space} value", values)

    @cached_property
    def _shaped(self) -> Tokens:
        distinct, ids = _coded(SHAPE + shape_of(self.tokens.vocabulary, geval=self.geval))
        return Tokens(ids[self.tokens.ids], self.tokens.offsets, distinct)

    def _glued(self, glued: Callable[[Ints], pl.Series], at: Ints) -> pl.Series:
        return self._named(glued(at))

    def _places(self, vocabulary: pl.Series, names: pl.Series) -> Ints:
        """Return the places of names, all of which begin with the namespace, in a vocabulary."""
        return places_in(vocabulary, names.str.slice(len(self.space) + 1))

    def _named(self, names: pl.Series) -> pl.Series:
        return f"{self.space}:" + names


def numbers(texts: pl.Series) -> NDArray[np.float64] | None:
    """Return texts as numbers, NaN for empty ones; None where one is no number, or none is."""
    if parse_numbers(texts.head(100)).strange:
        return None
    parsed = parse_numbers(texts)
    return parsed.values if parsed.filled and not parsed.strange else None


@dataclass(frozen=True)
class ParsedNumbers:
    """Texts read as numbers: how many are filled, and how many of these are no finite number."""

    values: NDArray[np.float64]
    filled: int
    strange: int


def parse_numbers(texts: pl.Series) -> ParsedNumbers:
    """Read texts as numbers, NaN for empty ones and for what is none."""
    stripped = texts.str.strip_chars()
    values = stripped.cast(pl.Float64, strict=False)
    filled = (stripped != "").fill_null(False)
    fine = int((filled & values.is_finite().fill_null(False)).sum())
    return ParsedNumbers(values.fill_null(float("nan")).to_numpy(), int(filled.sum()), int(filled.sum()) - fine)


def categories(
    kind: Kind, space: str, prefix: str, values: pl.Series, least: int, most: int | None = None
) -> Family | None:
    """Return a feature per distinct value but the empty one; None where there are more than `most`."""
    filled = values.is_not_null() & (values.cast(pl.String) != "")
    distinct, ids = _coded(values.filter(filled).cast(pl.String))
    if most is not None and len(distinct) > most:
        return None
    rows = np.flatnonzero(filled.to_numpy()).astype(np.uint32)
    return coded(kind, space, ids, rows, len(values), least, prefix + distinct)


def coded(
    kind: Kind,
    space: str,
    codes: NDArray[np.uint32],
    rows: NDArray[np.uint32],
    size: int,
    least: int,
    names: pl.Series,
) -> Family:
    """Return features that are numbered already, given with their rows."""
    relation, keys = related(codes.astype(np.uint64), rows, size)
    kept = np.flatnonzero(Limits(least, size)(relation.counts))
    return Family(kind, space, relation.take(kept), lambda at: names.gather(keys[kept[at]]))


def _coded(values: pl.Series) -> tuple[pl.Series, NDArray[np.uint32]]:
    distinct = values.unique(maintain_order=True)
    codes = values.replace_strict(distinct, pl.Series(range(len(distinct)), dtype=pl.UInt32), return_dtype=pl.UInt32)
    return distinct, codes.to_numpy().astype(np.uint32)


def _distinct_tokens(tokens: Tokens) -> Tokens:
    """Return the tokens of each row without those it has had before."""
    rows = np.repeat(np.arange(tokens.items, dtype=np.uint64), np.diff(tokens.offsets))
    _, first = np.unique((rows << np.uint64(32)) | tokens.ids, return_index=True)
    first.sort()
    sizes = np.bincount(rows[first].astype(np.int64), minlength=tokens.items)
    return Tokens(tokens.ids[first], np.concatenate([[0], np.cumsum(sizes)]), tokens.vocabulary)
