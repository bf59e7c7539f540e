"""Bins, pairs and votes of units in memory: from patterns, and by loops that count units pair by pair, bin by bin."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import nan
from typing import TYPE_CHECKING

from jobs.timed import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal

    import numpy as np
    from numpy.typing import NDArray

    from slicewise.stats.patterns import Patterns

    Bits = NDArray[np.bool_]
    Numbers = list[NDArray[Any]]
    """Gold bins and spurious bins, four measures of ordered pairs, votes: see `_numbers`."""

SEED, AT_ONCE, FAMILIES = 20, 2**14, 4


def columns(units: str, systems: str) -> None:
    """Count a column per system by patterns."""
    _time(_columns, units, systems)


def matrix(units: str, systems: str) -> None:
    """Count a row per unit by patterns."""
    _time(_matrix, units, systems, order="F")


def looped(units: str, systems: str) -> None:
    """Count pair by pair, bin by bin and vote by vote."""
    _time(_counted, units, systems)


def packed(units: str, systems: str) -> None:
    """Count as the loop does, eight units to a byte."""
    _time(_packed, units, systems)


def _time(way: Callable[[Bits, Bits], Numbers], units: str, systems: str, order: Literal["C", "F"] = "C") -> None:
    import slicewise.stats.complementarity
    import slicewise.stats.patterns  # noqa: F401 (imports are not part of the work)

    has, gold = _made(int(units), int(systems), order)
    timed(lambda: way(has, gold))


def _made(units: int, systems: int, order: Literal["C", "F"]) -> tuple[Bits, Bits]:
    """Return who has what, `(systems, units)`, in an order of memory, and what is gold.

    Every unit is gold or some system's.
    """
    import numpy as np

    rng = np.random.default_rng(SEED)
    has, gold = np.empty((systems, units), np.bool_, order=order), np.empty(units, np.bool_)
    family, skill = np.arange(systems) % FAMILIES, np.linspace(0, 0.1, systems, dtype=np.float32)[:, None]
    for start in range(0, units, AT_ONCE):
        n = min(AT_ONCE, units - start)
        is_gold = rng.random(n, dtype=np.float32) < 0.5
        ease, kinship, luck = (rng.random((rows, n), dtype=np.float32) for rows in (1, FAMILIES, systems))
        drawn = (ease + kinship[family] + luck) / 3 < np.where(is_gold, 0.6 + skill, 0.4 - skill)
        drawn[rng.integers(systems, size=n), np.arange(n)] |= ~is_gold & ~drawn.any(axis=0)
        has[:, start : start + n], gold[start : start + n] = drawn, is_gold
    return has, gold


def _columns(has: Bits, gold: NDArray[Any]) -> Numbers:
    from slicewise.stats.patterns import Patterns

    return _numbers(Patterns.of(list(has), gold, 2))


def _matrix(has: Bits, gold: NDArray[Any]) -> Numbers:
    import numpy as np

    from slicewise.stats.patterns import Patterns

    return _numbers(Patterns.of_matrix(has.T.view(np.uint8), gold, 2))


def _numbers(patterns: Patterns) -> Numbers:
    """Return the bins of both sides, `(systems + 1 numbers of systems, all and each system)`, pairs and votes."""
    import numpy as np

    from slicewise.stats.complementarity import Shared, complementarity, f_comp

    is_gold = patterns.slices == 1
    gold, spurious = patterns.where(is_gold), patterns.where(~is_gold)
    bins = [np.vstack([of.totals, of.found]).T for of in (gold.bins(), spurious.bins())]
    n_gold = gold.counts.sum()
    shared = Shared(np.asarray(n_gold, float), gold.shared().astype(float), spurious.shared().astype(float))
    comp = complementarity(shared.missed + shared.spurious)
    p_comp, r_comp = complementarity(shared.spurious), complementarity(shared.missed)
    extra, tp = patterns.totals()[:, :0:-1].cumsum(axis=1)[:, ::-1]
    votes = np.column_stack([tp, tp + extra, np.full(len(tp), n_gold)])
    return [*bins, comp, p_comp, r_comp, f_comp(p_comp, r_comp), votes]


def _looped(
    has: Bits, gold: Bits, pack: Callable[[Bits], NDArray[Any]], count: Callable[[NDArray[Any]], int]
) -> Numbers:
    """Return the same numbers from a loop that counts units pair by pair, bin by bin and vote by vote."""
    import numpy as np

    size = len(has)
    columns, sides = [pack(column) for column in has], (pack(gold), pack(~gold))
    missed, spurious = [sides[0] & ~column for column in columns], [sides[1] & column for column in columns]
    missed_both, spurious_both = np.zeros((2, size, size), np.int64)
    for a, b in combinations_with_replacement(range(size), 2):
        missed_both[a, b] = missed_both[b, a] = count(missed[a] & missed[b])
        spurious_both[a, b] = spurious_both[b, a] = count(spurious[a] & spurious[b])
    voters = np.zeros(len(gold), np.uint8)
    for column in has:
        voters += column
    bins = np.zeros((2, size + 1, 1 + size), np.int64)
    for n in range(size + 1):
        in_bin = pack(voters == n)
        for side, units in enumerate(sides):
            chosen = in_bin & units
            bins[side, n] = [count(chosen), *(count(chosen & column) for column in columns)]
    votes = np.zeros((size, 3), np.int64)
    for k in range(1, size + 1):
        returned = pack(voters >= k)
        votes[k - 1] = count(returned & sides[0]), count(returned), count(sides[0])
    return [*bins, *_measures(missed_both, spurious_both), votes]


def _measures(missed: NDArray[np.int64], spurious: NDArray[np.int64]) -> Numbers:
    """Return Comp, P_comp, R_comp and F_comp of every pair, one by one."""
    import numpy as np

    def comp(both: Sequence[Sequence[int]], a: int, b: int) -> float:
        if both[b][b] == 0:
            return 1.0
        return 1 - both[a][b] / both[a][a] if both[a][a] else nan

    size = len(missed)
    found = np.empty((4, size, size))
    wrong, spurious_both, missed_both = (missed + spurious).tolist(), spurious.tolist(), missed.tolist()
    for a in range(size):
        for b in range(size):
            p, r = comp(spurious_both, a, b), comp(missed_both, a, b)
            found[:, a, b] = comp(wrong, a, b), p, r, 2 * p * r / (p + r) if p + r else 0.0
    return list(found)


def _counted(has: Bits, gold: Bits) -> Numbers:
    import numpy as np

    return _looped(has, gold, lambda units: units, lambda units: int(np.count_nonzero(units)))


def _packed(has: Bits, gold: Bits) -> Numbers:
    import numpy as np

    return _looped(has, gold, np.packbits, lambda units: int(np.bitwise_count(units).sum()))
