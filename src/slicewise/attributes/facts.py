"""Inputs of attributes: units, tokens and strings of the test and training data, encoded as integers.

Everything is computed lazily, once, with arrays; equal strings have equal codes in test and training data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from slicewise.align.units import UnitSet
from slicewise.annotations import OUTSIDE, Annotations, Task
from slicewise.arrays import Ints, Mask
from slicewise.attributes.aggregate import NOWHERE, count, paired
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.sequences import Sequences
from slicewise.evaluation import Evaluation
from slicewise.words import Words, split_words

PREFIXES = frozenset("BIESLUMW")
"""Of tags: what stands before the type."""


@dataclass(frozen=True)
class Corpus:
    """The tokens of some items, one after the other; those of item i are `offsets[i]:offsets[i + 1]`."""

    tokens: pl.Series
    offsets: Ints
    words: Words | None = None
    """Of running text: its words, which know where they stand there."""

    @cached_property
    def item(self) -> Ints:
        """The item of each token."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def ranges(self, item: Ints, start: Ints, end: Ints, lengths: Ints) -> tuple[Ints, Ints]:
        """Return the first token of each span, counted over the whole corpus, and how many it has."""
        if self.words is None:
            return self.offsets[item] + start, end - start
        base = np.concatenate([[0], np.cumsum(lengths + 1)])
        token_start, token_end = (base[self.item] + place for place in self.words.places)
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
    """The facts of one evaluation, or of a part of it."""

    @classmethod
    def of(cls, part: Evaluation, corpus_facts: CorpusFacts | None = None) -> Facts:
        """Return the cached facts of a partition; `corpus_facts`: global facts."""
        alone = part.memo("facts", lambda: cls(part))
        if corpus_facts is None or alone.__dict__.get("corpus_facts") is corpus_facts:
            return alone
        return part.memo(("facts", corpus_facts), lambda: cls(part, corpus_facts))

    def __init__(self, evaluation: Evaluation, corpus_facts: CorpusFacts | None = None) -> None:
        self.evaluation = evaluation
        self._corpus_facts = corpus_facts
        self.task = evaluation.task
        self.items = evaluation.aligned.items

    @cached_property
    def corpus_facts(self) -> CorpusFacts:
        """Global facts, which a partition receives."""
        from slicewise.attributes.survey import surveyed

        return surveyed(self.evaluation) if self._corpus_facts is None else self._corpus_facts

    # ------------------------------------------------------------------ the test data

    @cached_property
    def corpus(self) -> Corpus | None:
        """The tokens of the items, or the words of their text."""
        a = self.evaluation.aligned
        if a.tokens is not None and a.offsets is not None:
            return Corpus(a.tokens, a.offsets)
        return _split(self.texts) if self.texts is not None and a.has_words else None

    @property
    def required_corpus(self) -> Corpus:
        """The same, where attributes are computed that need it."""
        if self.corpus is None:
            raise ValueError("no tokens")
        return self.corpus

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
        size = int((first + length).max(initial=0)) + 1
        covered = Covered.by(units.label * size + first, length)
        label, position = covered.places // size, covered.places % size
        order = np.lexsort((label, position))
        item = units.item[covered.first][order]
        columns = {
            "item": pl.Series(item.astype(np.uint32)),
            "group": pl.Series(self.evaluation.aligned.clusters.group[item]),
        }
        for name in ("gold", *self.evaluation.systems):
            columns[name] = pl.Series(covered.by_some(units.frame[name].to_numpy())[order])
        return Rows(pl.DataFrame(columns), item, label[order], position[order])

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
        annotations = train.annotations
        if annotations.tokens is not None and annotations.offsets is not None:
            return Corpus(annotations.tokens, annotations.offsets)
        return None if annotations.texts is None else _split(annotations.texts.fill_null(""))

    @property
    def has_train_words(self) -> bool:
        """Whether the training items have tokens, or text to be split into words."""
        annotations = None if self.evaluation.train is None else self.evaluation.train.annotations
        return annotations is not None and (
            annotations.texts is not None or (annotations.tokens is not None and annotations.offsets is not None)
        )

    @cached_property
    def train_units(self) -> UnitSet | None:
        """The training units."""
        return None if self.evaluation.train is None else self.evaluation.train.units

    @property
    def has_train_strings(self) -> bool:
        """Whether training units have a place in the training tokens, or in the words of the training texts."""
        annotations = None if self.evaluation.train is None else self.evaluation.train.annotations
        if annotations is None or self.train_units is None:
            return False
        return annotations.tokens is not None or (annotations.texts is not None and annotations.spans is not None)

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
        units, corpus = self._train_set, self.train_corpus
        if corpus is None or self.evaluation.train is None:
            raise ValueError("no training tokens")
        return corpus.ranges(units.item, units.start, units.end, _text_lengths(self.evaluation.train.annotations))

    # ------------------------------------------------------------------ strings as numbers

    @cached_property
    def _numbers(self) -> tuple[Ints, int, int]:
        """The number of every token's string, the test data's first; how many these are; the size of the vocabulary."""
        corpora = [corpus.tokens for corpus in (self.corpus, self.train_corpus) if corpus is not None]
        tokens = pl.concat([t.alias("") for t in corpora]) if corpora else pl.Series([], dtype=pl.String)
        folded = tokens.str.to_lowercase() if self.evaluation.options.lower else tokens
        codes = folded.cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
        size = 0 if self.corpus is None else len(self.corpus.tokens)
        return codes, size, int(codes.max(initial=-1)) + 1

    @property
    def token(self) -> Ints:
        """The number of each token's string; of the training tokens likewise."""
        return self._numbers[0][: self._numbers[1]]

    @property
    def train_token(self) -> Ints:
        """The number of each training token's string."""
        return self._numbers[0][self._numbers[1] :]

    @cached_property
    def train_counts(self) -> Ints:
        """How often each string is a training token."""
        return np.bincount(self.train_token, minlength=self._numbers[2])

    @cached_property
    def _sequences(self) -> Sequences:
        tokens, size, words = self._numbers
        start, length = self.unit_ranges
        if self.has_train_strings and self.task is Task.SPANS:
            train_start, train_length = self.train_ranges
            start = np.concatenate([start, train_start + size])
            length = np.concatenate([length, train_length])
        return Sequences.of(tokens, start, length, words)

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
        if (counts := self._string_counts("occurrences")) is not None:
            return counts
        return np.bincount(self._mentions[1], minlength=self._sequences.size)[self.surface]

    @cached_property
    def gold_labels(self) -> Ints:
        """How many different labels gold gives to each unit's sequence of tokens in the test data."""
        if (counts := self._string_counts("labels")) is not None:
            return counts
        gold, labels = self.units.frame["gold"].to_numpy(), max(1, len(self.evaluation.aligned.labels))
        pairs = np.unique(paired(self.surface[gold], self.units.label[gold], labels))
        return count(self.surface, pairs // labels)

    @cached_property
    def gold_mentions(self) -> Ints:
        """How many gold units of the test data have each gold unit's sequence of tokens."""
        if (counts := self._string_counts("gold")) is not None:
            return counts
        return count(self.surface, self.surface[self.units.frame["gold"].to_numpy()])

    def _string_counts(self, column: str) -> Ints | None:
        """Return a global count of each unit's string; None where all data is in memory."""
        from slicewise.attributes.strings import known_of

        if self._corpus_facts is None or self._corpus_facts.strings is None:
            return None
        return known_of(self, self._corpus_facts.strings, column)

    @cached_property
    def mentioned_before(self) -> Mask:
        """Whether each unit's sequence of tokens stands earlier in its cluster (its document)."""
        cluster = self.evaluation.aligned.clusters.cluster.astype(np.int64)
        size = self._sequences.size
        position, number = self._mentions
        known, first = np.unique(cluster[self.required_corpus.item[position]] * size + number, return_index=True)
        if not len(known):
            return np.zeros(len(self.units), np.bool_)
        keys = cluster[self.units.item] * size + self.surface
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.asarray((known[place] == keys) & (position[first[place]] < self.units.position))

    @cached_property
    def _mentions(self) -> tuple[Ints, Ints]:
        """Where in the test data sequences stand that are a unit's, and which; one after the other, by length."""
        of_units = np.zeros(self._sequences.size, np.bool_)
        of_units[self.surface] = True
        nothing = np.zeros(0, np.int64)
        matches = [(nothing, nothing)]
        for position, number in self._sequences.matches(self.token, self.required_corpus.item):
            kept = of_units[number]
            matches.append((position[kept], number[kept]))
        position, number = (np.concatenate(part) for part in zip(*matches, strict=True))
        return position, number

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
        units = self._train_set
        names = sorted({self._type(label) for label in self.evaluation.aligned.labels})
        kinds = _numbered([self._type(label) for label in units.labels], names)[units.label]
        first, length = self.train_ranges
        row, position = expanded(first, length)
        known = kinds[row] != NOWHERE
        pairs = np.unique(position[known] * max(1, len(names)) + kinds[row][known])
        return self.train_token[pairs // max(1, len(names))], pairs % max(1, len(names))


@dataclass(frozen=True)
class Covered:
    """The places that spans on a line cover, each once, however many spans cover it."""

    places: Ints
    """In ascending order."""
    first: Ints
    """The first span of the run of spans that each place is in."""
    begin: Ints
    """Where each span begins among the places."""
    end: Ints

    @classmethod
    def by(cls, begin: Ints, length: Ints) -> Covered:
        """Lay the spans on the line; a run is spans each of which begins before all others end."""
        order = np.argsort(begin, kind="stable")
        order = order[length[order] > 0]
        ordered = begin[order]
        reach = np.maximum.accumulate(ordered + length[order])
        new = np.concatenate([np.ones(min(1, len(order)), np.bool_), ordered[1:] >= reach[:-1]])
        starts = np.flatnonzero(new)
        sizes = reach[np.append(starts, len(order))[1:] - 1] - ordered[starts]
        run, places = expanded(ordered[starts], sizes)
        run_of_span = np.cumsum(new) - 1
        at = np.zeros(len(begin), np.int64)
        at[order] = (np.cumsum(sizes) - sizes - ordered[starts])[run_of_span] + ordered
        return cls(places, order[starts][run], at, at + np.maximum(length, 0))

    def by_some(self, spans: Mask) -> Mask:
        """Tell which places some of the spans cover."""
        size = len(self.places) + 1
        opened = np.bincount(self.begin[spans], minlength=size) - np.bincount(self.end[spans], minlength=size)
        return np.asarray(np.cumsum(opened[:-1]) > 0)


def bare(tag: str) -> str:
    """Return a tag without B-, I- and the like."""
    prefix, dash, kind = tag.partition("-")
    return kind if dash and prefix in PREFIXES and kind else OUTSIDE if tag == OUTSIDE else tag


def _split(texts: pl.Series) -> Corpus:
    words = split_words(texts)
    return Corpus(words.tokens, words.offsets, words)


def expanded(first: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Return the row and the position of every token of every span."""
    row = np.repeat(np.arange(len(first)), length)
    position = np.repeat(first - np.cumsum(length) + length, length) + np.arange(int(length.sum()))
    return row, position


def joined(
    column: pl.Series, first: Ints, length: Ints, write: Callable[[pl.Series], pl.Series] = lambda values: values
) -> pl.Series:
    """Return the values of each span, written out with spaces between; null where it has none."""
    row, at = expanded(first, length)
    values = pl.DataFrame({"row": row, "value": write(column.gather(at).cast(pl.String))})
    texts = values.group_by("row").agg(pl.col("value").str.join(" "))
    rows = pl.DataFrame({"row": np.arange(len(first))})
    return rows.join(texts, on="row", how="left", maintain_order="left")["value"].alias("")


def _numbered(names: Sequence[str], known: Sequence[str]) -> Ints:
    """Return the place of each name among those known, or NOWHERE."""
    places = {name: place for place, name in enumerate(known)}
    return np.array([places.get(name, NOWHERE) for name in names] or [NOWHERE], np.int64)


def _text_lengths(annotations: Annotations) -> Ints:
    if annotations.texts is None:
        return annotations.lengths
    return annotations.texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64)
