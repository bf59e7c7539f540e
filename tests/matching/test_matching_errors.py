from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nervaluate import Evaluator
from support.profiles import with_examples

from slicewise.matching.error_types import BOUNDARY, BOUNDARY_TYPE, KINDS, MISSED, SPURIOUS, TYPE, error_types
from slicewise.matching.repair import repaired_f1
from slicewise.matching.semeval import semeval_matches

if TYPE_CHECKING:
    from collections.abc import Iterable

Unit = tuple[int, int, int, int]  # item, start, end, label
Pair = tuple[Unit, Unit]
Sides = dict[Unit, tuple[bool, bool]]  # gold, returned

unit = st.builds(
    lambda i, s, n, t: (i, s, s + n, t), st.integers(0, 1), st.integers(0, 5), st.integers(1, 4), st.integers(0, 2)
)
sides = st.dictionaries(unit, st.tuples(st.booleans(), st.booleans()), max_size=11)


def columns(units: Sides) -> tuple[np.ndarray[Any, Any], ...]:
    table = np.array(list(units), dtype=np.int64).reshape(len(units), 4)
    flags = np.array(list(units.values()), dtype=bool).reshape(len(units), 2)
    return (*table.T, *flags.T)


def shared(a: Unit, b: Unit) -> int:
    return max(0, min(a[2], b[2]) - max(a[1], b[1])) if a[0] == b[0] else 0


def all_matchings(left: list[Unit], right: list[Unit]) -> list[list[Pair]]:
    """Return all one-to-one matchings of overlapping spans."""
    if not left:
        return [[]]
    found = all_matchings(left[1:], right)
    for other in right:
        if shared(left[0], other):
            found += [[(left[0], other), *m] for m in all_matchings(left[1:], [r for r in right if r != other])]
    return found


def slow_pairs(units: Sides) -> set[Pair]:
    """Match the wrong units of every item by trying everything."""
    result: set[Pair] = set()
    for item in {u[0] for u in units}:
        missed = [u for u, flags in units.items() if u[0] == item and flags == (True, False)]
        spurious = [u for u, flags in units.items() if u[0] == item and flags == (False, True)]

        def preference(m: Iterable[Pair]) -> tuple[int, int, int, list[Pair]]:
            m = list(m)
            same_span = sum(a[1:3] == b[1:3] for a, b in m)
            return -same_span, -sum(a[3] == b[3] for a, b in m), -sum(shared(a, b) for a, b in m), sorted(m)

        result |= set(min(all_matchings(missed, spurious), key=preference))
    return result


@with_examples(200)
@given(sides)
def test_error_types_are_those_of_the_best_matching(units: Sides) -> None:
    found = error_types(*columns(units))
    pairs = slow_pairs(units)
    partner = dict(pairs) | {b: a for a, b in pairs}
    listed = list(units)
    for at, (u, (gold, returned)) in enumerate(units.items()):
        other = partner.get(u)
        if gold == returned:
            expected = 0
        elif other is None:
            expected = MISSED if gold else SPURIOUS
        else:
            expected = TYPE if u[1:3] == other[1:3] else BOUNDARY if u[3] == other[3] else BOUNDARY_TYPE
        assert found.kind[at] == expected
        assert found.partner[at] == (-1 if other is None else listed.index(other))
        assert found.counted[at] == (gold != returned and (gold or other is None))
        opposite = [v for v, flags in units.items() if flags[1 if gold else 0]]
        assert found.overlaps[at] == (gold != returned and any(shared(u, v) for v in opposite))


def test_codes_follow_the_names() -> None:
    assert KINDS[BOUNDARY - 1] == "boundary"
    assert KINDS[TYPE - 1] == "type"
    assert KINDS[BOUNDARY_TYPE - 1] == "boundary_type"
    assert KINDS[MISSED - 1] == "missed"
    assert KINDS[SPURIOUS - 1] == "spurious"


def slow_credit(units: Sides, way: str) -> float:
    """Return tp of one way: the greatest total credit over all matchings of all gold and all returned spans."""

    def credit(a: Unit, b: Unit) -> float:
        if way == "partial":
            return 1 if a[1:3] == b[1:3] else 0.5
        if way == "type":
            return float(a[3] == b[3])
        return float(a[1:3] == b[1:3] and (way == "exact" or a[3] == b[3]))

    total = 0.0
    for item in {u[0] for u in units}:
        gold = [u for u, flags in units.items() if u[0] == item and flags[0]]
        returned = [u for u, flags in units.items() if u[0] == item and flags[1]]
        total += max(sum(credit(a, b) for a, b in m) for m in all_matchings(gold, returned))
    return total


