"""The worst features of scored texts, by other means: a Parquet file of fields a, b, c and a score of 0 or 1."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

from jobs.duck import rows

if TYPE_CHECKING:
    from collections.abc import Iterable

FIELDS = ("a", "b", "c")


def loop(path: str, least: str, top: str) -> None:
    """Rank tokens by a loop over the items, with dictionaries of features: counts, and sums of twice the ranks."""
    import polars as pl

    frame = pl.read_parquet(path)
    scores = frame["score"].to_list()
    items, zeros = len(scores), scores.count(0)
    counts: defaultdict[str, int] = defaultdict(int)
    sums: defaultdict[str, int] = defaultdict(int)
    for a, b, c, score in frame.select(*FIELDS, "score").iter_rows():
        rank = zeros + 1 + items * score  # those of equal scores share their mean
        features = {f"in<a>:{token}" for token in a.split()}
        features |= {f"in<b>:{token}" for token in b.split()}
        features |= {f"in<c>:{token}" for token in c.split()}
        for feature in features:
            counts[feature] += 1
            sums[feature] += rank
    _rank(((name, n, _right(n, sums[name], items, zeros)) for name, n in counts.items()), items, zeros, least, top)


def loop_by_field(path: str, least: str, top: str) -> None:
    """Rank tokens by a loop over each field by itself: dictionaries of tokens, which need no names of features."""
    import polars as pl

    frame = pl.read_parquet(path)
    scores = frame["score"].to_list()
    items, zeros = len(scores), scores.count(0)
    ranks = [zeros + 1 + items * score for score in scores]
    found: list[tuple[str, int, int]] = []
    for field in FIELDS:
        counts: defaultdict[str, int] = defaultdict(int)
        sums: defaultdict[str, int] = defaultdict(int)
        for text, rank in zip(frame[field].to_list(), ranks, strict=True):
            for token in set(text.split()):
                counts[token] += 1
                sums[token] += rank
        found += [(f"in<{field}>:{token}", n, _right(n, sums[token], items, zeros)) for token, n in counts.items()]
    _rank(found, items, zeros, least, top)


def duckdb_query(path: str, least: str, top: str) -> None:
    """Rank tokens by a query that counts them and the scores of their items."""
    [(items, zeros)] = rows("SELECT count(*), count(*) FILTER (score = 0) FROM read_parquet(?)", path)
    found: list[tuple[str, int, int]] = []
    for field in FIELDS:
        tokens = f"SELECT unnest(list_distinct(string_split({field}, ' '))) AS token, score FROM read_parquet(?)"
        counts = f"SELECT token, count(*), sum(score)::BIGINT FROM ({tokens}) GROUP BY token HAVING count(*) >= ?"
        found += [(f"in<{field}>:{token}", n, right) for token, n, right in rows(counts, path, int(least))]
    _rank(found, items, zeros, least, top)


def _right(n: int, rank_sum: int, items: int, zeros: int) -> int:
    """Return how many of a feature's items score 1, from the sum of their doubled ranks."""
    return (rank_sum - n * (zeros + 1)) // items


def _rank(counted: Iterable[tuple[str, int, int]], items: int, zeros: int, least: str, top: str) -> None:
    """Print the first features by p, given each feature's items and how many of them score 1."""
    import numpy as np
    from scipy.stats import hypergeom

    found = [(name, (n, right)) for name, n, right in counted if int(least) <= n <= items - int(least)]
    cases = sorted({case for _, case in found})  # scipy is slow: each case once
    counts, right = zip(*cases, strict=True)
    p = dict(zip(cases, np.asarray(hypergeom.cdf(right, items, items - zeros, counts)).tolist(), strict=True))
    print(json.dumps(sorted((p[case], name) for name, case in found)[: int(top)]))
