"""Units: what is compared. One row per distinct (item, start, end, label) of gold and of all systems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

Ints = "NDArray[np.int64]"


@dataclass(frozen=True)
class UnitSet:
    """The units of one file. `start` and `end` are 0 where a unit is a whole item's label."""

    item: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    label: NDArray[np.int64]
    labels: tuple[str, ...]

    @classmethod
    def of_items(cls, item: NDArray[np.int64], label: pl.Series) -> UnitSet:
        """Make units that are labels of whole items."""
        names = tuple(label.unique().sort().to_list())
        codes = label.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64) if names else np.zeros(0, np.int64)
        nowhere = np.zeros(len(item), np.int64)
        return cls(item, nowhere, nowhere, codes, names)

    def __len__(self) -> int:
        return len(self.item)

    def keep(self, mask: NDArray[np.bool_]) -> UnitSet:
        """Return some of the units."""
        return UnitSet(self.item[mask], self.start[mask], self.end[mask], self.label[mask], self.labels)

    def distinct(self) -> UnitSet:
        """Return each unit once."""
        order, new, _ = _ordered([self.item, self.start, self.end, self.label])
        first = np.zeros(len(self), np.bool_)
        first[order[new]] = True
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
    """Put gold and systems into one table, a boolean column each, ordered by item, start, end and label."""
    labels = tuple(sorted({s.labels[code] for s in sets for code in np.unique(s.label)}))
    index = {name: code for code, name in enumerate(labels)}
    remaps = [np.array([index.get(name, -1) for name in s.labels] or [0]) for s in sets]
    keys = [
        np.concatenate([s.item for s in sets]),
        np.concatenate([s.start for s in sets]),
        np.concatenate([s.end for s in sets]),
        np.concatenate([remap[s.label] for s, remap in zip(sets, remaps, strict=True)]),
    ]
    source = np.repeat(np.arange(len(sets)), [len(s) for s in sets])
    order, new, (item, start, end, label) = _ordered(keys)
    has = np.zeros((len(item), len(sets)), np.bool_, order="F")
    has[np.cumsum(new) - 1, source[order]] = True
    repeats = tuple(len(s) - int(has[:, i].sum()) for i, s in enumerate(sets))
    frame = pl.DataFrame(
        {
            "item": item.astype(np.uint32),
            "start": start.astype(np.uint32),
            "end": end.astype(np.uint32),
            "label": pl.Series(labels, dtype=pl.Enum(labels)).gather(label),
        }
        | {name: has[:, i] for i, name in enumerate(columns)}
    )
    return Merged(frame, labels, repeats)


def _ordered(
    keys: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.bool_], list[NDArray[np.int64]]]:
    """Return the order by all keys, where in it a new combination begins, and the distinct combinations.

    Keys are packed into one integer where they fit, which sorts much faster.
    """
    first = [True] * bool(len(keys[0]))
    widths = [int(key.max(initial=0)).bit_length() for key in keys]
    if sum(widths) > 62:
        order = np.lexsort(list(reversed(keys)))
        changes = [key[order][1:] != key[order][:-1] for key in keys]
        new = np.concatenate([first, np.logical_or.reduce(changes)]).astype(np.bool_)
        return order, new, [key[order[new]] for key in keys]
    packed = np.zeros(len(keys[0]), np.int64)
    for key, width in zip(keys, widths, strict=True):
        packed <<= width
        packed |= key
    order = np.argsort(packed, kind="stable")
    packed = packed[order]
    new = np.concatenate([first, packed[1:] != packed[:-1]]).astype(np.bool_)
    distinct = packed[new]
    found = []
    for width in reversed(widths):
        found.append(distinct & ((1 << width) - 1))
        distinct = distinct >> width
    return order, new, list(reversed(found))
