"""Slow and obvious counterparts of complementarity and difficulty: sets and loops, from the definitions.

Rates are fractions, so that the identities hold exactly. Only sets of units are compared: where items carry a score, an
item is the unit, all items are gold, and a system has those that it gets right.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hypothesis import strategies as st

from slicewise.annotations import Task
from support.slow_buckets import Counts, Data, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from hypothesis.strategies import DrawFn, SearchStrategy

    from slicewise import Evaluation

Units = frozenset[Unit]
Number = Fraction | None


# ---------------------------------------------------------------------- data


@dataclass(frozen=True)
class Case:
    """Data, and when an item with a score counts as found."""

    data: Data
    threshold: float | None = None
    """None: scores are 0 or 1, and 1 is found."""
    negative: str | None = None
    """A label of `labels` that makes no unit."""

    @property
    def task(self) -> Task:
        return self.data.task

    def evaluation(self) -> Evaluation:
        """Return the package's view of the data."""
        return self.data.evaluation(negative_label=self.negative)

    def options(self) -> dict[str, Any]:
        """Return what `complement` and `difficulty` are to be told."""
        return {"threshold": self.threshold, "metrics": ["exact-match"] if self.task is Task.TEXT else ()}

    def take(self, order: Sequence[int]) -> Case:
        """Return some items, in this order."""
        return replace(self, data=self.data.take(order))

    def named(self, names: Mapping[str, str]) -> Case:
        """Return the case with these systems only, in this order and under these names."""
        return replace(self, data=self.data.named(names))

    @cached_property
    def outcomes(self) -> Outcomes:
        """Who has which units."""
        data = self.data
        if not self.task.has_units:
            return Outcomes(
                gold=frozenset(Unit(i, 0, 0, "") for i in range(len(data.items))),
                returned={name: self._found(answers) for name, answers in data.systems.items()},
                over="items",
                misses_only=True,
            )
        return Outcomes(
            gold=self._units(data.gold or ()),
            returned={name: self._units(answers) for name, answers in data.systems.items()},
            over="items" if self.task is Task.LABELS else "units",
        )

    def _found(self, answers: Sequence[Any]) -> Units:
        if self.task is Task.TEXT:
            right = [answer == gold for answer, gold in zip(answers, self.data.gold or (), strict=True)]
        elif self.threshold is None:
            right = [score == 1 for score in answers]
        else:
            right = [score >= self.threshold for score in answers]
        return frozenset(Unit(i, 0, 0, "") for i, ok in enumerate(right) if ok)

    def _units(self, answers: Sequence[Any]) -> Units:
        """Return the units of some answers; an item that is not answered has none."""
        if self.task is Task.LABELS:
            answers = [(answer,) if answer else () for answer in answers]
        return frozenset(unit for unit in self.data.units_of(answers) if unit.label != self.negative)

    @property
    def true_negatives(self) -> int:
        """The number of tokens that neither gold nor any system marks."""
        if self.task is not Task.TOKENS:
            return 0
        marked = {(u.item, u.start) for u in self.outcomes.everything}
        return sum((i, at) not in marked for i, words in enumerate(self.data.items) for at in range(len(words)))

    def surface(self, unit: Unit) -> str:
        """Return the words of a unit, or the text of its item."""
        item = self.data.items[unit.item]
        return item if isinstance(item, str) else " ".join(item[unit.start : unit.end])


@dataclass(frozen=True)
class Outcomes:
    """The units of gold and of every system."""

    gold: Units
    returned: Mapping[str, Units]
    over: Literal["units", "items", "gold items"] = "units"
    """What is wrong: single units, or items; in a slice, the items whose gold unit is there."""
    misses_only: bool = False

    @property
    def everything(self) -> Units:
        return self.gold.union(*self.returned.values())

    @property
    def names(self) -> list[str]:
        """The systems by code points."""
        return sorted(self.returned)

    def within(self, units: AbstractSet[Unit]) -> Outcomes:
        """Return what happens to some units."""
        own = {name: has & units for name, has in self.returned.items()}
        over: Literal["units", "gold items"] = "units" if self.over == "units" else "gold items"
        return replace(self, gold=self.gold & units, returned=own, over=over)

    def without(self, name: str) -> Outcomes:
        """Return the same without a system."""
        return replace(self, returned={other: has for other, has in self.returned.items() if other != name})

    def right(self, name: str) -> Units:
        return self.gold & self.returned[name]

    def missed(self, name: str) -> Units:
        return self.gold - self.returned[name]

    def spurious(self, name: str) -> Units:
        return self.returned[name] - self.gold

    def wrong(self, name: str) -> frozenset[Any]:
        """Return what is wrong: units, or the items that they stand in."""
        units = self.missed(name) if self.over == "gold items" else self.missed(name) | self.spurious(name)
        return units if self.over == "units" else frozenset(unit.item for unit in units)

    def counts(self, units: AbstractSet[Unit]) -> Counts:
        """Return how good a set of units is."""
        return Counts(n_gold=len(self.gold), n_pred=len(units), tp=len(self.gold & units))

    def f1(self, name: str) -> Fraction:
        """Return a system's F1, the worst where it is undefined."""
        n_gold, n_pred, tp = self.counts(self.returned[name])
        return Fraction(2 * tp, n_gold + n_pred) if n_gold + n_pred else Fraction(-1)

    def best_first(self) -> list[str]:
        return sorted(self.names, key=lambda name: (-self.f1(name), name))


