"""Slow and obvious counterparts of attributes and buckets: loops, dictionaries and fractions, from the definitions.

Numbers are exact fractions, so that what is equal is equal and what lies on a cut lies on it.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
import scipy.stats
from hypothesis import strategies as st

from slicewise import Evaluation
from slicewise.align.options import check_options
from slicewise.annotations import Annotations, Task
from slicewise.read.python_values import as_series, spanned, tagged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hypothesis.strategies import DrawFn, SearchStrategy

Value = Fraction | str | None
Words = tuple[str, ...]


class Unit(NamedTuple):
    """A span, a tagged token (one token long) or a label of an item (of no length)."""

    item: int
    start: int
    end: int
    label: str


# ---------------------------------------------------------------------- data


@dataclass(frozen=True, kw_only=True)
class Data:
    """Items (tokens, or text), answers of gold and of systems, and training data.

    An answer is a collection of (start, end, label), a list of tags, a label, labels, a text or a score.
    """

    task: Task
    items: tuple[Any, ...]
    gold: tuple[Any, ...] | None
    systems: Mapping[str, tuple[Any, ...]]
    train_items: tuple[Any, ...] | None = None
    train: tuple[Any, ...] = ()
    documents: tuple[str, ...] | None = None
    columns: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Fields of the items."""
    confidences: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    lower: bool = False

    # ------------------------------------------------------------------ as the package takes it

    def evaluation(self, **options: Any) -> Evaluation:
        """Return the package's view of the data."""
        gold = None if self.gold is None else self._annotations("gold", self.gold, self.items)
        systems = {name: self._annotations(name, answers, None) for name, answers in self.systems.items()}
        train = None if self.train_items is None else self._annotations("train", self.train, self.train_items)
        inputs = []
        if self.task not in (Task.SPANS, Task.TOKENS):
            texts = pl.Series(self.items, dtype=pl.String)
            inputs = [Annotations(name="in", items=len(texts), answers=texts)]
        chosen = check_options(task=self.task, lower=self.lower, **options)
        restarts = {name: (name,) for name in systems}
        return Evaluation.build("data", gold, systems, restarts, inputs, chosen, train)

    def _annotations(self, name: str, answers: Sequence[Any], items: Sequence[Any] | None) -> Annotations:
        found: Annotations
        if self.task is Task.SPANS:
            found = spanned(name, [list(a) for a in answers], items, None)
        elif self.task is Task.TOKENS:
            found = tagged(name, answers, items, None)
        else:
            found = Annotations(name=name, items=len(answers), answers=as_series(answers))
        if name == "train":
            if self.task in (Task.SPANS, Task.TOKENS):
                return found
            texts = pl.Series(self.train_items or (), dtype=pl.String)
            return replace(found, items=len(texts), texts=texts, answers=found.answers if answers else None)
        fields: dict[str, pl.Series] = {}
        if name == "gold" or self.gold is None:
            fields = {column: pl.Series(values, strict=False) for column, values in self.columns.items()}
            fields |= {} if self.documents is None else {"doc": pl.Series(self.documents)}
        if name in self.confidences:
            fields["confidence"] = pl.Series(self.confidences[name], dtype=pl.Float64)
        return replace(found, metadata=pl.DataFrame(fields))

    def take(self, order: Sequence[int]) -> Data:
        """Return some items, in this order."""

        def some(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(values[i] for i in order)

        return replace(
            self,
            items=some(self.items),
            gold=None if self.gold is None else some(self.gold),
            systems={name: some(answers) for name, answers in self.systems.items()},
            documents=None if self.documents is None else some(self.documents),
            columns={name: some(values) for name, values in self.columns.items()},
            confidences={name: some(values) for name, values in self.confidences.items()},
        )

    def named(self, names: Mapping[str, str]) -> Data:
        """Return the data with these systems only, in this order and under these names."""
        return replace(
            self,
            systems={new: self.systems[old] for old, new in names.items()},
            confidences={new: self.confidences[old] for old, new in names.items() if old in self.confidences},
        )

    @property
    def answered_by_gold(self) -> Data:
        """The data with systems that return what gold has."""
        return self if self.gold is None else replace(self, systems=dict.fromkeys(self.systems, self.gold))

    def backwards(self) -> Data:
        """Return the data with what stands in each answer of a set the other way round."""
        if self.task not in (Task.SPANS, Task.MULTILABEL) or self.gold is None:
            return self
        return replace(
            self,
            gold=tuple(answer[::-1] for answer in self.gold),
            systems={name: tuple(answer[::-1] for answer in answers) for name, answers in self.systems.items()},
        )

    # ------------------------------------------------------------------ units and words

    def units_of(self, answers: Sequence[Any]) -> set[Unit]:
        """Return the distinct units of some answers."""
        found: set[Unit] = set()
        for item, answer in enumerate(answers):
            if self.task is Task.SPANS:
                found |= {Unit(item, start, end, label) for start, end, label in answer}
            elif self.task is Task.TOKENS:
                found |= {Unit(item, at, at + 1, tag) for at, tag in enumerate(answer) if tag != "O"}
            else:
                labels = [answer] if isinstance(answer, str) else answer
                found |= {Unit(item, 0, 0, label) for label in labels}
        return found

    @cached_property
    def expected(self) -> set[Unit]:
        """The gold units."""
        return self.units_of(self.gold or ())

    @cached_property
    def expected_in(self) -> list[list[Unit]]:
        """The gold units of each item."""
        found: list[list[Unit]] = [[] for _ in self.items]
        for unit in self.expected:
            found[unit.item].append(unit)
        return found

    @cached_property
    def returned(self) -> dict[str, set[Unit]]:
        """The units of each system."""
        return {name: self.units_of(answers) for name, answers in self.systems.items()}

    @cached_property
    def units(self) -> list[Unit]:
        """Everything that gold or a system has."""
        return sorted(self.expected.union(*self.returned.values()))

    @cached_property
    def train_units(self) -> set[Unit]:
        """The units of the training data."""
        return self.units_of(self.train)

    def folded(self, words: Sequence[str]) -> Words:
        """Return words as they are compared."""
        return tuple(word.lower() if self.lower else word for word in words)

    @cached_property
    def sentences(self) -> list[Words]:
        """The words of each item."""
        return [self.folded(item.split() if isinstance(item, str) else item) for item in self.items]

    @cached_property
    def train_sentences(self) -> list[Words]:
        """The words of each training item."""
        return [self.folded(item.split() if isinstance(item, str) else item) for item in self.train_items or ()]

    def string(self, unit: Unit) -> Words:
        """Return the unit's words."""
        return self.sentences[unit.item][unit.start : unit.end]

    @cached_property
    def longest(self) -> int:
        """The length of the longest unit."""
        return max((unit.end - unit.start for unit in self.units), default=0)

    @cached_property
    def train_tokens(self) -> Counter[str]:
        """How often each word stands in training."""
        return Counter(word for sentence in self.train_sentences for word in sentence)

    @cached_property
    def train_sequences(self) -> Counter[Words]:
        """How often each sequence of words stands in a training sentence, entity or not."""
        return sequences(self.train_sentences, self.longest)

    @cached_property
    def test_sequences(self) -> Counter[Words]:
        """How often each sequence of words stands in a sentence of the test data, entity or not."""
        return sequences(self.sentences, self.longest)

    @cached_property
    def train_strings(self) -> Counter[Words]:
        """How often each string is an entity in training."""
        return Counter(self.train_sentences[u.item][u.start : u.end] for u in self.train_units)

    @cached_property
    def train_labelled(self) -> Counter[tuple[Words, str]]:
        """How often each string is an entity with each label in training."""
        return Counter((self.train_sentences[u.item][u.start : u.end], u.label) for u in self.train_units)

    @cached_property
    def train_types(self) -> Counter[tuple[str, str]]:
        """How many training tokens of each word carry each type; a token may carry several."""
        places = {(u.item, at, self.bare(u.label)) for u in self.train_units for at in range(u.start, u.end)}
        return Counter((self.train_sentences[item][at], kind) for item, at, kind in places)

    def bare(self, label: str) -> str:
        """Return a label without B- or I-; the labels of spans have none."""
        return label[2:] if self.task is Task.TOKENS and label[:2] in ("B-", "I-") else label

    def token_units(self, units: set[Unit]) -> set[Unit]:
        """Return (token, type) for every token inside these entities."""
        return {Unit(u.item, at, at + 1, u.label) for u in units for at in range(u.start, u.end)}


def sequences(sentences: Sequence[Words], longest: int) -> Counter[Words]:
    """Count the sequences of at most so many words; none goes over the end of its sentence."""
    found: Counter[Words] = Counter()
    for sentence in sentences:
        for start in range(len(sentence)):
            for end in range(start + 1, min(start + longest, len(sentence)) + 1):
                found[sentence[start:end]] += 1
    return found


def share(part: int, whole: int) -> Fraction:
    """Return part/whole, 0 of nothing."""
    return Fraction(part, whole) if whole else Fraction(0)


# ---------------------------------------------------------------------- attributes


def entity_density(data: Data, u: Unit) -> Value:
    return Fraction(len(data.expected_in[u.item]), len(data.sentences[u.item]))


def entity_token_density(data: Data, u: Unit) -> Value:
    inside = {at for other in data.expected_in[u.item] for at in range(other.start, other.end)}
    return Fraction(len(inside), len(data.sentences[u.item]))


def unknown_density(data: Data, u: Unit) -> Value:
    sentence = data.sentences[u.item]
    return Fraction(sum(word not in data.train_tokens for word in sentence), len(sentence)) if sentence else None


def entity_consistency(data: Data, u: Unit) -> Value:
    string = data.string(u)
    return share(data.train_labelled[string, u.label], data.train_sequences[string])


def token_frequency(data: Data, u: Unit) -> Value:
    return share(data.train_tokens[data.string(u)[0]], data.train_tokens.total())


def token_consistency(data: Data, u: Unit) -> Value:
    word = data.string(u)[0]
    return share(data.train_types[word, data.bare(u.label)], data.train_tokens[word])


def ambiguity(data: Data, u: Unit) -> Value:
    """The labels that gold gives to the string in the test set; a string that it never labels counts as one."""
    return Fraction(max(1, len({other.label for other in data.expected if data.string(other) == data.string(u)})))


def repeated(data: Data, u: Unit) -> Value:
    """Whether the same words stand earlier in the document (the item, where no documents are marked)."""
    string = data.string(u)
    for item, sentence in enumerate(data.sentences[: u.item + 1]):
        if item != u.item and (data.documents is None or data.documents[item] != data.documents[u.item]):
            continue
        for start in range(u.start if item == u.item else len(sentence)):
            if sentence[start : start + len(string)] == string:
                return "yes"
    return "no"


def mean_frequency(data: Data, u: Unit) -> Value:
    sentence = data.sentences[u.item]
    shares = [share(data.train_tokens[word], data.train_tokens.total()) for word in sentence]
    return sum(shares, Fraction(0)) / len(sentence) if sentence else None


def richness(data: Data, u: Unit) -> Value:
    sentence = data.sentences[u.item]
    return Fraction(len(set(sentence)), len(sentence)) if sentence else None


def surface(data: Data, u: Unit) -> str:
    return " ".join(data.items[u.item][u.start : u.end])


ATTRIBUTES: dict[str, Callable[[Data, Unit], Value]] = {
    "label": lambda data, u: u.label,
    "str": lambda data, u: surface(data, u).lower() if data.lower else surface(data, u),
    "eLen": lambda data, u: Fraction(u.end - u.start),
    "sLen": lambda data, u: Fraction(len(data.sentences[u.item])),
    "eDen": entity_density,
    "eDenTok": entity_token_density,
    "oDen": unknown_density,
    "eFre": lambda data, u: share(data.train_strings[data.string(u)], len(data.train_units)),
    "tFre": token_frequency,
    "eCon": entity_consistency,
    "tCon": token_consistency,
    "ePos": lambda data, u: Fraction(u.start, len(data.sentences[u.item])),
    "eChars": lambda data, u: Fraction(len(surface(data, u))),
    "ambiguity": ambiguity,
    "hapaxTest": lambda data, u: "yes" if data.test_sequences[data.string(u)] == 1 else "no",
    "hapaxTrain": lambda data, u: "yes" if data.train_sequences[data.string(u)] == 1 else "no",
    "repeated": repeated,
    "tokens": lambda data, u: Fraction(len(data.sentences[u.item])),
    "chars": lambda data, u: Fraction(len(data.items[u.item])),
    "oov": unknown_density,
    "meanFre": mean_frequency,
    "richness": richness,
    "labels": lambda data, u: Fraction(len(data.expected_in[u.item])),
    "labelFre": lambda data, u: share(sum(o.label == u.label for o in data.train_units), len(data.train_units)),
}

PAPER = ("label", "str", "eLen", "sLen", "eDen", "eDenTok", "oDen", "eFre", "tFre", "eCon", "tCon")
SPAN_ATTRIBUTES = (*PAPER, "ePos", "eChars", "ambiguity", "hapaxTest", "hapaxTrain", "repeated")
TOKEN_ATTRIBUTES = ("label", "str", "sLen", "eDenTok", "oDen", "tFre", "tCon", "ePos")
LABEL_ATTRIBUTES = ("label", "tokens", "chars", "oov", "meanFre", "richness", "labelFre")
FROM_TRAINING = frozenset({"oDen", "eFre", "tFre", "eCon", "tCon", "hapaxTrain", "oov", "meanFre", "labelFre"})


class Row(NamedTuple):
    """A unit with its value and who has it."""

    unit: Unit
    value: Value
    gold: bool
    systems: frozenset[str]


def describe(data: Data, name: str) -> list[Row]:
    """Return the units that an attribute describes, with its value: entities, or their tokens."""
    expected, returned = data.expected, data.returned
    if name in ("tFre", "tCon") and data.task is Task.SPANS:
        expected = data.token_units(expected)
        returned = {system: data.token_units(units) for system, units in returned.items()}
    return [
        Row(
            u,
            ATTRIBUTES[name](data, u),
            u in expected,
            frozenset(system for system, units in returned.items() if u in units),
        )
        for u in sorted(expected.union(*returned.values()))
    ]


# ---------------------------------------------------------------------- buckets


@dataclass(frozen=True)
class Slot:
    """One bucket: `(lo, hi]`, None = open, but for the values that have buckets of their own; or a single value."""

    kind: str
    lo: Fraction | None = None
    hi: Fraction | None = None
    value: Value = None
    but: tuple[Value, ...] = ()

    def holds(self, x: Value) -> bool:
        if self.kind in ("missing", "empty"):
            return self.kind == "missing" and x is None
        if x is None or x in self.but:
            return False
        if self.kind == "value":
            return x == self.value
        if self.kind == "other":
            return True
        assert isinstance(x, Fraction)
        return (self.lo is None or self.lo < x) and (self.hi is None or x <= self.hi)


@dataclass(frozen=True)
class Way:
    """How to cut: `quantile`, `width`, `fixed`, `counts` or `values`."""

    kind: str
    m: int = 4
    low: Fraction | None = None
    high: Fraction | None = None
    cuts: tuple[Fraction, ...] = ()
    first: int = 1
    most: int | None = None

    def slots(self, rows: Sequence[Row]) -> list[Slot]:
        """Return the buckets, `missing` where it is needed."""
        gold = [row.value for row in rows if row.gold]
        every = [row.value for row in rows]
        made = self._values(gold, every) if self.kind == "values" else self._numbers(gold)
        return made + [Slot("missing")] * (None in every)

    def _numbers(self, gold: Sequence[Value]) -> list[Slot]:
        numbers = sorted(x for x in gold if isinstance(x, Fraction))
        if self.kind == "fixed":
            return between(self.cuts)
        if self.kind == "counts":
            cuts = [Fraction(self.first + k) for k in range(self.m - 1)]
            return between(cuts)
        if self.kind == "width":
            lo, hi = (numbers[0], numbers[-1]) if numbers else (Fraction(0), Fraction(0))
            cuts = [lo + (hi - lo) * k / self.m for k in range(1, self.m)] if lo < hi else []
            return padded(between(cuts), self.m)
        pins = [pin for pin in (self.low, self.high) if pin is not None]
        rest = [x for x in numbers if x not in pins]
        parts = max(1, self.m - len(pins))
        middle = [replace(slot, but=tuple(pins)) for slot in between(quantile_cuts(rest, parts))]
        if self.low is not None:
            middle[0] = replace(middle[0], lo=self.low)
        middle = padded(middle, parts)
        before = [] if self.low is None else [Slot("value", value=self.low)]
        after = [] if self.high is None else [Slot("value", value=self.high)]
        return before + middle + after

    def _values(self, gold: Sequence[Value], every: Sequence[Value]) -> list[Slot]:
        """One bucket per value; the gold ones by frequency, then by name; then those that only systems have."""
        ranked = by_frequency(gold)
        others = [x for x in by_frequency(every) if x not in ranked]
        own = ranked + others if self.most is None else ranked[: self.most]
        slots = [Slot("value", value=x) for x in own]
        return slots + [Slot("other", but=tuple(own))] * (len(ranked + others) > len(own))


def quantile_cuts(numbers: Sequence[Fraction], m: int) -> list[Fraction]:
    """Return for k = 1 … m−1 the smallest value with at least k/m of the values at or below it."""
    times = Counter(numbers)
    values = sorted(times)
    below = list(accumulate(times[v] for v in values))
    cuts: list[Fraction] = []
    for k in range(1, m):
        reached = [v for v, n in zip(values, below, strict=True) if n * m >= k * len(numbers)]
        if reached and reached[0] not in cuts and reached[0] != values[-1]:
            cuts.append(reached[0])
    return cuts


def between(cuts: Sequence[Fraction]) -> list[Slot]:
    edges = [None, *cuts, None]
    return [Slot("interval", lo=edges[i], hi=edges[i + 1]) for i in range(len(edges) - 1)]


def padded(slots: list[Slot], m: int) -> list[Slot]:
    return slots + [Slot("empty")] * (m - len(slots))


def by_frequency(values: Sequence[Value]) -> list[Value]:
    counted = Counter(str(x) for x in values if x is not None)
    return [name for name, _ in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))]


