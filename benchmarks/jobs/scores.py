"""Bins and pairs of systems by 0/1 scores in a Parquet file, a column per system, by other means.

A bin is how many systems have an item; of a pair, the items that both miss are counted, from which complementarity
follows.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

from jobs.duck import rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_ONCE = 100_000


def numpy_bins(path: str) -> None:
    """Add up the columns, then count each system's items bin by bin."""
    import numpy as np

    columns = _columns(path)
    having = np.zeros(len(columns[0]), np.uint8)
    for column in columns:
        having += column
    masks = [having == n for n in range(len(columns) + 1)]
    _print_bins(
        [int(np.count_nonzero(mask)) for mask in masks],
        [[int(np.count_nonzero(mask & column)) for mask in masks] for column in columns],
    )


def numpy_pairs(path: str) -> None:
    """Count what both miss, pair by pair."""
    import numpy as np

    missed = [~column for column in _columns(path)]
    _print_pairs([int(np.count_nonzero(a & b)) for a, b in combinations(missed, 2)])


def loop(path: str) -> None:
    """Count the patterns of the rows in a dictionary, then bins and pairs from the patterns."""
    import polars as pl

    counts: Counter[tuple[int, ...]] = Counter()
    for frame in pl.scan_parquet(path).collect_batches(chunk_size=AT_ONCE):
        counts.update(frame.iter_rows())
    systems = range(len(next(iter(counts))))
    totals = [0 for _ in range(len(systems) + 1)]
    found = [[0 for _ in totals] for _ in systems]
    both = dict.fromkeys(combinations(systems, 2), 0)
    for pattern, n in counts.items():
        having = sum(pattern)
        totals[having] += n
        for system in systems:
            found[system][having] += n * pattern[system]
        for a, b in both:
            both[a, b] += n * (1 - pattern[a]) * (1 - pattern[b])
    _print_bins(totals, found)
    _print_pairs(list(both.values()))


def duckdb_bins(path: str) -> None:
    """Group the items by how many systems have them."""
    names = _names(path)
    sums = ", ".join(f"sum({name})::BIGINT" for name in names)
    query = f"SELECT {' + '.join(names)} AS n, count(*), {sums} FROM read_parquet(?) GROUP BY n"
    found = {n: counts for n, *counts in rows(query, path)}
    nothing = [0] * (1 + len(names))
    totals, *each = zip(*(found.get(n, nothing) for n in range(len(names) + 1)), strict=True)
    _print_bins(totals, each)


def duckdb_pairs(path: str) -> None:
    """Count what both miss, all pairs in one query."""
    pairs = ", ".join(f"count(*) FILTER ({a} = 0 AND {b} = 0)" for a, b in combinations(_names(path), 2))
    _print_pairs(rows(f"SELECT {pairs} FROM read_parquet(?)", path)[0])


def _columns(path: str) -> list[NDArray[np.bool_]]:
    import numpy as np
    import polars as pl

    return [column.to_numpy().view(np.bool_) for column in pl.read_parquet(path)]


def _names(path: str) -> list[str]:
    import polars as pl

    return list(pl.read_parquet_schema(path))


def _print_bins(totals: Any, found: Any) -> None:
    print(json.dumps({"totals": totals, "found": found}))


def _print_pairs(both: Any) -> None:
    print(json.dumps({"missed_both": both}))
