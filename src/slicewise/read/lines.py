"""Plain files with one item a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Annotations

if TYPE_CHECKING:
    from slicewise.read.source import File, Source


def read(source: Source) -> Annotations:
    """Read one answer per line; an empty line is an item too."""
    answers = split_lines(source.only)
    return Annotations(
        name=source.only.name, items=len(answers), item_lines=np.arange(1, len(answers) + 1), answers=answers
    )


def split_lines(file: File) -> pl.Series:
    """Return a file's lines, without their ends; the last line may lack one."""
    if error := file.utf8_error():
        raise error
    lines = file.data.decode().split("\n")
    if lines[-1] == "":
        lines.pop()
    return pl.Series(lines, dtype=pl.String).str.strip_suffix("\r")