ZERO, ONE = Fraction(0), Fraction(1)
MOST_VALUES = 12


def default_way(name: str, m: int = 4) -> Way:
    """Return how an attribute is cut unless told otherwise."""
    if name in ("eCon", "tCon"):
        return Way("quantile", m, low=ZERO, high=ONE)
    if name in ("eFre", "tFre", "oDen", "oov", "labelFre"):
        return Way("quantile", m, low=ZERO)
    if name in ("eLen", "ambiguity"):
        return Way("counts", m)
    if name == "labels":
        return Way("counts", m, first=0)
    if name == "label":
        return Way("values")
    if name in ("str", "repeated", "hapaxTest", "hapaxTrain"):
        return Way("values", most=MOST_VALUES)
    return Way("quantile", m)


class Counts(NamedTuple):
    """What a system has in a bucket."""

    n_gold: int
    n_pred: int
    tp: int

    @property
    def precision(self) -> float | None:
        return self.tp / self.n_pred if self.n_pred else None

    @property
    def recall(self) -> float | None:
        return self.tp / self.n_gold if self.n_gold else None

    @property
    def f1(self) -> float | None:
        """2tp/(n_pred + n_gold), which is 2PR/(P+R), so that equal values are equal to the last bit."""
        whole = self.n_pred + self.n_gold
        return float(Fraction(2 * self.tp, whole)) if whole else None


