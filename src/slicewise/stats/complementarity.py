"""Complementarity of pairs of systems, from how many units each two share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slicewise.arrays import Array
from slicewise.stats.ratio import ratio


@dataclass(frozen=True, eq=False)
class Shared:
    """What each two systems both have; the first axes are slices or draws, the last two the systems."""

    n_gold: Array
    """`(...)`."""
    found: Array
    """`(..., systems, systems)`: gold units that both have; a system with itself: its true positives."""
    spurious: Array
    """The same of units that gold has not."""

    @property
    def tp(self) -> Array:
        """The true positives of each system."""
        return _diagonal(self.found)

    @property
    def fp(self) -> Array:
        """The spurious units of each system."""
        return _diagonal(self.spurious)

    @property
    def missed(self) -> Array:
        """Gold units that both miss; a system with itself: its misses."""
        tp = self.tp
        return self.n_gold[..., None, None] - tp[..., :, None] - tp[..., None, :] + self.found

    def counts(self) -> Array:
        """Return each system's (tp, n_pred, n_gold)."""
        return _counts(self.tp, self.fp, self.n_gold[..., None])

    def intersections(self, system: int) -> Array:
        """Return (tp, n_pred, n_gold) of what a system and another both return, `(..., systems, 3)`."""
        return _counts(self.found[..., system, :], self.spurious[..., system, :], self.n_gold[..., None])

    def unions(self, system: int) -> Array:
        """Return (tp, n_pred, n_gold) of what a system or another returns, `(..., systems, 3)`."""
        tp, fp = (_either(shared, system) for shared in (self.found, self.spurious))
        return _counts(tp, fp, self.n_gold[..., None])


def complementarity(common: Array, *, in_draws: bool = False) -> Array:
    """Return which share of A's errors B does not make, `(..., A, B)`, from the errors that both make.

    1 where B makes none; undefined where B makes some and A none. A draw in which A makes none is no draw of a share:
    there it is always undefined.
    """
    errors = _diagonal(common)
    a, b = errors[..., :, None], errors[..., None, :]
    with np.errstate(invalid="ignore"):  # of no errors, none are common: 0/0 is undefined
        shares = 1 - common / a
    return np.where((b == 0) & ~(in_draws & (a == 0)), 1.0, shares)


def f_comp(p_comp: Array, r_comp: Array, beta: float = 1.0) -> Array:
    """Return (1+β²)PR/(β²P+R); 0 where both are 0."""
    weight = beta * beta
    below = weight * p_comp + r_comp
    return np.where(below == 0, 0.0, ratio((1 + weight) * p_comp * r_comp, below))


def _diagonal(pairs: Array) -> Array:
    return np.diagonal(pairs, axis1=-2, axis2=-1)


def _either(shared: Array, system: int) -> Array:
    single = _diagonal(shared)
    return single[..., system, None] + single - shared[..., system, :]


def _counts(tp: Array, fp: Array, n_gold: Array) -> Array:
    return np.stack([tp, tp + fp, np.broadcast_to(n_gold, tp.shape)], axis=-1)
