"""Scored texts in a Parquet file, and the jobs that rank their features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import data
import tools
from measure import Job, done, slicewise, work

from sections.names import DUCKDB

if TYPE_CHECKING:
    from pathlib import Path

LEAST, TOP = 10, 20  # items with a feature; features compared with the loop's
TOKENS = "slicewise, tokens"
STREAMED = "read and split, streaming (Polars)"
GEVAL = "GEval"


def ours(path: str, *options: str, least: int = LEAST) -> Job:
    """Return the command that ranks the features."""
    inputs = [part for field in data.FIELDS for part in ("--input", f"{path}:{field}")]
    command = ["features", "--task", "scores", *inputs, "--system", f"m={path}:score"]
    return slicewise(*command, "--tokenizer", "whitespace", "--min-count", str(least), *options)


def theirs(job: str, path: str) -> Job:
    """Return a job that ranks the features by other means and prints the first."""
    return work(f"features.{job}", path, str(LEAST), str(TOP))


def split(path: str, way: str = "fields") -> Job:
    """Return the job that reads the texts and splits them, all at once or streaming."""
    return work(f"reading.{way}", path, *data.FIELDS)


def duckdb(path: str) -> dict[str, Job]:
    """Return DuckDB's job where it is installed."""
    return {DUCKDB: theirs("duckdb_query", path)} if tools.has_duckdb() else {}


def geval(path: str, folder: Path) -> dict[str, Job]:
    """Return GEval's job where it is installed, on the same texts as lines."""
    command = tools.geval()
    if command is None:
        return {}
    lines = folder / "geval-lines" / "texts"
    lines.mkdir(parents=True, exist_ok=True)
    done(work("making.lines", path, str(lines)))
    where = ("--out-directory", str(lines.parent), "--expected-directory", str(lines.parent), "--test-name", lines.name)
    options = ("--worst-features", "--metric", "Accuracy", "--min-frequency", str(LEAST))
    return {GEVAL: Job((command, *options, *where))}
