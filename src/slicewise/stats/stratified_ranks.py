"""Rank sums of features within strata: whether items with a feature score lower than others of their stratum.

Items of a stratum are exchangeable, strata are independent given how many of their items have the feature. All a test
needs is that number per stratum and the sum of the ranks of all items that have it. Ranks are doubled and are those
among all items, so that two different scores remain two, and sums lie on the lattice they lay on without strata.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.rank_sums import HYPERGEOMETRIC, NORMAL, SADDLEPOINT, Side
from slicewise.stats.rank_tails import MODAL, TiedPlaces, log_choose, merged_ties
from slicewise.stats.ratio import ratio

GROUPS = 36
"""Of neighbouring ranks that are treated as equal in a stratum, where there are more than four times as many."""
MOST_CONVOLVED = 200
"""Items with a feature up to which the numbers of right ones are added up exactly."""
FAR = -1.3
"""Where the normal distribution puts a feature below this, its tail is computed; p above are not looked at closely."""
TOGETHER = 4096
"""Features whose numbers are added up in one array."""
AT_ONCE = 2**19  # values of an array that are worked on together
ITERATIONS, TOLERANCE, LARGEST_STEP = 60, 1e-9, 2.0
CENTRE = 1e-2  # from where on r* loses digits, and the normal distribution serves


@dataclass(frozen=True, eq=False)
class StratifiedTests:
    """One test per feature."""

    z: Array
    """Given the strata; NaN where no score differs within any, or no item is left to compare."""
    log_p: Array
    """Natural logarithm of the one-sided p; 0 where z is NaN."""
    method: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class StratifiedNull:
    """The null distribution of rank sums given strata, from counts of ranks by stratum and group of neighbours."""

    n: Ints
    """`(strata, groups)`: how many items there are."""
    doubled: Ints
    """The sum of their doubled ranks."""
    squares: Ints
    """The sum of squared distances of their doubled ranks from the middle of the group."""
    middles: Array
    """`(groups,)`."""
    modal: int | None
    """The group of the score that many items share, if there is one."""

    @classmethod
    def of(cls, items: TiedPlaces, bounds: Ints, n: Ints, doubled: Ints, squares: Ints) -> StratifiedNull:
        """Make it from counts by groups between bounds of `rank_groups`."""
        sizes = np.diff(bounds)
        largest = int(np.argmax(sizes))
        start, size = (int(numbers[0]) for numbers in items.tie_at(bounds[[largest]]))
        tied = start == bounds[largest] and size == sizes[largest]
        modal = largest if tied and size >= MODAL * items.n else None
        return cls(n, doubled, squares, group_middles(bounds), modal)

    @cached_property
    def sizes(self) -> Ints:
        """How many items each stratum has."""
        return np.asarray(self.n.sum(axis=1))

    @cached_property
    def means(self) -> Array:
        """The mean doubled rank of each stratum."""
        return ratio(self.doubled.sum(axis=1), self.sizes)

    @cached_property
    def variances(self) -> Array:
        """The variance, with n − 1, of the doubled ranks of each stratum."""
        inside = self.doubled - self.n * self.middles  # distances from the middle of the group
        apart = self.middles - self.means[:, None]
        squares = self.squares + 2 * apart * inside + self.n * apart**2
        return ratio(np.maximum(squares.sum(axis=1), 0.0), self.sizes - 1, otherwise=0.0)

    @cached_property
    def _values(self) -> Array:
        """The standardised rank of each group of each stratum, centred there; with the variance of single ranks."""
        scale = self.scale
        centred = np.where(self.n > 0, ratio(self.doubled, self.n, otherwise=0.0) - self.means[:, None], 0.0)
        grouped = (self.n * centred**2).sum(axis=1)
        widened = np.sqrt(ratio(self.variances * (self.sizes - 1), grouped, otherwise=1.0))
        return np.asarray(centred * widened[:, None] / scale)

    @cached_property
    def scale(self) -> float:
        """The standard deviation of a doubled rank within strata."""
        total = float((self.variances * (self.sizes - 1)).sum())
        return float(np.sqrt(total / max(int(self.sizes.sum()), 1))) or 1.0

    @cached_property
    def _filled(self) -> Ints:
        return np.flatnonzero(self.n.sum(axis=0))

    @property
    def binary(self) -> bool:
        """Whether there are two different scores."""
        return len(self._filled) == 2 and not self.squares.any()

    @cached_property
    def step(self) -> float:
        """Between neighbouring sums, standardised."""
        n = self.n.sum(axis=0)
        ranks = ratio(self.doubled.sum(axis=0), n, otherwise=0.0)
        if self.modal is None and not self.binary:
            return 0.0
        return lattice_step(ranks[self._filled], n[self._filled]) / self.scale

    def tests(self, n1: Ints, doubled_sum: Ints, side: Side = "low") -> StratifiedTests:
        """Test features that `n1[:, s]` items of each stratum have, with the sum of their doubled ranks."""
        size = self.sizes.astype(np.float64)
        expected = n1 @ self.means
        variance = (n1 * (1 - ratio(n1, size, otherwise=0.0))) @ self.variances
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(variance > 1e-9 * self.scale**2, (doubled_sum - expected) / np.sqrt(variance), np.nan)
        low = z if side == "low" else -z
        log_p, method = np.zeros(len(z)), np.full(len(z), NORMAL, np.int8)
        from scipy.special import log_ndtr

        near = ~np.isnan(z)
        log_p[near] = log_ndtr(low[near])
        far = np.flatnonzero(low < FAR)
        if len(far):
            total = (doubled_sum[far] - expected[far]) / self.scale
            tail = _Tail(self, n1[far], total if side == "low" else -total, side)
            log_p[far], method[far] = tail.log_p(doubled_sum[far])
        return StratifiedTests(z, np.minimum(log_p, 0.0), method)


def lattice_step(ranks: Array | Ints, n: Ints) -> float:
    """Return the distance of other ranks from the most frequent one, of which a fifth of the items are, else 0.

    As far as sums lie on a lattice of that step: its share is that in the characteristic function, 1 if all others are
    equally far.
    """
    if not len(n):
        return 0.0
    mode = int(np.argmax(n))
    distance, weight = np.abs(ranks - ranks[mode]), n.astype(np.float64)
    weight[mode] = 0.0
    if n[mode] < MODAL * n.sum() or not weight.sum():
        return 0.0
    step = float((weight * distance).sum() / weight.sum())
    return step * float(abs((weight * np.exp(2j * np.pi * distance / step)).sum()) / weight.sum())


def rank_groups(items: TiedPlaces) -> Ints:
    """Return the bounds of the groups of neighbouring ranks that are counted by stratum."""
    return merged_ties(items, GROUPS)


def group_middles(bounds: Ints) -> Array:
    """Return the doubled rank in the middle of each group."""
    return (bounds[:-1] + bounds[1:] + 1).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Tail:
    """The lower tails of some features; of negated ranks, where high scores are looked for."""

    null: StratifiedNull
    n1: Ints
    total: Array
    """Sums of standardised centred ranks."""
    side: Side

    def log_p(self, doubled_sum: Ints) -> tuple[Array, NDArray[np.int8]]:
        """Return the tails and how they were found."""
        log_p, method = np.full(len(self.total), np.nan), np.full(len(self.total), SADDLEPOINT, np.int8)
        if self.null.binary:
            count = self.n1.sum(axis=1)
            few = np.flatnonzero(count <= MOST_CONVOLVED)
            low, high = self.null.middles[self.null._filled]
            right = np.round((doubled_sum[few] - count[few] * low) / (high - low)).astype(np.int64)
            column = 0 if self.side == "low" else 1
            hits = count[few] - right if self.side == "low" else right
            marked = self.null.n[:, self.null._filled[column]]
            log_p[few] = log_at_least(self.null.sizes, marked, self.n1[few], hits)
            method[few[~np.isnan(log_p[few])]] = HYPERGEOMETRIC
        rest = np.flatnonzero(np.isnan(log_p))
        values = self.null._values if self.side == "low" else -self.null._values
        sampling = _StratifiedSampling(values, self.null.n.astype(np.float64), self.null.step)
        step = max(1, AT_ONCE // values.size)
        for first in range(0, len(rest), step):
            at = rest[first : first + step]
            log_p[at] = sampling.log_at_most(self.n1[at].astype(np.float64), self.total[at])
        log_lowest, lowest = self._lowest(rest)
        at_the_end = self.total[rest] <= lowest + 1e-9
        log_p[rest] = np.where(at_the_end, log_lowest, np.maximum(log_p[rest], log_lowest))
        return log_p, method

    def _lowest(self, at: Ints) -> tuple[Array, Array]:
        """Return how probable the lowest possible sum is at least: no tail is smaller; and that sum.

        It is −∞ where ranks are grouped, and nothing is known of single ones.
        """
        n1, order = self.n1[at], slice(None, None, 1 if self.side == "low" else -1)
        values = self.null._values[:, order] * (1 if self.side == "low" else -1)
        n, tied = self.null.n[:, order], self.null.squares[:, order] == 0
        chance, lowest = np.zeros(len(at)), np.zeros(len(at))
        for s in np.flatnonzero(n1.any(axis=0)).tolist():
            drawn, before, sums = n1[:, s], _running(n[s]), _running(n[s] * values[s])
            last = np.searchsorted(before, drawn).clip(1) - 1  # the group that is not taken whole
            more = drawn - before[last]
            ways = np.where(tied[s, last], log_choose(n[s, last].astype(np.float64), more.astype(np.float64)), 0.0)
            chance += ways - log_choose(np.full(len(at), float(before[-1])), drawn.astype(np.float64))
            known = tied[s, last] | (more == n[s, last])
            lowest += np.where(known, sums[last] + more * values[s, last], -np.inf)
        return chance, lowest


def _running(numbers: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([np.zeros(1, numbers.dtype), np.cumsum(numbers)])


def log_at_least(sizes: Ints, marked: Ints, n1: Ints, hits: Ints) -> Array:
    """Return the log probability of at least so many marked items among those drawn from all strata; NaN below e^-690.

    `n1[:, s]` are drawn of stratum s, which has `sizes[s]` items, `marked[s]` of them marked.
    """
    from scipy.special import gammaln

    factorials = gammaln(np.arange(int(sizes.max(initial=0)) + 1) + 1.0)
    result = np.full(len(hits), np.nan)
    count = n1.sum(axis=1)
    order = np.argsort(count, kind="stable")
    first = 0
    while first < len(order):
        widest = int(count[order[min(first + TOGETHER, len(order)) - 1]])
        at = order[first : first + max(1, min(TOGETHER, AT_ONCE // (widest + 1)))]
        result[at] = _convolved(factorials, sizes, marked, n1[at], hits[at])
        first += len(at)
    return result


def _convolved(factorials: Array, sizes: Ints, marked: Ints, n1: Ints, hits: Ints) -> Array:
    most = int(n1.sum(axis=1).max())
    sums = np.zeros((len(hits), most + 1))
    sums[:, 0] = 1.0
    reached = 0
    for s in np.flatnonzero(n1.any(axis=0)).tolist():
        size, good, drawn = int(sizes[s]), int(marked[s]), n1[:, s]
        longest = min(int(drawn.max()), good)
        added = np.zeros_like(sums)
        for k in range(max(0, int(drawn.min()) - (size - good)), longest + 1):
            others = drawn - k
            possible = (others >= 0) & (others <= size - good)
            rest = np.where(possible, others, 0)
            ways = factorials[good] - factorials[k] - factorials[good - k]
            ways = ways + factorials[size - good] - factorials[rest] - factorials[size - good - rest]
            ways = ways - factorials[size] + factorials[drawn] + factorials[size - drawn]
            weight = np.where(possible, np.exp(ways), 0.0)
            stop = min(reached, most - k) + 1  # no feature has more items than the most
            added[:, k : k + stop] += weight[:, None] * sums[:, :stop]
        sums, reached = added, min(reached + longest, most)
    tail = np.where(np.arange(most + 1) >= hits[:, None], sums, 0.0).sum(axis=1)
    with np.errstate(divide="ignore"):
        return np.where(tail > 1e-300, np.log(np.minimum(tail, 1.0)), np.nan)


class _StratifiedSampling:
    """Sums of values that are drawn without replacement from each of several strata: the double saddlepoint."""

    def __init__(self, values: Array, weights: Array, step: float) -> None:
        self.values, self.weights, self.step = values, weights, step

    def log_at_most(self, n1: Array, total: Array) -> Array:
        """Return the tail of sums of n1[:, s] values of each stratum, half a step of the lattice added."""
        from scipy.special import log_ndtr

        size = self.weights.sum(axis=1)
        open_ = (n1 > 0) & (n1 < size)
        share = np.where(open_, n1 / np.maximum(size, 1.0), 0.5)
        base, information = np.log(share / (1 - share)), size * share * (1 - share)
        observed = total + self.step / 2
        s, t = self._solved(base, n1, observed, open_)
        eta = (base + s)[:, :, None] + t[:, None, None] * self.values
        change = np.logaddexp(0, eta) - np.logaddexp(0, base)[:, :, None]
        cumulant = np.where(open_, (change * self.weights).sum(axis=2), 0.0).sum(axis=1)
        h_ss, _, left = self._curvature(_expit(eta), open_)
        with np.errstate(all="ignore"):
            tilt = np.where(open_, s * n1, 0.0).sum(axis=1)
            w = np.sign(t) * np.sqrt(np.maximum(2 * (tilt + t * observed - cumulant), 0.0))
            wide = 2 * np.sinh(t * self.step / 2) / self.step if self.step else t
            logs = np.where(open_, np.log(h_ss / information), 0.0).sum(axis=1)
            u = wide * np.sqrt(left) * np.exp(logs / 2)
            r = w + np.log(u / w) / w
        spread = (self.weights * self.values**2).sum(axis=1) / np.maximum(size - 1, 1.0)
        normal = observed / np.sqrt((np.where(open_, n1 * (1 - share), 0.0)) @ spread)
        central = (np.abs(w) < CENTRE) | ~np.isfinite(r)
        return np.asarray(log_ndtr(np.where(central, normal, r)))

    def _solved(self, base: Array, n1: Array, total: Array, open_: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Solve for the tilt that makes the observed numbers and sum the expected ones, by Newton's method."""
        s, t = np.zeros(base.shape), np.zeros(len(total))
        furthest = max(1.0, float(np.abs(self.values).max(initial=0.0)))
        active = np.arange(len(total))
        for _ in range(ITERATIONS):
            is_open = open_[active]
            share = _expit((base + s)[active][:, :, None] + t[active][:, None, None] * self.values)
            expected = share * self.weights
            g_s = np.where(is_open, expected.sum(axis=2) - n1[active], 0.0)
            g_t = np.where(is_open, (expected * self.values).sum(axis=2), 0.0).sum(axis=1) - total[active]
            h_ss, h_st, left = self._curvature(share, is_open)
            dt = -(g_t - (h_st * g_s / h_ss).sum(axis=1)) / np.maximum(left, 1e-300)
            ds = -(g_s + h_st * dt[:, None]) / h_ss
            size = np.maximum(np.abs(np.where(is_open, ds, 0.0)).max(axis=1), np.abs(dt) * furthest)
            scale = np.minimum(1.0, LARGEST_STEP / np.maximum(size, 1e-300))
            s[active] += np.where(is_open, scale[:, None] * ds, 0.0)
            t[active] += scale * dt
            active = active[size > TOLERANCE]
            if not len(active):
                break
        return s, t

    def _curvature(self, share: Array, open_: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
        """Return the second derivatives of strata, those mixed with the sum's, and what of the sum's these leave."""
        variance = share * (1 - share) * self.weights
        weighted = variance * self.values
        h_ss = np.where(open_, np.maximum(variance.sum(axis=2), 1e-300), 1.0)
        h_st = np.where(open_, weighted.sum(axis=2), 0.0)
        h_tt = np.where(open_, (weighted * self.values).sum(axis=2), 0.0).sum(axis=1)
        return h_ss, h_st, h_tt - (h_st**2 / h_ss).sum(axis=1)


def _expit(eta: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(eta, -700, 700))))
