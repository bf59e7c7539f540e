"""Units: what is compared. One row per distinct (item, start, end, label) of gold and of all systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from slicewise.arrays import Ints, Mask

_Columns = tuple[Ints, Ints, Ints, Ints]
"""Item, start, end and label of many units."""

BITS = 62
"""Of a number that stands for a unit."""


@dataclass(frozen=True)
class UnitSet:
    """The units of one file. `start` and `end` are 0 where a unit is a whole item's label."""

    item: Ints
    start: Ints
    end: Ints
    label: Ints
    labels: tuple[str, ...]

    @classmethod
    def of_items(cls, item: Ints, label: pl.Series) -> UnitSet:
        """Make units that are labels of whole items."""
        names = tuple(label.unique().sort().to_list())
        codes = label.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64) if names else np.zeros(0, np.int64)
        nowhere = np.zeros(len(item), np.int64)
        return cls(item, nowhere, nowhere, codes, names)

    def __len__(self) -> int:
        return len(self.item)

    def keep(self, mask: Mask) -> UnitSet:
        """Return some of the units."""
        return UnitSet(self.item[mask], self.start[mask], self.end[mask], self.label[mask], self.labels)

    def distinct(self) -> UnitSet:
        """Return each unit once."""
        ((numbers,), _) = _numbered([(self.item, self.start, self.end, self.label)])
        first = np.zeros(len(self), np.bool_)
        first[np.unique(numbers, return_index=True)[1]] = True
        return self.keep(first)

    def relabelled(self, mapping: Mapping[str, str]) -> UnitSet:
        """Return the units under other labels; several labels may become one."""
        if not any(name in mapping for name in self.labels):
            return self
        names = [mapping.get(name, name) for name in self.labels]
        labels = tuple(sorted(set(names)))
        return replace(self, label=np.array([labels.index(name) for name in names])[self.label], labels=labels)

    def without(self, ignored: AbstractSet[str]) -> UnitSet:
        """Return the units whose label is not ignored."""
        codes = [code for code, name in enumerate(self.labels) if name in ignored]
        return self.keep(~np.isin(self.label, codes)) if codes else self


@dataclass(frozen=True)
class Merged:
    """All units with who has them; `repeats[i]` counts units that set i gave more than once."""

    frame: pl.DataFrame
    labels: tuple[str, ...]
    repeats: tuple[int, ...]


def merge(sets: Sequence[UnitSet], columns: Sequence[str]) -> Merged:
    """Merge gold and systems into one table, a boolean column each, ordered by item, start, end and label."""
    labels = tuple(sorted({s.labels[code] for s in sets for code in np.flatnonzero(np.bincount(s.label))}))
    index = {name: code for code, name in enumerate(labels)}
    remaps = [np.array([index.get(name, -1) for name in s.labels] or [0]) for s in sets]
    numbers, units_of = _numbered(
        [(s.item, s.start, s.end, remap[s.label]) for s, remap in zip(sets, remaps, strict=True)]
    )
    distinct = _distinct(np.concatenate(numbers))
    has = [_marked(np.searchsorted(distinct, units), len(distinct)) for units in numbers]
    repeats = tuple(len(s) - int(np.count_nonzero(units)) for s, units in zip(sets, has, strict=True))
    item, start, end, label = units_of(distinct)
    frame = pl.DataFrame(
        {
            "item": item.astype(np.uint32),
            "start": start.astype(np.uint32),
            "end": end.astype(np.uint32),
            "label": pl.Series(labels, dtype=pl.Enum(labels)).gather(label),
        }
        | dict(zip(columns, has, strict=True))
    )
    return Merged(frame, labels, repeats)


def _distinct(numbers: Ints) -> Ints:
    """Return the distinct numbers in order; stretches that are in order already cost little."""
    ordered = np.sort(numbers, kind="stable")
    return ordered[np.append([True] * bool(len(ordered)), ordered[1:] != ordered[:-1]).astype(np.bool_)]


def _marked(places: Ints, size: int) -> Mask:
    marked = np.zeros(size, np.bool_)
    marked[places] = True
    return marked


def _numbered(sets: Sequence[_Columns]) -> tuple[list[Ints], Callable[[Ints], _Columns]]:
    """Return one number for each unit, equal and in order as the units are, and what gives units back for numbers.

    A unit's places and label are packed into its number where they fit; otherwise units are numbered in their order.
    """
    # the length, not the end: it orders units alike, and takes fewer bits
    packed = [(item, start, end - start, label) for item, start, end, label in sets]
    widths = [
        max(int(column.max(initial=0)) for column in columns).bit_length() for columns in zip(*packed, strict=True)
    ]
    if sum(widths) > BITS:
        return _ranked(sets)

    def units_of(numbers: Ints) -> _Columns:
        item, start, size, label = _unpacked(numbers, widths)
        return item, start, start + size, label

    return [_packed(columns, widths) for columns in packed], units_of


def _packed(columns: _Columns, widths: Sequence[int]) -> Ints:
    numbers = np.zeros(len(columns[0]), np.int64)
    for column, width in zip(columns, widths, strict=True):
        numbers <<= width
        numbers |= column
    return numbers


def _unpacked(numbers: Ints, widths: Sequence[int]) -> _Columns:
    shifts = np.cumsum([0, *widths[:0:-1]])[::-1]
    item, start, size, label = (
        (numbers >> shift) & ((1 << width) - 1) for shift, width in zip(shifts, widths, strict=True)
    )
    return item, start, size, label


def _ranked(sets: Sequence[_Columns]) -> tuple[list[Ints], Callable[[Ints], _Columns]]:
    """Return numbers that are the places of the units in their order."""
    item, start, end, label = (np.concatenate(column) for column in zip(*sets, strict=True))
    order = np.lexsort((label, end, start, item))
    changes = [column[order][1:] != column[order][:-1] for column in (item, start, end, label)]
    new = np.append([True] * bool(len(order)), np.logical_or.reduce(changes)).astype(np.bool_)
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(new) - 1
    first = order[new]
    ends = np.cumsum([len(columns[0]) for columns in sets])
    return np.split(numbers, ends[:-1]), lambda of: (
        item[first[of]],
        start[first[of]],
        end[first[of]],
        label[first[of]],
    )
