"""A cluster gives what the embedded engine gives, byte for byte: on the examples, on real and on large made-up data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from support.lens_results import LENSES, content, converted

from slicewise.engine import spark
from slicewise.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    Given = dict[str, Any]

LARGE = 1_000_000


def compared(lens: str, given: Given, session: Any, rows: int, **options: Any) -> None:
    """Compare a lens on a cluster with the same in memory."""
    here = LENSES[lens](load(**given), **options)
    there = LENSES[lens](load(**given, engine=session, part_rows=rows), **options)
    assert content(there.to_json()) == content(here.to_json())


@pytest.fixture(scope="module")
def news(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Given:
    """Entities in news, with training data."""
    folder = tmp_path_factory.mktemp("news")
    files = {name: examples / "news" / "systems" / f"{name}.conll" for name in ("hmm", "crf.1", "perceptron")}
    return {
        "gold": converted(folder, examples / "news" / "test.conll"),
        "train": str(examples / "news" / "train.conll"),
        "systems": {name: converted(folder, path) for name, path in files.items()},
    }


@pytest.mark.parametrize("lens", LENSES)
def test_entities_in_the_examples(news: Given, session: Any, lens: str) -> None:
    """Spans with their documents and training data."""
    compared(lens, news, session, 400)


@pytest.fixture(scope="module")
def tweets(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Given:
    """Entities in tweets: the shared task's own data."""
    folder, data = tmp_path_factory.mktemp("tweets"), shared_data / "wnut17"
    systems = sorted((data / "systems").glob("*.conll"))[:3]
    return {
        "gold": converted(folder, data / "test.conll"),
        "train": str(data / "train.conll"),
        "systems": {path.stem: converted(folder, path) for path in systems},
    }


@pytest.mark.parametrize("lens", LENSES)
def test_entities_in_tweets(tweets: Given, session: Any, lens: str) -> None:
    """Real data of a shared task."""
    compared(lens, tweets, session, 500)


@pytest.fixture(scope="module")
def sentiment(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Given:
    """Labels of sentences."""
    folder, data = tmp_path_factory.mktemp("sentiment"), examples / "sentiment"
    gold = converted(folder, data / "test.tsv")
    systems = {path.stem: converted(folder, path) for path in sorted((data / "systems").glob("*.txt"))[:3]}
    return {"gold": f"{gold}:2", "inputs": [f"{gold}:1"], "systems": systems}


@pytest.mark.parametrize("lens", LENSES)
def test_labels_in_the_examples(sentiment: Given, session: Any, lens: str) -> None:
    """One label per sentence, and its text."""
    options = {"bigrams": True, "shapes": True, "pairs": True} if lens == "features" else {}
    compared(lens, sentiment, session, 300, **options)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """A million scored items of three systems, in five files."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(7)
    words = np.array([f"w{i}" for i in range(5000)])
    for i in range(5):
        size = LARGE // 5
        drawn = (rng.pareto(1.0, (size, 6)) * 3).astype(np.int64) % len(words)
        hard = rng.random(size)
        columns = {f"s{k}": (hard > 0.2 + 0.1 * k).astype(np.int8) for k in range(3)}
        text = [" ".join(row) for row in words[drawn]]
        users = pl.Series(rng.integers(0, 40_000, size)).cast(pl.String).set(pl.Series(hard > 0.999), None)
        pl.DataFrame({"prompt": text, "user": users, **columns}).write_parquet(folder / f"{i}.parquet")
    every = f"{folder}/*.parquet"
    return {"task": "scores", "inputs": [f"{every}:prompt"], "systems": {f"s{k}": f"{every}:s{k}" for k in range(3)}}


@pytest.mark.parametrize("lens", LENSES)
def test_a_million_items(large: Given, session: Any, lens: str) -> None:
    """More than one would read on one machine, in many parts."""
    compared(lens, large, session, 150_000)


def test_many_named_clusters(large: Given, session: Any) -> None:
    """Forty thousand users whose items are in all files, and items of nobody."""
    given = large | {"cluster": "user"}
    assert load(**given, engine=session).aligned.clusters.count > 40_000
    compared("score", given, session, 150_000)


@pytest.fixture(scope="module")
def fractions(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """Items with scores that nearly all differ, of two systems, and a third with few different ones."""
    folder = tmp_path_factory.mktemp("fractions")
    rng, size = np.random.default_rng(3), 40_000
    words = np.array([f"w{i}" for i in range(300)])
    text = [" ".join(row) for row in words[(rng.pareto(1.0, (size, 4)) * 3).astype(np.int64) % len(words)]]
    price, some = np.round(rng.normal(0, 50, size), 3), pl.Series(rng.random(size) < 0.1)
    scores = {"a": rng.normal(size=size), "b": np.round(rng.random(size), 5), "c": rng.integers(0, 9, size) / 9}
    frame = pl.DataFrame({"prompt": text, "price": price, **scores})
    frame = frame.with_columns(cost=pl.when(~some).then("price"), price=pl.when(~some).then("price").cast(pl.String))
    frame.write_parquet(folder / "x.parquet")
    every = f"{folder}/x.parquet"
    inputs = [f"{every}:prompt", f"{every}:price"]
    return {"task": "scores", "inputs": inputs, "systems": {name: f"{every}:{name}" for name in scores}}


@pytest.mark.parametrize("lens", ["features", "buckets", "difficulty"])
def test_ranks_stay_in_the_cluster(fractions: Given, session: Any, monkeypatch: pytest.MonkeyPatch, lens: str) -> None:
    """Where scores and numbers are too many to come back, each part is told the ranks of its own."""
    monkeypatch.setattr(spark, "MAX_COLLECTED", 1_000)
    options = {"numbers": True, "bigrams": True, "min_count": 20} if lens == "features" else {}
    compared(lens, fractions, session, 10_000, **options)
