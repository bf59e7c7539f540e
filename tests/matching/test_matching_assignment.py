from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.work import assert_proportional

from slicewise.matching import solver
from slicewise.matching.assignment import best_matching
from slicewise.matching.components import components, local_numbers

Edge = tuple[int, int, tuple[int, ...]]


def all_matchings(edges: list[Edge]) -> list[list[Edge]]:
    if not edges:
        return [[]]
    (left, right, weight), rest = edges[0], edges[1:]
    free = [edge for edge in rest if edge[0] != left and edge[1] != right]
    return [*([(left, right, weight), *m] for m in all_matchings(free)), *all_matchings(rest)]


def slow(edges: list[Edge], columns: int) -> set[tuple[int, int]]:
    """Try all matchings."""

    def preference(matching: list[Edge]) -> tuple[list[int], list[tuple[int, int]]]:
        return [-sum(e[2][c] for e in matching) for c in range(columns)], sorted((e[0], e[1]) for e in matching)

    return {(e[0], e[1]) for e in min(all_matchings(edges), key=preference)}


def fast(edges: list[Edge], columns: int) -> set[tuple[int, int]]:
    left, right = (np.array([e[k] for e in edges], dtype=np.intp) for k in (0, 1))
    weight = np.array([e[2] for e in edges], dtype=np.int64).reshape(len(edges), columns)
    chosen = best_matching(left, right, weight)
    return set(zip(left[chosen].tolist(), right[chosen].tolist(), strict=True))


weights = st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(1, 3))
graphs = st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 5)), weights, max_size=12)
chains = st.lists(weights, max_size=13).map(lambda w: {((i + 1) // 2, i // 2): value for i, value in enumerate(w)})


@with_examples(200)
@given(st.one_of(graphs, chains), st.randoms())
def test_the_best_of_all_matchings_is_found(graph: dict[tuple[int, int], tuple[int, ...]], random: Any) -> None:
    edges = [(left, right, weight) for (left, right), weight in graph.items()]
    random.shuffle(edges)
    assert fast(edges, 3) == slow(edges, 3)


@with_examples(150)
@given(graphs, st.sampled_from([0, 1, 8]))
def test_both_ways_of_solving_agree_with_all_matchings(
    graph: dict[tuple[int, int], tuple[int, ...]], narrow: int
) -> None:
    edges = [(left, right, weight) for (left, right), weight in sorted(graph.items())]
    if edges:
        mask = solver.solve(np.array([(left, right, *weight) for left, right, weight in edges]), narrow=narrow)
        assert {(e[0], e[1]) for e, chosen in zip(edges, mask, strict=True) if chosen} == slow(edges, 3)


@pytest.mark.parametrize("many", [0, solver.DENSE_FROM])
@pytest.mark.parametrize("seed", range(5))
def test_wide_parts_have_the_weight_scipy_finds(seed: int, many: int) -> None:
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(seed)
    table = rng.integers(0, 50, size=(30, 40)) * (rng.random((30, 40)) < 0.6)
    left, right = np.nonzero(table)
    chosen = solver.solve(np.column_stack([left, right, table[left, right]]), dense_from=many)
    if many:
        order = rng.permutation(len(left))
        shuffled = best_matching(left[order], right[order], table[left, right][order, None])
        assert np.array_equal(shuffled, chosen[order])
    assert len(set(left[chosen])) == len(set(right[chosen])) == chosen.sum()
    assert table[left, right][chosen].sum() == table[linear_sum_assignment(table, maximize=True)].sum()


def test_the_ways_of_solving_agree_where_trying_all_would_take_too_long() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        near = [(i, j) for i, j in itertools.product(range(25), repeat=2) if abs(i - j) < 4 and rng.random() < 0.7]
        options: list[list[tuple[int, int]]] = [[] for _ in range(25)]
        for i, j in near:
            options[i].append((j, int(rng.integers(1, 3))))
        assert solver._sweep(options) == solver._augment(options)


def test_a_long_chain_is_work_in_proportion_to_its_length() -> None:
    def chain(n: int) -> None:
        left, right = np.repeat(np.arange(n), 2)[1:], np.repeat(np.arange(n), 2)[:-1]
        chosen = best_matching(left, right, np.ones((len(left), 1), dtype=np.int64))
        assert chosen.sum() == n

    chain(30_000)
    assert_proportional(chain, 1_000)


def test_the_width_is_the_most_right_nodes_that_are_open_at_once() -> None:
    chain = np.array([(i, j) for i in range(9) for j in (i, i + 1)])
    assert solver._width(chain) == 1
    assert solver._width(np.array(list(itertools.product(range(3), range(5))))) == 5
    assert solver._width(np.array([(0, 7), (1, 7), (1, 9), (2, 9), (3, 9), (3, 2)])) == 1
    assert solver._width(np.array([(0, 7), (1, 2), (1, 9), (2, 7), (2, 9), (3, 2)])) == 3


def test_large_weights_do_not_overflow() -> None:
    big = 2**61
    edges: list[Edge] = [(0, 0, (big, 1)), (0, 1, (big, 2)), (1, 0, (big, 2)), (1, 1, (big, 2))]
    assert fast(edges, 2) == {(0, 1), (1, 0)}


def test_no_edges() -> None:
    none = np.array([], dtype=np.intp)
    assert best_matching(none, none, np.empty((0, 3), dtype=np.int64)).tolist() == []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), unique=True, max_size=14))
def test_components_are_what_can_be_reached(edges: list[tuple[int, int]]) -> None:
    part = components(np.array([a for a, _ in edges], dtype=np.intp), np.array([b for _, b in edges], dtype=np.intp))
    for at, edge in enumerate(edges):
        reached = {edge}
        for _ in edges:
            reached |= {e for e in edges if any(e[0] == r[0] or e[1] == r[1] for r in reached)}
        assert {e for e, other in zip(edges, part, strict=True) if other == part[at]} == reached


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=14))
def test_local_numbers_count_distinct_smaller_nodes(rows: list[tuple[int, int]]) -> None:
    part, node = (np.array([r[k] for r in rows], dtype=np.intp) for k in (0, 1))
    expected = [len({n for p, n in rows if p == row[0] and n < row[1]}) for row in rows]
    assert local_numbers(part, node).tolist() == expected