few_sides = st.dictionaries(
    unit, st.sampled_from([(True, True), (True, True), (True, False), (False, True)]), max_size=9
)


@with_examples(125)
@given(few_sides)
def test_each_way_of_counting_has_the_greatest_credit(units: Sides) -> None:
    found = semeval_matches(*columns(units))
    gold = np.array([flags[0] for flags in units.values()], dtype=bool)
    for way in ("strict", "exact", "partial", "type"):
        credit = getattr(found, way)
        assert credit.sum() == slow_credit(units, way)
        assert set(credit.tolist()) <= ({0, 0.5, 1} if way == "partial" else {0, 1})
        assert not credit[~gold].any()
        assert (credit >= found.strict).all() or way == "type"
    assert (found.partial >= found.exact).all()


def test_a_correct_nested_span_gives_way_where_that_makes_more_pairs() -> None:
    units: Sides = {(0, 0, 10, 0): (True, True), (0, 0, 1, 0): (True, False), (0, 9, 10, 0): (False, True)}
    found = semeval_matches(*columns(units))
    assert [found.strict.sum(), found.exact.sum(), found.partial.sum(), found.type.sum()] == [1, 1, 1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_as_nervaluate_where_its_order_of_matching_cannot_matter(seed: int) -> None:
    """Every span overlaps at most one of the other side, so that there is only one matching and greedy is optimal."""
    rng = np.random.default_rng(seed)
    units: Sides = {}
    names = "ABC"
    true: list[list[dict[str, Any]]] = []
    predicted: list[list[dict[str, Any]]] = []
    for item in range(60):
        true.append([])
        predicted.append([])
        for slot in range(0, 50, 10):
            start, size, label = slot + 3, int(rng.integers(1, 4)), int(rng.integers(3))
            gold: Unit = (item, start, start + size, label)
            shifts = {
                "same": (0, 0, 0),
                "longer": (0, 1, 0),
                "earlier": (-1, 0, 0),
                "label": (0, 0, 1),
                "both": (-1, 1, 1),
            }
            what = str(rng.choice([*shifts, "missed", "spurious", "apart"]))
            a, b, c = shifts.get(what, (-3, -size - 1, 0))
            other: Unit = (item, gold[1] + a, gold[2] + b, (label + c) % 3)
            if what != "spurious":
                units[gold] = (True, False)
                true[-1].append({"label": names[label], "start": gold[1], "end": gold[2] - 1})
            if what != "missed":
                units[other] = (other in units, True)
                predicted[-1].append({"label": names[other[3]], "start": other[1], "end": other[2] - 1})
    theirs = Evaluator(true, predicted, tags=list(names), loader="dict").evaluate()["overall"]
    ours = semeval_matches(*columns(units))
    assert 0 < theirs["strict"].correct == ours.strict.sum()
    assert theirs["exact"].correct == ours.exact.sum()
    assert theirs["ent_type"].correct == ours.type.sum()
    assert theirs["partial"].correct + 0.5 * theirs["partial"].partial == ours.partial.sum()
    kinds = np.bincount(error_types(*columns(units)).kind[columns(units)[4]], minlength=6)  # gold units
    assert kinds[BOUNDARY] == theirs["ent_type"].correct - theirs["strict"].correct
    assert kinds[TYPE] == theirs["exact"].correct - theirs["strict"].correct
    assert kinds[MISSED] == theirs["strict"].missed


def f1(tp: float, n_pred: float, n_gold: float) -> float:
    return 2 * tp / (n_pred + n_gold) if n_pred + n_gold else np.nan


@given(sides)
def test_a_repair_gains_what_repaired_units_score(units: Sides) -> None:
    gold, returned = columns(units)[4:]
    found = error_types(*columns(units))
    errors = np.bincount(found.kind[found.counted], minlength=6)[1:]
    gain = repaired_f1((gold & returned).sum(), returned.sum(), gold.sum(), errors)
    before = f1((gold & returned).sum(), returned.sum(), gold.sum())
    for code, kind in enumerate(KINDS, 1):
        repaired = returned.copy()
        repaired[found.kind == code] = gold[found.kind == code]
        after = f1((gold & repaired).sum(), repaired.sum(), gold.sum())
        np.testing.assert_allclose(gain[code - 1], after - before, atol=1e-15, err_msg=kind)


def test_repairs_of_many_at_once() -> None:
    gain = repaired_f1(np.array([1, 0]), np.array([2, 0]), np.array([3, 0]), np.array([[1, 0, 0, 1, 0], [0] * 5]))
    np.testing.assert_allclose(gain[0], [0.4, 0, 0, 4 / 6 - 0.4, 0])
    assert np.isnan(gain[1]).all()
