"""Queries of DuckDB, which is measured only where it is installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def rows(query: str, *values: object) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    found: list[tuple[Any, ...]] = import_module("duckdb").execute(query, list(values)).fetchall()
    return found
