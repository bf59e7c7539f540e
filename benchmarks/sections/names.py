"""Names of jobs that several sections have."""

from __future__ import annotations

PLAIN = "slicewise, no intervals"
INTERVALS = "slicewise, 1,000 resamples"
SPLIT = "read and split (Polars)"
LOOP = "Python loop with dictionaries"
DUCKDB = "DuckDB"
