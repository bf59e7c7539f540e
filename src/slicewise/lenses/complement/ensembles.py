"""What several systems would score together: union, intersection, votes, a vote whose members are chosen, an oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Array, Ints
from slicewise.engine.cells import coded
from slicewise.evaluation import Evaluation
from slicewise.lenses.complement.resolved_ensembles import as_tags
from slicewise.lenses.complement.result import Added, EnsembleScore, Greedy
from slicewise.lenses.complement.votes import AnswerBallots, Ballots, UnitBallots, Vote, best_step
from slicewise.lenses.intervals import OF_SHARES, Estimate, listed_bounds, of_differences
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts
from slicewise.lenses.outcomes.outcomes import GOLD, SPURIOUS
from slicewise.lenses.outcomes.pair_counts import Sample
from slicewise.lenses.outcomes.pattern_tables import counted_patterns
from slicewise.metrics.counts import N_GOLD, N_PRED, PROPORTIONS, TP, f_beta, recall
from slicewise.results.base import Bounds, defined
from slicewise.stats.complementarity import Shared
from slicewise.stats.folds import folds_of, widened_for_folds
from slicewise.stats.patterns import Patterns

FOLDS = 10
BEST_UNIONS = 3
"""Unions that are also scored with overlapping units resolved."""


@dataclass(frozen=True)
class Members:
    """An ensemble before it is scored."""

    kind: str
    members: tuple[int, ...]
    k: int | None = None


@dataclass(frozen=True, eq=False)
class Ensembles:
    """The ensembles of an evaluation's systems."""

    evaluation: Evaluation
    outcomes: OutcomeCounts
    sample: Sample
    counts: Shared
    draws: Shared | None

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return self.outcomes.systems

    @property
    def recall_only(self) -> bool:
        """Whether only recall is defined, as for scored items."""
        return not self.evaluation.task.has_units

    @cached_property
    def _alone(self) -> Array:
        """Each system's score: F1, or recall where nothing else is known."""
        return self._value(self.counts.counts())

    def _value(self, counts: Array) -> Array:
        return recall(counts) if self.recall_only else f_beta(counts)

    @cached_property
    def order(self) -> list[int]:
        """The systems, the best first; equal ones by name."""
        alone = np.nan_to_num(self._alone, nan=-1.0)
        return sorted(range(len(alone)), key=lambda i: (-alone[i], self.names[i]))

    @cached_property
    def _places(self) -> dict[int, int]:
        return {i: at for at, i in enumerate(self.order)}

    def singles(self) -> dict[str, EnsembleScore]:
        """Return the systems alone."""
        groups = [Members("system", (i,)) for i in range(len(self.names))]
        scores = self._scored(groups, self.counts.counts(), None if self.draws is None else self.draws.counts())
        return dict(zip(self.names, scores, strict=True))

    def together(self) -> tuple[EnsembleScore, ...]:
        """Return unions and intersections of every two systems, and all votes; the best unions and votes resolved."""
        unions, others = self._pairs()
        ranked = sorted(unions, key=lambda union: (-1.0 if union.f1 is None else union.f1, union.systems), reverse=True)
        best, votes = {union.systems for union in ranked[:BEST_UNIONS]}, self._votes()
        chosen = [union for union in unions if union.systems in best]
        tags = iter(as_tags(self.evaluation, self.outcomes.reader, chosen + votes))
        unions = [next(tags) if union.systems in best else union for union in unions]
        return (*unions, *others, *tags, *self._plurality())

    def _pairs(self) -> tuple[list[EnsembleScore], list[EnsembleScore]]:
        """Return the unions and the intersections of every two systems."""
        places = sorted(range(len(self.names)), key=lambda i: self.names[i])
        scores: dict[str, list[EnsembleScore]] = {"union": [], "intersection": []}
        for at, i in enumerate(places):
            later = places[at + 1 :]
            for kind, of in (("union", Shared.unions), ("intersection", Shared.intersections)):
                counts = of(self.counts, i)[later]
                draws = None if self.draws is None else of(self.draws, i)[:, later]
                scores[kind] += self._scored([Members(kind, (i, j)) for j in later], counts, draws)
        return scores["union"], scores["intersection"]

    def _votes(self) -> list[EnsembleScore]:
        """Return every vote of all systems, from how many have each unit."""
        everyone = tuple(range(len(self.names)))
        totals = self.outcomes.patterns.totals()
        drawn = self.sample.sums(self.outcomes.by_group.totals().reshape(-1, 2, len(everyone) + 1))
        draws = None if drawn is None else _at_least(drawn)
        groups = [Members("vote", everyone, k) for k in range(1, len(everyone) + 1)]
        return self._scored(groups, _at_least(totals), draws)

    def _plurality(self) -> list[EnsembleScore]:
        """Return the vote for the most frequent answer, of labels."""
        labels = self.evaluation.task is Task.LABELS
        return self._voted([Vote(tuple(range(len(self.names))), None)]) if labels else []

    def oracle(self) -> EnsembleScore:
        """Return what a judge would score who takes every right unit that any system has, and nothing else."""
        totals = self.outcomes.patterns.totals()[GOLD]
        tp, n_gold = float(totals[1:].sum()), float(totals.sum())
        members = Members("oracle", tuple(range(len(self.names))))
        return self._scored([members], np.array([[tp, tp, n_gold]]), None)[0]

    def curve(self) -> list[Added]:
        """Return how the union grows: the system with the most true positives, then always that which adds most."""
        patterns = self.outcomes.patterns
        gold = patterns.slices == GOLD
        bits, weights = patterns.bits[gold], patterns.counts[gold].astype(np.float64)
        missed = np.ones(len(weights), np.bool_)
        place = self._places
        free, taken, steps = set(place), [], []
        while free:
            adds = (weights * missed) @ bits
            i = min(free, key=lambda j: (-adds[j], place[j]))
            before = float(weights[missed].sum())
            missed &= ~bits[:, i]
            free.remove(i)
            taken.append(i)
            tp = int(weights.sum() - weights[missed].sum())
            totals = _at_least(patterns.of_systems(taken).totals())
            k = int(np.argmax(np.nan_to_num(self._value(totals), nan=-1.0)))
            groups = [Members("union", tuple(taken)), Members("vote", tuple(taken), k + 1)]
            union, vote = self._scored(groups, totals[[0, k]], None)
            steps.append(
                Added(
                    system=self.names[i],
                    tp=tp,
                    added=int(adds[i]),
                    recall=defined(tp / weights.sum() if weights.sum() else np.nan),
                    r_comp=defined(adds[i] / before if before else np.nan),
                    union=union,
                    vote=vote,
                )
            )
        return steps

    def greedy(self) -> Greedy | None:
        """Choose the members of a vote one by one by F1, on all clusters, and on all but some that it is scored on."""
        groups = len(self.sample.position)
        if self.recall_only or len(self.names) < 2 or not self.outcomes.n_gold:
            return None
        folds = min(FOLDS, groups)
        ballots = self._ballots(folds)
        path = ballots.path(np.ones(folds))
        best = best_step(path)
        others = [ballots.path((np.arange(folds) != fold).astype(np.float64)) for fold in range(folds)]
        chosen = [best_step(steps).vote for steps in others]
        alone = [steps[0].vote for steps in others]
        return Greedy(
            systems=tuple(self.names[i] for i in best.vote.members),
            k=best.vote.k,
            in_sample=as_tags(self.evaluation, self.outcomes.reader, self._voted([best.vote]))[0],
            cross_validated=self._held_out(chosen, alone, folds),
            folds=folds,
            path=tuple(self._voted([step.vote for step in path])),
            chosen={name: sum(i in vote.members for vote in chosen) for i, name in enumerate(self.names)},
            baseline={name: sum(i in vote.members for vote in alone) for i, name in enumerate(self.names)},
        )

    @cached_property
    def _answers(self) -> Patterns:
        """The answers by group."""
        groups = len(self.sample.position)
        read = AnswersByGroup(self.names, groups)
        return counted_patterns(self.evaluation, read, width=read.width, size=groups)

    @property
    def _cast(self) -> Patterns:
        """The patterns that votes are cast on, by group."""
        return self._answers if self.evaluation.task is Task.LABELS else self.outcomes.by_group

    def _as_ballots(self, patterns: Patterns) -> Ballots:
        labels = self.evaluation.task is Task.LABELS
        return answer_ballots(patterns, self.names) if labels else UnitBallots(patterns, self.names)

    @cache  # noqa: B019 (lives as long as the ensembles do)
    def _ballots(self, size: int) -> Ballots:
        """Return what is voted on, with clusters in so many slices."""
        sides = 1 if self.evaluation.task is Task.LABELS else 2
        group, side = np.divmod(self._cast.slices, sides)
        slices = folds_of(self.sample.position, size)[group] * sides + side
        return self._as_ballots(self._cast.among(slices, sides * size))

    @cached_property
    def _by_cluster(self) -> Ballots:
        return self._as_ballots(self._cast)

    def _ranks(self, size: int, weights: Array) -> Ints:
        ballots = self._ballots(size)
        return ballots.ranks(weights) if isinstance(ballots, AnswerBallots) else np.zeros(0, np.int64)

    def _voted(self, votes: Sequence[Vote]) -> list[EnsembleScore]:
        """Score votes, each with intervals by cluster."""
        ranks = self._ranks(1, np.ones(1))
        by_group = np.stack([self._by_cluster.counts(vote, ranks) for vote in votes], axis=1)
        groups = [Members("vote", vote.members, vote.k) for vote in votes]
        return self._scored(groups, by_group.sum(axis=0), self.sample.sums(by_group))

    def _held_out(self, chosen: Sequence[Vote], alone: Sequence[Vote], folds: int) -> EnsembleScore:
        """Score each fold by the vote that was chosen without it, against the system that was best without it."""
        groups = len(self.sample.position)
        by_group = np.zeros((groups, 2, 3), np.int64)
        fold_of = folds_of(self.sample.position, folds)
        for fold, votes in enumerate(zip(chosen, alone, strict=True)):
            ranks = self._ranks(folds, (np.arange(folds) != fold).astype(np.float64))
            for at, vote in enumerate(votes):
                by_group[fold_of == fold, at] = self._by_cluster.counts(vote, ranks)[fold_of == fold]
        sums, draws = by_group.sum(axis=0), self.sample.sums(by_group)
        members = [Members("cross-validated", tuple(range(len(self.names))))]
        score = self._scored(members, sums[:1], None if draws is None else draws[:, :1])[0]
        voted, baseline = self._value(np.asarray(sums, np.float64))
        gain = defined(float(voted - baseline))
        often = Counter(vote.members[0] for vote in alone)
        most = min(often, key=lambda i: (-often[i], self._places[i]))
        bounds = self._fold_bounds(gain, draws, folds)
        # where no fold chooses a vote, the two are the same systems: there is no gain to have an interval
        return replace(score, against=self.names[most], gain=gain, gain_ci=None if chosen == alone else bounds)

    def _fold_bounds(self, gain: float | None, draws: Array | None, folds: int) -> Bounds | None:
        """Return the interval of a gain from `(draws, (vote, baseline), 3)`, wider than where nothing was chosen."""
        if draws is None or gain is None:
            return None
        drawn = self._value(draws)
        differences = Estimate(np.array([gain]), drawn[:, :1] - drawn[:, 1:], limits=of_differences(OF_SHARES))
        bounds, _ = listed_bounds(self.sample.method.corpus(differences))[0]
        return None if bounds is None else widened_for_folds(gain, *bounds, folds)

    def _scored(
        self, groups: Sequence[Members], counts: NDArray[np.generic], draws: Array | None
    ) -> list[EnsembleScore]:
        """Return ensembles with their scores, `(ensembles, 3)`, and intervals from `(draws, ensembles, 3)`."""
        sums: Array = np.asarray(counts, np.float64)
        values = {name: measure.value(sums) for name, measure in PROPORTIONS.items()}
        best = [min(group.members, key=self._places.__getitem__) for group in groups]
        gains = self._value(sums) - self._alone[best]
        bounds: dict[str, list[tuple[Bounds | None, int]]] = {}
        if draws is not None and self.draws is not None:
            estimates = {
                name: Estimate.of_sums(sums, draws, measure.value, measure.size)
                for name, measure in PROPORTIONS.items()
            }
            drawn_gains = self._value(draws) - self._best_alone(groups, best, self.draws)
            estimates["gain"] = Estimate(gains, drawn_gains, limits=of_differences(OF_SHARES))
            bounds = {name: listed_bounds(self.sample.method.corpus(of)) for name, of in estimates.items()}
        unknown = {"precision", "f1"} if self.recall_only else set()
        return [
            EnsembleScore(
                kind=group.kind,
                systems=tuple(self.names[j] for j in group.members),
                k=group.k,
                n_gold=int(sums[i, N_GOLD]),
                n_pred=None if self.recall_only else int(sums[i, N_PRED]),
                tp=int(sums[i, TP]),
                precision=None if self.recall_only else defined(float(values["precision"][i])),
                recall=defined(float(values["recall"][i])),
                f1=None if self.recall_only else defined(float(values["f1"][i])),
                ci={name: None if name in unknown else bounds[name][i][0] for name in values} if bounds else None,
                against=None if len(group.members) < 2 else self.names[best[i]],
                gain=None if len(group.members) < 2 else defined(float(gains[i])),
                gain_ci=None if len(group.members) < 2 or not bounds else bounds["gain"][i][0],
            )
            for i, group in enumerate(groups)
        ]

    def _best_alone(self, groups: Sequence[Members], best: Sequence[int], draws: Shared) -> Array:
        """Return the score of each ensemble's best member in every draw; of equally good ones the mean, not a name."""
        alone = self._value(draws.counts())
        scores = alone[:, best]
        for i, group in enumerate(groups):
            equal = [j for j in group.members if self._alone[j] == self._alone[best[i]]]
            if len(equal) > 1:
                scores[:, i] = alone[:, equal].mean(axis=1)
        return scores


