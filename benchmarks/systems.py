"""Systems against each other: bins, pairs and votes from patterns, against loops over the units.

The process that measures imports this too, so numpy is imported where the work is done.
"""

from __future__ import annotations

import hashlib
import json
import time
from itertools import combinations_with_replacement
from math import nan
from typing import TYPE_CHECKING

from measure import measure, of_size, sized, work
from report import Check, Section, at_least, at_most, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any, Literal

    import numpy as np
    from measure import Job
    from numpy.typing import NDArray

    from slicewise.stats.patterns import Patterns

    Bits = NDArray[np.bool_]
    Numbers = list[NDArray[Any]]
    """Gold bins and spurious bins, four measures of ordered pairs, votes: see `_numbers`."""

UNITS, SYSTEMS = 10_000_000, 12
FEWER_UNITS, MORE_SYSTEMS = 1_000_000, 64
SEED, AT_ONCE, FAMILIES = 20, 2**14, 4

COLUMNS, MATRIX = "slicewise, a column per system", "slicewise, a row per unit"
LOOP, PACKED = "numpy: pair by pair, bin by bin", "the same, eight units to a byte"


def against_each_other(_: Path, repetitions: int) -> tuple[Section, list[Check]]:
    """Measure bins, pairs and votes of all systems, from what each has in memory."""
    few, many = _size(UNITS, SYSTEMS), _size(FEWER_UNITS, MORE_SYSTEMS)
    jobs = sized(few, {name: _job(name, UNITS, SYSTEMS) for name in WAYS})
    jobs |= sized(many, {name: _job(name, FEWER_UNITS, MORE_SYSTEMS) for name in (COLUMNS, LOOP)})
    measured = measure(jobs, repetitions)
    runs, more = of_size(few, measured), of_size(many, measured)
    equal = all(len({run.output for run in found.values()}) == 1 for found in (runs, more))
    checks = [
        Check(
            "Bins, pairs and votes are those of the loops over the units, at both sizes",
            "equal to the last bit" if equal else "different",
            equal,
        ),
        at_most(f"{few}, CPU of bins, pairs and votes", runs[COLUMNS].cpu, 1, " s"),
        at_least(f"{few}, less CPU than a loop over pairs", runs[LOOP].cpu / runs[COLUMNS].cpu, 8),
    ]
    text = (
        "How many systems have each gold and each spurious unit, and how many of each such bin each system has; "
        "complementarity, in all, by precision, by recall and by F1, of all ordered pairs; what a vote of all systems "
        "returns for each number that must agree. From 0/1 values in memory, of systems that resemble each other: half "
        "of the units are gold, some are easy for all systems, and systems of a family err alike. CPU and wall of the "
        "counting alone, taken inside the process; peak MB is that of the whole process. The loop makes each system's "
        "misses and spurious units once, and counts those that two systems share for each unordered pair. It is the "
        "plain way, which the requirement is about; packed bits make it several times faster."
    )
    tables = [f"{size}:\n\n{table(found, COLUMNS, digits=3)}" for size, found in ((few, runs), (many, more))]
    return Section("Systems against each other", text, tables), checks


def _size(units: int, systems: int) -> str:
    return f"{units:,} units × {systems} systems"


def _job(way: str, units: int, systems: int) -> Job:
    return work("systems", way, str(units), str(systems), timed=True)


# ------------------------------------------------------------------ in the measured process


def count_units(way: str, units: int, systems: int) -> None:
    """Make units and time one way to count them; the hash shows that the numbers are equal."""
    import slicewise.stats.complementarity
    import slicewise.stats.patterns  # noqa: F401 (imports are not part of the work)

    has, gold = _made(units, systems, order="F" if way == MATRIX else "C")
    wall, cpu = time.perf_counter(), time.process_time()
    numbers = WAYS[way](has, gold)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    values = hashlib.sha256(b"".join(part.astype(float).tobytes() for part in numbers)).hexdigest()
    print(json.dumps({"cpu": cpu, "wall": wall, "values": values}))


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


def _from_columns(has: Bits, gold: NDArray[Any]) -> Numbers:
    from slicewise.stats.patterns import Patterns

    return _numbers(Patterns.of(list(has), gold, 2))


def _from_matrix(has: Bits, gold: NDArray[Any]) -> Numbers:
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


WAYS: dict[str, Callable[[Bits, Bits], Numbers]] = {
    COLUMNS: _from_columns,
    MATRIX: _from_matrix,
    LOOP: _counted,
    PACKED: _packed,
}