def place(slots: Sequence[Slot], x: Value) -> int:
    """Return the one bucket of a value."""
    (at,) = [i for i, slot in enumerate(slots) if slot.holds(x)]
    return at


def sorted_into(slots: Sequence[Slot], rows: Sequence[Row]) -> list[list[Row]]:
    """Return the units of each bucket."""
    inside: list[list[Row]] = [[] for _ in slots]
    for row in rows:
        inside[place(slots, row.value)].append(row)
    return inside


def count_in(inside: Sequence[Sequence[Row]], system: str) -> list[Counts]:
    """Return n_gold, n_pred and tp of each bucket's units."""
    return [
        Counts(
            n_gold=sum(row.gold for row in some),
            n_pred=sum(system in row.systems for row in some),
            tp=sum(row.gold and system in row.systems for row in some),
        )
        for some in inside
    ]


def count(rows: Sequence[Row], slots: Sequence[Slot], system: str) -> list[Counts]:
    """Return n_gold, n_pred and tp of each bucket."""
    return count_in(sorted_into(slots, rows), system)


# ---------------------------------------------------------------------- measures over the buckets


def spearman(values: Sequence[float | None]) -> float | None:
    """Return the correlation with the buckets' rank: None where fewer than 3 are filled, or all are equal."""
    filled = [(rank, value) for rank, value in enumerate(values) if value is not None]
    if len(filled) < 3 or len({value for _, value in filled}) < 2:
        return None
    return float(scipy.stats.spearmanr([rank for rank, _ in filled], [value for _, value in filled]).statistic)


