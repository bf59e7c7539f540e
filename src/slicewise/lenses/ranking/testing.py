"""Features ranked by how surely they go with low scores: every one tested, corrected, ordered, and folded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.extract.family import Kind
from slicewise.extract.pairs import Pairs
from slicewise.extract.parallel import parallel_map
from slicewise.extract.relation import Limits
from slicewise.lenses.ranking.numbers import Number
from slicewise.lenses.ranking.sources import FeatureSource, Single, Tails, Together, named
from slicewise.lenses.ranking.strata import Strata
from slicewise.read.columns import column_number
from slicewise.stats.geval import GevalNumber, geval_tail
from slicewise.stats.kendall import Agreement, Kendall, stratified_kendall
from slicewise.stats.rank_sums import METHODS, NORMAL, RankNull, Side
from slicewise.stats.stratified_ranks import FAR, StratifiedNull
from slicewise.stats.tails import LN10, Tail

KENDALL = len(METHODS)
CLUSTERED = KENDALL + 1
"""What is added to the number of a way where p was corrected for clusters."""
WAYS = tuple(f"{way}{more}" for more in ("", ", by cluster") for way in (*METHODS, "kendall"))
"""How p was found, by number."""
CONFUSED = 3
Halves = tuple[NDArray[np.int32], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class Tests:
    """Everything that was tested; one entry per feature."""

    source: NDArray[np.int32]
    place: Ints
    n: Ints
    doubled: Ints
    """The sum of the doubled ranks of the rows with the feature."""
    centred: Array
    """The same less what is expected, given the strata."""
    auc: Array
    z: Array
    p: Array
    log10_p: Array
    method: NDArray[np.int8]
    chi2: Array

    @classmethod
    def joined(cls, parts: Sequence[Tests]) -> Tests:
        """Return several, one after the other."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    def take(self, at: Ints) -> Tests:
        """Return some."""
        return Tests(**{name: getattr(self, name)[at] for name in self.__dataclass_fields__})

    def __len__(self) -> int:
        return len(self.n)


@dataclass(frozen=True)
class Ranking:
    """What was tested, with where each feature comes from."""

    sources: tuple[FeatureSource, ...]
    singles: tuple[Single, ...]
    """What pairs are made of; the first of the sources, unless rare features are parts of pairs too."""
    tests: Tests
    tested: Array
    """p of everything that was tested, also of pairs that cannot be listed."""
    among: Ints
    """The place of each feature among these."""

    def names(self, at: Ints) -> pl.Series:
        """Return the names of some features."""
        return named(self.sources, self.tests.source[at], self.tests.place[at])

    def ordered(self, top: int, *, high: bool) -> Ints:
        """Return the features by p; equal ones by z, then the more frequent, then by name.

        Only as many are put in order as can be among the `top`; 0 = all.
        """
        tests = self.tests
        z = np.where(np.isnan(tests.z), 0, -tests.z if high else tests.z)
        order = np.lexsort((-tests.n, z, tests.log10_p))
        keys = np.column_stack([tests.log10_p[order], z[order], -tests.n[order]])
        new = np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)]) if len(order) else np.zeros(0, np.bool_)
        run = np.cumsum(new)
        if top and top < len(order):
            order, run = order[run <= run[top - 1]], run[run <= run[top - 1]]
        frame = pl.DataFrame({"run": run, "name": self.names(order), "at": order})
        return frame.sort("run", "name", maintain_order=True)["at"].to_numpy()[: top or None]


@dataclass(frozen=True)
class FamilyCounts:
    """Features of one family: how many rows have each, and the sum of their doubled ranks."""

    source: Single
    n: Ints
    doubled: Ints
    words: Ints | None = None
    """How many rows of each stratum, packed; None where there are no strata."""


@dataclass(frozen=True, eq=False)
class Adjustment:
    """Strata of rows, and how their scores are ranked."""

    strata: Strata
    null: StratifiedNull


@dataclass(frozen=True, eq=False)
class NumberEvidence:
    """A number that rows have."""

    number: Number
    strata: Sequence[Agreement] | None
    """How it goes with scores within each stratum; None where it is not adjusted for them."""
    raw_effect: float
    """How many times the variance of their agreement is that of independent rows."""
    effect_within: float
    """The same within strata."""

    @property
    def design_effect(self) -> float:
        """How many times the variance of what is tested is that of independent rows."""
        return self.raw_effect if self.strata is None else self.effect_within

    def kendall(self) -> Kendall:
        """Return how the number goes with scores; z corrected for clusters."""
        if self.strata is None:
            return self.raw()
        return _corrected(stratified_kendall(self.strata), self.effect_within)

    def raw(self) -> Kendall:
        """Return the same without strata."""
        return _corrected(self.number.agreement.kendall(), self.raw_effect)


