"""Spark as one meets it on the command line: a session of one's own, what goes wrong in one line, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = 60_000


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Prompts with scores that all differ."""
    folder = tmp_path_factory.mktemp("logs")
    texts = [f"some words {i % 97}" for i in range(ITEMS)]
    scores = np.random.default_rng(5).normal(size=ITEMS)
    pl.DataFrame({"prompt": texts, "score": scores}).write_parquet(folder / "x.parquet")
    return f"{folder}/x.parquet"


def started(logs: str, *options: str, **environment: str) -> subprocess.Popen[str]:
    """Start the command in a process of its own."""
    command = [sys.executable, "-m", "slicewise", "features", "--task", "scores"]
    command += ["--input", f"{logs}:prompt", "--system", f"m={logs}:score", "--engine", "spark", *options]
    known = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SPARK_LOCAL_IP": "127.0.0.1"} | environment
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=known)


def test_a_session_of_its_own(local_master: str, logs: str, tmp_path: Path) -> None:
    """The command starts a session, and leaves it."""
    to = tmp_path / "found.json"
    process = started(logs, "--master", local_master, "--json", str(to), "--quiet")
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, ""), err
    assert "words" in out
    assert to.stat().st_size > 0


def test_more_than_may_come_back(local_master: str, logs: str) -> None:
    """Spark's own limit, said in one line."""
    process = started(
        logs, "--master", local_master, PYSPARK_SUBMIT_ARGS="--conf spark.driver.maxResultSize=64k pyspark-shell"
    )
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("slicewise: the result is larger than spark.driver.maxResultSize (64.0 KiB); too many")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("local_master")
def test_a_wrong_address(logs: str) -> None:
    """One line with what was named."""
    process = started(logs, "--master", "sparc://127.0.0.1:1")
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("slicewise: no Spark session at 'sparc://127.0.0.1:1': ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(("seconds", "told", "code"), [(3, "SIGINT", 130), (9, "SIGINT", 130), (10, "SIGTERM", 143)])
def test_told_to_end(local_master: str, logs: str, tmp_path: Path, seconds: int, told: str, code: int) -> None:
    """While Java starts, and while jobs run that would take minutes: it ends soon, says nothing, leaves no file.

    Python loses an interrupt that comes while a destructor runs: it is then given again, as a user would.
    """
    process = started(logs, "--master", local_master, "--json", str(tmp_path / "found.json"), "--part-rows", "20")
    time.sleep(seconds)
    lost = 0
    try:
        while True:
            process.send_signal(signal.Signals[told])
            try:
                out, err = process.communicate(timeout=45)
                break
            except subprocess.TimeoutExpired:
                lost += 1
                assert lost < 3
    finally:
        process.kill()
    assert (process.returncode, out) == (code, "")
    assert err == "" or lost
    assert not list(tmp_path.iterdir())
