"""The features of items: their input fields, what was expected, and what a system returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Ints
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.facts import Facts
from slicewise.evaluation import Evaluation
from slicewise.extract.described import ITEMS, attribute_features, attributes_of
from slicewise.extract.family import Family, Kind, Quantity
from slicewise.extract.ngrams import Ngrams
from slicewise.extract.parallel import parallel_map
from slicewise.extract.spool import Spool
from slicewise.extract.text import TextField, categories, coded, parse_numbers
from slicewise.extract.tokens import Tokens, of_tokens, tokenised

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class FeatureSpec:
    """Which features are extracted, and how."""

    tokenizer: str | None = None
    """None: words of running text, tokens as they are where the text is cut already."""
    ngrams: int = 1
    shapes: bool = False
    numbers: bool = False
    least: int = 5
    geval: bool = False


def _cached(cache: dict[Key, Value], key: Key, compute: Callable[[], Value]) -> Value:
    """Return the cached value of a key, computed the first time."""
    if key not in cache:
        cache[key] = compute()
    return cache[key]


@dataclass(frozen=True)
class _TextColumn:
    """A field of text: its namespace, whose answer it is, and the texts; None where they are cut already."""

    space: str
    whose: str
    texts: pl.Series | None


class ItemFeatures:
    """The features of an evaluation's items."""

    @classmethod
    def of(
        cls,
        part: Evaluation,
        spec: FeatureSpec,
        attributes: Sequence[str] = (),
        corpus_facts: CorpusFacts | None = None,
        spool: Spool | None = None,
    ) -> ItemFeatures:
        """Return the features of a part's items, which are made once."""
        key = (cls.__name__, spec, tuple(attributes), Facts.of(part, corpus_facts))
        return part.memo(key, lambda: cls(part, spec, attributes, corpus_facts, spool))

    def __init__(
        self,
        evaluation: Evaluation,
        spec: FeatureSpec,
        attributes: Sequence[str] = (),
        corpus_facts: CorpusFacts | None = None,
        spool: Spool | None = None,
    ) -> None:
        self.evaluation = evaluation
        self.spool = spool
        self.spec = spec
        self.size = evaluation.aligned.items
        self.facts = Facts.of(evaluation, corpus_facts)
        self.attributes = attributes_of(self.facts, attributes, ITEMS)
        self._families: dict[str | None, list[Family]] = {}
        self._confusions: dict[str, Family | None] = {}
        self._descriptions: dict[str | None, tuple[list[Family], list[Quantity]]] = {}
        self._tags: dict[str, pl.Series | None] = {}
        self._returned: dict[str, list[tuple[TextField, list[Family]]]] = {}

    def families(self, system: str | None) -> list[Family]:
        """Return all features; those of outputs for one system, or none of them."""
        return _cached(self._families, system, lambda: self._all_families(system))

    def _all_families(self, system: str | None) -> list[Family]:
        labels = [] if system is None else self._labels("out", system)
        texts = chain.from_iterable(families for _, families in self._outputs(system))
        return [*self._shared, *labels, *texts, *self._described(system)[0]]

    def quantities(self, system: str | None) -> list[Quantity]:
        """Return the numbers that items have: attributes, numerical fields, and the lengths of the others."""
        fields = [*self._shared_fields, *self._outputs(system)] if self.spec.numbers else []
        return [*(field.number() or field.length() for field, _ in fields), *self._described(system)[1]]

    def _described(self, system: str | None) -> tuple[list[Family], list[Quantity]]:
        least = self.spec.least
        return _cached(
            self._descriptions,
            system,
            lambda: attribute_features(self.facts, self.attributes, least, units=False, system=system),
        )

    def confusions(self, system: str) -> Family | None:
        """Return what was expected and what was returned instead, for items that have one label each."""
        return _cached(self._confusions, system, lambda: self._confused(system))

    def _confused(self, system: str) -> Family | None:
        if self.evaluation.task is not Task.LABELS:
            return None
        gold, out = self.evaluation.answers("gold"), self.evaluation.answers(system)
        wrong = (out.is_not_null() & (gold != out)).fill_null(False)
        pairs = pl.DataFrame({"gold": gold, "out": out}).select(
            pl.format("exp {} ~ out {}", "gold", "out").alias("pair")
        )["pair"]
        return categories(Kind.CONFUSION, "", "", pairs.set(~wrong, None), 0)

    def subset(self, system: str | None, kind: Kind, space: str, names: pl.Series) -> list[Family]:
        """Return families in which some features of a kind are: these alone, where that is less work."""
        if kind in (Kind.TOKEN, Kind.SHAPE):
            return [self.field(system, space).subset(kind, names)]
        if kind in (Kind.BIGRAM, Kind.NGRAM):  # of the published tool, which has them all
            return [family for family in self.families(system) if (family.kind, family.space) == (kind, space)]
        if kind is Kind.LABEL:
            return self._labels(space, "gold" if space == "exp" or system is None else system)
        if kind is Kind.CATEGORY:
            family = self.field(system, space).category(0)
            return [] if family is None else [family]
        return self._described(system)[0]

    def numbers(self, system: str | None) -> list[str]:
        """Return the names of the attributes that are numbers."""
        return [quantity.name for quantity in self._described(system)[1]]

    def run(self, system: str | None, space: str, runs: Ngrams, length: int) -> tuple[Family, Ints]:
        """Return the runs of a length that are frequent in all of the data, and their keys."""
        return self.field(system, space).run(runs, length)

    def values(self, system: str | None, kind: Kind, space: str, name: str) -> NDArray[np.float64]:
        """Return a number that items have; NaN where one has none."""
        if kind is Kind.LENGTH:
            return self.field(system, space).length().values
        if kind is Kind.NUMBER:
            texts = self.field(system, space).texts
            return np.full(self.size, np.nan) if texts is None else parse_numbers(texts).values
        return next(quantity.values for quantity in self._described(system)[1] if quantity.name == name)

    def spaces(self, system: str | None) -> list[str]:
        """Return the namespaces of all fields of text."""
        return [text.space for text in self._named(system)]

    def field(self, system: str | None, space: str) -> TextField:
        """Return a field of text, cut."""
        text = next(text for text in self._named(system) if text.space == space)
        return self._cut(text)

    def _named(self, system: str | None) -> list[_TextColumn]:
        returned = [] if system is None else self._texts("out", system)
        return [*self._inputs, *self._texts("exp", "gold"), *returned]

    # ------------------------------------------------------------------ fields of text

    @cached_property
    def _shared(self) -> list[Family]:
        return [*self._labels("exp", "gold"), *chain.from_iterable(families for _, families in self._shared_fields)]

    @cached_property
    def _shared_fields(self) -> list[tuple[TextField, list[Family]]]:
        """The input and what was expected: each field is cut and its features made by one thread."""
        return parallel_map(self._field, [*self._inputs, *self._texts("exp", "gold")])

    @property
    def inputs(self) -> list[TextField]:
        """The input fields."""
        return parallel_map(self._cut, self._inputs)

    @property
    def input_tokens(self) -> list[Tokens]:
        """The tokens of the input fields."""
        return [field.tokens for field in self.inputs]

    @property
    def has_input(self) -> bool:
        """Whether there is an input to be cut into tokens."""
        return bool(self._inputs)

    @property
    def _inputs(self) -> list[_TextColumn]:
        """The namespaces and texts of the input; no text where tokens are given or cached."""
        a = self.evaluation.aligned
        if a.tokens is not None:
            return [_TextColumn("in<1>" if self.spec.geval else "in", "", None)]
        if self.spool is not None and not a.fields.width:
            return [_TextColumn(column, "", None) for column in self.spool.columns]
        fields = enumerate(a.fields.get_columns(), 1)
        return [_TextColumn(f"in<{i}>" if self.spec.geval else c.name, "", c.alias("")) for i, c in fields]

    def _outputs(self, system: str | None) -> list[tuple[TextField, list[Family]]]:
        if system is None:
            return []
        return _cached(self._returned, system, lambda: parallel_map(self._field, self._texts("out", system)))

    def _texts(self, space: str, name: str) -> list[_TextColumn]:
        """Return what was expected or returned, where that is text; several references are one text.

        Of the published tool tags are text, too.
        """
        if self.spec.geval and name in self.evaluation.aligned.tags:
            return [_TextColumn(space, name, _cached(self._tags, name, lambda: self.evaluation.tag_texts(name)))]
        answers = self.evaluation.aligned.answers
        is_text = self.evaluation.task is Task.TEXT or (self.spec.geval and self.evaluation.task is Task.LABELS)
        if not is_text or answers is None or name not in answers.columns:
            return []
        text = self.evaluation.answers(name)
        join_references = self.spec.geval and isinstance(text.dtype, pl.List)
        return [_TextColumn(space, name, text.list.join("\t") if join_references else text)]

    def _field(self, text: _TextColumn) -> tuple[TextField, list[Family]]:
        field = self._cut(text)
        return field, list(self._of(field))

    def _cut(self, text: _TextColumn) -> TextField:
        """Return a field, which is cut once however many features are made of it."""
        key = (TextField.__name__, self.spec.tokenizer, self.spec.geval, text.whose, text.space)
        return self.evaluation.memo(key, lambda: self._newly_cut(text))

    def _newly_cut(self, text: _TextColumn) -> TextField:
        spec, texts = self.spec, text.texts
        if self.spool is None:
            tokens = self._tokens(text)
        else:
            field = f"{spec.tokenizer} {text.whose} {text.space}"
            tokens = self.spool.tokens(self.evaluation, field, lambda: self._tokens(text))
        if spec.geval and texts is None:
            texts = self.evaluation.token_texts()
        return TextField(text.space, tokens, texts, geval=spec.geval)

    def _tokens(self, text: _TextColumn) -> Tokens:
        a = self.evaluation.aligned
        if text.texts is not None:
            return tokenised(text.texts, self.spec.tokenizer or "words")
        if a.tokens is None or a.offsets is None:
            raise ValueError("no tokens")
        return of_tokens(a.tokens, a.offsets, self.spec.tokenizer)

    def _of(self, field: TextField) -> Iterator[Family]:
        spec = self.spec
        yield field.unigrams(0)
        if spec.ngrams > 1:
            yield from field.ngrams(spec.ngrams, spec.least)
        if spec.shapes:
            yield field.shapes(0)
        if spec.shapes and spec.ngrams > 1 and spec.geval:
            yield from field.shape_bigrams(spec.least)
        if not spec.geval and field.space.startswith("in") and (values := field.category(spec.least)) is not None:
            yield values

    # ------------------------------------------------------------------ labels

    def _labels(self, space: str, name: str) -> list[Family]:
        """Return the labels of the units that gold or a system has in each item."""
        evaluation = self.evaluation
        as_text = self.spec.geval and (evaluation.task is Task.LABELS or name in evaluation.aligned.tags)
        if not evaluation.task.has_units or as_text:
            return []
        if evaluation.task is Task.LABELS:
            family = categories(Kind.LABEL, space, f"{space}:", evaluation.answers(name), self.spec.least)
            return [] if family is None else [family]
        units = evaluation.units
        present = units[name].to_numpy()
        codes = units["label"].to_physical().to_numpy()[present].astype(np.uint32)
        names = f"{space}:" + pl.Series(evaluation.aligned.labels, dtype=pl.String)
        return [coded(Kind.LABEL, space, codes, units["item"].to_numpy()[present], self.size, self.spec.least, names)]