def _corrected(agreement: Kendall, design_effect: float) -> Kendall:
    return replace(agreement, z=agreement.z / math.sqrt(design_effect))


class RankingEvidence(Protocol):
    """What a ranking is made of: counts of rows, wherever the rows are."""

    @property
    def size(self) -> int:
        """How many rows there are."""

    @property
    def null(self) -> RankNull:
        """How their scores are ranked."""

    @property
    def adjustment(self) -> Adjustment | None:
        """What is adjusted for."""

    def singles(self, least: int) -> list[FamilyCounts]:
        """Return the features that enough rows have, and enough have not, family by family."""

    def numbers(self) -> list[NumberEvidence]:
        """Return the numbers that rows have."""

    def geval_number(self, numbers: Number) -> GevalNumber | None:
        """Return what the published tool says of a number."""

    def pairs(self, sources: Sequence[Single], source: NDArray[np.int32], place: Ints, least: int) -> Iterator[Pairs]:
        """Return all pairs of some features that at least so many rows have, block by block."""

    def pair_ratios(
        self, sources: Sequence[Single], parts: Tests, a: Ints, b: Ints, centred: Array, side: Side
    ) -> Array | None:
        """Return by what factor the distance from chance of pairs shrinks for clusters; None: rows are independent."""


def ranked(evidence: RankingEvidence, *, least: int, side: Side, geval: bool) -> Ranking:
    """Test every feature that enough rows have, and enough have not; rows are independent."""
    tester = _Tester(evidence, side, geval)
    single = evidence.singles(max(least, 1))
    parts = parallel_map(lambda i: tester.contained(single[i], i), range(len(single)))
    sources: list[FeatureSource] = [counts.source for counts in single]
    for numbers in evidence.numbers():
        for source, number_tests in tester.number(numbers, len(sources), least):
            parts.append(number_tests)
            sources.append(source)
    tests = Tests.joined(parts) if parts else _nothing()
    return Ranking(tuple(sources), tuple(counts.source for counts in single), tests, tests.p, np.arange(len(tests)))


def with_pairs(
    evidence: RankingEvidence, ranking: Ranking, *, least: int, pair_least: int, side: Side, geval: bool
) -> Ranking:
    """Return a ranking with the pairs of its features, too, of those that say more than either part."""
    tester = _Tester(evidence, side, geval)
    singles, alone = ranking.singles, ranking.tests.take(np.flatnonzero(ranking.tests.source < len(ranking.singles)))
    limits = (max(pair_least, 1), max(pair_least, 1))
    if geval:  # any feature of enough rows is a part, and the pair is a feature like any other
        counted, alone = tester.every_part(least)
        singles = tuple(counts.source for counts in counted)
        limits = (max(pair_least, 1), max(least, 1))
    together, paired, p, at = tester.pairs(singles, alone, len(ranking.sources), limits)
    among = np.concatenate([ranking.among, len(ranking.tested) + at])
    tests, tested = Tests.joined([ranking.tests, paired]), np.concatenate([ranking.tested, p])
    return Ranking((*ranking.sources, together), singles, tests, tested, among)


def corrected(tests: Tests, at: Ints, ratios: Array) -> Tests:
    """Return tests some of which are less extreme by a factor, since their rows lie together in clusters."""
    from scipy.special import log_ndtr

    smaller = ratios < 1
    at, ratios = at[smaller], ratios[smaller]
    log_p = log_ndtr(normal_scores(tests)[at] * ratios)
    p, log10_p, method = tests.p.copy(), tests.log10_p.copy(), tests.method.copy()
    p[at], log10_p[at] = np.exp(log_p), log_p / LN10
    method[at] += np.int8(CLUSTERED)
    return replace(tests, p=p, log10_p=log10_p, method=method)


def normal_scores(tests: Tests) -> Array:
    """Return the quantile of the normal distribution that has the same p: low is surely different."""
    from scipy.special import ndtri_exp

    return np.asarray(ndtri_exp(np.minimum(tests.log10_p * LN10, -1e-12)))


def _nothing() -> Tests:
    empty = np.zeros(0)
    whole = np.zeros(0, np.int64)
    return Tests(
        whole.astype(np.int32), whole, whole, whole, empty, empty, empty, empty, empty, whole.astype(np.int8), empty
    )


