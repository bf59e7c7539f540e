"""Slow and obvious counterparts of ranked features: sets, loops and fractions, from section 6 of the definitions.

Scores, rank sums and exact p-values are fractions, so that what is equal is equal. What the definitions leave open is
read as the package documents it: a length is a number of tokens; an input field that has few different values is a
category too; a number is tested where two items (the minimum count, if that is more) have one, and its row describes
the quarter of the items with its largest or smallest values; pairs are made of any two features that can be tested.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
import statistics
import unicodedata
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import scipy.optimize
import scipy.special
import scipy.stats
from hypothesis import strategies as st

from slicewise import Evaluation
from slicewise.annotations import Task
from support.slow_adjusting import (
    Profile,
    Stratified,
    by_cluster,
    design_effect,
    lattice,
    strata_of,
    stratified_kendall,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from hypothesis.strategies import DrawFn, SearchStrategy

Number = Fraction | None
Sums = tuple[Fraction, ...]


class Name(NamedTuple):
    """A feature: what kind it is, and how it is called."""

    kind: str
    text: str


Found = dict[Name, set[int]]
"""The rows that have each feature."""


# ---------------------------------------------------------------------- data


@dataclass(frozen=True, kw_only=True)
class Data:
    """Items with input fields (or tokens), and the answers of gold and of systems."""

    task: Task
    fields: tuple[tuple[str, ...], ...] = ()
    """The input fields of each item."""
    sentences: tuple[tuple[str, ...], ...] = ()
    """In `spans` and `tokens`, the tokens of each item."""
    gold: tuple[Any, ...] | None = None
    systems: Mapping[str, tuple[Any, ...]]
    documents: tuple[str, ...] | None = None

    @property
    def size(self) -> int:
        return len(next(iter(self.systems.values())))

    def evaluation(self, **options: Any) -> Evaluation:
        """Return the package's view of the data."""
        gold = () if self.gold is None else self.gold
        if self.task is Task.SPANS:
            return Evaluation.from_spans(self.sentences, gold, self.systems, documents=self.documents, **options)
        if self.task is Task.TOKENS:
            return Evaluation.from_tags(
                self.sentences, gold, self.systems, documents=self.documents, task=Task.TOKENS, **options
            )
        texts = ["\t".join(item) for item in self.fields] if self.fields else None
        if self.task is Task.SCORES:
            return Evaluation.from_scores(self.systems, inputs=texts, clusters=self.documents, **options)
        if self.task is Task.TEXT:
            return Evaluation.from_texts(gold, self.systems, inputs=texts, clusters=self.documents, **options)
        return Evaluation.from_labels(
            gold, self.systems, texts=texts, clusters=self.documents, task=self.task, **options
        )

    @property
    def clusters(self) -> tuple[str, ...] | None:
        """The cluster of each item, where there are several that have several."""
        return self.documents if self.documents is not None and len(set(self.documents)) > 1 else None

    def take(self, order: Sequence[int]) -> Data:
        """Return some items, in this order."""

        def some(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(values[i] for i in order) if values else ()

        return replace(
            self,
            fields=some(self.fields),
            sentences=some(self.sentences),
            gold=None if self.gold is None else some(self.gold),
            systems={name: some(answers) for name, answers in self.systems.items()},
            documents=None if self.documents is None else some(self.documents),
        )

    def named(self, names: Mapping[str, str]) -> Data:
        """Return the data with these systems only, in this order and under these names."""
        return replace(self, systems={new: self.systems[old] for old, new in names.items()})


def units_of(data: Data, answers: Sequence[Any]) -> list[set[tuple[int, int, str]]]:
    """Return the (start, end, label) of each item; what has no place stands at 0."""
    if data.task is Task.SPANS:
        return [{(start, end, label) for start, end, label in answer} for answer in answers]
    if data.task is Task.TOKENS:
        return [{(at, at + 1, tag) for at, tag in enumerate(answer) if tag != "O"} for answer in answers]
    if data.task is Task.MULTILABEL:
        return [{(0, 0, label) for label in answer} for answer in answers]
    return [{(0, 0, answer)} for answer in answers]


# ---------------------------------------------------------------------- features of a text

WORD = re.compile(r"\w+(?:(?<=[^\W\d_])['’](?=[^\W\d_])\w+)*|\S")
TOKENIZERS: dict[str, Callable[[str], list[str]]] = {"words": WORD.findall, "whitespace": str.split}


def shape(token: str) -> str:
    """Return A for upper, a for lower, 9 for digits, ( for brackets, . for other punctuation, # for the rest."""
    signs: list[str] = []
    for character in token:
        category = unicodedata.category(character)
        sign = {"Lu": "A", "Lt": "A", "Ll": "a", "Nd": "9", "Ps": "(", "Pe": "("}.get(
            category, "." if category[0] == "P" else "#"
        )
        if sign != "9" and signs and signs[-1].rstrip("+") == sign:
            signs[-1] = sign + "+"
        else:
            signs.append(sign)
    return "".join(signs)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Options, as `slicewise.features` has them."""

    ngrams: int = 1
    shapes: bool = False
    pairs: bool = False
    numbers: bool = False
    tokenizer: str | None = None
    min_count: int = 5
    min_pair_count: int | None = None
    adjust: tuple[str, ...] | None = ()
    """None: for length."""

    def options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def token_features(space: str, rows: Sequence[Sequence[str]], asked: Asked, *, shapes: bool) -> Found:
    """Return tokens, runs of adjacent tokens, and shapes, each once per row."""
    found: Found = {}
    for i, tokens in enumerate(rows):
        names = {Name("token", token) for token in tokens}
        for n in range(2, asked.ngrams + 1):
            runs = ("++".join(tokens[at : at + n]) for at in range(len(tokens) - n + 1))
            names |= {Name("bigram" if n == 2 else "ngram", run) for run in runs}
        if shapes:
            names |= {Name("shape", f"SHAPE:{shape(token)}") for token in tokens}
        for kind, text in names:
            found.setdefault(Name(kind, f"{space}:{text}"), set()).add(i)
    return found


def values_as_features(kind: str, prefix: str, values: Iterable[str]) -> Found:
    found: Found = {}
    for i, value in enumerate(values):
        if value:
            found.setdefault(Name(kind, prefix + value), set()).add(i)
    return found


def input_texts(data: Data, system: str) -> dict[str, list[str]]:
    """Return running text by namespace: the input, and what was expected and returned where that is text."""
    width = max(map(len, data.fields), default=0)
    names = ["in"] if width == 1 else [f"in<{k + 1}>" for k in range(width)]
    found = {name: [item[k] if k < len(item) else "" for item in data.fields] for k, name in enumerate(names)}
    if data.task is Task.TEXT and data.gold is not None:
        found |= {"exp": list(data.gold), "out": list(data.systems[system])}
    return found


def item_features(data: Data, system: str, asked: Asked) -> Found:
    """Return all features that items have or have not."""
    found: Found = {}
    cut = TOKENIZERS[asked.tokenizer or "words"]
    for space, texts in input_texts(data, system).items():
        found |= token_features(space, [cut(text) for text in texts], asked, shapes=asked.shapes)
        if space.startswith("in"):
            found |= values_as_features("category", f"{space} = ", texts)
    if data.sentences:
        again = TOKENIZERS[asked.tokenizer] if asked.tokenizer else lambda token: [token]
        sentences = [[part for token in sentence for part in again(token)] for sentence in data.sentences]
        found |= token_features("in", sentences, asked, shapes=asked.shapes)
    if data.task not in (Task.TEXT, Task.SCORES) and data.gold is not None:
        for space, answers in (("exp", data.gold), ("out", data.systems[system])):
            for i, units in enumerate(units_of(data, answers)):
                for _, _, label in units:
                    found.setdefault(Name("label", f"{space}:{label}"), set()).add(i)
    return found


def item_numbers(data: Data, system: str, asked: Asked) -> dict[Name, list[Number]]:
    """Return the numbers that items have: a field's value where every item that has one has a number, or its length."""
    if not asked.numbers:
        return {}
    found: dict[Name, list[Number]] = {}
    cut = TOKENIZERS[asked.tokenizer or "words"]
    for space, texts in input_texts(data, system).items():
        values = [number(text) if text else None for text in texts]
        if any(texts) and all(value is not None for value, text in zip(values, texts, strict=True) if text):
            found[Name("number", f"{space} value")] = values
        else:
            found[Name("length", f"{space} length")] = [Fraction(len(cut(text))) for text in texts]
    if data.sentences:
        again = TOKENIZERS[asked.tokenizer] if asked.tokenizer else lambda token: [token]
        found[Name("length", "in length")] = [
            Fraction(sum(len(again(token)) for token in sentence)) for sentence in data.sentences
        ]
    return found


def item_lengths(data: Data, asked: Asked) -> list[int] | None:
    """Return how many tokens the input of each item has; None where there is none, or it is not adjusted for."""
    if asked.adjust is not None or not (data.fields or data.sentences):
        return None
    if data.sentences:
        again = TOKENIZERS[asked.tokenizer] if asked.tokenizer else lambda token: [token]
        return [sum(len(again(token)) for token in sentence) for sentence in data.sentences]
    cut = TOKENIZERS[asked.tokenizer or "words"]
    return [sum(len(cut(text)) for text in item) for item in data.fields]


def number(text: str) -> Number:
    try:
        value = float(text)
    except ValueError:
        return None
    return Fraction(value) if math.isfinite(value) else None


def confusions(data: Data, system: str) -> Found:
    """Return what was expected and what was returned instead."""
    found: Found = {}
    for i, (gold, out) in enumerate(zip(data.gold or (), data.systems[system], strict=True)):
        if gold != out:
            found.setdefault(Name("confusion", f"exp {gold} ~ out {out}"), set()).add(i)
    return found


# ---------------------------------------------------------------------- metrics


@dataclass(frozen=True)
class Metric:
    """Additive statistics of an item, and a finish on their sum."""

    statistics: Callable[[Any, Any], Sums]
    finish: Callable[[Sums], Number]
    item: Callable[[Sums], Number]
    lower: bool = False


def ratio(sums: Sums) -> Number:
    return sums[0] / sums[1] if sums[1] else None


def rate(sums: Sums) -> Number:
    return Fraction(1) if sums[0] and not sums[1] else ratio(sums)


def f1(sums: Sums) -> Number:
    return None if not any(sums) else 2 * sums[0] / (sums[1] + sums[2])


def edits(expected: Sequence[str], returned: Sequence[str]) -> int:
    """Return the fewest insertions, deletions and replacements."""
    before = list(range(len(returned) + 1))
    for i, a in enumerate(expected, 1):
        row = [i]
        for j, b in enumerate(returned, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
        before = row
    return before[-1]


def counts(gold: Any, out: Any) -> Sums:
    both = len(set(gold) & set(out))
    return Fraction(both), Fraction(len(set(out))), Fraction(len(set(gold)))


METRICS = {
    "accuracy": Metric(lambda gold, out: (Fraction(gold == out), Fraction(1)), ratio, ratio),
    "exact-match": Metric(lambda gold, out: (Fraction(gold == out), Fraction(1)), ratio, ratio),
    "mean": Metric(lambda _, out: (Fraction(out), Fraction(1)), ratio, ratio),
    "wer": Metric(
        lambda gold, out: (Fraction(edits(gold.split(), out.split())), Fraction(len(gold.split()))),
        rate,
        lambda sums: rate(sums) if any(sums) else Fraction(0),
        lower=True,
    ),
    "f1": Metric(counts, f1, lambda sums: f1(sums) if any(sums) else Fraction(1)),
}


# ---------------------------------------------------------------------- what is ranked


@dataclass(frozen=True)
class Rows:
    """Rows with a score each, of all that there are."""

    kept: list[int]
    scores: list[Fraction]
    statistics: list[Sums]
    finish: Callable[[Sums], Number]
    lower: bool = False

    @property
    def size(self) -> int:
        return len(self.kept)

    def value(self, some: Iterable[int]) -> Number:
        """Return the metric of some rows."""
        own = [self.statistics[i] for i in some]
        return self.finish(tuple(map(sum, zip(*own, strict=True)))) if own else self.finish(self.nothing)  # type: ignore[arg-type]

    @property
    def nothing(self) -> Sums:
        return tuple(Fraction(0) for _ in self.statistics[0])

    def among(self, found: Found) -> Found:
        """Return features over the rows that are kept, numbered anew."""
        place = {row: i for i, row in enumerate(self.kept)}
        return {name: {place[row] for row in rows if row in place} for name, rows in found.items()}


def item_rows(data: Data, system: str, name: str) -> Rows:
    metric = METRICS[name]
    gold = data.gold or (None,) * data.size
    statistics = [metric.statistics(g, out) for g, out in zip(gold, data.systems[system], strict=True)]
    return _kept([metric.item(own) for own in statistics], statistics, metric.finish, metric.lower)


def change_rows(data: Data, old: str, new: str, name: str, *, by_ratio: bool = False) -> Rows:
    """Return the items with δ = ζ_new − ζ_old, or with the ratio of the two."""
    metric = METRICS[name]
    gold = data.gold or (None,) * data.size
    after = [metric.statistics(g, out) for g, out in zip(gold, data.systems[new], strict=True)]
    before = [metric.statistics(g, out) for g, out in zip(gold, data.systems[old], strict=True)]
    k = len(after[0])

    def step(b: Number, a: Number) -> Number:
        if a is None or b is None or (by_ratio and a == 0):
            return None
        return b / a if by_ratio else b - a

    return _kept(
        [step(metric.item(b), metric.item(a)) for b, a in zip(after, before, strict=True)],
        [b + a for b, a in zip(after, before, strict=True)],
        lambda sums: step(metric.finish(sums[:k]), metric.finish(sums[k:])),
        metric.lower,
    )


def _kept(scores: Sequence[Number], statistics: list[Sums], finish: Callable[[Sums], Number], lower: bool) -> Rows:
    there = [i for i, score in enumerate(scores) if score is not None]
    found = [score for score in scores if score is not None]
    return Rows(there, found, [statistics[i] for i in there], finish, lower)


# ---------------------------------------------------------------------- tests


@dataclass(frozen=True)
class Row:
    """What is said of a feature."""

    name: Name
    rows: frozenset[int]
    mean: Fraction
    rest_mean: Number
    metric: Number
    rest_metric: Number
    raw_expected_improvement: Number
    auc: float | None
    z: float | None
    p: Fraction | float
    method: str
    difference: Number = None
    raw_p: Fraction | float = 1.0
    chi2: float | None = None
    tau: float | None = None
    q: float | None = None

    @property
    def n(self) -> int:
        return len(self.rows)


def ranks(values: Sequence[Fraction]) -> list[Fraction]:
    """Return ranks from 1 for the lowest, ties averaged."""
    return [
        Fraction(sum(other < value for other in values) * 2 + sum(other == value for other in values) + 1, 2)
        for value in values
    ]


@dataclass
class Ranker:
    """Tests features over the same rows."""

    over: Rows
    high: bool = False
    strata: Sequence[int] | None = None
    """Of each row; None: nothing is adjusted for."""
    clusters: Sequence[Any] | None = None
    """Of each row; None: each is one of its own."""
    ranks: list[Fraction] = field(init=False)
    _null: dict[int, Counter[int]] = field(default_factory=dict)
    _profiles: dict[bool, Profile] = field(default_factory=dict)
    _stratified: Stratified | None = None

    def __post_init__(self) -> None:
        scores = self.over.scores
        self.ranks = ranks([-score for score in scores] if self.over.lower else scores)

    def row(self, name: Name, rows: Iterable[int], below: float | Fraction = math.inf, **more: Any) -> Row:
        """Return what is said of a feature; p is corrected for clusters where it is below something."""
        over, own = self.over, frozenset(rows)
        rest = set(range(over.size)) - own
        total, without = over.value(range(over.size)), over.value(rest)
        gained = None if total is None or without is None else without - total
        tested = self.corrected(own, below) if not more else {}
        return Row(
            name=name,
            rows=own,
            mean=mean(over.scores[i] for i in own) or Fraction(0),
            rest_mean=mean(over.scores[i] for i in rest),
            metric=over.value(own),
            rest_metric=without,
            raw_expected_improvement=None if gained is None else -gained if over.lower else gained,
            **({"difference": self.difference(own)} | tested | {"auc": self.auc(own)} | more),
        )

    def difference(self, own: frozenset[int], *, adjusted: bool = True) -> Number:
        """Return the difference of means within strata, weighted as Mantel and Haenszel do."""
        strata = self.strata if self.strata is not None and adjusted else [0] * self.over.size
        total, weights = Fraction(0), Fraction(0)
        for k in set(strata):
            rows = {i for i, s in enumerate(strata) if s == k}
            with_it, without = ([self.over.scores[i] for i in some] for some in (rows & own, rows - own))
            weight = Fraction(len(with_it) * len(without), len(rows))
            weights += weight
            total += weight * ((mean(with_it) or 0) - (mean(without) or 0)) if weight else 0
        return total / weights if weights else None

    def corrected(self, own: frozenset[int], below: float | Fraction) -> dict[str, Any]:
        """Return the test of a feature, within strata and by cluster; and p without strata."""
        plain = self.tested(own)
        if self.strata is None:
            tested = plain
        else:
            chi2 = {"chi2": plain["chi2"]} if "chi2" in plain else {}
            self._stratified = self._stratified or Stratified(self.ranks, self.strata, self.high)
            tested = self._stratified.tested(own) | chi2
        p, raw = tested["p"], plain["p"]
        if self.clusters is not None:
            p = by_cluster(p, lambda: self.profile(self.strata).ratio(own)) if p < below else p
            raw = by_cluster(raw, lambda: self.profile(None).ratio(own))
        together = ", by cluster" if p != tested["p"] else ""
        method = None if tested["method"] is None else tested["method"] + together
        return tested | {"p": p, "raw_p": raw, "method": method}

    def profile(self, strata: Sequence[int] | None) -> Profile:
        """Return what is known of the clusters."""
        adjusted = strata is not None
        if adjusted not in self._profiles:
            centred = Stratified(self.ranks, strata or [0] * self.over.size, self.high).centred
            values = [float(-c if self.high else c) for c in centred]
            self._profiles[adjusted] = Profile(values, self.clusters or (), lattice(self.ranks))
        return self._profiles[adjusted]

    def u(self, own: frozenset[int]) -> Fraction:
        return sum((self.ranks[i] for i in own), Fraction(0)) - Fraction(len(own) * (len(own) + 1), 2)

    def auc(self, own: frozenset[int]) -> float | None:
        pairs = len(own) * (self.over.size - len(own))
        return float(self.u(own) / pairs) if pairs else None

    def tested(self, own: frozenset[int]) -> dict[str, Any]:
        """Return z, p, its method and χ²."""
        n, n1 = self.over.size, len(own)
        n2 = n - n1
        groups = Counter(self.ranks).values()
        if not n2 or len(groups) == 1:
            return {"z": None, "p": Fraction(1), "method": None}
        ties = Fraction(sum(t**3 - t for t in groups), n * (n - 1))
        variance = Fraction(n1 * n2, 12) * (n + 1 - ties)
        z = float(self.u(own) - Fraction(n1 * n2, 2)) / math.sqrt(variance)
        if len(groups) == 2:
            return {"z": z, "p": self.hypergeometric(own), "method": "hypergeometric", "chi2": self.chi2(own)}
        if min(n1, n2) < 50:
            return {"z": z, "p": self.counted(own), "method": "counted"}
        if 5 * max(groups) >= n:
            return {"z": z, "p": self.modal(own), "method": "modal"}
        return {"z": z, "p": self.saddlepoint(own), "method": "saddlepoint"}

    def modal(self, own: frozenset[int]) -> float:
        """Return the tail given how many items are below and above the most frequent score, normal given these."""
        ranks = [-rank for rank in self.ranks] if self.high else self.ranks
        observed, k = float(sum(ranks[i] for i in own)), len(own)
        mode = max(Counter(ranks), key=Counter(ranks).__getitem__)
        below, above = ([float(r) for r in ranks if compare(r, mode)] for compare in (operator.lt, operator.gt))
        n_mode = len(ranks) - len(below) - len(above)
        p = 0.0
        for a, b in itertools.product(range(len(below) + 1), range(len(above) + 1)):
            ways = math.comb(len(below), a) * math.comb(len(above), b)
            ways *= math.comb(n_mode, k - a - b) if k >= a + b else 0
            mean, variance = (k - a - b) * float(mode), 0.0
            for chosen, side in ((a, below), (b, above)):
                mean += chosen * statistics.fmean(side) if side else 0.0
                variance += chosen * statistics.variance(side) * (1 - chosen / len(side)) if len(side) > 1 else 0.0
            share = scipy.stats.norm.cdf((observed - mean) / math.sqrt(variance)) if variance > 1e-9 else None
            p += float(Fraction(ways, math.comb(len(ranks), k))) * (observed >= mean - 1e-9 if share is None else share)
        return float(p)

    def saddlepoint(self, own: frozenset[int]) -> float:
        """Return the double saddlepoint approximation of the tail, solved by scipy."""
        ranks = np.array([float(-rank if self.high else rank) for rank in self.ranks])
        values, k = (ranks - ranks.mean()) / ranks.std(), len(own)
        distinct = sorted({int(2 * rank) for rank in ranks})
        step = math.gcd(*(b - a for a, b in itertools.pairwise(distinct))) / 2 / ranks.std()
        observed = float(values[list(own)].sum()) + step / 2
        base = math.log(k / (len(ranks) - k))

        def gradient(tilt: Any) -> list[float]:
            share = scipy.special.expit(base + tilt[0] + tilt[1] * values)
            return [share.sum() - k, (share * values).sum() - observed]

        s, t = scipy.optimize.root(gradient, [0.0, 0.0], tol=1e-13).x
        share = scipy.special.expit(base + s + t * values)
        v = share * (1 - share)
        determinant = v.sum() * (v * values**2).sum() - (v * values).sum() ** 2
        cumulant = (np.logaddexp(0, base + s + t * values) - np.logaddexp(0, base)).sum()
        w = math.copysign(math.sqrt(2 * (s * k + t * observed - cumulant)), t)
        u = 2 * math.sinh(t * step / 2) / step * math.sqrt(determinant / (k * (1 - k / len(ranks))))
        return float(scipy.stats.norm.cdf(w + math.log(u / w) / w))

    def hypergeometric(self, own: frozenset[int]) -> Fraction:
        """Return P(X ≤ x), X ~ Hypergeometric(n, successes, n1); in the other tail, P(X ≥ x)."""
        best = max(self.ranks)
        n, n1, successes = self.over.size, len(own), self.ranks.count(best)
        x = sum(self.ranks[i] == best for i in own)
        some = range(x, n1 + 1) if self.high else range(x + 1)
        ways = sum(math.comb(successes, k) * math.comb(n - successes, n1 - k) for k in some)
        return Fraction(ways, math.comb(n, n1))

    def chi2(self, own: frozenset[int]) -> float:
        """Return χ² of the 2×2 table, not corrected."""
        best = max(self.ranks)
        table = [[0, 0], [0, 0]]
        for i, rank in enumerate(self.ranks):
            table[i in own][rank == best] += 1
        return float(scipy.stats.chi2_contingency(table, correction=False).statistic)

    def counted(self, own: frozenset[int]) -> Fraction:
        """Return the share of all ways to pick n1 of the items whose rank sum is at most (at least) as large."""
        total, observed = (int(2 * sum(self.ranks[i] for i in some)) for some in (range(self.over.size), own))
        sums, high = self.null(min(len(own), self.over.size - len(own))), self.high
        if len(own) > self.over.size - len(own):  # as many ways to pick the others
            observed, high = total - observed, not high
        as_extreme = sum(ways for s, ways in sums.items() if (s >= observed if high else s <= observed))
        return Fraction(as_extreme, math.comb(self.over.size, len(own)))

    def null(self, picked: int) -> Counter[int]:
        """Return in how many ways so many items have each sum of doubled ranks: none of a rank, one, two …"""
        if picked not in self._null:
            found = {(0, 0): 1}
            for rank, size in Counter(int(2 * rank) for rank in self.ranks).items():
                before, found = found, {}
                for (k, s), ways in before.items():
                    for more in range(min(size, picked - k) + 1):
                        key = k + more, s + more * rank
                        found[key] = found.get(key, 0) + ways * math.comb(size, more)
            self._null[picked] = Counter({s: ways for (k, s), ways in found.items() if k == picked})
        return self._null[picked]

    def number(self, name: Name, values: Sequence[Number], least: int) -> list[Row]:
        """Return a number as two features, large and small, each one-sided."""
        there = [(value, i) for i, value in enumerate(values) if value is not None]
        numbers, own_ranks = [value for value, _ in there], [self.ranks[i] for _, i in there]
        if len(there) < max(2, least) or len(set(numbers)) == 1 or len(set(own_ranks)) == 1:
            return []
        adjusted = self.strata is not None and name.kind != "length"
        raw_effect = self.design_effect(there, None)
        effect = self.design_effect(there, self.strata) if adjusted else raw_effect
        found = []
        for word, sign in (("large", 1), ("small", -1)):
            signed = [float(sign * value) for value in numbers]
            side: Literal["less", "greater"] = "greater" if self.high else "less"
            tau, raw_p = kendall(signed, [float(rank) for rank in own_ranks], side)
            z = float(scipy.stats.norm.isf(raw_p) if self.high else scipy.stats.norm.ppf(raw_p)) / math.sqrt(raw_effect)
            raw_p = float(scipy.stats.norm.cdf(-z if self.high else z))
            if adjusted and self.strata is not None:
                pairs = [
                    (value, float(self.ranks[i]), self.strata[i]) for (_, i), value in zip(there, signed, strict=True)
                ]
                within = stratified_kendall(pairs, 1)
                if within is None:
                    return []
                tau, z = within[0], within[1] / math.sqrt(effect)
            p = float(scipy.stats.norm.cdf(-z if self.high else z))
            quarter = sorted(signed)[-max(1, len(there) // 4)]
            rows = [i for (_, i), value in zip(there, signed, strict=True) if value >= quarter]
            method = "kendall, by cluster" if effect > 1 else "kendall"
            difference = self.difference(frozenset(rows), adjusted=adjusted)
            more: dict[str, Any] = {
                "z": z,
                "p": p,
                "raw_p": raw_p,
                "method": method,
                "tau": sign * tau,
                "difference": difference,
            }
            found.append(self.row(Name(name.kind, f"{name.text} {word}"), rows, **more))
        return found

    def design_effect(self, there: Sequence[tuple[Fraction, int]], of_rows: Sequence[int] | None) -> float:
        """Return how many times the variance of a number's agreement is that of independent rows."""
        if self.clusters is None:
            return 1.0
        values, rows = [float(value) for value, _ in there], [i for _, i in there]
        strata = [0 if of_rows is None else of_rows[i] for i in rows]
        return design_effect(values, [float(self.ranks[i]) for i in rows], strata, [self.clusters[i] for i in rows])


def kendall(
    values: Sequence[float], ranks: Sequence[float], alternative: Literal["less", "greater"]
) -> tuple[float, float]:
    """Return τ_b and its one-sided normal p; scipy divides by n − 2, so that two items are done by hand: S/σ = ±1."""
    if len(values) == 2:
        tau = math.copysign(1.0, (values[1] - values[0]) * (ranks[1] - ranks[0]))
        return tau, float(scipy.stats.norm.cdf(-tau if alternative == "greater" else tau))
    test = scipy.stats.kendalltau(values, ranks, method="asymptotic", alternative=alternative)
    return float(test.statistic), float(test.pvalue)


def mean(values: Iterable[Fraction]) -> Number:
    every = list(values)
    return sum(every, Fraction(0)) / len(every) if every else None


# ---------------------------------------------------------------------- lists


@dataclass(frozen=True)
class Ranked:
    """What was tested, and what is listed, by name."""

    over: Rows
    tested: list[float]
    listed: dict[Name, Row]
    unsure: set[Name]
    """Pairs whose p is nearly that of a part, though they have other rows: rounding may decide whether it is less."""


def enough(rows: set[int], size: int, least: int) -> bool:
    return len(rows) >= least and size - len(rows) >= least


def ranked(
    over: Rows,
    found: Found,
    numbers: Mapping[Name, Sequence[Number]],
    asked: Asked,
    *,
    high: bool,
    lengths: Sequence[int] | None = None,
    clusters: Sequence[Any] | None = None,
) -> Ranked:
    """Test every feature, list those that may be, and correct p over all that was tested.

    `lengths`: of all rows, where there are some that are adjusted for; `clusters`: where several rows share one.
    """
    strata = None if lengths is None else strata_of([lengths[i] for i in over.kept])
    ranker = Ranker(over, high, strata, None if clusters is None else [clusters[i] for i in over.kept])
    single = [
        ranker.row(name, rows)
        for name, rows in over.among(found).items()
        if enough(rows, over.size, max(1, asked.min_count))
    ]
    listed = list(single)
    for name, values in numbers.items():
        listed += ranker.number(name, [values[i] for i in over.kept], asked.min_count)
    tested = list(listed)
    unsure: set[Name] = set()
    if asked.pairs:
        least = asked.min_count if asked.min_pair_count is None else asked.min_pair_count
        for a, b in itertools.combinations([row for row in single if row.n >= least], 2):
            if (a.name.kind, b.name.kind) == ("label", "label") and a.name.text[:4] != b.name.text[:4]:
                continue  # expected and returned: a confusion
            both = a.rows & b.rows
            if not enough(set(both), over.size, max(1, least)):
                continue
            pair = ranker.row(pair_name(a.name.text, b.name.text), both, below=min(a.p, b.p))
            tested.append(pair)
            same_rows = pair.rows in (a.rows, b.rows)
            if pair.p < min(a.p, b.p) and not same_rows:
                listed.append(pair)
            tolerance = 1e-9 if clusters is None else 1e-4
            if any(math.isclose(pair.p, part.p, rel_tol=tolerance) and pair.rows != part.rows for part in (a, b)):
                unsure.add(pair.name)
    p = [float(row.p) for row in tested]
    q: Sequence[float] = scipy.stats.false_discovery_control(p).tolist() if p else []
    corrected = {row.name: float(value) for row, value in zip(tested, q, strict=True)}
    return Ranked(over, p, {row.name: replace(row, q=corrected[row.name]) for row in listed}, unsure)


def pair_name(*parts: str) -> Name:
    """Return the name of a pair; which part comes first is not looked at."""
    return Name("pair", "~~".join(sorted(parts)))


def folded(rows: Sequence[tuple[Name, frozenset[int]]]) -> list[tuple[Name, list[Name]]]:
    """Return the features of a list, strongest first, each with the later ones that have (nearly) the same rows."""
    shown: list[tuple[Name, frozenset[int], list[Name]]] = []
    for name, own in rows:
        for _, others, below in shown:
            if Fraction(len(own & others), len(own | others)) >= Fraction(9, 10):
                below.append(name)
                break
        else:
            shown.append((name, own, []))
    return [(name, below) for name, _, below in shown]


# ---------------------------------------------------------------------- units


@dataclass(frozen=True)
class UnitData:
    """The units of gold or of a system, with who has them and where they are."""

    places: list[tuple[int, int, int, str]]
    """Item, start, end, label; sorted."""
    right: list[bool]


def unit_data(data: Data, system: str, over: str) -> UnitData:
    """Return gold units with whether a system found them, or its own with whether they are right."""
    gold, own = (
        {(i, *unit) for i, units in enumerate(units_of(data, answers)) for unit in units}
        for answers in (data.gold or (), data.systems[system])
    )
    some, other = (gold, own) if over == "gold" else (own, gold)
    places = sorted(some)
    return UnitData(places, [place in other for place in places])


def unit_rows(right: Sequence[Fraction]) -> Rows:
    return Rows(list(range(len(right))), list(right), [(score, Fraction(1)) for score in right], ratio)


def unit_features(data: Data, places: Sequence[tuple[int, int, int, str]], asked: Asked) -> Found:
    """Return labels; of spans and tokens also their words, shapes and neighbours; and the words of the item."""
    found = values_as_features("label", "label:", [label for *_, label in places])
    if data.task not in (Task.SPANS, Task.TOKENS):
        cut = TOKENIZERS[asked.tokenizer or "words"]
        for k, column in enumerate(zip(*(data.fields or ()), strict=True), 1):
            space = "in" if len((data.fields or ((),))[0]) == 1 else f"in<{k}>"
            texts = [cut(column[i]) for i, *_ in places]
            found |= token_features(space, texts, asked, shapes=asked.shapes)
        return found
    if data.sentences:
        sentences: list[list[str]] = [list(sentence) for sentence in data.sentences]
    elif data.fields:
        sentences = [WORD.findall(" ".join(item)) for item in data.fields]
    else:
        return found
    found |= token_features("in", [sentences[i] for i, *_ in places], asked, shapes=asked.shapes)
    own = "span" if data.task is Task.SPANS else "token"
    found |= token_features(own, [sentences[i][start:end] for i, start, end, _ in places], asked, shapes=True)
    if data.task is Task.SPANS:
        surface = [" ".join(sentences[i][start:end]) for i, start, end, _ in places]
        found |= values_as_features("category", "span = ", surface)
    left = [sentences[i][:start][-1:] for i, start, _, _ in places]
    right = [sentences[i][end:][:1] for i, _, end, _ in places]
    for space, near in (("left", left), ("right", right)):
        found |= token_features(space, near, Asked(), shapes=False)
        edges = ["" if tokens else "edge of the text" for tokens in near]
        found |= values_as_features("category", f"{space} = ", edges)
    return found


# ---------------------------------------------------------------------- random data

LABELS = ("A", "B", "C-D")
WORDS = ("a", "a", "a", "b", "b", "Ab", "don't", "12.5", "(x)", "É", "end.", "7", "走")
NUMBERS = ("1", "2", "2", "2.5", "-3", "1e3", "")


@st.composite
def asked(draw: DrawFn, pairs: bool = False, adjust: tuple[str, ...] | None = ()) -> Asked:
    return Asked(
        adjust=adjust,
        ngrams=draw(st.integers(1, 3)),
        shapes=draw(st.booleans()),
        pairs=pairs and draw(st.booleans()),
        numbers=draw(st.booleans()),
        tokenizer=draw(st.sampled_from([None, "words", "whitespace"])),
        min_count=draw(st.sampled_from([1, 2, 3, 5])),
        min_pair_count=draw(st.sampled_from([None, None, 1, 2, 4])),
    )


@st.composite
def fields(draw: DrawFn, n: int) -> tuple[tuple[str, ...], ...]:
    """One text per item, or a text and a number."""
    longest = draw(st.sampled_from([2, 4]))
    text = st.lists(st.sampled_from(WORDS), max_size=longest).map(" ".join)
    texts = draw(st.lists(text, min_size=n, max_size=n))
    if draw(st.booleans()):
        return tuple((own,) for own in texts)
    numbers = draw(st.lists(st.sampled_from(NUMBERS), min_size=n, max_size=n))
    return tuple(zip(texts, numbers, strict=True))


def sizes(draw: DrawFn, *, many: bool = False) -> int:
    """Few items, whose tests can be counted out, or enough for several strata."""
    return draw(st.integers(22, 48) if many else st.integers(4, 20))


def marked(draw: DrawFn, n: int) -> tuple[str, ...]:
    """Documents of a few items each, which need not lie together."""
    return tuple(draw(st.lists(st.sampled_from("qrstuvwxyz"), min_size=n, max_size=n)))


@st.composite
def labelled(draw: DrawFn, *, many: bool = False, documents: bool = False) -> Data:
    n = sizes(draw, many=many)
    answers = st.lists(st.sampled_from(LABELS), min_size=n, max_size=n).map(tuple)
    return Data(
        task=Task.LABELS,
        fields=draw(fields(n)),
        gold=draw(answers),
        systems={"one": draw(answers), "b b": draw(answers)},
        documents=marked(draw, n) if documents else None,
    )


@st.composite
def scored(draw: DrawFn, *, many: bool = False, documents: bool = False) -> Data:
    """Scores are halves and quarters, so that differences and means are exact."""
    n = sizes(draw, many=many)
    score = st.integers(-1, draw(st.sampled_from([1, 4, 40]))).map(lambda k: k / 4)
    answers = st.lists(score, min_size=n, max_size=n).map(tuple)
    systems = {"one": draw(answers), "b b": draw(answers)}
    return Data(
        task=Task.SCORES,
        fields=draw(fields(n)),
        systems=systems,
        documents=marked(draw, n) if documents else None,
    )


@st.composite
def texts(draw: DrawFn) -> Data:
    n = sizes(draw)
    text = st.lists(st.sampled_from(("a", "b", "Cd", "9", "don't")), max_size=4).map(" ".join)
    gold = tuple(draw(st.lists(text, min_size=n, max_size=n)))
    systems = {}
    for name in ("one", "b b"):
        right = draw(st.lists(st.booleans(), min_size=n, max_size=n))
        systems[name] = tuple(g if ok else draw(text) for g, ok in zip(gold, right, strict=True))
    return Data(task=Task.TEXT, fields=draw(fields(n)) if draw(st.booleans()) else (), gold=gold, systems=systems)


@st.composite
def spans(draw: DrawFn, documents: bool = False, *, many: bool = False) -> Data:
    n = draw(st.integers(20, 30) if many else st.integers(3, 12))
    word = st.sampled_from(("a", "a", "b", "Ab", "12.5", "(x)", "of"))
    sentences = tuple(draw(st.lists(st.lists(word, min_size=1, max_size=5).map(tuple), min_size=n, max_size=n)))

    def answers(sentence: Sequence[str]) -> SearchStrategy[tuple[tuple[int, int, str], ...]]:
        place = st.tuples(st.integers(0, len(sentence) - 1), st.integers(1, 2), st.sampled_from(LABELS))
        span = place.map(lambda p: (p[0], min(p[0] + p[1], len(sentence)), p[2]))
        return st.lists(span, max_size=3, unique=True).map(tuple)

    gold = tuple(draw(answers(sentence)) for sentence in sentences)
    systems = {}
    for name in ("one", "b b"):
        right = draw(st.lists(st.booleans(), min_size=n, max_size=n))
        systems[name] = tuple(g if ok else draw(answers(s)) for g, ok, s in zip(gold, right, sentences, strict=True))
    of_items = tuple(draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))) if documents else None
    return Data(task=Task.SPANS, sentences=sentences, gold=gold, systems=systems, documents=of_items)


@st.composite
def tagged(draw: DrawFn) -> Data:
    n = draw(st.integers(3, 10))
    word = st.sampled_from(("a", "a", "b", "Ab", "12.5"))
    sentences = tuple(draw(st.lists(st.lists(word, min_size=1, max_size=4).map(tuple), min_size=n, max_size=n)))
    tag = st.sampled_from(("O", "A", "B-C"))
    gold, one = (tuple(tuple(draw(tag) for _ in s) for s in sentences) for _ in range(2))
    return Data(task=Task.TOKENS, sentences=sentences, gold=gold, systems={"one": one})


@st.composite
def multilabelled(draw: DrawFn) -> Data:
    n = draw(st.integers(4, 12))
    answers = st.lists(st.lists(st.sampled_from(LABELS), max_size=3, unique=True).map(tuple), min_size=n, max_size=n)
    gold, one = (tuple(draw(answers)) for _ in range(2))
    return Data(task=Task.MULTILABEL, fields=draw(fields(n)), gold=gold, systems={"one": one})
