"""Kernels that say that their keys differ: the table of a single part is then taken as it is."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest

from slicewise import Evaluation, buckets, complement, difficulty, features
from slicewise.engine.local import LocalRunner
from slicewise.engine.protocols import DistinctKeys, Kernel, PartSource
from slicewise.lenses.ranking.feature_kernels import FeatureCounts


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Return how many rows of each such kernel have been looked at."""
    rows: dict[str, int] = {}
    tables, shared = LocalRunner._tables, FeatureCounts.shared

    def check(kernel: Kernel, table: pl.DataFrame) -> pl.DataFrame:
        if isinstance(kernel, DistinctKeys) and kernel.distinct:
            name = type(kernel).__name__
            assert not table.select(kernel.by).is_duplicated().any(), name
            rows[name] = rows.get(name, 0) + table.height
        return table

    def checking(self: LocalRunner, source: PartSource, kernel: Kernel) -> Iterator[pl.DataFrame]:
        yield from (check(kernel, table) for table in tables(self, source, kernel))

    def checking_names(self: FeatureCounts, part: Evaluation, table: pl.DataFrame) -> pl.DataFrame:
        return check(self, shared(self, part, table))

    monkeypatch.setattr(LocalRunner, "_tables", checking)
    monkeypatch.setattr(FeatureCounts, "shared", checking_names)
    return rows


def test_keys_differ(chat_of_four: Evaluation, checked: dict[str, int]) -> None:
    complement(chat_of_four, resamples=20)
    difficulty(chat_of_four, resamples=20)
    texts = [f"a b {'a b' * (i % 3)} c d {i % 5}" for i in range(60)]
    scored = pl.DataFrame({"text": texts, "s": [i % 2 for i in range(60)], "t": [i % 3 / 2 for i in range(60)]})
    evaluation = Evaluation.from_frame(scored, systems=["s", "t"], inputs=["text"], task="scores")
    features(evaluation, ngrams=3, pairs=True)
    features(Evaluation.from_frame(scored, systems=["s"], inputs=["text"], task="scores"), shapes=True)
    buckets(evaluation, resamples=20)
    buckets(chat_of_four, resamples=20)
    answers = pl.DataFrame({name: [f"{i % k % 3}" for i in range(60)] for k, name in enumerate("abcg", 4)})
    labelled = Evaluation.from_frame(answers, gold="g", systems=["a", "b", "c"])
    complement(labelled, resamples=20)
    features(Evaluation.from_frame(answers, gold="g", systems=["a"]))
    assert min(checked.values()) > 0
    assert set(checked) == {
        "FeatureCounts",
        "PairCounts",
        "RunCounts",
        "_ByGroup",
        "_BySlot",
        "_Counted",
        "_ItemSums",
        "_UnitSums",
    }
