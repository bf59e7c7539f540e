"""Kernels that say that their keys differ: the table of a single part is then taken as it is."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest

from slicewise import Evaluation, complement, difficulty, features
from slicewise.engine.local import LocalRunner
from slicewise.engine.protocols import DistinctKeys, Kernel, PartSource


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Return how many rows of each such kernel have been looked at."""
    rows: dict[str, int] = {}
    tables = LocalRunner._tables

    def checking(self: LocalRunner, source: PartSource, kernel: Kernel) -> Iterator[pl.DataFrame]:
        for table in tables(self, source, kernel):
            if isinstance(kernel, DistinctKeys) and kernel.distinct:
                name = type(kernel).__name__
                assert not table.select(kernel.by).is_duplicated().any(), name
                rows[name] = rows.get(name, 0) + table.height
            yield table

    monkeypatch.setattr(LocalRunner, "_tables", checking)
    return rows


def test_keys_differ(chat_of_four: Evaluation, checked: dict[str, int]) -> None:
    complement(chat_of_four, resamples=20)
    difficulty(chat_of_four, resamples=20)
    texts = [f"a b {'a b' * (i % 3)} c d {i % 5}" for i in range(60)]
    scored = pl.DataFrame({"text": texts, "s": [i % 2 for i in range(60)], "t": [i % 3 / 2 for i in range(60)]})
    features(Evaluation.from_frame(scored, systems=["s", "t"], inputs=["text"], task="scores"), ngrams=3, pairs=True)
    answers = pl.DataFrame({name: [f"{i % k % 3}" for i in range(60)] for k, name in enumerate("abcg", 4)})
    complement(Evaluation.from_frame(answers, gold="g", systems=["a", "b", "c"]), resamples=20)
    assert min(checked.values()) > 0
    assert set(checked) == {"PairCounts", "RunCounts", "_ByGroup", "_BySlot", "_Counted"}
