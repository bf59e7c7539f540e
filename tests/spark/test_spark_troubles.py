"""What goes wrong on a cluster: bad data is named in one line, a worker that dies is not missed."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import slicewise
from slicewise.errors import UserError
from slicewise.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    from support.spark_cluster import Cluster

FILES, ROWS = 8, 25_000


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scored prompts in several files."""
    folder = tmp_path_factory.mktemp("logs")
    rng = np.random.default_rng(3)
    words = np.array([f"w{i}" for i in range(300)])
    for i in range(FILES):
        drawn = words[(rng.pareto(1.0, (ROWS, 8)) * 3).astype(np.int64) % len(words)]
        texts = [" ".join(row) for row in drawn]
        pl.DataFrame({"prompt": texts, "correct": rng.random(ROWS) < 0.7}).write_parquet(folder / f"{i}.parquet")
    return folder


def given(folder: Path) -> dict[str, Any]:
    """Return what a user would name."""
    every = f"{folder}/*.parquet"
    return {"task": "scores", "inputs": [f"{every}:prompt"], "systems": {"m": f"{every}:correct"}}


def test_a_row_without_a_score_is_named(session: Any, tmp_path: Path) -> None:
    """One line with file and row, and no stack trace."""
    for i in range(3):
        scores = [True, None if i == 1 else False] + [True] * 12_000
        pl.DataFrame({"correct": scores}).write_parquet(tmp_path / f"{i}.parquet")
    parted = load(task="scores", systems={"m": f"{tmp_path}/*.parquet:correct"}, engine=session, part_rows=9000)
    with pytest.raises(UserError) as told:
        slicewise.score(parted)
    assert str(told.value).startswith(f"{tmp_path}/1.parquet:2: no score; expected a finite number")


def test_a_damaged_page_is_named(session: Any, tmp_path: Path) -> None:
    """Files whose end is well are found out by the worker that reads them."""
    for i in range(3):
        pl.DataFrame({"correct": [k % 2 for k in range(12_000)]}).write_parquet(tmp_path / f"{i}.parquet")
    bad = tmp_path / "1.parquet"
    data = bytearray(bad.read_bytes())
    data[4:40] = b"\xff" * 36
    bad.write_bytes(data)
    parted = load(task="scores", systems={"m": f"{tmp_path}/*.parquet:correct"}, engine=session, part_rows=12_000)
    with pytest.raises(UserError, match="is cut or damaged") as told:
        slicewise.score(parted)
    assert str(told.value).startswith(f"{bad}: ")


def test_what_a_cluster_cannot_do_is_said(session: Any, logs: Path) -> None:
    """Lists of items need all of them."""
    parted = load(**given(logs), engine=session)
    with pytest.raises(UserError, match="a list of items needs all items in one place"):
        slicewise.items(parted)


def test_a_worker_that_dies_is_not_missed(session: Any, cluster: Cluster, logs: Path) -> None:
    """The job ends with the same result, from the worker that is left."""
    whole = slicewise.features(load(**given(logs)), min_count=10)
    parted = load(**given(logs), engine=session, part_rows=ROWS // 2)
    found: list[Any] = []
    work = threading.Thread(target=lambda: found.append(slicewise.features(parted, min_count=10)))
    work.start()
    tracker, end = session.sparkContext.statusTracker(), time.monotonic() + 60
    while not tracker.getActiveJobsIds() and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)
    assert work.is_alive()
    cluster.kill("worker-1")
    try:
        work.join(timeout=300)
        assert not work.is_alive()
        assert found[0].lists == whole.lists
        assert found[0].examples == whole.examples
    finally:
        cluster.add_worker("worker-1")
