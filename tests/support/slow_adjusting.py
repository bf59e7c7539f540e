"""Slow and obvious counterparts of strata and clusters of features, from section 6 of the definitions.

Ranks are those among all rows; what the definitions leave open is read as the package documents it: near chance the
normal distribution serves within strata, and no tail is smaller than the chance of the lowest possible sum.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy.optimize
import scipy.special
import scipy.stats

NEAR = -1.3
"""Of a standard normal variable: nearer to chance nothing is looked at closely."""


# ---------------------------------------------------------------------- strata


def deciles(values: Sequence[int]) -> list[int]:
    """Return the cuts: the smallest value that so many tenths of the values are not above, the largest left out."""
    cuts = {min(v for v in values if 10 * sum(w <= v for w in values) >= k * len(values)) for k in range(1, 10)}
    return sorted(cuts - {max(values)})


def strata_of(lengths: Sequence[int]) -> list[int] | None:
    """Return the stratum of each row; None where there is one for all."""
    if not lengths:
        return None
    cuts = deciles(lengths)
    code = [sum(cut < length for cut in cuts) for length in lengths]
    groups = [[value] for value in sorted(set(code))]

    def size(group: list[int]) -> int:
        return sum(value in group for value in code)

    while len(groups) > 1 and min(map(size, groups)) < 10:
        at = min(range(len(groups)), key=lambda k: size(groups[k]))
        beside = min((k for k in (at - 1, at + 1) if 0 <= k < len(groups)), key=lambda k: size(groups[k]))
        first, second = sorted((at, beside))
        groups[first] += groups.pop(second)
    return [next(k for k, group in enumerate(groups) if c in group) for c in code] if len(groups) > 1 else None


def lattice(ranks: Sequence[Fraction]) -> float:
    """Return the mean distance of other ranks from one that a fifth have, times how much of a lattice there is."""
    sizes = Counter(ranks)
    mode, most = min(sizes.items(), key=lambda rank: (-rank[1], rank[0]))
    others = [abs(float(rank - mode)) for rank in ranks if rank != mode]
    if 5 * most < len(ranks) or not others:
        return 0.0
    step = sum(others) / len(others)
    return step * float(abs(sum(np.exp(2j * np.pi * distance / step) for distance in others))) / len(others)


@dataclass
class Stratified:
    """Tests features within strata."""

    ranks: Sequence[Fraction]
    strata: Sequence[int]
    high: bool

    @cached_property
    def members(self) -> list[list[int]]:
        return [[i for i, s in enumerate(self.strata) if s == k] for k in sorted(set(self.strata))]

    @cached_property
    def centred(self) -> list[Fraction]:
        """Return ranks less the mean of their stratum."""
        means = {s: sum(self.ranks[i] for i in rows) / Fraction(len(rows)) for s, rows in enumerate(self.members)}
        return [rank - means[s] for rank, s in zip(self.ranks, self.strata, strict=True)]

    def z(self, own: frozenset[int]) -> float | None:
        centred, variance = self.centred, Fraction(0)
        for rows in self.members:
            n, n1 = len(rows), len(own.intersection(rows))
            spread = sum((centred[i] ** 2 for i in rows), Fraction(0))
            variance += Fraction(n1 * (n - n1), n * (n - 1)) * spread if n > 1 else 0
        return float(sum(centred[i] for i in own)) / math.sqrt(variance) if variance else None

    def tested(self, own: frozenset[int]) -> dict[str, Any]:
        """Return z, p and its method."""
        z = self.z(own)
        if z is None:
            return {"z": None, "p": 1.0, "method": None}
        low = -z if self.high else z
        if low >= NEAR:
            return {"z": z, "p": float(scipy.stats.norm.cdf(low)), "method": "normal"}
        if len(set(self.ranks)) == 2:
            return {"z": z, "p": self.convolved(own), "method": "hypergeometric"}
        chance, here = self.lowest(own)
        p = chance if here else max(self.saddlepoint(own), float(chance))
        return {"z": z, "p": p, "method": "saddlepoint"}

    def convolved(self, own: frozenset[int]) -> Fraction:
        """Return P(at most so many right), the sum of one hypergeometric number per stratum."""
        wanted = min(self.ranks) if self.high else max(self.ranks)
        chances = {0: Fraction(1)}
        for rows in self.members:
            right, n1 = sum(self.ranks[i] == wanted for i in rows), len(own.intersection(rows))
            before, chances = chances, {}
            for (k, chance), more in itertools.product(before.items(), range(n1 + 1)):
                ways = math.comb(right, more) * math.comb(len(rows) - right, n1 - more)
                chances[k + more] = chances.get(k + more, Fraction(0)) + chance * Fraction(
                    ways, math.comb(len(rows), n1)
                )
        observed = sum(self.ranks[i] == wanted for i in own)
        return sum((chance for k, chance in chances.items() if k <= observed), Fraction(0))

    def lowest(self, own: frozenset[int]) -> tuple[Fraction, bool]:
        """Return how probable the lowest (highest) possible sum is, and whether it is this one."""
        chance, sign, here = Fraction(1), -1 if self.high else 1, True
        for rows in self.members:
            ranks = sorted(sign * self.ranks[i] for i in rows)
            n1 = len(own.intersection(rows))
            if n1:
                ties, more = ranks.count(ranks[n1 - 1]), ranks[:n1].count(ranks[n1 - 1])
                chance *= Fraction(math.comb(ties, more), math.comb(len(rows), n1))
            here = here and sum(ranks[:n1]) == sign * sum(self.ranks[i] for i in own.intersection(rows))
        return chance, here

    def saddlepoint(self, own: frozenset[int]) -> float:
        """Return the double saddlepoint approximation, a tilt per stratum and one for the sum, solved by scipy."""
        centred = np.array([float(-c if self.high else c) for c in self.centred])
        scale = centred.std()
        values, step = centred / scale, lattice(self.ranks) / scale
        observed = float(values[list(own)].sum()) + step / 2
        n1 = [len(own.intersection(rows)) for rows in self.members]
        open_ = [(values[rows], k) for rows, k in zip(self.members, n1, strict=True) if 0 < k < len(rows)]
        bases = [math.log(k / (len(v) - k)) for v, k in open_]

        def shares(tilt: Any) -> list[Any]:
            return [scipy.special.expit(b + s + tilt[-1] * v) for (v, _), b, s in zip(open_, bases, tilt, strict=False)]

        def gradient(tilt: Any) -> list[float]:
            expected = shares(tilt)
            sums = [e.sum() - k for e, (_, k) in zip(expected, open_, strict=True)]
            return [*sums, sum((e * v).sum() for e, (v, _) in zip(expected, open_, strict=True)) - observed]

        tilt = scipy.optimize.root(gradient, np.zeros(len(open_) + 1), tol=1e-13).x
        t, cumulant, logs, left = tilt[-1], 0.0, 0.0, 0.0
        for share, (v, k), base, s in zip(shares(tilt), open_, bases, tilt, strict=False):
            cumulant += (np.logaddexp(0, base + s + t * v) - np.logaddexp(0, base)).sum() - s * k
            weight = share * (1 - share)
            logs += math.log(weight.sum() / (k * (1 - k / len(v))))
            left += (weight * v**2).sum() - (weight * v).sum() ** 2 / weight.sum()
        w = math.copysign(math.sqrt(2 * (t * observed - cumulant)), t)
        u = (2 * math.sinh(t * step / 2) / step if step else t) * math.sqrt(left) * math.exp(logs / 2)
        return float(scipy.stats.norm.cdf(w + math.log(u / w) / w))


def stratified_kendall(pairs: Sequence[tuple[float, float, int]], sign: int) -> tuple[float, float] | None:
    """Return τ_b and z of (value, rank, stratum): pairs of one stratum count, and their variances are added."""
    s = a = b = variance = 0.0
    for k in {stratum for *_, stratum in pairs}:
        x, y = zip(*[(sign * value, rank) for value, rank, stratum in pairs if stratum == k], strict=True)
        several = list(itertools.combinations(range(len(x)), 2))
        own = sum(float(np.sign((x[j] - x[i]) * (y[j] - y[i]))) for i, j in several)
        untied = sum(x[i] != x[j] for i, j in several), sum(y[i] != y[j] for i, j in several)
        s, a, b = s + own, a + untied[0], b + untied[1]
        if all(untied):
            variance += kendall_variance(x, y)
    return (s / math.sqrt(a * b), s / math.sqrt(variance)) if a and b and variance else None


def kendall_variance(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the variance of concordant less discordant pairs, with Kendall's correction for ties."""
    n = len(x)
    ties = [list(Counter(values).values()) for values in (x, y)]
    v0 = n * (n - 1) * (2 * n + 5)
    vx, vy = (sum(t * (t - 1) * (2 * t + 5) for t in sizes) for sizes in ties)
    v1 = math.prod(sum(t * (t - 1) for t in sizes) for sizes in ties) / (2 * n * (n - 1))
    v2 = math.prod(sum(t * (t - 1) * (t - 2) for t in sizes) for sizes in ties)
    return (v0 - vx - vy) / 18 + v1 + (v2 / (9 * n * (n - 1) * (n - 2)) if n > 2 else 0)


