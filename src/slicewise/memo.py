"""What has been worked out about a part of the data, kept for whoever asks next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
import polars as pl

Value = TypeVar("Value")
PLAIN = (str, bytes, int, float, type(None))
MAX_BYTES = 1 << 31
"""What all values together may take; the one asked for last stays in any case."""


class Memo:
    """Values by key, each made once; the least recently used go first when they take too much memory.

    It does not travel: another process begins with an empty one.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def __call__(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if it is not there."""
        if key not in self._values:
            value = make()  # which may ask for others
            self._values[key] = value
            self._shrink()
        self._values.move_to_end(key)
        kept: Value = self._values[key]
        return kept

    def __len__(self) -> int:
        return len(self._values)

    def __reduce__(self) -> tuple[type[Memo], tuple[int]]:
        return Memo, (self._max_bytes,)

    def clear(self) -> None:
        """Forget all values: some of them know the data that knows this memo, and nobody looks for such cycles."""
        self._values.clear()

    def _shrink(self) -> None:
        while len(self._values) > 1 and sum(size for _, size in _arrays(self._values)) > self._max_bytes:
            self._values.popitem(last=False)


def _arrays(value: Any) -> Iterator[tuple[int, int]]:
    """Yield every array and frame behind a value once, with its size in bytes; not those of the data itself."""
    seen: set[int] = set()
    open_ = [value]
    while open_:
        value = open_.pop()
        if id(value) in seen or isinstance(value, (*PLAIN, type)) or hasattr(value, "memo"):
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            if value.base is None:
                yield id(value), value.nbytes
            else:
                open_.append(value.base)
        elif isinstance(value, (pl.Series, pl.DataFrame)):
            yield id(value), int(value.estimated_size())
        elif isinstance(value, Mapping):
            open_ += value.values()
        elif isinstance(value, (list, tuple)):
            open_ += value if not value or not isinstance(value[0], PLAIN) else ()
        elif hasattr(value, "__dict__"):
            open_ += vars(value).values()
