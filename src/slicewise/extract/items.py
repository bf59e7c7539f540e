"""The features of items: their input fields, what was expected, and what a system returned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.facts import Facts
from slicewise.extract.described import ITEMS, attributes_of, described
from slicewise.extract.family import Kind
from slicewise.extract.parallel import at_once
from slicewise.extract.text import Field, categories, coded, reading
from slicewise.extract.tokens import of_tokens, tokenised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from slicewise.attributes.told import Told
    from slicewise.evaluation import Evaluation
    from slicewise.extract.family import Family, Quantity
    from slicewise.extract.ngrams import Runs
    from slicewise.extract.relation import Index
    from slicewise.extract.spool import Spool
    from slicewise.extract.tokens import Tokens

Key = TypeVar("Key")
Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which features are made, and how."""

    tokenizer: str | None = None
    """None: words of running text, tokens as they are where the text is cut already."""
    ngrams: int = 1
    shapes: bool = False
    numbers: bool = False
    least: int = 5
    geval: bool = False


def _made_once(known: dict[Key, Made], key: Key, make: Callable[[], Made]) -> Made:
    """Return what is known under a key, made at the first time; it lives as long as the features do."""
    if key not in known:
        known[key] = make()
    return known[key]


@dataclass(frozen=True)
class _Text:
    """A field of text: its namespace, whose answer it is, and the texts; None where they are cut already."""

    space: str
    whose: str
    texts: pl.Series | None


