"""Parquet files that may be damaged: read and rewritten here without what Polars says of them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl


def frame_of(data: bytes) -> pl.DataFrame | None:
    """Return the rows of a file, or None where it is damaged."""
    import polars as pl

    with _quietly():
        try:
            return pl.read_parquet(BytesIO(data))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            return None


def rewritten(data: bytes, change: Callable[[pl.DataFrame], pl.DataFrame]) -> bytes | None:
    """Return a file with changed rows, or None where it is damaged, or Parquet has no such type.

    What a converted file remembers of the one it was made from stays.
    """
    import polars as pl

    frame = frame_of(data)
    if frame is None:
        return None
    target = BytesIO()
    with _quietly():
        try:
            metadata = {k: v for k, v in pl.read_parquet_metadata(BytesIO(data)).items() if k == "slicewise"}
            change(frame).write_parquet(target, metadata=metadata or None)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            return None
    return target.getvalue()


@contextmanager
def _quietly() -> Iterator[None]:
    """Let nothing be written to standard error: a panic is, even if it is caught."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
