"""Training data, and metadata without the columns that are gold, systems or inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from slicewise.align import Aligned
from slicewise.annotations import Annotations
from slicewise.read import READERS, read, tell_format
from slicewise.read.source import Source, split_column


def without_answers(aligned: Aligned, named: Sequence[str]) -> Aligned:
    """Return items without the fields that are gold, input or a system: they are no facts about the items.

    Fields come from the first file given.
    """
    sources = [split_column(path) for path in named]
    used = {column for name, column in sources if name == sources[0][0]}
    kept = [column for column in aligned.metadata.get_columns() if column.name not in used]
    return replace(aligned, metadata=pl.DataFrame(kept))


def read_training(
    source: Source,
    format: str | None,  # noqa: A002
    gold_column: str | None,
    inputs: Sequence[str],
    *,
    others: bool,
) -> Annotations:
    """Read training data; a table has the columns of the gold and the input, lines without labels are texts."""
    column = source.column or gold_column
    format_name = format or tell_format(replace(source, column=column))
    annotations = read(replace(source, column=column) if format_name == "table" else source, format_name, others=others)
    if format_name == "lines" and inputs:
        return replace(annotations, texts=annotations.answers, answers=None)
    text_column = split_column(inputs[0])[1] if inputs else None
    if annotations.texts is None and text_column is not None and READERS[format_name].tabular:
        return replace(annotations, texts=read(replace(source, column=text_column), format_name).answers)
    return annotations
