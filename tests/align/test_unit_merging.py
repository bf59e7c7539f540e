from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slicewise.align import units as tested
from slicewise.align.units import UnitSet, merge

Unit = tuple[int, int, int, str]
NAMES = ("LOC", "ORG", "PER")
FAR = 2**40


def unit(item: int, start: int, size: int, label: str, scale: int) -> Unit:
    return item * scale, start * scale, (start + size) * scale, label


UNITS = st.builds(
    unit, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.sampled_from(NAMES), st.sampled_from([1, FAR])
)


def unit_set(units: list[Unit], labels: tuple[str, ...]) -> UnitSet:
    places = [np.array([u[i] for u in units], np.int64) for i in range(3)]
    label = np.array([labels.index(u[3]) for u in units], np.int64)
    return UnitSet(places[0], places[1], places[2], label, labels)


def rows(found: tested.Merged, name: str) -> list[Unit]:
    mine = found.frame.filter(found.frame[name])
    return list(mine.select("item", "start", "end", mine["label"].cast(str)).iter_rows())


@given(st.lists(st.lists(UNITS, max_size=12), min_size=1, max_size=4), st.permutations(NAMES))
@pytest.mark.parametrize("bits", [tested.BITS, -1])
def test_every_unit_stands_once_with_all_who_have_it(bits: int, sets: list[list[Unit]], order: list[str]) -> None:
    sets = [[u for u in units if max(u[:3]) < 2**32] for units in sets]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tested, "BITS", bits)
        found = merge([unit_set(units, tuple(order)) for units in sets], [f"s{i}" for i in range(len(sets))])
    every = sorted({u for units in sets for u in units})
    assert found.labels == tuple(sorted({u[3] for u in every}))
    assert list(found.frame["label"].cast(str)) == [u[3] for u in every]
    for i, units in enumerate(sets):
        assert rows(found, f"s{i}") == sorted(set(units))
        assert found.repeats[i] == len(units) - len(set(units))


@given(st.lists(UNITS, max_size=12))
def test_distinct_units_are_the_first_of_their_kind(units: list[Unit]) -> None:
    found = unit_set(units, NAMES).distinct()
    kept = zip(found.item.tolist(), found.start.tolist(), found.end.tolist(), found.label.tolist(), strict=True)
    assert [(item, start, end, NAMES[label]) for item, start, end, label in kept] == list(dict.fromkeys(units))