# ---------------------------------------------------------------------- complementarity


def offered(errors_a: AbstractSet[Any], errors_b: AbstractSet[Any]) -> Number:
    """Return the share of A's errors that B does not make."""
    if not errors_b:
        return Fraction(1)
    if not errors_a:
        return None
    return 1 - Fraction(len(errors_a & errors_b), len(errors_a))


def f_beta(p: Number, r: Number, beta: Fraction) -> Number:
    if p is None or r is None:
        return None
    if p + r == 0:
        return Fraction(0)
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def pair(own: Outcomes, a: str, b: str, beta: Fraction = Fraction(1)) -> dict[str, Any]:
    """Return what B offers over A."""
    p = None if own.misses_only else offered(own.spurious(a), own.spurious(b))
    r = offered(own.missed(a), own.missed(b))
    found: dict[str, Any] = {
        "a": a,
        "b": b,
        "comp": offered(own.wrong(a), own.wrong(b)),
        "p_comp": p,
        "r_comp": r,
        "f_comp": f_beta(p, r, beta),
        "correct_both": len(own.right(a) & own.right(b)),
        "only_a": len(own.right(a) - own.right(b)),
        "only_b": len(own.right(b) - own.right(a)),
    }
    for kind, errors in (("wrong", own.wrong), ("missed", own.missed), ("spurious", own.spurious)):
        found |= {f"{kind}_a": len(errors(a)), f"{kind}_b": len(errors(b)), f"{kind}_both": len(errors(a) & errors(b))}
    return found


def pairs(own: Outcomes, beta: Fraction = Fraction(1)) -> dict[tuple[str, str], dict[str, Any]]:
    """Return every ordered pair."""
    return {(a, b): pair(own, a, b, beta) for a, b in permutations(own.names, 2)}


class Ensemble(NamedTuple):
    """How systems are put together."""

    kind: str
    systems: tuple[str, ...]
    k: int | None = None


def vote(own: Outcomes, systems: Sequence[str], k: int) -> Units:
    """Return the units that at least k of some systems have."""
    votes = Counter(unit for name in systems for unit in own.returned[name])
    return frozenset(unit for unit, n in votes.items() if n >= k)


def plurality(case: Case) -> Units:
    """Return for each item the label with the most votes; of equals, that of the better system."""
    own = case.outcomes
    ranked = own.best_first()
    chosen: list[Any] = []
    for i in range(len(case.data.items)):
        said = [case.data.systems[name][i] for name in ranked]
        votes = Counter(label for label in said if label)
        most = max(votes.values(), default=0)
        chosen.append(next((label for label in said if label and votes[label] == most), ""))
    return case._units(chosen)


def ensembles(case: Case) -> dict[Ensemble, Counts]:
    """Return union and intersection of every two systems, and every vote of all."""
    own = case.outcomes
    found: dict[Ensemble, Units] = {}
    for a, b in combinations(own.names, 2):
        found[Ensemble("union", (a, b))] = own.returned[a] | own.returned[b]
        found[Ensemble("intersection", (a, b))] = own.returned[a] & own.returned[b]
    every = tuple(own.names)
    for k in range(1, len(every) + 1):
        found[Ensemble("vote", every, k)] = vote(own, every, k)
    if case.task is Task.LABELS:
        found[Ensemble("vote", every)] = plurality(case)
    return {ensemble: own.counts(units) for ensemble, units in found.items()}


def oracle(own: Outcomes) -> Counts:
    """Return the score of all that any system finds, and nothing else."""
    return own.counts(own.gold & frozenset[Unit]().union(*own.returned.values()))


class Step(NamedTuple):
    """A system that joins the union of those before it."""

    system: str
    tp: int
    added: int
    recall: Number
    r_comp: Number


def curve(own: Outcomes) -> list[Step]:
    """Return the systems in the order in which each adds most of what those before it have not found."""
    steps: list[Step] = []
    found: Units = frozenset()
    left = own.best_first()
    while left:
        name = max(left, key=lambda other: len(own.right(other) - found))  # the first, and so the best, of equals
        left.remove(name)
        missed, added = own.gold - found, own.right(name) - found
        repaired = Fraction(len(added), len(missed)) if missed else None
        found |= added
        recall = Fraction(len(found), len(own.gold)) if own.gold else None
        steps.append(Step(name, len(found), len(added), recall, repaired))
    return steps