@dataclass(frozen=True)
class _Tester:
    evidence: RankingEvidence
    side: Side
    geval: bool

    @property
    def null(self) -> RankNull:
        return self.evidence.null

    def binary(
        self, source: NDArray[np.int32], place: Ints, n: Ints, doubled: Ints, words: Ints | None = None
    ) -> Tests:
        """Test features that rows have or have not."""
        adjustment, expected = self.evidence.adjustment, n * (self.null.n + 1.0)
        if adjustment is not None and words is not None:
            counts = adjustment.strata.unpacked(words, n)
            auc, _, chi2 = self.null.effects(n, doubled)
            within = adjustment.null.tests(counts, doubled, self.side)
            p, log10_p, method, z = np.exp(within.log_p), within.log_p / LN10, within.method, within.z
            centred = doubled - counts @ adjustment.null.means
            return Tests(source, place, n, doubled, centred, auc, z, p, log10_p, method, chi2)
        tests = self.null.tests(n, doubled, self.side)
        p, log10_p, method, z = tests.p, tests.log10_p, tests.method, tests.z
        if self.geval:
            mirrored = doubled if self.side == "low" else 2 * n * (self.null.n + 1) - doubled
            tail = geval_tail(self.null.n, n, mirrored)
            z = z * np.sqrt(1 - self.null.ties / (self.null.n**3 - self.null.n)) if self.null.n > 1 else z
            p, log10_p, method = tail.p, tail.log10_p, np.full(len(n), NORMAL, np.int8)
        return Tests(source, place, n, doubled, doubled - expected, tests.auc, z, p, log10_p, method, tests.chi2)

    def contained(self, counts: FamilyCounts, number: int) -> Tests:
        """Test the features of a family."""
        size = len(counts.n)
        source = np.full(size, number, np.int32)
        return self.binary(source, np.arange(size), counts.n, counts.doubled, counts.words)

    def number(self, evidence: NumberEvidence, number: int, least: int) -> list[tuple[FeatureSource, Tests]]:
        """Test a number both ways: as two features, or as the published tool does, as one."""
        numbers = evidence.number
        if numbers.size < max(2, 0 if self.geval else least) or numbers.alike:
            return []
        if self.geval:
            return self._geval_number(numbers, number)
        agreement = evidence.kendall()
        if np.isnan(agreement.z):
            return []
        tails, n, doubled = self._ends(numbers, agreement)
        z = np.array([agreement.z, -agreement.z])
        method = KENDALL + (CLUSTERED if evidence.design_effect > 1 else 0)
        tests = Tests(
            np.full(2, number, np.int32), np.arange(2), n, doubled, doubled - n * (self.null.n + 1.0),
            self.null.effects(n, doubled)[0], z, np.array([float(t.p) for t in tails]),
            np.array([float(t.log10_p) for t in tails]), np.full(2, method, np.int8), np.full(2, np.nan),
        )  # fmt: skip
        raw = self._ends(numbers, evidence.raw())[0]
        raw_p = (float(raw[0].p), float(raw[1].p))
        return [(Tails(numbers, agreement.tau, raw_p=raw_p, adjusted=evidence.strata is not None), tests)]

    def _ends(self, numbers: Number, agreement: Kendall) -> tuple[tuple[Tail, Tail], Ints, Ints]:
        """Return the tails of a number's large and small values, and how many rows and what ranks these have."""
        tails = (agreement.large, agreement.small) if self.side == "low" else (agreement.small, agreement.large)
        n, doubled = np.array([numbers.extreme(large=large) for large in (True, False)]).T
        return tails, n, doubled

    def _geval_number(self, numbers: Number, number: int) -> list[tuple[FeatureSource, Tests]]:
        result = self.evidence.geval_number(numbers)
        if result is None:
            return []
        length = "#" if numbers.kind is Kind.LENGTH else ""
        source = Tails(numbers, np.nan, f"{numbers.space or numbers.name}:={length}{result.direction}", result.mean)
        ones = np.ones(1)
        tests = Tests(
            np.full(1, number, np.int32), np.array([1 if result.direction == "-" else 0]), np.array([result.count]),
            np.zeros(1, np.int64), ones * np.nan, ones * np.nan, ones * np.nan, ones * result.p,
            np.log10(np.maximum(ones * result.p, 5e-324)),
            np.full(1, KENDALL, np.int8), ones * np.nan,
        )  # fmt: skip
        return [(source, tests)]

    def every_part(self, least: int) -> tuple[list[FamilyCounts], Tests]:
        """Return all features, those that cannot be listed behind all others."""
        counted = self.evidence.singles(0)
        tests = [self.contained(counts, i) for i, counts in enumerate(counted)]
        joined = Tests.joined(tests) if tests else _nothing()
        listed = Limits(max(least, 1), self.evidence.size)(joined.n)
        return counted, replace(joined, log10_p=np.where(listed, joined.log10_p, np.inf))

    def pairs(
        self, sources: Sequence[Single], tests: Tests, number: int, limits: tuple[int, int]
    ) -> tuple[Together, Tests, Array, Ints]:
        """Test all pairs; list those that say more than either part; return p of all, and where the listed ones are."""
        part_least, least = limits
        parts, names = _frequent(sources, tests, part_least)
        label = np.array([_label_side(source) for source in sources], np.int8)[parts.source]
        kept: list[tuple[NDArray[np.int32], NDArray[np.int32], Tests]] = []
        tested: list[Array] = [np.zeros(0)]
        places: list[Ints] = [np.zeros(0, np.int64)]
        for block in self.evidence.pairs(sources, parts.source, parts.place, least):
            confused = (label[block.a] | label[block.b]) == CONFUSED
            at = np.flatnonzero((self.evidence.size - block.counts >= least) & (self.geval | ~confused))
            a, b, n = block.a[at], block.b[at], block.counts[at]
            words = np.column_stack([word[at] for word in block.more]) if block.more else None
            block_tests = self.binary(
                np.full(len(at), number, np.int32), np.zeros(len(at), np.int64), n, block.sums[at], words
            )
            part_p = np.minimum(parts.log10_p[a], parts.log10_p[b])
            block_tests = self._pairs_by_cluster(sources, parts, (a, b), block_tests, part_p)
            more = np.flatnonzero(block_tests.log10_p < part_p)
            places.append(more + sum(map(len, tested)))
            tested.append(block_tests.p)
            kept.append((a[more], b[more], block_tests.take(more)))
        none = np.zeros(0, np.int32)
        together = Together(
            names,
            parts.source,
            parts.place,
            np.concatenate([none, *(a for a, _, _ in kept)]),
            np.concatenate([none, *(b for _, b, _ in kept)]),
        )
        listed = Tests.joined([_nothing(), *(block_tests for _, _, block_tests in kept)])
        listed = replace(listed, place=np.arange(len(listed)))
        return together, listed, np.concatenate(tested), np.concatenate(places)

    def _pairs_by_cluster(
        self, sources: Sequence[Single], parts: Tests, pair: Halves, tests: Tests, part_p: Array
    ) -> Tests:
        """Correct pairs for clusters that say more than their parts; the p of others is not below that of a part."""
        if self.geval:
            return tests
        at = np.flatnonzero((tests.log10_p < part_p) & (normal_scores(tests) < FAR) & ~np.isnan(tests.z))
        if not len(at):
            return tests
        a, b = (half[at].astype(np.int64) for half in pair)
        ratios = self.evidence.pair_ratios(sources, parts, a, b, tests.centred[at], self.side)
        return tests if ratios is None else corrected(tests, at, ratios)


