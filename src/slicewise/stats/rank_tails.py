"""The lower tail of a rank sum: of ranks of which many are the same, and of any ranks by a saddlepoint.

Ranks are doubled, so that those of ties are whole. A feature is given by how many items have it and the sum of their
ranks. All functions return log P(sum ≤ observed) where items are drawn without replacement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from slicewise.arrays import Array, Ints, Mask
from slicewise.stats.hypergeometric import hypergeometric_at_most
from slicewise.stats.tails import LN10

GROUPS = 120
"""Of neighbouring ranks that the saddlepoint treats as equal, where there are more than four times as many."""
MODAL = 0.2
"""Share of the items with the same score from which on it is counted how many of these a feature has."""
CELLS = 2**15
"""Most numbers of items below and above the mode that are summed over."""
AT_ONCE = 2**19  # values of an array that are worked on together
ITERATIONS, TOLERANCE, LARGEST_STEP = 60, 1e-10, 2.0
CENTRE = 1e-2  # from where on r* loses digits, and the normal distribution serves


def log_choose(n: Array | float, k: Array) -> Array:
    """Return log C(n, k); −∞ where there is no way."""
    from scipy.special import gammaln

    possible = (k >= 0) & (k <= n)
    chosen = np.where(possible, k, 0.0)
    size = np.where(possible, n, 0.0)
    return np.where(possible, gammaln(size + 1) - gammaln(chosen + 1) - gammaln(size - chosen + 1), -np.inf)


def log_sum(logs: Array) -> Array:
    """Return the logarithm of the sum over all axes but the first; −∞ where every term is 0."""
    flat = logs.reshape(len(logs), -1)
    largest = flat.max(axis=1, initial=-np.inf)
    shift = np.where(np.isneginf(largest), 0.0, largest)
    with np.errstate(divide="ignore"):
        return np.asarray(shift + np.log(np.exp(flat - shift[:, None]).sum(axis=1)))


class TiedPlaces(Protocol):
    """Items in the order of their scores, where equal scores are neighbours; places are counted from 0."""

    @property
    def n(self) -> int:
        """How many items there are."""

    @property
    def distinct(self) -> int:
        """How many different scores there are."""

    @property
    def ties(self) -> int:
        """Return Σ(t³ − t) over the groups of equal scores."""

    def ties_below(self, place: int) -> int:
        """Return the same over the groups that begin before a place."""

    def tie_at(self, places: Ints) -> tuple[Ints, Ints]:
        """Return where the group of equal scores at each place begins, and how many items it has."""


def merged_ties(items: TiedPlaces, most: int = GROUPS) -> Ints:
    """Return the bounds of at most so many groups of neighbours; no tie is split, and large ones are alone."""
    quantiles = (1 - np.cos(np.linspace(0, np.pi, most))) / 2  # denser in the tails, where single ranks count
    places = np.arange(items.n) if items.n <= 4 * most else np.round(quantiles * (items.n - 1)).astype(np.int64)
    start, size = items.tie_at(np.unique(places))
    tied = size > 1
    return np.unique(np.concatenate([[0], start, (start + size)[tied], [items.n]])).astype(np.int64)


# ---------------------------------------------------------------------- a score that many items share


@dataclass(frozen=True)
class Mode:
    """The most frequent score: how many items have it, and what is known of those below and above."""

    n_low: int
    size: int
    n_high: int
    spread_low: float
    """The variance of the doubled ranks of the items below, with n − 1."""
    spread_high: float

    @classmethod
    def of(cls, items: TiedPlaces) -> Mode | None:
        """Return the mode where at least a fifth of the items share it."""
        bounds = merged_ties(items)
        sizes = np.diff(bounds)
        largest = int(np.argmax(sizes))
        if sizes[largest] < MODAL * items.n:
            return None
        start, size = int(bounds[largest]), int(sizes[largest])
        low, high = start, items.n - start - size
        ties_low = items.ties_below(start)
        ties_high = items.ties - ties_low - (size**3 - size)
        return cls(low, size, high, _spread(low, ties_low), _spread(high, ties_high))

    @property
    def n(self) -> int:
        """How many items there are."""
        return self.n_low + self.size + self.n_high

    @property
    def mirrored(self) -> Mode:
        """The mode of ranks from the highest score on."""
        return Mode(self.n_high, self.size, self.n_low, self.spread_high, self.spread_low)

    @property
    def ranks(self) -> tuple[int, int, int]:
        """The mean doubled ranks of the items below, at and above the mode."""
        return self.n_low + 1, 2 * self.n_low + self.size + 1, self.n_low + self.size + self.n + 1

    @property
    def exact(self) -> bool:
        """Whether there are three scores at most, so that the numbers of items say it all."""
        return self.spread_low == 0 and self.spread_high == 0 and min(self.n_low, self.n_high) > 0

    def countable(self, n1: Ints) -> Mask:
        """Return for which features the numbers of items below and above can be summed over."""
        if self.exact:
            return np.ones(len(n1), np.bool_)
        below, above = (np.minimum(n1, side) + 1.0 for side in (self.n_low, self.n_high))
        return np.asarray(below * above <= CELLS)

    def log_tail(self, n1: Ints, sums: Ints) -> Array:
        """Return the tail given the numbers of items below and above, whose ranks' sums are then normal."""
        if self.exact:
            pairs = zip(n1.tolist(), sums.tolist(), strict=True)
            return np.array([min(self._log_exact(k, total), 0.0) for k, total in pairs])
        result = np.empty(len(n1))
        for k in np.unique(n1).tolist():
            at, grid = np.flatnonzero(n1 == k), _ModalGrid.of(self, k)
            step = max(1, AT_ONCE // len(grid.mean))
            for first in range(0, len(at), step):
                block = at[first : first + step]
                result[block] = grid.log_at_most(sums[block])
        return np.minimum(result, 0.0)

    def _log_exact(self, k: int, observed: int) -> float:
        """Return the exact tail: over how many items are below, that few enough of the others are above."""
        low, middle, high = self.ranks
        lowest = np.arange(max(0, k - self.size - self.n_high), min(k, self.n_low) + 1)
        rest, others = k - lowest, self.size + self.n_high
        most = np.floor_divide(observed - k * middle + lowest * (middle - low), high - middle)
        tail = np.zeros(len(lowest))
        certain, never = most >= np.minimum(rest, self.n_high), most < np.maximum(0, rest - self.size)
        open_ = np.flatnonzero(~certain & ~never)
        if len(open_):
            tail[open_] = hypergeometric_at_most(others, self.n_high, rest[open_], most[open_]).log10_p * LN10
        tail[never] = -np.inf
        weight = log_choose(float(self.n_low), lowest.astype(np.float64))
        weight = weight + log_choose(float(others), rest.astype(np.float64))
        return float(log_sum((weight + tail - log_choose(float(self.n), np.array(float(k))))[None, :])[0])


def _spread(n: int, ties: int) -> float:
    """Return the variance, with n − 1, of the doubled ranks of neighbours that are so many and so often tied."""
    return (n**3 - n - ties) / (3 * (n - 1)) if n > 1 else 0.0


@dataclass(frozen=True, eq=False)
class _ModalGrid:
    """How probable it is that so many of k items are below and above the mode, and what their ranks sum to."""

    log_weight: Array
    mean: Array
    deviation: Array

    @classmethod
    def of(cls, mode: Mode, k: int) -> _ModalGrid:
        rank_low, rank_mode, rank_high = mode.ranks
        low = np.arange(min(k, mode.n_low) + 1.0)[:, None]
        high = np.arange(min(k, mode.n_high) + 1.0)[None, :]
        weight = log_choose(float(mode.n_low), low) + log_choose(float(mode.n_high), high)
        weight = weight + log_choose(float(mode.size), k - low - high)
        mean = low * rank_low + high * rank_high + (k - low - high) * rank_mode
        variance = low * mode.spread_low * (1 - low / max(mode.n_low, 1))
        variance = variance + high * mode.spread_high * (1 - high / max(mode.n_high, 1))
        possible = np.isfinite(weight)
        total = log_choose(float(mode.n), np.array(float(k)))
        return cls(weight[possible] - total, mean[possible], np.sqrt(np.maximum(variance, 0.0))[possible])

    def log_at_most(self, sums: Ints) -> Array:
        from scipy.special import log_ndtr

        distance = sums[:, None] - self.mean
        fixed = self.deviation < 1e-9 * np.maximum(1.0, np.abs(self.mean))
        z = distance / np.where(fixed, 1.0, self.deviation)
        certain = np.where(distance >= -1e-9 * np.maximum(1.0, np.abs(self.mean)), 0.0, -np.inf)
        return log_sum(self.log_weight + np.where(fixed, certain, log_ndtr(z)))


# ---------------------------------------------------------------------- any ranks


def log_saddlepoint_tail(items: TiedPlaces, n1: Ints, sums: Ints) -> Array:
    """Return the tail by the double saddlepoint of Skovgaard, with r* of Barndorff-Nielsen."""
    n, bounds = items.n, merged_ties(items)
    values, weights = (bounds[:-1] + bounds[1:] + 1).astype(np.float64), np.diff(bounds).astype(np.float64)
    mean, deviation = float(n + 1), math.sqrt((n**3 - n - items.ties) / (3 * n))
    grouped = math.sqrt(float(((values - mean) ** 2 * weights).sum()) / n)
    all_ranks = len(values) == items.distinct
    lattice = float(np.gcd.reduce(np.diff(values).astype(np.int64))) if all_ranks else 0.0
    standard = _Sampling((values - mean) / grouped, weights, lattice / deviation)
    result = np.empty(len(n1))
    chunk = max(1, AT_ONCE // len(values))
    for first in range(0, len(n1), chunk):
        k, total = n1[first : first + chunk].astype(np.float64), sums[first : first + chunk]
        result[first : first + chunk] = standard.log_at_most(k, (total - k * mean) / deviation)
    group = np.searchsorted(bounds, n1 - 1, side="right") - 1
    near = np.flatnonzero(sums <= _lowest_sum(n1, bounds[group], np.diff(bounds)[group]))
    if len(near):
        start, size = items.tie_at(n1[near] - 1)
        lowest = near[sums[near] <= _lowest_sum(n1[near], start, size)]
        ways = log_choose(size.astype(np.float64), (n1[near] - start).astype(np.float64))[np.isin(near, lowest)]
        result[lowest] = ways - log_choose(float(n), n1[lowest].astype(np.float64))
    return np.minimum(result, 0.0)


def _lowest_sum(n1: Ints, start: Ints, size: Ints) -> Ints:
    """Return the lowest sum of so many doubled ranks, the last of which are of a group with this start and size."""
    return np.asarray(start * (start + 1) + (n1 - start) * (2 * start + size + 1))


class _Sampling:
    """Sums of standardised values that are drawn without replacement."""

    def __init__(self, values: Array, weights: Array, step: float) -> None:
        self.values, self.weights, self.step = values, weights, step
        """`step`: of the lattice on which sums lie."""

    def log_at_most(self, k: Array, total: Array) -> Array:
        """Return the tail of sums of k values, each with half a step of the lattice for continuity."""
        from scipy.special import log_ndtr

        n = self.weights.sum()
        share = k / n
        base, information = np.log(share / (1 - share)), n * share * (1 - share)
        observed = total + self.step / 2
        s, t = self._solved(base, k, observed, information)
        eta = base[:, None] + s[:, None] + t[:, None] * self.values
        cumulant = ((np.logaddexp(0, eta) - np.logaddexp(0, base)[:, None]) * self.weights).sum(axis=1)
        h11, h12, h22 = self._hessian(_expit(eta))
        with np.errstate(all="ignore"):
            w = np.sign(t) * np.sqrt(np.maximum(2 * (s * k + t * observed - cumulant), 0.0))
            wide = 2 * np.sinh(t * self.step / 2) / self.step if self.step else t
            u = wide * np.sqrt((h11 * h22 - h12**2) / information)
            r = w + np.log(u / w) / w
        normal = observed / np.sqrt(k * (n - k) / (n - 1))
        central = (np.abs(w) < CENTRE) | ~np.isfinite(r)
        return np.asarray(log_ndtr(np.where(central, normal, r)))

    def _solved(self, base: Array, k: Array, total: Array, information: Array) -> tuple[Array, Array]:
        """Solve for the tilt that makes the observed number and sum the expected ones, by Newton's method."""
        s, t = np.zeros(len(k)), np.clip(total / information, -1.0, 1.0)
        active = np.arange(len(k))
        for _ in range(ITERATIONS):
            share = _expit(base[active, None] + s[active, None] + t[active, None] * self.values)
            expected = share * self.weights
            g1 = expected.sum(axis=1) - k[active]
            g2 = (expected * self.values).sum(axis=1) - total[active]
            h11, h12, h22 = self._hessian(share)
            determinant = np.maximum(h11 * h22 - h12**2, 1e-300)
            ds, dt = (h12 * g2 - h22 * g1) / determinant, (h12 * g1 - h11 * g2) / determinant
            size = np.maximum(np.abs(ds), np.abs(dt))
            scale = np.minimum(1.0, LARGEST_STEP / np.maximum(size, 1e-300))
            s[active] += scale * ds
            t[active] += scale * dt
            active = active[size > TOLERANCE]
            if not len(active):
                break
        return s, t

    def _hessian(self, share: Array) -> tuple[Array, Array, Array]:
        variance = share * (1 - share) * self.weights
        weighted = variance * self.values
        return variance.sum(axis=1), weighted.sum(axis=1), (weighted * self.values).sum(axis=1)


def _expit(eta: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(eta, -700, 700))))
