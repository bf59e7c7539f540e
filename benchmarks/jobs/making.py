"""Made-up Parquet files of scores, written bit by bit, so that large ones need no more memory than small ones."""

from __future__ import annotations

import math
import random
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    import polars as pl

SEED = 20
AT_ONCE = 50_000  # items made together; a smaller file is the beginning of a larger one
ROW_GROUP = 100_000
HARD = (100, 300, 1_000, 3_000, 10_000)  # ranks of the words in the first field that lower the score


def scored(path: str, items: str, types: str, tokens: str, *fields: str) -> None:
    """Write texts with a score of 0 or 1."""
    _write(path, int(items), lambda: _texts(int(types), int(tokens), fields))


def matrix(path: str, items: str, systems: str) -> None:
    """Write 0/1 scores of systems, each better than the one before, on items of different difficulty."""
    _write(path, int(items), lambda: _scores(int(systems)))


def lines(source: str, to: str) -> None:
    """Write the texts, the scores, and ones that they are compared with, as GEval's three files of lines."""
    import polars as pl

    frame = pl.read_parquet(source)
    _write_lines(frame.drop("score"), f"{to}/in.tsv")
    _write_lines(frame.select("score"), f"{to}/out.tsv")
    _write_lines(pl.DataFrame({"score": [1] * frame.height}), f"{to}/expected.tsv")


def _write_lines(frame: pl.DataFrame, path: str) -> None:
    frame.write_csv(path, separator="\t", include_header=False, quote_style="never")


def _write(path: str, items: int, pieces: Callable[[], Iterator[pl.DataFrame]]) -> None:
    """Write the first items of endless pieces."""
    from polars.io.plugins import register_io_source

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        for start, piece in zip(range(0, items, AT_ONCE), pieces(), strict=False):
            yield piece.head(items - start)

    register_io_source(source, schema=next(pieces()).schema).sink_parquet(path, row_group_size=ROW_GROUP)


def _texts(types: int, tokens: int, fields: tuple[str, ...]) -> Iterator[pl.DataFrame]:
    """Draw the tokens by Zipf's law; four of five items score 1, fewer of those with a hard word."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(SEED)
    words = pl.Series(_vocabulary(types))
    bounds = np.cumsum(1 / np.arange(1, types + 1))
    bounds /= bounds[-1]
    while True:
        drawn = np.searchsorted(bounds, rng.random((len(fields), AT_ONCE, tokens)), side="right")
        hard = np.isin(drawn[0], HARD).any(axis=1)
        score = (rng.random(AT_ONCE) < np.where(hard, 0.75, 0.8)).astype(np.int64)
        texts = [words.gather(ids.reshape(-1)).reshape((AT_ONCE, tokens)).arr.join(" ") for ids in drawn]
        yield pl.DataFrame({**dict(zip(fields, texts, strict=True)), "score": score})


def _scores(systems: int) -> Iterator[pl.DataFrame]:
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(SEED)
    skill = 0.1 + 0.02 * np.arange(systems, dtype=np.float32)[:, None]
    while True:
        ease = rng.random(AT_ONCE, dtype=np.float32)
        right = (rng.random((systems, AT_ONCE), dtype=np.float32) < ease + skill).astype(np.int8)
        yield pl.DataFrame({f"s{i}": column for i, column in enumerate(right)})


def _vocabulary(types: int) -> list[str]:
    """Make different words, the most frequent first: the rarer, the longer; some are names, some are numbers."""
    rng = random.Random(SEED)
    letters, weights = "etaoinshrdlucmfwypvbgkjqxz", list(accumulate(range(26, 0, -1)))
    words: dict[str, None] = {}
    while len(words) < types:
        length = max(1, round(rng.gauss(2 + 0.6 * math.log(len(words) + 1), 1.5)))
        word = "".join(rng.choices(letters, cum_weights=weights, k=length))
        kind = rng.random()
        words[word.capitalize() if kind < 0.15 else str(rng.randrange(10**5)) if kind < 0.18 else word] = None
    return list(words)