# ---------------------------------------------------------------------- difficulty


@dataclass(frozen=True)
class Bins:
    """How many units there are that n systems have, for every n, and how many of them each system has."""

    totals: list[int]
    systems: dict[str, list[int]]

    def shares(self) -> dict[str, list[Number]]:
        return {
            name: [Fraction(n, total) if total else None for n, total in zip(own, self.totals, strict=True)]
            for name, own in self.systems.items()
        }


def bin_of(own: Outcomes, unit: Unit) -> int:
    """Return how many systems have a unit."""
    return sum(unit in has for has in own.returned.values())


def binned(own: Outcomes, units: AbstractSet[Unit]) -> Bins:
    found = Bins([0] * (len(own.returned) + 1), {name: [0] * (len(own.returned) + 1) for name in own.returned})
    for unit in units:
        n = bin_of(own, unit)
        found.totals[n] += 1
        for name, has in own.returned.items():
            found.systems[name][n] += unit in has
    return found


def gold_bins(own: Outcomes) -> Bins:
    return binned(own, own.gold)


def spurious_bins(case: Case) -> Bins:
    """Return the bins of spurious units; bin 0 has the tokens that nobody marks."""
    own = case.outcomes
    found = binned(own, own.everything - own.gold)
    found.totals[0] = case.true_negatives
    return found


def left_out(own: Outcomes, name: str) -> tuple[list[int], list[int]]:
    """Return the bins that the other systems make, and how many units of each a system finds."""
    others = own.without(name)
    totals, found = [0] * len(own.returned), [0] * len(own.returned)
    for unit in own.gold:
        n = bin_of(others, unit)
        totals[n] += 1
        found[n] += unit in own.returned[name]
    return totals, found


class Singular(NamedTuple):
    """What a system alone finds."""

    found: int
    share: Number
    of_own: Number


def singular(own: Outcomes, name: str) -> Singular:
    alone = [unit for unit in own.right(name) if bin_of(own, unit) == 1]
    every = [unit for unit in own.gold if bin_of(own, unit) == 1]
    return Singular(
        found=len(alone),
        share=Fraction(len(alone), len(every)) if every else None,
        of_own=Fraction(len(alone), len(own.right(name))) if own.right(name) else None,
    )


class Spread(NamedTuple):
    """The mentions of a surface form: how many there are in each bin, and what the harder ones lose."""

    n: int
    bins: list[int]
    lost: Fraction


