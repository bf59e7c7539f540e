"""Several things made at once: Polars and numpy let other threads work meanwhile."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

From = TypeVar("From")
To = TypeVar("To")


def at_once(make: Callable[[From], To], given: Sequence[From]) -> list[To]:
    """Return what is made of each, in order."""
    if len(given) < 2:
        return [make(one) for one in given]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(make, given))
