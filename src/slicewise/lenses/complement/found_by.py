"""Who finds what: how many gold units exactly these systems find, and no other."""

from __future__ import annotations

import numpy as np

from slicewise.lenses.complement.result import Pattern
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts
from slicewise.lenses.outcomes.outcomes import GOLD

MOST_PATTERNS = 200


def found_by(outcomes: OutcomeCounts) -> tuple[tuple[Pattern, ...], int]:
    """Return the sets of systems that find most, and how many sets there are; equal ones by size, then by name."""
    patterns = outcomes.patterns.where(outcomes.patterns.slices == GOLD)
    by_name = sorted(range(patterns.systems), key=lambda i: outcomes.systems[i])
    bits = patterns.bits
    names = ~np.packbits(bits[:, by_name], axis=1)
    order = np.lexsort((*names.T[::-1], patterns.votes, -patterns.counts))
    systems = np.array(outcomes.systems, dtype=object)
    first = tuple(Pattern(systems=tuple(systems[bits[i]]), n=int(patterns.counts[i])) for i in order[:MOST_PATTERNS])
    return first, len(order)
