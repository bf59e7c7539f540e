"""The features of items: their input fields, what was expected, and what a system returned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.facts import Facts
from slicewise.extract.described import ITEMS, attributes_of, described
from slicewise.extract.family import Kind
from slicewise.extract.parallel import at_once
from slicewise.extract.text import Field, categories, coded
from slicewise.extract.tokens import of_tokens, tokenised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from slicewise.evaluation import Evaluation
    from slicewise.extract.family import Family, Quantity


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


class ItemFeatures:
    """The features of an evaluation's items."""

    def __init__(self, evaluation: Evaluation, wanted: Wanted, attributes: Sequence[str] = ()) -> None:
        self.evaluation = evaluation
        self.wanted = wanted
        self.size = evaluation.aligned.items
        self.facts = Facts(evaluation)
        self.attributes = attributes_of(self.facts, attributes, ITEMS)

    def families(self, system: str | None) -> list[Family]:
        """Return all features; those of outputs for one system, or none of them."""
        own = [] if system is None else self._labels("out", system)
        own += chain.from_iterable(families for _, families in self._outputs(system))
        return [*self._shared, *own, *self._described(system)[0]]

    def quantities(self, system: str | None) -> list[Quantity]:
        """Return the numbers that items have: attributes, numerical fields, and the lengths of the others."""
        fields = [*self._given, *self._outputs(system)] if self.wanted.numbers else []
        return [*(field.number() or field.length() for field, _ in fields), *self._described(system)[1]]

    @cache  # noqa: B019 (lives as long as the features do)
    def _described(self, system: str | None) -> tuple[list[Family], list[Quantity]]:
        return described(self.facts, self.attributes, self.wanted.least, units=False, system=system)

    def confusions(self, system: str) -> Family | None:
        """Return what was expected and what was returned instead, for items that have one label each."""
        if self.evaluation.task is not Task.LABELS:
            return None
        gold, out = self.evaluation.answers("gold"), self.evaluation.answers(system)
        wrong = (out.is_not_null() & (gold != out)).fill_null(False)
        pairs = pl.DataFrame({"gold": gold, "out": out}).select(
            pl.format("exp {} ~ out {}", "gold", "out").alias("pair")
        )["pair"]
        return categories(Kind.CONFUSION, "", "", pairs.set(~wrong, None), 1)

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
    def _inputs(self) -> list[tuple[str, pl.Series | None]]:
        """The namespaces and texts of the input; None for tokens that are there already."""
        a = self.evaluation.aligned
        if a.tokens is not None:
            return [("in<1>" if self.wanted.geval else "in", None)]
        fields = enumerate(a.fields.get_columns(), 1)
        return [(f"in<{i}>" if self.wanted.geval else column.name, column.alias("")) for i, column in fields]

    @cache  # noqa: B019 (lives as long as the features do)
    def _outputs(self, system: str | None) -> list[tuple[Field, list[Family]]]:
        return [] if system is None else at_once(self._field, self._texts("out", system))

    def _texts(self, space: str, name: str) -> list[tuple[str, pl.Series | None]]:
        """Return what was expected or returned, where that is text; several references are one text."""
        answers = self.evaluation.aligned.answers
        whole = self.evaluation.task is Task.TEXT or (self.wanted.geval and self.evaluation.task is Task.LABELS)
        if not whole or answers is None or name not in answers.columns:
            return []
        text = self.evaluation.answers(name)
        return [(space, text.list.join("\t") if self.wanted.geval and isinstance(text.dtype, pl.List) else text)]

    def _field(self, named: tuple[str, pl.Series | None]) -> tuple[Field, list[Family]]:
        field = self._cut(named)
        return field, list(self._of(field))

    def _cut(self, named: tuple[str, pl.Series | None]) -> Field:
        (space, texts), wanted, a = named, self.wanted, self.evaluation.aligned
        if texts is not None:
            return Field(space, tokenised(texts, wanted.tokenizer or "words"), texts, geval=wanted.geval)
        if a.tokens is None or a.offsets is None:
            raise ValueError("no tokens")
        tokens = of_tokens(a.tokens, a.offsets, wanted.tokenizer)
        return Field(space, tokens, self.evaluation.token_texts() if wanted.geval else None, geval=wanted.geval)

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
