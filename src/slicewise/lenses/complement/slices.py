"""The units behind the numbers of `complement`: of every two systems, and of every pattern of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slicewise.lenses.complement.result import ComplementResult
from slicewise.lenses.contract import LensContext
from slicewise.lenses.slice_rows import SliceRows
from slicewise.results.slices import pair_slice, pattern_slice

MOST_PAIRED = 20
"""With more systems, pairs have no slices: there are too many."""


def slices(result: ComplementResult, context: LensContext) -> Iterator[SliceRows]:
    """Yield what one system has right where another is wrong, and what exactly some systems find."""
    outcomes = context.outcomes
    systems = list(result.systems)
    right = {name: outcomes.has[outcomes.systems.index(name)] == outcomes.gold for name in systems}
    if len(systems) <= MOST_PAIRED:
        for a in systems:
            for b in systems:
                if a != b:
                    rows = np.flatnonzero(~right[a] & right[b])
                    title = f"What {a} has wrong and {b} has right"
                    yield SliceRows(name=pair_slice(a, b), title=title, rows=rows, system=a)
    has = np.array([outcomes.has[outcomes.systems.index(name)] for name in systems])
    for pattern in result.patterns:
        members = np.isin(systems, pattern.systems)
        rows = np.flatnonzero((has == members[:, None]).all(axis=0) & outcomes.gold)
        who = f"exactly {', '.join(pattern.systems)}" if pattern.systems else "no system"
        yield SliceRows(name=pattern_slice(pattern.systems), title=f"Found by {who}", rows=rows)