def spread(values: Sequence[float | None]) -> float | None:
    """Return the population standard deviation of the filled buckets."""
    filled = [value for value in values if value is not None]
    return float(np.std(filled)) if filled else None


def extremes(values: Sequence[float | None]) -> tuple[int, int] | None:
    """Return the best and the worst bucket, the first of equals; None where fewer than two are filled."""
    filled = [at for at, value in enumerate(values) if value is not None]
    if len(filled) < 2:
        return None
    best = max(filled, key=lambda at: (values[at] or 0.0, -at))
    return best, min(filled, key=lambda at: (values[at] or 0.0, at))


def mean(values: Sequence[Value]) -> float | None:
    """Return the mean of the numbers; None of none."""
    numbers = [x for x in values if isinstance(x, Fraction)]
    return float(sum(numbers, Fraction(0)) / len(numbers)) if numbers else None


# ---------------------------------------------------------------------- random data

WORDS = ("a", "b", "A", "é", "É", "ab")
LABELS = ("X", "Y", "B-X", "W")
"""Gold has the first three, systems and training have others too; a label may look like a tag."""
NAMES = ("s", "t t", "Ä")
TAGS = ("O", "O", "B-X", "I-X", "B-Y", "Y", "I-Z")


def sentences(most: int = 5) -> SearchStrategy[tuple[Words, ...]]:
    return st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(tuple), min_size=1, max_size=most).map(tuple)


