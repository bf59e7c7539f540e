"""Suspect gold: units on which gold stands alone, ranked, and the scores with them set aside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slicewise.annotations import Task
from slicewise.attributes import Facts
from slicewise.engine.items import item_scores
from slicewise.lenses.examples import item_texts
from slicewise.lenses.mentions import mentions
from slicewise.matching.overlaps import Spans, overlap_counts, overlapping_pairs
from slicewise.metrics.counts import f_beta
from slicewise.results.base import defined
from slicewise.results.difficulty import SetAside, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.outcomes import Outcomes
    from slicewise.results.mentions import Mention

    Index = NDArray[np.int64]
    Bits = NDArray[np.bool_]

KINDS = ("label", "boundary", "missing", "unfound")
LABEL, BOUNDARY, MISSING, UNFOUND = range(4)
CONTRADICTED = "contradicted"
"""All kinds but what is unfound."""
NOBODY = -1
NONE = np.zeros(0, np.int64)
MOST = 10_000
"""Suspects that are listed."""
LONGEST = 2_000
"""Characters of an item that are listed with each of its suspects."""


def nearly_all(systems: int) -> int:
    """Return how many systems must say the same: all of up to four, then all but one in five."""
    return max(2, systems - systems // 5)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


@dataclass(frozen=True, eq=False)
class Suspects:
    """The suspects of an evaluation, ranked; columns of the same length."""

    evaluation: Evaluation
    outcomes: Outcomes
    kind: Index
    gold: Index
    """The gold unit, or NOBODY's where gold has none."""
    returned: Index
    """What systems return instead, or NOBODY's."""
    agree: Index
    as_gold: Index | None
    as_systems: Index | None

    def __len__(self) -> int:
        return len(self.kind)

    def listed(self) -> tuple[Suspect, ...]:
        """Return the first of them as a person reads them."""
        size = min(len(self), MOST)
        gold, returned = (self._mentions(rows[:size]) for rows in (self.gold, self.returned))
        place = np.where(self.returned == NOBODY, self.gold, self.returned)[:size]
        items, at = np.unique(self.outcomes.item[place], return_inverse=True)
        texts = [_shortened(text) for text in item_texts(self.evaluation, items)]
        return tuple(
            Suspect(
                kind=KINDS[int(self.kind[i])],
                agree=int(self.agree[i]),
                gold=gold.get(int(self.gold[i])),
                systems=returned.get(int(self.returned[i])),
                as_gold=None if self.as_gold is None else int(self.as_gold[i]),
                as_systems=None if self.as_systems is None else int(self.as_systems[i]),
                sentence=texts[int(at[i])],
            )
            for i in range(size)
        )

    def _mentions(self, rows: Index) -> dict[int, Mention]:
        wanted = np.unique(rows[rows != NOBODY])
        return dict(zip(wanted.tolist(), mentions(self.evaluation, self.outcomes, wanted), strict=True))

    def set_aside(self) -> tuple[SetAside, ...]:
        """Return the scores of all systems with nothing, each kind of suspect, and all of them set aside."""
        found = [self._without("none", np.zeros(len(self), np.bool_))]
        for code, kind in enumerate(KINDS):
            if code == UNFOUND and len(found) > 2:
                found.append(self._without(CONTRADICTED, self.kind != UNFOUND))
            if (self.kind == code).any():
                found.append(self._without(kind, self.kind == code))
        if len(found) > 2 and found[-1].kind == KINDS[UNFOUND]:
            found.append(self._without("all", np.ones(len(self), np.bool_)))
        return tuple(found)

    def _without(self, kind: str, chosen: Bits) -> SetAside:
        outcomes = self.outcomes
        dropped = np.zeros(len(outcomes), np.bool_)
        for rows in (self.gold[chosen], self.returned[chosen]):
            dropped[rows[rows != NOBODY]] = True
        if self.evaluation.task is Task.LABELS:  # an item is set aside with all its labels
            dropped = np.isin(outcomes.item, np.unique(outcomes.item[dropped]))
        scores = self._scores(~dropped)
        sign = 1 if outcomes.metric is None or outcomes.metric.greater_is_better else -1
        order = sorted(
            range(len(scores)),
            key=lambda i: (np.isnan(scores[i]), -sign * np.nan_to_num(scores[i]), outcomes.systems[i]),
        )
        return SetAside(
            kind=kind,
            suspects=int(chosen.sum()),
            scores={name: defined(value) for name, value in zip(outcomes.systems, scores, strict=True)},
            ranking=tuple(outcomes.systems[i] for i in order),
        )

    def _scores(self, kept: Bits) -> list[float]:
        outcomes = self.outcomes
        if outcomes.metric is None:
            gold = outcomes.gold & kept
            counts = [(int((own & gold).sum()), int((own & kept).sum()), int(gold.sum())) for own in outcomes.has]
            return [float(f_beta(np.array(one, np.float64))) for one in counts]
        scored = (item_scores(self.evaluation, outcomes.metric, name).statistics for name in outcomes.systems)
        return [float(outcomes.metric.finish(own.sum(axis=0, where=kept[:, None]))) for own in scored]


