"""Changes of Parquet files: columns of other types, without rows, with nulls."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from fuzz.hostile import NAMES
from fuzz.parquet import rewritten

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    import polars as pl


def _on_frame(change: Callable[[Random, pl.DataFrame], pl.DataFrame]) -> Callable[[Random, bytes], bytes]:
    return lambda rng, data: rewritten(data, partial(change, rng)) or data


def _column(rng: Random, n: int) -> pl.Series:
    """Return a column of a type that hardly anybody expects."""
    import polars as pl

    span = pl.Struct({"start": pl.Int64, "end": pl.Int64, "label": pl.String})
    kinds: list[tuple[list[Any], Any]] = [
        ([timedelta(seconds=i) for i in range(n)], pl.Duration("us")),
        ([b"\xff%d" % i for i in range(n)], pl.Binary),
        ([b"a%d" % (i % 2) for i in range(n)], pl.Binary),
        ([[i, i] for i in range(n)], pl.Array(pl.Int64, 2)),
        ([["B-PER"] for _ in range(n)], pl.Array(pl.String, 1)),
        ([Decimal(i % 3) for i in range(n)], pl.Decimal(10, 2)),
        ([f"c{i % 2}" for i in range(n)], pl.Categorical),
        ([f"c{i % 2}" for i in range(n)], pl.Enum(["c0", "c1"])),
        ([date(2024, 1, 1 + i % 3) for i in range(n)], pl.Date),
        ([datetime(2024, 1, 1, i % 24) for i in range(n)], pl.Datetime("ns", "UTC")),
        ([i * 10**9 for i in range(n)], pl.Time),
        ([[[i], []] for i in range(n)], pl.List(pl.List(pl.Int64))),
        ([[] for _ in range(n)], pl.List(pl.String)),
        ([["a", None] for _ in range(n)], pl.List(pl.String)),
        ([[f"x{i}"] for i in range(n)], pl.List(pl.String)),
        ([{"a": i, "b": "x"} for i in range(n)], pl.Struct({"a": pl.Int64, "b": pl.String})),
        ([[{"start": 0, "end": 1, "label": "X"}]] * n, pl.List(span)),
        ([None] * n, pl.Null),
        ([None] * n, pl.String),
        ([None] * n, pl.Float64),
        ([float("nan")] * n, pl.Float64),
        ([float("inf"), *[0.5] * n][:n], pl.Float64),
        ([None, *[0.5] * n][:n], pl.Float32),
        ([i % 2 == 0 for i in range(n)], pl.Boolean),
        ([i % 2 for i in range(n)], pl.UInt8),
        ([2**63 + i for i in range(n)], pl.UInt64),
        ([2**100] * n, pl.Int128),
        ([None, *["x"] * n][:n], pl.String),
        (["a\0b"] * n, pl.String),
        (["\x1b[1m"] * n, pl.String),
        ([""] * n, pl.String),
    ]  # fmt: skip
    values, kind = rng.choice(kinds)
    return pl.Series("column", values, dtype=kind, strict=False)


def _retype(rng: Random, frame: pl.DataFrame) -> pl.DataFrame:
    if not frame.width:
        return frame
    name = rng.choice(frame.columns)
    return frame.with_columns(_column(rng, frame.height).alias(name))


def _add(rng: Random, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(_column(rng, frame.height).alias(rng.choice(NAMES)))


def _null(rng: Random, frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    name, row = rng.choice(frame.columns), rng.randrange(max(1, frame.height))
    return frame.with_row_index("\0row").with_columns(
        pl.when(pl.col("\0row") == row).then(None).otherwise(pl.col(name)).alias(name)
    ).drop("\0row")  # fmt: skip


def _cast(rng: Random, frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    kinds: list[Any] = [
        pl.String,
        pl.Float32,
        pl.Int8,
        pl.Boolean,
        pl.Categorical,
        pl.Binary,
        pl.Decimal(20, 3),
        pl.Date,
    ]
    name = rng.choice(frame.columns)
    return frame.with_columns(pl.col(name).cast(rng.choice(kinds), strict=False))


def _rename(rng: Random, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.rename({rng.choice(frame.columns): rng.choice(NAMES)})


def _drop(rng: Random, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.drop(rng.choice(frame.columns))


def _rows(rng: Random, frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    n = frame.height
    return rng.choice(
        (
            frame.head(0),
            frame.head(0),
            frame.head(1),
            frame.head(n - 1),
            pl.concat([frame, frame]),
            frame[[*range(n)][::-1]],
        )
    )


MUTATIONS: dict[str, Callable[[Random, bytes], bytes]] = {
    "retype": _on_frame(_retype),
    "retype-again": _on_frame(_retype),
    "add": _on_frame(_add),
    "null": _on_frame(_null),
    "cast": _on_frame(_cast),
    "rename": _on_frame(_rename),
    "drop": _on_frame(_drop),
    "rows": _on_frame(_rows),
}