def _frequent(sources: Sequence[Single], tests: Tests, least: int) -> tuple[Tests, pl.Series]:
    """Return the features that pairs are made of, in the order in which a pair names its parts, and their names."""
    at = np.flatnonzero(tests.n >= least)
    spaces = sorted(dict.fromkeys(source.space for source in sources), key=_space_key)
    keys = [(spaces.index(source.space), *_length_key(source)) for source in sources]
    frame = pl.DataFrame(keys, orient="row", schema={"space": pl.Int64, "length": pl.Int64, "shape": pl.Boolean})
    frame = frame[tests.source[at]].with_columns(name=named(sources, tests.source[at], tests.place[at]), at=at)
    frame = frame.sort("space", "length", "shape", "name")
    return tests.take(frame["at"].to_numpy()), frame["name"]


def _space_key(space: str) -> tuple[int, int, str]:
    """Return what comes first in a pair: what was expected, what was returned, the inputs by their numbers."""
    number = space.removeprefix("in<").removesuffix(">")
    return {"exp": 0, "out": 1}.get(space, 2), column_number(number) or 0, space


def _length_key(source: Single) -> tuple[int, bool]:
    """Return that shorter runs come first, and text before shapes."""
    return {Kind.BIGRAM: 1, Kind.NGRAM: 2}.get(source.kind, 0), source.shaped


def _label_side(source: Single) -> int:
    """Return 1 for labels that were expected, 2 for labels that were returned: together they are a confusion."""
    return {"exp": 1, "out": 2}.get(source.space, 0) if source.kind is Kind.LABEL else 0
