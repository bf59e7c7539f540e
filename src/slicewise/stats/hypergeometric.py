"""The exact tail of the hypergeometric distribution, for many draws from one urn at once.

Loader's way to the probability of one table: what is left of Stirling's formula and the distance from the expected
table are summed apart, so that nothing large cancels. The rest of the tail follows from the ratios of neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array, Ints
from slicewise.stats.tails import LN10, Tail

Cells = Sequence[Ints]
"""Of 2×2 tables: drawn successes, drawn failures, successes left, failures left."""

AT_ONCE = 2**14  # sums made together: they stay in the cache
STEPS = 32  # terms added between two looks at what is finished
TOLERANCE = 1e-13  # share of the sum that may be missing

SMALL = 16
REMAINDERS = np.array([0.0] + [math.lgamma(k + 1) - k * math.log(k) + k for k in range(1, SMALL)])
SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)


def hypergeometric_at_most(n: int, successes: int, n1: NDArray[Any], x: NDArray[Any]) -> Tail:
    """Return how probable at most `x` successes are among `n1` of `n` items, `successes` of which are successes."""
    code = np.asarray(n1, dtype=np.int64) * (successes + 1) + np.asarray(x, dtype=np.int64)
    pairs, place = np.unique(code, return_inverse=True)
    drawn, hits = np.divmod(pairs, successes + 1)
    log_p = _log_at_most((hits, drawn - hits, successes - hits, n - drawn - successes + hits))
    return Tail(np.exp(log_p)[place], (log_p / LN10)[place])


def _log_at_most(cells: Cells) -> Array:
    """Return the logarithm of the tail, summed from the side of the most probable table where the terms fall."""
    a, b, c, d = cells
    beyond = a * d > (b + 1) * (c + 1)
    # the other side begins with one success more, and counts failures
    cells = [np.where(beyond, *sides) for sides in ((b - 1, a), (a + 1, b), (d + 1, c), (c - 1, d))]
    impossible = beyond & ((b == 0) | (c == 0))
    log_p = np.full(len(a), -np.inf)
    possible = [cell[~impossible] for cell in cells]
    log_p[~impossible] = _log_probability(possible) + np.log(_terms(possible))
    log_p[beyond] = np.log1p(-np.exp(log_p[beyond]))
    return np.asarray(np.minimum(log_p, 0.0))


def _log_probability(cells: Cells) -> Array:
    """Return the logarithm of the probability of each table, given its margins."""
    a, b, c, d = cells
    n = a + b + c + d
    distance = (a * d - b * c) / n
    result = _remainder(a + b) + _remainder(c + d) + _remainder(a + c) + _remainder(b + d) - _remainder(n)
    sides = ((a, a + b, a + c, 1), (b, a + b, b + d, -1), (c, c + d, a + c, -1), (d, c + d, b + d, 1))
    for cell, row, column, sign in sides:
        result -= _remainder(cell) + _surplus(cell, sign * distance, row * column / n)
    return result


def _remainder(k: Ints) -> Array:
    """Return log k! − k log k + k."""
    large = np.maximum(k, SMALL).astype(np.float64)
    inverse = 1 / (large * large)
    series = np.zeros(len(large))
    for factor in reversed(SERIES):
        series = series * inverse + factor
    return np.where(k < SMALL, REMAINDERS[np.minimum(k, SMALL - 1)], 0.5 * np.log(2 * math.pi * large) + series / large)


def _surplus(cell: Ints, distance: Array, expected: Array) -> Array:
    """Return o·log(o/e), with o − e given."""
    share = np.divide(distance, expected, out=np.zeros(len(cell)), where=cell > 0)
    return np.asarray(cell * np.log1p(share))


def _terms(cells: Cells) -> Array:
    """Return the sum of the probabilities from each table on to fewer drawn successes, its own being 1."""
    total = np.ones(len(cells[0]))
    for start in range(0, len(total), AT_ONCE):
        block = slice(start, start + AT_ONCE)
        _add_terms(total[block], *(cell[block].astype(np.float64) for cell in cells))
    return total


def _add_terms(total: Array, a: Array, b: Array, c: Array, d: Array) -> None:
    """Add all terms to `total` in place: each is the one before times a·d/((b+1)(c+1)), whose factors are whole."""
    place, term, summed = np.arange(len(total)), np.ones(len(total)), total.copy()
    above, fall, below, rise = a * d, a + d - 1, (b + 1) * (c + 1), b + c + 3
    while len(place):
        for _ in range(STEPS):
            term *= above
            term /= below
            summed += term
            above -= fall
            fall -= 2
            below += rise
            rise += 2
        # what is missing is less than if the ratio stayed as it is
        finished = term * above <= TOLERANCE * summed * (below - above)
        if finished.any():
            total[place[finished]] = summed[finished]
            kept = ~finished
            place, term, summed = place[kept], term[kept], summed[kept]
            above, fall, below, rise = above[kept], fall[kept], below[kept], rise[kept]