def spread(case: Case) -> dict[str, Spread]:
    """Return the bins of every surface form that gold has at least twice; labels of one text are no mentions of it."""
    own = case.outcomes
    if case.data.task is Task.MULTILABEL:
        return {}
    mentions: dict[str, list[int]] = {}
    for unit in own.gold:
        mentions.setdefault(case.surface(unit), []).append(bin_of(own, unit))
    size = len(own.returned)
    found: dict[str, Spread] = {}
    for surface, bins in mentions.items():
        if len(bins) >= 2:
            median = sorted(bins)[(len(bins) - 1) // 2]
            lost = sum((Fraction(max(0, median - n), size) for n in bins), Fraction(0))
            found[surface] = Spread(len(bins), [bins.count(n) for n in range(size + 1)], lost)
    return found


# ---------------------------------------------------------------------- random data

WORDS = ("a", "b", "A", "é")
LABELS = ("X", "Y", "B-Z")
TAGS = ("B-X", "O", "I-X", "Y", "O")
NAMES = ("b b", "Z", "q", "Ä", "<i>", "long-name.v2", "0", "é", "zz")
"""Not in the order of their code points."""
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


@st.composite
def cases(draw: DrawFn, task: Task, *, systems: tuple[int, int] = (2, 5), items: tuple[int, int] = (1, 6)) -> Case:
    """Systems that share what they find and what they do wrong; now and then gold, or nobody, has a unit."""
    size = draw(st.integers(*items))
    names = NAMES[: draw(st.integers(*systems))]
    drawn = [draw(pool(task)) for _ in range(size)]
    silent = draw(st.sampled_from((0,) * 10 + tuple(range(len(names) + 2))))
    """Gold and the systems after it, so many in all, have nothing where a task allows it."""

    def answers(at: int) -> tuple[Any, ...]:
        return tuple(
            nothing(task, item) if at < silent else some(task, own, draw(st.integers(1, 2**12 - 1)))
            for item, own in drawn
        )

    gold = None if task is Task.SCORES else answers(0)
    found = {name: answers(at) for at, name in enumerate(names, 1)}
    data = Data(
        task=task,
        items=tuple(item for item, _ in drawn),
        gold=gold,
        systems=found,
        documents=tuple("de"[draw(st.integers(0, 1))] for _ in drawn) if draw(st.booleans()) else None,
    )
    if task is Task.SCORES:
        return Case(data, threshold=draw(st.sampled_from((*SCORES, 0.6, 2.0)))) if draw(st.booleans()) else binary(data)
    if task is Task.LABELS and draw(st.booleans()):
        return Case(data, negative="X") if draw(st.booleans()) else Case(without_answer(data, "X"))
    return Case(data)


def binary(data: Data) -> Case:
    """Return the data with scores of 0 and 1."""
    return Case(replace(data, systems={s: tuple(float(x > 0.5) for x in own) for s, own in data.systems.items()}))


def without_answer(data: Data, label: str) -> Data:
    """Return the data with systems that say nothing instead of a label."""
    return replace(data, systems={s: tuple("" if x == label else x for x in own) for s, own in data.systems.items()})


def pool(task: Task) -> SearchStrategy[tuple[Any, Any]]:
    """Draw an item, and what may be said of it."""
    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(tuple)
    if task is Task.SPANS:
        return words.flatmap(lambda own: st.tuples(st.just(own), span_pool(len(own))))
    if task is Task.TOKENS:
        four = st.lists(st.sampled_from(TAGS), min_size=4, max_size=4)
        return words.flatmap(lambda own: st.tuples(st.just(own), st.lists(four, min_size=len(own), max_size=len(own))))
    texts = words.map(" ".join)
    if task is Task.SCORES:
        return st.tuples(texts, st.lists(st.sampled_from(SCORES), min_size=2, max_size=2))
    if task is Task.TEXT:
        return st.tuples(texts, st.just(["yes", "no"]))
    return st.tuples(texts, st.lists(st.sampled_from(LABELS), min_size=1, max_size=3, unique=True))


def span_pool(length: int) -> SearchStrategy[list[tuple[int, int, str]]]:
    where = st.tuples(st.integers(0, length - 1), st.integers(1, 2), st.sampled_from(LABELS[:2]))
    return st.lists(where.map(lambda w: (w[0], min(w[0] + w[1], length), w[2])), min_size=1, max_size=4, unique=True)


def nothing(task: Task, item: Any) -> Any:
    """Return the answer that has no unit; where there is none, a wrong one or a low score."""
    if task is Task.TOKENS:
        return ("O",) * len(item)
    return {Task.LABELS: "Y", Task.TEXT: "never", Task.SCORES: 0.0}.get(task, ())


def some(task: Task, own: Sequence[Any], mask: int) -> Any:
    """Return the answer that the bits of a number choose."""
    if task in (Task.SPANS, Task.MULTILABEL):
        return tuple(one for i, one in enumerate(own) if mask >> i & 1)
    if task is Task.TOKENS:
        return tuple(four[mask >> 2 * i & 3] for i, four in enumerate(own))
    return own[mask % len(own)]


def crowd(
    task: Task,
    systems: int,
    *,
    items: int = 12,
    seed: int = 0,
    labels: Sequence[str] = LABELS,
    different: int | None = None,
) -> Case:
    """Many systems that answer by chance; with `different`, only so many do, and the others repeat the last of them."""
    chance = random.Random(seed)
    names = [f"s{k}" for k in range(systems)][:different]
    words = tuple(tuple(chance.choice(WORDS) for _ in range(4)) for _ in range(items))

    def everyone(answer: Callable[[int], Any]) -> dict[str, tuple[Any, ...]]:
        return {name: tuple(answer(i) for i in range(items)) for name in ("gold", *names)}

    if task is Task.SPANS:
        places = [(start, start + size, label) for start in range(3) for size in (1, 2) for label in labels]
        pools = [chance.sample(places, 4) for _ in range(items)]
        found = everyone(lambda i: tuple(span for span in pools[i] if chance.random() < 0.5))
    elif task is Task.TOKENS:
        found = everyone(lambda i: tuple(chance.choice(("O", *labels)) for _ in words[i]))
    elif task is Task.SCORES:
        found = everyone(lambda i: float(chance.random() < i / items))
    elif task is Task.MULTILABEL:
        found = everyone(lambda i: tuple(label for label in labels if chance.random() < 0.5))
    else:
        found = everyone(lambda i: chance.choice(labels))
    gold = found.pop("gold")
    found |= {f"s{k}": found[names[-1]] for k in range(len(names), systems)}
    texts: tuple[Any, ...] = words if task in (Task.SPANS, Task.TOKENS) else tuple(map(" ".join, words))
    return Case(Data(task=task, items=texts, gold=None if task is Task.SCORES else gold, systems=found))