def suspects_of(evaluation: Evaluation, outcomes: Outcomes) -> Suspects | None:
    """Return the suspects, the most suspect first; None with one system, which would contradict gold alone.

    First what systems say against gold, then what nobody finds; each by how many agree, then by how far the rest of
    the data sides with them.
    """
    if len(outcomes.systems) < 2:
        return None
    found = _Search(evaluation, outcomes)
    kind, gold, returned, agree = (
        np.concatenate(part) for part in zip(found.contradicted(), found.unfound(), strict=True)
    )
    as_gold, as_systems = found.elsewhere(kind, gold, returned)
    place = np.where(returned == NOBODY, gold, returned)
    if outcomes.mean is not None:  # of scored items, the worst come first
        place = np.argsort(np.argsort(outcomes.mean[place], kind="stable"), kind="stable")
    order = np.lexsort((place, kind, -_sided(as_gold, as_systems, len(kind)), -agree, kind == UNFOUND))
    return Suspects(
        evaluation, outcomes, kind[order], gold[order], returned[order], agree[order],
        None if as_gold is None else as_gold[order], None if as_systems is None else as_systems[order],
    )  # fmt: skip


def _sided(as_gold: Index | None, as_systems: Index | None, size: int) -> NDArray[np.float64]:
    """Return how far the rest of the data sides with the systems: a share of strings, a half where there are none."""
    if as_gold is None or as_systems is None:
        return np.zeros(size)
    return np.asarray((as_systems + 0.5) / (as_systems + as_gold + 1))


@dataclass(frozen=True)
class _Search:
    """Looks for suspects."""

    evaluation: Evaluation
    outcomes: Outcomes

    @cached_property
    def _unanimous(self) -> Index:
        """Spurious units that nearly all systems return."""
        wanted = nearly_all(len(self.outcomes.systems))
        return np.flatnonzero(~self.outcomes.gold & (self.outcomes.bins >= wanted))

    @cached_property
    def _places(self) -> Spans:
        """Where units are; a label of an item is everywhere in it, and so are several."""
        item = self.outcomes.item
        if self.evaluation.task not in (Task.SPANS, Task.TOKENS):
            return Spans(item, np.zeros_like(item), np.ones_like(item))
        units = self.evaluation.units
        return Spans(item, units["start"].to_numpy().astype(np.int64), units["end"].to_numpy().astype(np.int64))

    @cached_property
    def _rivals(self) -> Index:
        """For each of the unanimous ones the gold unit that it stands against: the one that it shares most with."""
        found = np.full(len(self._unanimous), NOBODY)
        if self.evaluation.task is Task.MULTILABEL or not len(self._unanimous):
            return found
        gold = np.flatnonzero(self.outcomes.gold)
        a, b = overlapping_pairs(self._places[self._unanimous], self._places[gold])
        mine, other = self._unanimous[a], gold[b]
        start, end = self._places.start, self._places.end
        shared = np.minimum(end[mine], end[other]) - np.maximum(start[mine], start[other])
        apart = np.abs(start[mine] - start[other]) + np.abs(end[mine] - end[other])
        order = np.lexsort((other, apart, -shared, a))
        first = order[np.concatenate([[True], a[order][1:] != a[order][:-1]])] if len(order) else order
        found[a[first]] = other[first]
        return found

    def contradicted(self) -> tuple[Index, Index, Index, Index]:
        """Return what nearly all systems say against gold: its kind, gold's unit, theirs, and how many say it."""
        rows, rivals = self._unanimous, self._rivals
        start, end = self._places.start, self._places.end
        same = (rivals != NOBODY) & (start[rows] == start[rivals]) & (end[rows] == end[rivals])
        kind = np.where(rivals == NOBODY, MISSING, np.where(same, LABEL, BOUNDARY))
        return kind, rivals, rows, self.outcomes.bins[rows]

    def unfound(self) -> tuple[Index, Index, Index, Index]:
        """Return gold units that nobody finds, but those that are contradicted already."""
        rows = np.flatnonzero(self.outcomes.gold & (self.outcomes.bins == 0))
        rows = rows[~np.isin(rows, self._rivals)]
        nobody = np.full(len(rows), NOBODY)
        return np.full(len(rows), UNFOUND), rows, nobody, self._silent(rows)

    def _silent(self, rows: Index) -> Index:
        """Return how many systems return nothing at the place of each unit."""
        if not self.evaluation.task.has_units:
            return np.full(len(rows), len(self.outcomes.systems))
        silent = np.zeros(len(rows), np.int64)
        for own in self.outcomes.has:
            silent += overlap_counts(self._places[rows], self._places[np.flatnonzero(own)]) == 0
        return silent

    def elsewhere(self, kind: Index, gold: Index, returned: Index) -> tuple[Index | None, Index | None]:
        """Return how often the data treats a suspect's string as gold does here, and as the systems do, elsewhere."""
        if self.evaluation.task not in (Task.SPANS, Task.TOKENS):
            return None, None
        facts = Facts(self.evaluation)
        if facts.corpus is None:
            return None, None
        known = _Known(facts)
        own_gold, own_returned = np.maximum(gold, 0), np.maximum(returned, 0)
        as_gold = np.where(kind == MISSING, known.bare(own_returned) - 1, known.labelled(own_gold) - 1)
        as_systems = np.where(kind == UNFOUND, known.bare(own_gold), known.labelled(own_returned))
        return np.maximum(as_gold, 0), as_systems


