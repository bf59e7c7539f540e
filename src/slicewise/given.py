"""What a user names on the command line, read for what it is: training data, and fields that are answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from slicewise.align import Aligned, Options, training_units
from slicewise.evaluation import Training
from slicewise.read import read, tell_format
from slicewise.read.source import split_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.annotations import Annotations, Task
    from slicewise.read.source import Source


def without_answers(aligned: Aligned, given: Sequence[str]) -> Aligned:
    """Return items without the fields that are gold, input or a system: they are no facts about the items.

    Fields come from the first file given.
    """
    sources = [split_column(path) for path in given]
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
    told = format or tell_format(replace(source, column=column))
    found = read(replace(source, column=column) if told == "table" else source, told, others=others)
    if told == "lines" and inputs:
        return replace(found, texts=found.answers, answers=None)
    text_column = split_column(inputs[0])[1] if inputs else None
    if found.texts is None and text_column is not None and told in ("table", "jsonl"):
        return replace(found, texts=read(replace(source, column=text_column), told).answers)
    return found


def as_training(found: Annotations, task: Task, options: Options) -> Training:
    """Return training data with its units."""
    return Training(found, training_units(found, task, options))
