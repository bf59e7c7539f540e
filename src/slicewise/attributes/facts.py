"""What attributes are computed from: units, tokens and strings of the test data as numbers, and the same of training.

Everything is worked out when an attribute first asks for it, once, with arrays: strings become numbers that are equal
where the strings are, the same numbers in test and training data.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import OUTSIDE, Task
from slicewise.attributes.aggregate import NOWHERE
from slicewise.attributes.sequences import Sequences
from slicewise.words import split_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from slicewise.align.units import UnitSet
    from slicewise.annotations import Annotations
    from slicewise.evaluation import Evaluation

    Ints = NDArray[np.int64]

PREFIXES = frozenset("BIESLUMW")
"""Of tags: what stands before the type."""


@dataclass(frozen=True)
class Corpus:
    """The tokens of some items, one after the other; those of item i are `offsets[i]:offsets[i + 1]`."""

    tokens: pl.Series
    offsets: Ints
    characters: tuple[Ints, Ints] | None = None
    """Where each token begins and ends in its item's text, for running text that was split into words."""

    @cached_property
    def item(self) -> Ints:
        """The item of each token."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def ranges(self, item: Ints, start: Ints, end: Ints, lengths: Ints) -> tuple[Ints, Ints]:
        """Return the first token of each span, counted over the whole corpus, and how many it has."""
        if self.characters is None:
            return self.offsets[item] + start, end - start
        base = np.concatenate([[0], np.cumsum(lengths + 1)])
        token_start, token_end = (base[self.item] + place for place in self.characters)
        first = np.searchsorted(token_end, base[item] + start, side="right")
        after = np.searchsorted(token_start, base[item] + end, side="left")
        return first, np.maximum(after - first, 0)


@dataclass(frozen=True)
class Rows:
    """The units that an attribute describes: who has them, and where they are."""

    frame: pl.DataFrame
    """item, group, gold and a boolean per system, as the evaluation's units."""
    item: Ints
    label: Ints
    position: Ints
    """The first token, counted over the whole corpus; 0 where there are none."""

    def __len__(self) -> int:
        return len(self.item)