class _Known:
    """How often strings are gold units, and how often they are not, in the test and the training data."""

    def __init__(self, facts: Facts) -> None:
        trained = facts.train_units is not None and facts.train_corpus is not None
        gold = facts.units.frame["gold"].to_numpy()
        if facts.task is Task.TOKENS:  # whose strings are single tokens
            self.surface = facts.token[facts.unit_ranges[0]]
            train_surface = facts.train_token[facts.train_ranges[0]] if trained else NONE
            standing = np.bincount(facts.token, minlength=int(self.surface.max(initial=-1)) + 1)[self.surface]
            anywhere = standing + (facts.train_counts[self.surface] if trained else 0)
        else:
            self.surface = facts.surface
            train_surface = facts.train_surface if trained else NONE
            anywhere = facts.test_occurrences + (facts.occurrences if trained else 0)
        self.standing = np.asarray(anywhere)
        self.label = facts.units.label
        self.labels = max(1, len(facts.evaluation.aligned.labels))
        surface = np.concatenate([self.surface[gold], train_surface])
        label = np.concatenate([self.label[gold], facts.train_labels if trained else NONE])
        self.keys = np.sort(surface * (self.labels + 1) + np.where(label < 0, self.labels, label))

    def labelled(self, rows: Index) -> Index:
        """Return how often gold gives the string of each unit the unit's label."""
        key = self.surface[rows] * (self.labels + 1) + self.label[rows]
        return self._between(key, key + 1)

    def bare(self, rows: Index) -> Index:
        """Return how often the string of each unit stands where gold has no such unit."""
        first = self.surface[rows] * (self.labels + 1)
        return np.asarray(np.maximum(self.standing[rows] - self._between(first, first + self.labels + 1), 0))

    def _between(self, low: Index, high: Index) -> Index:
        return np.asarray(np.searchsorted(self.keys, high) - np.searchsorted(self.keys, low))


def changes(before: SetAside, after: SetAside) -> list[tuple[str, str]]:
    """Return pairs of systems whose order differs: the one that overtakes, and the one overtaken."""
    place = {name: i for i, name in enumerate(before.ranking)}
    return [
        (a, b)
        for i, a in enumerate(after.ranking)
        for b in after.ranking[i + 1 :]
        if place[a] > place[b] and not _equal(before, after, a, b)
    ]


def _equal(before: SetAside, after: SetAside, a: str, b: str) -> bool:
    """Whether two systems are as good before or after: names alone put them in order."""
    return any(one.scores[a] == one.scores[b] for one in (before, after))


def names_of(pairs: Sequence[tuple[str, str]]) -> str:
    """Say who overtakes whom."""
    return ", ".join(f"{a} overtakes {b}" for a, b in pairs)
