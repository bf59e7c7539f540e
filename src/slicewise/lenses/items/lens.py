"""`items`: item by item, with scores, sorted, filtered by a feature, or by how two systems differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Array, Ints
from slicewise.engine.items import item_scores
from slicewise.engine.local import whole
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.evaluation import Evaluation
from slicewise.extract.family import PAIR, Family
from slicewise.extract.find import items_with
from slicewise.extract.items import FeatureSpec, ItemFeatures
from slicewise.extract.ngrams import GLUE
from slicewise.extract.relation import Limits
from slicewise.extract.text import SHAPE
from slicewise.extract.tokenizers import TOKENIZERS, check_tokenizer
from slicewise.lenses.chosen_metrics import MetricSpec, metrics_of
from slicewise.lenses.examples import answer_texts
from slicewise.lenses.inference import check_top
from slicewise.lenses.items.result import LEFT, RIGHT, Item, ItemsResult
from slicewise.lenses.ranking.population import Population, of_change, of_items
from slicewise.results.base import defined
from slicewise.stats.rank_sums import RankNull

ORDERS = ("file", "worst", "best")
BAD = 0.01
"""Tokens are marked whose p, not corrected, is below this: a hint where to look, no finding."""
LEAST = 5
"""Items that must have a token, and that must not, for it to be bad."""
BATCH = 1000
SPACES = re.compile(r"(\s+)")


def items(
    evaluation: Evaluation,
    *,
    order: str = "file",
    change: tuple[str, str] | None = None,
    feature: str | None = None,
    only: str | None = None,
    metrics: MetricSpec = (),
    beta: float = 1.0,
    tokenizer: str | None = None,
    top: int = 0,
) -> ItemsResult:
    """Show items with their scores; the `order` goes by one system (the first, or `only`).

    `change=(old, new)`: by the difference of two systems, most worsened first. `feature`: only items that have it.
    """
    evaluation = whole(evaluation, "a list of items")  # in an order over all of them
    metric = metrics_of(evaluation.task, metrics, beta)[0]
    if order not in ORDERS:
        raise UserError(f"unknown order {quoted(order)}; {did_you_mean(order, ORDERS)}")
    check_top(top)
    tokenizer = None if tokenizer is None else check_tokenizer(tokenizer)
    old, new = _compared(evaluation, change, only)
    population = (
        of_items(evaluation, metric, new) if old is None else of_change(evaluation, metric, old, new, ratio=False)
    )
    scores = np.full(evaluation.aligned.items, np.nan)
    scores[population.kept] = population.scores
    chosen = np.arange(evaluation.aligned.items)
    if feature is not None:
        chosen = np.flatnonzero(items_with(evaluation, new, feature, tokenizer))
    order = "worst" if order == "file" and change is not None else order
    if order != "file":
        sign = population.sign if order == "worst" else -population.sign
        chosen = chosen[np.argsort(sign * scores[chosen], kind="stable")]  # those without a score come last
    shown = chosen[:top] if top else chosen
    marks = _TokenMarks.of(evaluation, population, tokenizer, feature)
    parts = [f"metrics:{metric.name}", f"order:{order}", *([] if feature is None else [f"feature:{feature}"])]
    parts += [] if old is None else [f"change:{old}>{new}"]
    data = evaluation.summary()
    data["warnings"] = [*data["warnings"], *population.warnings]
    systems = dict.fromkeys([*([] if old is None else [old]), new, *evaluation.ranked_systems])
    by_system = {system: item_scores(evaluation, metric, system).scores for system in systems}
    return ItemsResult(
        command="items",
        signature=evaluation.signature(*parts),
        data=data,
        system=new,
        against=old,
        metric=metric.name,
        order=order,
        feature=feature,
        found=len(chosen),
        make=partial(_read_items, evaluation, shown, scores, by_system, marks),
    )


def _compared(evaluation: Evaluation, change: tuple[str, str] | None, only: str | None) -> tuple[str | None, str]:
    """Return the systems that the order goes by: one, or two of which the second is the new one."""
    first = {name: runs[0] for name, runs in evaluation.restarts.items()}
    for name in (*(change or ()), *([] if only is None else [only])):
        if name not in evaluation.systems and name not in first:
            raise UserError(f"no system {quoted(name)}; {did_you_mean(name, evaluation.systems)}")
    if change is None:
        return None, evaluation.ranked_systems[0] if only is None else first.get(only, only)
    old, new = (first.get(name, name) for name in change)
    if old == new:
        raise UserError(f"{quoted(old)} cannot be compared with itself; name two systems, OLD,NEW")
    return old, new


def _read_items(
    evaluation: Evaluation, shown: Ints, scores: Array, by_system: Mapping[str, Array], marks: _TokenMarks
) -> Iterator[Item]:
    """Yield items lazily, in batches; the systems that the order is by come first."""
    for start in range(0, len(shown), BATCH):
        at = shown[start : start + BATCH]
        inputs = _inputs(evaluation, at)
        expected = answer_texts(evaluation, "gold", at)
        systems = () if evaluation.task is Task.SCORES else by_system
        outputs = {system: answer_texts(evaluation, system, at) for system in systems}
        marked = {space: marks.put(column) for space, column in inputs.items()}
        for i, item in enumerate(at.tolist()):
            yield Item(
                item=item,
                score=defined(float(scores[item])),
                scores={system: defined(float(values[item])) for system, values in by_system.items()},
                inputs={space: column[i] for space, column in inputs.items()},
                expected=None if expected is None else expected[i],
                outputs={system: texts[i] for system, texts in outputs.items() if texts is not None},
                bad=tuple(dict.fromkeys(token for column in marked.values() for token in column[i][1])),
                marked={space: column[i][0] for space, column in marked.items()},
            )


def _inputs(evaluation: Evaluation, at: Ints) -> dict[str, list[str]]:
    """Return the input fields of some items; tokens are joined by spaces."""
    a = evaluation.aligned
    if a.tokens is not None and a.offsets is not None:
        spans = [a.tokens[int(a.offsets[i]) : int(a.offsets[i + 1])].to_list() for i in at]
        return {"in": [" ".join(tokens) for tokens in spans]}
    return {column.name: column.gather(at).fill_null("").to_list() for column in a.fields.get_columns()}


def _bad_tokens(family: Family, population: Population, null: RankNull) -> list[str]:
    """Return the tokens of a field that go with low scores."""
    relation = family.relation.among(population.kept)
    places = np.flatnonzero(Limits(LEAST, population.size)(relation.counts))
    tests = null.tests(relation.counts[places], relation.sums(null.doubled)[places], "low")
    return family.names(places[tests.p < BAD]).str.slice(len(family.space) + 1).to_list()


class _TokenMarks:
    """Puts signs around the tokens that go with low scores."""

    def __init__(self, tokens: set[str], tokenizer: str) -> None:
        self.tokens = tokens
        self.tokenizer = tokenizer
        self.known: dict[str, tuple[str, list[str]]] = {}
        """Cache: text between spaces, with its marks."""

    @classmethod
    def of(
        cls, evaluation: Evaluation, population: Population, tokenizer: str | None, feature: str | None
    ) -> _TokenMarks:
        """Find the tokens of the input that are bad features, and those of the requested feature."""
        features = ItemFeatures.of(evaluation, FeatureSpec(tokenizer=tokenizer))
        null = RankNull.of(population.oriented)
        tokens = {token for field in features.inputs for token in _bad_tokens(field.unigrams(0), population, null)}
        for part in (feature or "").split(PAIR):
            if part.startswith("in") and ":" in part and SHAPE not in part:
                tokens |= set(part.partition(":")[2].split(GLUE))
        cut = evaluation.aligned.tokens is not None
        return cls(tokens, tokenizer or ("whitespace" if cut else "words"))

    def put(self, texts: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Return texts with their bad tokens between signs, and these tokens."""
        if not self.tokens:
            return [(text, ()) for text in texts]
        split = [SPACES.split(text) for text in texts]
        new = list(dict.fromkeys(piece for pieces in split for piece in pieces[::2] if piece not in self.known))
        tokens, starts = TOKENIZERS[self.tokenizer](pl.Series(new, dtype=pl.String))
        listed = tokens.to_list()
        for i, piece in enumerate(new):
            self.known[piece] = self._piece(piece, listed[starts[i] : starts[i + 1]])
        return [self._joined(pieces) for pieces in split]

    def _joined(self, pieces: list[str]) -> tuple[str, tuple[str, ...]]:
        """Put pieces together again; every second one is the space between them."""
        marked = [self.known[piece] for piece in pieces[::2]]
        between = [*pieces[1::2], ""]
        text = "".join(part + space for (part, _), space in zip(marked, between, strict=True))
        return text, tuple(dict.fromkeys(token for _, bad in marked for token in bad))

    def _piece(self, piece: str, tokens: list[str]) -> tuple[str, list[str]]:
        parts: list[str] = []
        bad: list[str] = []
        at = 0
        for token in tokens:
            start = piece.find(token, at)
            if start < 0 or token not in self.tokens:
                continue
            parts += [piece[at:start], LEFT, token, RIGHT]
            at = start + len(token)
            bad.append(token)
        return "".join([*parts, piece[at:]]), bad