class Facts:
    """The facts of one evaluation."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.task = evaluation.task
        self.items = evaluation.aligned.items

    # ------------------------------------------------------------------ the test data

    @cached_property
    def corpus(self) -> Corpus | None:
        """The tokens of the items, or the words of their text."""
        a = self.evaluation.aligned
        if a.tokens is not None and a.offsets is not None:
            return Corpus(a.tokens, a.offsets)
        return None if self.texts is None else _split(self.texts)

    @cached_property
    def texts(self) -> pl.Series | None:
        """The running text of each item; several input fields are joined."""
        fields = self.evaluation.aligned.fields
        if not fields.width:
            return None
        joined = fields.to_series(0)
        for i in range(1, fields.width):
            joined = joined + "\n" + fields.to_series(i)
        return joined.alias("")

    @cached_property
    def lengths(self) -> Ints:
        """The number of tokens of each item."""
        return np.zeros(self.items, np.int64) if self.corpus is None else np.diff(self.corpus.offsets)

    @cached_property
    def units(self) -> Rows:
        """The units that are scored."""
        frame = self.evaluation.units
        item = frame["item"].to_numpy().astype(np.int64)
        label = frame["label"].to_physical().to_numpy().astype(np.int64)
        return Rows(frame, item, label, self.unit_ranges[0])

    @cached_property
    def unit_ranges(self) -> tuple[Ints, Ints]:
        """Each unit's first token, and its number of tokens."""
        frame, a = self.evaluation.units, self.evaluation.aligned
        item, start, end = (frame[name].to_numpy().astype(np.int64) for name in ("item", "start", "end"))
        if self.task not in (Task.SPANS, Task.TOKENS):
            return np.zeros(len(item), np.int64), np.zeros(len(item), np.int64)
        if self.corpus is None:
            return np.cumsum(np.concatenate([[0], a.lengths]))[item] + start, end - start
        return self.corpus.ranges(item, start, end, a.lengths)

    @cached_property
    def token_units(self) -> Rows:
        """(token, type) of every token inside a gold or returned entity; the units themselves where they are tokens."""
        if self.task is Task.TOKENS:
            return self.units
        units = self.units
        first, length = self.unit_ranges
        row, position = expanded(first, length)
        labels = max(1, len(self.evaluation.aligned.labels))
        key, inverse = np.unique(position * labels + units.label[row], return_inverse=True)
        order = np.argsort(inverse, kind="stable")
        starts = np.searchsorted(inverse[order], np.arange(len(key)))
        item = np.zeros(len(key), np.int64)
        item[inverse] = units.item[row]
        columns = {"item": pl.Series(item.astype(np.uint32)), "group": self._groups(item)}
        for name in ("gold", *self.evaluation.systems):
            has = units.frame[name].to_numpy()[row][order]
            columns[name] = pl.Series(np.logical_or.reduceat(has, starts) if len(key) else has)
        return Rows(pl.DataFrame(columns), item, key % labels, key // labels)

    def _groups(self, item: Ints) -> pl.Series:
        return pl.Series(self.evaluation.aligned.clusters.group[item])

    @cached_property
    def surface_text(self) -> pl.Series:
        """The string of each unit."""
        return self.evaluation.surface().alias("")

    # ------------------------------------------------------------------ the training data

    @cached_property
    def train_corpus(self) -> Corpus | None:
        """The training tokens, or the words of the training texts."""
        train = self.evaluation.train
        if train is None:
            return None
        found = train.annotations
        if found.tokens is not None and found.offsets is not None:
            return Corpus(found.tokens, found.offsets)
        return None if found.texts is None else _split(found.texts.fill_null(""))

    @cached_property
    def train_units(self) -> UnitSet | None:
        """The training units."""
        return None if self.evaluation.train is None else self.evaluation.train.units

    @cached_property
    def train_labels(self) -> Ints:
        """The label of each training unit by its number in the test data; those that it has not equal nothing."""
        return _numbered(self._train_set.labels, self.evaluation.aligned.labels)[self._train_set.label]

    @property
    def _train_set(self) -> UnitSet:
        if self.train_units is None:
            raise ValueError("no training units")
        return self.train_units

    @cached_property
    def train_ranges(self) -> tuple[Ints, Ints]:
        """Each training unit's first token, and its number of tokens."""
        found, corpus = self._train_set, self.train_corpus
        if corpus is None or self.evaluation.train is None:
            raise ValueError("no training tokens")
        return corpus.ranges(found.item, found.start, found.end, _text_lengths(self.evaluation.train.annotations))

    # ------------------------------------------------------------------ strings as numbers

    @cached_property
    def _numbers(self) -> tuple[Ints, Ints, int]:
        corpora = [corpus.tokens for corpus in (self.corpus, self.train_corpus) if corpus is not None]
        tokens = pl.concat([t.alias("") for t in corpora]) if corpora else pl.Series([], dtype=pl.String)
        folded = tokens.str.to_lowercase() if self.evaluation.options.lower else tokens
        codes = folded.cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
        size = 0 if self.corpus is None else len(self.corpus.tokens)
        return codes[:size], codes[size:], int(codes.max(initial=-1)) + 1

    @property
    def token(self) -> Ints:
        """The number of each token's string; of the training tokens likewise."""
        return self._numbers[0]

    @property
    def train_token(self) -> Ints:
        """The number of each training token's string."""
        return self._numbers[1]

    @cached_property
    def train_counts(self) -> Ints:
        """How often each string is a training token."""
        return np.bincount(self.train_token, minlength=self._numbers[2])

    @cached_property
    def _sequences(self) -> Sequences:
        tokens, train_tokens, words = self._numbers
        start, length = self.unit_ranges
        if self.train_units is not None and self.train_corpus is not None and self.task is Task.SPANS:
            train_start, train_length = self.train_ranges
            start = np.concatenate([start, train_start + len(tokens)])
            length = np.concatenate([length, train_length])
        return Sequences.of(np.concatenate([tokens, train_tokens]), start, length, words)

    @property
    def surface(self) -> Ints:
        """The number of each unit's string."""
        if self.corpus is None:
            return np.full(len(self.units), NOWHERE, np.int64)
        return self._sequences.numbers[: len(self.units)]

    @property
    def train_surface(self) -> Ints:
        """The number of each training unit's string."""
        return self._sequences.numbers[len(self.units) :]

    @cached_property
    def occurrences(self) -> Ints:
        """How often each unit's sequence of tokens stands in a training item, entity or not."""
        if self.train_corpus is None:
            raise ValueError("no training tokens")
        return self._sequences.occurrences(self.train_token, self.train_corpus.item)[self.surface]

    @cached_property
    def test_occurrences(self) -> Ints:
        """How often each unit's sequence of tokens stands in an item of the test data, entity or not."""
        if self.corpus is None:
            raise ValueError("no tokens")
        return self._sequences.occurrences(self.token, self.corpus.item)[self.surface]

    @cached_property
    def mentioned_before(self) -> NDArray[np.bool_]:
        """Whether each unit's sequence of tokens stands earlier in its cluster (its document)."""
        if self.corpus is None:
            raise ValueError("no tokens")
        cluster = self.evaluation.aligned.clusters.cluster.astype(np.int64)
        size = self._sequences.size
        found = [*self._sequences.matches(self.token, self.corpus.item), (np.zeros(0, np.int64), np.zeros(0, np.int64))]
        position, number = (np.concatenate(part) for part in zip(*found, strict=True))
        wanted = np.isin(number, self.surface)
        position, number = position[wanted], number[wanted]
        known, where = np.unique(cluster[self.corpus.item[position]] * size + number, return_inverse=True)
        first = np.full(len(known), len(self.token))
        np.minimum.at(first, where, position)
        wanted_here = cluster[self.units.item] * size + self.surface
        own = np.minimum(np.searchsorted(known, wanted_here), max(0, len(known) - 1))
        if not len(known):
            return np.zeros(len(self.units), np.bool_)
        return np.asarray((known[own] == wanted_here) & (first[own] < self.units.position))

    @cached_property
    def types(self) -> tuple[Ints, int]:
        """The type of each label (B- and I- removed) as a number, and how many types there are."""
        names = [self._type(label) for label in self.evaluation.aligned.labels]
        distinct = sorted(set(names))
        return np.array([distinct.index(name) for name in names], np.int64), max(1, len(distinct))

    def _type(self, label: str) -> str:
        """Return a tag without B- and I-; labels of spans are types already."""
        tags = self.task is Task.TOKENS and not self.evaluation.options.strip_prefix
        return bare(label) if tags else label

    @cached_property
    def train_token_types(self) -> tuple[Ints, Ints]:
        """Every training token inside a unit, and its type: two arrays of numbers, each pair once per place."""
        found = self._train_set
        names = sorted({self._type(label) for label in self.evaluation.aligned.labels})
        kinds = _numbered([self._type(label) for label in found.labels], names)[found.label]
        first, length = self.train_ranges
        row, position = expanded(first, length)
        known = kinds[row] != NOWHERE
        pairs = np.unique(position[known] * max(1, len(names)) + kinds[row][known])
        return self.train_token[pairs // max(1, len(names))], pairs % max(1, len(names))


def bare(tag: str) -> str:
    """Return a tag without B-, I- and the like."""
    prefix, dash, kind = tag.partition("-")
    return kind if dash and prefix in PREFIXES and kind else OUTSIDE if tag == OUTSIDE else tag


def _split(texts: pl.Series) -> Corpus:
    found = split_words(texts)
    return Corpus(found.tokens, found.offsets, (found.start, found.end))


def expanded(first: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Return the row and the position of every token of every span."""
    row = np.repeat(np.arange(len(first)), length)
    position = np.repeat(first - np.cumsum(length) + length, length) + np.arange(int(length.sum()))
    return row, position


def _numbered(names: Sequence[str], known: Sequence[str]) -> Ints:
    """Return the place of each name among those known, or NOWHERE."""
    places = {name: place for place, name in enumerate(known)}
    return np.array([places.get(name, NOWHERE) for name in names] or [NOWHERE], np.int64)


def _text_lengths(annotations: Annotations) -> Ints:
    if annotations.texts is None:
        return annotations.lengths
    return annotations.texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64)
