"""The tools that are measured only where they are installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil

PACKAGES = (
    "slicewise", "numpy", "polars", "narwhals", "scipy", "seqeval", "nervaluate", "scikit-learn", "sacrebleu", "duckdb",
    "pyspark",
)  # fmt: skip


def has_duckdb() -> bool:
    """Whether DuckDB can be imported."""
    return importlib.util.find_spec("duckdb") is not None


def geval() -> str | None:
    """Return where GEval is, or None."""
    return shutil.which("geval")


def no_spark() -> str:
    """Return what Spark lacks to run, or nothing."""
    lacks = [] if importlib.util.find_spec("pyspark") else ["the package pyspark cannot be imported"]
    lacks += [] if shutil.which("java") else ["java is not on the path"]
    return " and ".join(lacks)


def absent() -> list[str]:
    """Return the names of the tools that are not there."""
    there = {"DuckDB": has_duckdb(), "GEval": geval() is not None, "Spark": not no_spark()}
    return [name for name, found in there.items() if not found]


def versions() -> list[str]:
    """Return the packages that are there, with their versions."""
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
