"""Systems together: the gain of a vote that was chosen, and the intervals of `complement` and `difficulty`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.claim import COVERAGE, SIZE, Claim, Counted, Promise, Setting, covered, hit, total
from calibrate.worlds.columns import labelled
from calibrate.worlds.documents import Documents
from calibrate.worlds.voters import ACCURACY, COMP, coin_tossers, independent, vote_of_three
from slicewise.lenses.complement import ComplementResult
from slicewise.lenses.difficulty import DifficultyResult

GAIN, ABOVE, HOLDS = "gain − truth", "gain above 0 by chance", "gain"
PAIR, VOTE = "complementarity", "accuracy of a vote"
SHARE, BIN = "share of a bin", "difference in a bin"
UNBIASED = Promise(low=-0.005, high=0.005, share=False)


@dataclass(frozen=True)
class CoinTossers:
    """Systems of which no vote is better than one."""

    systems: int
    documents: Documents
    items: int

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set; the true gain of any vote is 0, and so is any difference in any bin."""
        document = self.documents.of_items(rng, self.items)
        data = labelled(coin_tossers(rng, self.documents, document, self.systems), {}, document)
        result = slicewise.complement(data, resamples=400)
        difficulty = slicewise.difficulty(data, resamples=400)
        gained = {name: count for name, count in gain(result, 0.0).items() if name != HOLDS}  # often there is none
        return {**gained, **intervals(result), SHARE: shares(difficulty), BIN: in_bins(difficulty)}


@dataclass(frozen=True)
class Independent:
    """Three systems that fail independently: a vote of all three is better by a known amount."""

    accuracy: float
    items: int

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set of independent items."""
        document = np.arange(self.items)
        data = labelled(independent(rng, document, 3, self.accuracy), {}, document)
        truth = vote_of_three(self.accuracy) - self.accuracy
        counts = gain(slicewise.complement(data, resamples=400), truth)
        return {name: count for name, count in counts.items() if name != ABOVE}


def gain(result: ComplementResult, truth: float) -> Mapping[str, Counted]:
    """Count the gain of the cross-validated vote; where no fold chooses a vote it is 0 and has no interval."""
    vote = result.greedy.cross_validated if result.greedy else None
    if vote is None or vote.gain is None:
        return {}
    above = vote.gain_ci is not None and vote.gain_ci[0] > 0
    return {GAIN: (vote.gain - truth, 1.0), ABOVE: hit(above), HOLDS: covered(vote.gain_ci, truth)}


def intervals(result: ComplementResult) -> Mapping[str, Counted]:
    """Count the intervals of complementarity of all pairs, and of votes that were not chosen."""
    pairs = [covered((pair.ci or {}).get("comp"), COMP) for pair in result.pairs]
    votes = [
        covered((vote.ci or {}).get("f1"), ACCURACY)
        for vote in result.ensembles
        if vote.kind == "vote" and vote.k is None
    ]
    return {PAIR: total(pairs), VOTE: total(votes)}


def shares(result: DifficultyResult) -> Counted:
    """Count the intervals of systems' shares of bins: of what n of them find, each finds its n-th part."""
    bounds = result.gold.ci or {}
    systems = len(bounds)
    return total([covered(of[n], n / systems) for of in bounds.values() for n in range(1, systems)])


def in_bins(result: DifficultyResult) -> Counted:
    """Count the intervals of differences between two systems in the bins where they can differ."""
    bins = [of_bin for pair in result.pairwise for of_bin in pair.bins if 0 < of_bin.bin < len(result.gold.totals) - 1]
    return total([covered(of_bin.ci, 0.0) for of_bin in bins])


def _tossers(systems: int, items: int, world: Documents) -> Setting:
    return Setting(f"{systems} systems, {items} items, {world.said}, no vote helps", CoinTossers(systems, world, items))


CLAIM = Claim(
    name="outcomes",
    title="Systems together: votes, complementarity, bins",
    text=(
        "Systems that are all right, all wrong, or toss a coin each, so that no vote is better than one system; "
        "and three that fail independently, so that a vote is. The gain is that of the chosen vote, "
        "cross-validated. Counted: its mean distance from the truth, runs in which its lower bound is above 0 "
        "although no vote helps, and 95% intervals that hold the truth."
    ),
    figures={GAIN: UNBIASED, ABOVE: SIZE, **dict.fromkeys((HOLDS, PAIR, VOTE, SHARE, BIN), COVERAGE)},
    settings=(
        _tossers(3, 60, Documents(60)),
        _tossers(3, 300, Documents(300)),
        _tossers(3, 300, Documents(30, 0.1)),
        _tossers(5, 300, Documents(300)),
        _tossers(5, 600, Documents(100, 0.25)),
        Setting("3 systems, 300 items, independent errors, accuracy 0.8", Independent(0.8, 300)),
        Setting("3 systems, 600 items, independent errors, accuracy 0.7", Independent(0.7, 600)),
    ),
    runs=150,
    chart="coverage",
)
