"""The best one-to-one matching of one connected part of a bipartite graph, exact down to the last tie.

Edges come in the order (left, right), nodes numbered from 0 on each side. Of all matchings of the greatest weight the
one whose list of (left, right) pairs comes first in the alphabet is returned, so that nothing is left to chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from math import prod

import numpy as np

from slicewise.arrays import Ints, Mask

Options = list[list[tuple[int, int]]]

DENSE_FROM = 4_000  # edges beyond which a tangle is solved as a whole matrix, its ties by the order of its rows
NARROW = 8  # right nodes that are shared between earlier and later left nodes, at most, for the sweep


def solve(edges: Ints, *, narrow: int = NARROW, dense_from: int = DENSE_FROM) -> Mask:
    """Return which edges are chosen; weights are compared by column sums, the first column first."""
    in_order = _width(edges) <= narrow
    if not in_order and len(edges) > dense_from:
        return _dense(edges)
    left, right = edges[:, 0].tolist(), edges[:, 1].tolist()
    options: Options = [[] for _ in range(left[-1] + 1)]
    for left_node, right_node, value in zip(left, right, _packed(edges[:, 2:].tolist()), strict=True):
        options[left_node].append((right_node, value))
    chosen = _sweep(options) if in_order else _augment(options)
    return np.array(
        [chosen[left_node] == right_node for left_node, right_node in zip(left, right, strict=True)], dtype=bool
    )


def _packed(weight: Sequence[Sequence[int]]) -> list[int]:
    """Return one number per edge, so that sums of numbers compare as the column sums do, column by column."""
    numbers = [0] * len(weight)
    for column in zip(*weight, strict=True):
        base = 1 + sum(column)
        numbers = [number * base + value for number, value in zip(numbers, column, strict=True)]
    return numbers


def _last_users(options: Options) -> dict[int, int]:
    """Return for every right node the last left node that can have it."""
    return {right: left for left, choices in enumerate(options) for right, _ in choices}


def _width(edges: Ints) -> int:
    """Return how many right nodes are at most open at once: seen by a left node and needed by a later one."""
    left, right = edges[:, 0], edges[:, 1]
    first, last = np.full((2, right.max() + 1), left[-1])
    first[right[::-1]] = left[::-1]  # edges come in order: the last one written is the first of its node
    last[right] = left
    size = left[-1] + 1
    return int(np.cumsum(np.bincount(first, minlength=size) - np.bincount(last, minlength=size)).max())


def _sweep(options: Options) -> list[int]:
    """Return each left node's partner or −1, by dynamic programming over the left nodes in order.

    The state is the set of open right nodes already taken, so time is linear in the length of a chain.
    """
    last = _last_users(options)
    steps: list[set[frozenset[int]]] = [{frozenset()}]
    for left, choices in enumerate(options):
        steps.append({state for taken in steps[-1] for _, _, state in _moves(left, choices, taken, last)})
    best: list[dict[frozenset[int], int]] = [dict.fromkeys(steps[-1], 0)]
    for left in reversed(range(len(options))):
        after = best[-1]
        best.append(
            {
                taken: max(value + after[state] for _, value, state in _moves(left, options[left], taken, last))
                for taken in steps[left]
            }
        )
    best.reverse()
    partners: list[int] = []
    taken: frozenset[int] = frozenset()
    for left, choices in enumerate(options):
        for right, value, state in _moves(left, choices, taken, last):
            if value + best[left + 1][state] == best[left][taken]:
                partners.append(right)
                taken = state
                break
    return partners


def _moves(
    left: int, choices: list[tuple[int, int]], taken: frozenset[int], last: dict[int, int]
) -> list[tuple[int, int, frozenset[int]]]:
    """Return what the left node can do, first choice first: its partner (−1: none), the weight, what is taken then."""
    kept = frozenset(right for right in taken if last[right] > left)
    moves = [
        (right, value, kept | {right} if last[right] > left else kept) for right, value in choices if right not in taken
    ]
    return [*moves, (-1, 0, kept)]


def _augment(options: Options) -> list[int]:
    """Return each left node's partner or −1, by shortest augmenting paths.

    The order of preference is packed below the weights, one digit per left node; the best matching is then unique.
    """
    rights = 1 + max(right for choices in options for right, _ in choices)
    costs = _costs(options, rights)
    owner = [-1] * (rights + len(options))
    price = [0] * (rights + len(options))
    partner = [-1] * len(options)
    gain = [0] * len(options)
    for start, choices in enumerate(costs):
        gain[start] = min(cost - price[right] for right, cost in choices)
        distance: dict[int, int] = {}
        came: dict[int, int] = {}
        settled: set[int] = set()
        heap: list[tuple[int, int]] = []
        left, path_length = start, 0
        while True:
            for right, cost in costs[left]:
                length = path_length + cost - gain[left] - price[right]
                if right not in settled and (right not in distance or length < distance[right]):
                    distance[right], came[right] = length, left
                    heappush(heap, (length, right))
            path_length, right = heappop(heap)
            while right in settled:
                path_length, right = heappop(heap)
            if owner[right] < 0:
                break
            settled.add(right)
            left = owner[right]
        gain[start] += path_length
        for reached in settled:
            price[reached] += distance[reached] - path_length
            gain[owner[reached]] += path_length - distance[reached]
        left = -1
        while left != start:
            left = came[right]
            owner[right] = left
            partner[left], right = right, partner[left]
    return [right if right < rights else -1 for right in partner]


def _dense(edges: Ints) -> Mask:
    """Return which edges are chosen, by a dense assignment: for hundreds of spans that all overlap."""
    from scipy.optimize import linear_sum_assignment

    left, right = edges[:, 0], edges[:, 1]
    rows, columns = int(left[-1]) + 1, int(right.max()) + 1
    values = np.zeros((rows, columns))
    packed = np.zeros(len(left))
    for column in edges[:, 2:].T.astype(np.float64):
        packed = packed * (1 + min(rows, columns) * column.max()) + column
    values[left, right] = packed
    chosen = np.full(rows, -1)
    matched_rows, matched_columns = linear_sum_assignment(values, maximize=True)
    chosen[matched_rows] = np.where(values[matched_rows, matched_columns] > 0, matched_columns, -1)
    return np.asarray(chosen[left] == right)


def _costs(options: Options, rights: int) -> Options:
    """Return negative weights with the order of preference packed below, and one way to stay alone per left node."""
    scale = digit = prod(len(choices) + 1 for choices in options)
    costs: Options = []
    for left, choices in enumerate(options):
        digit //= len(choices) + 1
        ranked = enumerate(choices)
        costs.append([(right, -(value * scale + (len(choices) - place) * digit)) for place, (right, value) in ranked])
        costs[-1].append((rights + left, 0))
    return costs
