"""The columnar form: Parquet files read as the files that they were converted from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from slicewise.annotations import Annotations, Places, Tags
from slicewise.arrays import Ints
from slicewise.read import conll, lines, parquet, records, table
from slicewise.read.columns import by_number
from slicewise.read.parquet import Origin
from slicewise.read.source import Source


def read(source: Source, name: str, *, own_gold: bool = False, others: bool = True) -> Annotations:
    """Read Parquet as a format; `own_gold` and `others` are of CoNLL, as there."""
    if not any(map(parquet.has_rows, source.files)):
        raise source.files[0].error("no rows; expected at least one item")
    made_from = parquet.origin(source.files[0])
    was = "table" if made_from is None else made_from.format
    if made_from is not None and was == name == "conll":
        return _sentences(source, made_from, own_gold=own_gold, others=others)
    if made_from is not None and was == "lines":
        return _of_lines(source, made_from, name, own_gold=own_gold, others=others)
    if name == "lines":
        raise source.files[0].error(f"a {was} file in Parquet, not lines; convert it again with --format lines")
    return table.read(source)


def format_of(source: Source) -> str:
    """Return the format that the file was converted from; lines with columns are a table when one is named."""
    made_from = parquet.origin(source.files[0])
    was = "table" if made_from is None else made_from.format
    return "table" if was == "lines" and source.column is not None else was


def as_text(source: Source) -> Source:
    """Return lines as the text file that they were converted from."""
    file = source.only
    made_from = parquet.origin(file)
    whole: str = _lines(parquet.rows(file), made_from is not None and made_from.header).str.join("\n").item()
    return replace(source, files=(replace(file, data=f"{whole}\n".encode()),))


def _of_lines(source: Source, made_from: Origin, name: str, *, own_gold: bool, others: bool) -> Annotations:
    frame = parquet.rows(source.only)
    if name == "lines":
        return lines.annotate(source.only, _lines(frame, made_from.header))
    if name == "conll":
        return conll.read(as_text(source), own_gold=own_gold, others=others)
    if frame.columns == [parquet.TEXT] and not made_from.header:
        return table.read(as_text(source))
    if made_from.header or by_number(source.column):
        return _cells(source, frame)
    names = frame.row(0)  # a column goes by name: the first line is a header
    return _cells(source, _headed(frame[1:], names)) if table.are_names(names) else table.read(as_text(source))


def _headed(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    return frame.rename(dict(zip(frame.columns, names, strict=True)))


def _lines(frame: pl.DataFrame, header: bool) -> pl.Series:
    """Put the columns of each line together again; a blank line has the first alone."""
    joined = frame.select(pl.concat_str(pl.all(), separator="\t", ignore_nulls=True).alias("")).to_series()
    return pl.concat([pl.Series("", ["\t".join(frame.columns)]), joined]) if header else joined


def _cells(source: Source, frame: pl.DataFrame) -> Annotations:
    """Read lines as a table, without the blank ones."""
    filled = ~frame.select(pl.all_horizontal(pl.all().fill_null("") == "")).to_series()
    if not filled.any():
        raise source.only.error("a header and no rows; expected at least one item")
    lines = np.flatnonzero(filled.to_numpy()) + 1 + source.only.first_row
    return records.annotate(source, frame.filter(filled), [lines])


def _sentences(source: Source, made_from: Origin, *, own_gold: bool, others: bool) -> Annotations:
    file, names = source.only, made_from.columns
    tags, token = conll.tag_columns(source, names, own_gold=own_gold)
    between = [i for i in range(len(names)) if i not in (*tags, token)] if others else []
    kept = [i for i in (*tags, token, *between) if i is not None]
    numbers = sorted({*kept, *([len(names)] if made_from.documents else [])})
    columns = dict(zip(numbers, parquet.rows(file, numbers).get_columns(), strict=True))
    lengths = columns[tags[0]].list.len()
    if any(not lengths.equals(columns[i].list.len()) for i in kept) or not (lengths > 0).all():
        raise file.error("sentences whose columns have not the same length; convert the file again")
    offsets = np.concatenate([[0], np.cumsum(lengths.to_numpy().astype(np.int64))])
    annotations = Annotations(
        name=file.name,
        items=len(lengths),
        places=Places((file.name,), np.zeros(1, np.int64), np.arange(1, len(lengths) + 1) + file.first_row),
        offsets=offsets,
        tokens=None if token is None else _flat(columns[token]),
        token_columns={names[i]: _flat(columns[i]) for i in between},
        tags=Tags.encode(_flat(columns[tags[0]])),
        own_gold=Tags.encode(_flat(columns[tags[1]])) if own_gold else None,
    )
    return _in_documents(annotations, columns[len(names)], made_from.documents) if made_from.documents else annotations


def _flat(column: pl.Series) -> pl.Series:
    return column.explode().fill_null("").alias("")


def _in_documents(annotations: Annotations, column: pl.Series, count: int) -> Annotations:
    """Add which document each sentence is of, and where among the tokens the lines stood that start one."""
    numbers = column.cast(pl.Int64, strict=False)
    if not numbers.is_between(0, count).fill_null(False).all():
        raise annotations.error("a sentence of a document that there is not; convert the file again")
    documents: Ints = numbers.to_numpy()
    before = np.repeat(documents, annotations.lengths)
    starts = np.ones(len(before) + count, np.bool_)
    starts[np.arange(len(before)) + before] = False
    return replace(annotations, documents=documents, docstarts=starts)
