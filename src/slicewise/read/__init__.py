"""Files into annotations: which format a file has, and the reader for it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.read import columnar, conll, jsonl, lines, ragged, table
from slicewise.read.parquet import is_parquet
from slicewise.read.schemes import TAG
from slicewise.read.source import open_source

if TYPE_CHECKING:
    from slicewise.annotations import Annotations
    from slicewise.read.source import Source

FORMATS = ("conll", "jsonl", "table", "lines")
CONLL_SUFFIXES = {".conll", ".conllu", ".bio", ".iob", ".iob2", ".bioes", ".bmes", ".conll03"}
SAMPLE = 1 << 16

__all__ = ["FORMATS", "open_source", "read", "tags_alone", "tell_format"]


def read(
    source: Source,
    format: str | None = None,  # noqa: A002 (the word that users know)
    *,
    own_gold: bool = False,
    others: bool = True,
) -> Annotations:
    """Read a source in the format given, or in the one that its content shows.

    Of CoNLL-style files: `own_gold` says that they bring the gold tag, `others` keeps the columns between.
    """
    if format is not None and format not in FORMATS:
        raise UserError(f"unknown format {quoted(format)}; {did_you_mean(format, FORMATS)}")
    told = format or tell_format(source)
    if is_parquet(source.files[0]):
        found = columnar.read(source, told, own_gold=own_gold, others=others)
    elif told == "conll":
        found = conll.read(source, own_gold=own_gold, others=others)
    else:
        found = {"jsonl": jsonl.read, "table": table.read, "lines": lines.read}[told](source)
    return replace(found, column=source.column)


def tell_format(source: Source) -> str:
    """Tell a file's format from its content; its ending decides only where the content does not."""
    file = source.files[0]
    if is_parquet(file) or file.suffix == ".parquet":
        return columnar.told_format(source)
    if file.suffix in (".jsonl", ".ndjson", ".json"):
        return "jsonl"
    if file.suffix not in CONLL_SUFFIXES and re.match(rb'\s*\{\s*["}]', file.data[:SAMPLE]):
        return "jsonl"
    if file.suffix == ".csv":
        return "table"
    if file.suffix in CONLL_SUFFIXES or _looks_like_conll(file.data):
        return "conll"
    return "table" if source.column is not None else "lines"


def _looks_like_conll(data: bytes) -> bool:
    end = data.rfind(b"\n", 0, SAMPLE) if len(data) > SAMPLE else len(data)
    end = data.find(b"\n", SAMPLE) if end < 0 else end  # one line is longer than the sample
    sample = (data if end < 0 else data[:end]).decode(errors="replace")
    rows = [ragged.split(line.rstrip(" \t\r")) for line in sample.split("\n") if line.strip() and line[0] != "#"]
    rows = [row for row in rows if row[0] != conll.DOCSTART]
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        return False
    tagged = all(_is_tag(row[-1]) for row in rows[1:] or rows)  # the first may be a header
    blanks = re.search(r"\n[ \t\r]*\n[ \t\r]*[^\s]", sample) is not None
    if widths == {1}:
        return tagged and blanks
    if all(_is_tag(cell) for row in rows for cell in row):
        return False  # a line of tags per sentence
    return tagged or (blanks and "\t" in sample)


def tags_alone(source: Source) -> bool:
    """Tell whether every line has one word at most: predictions alone, beside a CoNLL-style gold file."""
    text = columnar.as_text(source) if is_parquet(source.files[0]) else source
    return not re.search(rb"[^ \t\r\n][ \t]+[^ \t\r\n]", text.files[0].data)


def _is_tag(cell: str) -> bool:
    return cell == "O" or TAG.match(cell) is not None
