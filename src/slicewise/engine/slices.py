"""Units counted by slice and group, and their ranks summed, from one code per unit: its group, and who has it.

Systems agree on most units, and a group has few units, so there are far fewer codes than units to sum over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints
from slicewise.engine.sums import GOLD, PRED, TP

AT_ONCE = 16
"""Flags that are packed into a code at a time."""
ROOMY = 8
"""Largest size of a lookup table per number looked up in it."""
HALF = 30
"""Bits of the lower half of a product; sums of halves are exact in floating point."""


@dataclass(frozen=True, eq=False)
class Holders:
    """Units by the number of their group and of who has them."""

    number: Ints
    """Of each unit."""
    group: Ints
    """Of each number."""
    has: NDArray[np.bool_]
    """Who has the units of each number, `(numbers, 1 + systems)`; gold first."""

    @classmethod
    def of(cls, units: pl.DataFrame, systems: Sequence[str]) -> Holders:
        """Give numbers to units, which have a group, gold and a boolean per system."""
        flags = [units[name].to_numpy() for name in ("gold", *systems)]
        group = units["group"].to_numpy().astype(np.int64)
        number = group
        for start in range(0, len(flags), AT_ONCE):
            for flag in flags[start : start + AT_ONCE]:
                number = number * 2 + flag
            _, number = renumbered(number)
        unit = np.zeros(int(number.max(initial=-1)) + 1, np.int64)
        unit[number] = np.arange(len(number))
        return cls(number, group[unit], np.column_stack([flag[unit] for flag in flags]))

    def counts(self, slots: Ints, size: int, only: int | None = None) -> pl.DataFrame:
        """Count gold units, returned ones and true positives by group and slot; of one system, or of all."""
        cells, n = counted(self.number * size + slots, len(self.group) * size)
        number, slot = cells // size, cells % size
        keys, place = renumbered(self.group[number] * size + slot)
        gold, n = self.has[number, 0], n.astype(np.float64)

        def total(flags: NDArray[np.bool_]) -> Ints:
            return np.bincount(place[flags], n[flags], minlength=len(keys)).astype(np.int64)

        columns = {"slot": keys % size, "group": keys // size, GOLD: total(gold)}
        nothing = np.zeros(len(keys), np.int64)
        for i in range(self.has.shape[1] - 1):
            has = self.has[number, i + 1]
            counted_here = only is None or only == i
            columns[PRED.format(i)] = total(has) if counted_here else nothing
            columns[TP.format(i)] = total(gold & has) if counted_here else nothing
        return pl.DataFrame(columns)

    @cached_property
    def _gold(self) -> tuple[Ints, Ints]:
        """The gold units, and the number of each."""
        rows = np.flatnonzero(self.has[self.number, 0])
        return rows, self.number[rows]

    def rank_sums(self, codes: NDArray[np.integer[Any]], ranks: Ints) -> pl.DataFrame:
        """Sum the ranks of gold units by group, and those of the units that each system found.

        `codes` say where a unit's rank stands; those without one come after the last. Beside no slot: -1.
        """
        rows, number = self._gold
        unit_codes = codes[rows]
        known = unit_codes < len(ranks)
        unit_codes, number = (unit_codes, number) if known.all() else (unit_codes[known], number[known])
        by_number = {
            name: np.bincount(number, of.astype(np.float64)[unit_codes], minlength=len(self.group))
            for name, of in {GOLD: np.ones(len(ranks)), "x": ranks, **halves("xx", ranks * ranks)}.items()
        }
        groups, place = renumbered(self.group)

        def by_group(values: NDArray[Any], flags: NDArray[np.bool_]) -> Ints:
            return np.rint(np.bincount(place[flags], values[flags], minlength=len(groups))).astype(np.int64)

        mask = np.ones(len(self.group), np.bool_)
        columns = {name: by_group(values, mask) for name, values in by_number.items()}
        for i in range(self.has.shape[1] - 1):
            has = self.has[:, i + 1]
            columns[TP.format(i)] = by_group(by_number[GOLD], has)
            columns[f"xy{i}"] = by_group(by_number["x"], has)
        return pl.DataFrame({"slot": np.full(len(groups), -1), "group": groups} | columns)


def halves(name: str, numbers: Ints) -> dict[str, Ints]:
    """Return the lower bits of whole numbers and the others, as two columns."""
    return {f"{name}:0": numbers & ((1 << HALF) - 1), f"{name}:1": numbers >> HALF}


def from_halves(table: pl.DataFrame, name: str) -> NDArray[np.float64]:
    """Return sums of whole numbers from the sums of their halves."""
    return table[f"{name}:0"].to_numpy() + table[f"{name}:1"].to_numpy() * float(1 << HALF)


def counted(numbers: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the distinct numbers, all below `size`, sorted, and their counts."""
    if size > ROOMY * len(numbers):
        return np.unique(numbers, return_counts=True)
    times = np.bincount(numbers, minlength=size)
    present = np.flatnonzero(times)
    return present, times[present]


def renumbered(numbers: Ints) -> tuple[Ints, Ints]:
    """Return the distinct numbers, sorted, and the index of each number among them."""
    size = int(numbers.max(initial=-1)) + 1
    if size > ROOMY * len(numbers):
        return np.unique(numbers, return_inverse=True)
    present = np.zeros(size, np.bool_)
    present[numbers] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[numbers]
