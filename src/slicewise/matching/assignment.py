"""The one-to-one matching of greatest weight in a large, sparse bipartite graph."""

from __future__ import annotations

import numpy as np

from slicewise.arrays import Mask
from slicewise.matching.components import components, local_numbers
from slicewise.matching.overlaps import Index, Ints, run_starts
from slicewise.matching.solver import solve


def best_matching(left: Index, right: Index, weight: Ints) -> Mask:
    """Return which edges make up the best matching.

    `left` and `right` are the nodes of each edge, on each side numbered from 0 so that smaller comes earlier; no edge
    comes twice. `weight` is `(edges, columns)`, whole numbers ≥ 0, not all 0 in a row: the matching has the greatest
    sum of the first column, among those the greatest of the second, and so on. Of several such matchings it is the one
    whose sorted list of (left, right) pairs is the smallest. The order of the edges makes no difference.
    """
    chosen = np.zeros(len(left), dtype=bool)
    if not len(left):
        return chosen
    rivals_left, rivals_right = np.bincount(left)[left] > 1, np.bincount(right)[right] > 1
    chosen[~rivals_left & ~rivals_right] = True
    core = rivals_left & rivals_right  # every part of the graph that is no star has such an edge
    near_left, near_right = np.zeros(left.max() + 1, dtype=bool), np.zeros(right.max() + 1, dtype=bool)
    near_left[left[core]] = near_right[right[core]] = True
    tangled = near_left[left] | near_right[right]
    for mask, choose in (((rivals_left | rivals_right) & ~tangled, _stars), (tangled, _tangles)):
        edges = np.flatnonzero(mask)
        chosen[edges] = choose(left[edges], right[edges], weight[edges])
    return chosen


def _stars(left: Index, right: Index, weight: Ints) -> Mask:
    """Return the best edge of every star: parts in which one node has all the edges."""
    chosen = np.zeros(len(left), dtype=bool)
    if not len(left):
        return chosen
    centre = np.where(np.bincount(left)[left] > 1, left, left.max() + 1 + right)
    order = np.lexsort((right, left, *(-column for column in weight.T[::-1]), centre))
    chosen[order[run_starts(centre[order])]] = True
    return chosen


def _tangles(left: Index, right: Index, weight: Ints) -> Mask:
    """Return the chosen edges of all other parts, each solved by itself, equal ones once."""
    chosen = np.zeros(len(left), dtype=bool)
    if not len(left):
        return chosen
    part = components(left, right)
    rows = np.column_stack([local_numbers(part, left), local_numbers(part, right), weight]).astype(np.int64)
    order = np.lexsort((rows[:, 1], rows[:, 0], part))
    rows, part = rows[order], part[order]
    bounds = np.flatnonzero(part[1:] != part[:-1]) + 1
    size = rows.itemsize * rows.shape[1]
    content = rows.tobytes()
    solved: dict[bytes, bytes] = {}
    masks = []
    for start, end in zip([0, *bounds.tolist()], [*bounds.tolist(), len(rows)], strict=True):
        key = content[start * size : end * size]
        if key not in solved:
            solved[key] = solve(rows[start:end]).tobytes()
        masks.append(solved[key])
    chosen[order] = np.frombuffer(b"".join(masks), dtype=bool)
    return chosen