def _at_least(totals: NDArray[np.generic]) -> Array:
    """Return (tp, n_pred, n_gold) of votes by k from 1, from units by number of systems, `(..., 2, systems + 1)`."""
    totals = np.asarray(totals, np.float64)
    returned = totals[..., ::-1].cumsum(axis=-1)[..., ::-1][..., 1:]
    tp = returned[..., GOLD, :]
    n_gold = np.broadcast_to(totals[..., GOLD, :].sum(axis=-1)[..., None], tp.shape)
    return np.stack([tp, tp + returned[..., SPURIOUS, :], n_gold], axis=-1)


@dataclass(frozen=True)
class AnswersByGroup:
    """Kernel: counts items by the pattern of their answers, which is all that any vote depends on."""

    names: tuple[str, ...]
    groups: int

    @property
    def width(self) -> int:
        """How many bits an item has: those of each system's answer, whether it is right, whether a unit; gold's."""
        return len(self.names) * (_bits(len(self.names)) + 2) + 1

    def __call__(self, part: Evaluation) -> Patterns:
        """Return the patterns of a part."""
        answers = [part.answers(name) for name in ("gold", *self.names)]
        silent = np.array([answer.is_null().to_numpy() for answer in answers])
        gold, *others = (column.to_numpy() for column in coded(answers))
        codes = np.full((len(self.names), len(gold)), -1, np.int16)
        for i, code in enumerate(others):
            codes[i, ~silent[i + 1]] = i
            for j in range(i):  # the first system with the same answer
                np.copyto(codes[i], codes[j], where=(code == others[j]) & ~silent[i + 1] & (codes[i] == i))
        columns = [(code + 1 >> bit & 1).astype(np.bool_) for code in codes for bit in range(_bits(len(self.names)))]
        known = list(part.aligned.labels)
        expected, *units = (answer.is_in(known).fill_null(False).to_numpy() for answer in answers)
        right = [gold == code for code in others]
        return Patterns.of([*columns, *right, *units, expected], part.aligned.clusters.group, self.groups)


def _bits(systems: int) -> int:
    """Return how many bits number the systems, and no answer."""
    return max(1, systems.bit_length())


def answer_ballots(patterns: Patterns, names: Sequence[str]) -> AnswerBallots:
    """Return counted answers as ballots."""
    s, width = len(names), _bits(len(names))
    bits = patterns.bits
    packed = bits[:, : s * width].reshape(-1, s, width) @ (1 << np.arange(width)) - 1
    return AnswerBallots(
        codes=packed.T.astype(np.int16),
        right=bits[:, s * width : s * (width + 1)].T,
        units=bits[:, s * (width + 1) : s * (width + 2)].T,
        gold=bits[:, -1],
        slices=patterns.slices,
        weights=patterns.counts,
        size=patterns.size,
        names=names,
    )