class ItemFeatures:
    """The features of an evaluation's items."""

    def __init__(
        self,
        evaluation: Evaluation,
        wanted: Wanted,
        attributes: Sequence[str] = (),
        told: Told | None = None,
        spool: Spool | None = None,
    ) -> None:
        self.evaluation = evaluation
        self.spool = spool
        self.wanted = wanted
        self.size = evaluation.aligned.items
        self.facts = Facts(evaluation, told)
        self.attributes = attributes_of(self.facts, attributes, ITEMS)
        self._descriptions: dict[str | None, tuple[list[Family], list[Quantity]]] = {}
        self._fields: dict[tuple[str, str], Field] = {}
        self._returned: dict[str, list[tuple[Field, list[Family]]]] = {}

    def families(self, system: str | None) -> list[Family]:
        """Return all features; those of outputs for one system, or none of them."""
        own = [] if system is None else self._labels("out", system)
        own += chain.from_iterable(families for _, families in self._outputs(system))
        return [*self._shared, *own, *self._described(system)[0]]

    def quantities(self, system: str | None) -> list[Quantity]:
        """Return the numbers that items have: attributes, numerical fields, and the lengths of the others."""
        fields = [*self._given, *self._outputs(system)] if self.wanted.numbers else []
        return [*(field.number() or field.length() for field, _ in fields), *self._described(system)[1]]

    def _described(self, system: str | None) -> tuple[list[Family], list[Quantity]]:
        least = self.wanted.least
        return _made_once(
            self._descriptions,
            system,
            lambda: described(self.facts, self.attributes, least, units=False, system=system),
        )

    def confusions(self, system: str) -> Family | None:
        """Return what was expected and what was returned instead, for items that have one label each."""
        if self.evaluation.task is not Task.LABELS:
            return None
        gold, out = self.evaluation.answers("gold"), self.evaluation.answers(system)
        wrong = (out.is_not_null() & (gold != out)).fill_null(False)
        pairs = pl.DataFrame({"gold": gold, "out": out}).select(
            pl.format("exp {} ~ out {}", "gold", "out").alias("pair")
        )["pair"]
        return categories(Kind.CONFUSION, "", "", pairs.set(~wrong, None), 0)

    def some(self, system: str | None, kind: Kind, space: str, names: pl.Series) -> list[Family]:
        """Return families in which some features of a kind are: these alone, where that is less work."""
        if kind in (Kind.TOKEN, Kind.SHAPE):
            return [self.field(system, space).some(kind, names)]
        if kind is Kind.LABEL:
            return self._labels(space, "gold" if space == "exp" or system is None else system)
        if kind is Kind.CATEGORY:
            found = self.field(system, space).category(0)
            return [] if found is None else [found]
        return self._described(system)[0]

    def numbers(self, system: str | None) -> list[str]:
        """Return the names of the attributes that are numbers."""
        return [quantity.name for quantity in self._described(system)[1]]

    def run(self, system: str | None, space: str, runs: Runs, length: int) -> tuple[Family, Index]:
        """Return the runs of a length that are frequent in all of the data, and their keys."""
        return self.field(system, space).run(runs, length)

    def values(self, system: str | None, kind: Kind, space: str, name: str) -> NDArray[np.float64]:
        """Return a number that items have; NaN where one has none."""
        if kind is Kind.LENGTH:
            return self.field(system, space).length().values
        if kind is Kind.NUMBER:
            texts = self.field(system, space).texts
            return np.full(self.size, np.nan) if texts is None else reading(texts).values
        return next(one.values for one in self._described(system)[1] if one.name == name)

    def spaces(self, system: str | None) -> list[str]:
        """Return the namespaces of all fields of text."""
        return [text.space for text in self._named(system)]

    def field(self, system: str | None, space: str) -> Field:
        """Return a field of text, cut."""
        text = next(text for text in self._named(system) if text.space == space)
        return _made_once(self._fields, (text.whose, space), lambda: self._cut(text))

    def _named(self, system: str | None) -> list[_Text]:
        returned = [] if system is None else self._texts("out", system)
        return [*self._inputs, *self._texts("exp", "gold"), *returned]

    # ------------------------------------------------------------------ fields of text

    @cached_property
    def _shared(self) -> list[Family]:
        return [*self._labels("exp", "gold"), *chain.from_iterable(families for _, families in self._given)]

    @cached_property
    def _given(self) -> list[tuple[Field, list[Family]]]:
        """The input and what was expected: each field is cut and its features made by one thread."""
        return at_once(self._field, [*self._inputs, *self._texts("exp", "gold")])

    @property
    def inputs(self) -> list[Field]:
        """The input fields."""
        return at_once(self._cut, self._inputs)

    @property
    def _inputs(self) -> list[_Text]:
        """The namespaces and texts of the input; of tokens that are there already, or in files, no text."""
        a = self.evaluation.aligned
        if a.tokens is not None:
            return [_Text("in<1>" if self.wanted.geval else "in", "", None)]
        if self.spool is not None and not a.fields.width:
            return [_Text(column, "", None) for column in self.spool.columns]
        fields = enumerate(a.fields.get_columns(), 1)
        return [_Text(f"in<{i}>" if self.wanted.geval else one.name, "", one.alias("")) for i, one in fields]

    def _outputs(self, system: str | None) -> list[tuple[Field, list[Family]]]:
        if system is None:
            return []
        return _made_once(self._returned, system, lambda: at_once(self._field, self._texts("out", system)))

    def _texts(self, space: str, name: str) -> list[_Text]:
        """Return what was expected or returned, where that is text; several references are one text."""
        answers = self.evaluation.aligned.answers
        whole = self.evaluation.task is Task.TEXT or (self.wanted.geval and self.evaluation.task is Task.LABELS)
        if not whole or answers is None or name not in answers.columns:
            return []
        text = self.evaluation.answers(name)
        one = self.wanted.geval and isinstance(text.dtype, pl.List)
        return [_Text(space, name, text.list.join("\t") if one else text)]

    def _field(self, text: _Text) -> tuple[Field, list[Family]]:
        field = self._cut(text)
        return field, list(self._of(field))

    def _cut(self, text: _Text) -> Field:
        wanted, texts = self.wanted, text.texts
        if self.spool is None:
            tokens = self._tokens(text)
        else:
            field = f"{wanted.tokenizer} {text.whose} {text.space}"
            tokens = self.spool.tokens(self.evaluation, field, lambda: self._tokens(text))
        if wanted.geval and texts is None:
            texts = self.evaluation.token_texts()
        return Field(text.space, tokens, texts, geval=wanted.geval)

    def _tokens(self, text: _Text) -> Tokens:
        a = self.evaluation.aligned
        if text.texts is not None:
            return tokenised(text.texts, self.wanted.tokenizer or "words")
        if a.tokens is None or a.offsets is None:
            raise ValueError("no tokens")
        return of_tokens(a.tokens, a.offsets, self.wanted.tokenizer)

    def _of(self, field: Field) -> Iterator[Family]:
        wanted = self.wanted
        yield field.unigrams(0)
        if wanted.ngrams > 1:
            yield from field.ngrams(wanted.ngrams, wanted.least)
        if wanted.shapes:
            yield field.shapes(0)
        if wanted.shapes and wanted.ngrams > 1 and wanted.geval:
            yield from field.shape_bigrams(wanted.least)
        if not wanted.geval and field.space.startswith("in") and (found := field.category(wanted.least)) is not None:
            yield found

    # ------------------------------------------------------------------ labels

    def _labels(self, space: str, name: str) -> list[Family]:
        """Return the labels of the units that gold or a system has in each item."""
        evaluation = self.evaluation
        if not evaluation.task.has_units or (self.wanted.geval and evaluation.task is Task.LABELS):
            return []
        if evaluation.task is Task.LABELS:
            found = categories(Kind.LABEL, space, f"{space}:", evaluation.answers(name), self.wanted.least)
            return [] if found is None else [found]
        units = evaluation.units
        own = units[name].to_numpy()
        codes = units["label"].to_physical().to_numpy()[own].astype(np.uint32)
        names = f"{space}:" + pl.Series(evaluation.aligned.labels, dtype=pl.String)
        return [coded(Kind.LABEL, space, codes, units["item"].to_numpy()[own], self.size, self.wanted.least, names)]
