"""Readers: how files of a format are recognised, read and converted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import polars as pl

from slicewise.annotations import Annotations
from slicewise.read.parquet import Origin
from slicewise.read.source import File, Source

WriteRows = Callable[[pl.LazyFrame], pl.LazyFrame]

SAMPLE = 1 << 16
"""Bytes at the beginning of a file in which its format shows."""


class Sign(IntEnum):
    """By what a format is recognised, the surest first: a file has the format of which it shows the surest sign."""

    EXTENSION = 1
    """Its name ends as only files of this format do."""
    CONTENT = 2
    """It begins as only files of this format do."""
    USUAL_EXTENSION = 3
    """Its name ends as files of this format usually do."""
    LAYOUT = 4
    """Its first lines look like it."""
    COLUMN = 5
    """The user names a column of it."""
    TEXT = 6
    """It is text."""


@dataclass(frozen=True)
class Stream:
    """How a large file is written as Parquet piece by piece, so that it is never whole in memory."""

    extensions: tuple[str, ...]
    """By these it is known before the file is opened that it can be."""
    write: Callable[[Path, File, WriteRows], bool]
    """Given an uncompressed file, its beginning and what writes rows; False where only `Reader.read` has them right."""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A format of data files."""

    name: str
    signs: Mapping[Sign, Callable[[Source], bool]]
    read: Callable[..., Annotations]
    """Takes a source; with `tag_columns` also `own_gold` and `others`."""
    extensions: tuple[str, ...] = ()
    """How the names of its files end, in lower case."""
    tabular: bool = False
    """Whether an item is a row with named columns: there may be several files, and a folder of them."""
    tag_columns: bool = False
    """Whether a line is a token with its tags: gold's may stand beside a system's."""
    columnar: Callable[[Source], tuple[pl.DataFrame, Origin]] | None = None
    """Returns a file as columns for Parquet; None: such files are not converted."""
    stream: Stream | None = None
    """None: a file is converted whole."""


def ends_with(*extensions: str) -> Callable[[Source], bool]:
    """Return whether a file's name has one of these extensions, as a sign."""
    return lambda source: source.files[0].suffix in extensions
