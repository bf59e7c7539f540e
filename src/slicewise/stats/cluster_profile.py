"""Rank sums of features whose items lie together in clusters, where scores are alike too.

A feature's profile is in how many clusters it has one item, two, three … The null hypothesis: these are any clusters,
and any items within them. K(t) = Σ_m c_m log M_m(t) is then the cumulant function of the sum of the items' values,
where M_m is the mean over clusters, weighted by size, of the mean of exp(t · sum) over the ways to pick m of a
cluster's items. How much less extreme the sum is than under items one by one is the ratio of two signed roots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slicewise.arrays import Array, Ints

EXACT = 64
"""Up to so many items of a cluster M_m is exact; beyond, the sum of a cluster's items is normal."""
FINE = 1.1
"""How far apart larger numbers of items are for which it is worked out; between them it is linear."""
FURTHEST, NEAREST, KNOTS = 25.0, 0.03, 24
"""t · the lowest value reaches from 0 to there by so many knots, the first of which is so near."""
CELLS = 2**22
"""Numbers of an array that are worked on together."""
WORK = 2**28
"""Sums of products that may be spent; more clusters than that allows are left out, the last first."""
CENTRE = 0.3
"""From where on the signed root loses digits, and the normal distribution serves."""


@dataclass(frozen=True, eq=False)
class ClusterProfile:
    """log M_m at knots of t, with its first and second derivative."""

    levels: Ints
    """The numbers of items m, ascending from 1."""
    knots: Array
    """Values of t from the lowest to 0."""
    logs: Array
    """`(levels, knots, 3)`."""
    step: float
    """Between neighbouring sums, where these lie on a lattice."""

    @classmethod
    def of(
        cls, values: Array, cluster: Ints, largest: int, sizes: Ints | None = None, step: float = 0.0
    ) -> ClusterProfile:
        """Work it out from the values of items and the number of each one's cluster, for at most so many items.

        `sizes`: of each item's cluster, where not all of its items are given. `step`: between neighbouring sums.
        """
        table = _Padded.of(values, cluster, largest, sizes)
        levels = _levels(min(largest, int(table.full_sizes[table.sizes > 1].max(initial=1))))
        lowest = float(max(-values.min(initial=0.0), 1e-9))
        knots = -np.append(np.geomspace(FURTHEST, NEAREST, KNOTS - 1), 0.0) / lowest
        exact = table.exact(knots, int(min(EXACT, levels[-1], table.sizes[0])))
        beyond = [table.normal(knots, int(m)) for m in levels[len(exact) :]]
        return cls(levels, knots, np.concatenate([exact, np.array(beyond).reshape(-1, *exact.shape[1:])]), step)

    def ratios(self, feature: Ints, items: Ints, clusters: Ints, totals: Array) -> Array:
        """Return by what factor each feature's distance from chance shrinks: at most 1, and at least 0.

        `clusters[i]` clusters have `items[i]` items with the feature number `feature[i]`; `totals` are the sums of
        the values of the items with each feature.
        """
        result = np.ones(len(totals))
        step = max(1, CELLS // (len(self.levels) + 3 * len(self.knots)))
        for first in range(0, len(totals), step):
            stop = min(first + step, len(totals))
            rows = slice(*np.searchsorted(feature, [first, stop]))
            profile = self._profile(feature[rows] - first, items[rows], clusters[rows], stop - first)
            alone = np.zeros_like(profile)
            alone[:, 0] = profile @ self.levels
            together, apart = (self._roots(counts, totals[first:stop]) for counts in (profile, alone))
            with np.errstate(divide="ignore", invalid="ignore"):
                shrunk = np.clip(together / apart, 0.0, 1.0)
            result[first:stop] = np.where(apart < -CENTRE, shrunk, 1.0)
        return result

    def _profile(self, feature: Ints, items: Ints, clusters: Ints, size: int) -> Array:
        """Return how many clusters of each level every feature has; between levels and beyond, parts of them."""
        most = int(self.levels[-1])
        within = np.minimum(items, most)
        above = np.searchsorted(self.levels, within)
        below = np.maximum(above - 1, 0)
        gap = np.maximum(self.levels[above] - self.levels[below], 1)
        upper = np.where(above > 0, (within - self.levels[below]) / gap, 1.0)
        counts = clusters * (items / within)
        profile = np.zeros((size, len(self.levels)))
        np.add.at(profile, (feature, above), counts * upper)
        np.add.at(profile, (feature, below), counts * (1 - upper))
        return profile

    def _roots(self, profile: Array, totals: Array) -> Array:
        """Return the signed root r of each sum."""
        cumulants = np.tensordot(profile, self.logs, axes=(1, 0))  # (features, knots, 3)
        observed = totals + self.step / 2
        t, (k, _, k2) = _solved(self.knots, cumulants, observed)
        with np.errstate(all="ignore"):
            w = -np.sqrt(np.maximum(2 * (t * observed - k), 0.0))
            wide = 2 * np.sinh(t * self.step / 2) / self.step if self.step else t
            r = w + np.log(wide * np.sqrt(k2) / w) / w
            r = np.where((r < 0) & np.isfinite(r), r, w)  # at the end of what is possible
            mean, variance = cumulants[:, -1, 1], cumulants[:, -1, 2]  # large clusters may be hard ones
            normal = np.nan_to_num(np.minimum((totals - mean) / np.sqrt(variance), 0.0), nan=0.0)
        return np.where(np.abs(w) < CENTRE, normal, r)


def _levels(largest: int) -> Ints:
    levels = list(range(1, min(largest, EXACT) + 1))
    while levels[-1] < largest:
        levels.append(min(largest, max(levels[-1] + 1, int(levels[-1] * FINE))))
    return np.array(levels, np.int64)


@dataclass(frozen=True, eq=False)
class _Padded:
    """The values of clusters as columns, the largest cluster first; those of small ones are followed by nothing."""

    values: Array
    """`(most items, clusters)`."""
    sizes: Ints
    """How many values each has."""
    full_sizes: Ints
    """How many items each has, also those whose values are not here."""

    @classmethod
    def of(cls, values: Array, cluster: Ints, largest: int, full_sizes: Ints | None) -> _Padded:
        """Sort clusters by size and content, so that the order in which they were given does not matter."""
        _, first, cluster, sizes = np.unique(cluster, return_index=True, return_inverse=True, return_counts=True)
        full_sizes = sizes if full_sizes is None else full_sizes[first]
        order = np.lexsort((values, cluster))
        starts = np.cumsum(sizes) - sizes
        sums, squares = (np.add.reduceat(column[order], starts) for column in (values, values**2))
        work = np.cumsum(sizes * np.minimum(sizes, min(EXACT, largest))) * KNOTS
        kept = np.flatnonzero((work <= WORK) | (np.arange(len(sizes)) < 20))
        ranking = kept[np.lexsort((squares[kept], sums[kept], -sizes[kept]))]
        padded = np.full((int(sizes[ranking].max()), len(ranking)), np.nan)
        for column, number in enumerate(ranking):
            padded[: sizes[number], column] = values[order[starts[number] : starts[number] + sizes[number]]]
        return cls(padded, sizes[ranking], full_sizes[ranking])

    def exact(self, knots: Array, most: int) -> Array:
        """Return log M_m and its derivatives for up to so many items, by adding the items of a cluster one by one.

        Of the first r items, the mean over m of them is that of m of the first r − 1, or of m − 1 and the last.
        """
        result = np.empty((most, len(knots), 3))
        step = max(1, CELLS // ((most + 1) * 3 * len(self.sizes)))
        for first in range(0, len(knots), step):
            t = knots[first : first + step, None]
            # the logarithm of the mean, and its derivatives over it
            state = np.zeros((3, most + 1, len(t), len(self.sizes)))
            state[0, 1:] = -np.inf
            for r in range(1, len(self.values) + 1):
                active = int(np.searchsorted(-self.sizes, -r, side="right"))
                _add_item(state[:, : min(r, most) + 1, :, :active], self.values[r - 1, :active], t, r)
            for m in range(1, most + 1):
                large = int(np.searchsorted(-self.sizes, -m, side="right"))
                log, slope, bend = state[:, m, :, :large]
                derivatives = np.stack([np.ones_like(log), slope, bend])
                result[m - 1, first : first + step] = _mixed(log, derivatives, self.full_sizes[:large])
        return result

    def normal(self, knots: Array, m: int) -> Array:
        """Return the same where sums of m items of a cluster are taken for normal."""
        large = np.flatnonzero((self.full_sizes >= m) & (self.sizes > 1))
        values, sizes = self.values[:, large], self.full_sizes[large]
        mean = m * np.nanmean(values, axis=0)
        variance = m * (1 - m / sizes) * np.nanvar(values, axis=0, ddof=1)
        t = knots[:, None]
        slope = mean + t * variance
        derivatives = np.stack([np.ones_like(slope), slope, slope**2 + variance])
        return _mixed(t * mean + t**2 * variance / 2, derivatives, sizes)


def _add_item(state: Array, x: Array, t: Array, r: int) -> None:
    """Turn the means over m of a cluster's first r − 1 items into those over m of its first r, the last being x."""
    log, slope, bend = state
    share = (np.arange(1, len(log)) / r)[:, None, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        without = log[1:] + np.log1p(-share)
        with_it = log[:-1] + np.log(share) + t * x
        total = np.logaddexp(without, with_it)
        part = np.exp(with_it - total)
    slope_with, bend_with = x + slope[:-1], x**2 + 2 * x * slope[:-1] + bend[:-1]
    log[1:] = total
    slope[1:] += part * (slope_with - slope[1:])
    bend[1:] += part * (bend_with - bend[1:])


def _mixed(logs: Array, derivatives: Array, sizes: Ints) -> Array:
    """Return the log of a mean over clusters, weighted by size, and its derivatives, at each knot."""
    weight = np.log(sizes) + logs
    largest = weight.max(axis=1, keepdims=True)
    sums = (np.exp(weight - largest) * derivatives).sum(axis=2)
    log = np.log(sums[0]) + largest[:, 0] - np.log(sizes.sum())
    slope = sums[1] / sums[0]
    return np.stack([log, slope, np.maximum(sums[2] / sums[0] - slope**2, 0.0)], axis=1)


def _solved(knots: Array, cumulants: Array, totals: Array) -> tuple[Array, Array]:
    """Return t where K′(t) is the total, or the nearest knot, and K, K′ and K″ there, between knots by a quintic."""
    rows = np.arange(len(totals))
    slopes = np.maximum.accumulate(cumulants[:, :, 1], axis=1)
    at = np.clip((slopes < totals[:, None]).sum(axis=1), 1, len(knots) - 1)
    h = knots[at] - knots[at - 1]
    a, b = cumulants[rows, at - 1] * _powers(h), cumulants[rows, at] * _powers(h)
    coefficients = _quintic(a, b)
    low, high = np.zeros(len(totals)), np.ones(len(totals))
    goal = totals * h
    for _ in range(40):
        middle = (low + high) / 2
        too_low = _evaluated(coefficients, middle)[1] < goal
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    x = (low + high) / 2
    return knots[at - 1] + x * h, np.stack(_evaluated(coefficients, x)) / _powers(h).T


def _powers(h: Array) -> Array:
    return np.stack([np.ones_like(h), h, h**2], axis=1)


def _quintic(a: Array, b: Array) -> Array:
    """Return the coefficients of the polynomial on [0, 1] with value and two derivatives given at both ends."""
    d0, d1, d2 = b[:, 0] - a[:, 0] - a[:, 1] - a[:, 2] / 2, b[:, 1] - a[:, 1] - a[:, 2], b[:, 2] - a[:, 2]
    third, fourth = 10 * d0 - 4 * d1 + d2 / 2, -15 * d0 + 7 * d1 - d2
    fifth = 6 * d0 - 3 * d1 + d2 / 2
    return np.stack([a[:, 0], a[:, 1], a[:, 2] / 2, third, fourth, fifth])


def _evaluated(c: Array, x: Array) -> tuple[Array, Array, Array]:
    value = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))))
    slope = c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5])))
    bend = 2 * c[2] + x * (6 * c[3] + x * (12 * c[4] + x * 20 * c[5]))
    return value, slope, bend