# ---------------------------------------------------------------------- clusters


@dataclass
class Profile:
    """How much nearer to chance features are since their rows lie together in clusters."""

    centred: Sequence[float]
    """Ranks, of which low ones are looked for."""
    clusters: Sequence[Hashable]
    step: float
    _sums: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def ratio(self, own: frozenset[int]) -> float:
        """Return the factor by which the normal quantile of p shrinks."""
        together = Counter(self.clusters[i] for i in own)
        total = sum(self.centred[i] for i in own)
        profile = Counter(together.values())
        apart = self.root(Counter({1: len(own)}), total)
        return min(1.0, max(0.0, self.root(profile, total) / apart)) if apart < -0.3 else 1.0

    def root(self, profile: Counter[int], total: float) -> float:
        """Return the signed root r of a sum under a profile: so many clusters have so many rows."""

        def cumulant(t: float) -> float:
            return sum(c * math.log(self.mean_of(m, t)) for m, c in profile.items())

        observed = total + self.step / 2
        end = -25 / max(-min(self.centred), 1e-9)

        def slope(t: float) -> float:
            return sum(c * self.moments(m, t)[0] for m, c in profile.items()) - observed

        t = (
            end
            if slope(end) > 0
            else 0.0
            if slope(0.0) < 0
            else float(scipy.optimize.brentq(slope, end, 0, xtol=1e-14))
        )
        curve = sum(c * self.moments(m, t)[1] for m, c in profile.items())
        w = -math.sqrt(max(2 * (t * observed - cumulant(t)), 0))
        if abs(w) < 0.3:
            moments = [(c, *self.moments(m, 0.0)) for m, c in profile.items()]
            mean, variance = sum(c * first for c, first, _ in moments), sum(c * second for c, _, second in moments)
            return min((total - mean) / math.sqrt(variance), 0.0) if variance > 1e-12 else 0.0
        u = (2 * math.sinh(t * self.step / 2) / self.step if self.step else t) * math.sqrt(curve)
        r = w + math.log(u / w) / w if u / w > 0 else math.nan
        return r if r < 0 else w

    def sums(self, m: int) -> tuple[Any, Any]:
        """Return the sums of all ways to pick m rows of one cluster, and the weight of each way."""
        if m not in self._sums:
            members: dict[Hashable, list[float]] = {}
            for value, cluster in zip(self.centred, self.clusters, strict=True):
                members.setdefault(cluster, []).append(value)
            large = [values for values in members.values() if len(values) >= m]
            every = sum(map(len, large))
            ways = [[sum(some) for some in itertools.combinations(values, m)] for values in large]
            weights = [len(values) / every / len(sums) for values, sums in zip(large, ways, strict=True)]
            repeated = np.repeat(weights, [len(sums) for sums in ways])
            self._sums[m] = np.array(list(itertools.chain(*ways))), repeated
        return self._sums[m]

    def mean_of(self, m: int, t: float, power: int = 0) -> float:
        """Return the mean of sumᵏ · exp(t · sum) over the ways to pick m rows of a cluster, and over clusters."""
        sums, weights = self.sums(m)
        return float((weights * sums**power * np.exp(t * sums)).sum())

    def moments(self, m: int, t: float) -> tuple[float, float]:
        """Return the first two derivatives of log M_m."""
        mean, first, second = (self.mean_of(m, t, power) for power in range(3))
        return first / mean, second / mean - (first / mean) ** 2