def spans(length: int, labels: Sequence[str]) -> SearchStrategy[tuple[tuple[int, int, str], ...]]:
    """Distinct spans; they may nest and overlap."""
    if not length:
        return st.just(())
    where = st.tuples(st.integers(0, length - 1), st.integers(1, 4), st.sampled_from(labels))
    span = where.map(lambda w: (w[0], min(w[0] + w[1], length), w[2]))
    return st.lists(span, max_size=4, unique=True).map(tuple)


@st.composite
def span_data(draw: DrawFn) -> Data:
    """Entities with few different words, so that strings repeat; gold may be empty."""
    items, train_items = draw(sentences()), draw(sentences(6))
    nothing = draw(st.integers(0, 9)) == 0
    gold = tuple(() if nothing else draw(spans(len(item), LABELS[:3])) for item in items)
    return Data(
        task=Task.SPANS,
        items=items,
        gold=gold,
        systems=draw_systems(draw, gold, [spans(len(item), LABELS[1:]) for item in items]),
        train_items=train_items,
        train=tuple(draw(spans(len(item), ("X", "Z", "B-X"))) for item in train_items),
        documents=draw_documents(draw, len(items)),
        lower=draw(st.booleans()),
    )


def draw_systems(
    draw: DrawFn, gold: tuple[Any, ...], others: Sequence[SearchStrategy[Any]], least: int = 1
) -> dict[str, tuple[Any, ...]]:
    """Systems that are right on some items."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=least, max_size=3, unique=True))
    return {
        name: tuple(right if draw(st.booleans()) else draw(other) for right, other in zip(gold, others, strict=True))
        for name in names
    }


def draw_documents(draw: DrawFn, items: int) -> tuple[str, ...] | None:
    if not draw(st.booleans()):
        return None
    return tuple(draw(st.lists(st.sampled_from(("d", "e")), min_size=items, max_size=items)))


@st.composite
def token_data(draw: DrawFn) -> Data:
    items, train_items = draw(sentences()), draw(sentences(6))

    def tags(length: int) -> SearchStrategy[tuple[str, ...]]:
        return st.lists(st.sampled_from(TAGS), min_size=length, max_size=length).map(tuple)

    gold = tuple(draw(tags(len(item))) for item in items)
    return Data(
        task=Task.TOKENS,
        items=items,
        gold=gold,
        systems=draw_systems(draw, gold, [tags(len(item)) for item in items]),
        train_items=train_items,
        train=tuple(draw(tags(len(item))) for item in train_items),
        documents=draw_documents(draw, len(items)),
        lower=draw(st.booleans()),
    )


@st.composite
def label_data(draw: DrawFn, task: Task) -> Data:
    """Texts with a label each, or with several."""
    texts = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
    items = tuple(draw(st.lists(texts, min_size=1, max_size=6)))
    train_items = tuple(draw(st.lists(texts, min_size=1, max_size=6)))

    def answers(labels: Sequence[str]) -> SearchStrategy[Any]:
        one = st.sampled_from(labels)
        return one if task is Task.LABELS else st.lists(one, max_size=3, unique=True).map(tuple)

    gold = tuple(draw(answers(LABELS[:3])) for _ in items)
    systems = draw_systems(draw, gold, [answers(LABELS[1:])] * len(items))
    sure = st.lists(st.sampled_from((0.25, 0.5, 1.0, None)), min_size=len(items), max_size=len(items)).map(tuple)
    return Data(
        task=task,
        items=items,
        gold=gold,
        systems=systems,
        train_items=train_items,
        train=tuple(draw(answers(("X", "Z", "B-X"))) for _ in train_items),
        documents=draw_documents(draw, len(items)),
        confidences={name: draw(sure) for name in systems},
        lower=draw(st.booleans()),
    )


@st.composite
def scored_data(draw: DrawFn, task: Task) -> Data:
    """Texts or scores per item, with a field of numbers and one of categories, both with gaps."""
    texts = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
    items = tuple(draw(st.lists(texts, min_size=1, max_size=8)))
    n = len(items)

    def column(values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(draw(st.lists(st.sampled_from(values), min_size=n, max_size=n)))

    answer: SearchStrategy[Any] = st.sampled_from(("a", "a b", "É")) if task is Task.TEXT else st.integers(-4, 8)
    other = answer if task is Task.TEXT else answer.map(lambda score: score / 4)
    gold = tuple(draw(answer) for _ in items) if task is Task.TEXT else None
    return Data(
        task=task,
        items=items,
        gold=gold,
        systems=draw_systems(draw, gold or tuple(draw(other) for _ in items), [other] * n),
        train_items=tuple(draw(st.lists(texts, min_size=1, max_size=4))) if task is Task.TEXT else None,
        train=(),
        documents=draw_documents(draw, n),
        columns={"size": column((0, 1, 2, 5, 7.5, None)), "source": column(("web", "other", "missing", None))},
        lower=draw(st.booleans()),
    )


def data_of(task: Task) -> SearchStrategy[Data]:
    """Data of a task."""
    if task is Task.SPANS:
        return span_data()
    if task is Task.TOKENS:
        return token_data()
    return label_data(task) if task.has_units else scored_data(task)


def same(found: float | None, expected: float | None) -> bool:
    """Say whether two numbers agree to 1e-12, or both are undefined."""
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


def slow_factors(attributes: list[list[tuple[float, float]]]) -> list[float]:
    """Return which part of the gaps is to be believed, from values and squared standard errors of buckets."""
    spread = [statistics.variance([value for value, _ in attribute]) for attribute in attributes]
    noise = [statistics.fmean([error for _, error in attribute]) for attribute in attributes]
    real = max(0.0, statistics.fmean([s - v for s, v in zip(spread, noise, strict=True)]))
    pooled = real / (real + statistics.fmean(noise))
    factors = []
    for attribute, s, v in zip(attributes, spread, noise, strict=True):
        m, own = len(attribute), max(0.0, s - v) / (max(0.0, s - v) + v)
        factors.append((own * m + pooled * 4) / (m + 4))
    return factors
