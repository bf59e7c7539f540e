"""Reading and splitting alone: what no program that does the work can do without."""

from __future__ import annotations


def columns(*paths: str) -> None:
    """Read files and split their lines at tabs."""
    import polars as pl

    for path in paths:
        print(pl.read_csv(path, separator="\t", quote_char=None, has_header=False, infer_schema=False).height)


def words(*paths: str) -> None:
    """Read files of lines and split them at spaces."""
    import polars as pl

    for path in paths:
        lines = pl.read_csv(path, separator="\n", quote_char=None, has_header=False, infer_schema=False)
        print(lines.to_series().str.split(" ").len())


def fields(path: str, *names: str) -> None:
    """Read the texts of a Parquet file, the whole of it at once, and split them at spaces."""
    import polars as pl

    print(pl.read_parquet(path, columns=list(names)).select(pl.all().str.split(" ")).height)


def streamed_fields(path: str, *names: str) -> None:
    """Read the texts of a Parquet file bit by bit, and count the tokens of each."""
    import polars as pl

    counts = pl.scan_parquet(path).select(names).select(pl.all().str.split(" ").list.len().sum())
    print(counts.collect(engine="streaming").row(0))


def scores(path: str) -> None:
    """Read all columns of a Parquet file."""
    import polars as pl

    print(pl.read_parquet(path).height)