def by_cluster(p: float | Fraction, ratio: Callable[[], float]) -> float | Fraction:
    """Return p corrected for clusters."""
    quantile = scipy.special.ndtri_exp(min(math.log(p), -1e-12)) if p > 0 else -math.inf
    if quantile >= NEAR:
        return p
    factor = ratio()
    return float(scipy.stats.norm.cdf(quantile * factor)) if factor < 1 else p


def design_effect(
    values: Sequence[float], ranks: Sequence[float], strata: Sequence[int], clusters: Sequence[Any]
) -> float:
    """Return how many times a number's variance is that of independent rows, centred within strata."""
    x, v = (centred_within(numbers, strata) for numbers in (values, ranks))
    names = sorted(set(clusters), key=repr)
    members = [[i for i, c in enumerate(clusters) if c == name] for name in names]
    n, k = len(x), len(members)
    squares = sum(value**2 for value in x)
    if k < 2 or n <= k or not squares:
        return 1.0
    means = [sum(v[i] for i in rows) / len(rows) for rows in members]
    between = sum(len(rows) * (mean - sum(v) / n) ** 2 for rows, mean in zip(members, means, strict=True)) / (k - 1)
    within = sum((v[i] - mean) ** 2 for rows, mean in zip(members, means, strict=True) for i in rows) / (n - k)
    size = (n - sum(len(rows) ** 2 for rows in members) / n) / (k - 1)
    if between + (size - 1) * within <= 0:
        return 1.0
    icc = (between - within) / (between + (size - 1) * within)
    together = sum(sum(x[i] for i in rows) ** 2 for rows in members) / squares
    return max(1.0, 1 - icc + icc * together)


def centred_within(values: Sequence[float], strata: Sequence[int]) -> list[float]:
    means = {s: np.mean([value for value, other in zip(values, strata, strict=True) if other == s]) for s in strata}
    return [float(value - means[s]) for value, s in zip(values, strata, strict=True)]
