"""The registry of file formats, and format detection."""

from __future__ import annotations

import re
from dataclasses import replace

from slicewise.annotations import Annotations
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.read import columnar, conll, jsonl, lines, table
from slicewise.read.parquet import is_parquet
from slicewise.read.reader import Reader, Sign
from slicewise.read.source import Source

READERS: dict[str, Reader] = {
    reader.name: reader for reader in (conll.READER, jsonl.READER, table.READER, lines.READER)
}
FORMATS = READERS.keys()


def check_format(name: str | None) -> None:
    """Raise an error if there is no such format."""
    if name is not None and name not in READERS:
        raise UserError(f"unknown format {quoted(name)}; {did_you_mean(name, FORMATS)}")


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
    check_format(format)
    name = format or tell_format(source)
    if is_parquet(source.files[0]):
        annotations = columnar.read(source, name, own_gold=own_gold, others=others)
    elif READERS[name].tag_columns:
        annotations = READERS[name].read(source, own_gold=own_gold, others=others)
    else:
        annotations = READERS[name].read(source)
    return replace(annotations, column=source.column)


def tell_format(source: Source) -> str:
    """Return the format of which a file shows the surest sign; of Parquet, the one that it was converted from."""
    file = source.files[0]
    if is_parquet(file) or file.suffix == ".parquet":
        return columnar.format_of(source)
    candidates = ((reader, sign) for sign in Sign for reader in READERS.values() if sign in reader.signs)
    return next(reader.name for reader, sign in candidates if reader.signs[sign](source))  # any file is lines


def tags_alone(source: Source) -> bool:
    """Tell whether every line has one word at most: predictions alone, beside a CoNLL-style gold file."""
    text = columnar.as_text(source) if is_parquet(source.files[0]) else source
    return not re.search(rb"[^ \t\r\n][ \t]+[^ \t\r\n]", text.files[0].data)
