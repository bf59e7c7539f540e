"""The connected components of a bipartite graph given as edges."""

from __future__ import annotations

import numpy as np

from slicewise.matching.overlaps import Index, run_starts


def components(left: Index, right: Index) -> Index:
    """Return for every edge a number that is the same for all edges of its connected part, and for no other."""
    left_nodes, a = np.unique(left, return_inverse=True)
    right_nodes, b = np.unique(right, return_inverse=True)
    b = b + len(left_nodes)
    label = np.arange(len(left_nodes) + len(right_nodes))
    while True:
        at_a, at_b = label[a], label[b]
        if np.array_equal(at_a, at_b):
            return at_a
        lower = np.minimum(at_a, at_b)
        np.minimum.at(label, at_a, lower)
        np.minimum.at(label, at_b, lower)
        label = _roots(label)


def local_numbers(component: Index, node: Index) -> Index:
    """Return for every edge the place of its node among the nodes of its component, from 0, in ascending order."""
    order = np.lexsort((node, component))
    new_part = run_starts(component[order])
    number = np.cumsum(run_starts(component[order], node[order])) - 1
    number -= number[np.maximum.accumulate(np.where(new_part, np.arange(len(order)), 0))]
    result = np.empty_like(number)
    result[order] = number
    return result


def _roots(label: Index) -> Index:
    """Follow labels that point to labels to their end."""
    while True:
        further = label[label]
        if np.array_equal(further, label):
            return label
        label = further
