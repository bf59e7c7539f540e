"""Votes of several systems: greedy selection of members and threshold by F1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.metrics.counts import TP, f_beta
from slicewise.stats.patterns import Patterns

MOST_MEMBERS = 24
"""Maximum number of members of a greedy vote."""


@dataclass(frozen=True)
class Vote:
    """Some systems, and how many of them must agree; None: the answer that most give."""

    members: tuple[int, ...]
    k: int | None


@dataclass(frozen=True)
class VoteStep:
    """One more system in a vote, and the best number that must agree."""

    vote: Vote
    counts: Ints
    """(tp, n_pred, n_gold)."""


class Ballots(Protocol):
    """Units or items that systems vote on, in slices (folds, clusters)."""

    def path(self, weights: Array) -> list[VoteStep]:
        """Return the best vote of one system, then that system and the one that helps most, and so on.

        `weights` is the weight of each slice: 0 leaves it out.
        """

    def counts(self, vote: Vote, order: Ints) -> Ints:
        """Return (tp, n_pred, n_gold) of a vote per slice.

        Where answers have equally many votes, the system that comes first in `order` decides.
        """


@dataclass(frozen=True, eq=False)
class UnitBallots:
    """Units, which are returned when k systems have them."""

    patterns: Patterns
    """By slice, spurious and gold units one after the other."""
    names: Sequence[str]
    """Of the systems: equally good ones are taken in this order."""

    def counts(self, vote: Vote, order: Ints) -> Ints:  # noqa: ARG002 (nothing is tied)
        """Return (tp, n_pred, n_gold) of a vote per slice."""
        p = self.patterns
        taken = p.of_systems(vote.members).votes >= (vote.k or 0)
        returned = _summed(p.slices, p.counts * taken, p.size)
        n_gold = _summed(p.slices, p.counts, p.size)[1::2]
        return np.column_stack([returned[1::2], returned[0::2] + returned[1::2], n_gold])

    def path(self, weights: Array) -> list[VoteStep]:
        """Return the best vote of one system, then of one more, and so on."""
        p = self.patterns
        side = p.slices % 2
        heavy = p.counts * weights[p.slices // 2]
        n_gold = float(heavy[side == 1].sum())
        bits = p.bits.astype(np.float64)
        votes = np.zeros(len(heavy), np.int64)
        free = list(range(p.systems))
        members: list[int] = []
        steps = []
        while free and len(members) < MOST_MEMBERS:
            counts = _vote_counts(bits, votes, side, heavy, len(members), n_gold)[free]
            best = _first_best(
                [f_beta(c) for c in counts], [(self.names[i],) for i in free], counts[:, :, TP].max(axis=1)
            )
            i, k = free[best], int(np.argmax(np.nan_to_num(f_beta(counts[best]), nan=-1.0)))
            members.append(i)
            free.remove(i)
            votes += p.bits[:, i]
            steps.append(VoteStep(Vote(tuple(members), k + 1), np.rint(counts[best, k]).astype(np.int64)))
        return steps


def _vote_counts(bits: Array, votes: Ints, side: Ints, heavy: Array, members: int, n_gold: float) -> Array:
    """Return (tp, n_pred, n_gold) of all votes with one more system, `(systems, k from 1, 3)`."""
    systems = bits.shape[1]
    passed = np.zeros((2, systems, members + 2))
    for s in (0, 1):
        for v in range(members + 1):
            rows = np.flatnonzero((side == s) & (votes == v))
            with_it = heavy[rows] @ bits[rows]
            passed[s, :, v + 1] += with_it
            passed[s, :, v] += heavy[rows].sum() - with_it
    returned = passed[:, :, ::-1].cumsum(axis=2)[:, :, ::-1][:, :, 1:]
    return np.stack([returned[1], returned[0] + returned[1], np.full(returned[1].shape, n_gold)], axis=-1)


def _first_best(scores: Sequence[Array], names: Sequence[tuple[str, ...]], true_positives: Array) -> int:
    """Return the best candidate; of equal ones that with more true positives, then the first by name."""
    best = [float(np.nan_to_num(s, nan=-1.0).max()) for s in scores]
    return min(range(len(best)), key=lambda i: (-best[i], -true_positives[i], names[i]))


@dataclass(frozen=True, eq=False)
class AnswerBallots:
    """Items with one answer per system; the answer that most systems give is returned."""

    codes: NDArray[np.int16]
    """`(systems, items)`: answers of an item that are the same have the same number; -1 for no answer."""
    right: NDArray[np.bool_]
    """`(systems, items)`."""
    units: NDArray[np.bool_]
    """`(systems, items)`: whether the answer is a unit (and not the negative label)."""
    gold: NDArray[np.bool_]
    """Whether an item's right answer is a unit."""
    slices: Ints
    weights: Ints
    """Multiplicity of each item pattern."""
    size: int
    names: Sequence[str]

    def counts(self, vote: Vote, order: Ints) -> Ints:
        """Return (tp, n_pred, n_gold) of a vote per slice."""
        chosen = self._chosen(vote.members, self._votes(vote.members), order)
        returned, right = self._answers(chosen)
        return np.column_stack(
            [
                _summed(self.slices, self.weights * flags, self.size)
                for flags in (right & self.gold, returned, self.gold)
            ]
        )

    def path(self, weights: Array) -> list[VoteStep]:
        """Return the best system, then the plurality vote of it and the one that helps most, and so on."""
        heavy = self.weights * weights[self.slices]
        order = self.ranks(weights)
        free = list(range(len(self.codes)))
        members: list[int] = []
        votes = np.zeros((0, len(heavy)), np.int64)
        steps = []
        while free and len(members) < MOST_MEMBERS:
            tried = [self._tried(members, votes, i, heavy, order) for i in free]
            counts = np.array([attempt[1] for attempt in tried])
            best = _first_best([f_beta(c)[None] for c in counts], [(self.names[i],) for i in free], counts[:, TP])
            votes = tried[best][0]
            members.append(free[best])
            del free[best]
            steps.append(VoteStep(Vote(tuple(members), None), np.rint(counts[best]).astype(np.int64)))
        return steps

    def ranks(self, weights: Array) -> Ints:
        """Return the place of each system, the best first: by F1, then by name."""
        heavy = self.weights * weights[self.slices]
        counts = np.array([self._total(self.units[i], self.right[i], heavy) for i in range(len(self.codes))])
        f = np.nan_to_num(f_beta(counts), nan=-1.0)
        places = np.empty(len(f), np.int64)
        places[sorted(range(len(f)), key=lambda i: (-f[i], self.names[i]))] = np.arange(len(f))
        return places

    def _tried(self, members: Sequence[int], votes: Ints, new: int, heavy: Array, order: Ints) -> tuple[Ints, Array]:
        """Return the votes of members with one more, and what they return."""
        same = (self.codes[list(members)] == self.codes[new]) & (self.codes[new] >= 0)
        new_votes = same.sum(axis=0) + (self.codes[new] >= 0)
        all_votes = np.concatenate([votes + same, new_votes[None]])
        returned, right = self._answers(self._chosen((*members, new), all_votes, order))
        return all_votes, self._total(returned, right, heavy)

    def _votes(self, members: Sequence[int]) -> Ints:
        """Return how many members give each member's answer; 0 for no answer."""
        codes = self.codes[list(members)]
        return np.array([((codes == code) & (code >= 0)).sum(axis=0) for code in codes])

    def _chosen(self, members: Sequence[int], votes: Ints, order: Ints) -> Ints:
        """Return the system whose answer is taken: most votes, then the better system."""
        places = order[list(members)]
        key = votes * (len(order) + 1) + (len(order) - places)[:, None]
        return np.asarray(np.array(members)[key.argmax(axis=0)])

    def _answers(self, chosen: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        at = np.arange(len(chosen))
        return self.units[chosen, at], self.right[chosen, at]

    def _total(self, returned: NDArray[np.bool_], right: NDArray[np.bool_], heavy: Array) -> Array:
        return np.array([heavy @ (right & self.gold), heavy @ returned, heavy @ self.gold], np.float64)


def best_step(steps: Sequence[VoteStep]) -> VoteStep:
    """Return the vote with the highest F1; of equal ones that with the fewest members."""
    f = [float(np.nan_to_num(f_beta(step.counts.astype(np.float64)), nan=-1.0)) for step in steps]
    return steps[int(np.argmax(f))]


def _summed(slices: Ints, weights: NDArray[np.generic], size: int) -> Ints:
    return np.rint(np.bincount(slices, weights=weights, minlength=size)).astype(np.int64)
