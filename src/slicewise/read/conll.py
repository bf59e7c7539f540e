"""CoNLL-style files: a token a line, its tag in a column, blank lines between sentences.

Tidy files are parsed as they are; a file that Polars' CSV parser cannot take line for line (runs of spaces, comments of
other widths, stray blanks) is taken apart line by line in `ragged`, which also finds what is wrong and where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Annotations, Tags
from slicewise.errors import did_you_mean, quoted
from slicewise.read import ragged
from slicewise.read.columns import column_index
from slicewise.read.ragged import BLANK, COMMENT, DOCUMENT, TOKEN
from slicewise.read.schemes import split_tag, unknown_tags
from slicewise.read.source import BOM
from slicewise.warned import When, warned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from slicewise.read.source import File, Source
    from slicewise.warned import Warned

DOCSTART = "-DOCSTART-"
PIECE = 1 << 21
HEADER_TOKEN = {"token", "tokens", "word", "words", "form", "text"}
HEADER_TAG = {
    "tag", "tags", "label", "labels", "ner", "ner_tag", "ner_tags", "pos", "upos", "xpos", "iob", "bio", "entity", "ne",
    "chunk", "gold", "pred", "prediction", "predicted", "output", "ner_tag_gold", "ner_tag_pred",
}  # fmt: skip


LOOKED_AT = 1000
"""Lines behind a header whose tags tell that it is one."""
_LIKE_A_TAG = re.compile(r".|[A-Za-z0-9][-_:].*|.*[-_:][A-Z]")
"""A tag that is written wrong: the line is no header, and its tag is said to be no tag."""
_WORDS = re.compile(r"[^\W\d][\w .-]*")


@dataclass(frozen=True)
class _Lines:
    """A file's lines taken apart: what each is, and the columns of those that have columns."""

    kinds: NDArray[np.uint8]
    columns: dict[int, pl.Series]
    """By their number, a value per line; None where a line is blank or a comment."""


def read(source: Source, *, own_gold: bool = False, others: bool = True) -> Annotations:
    """Read a CoNLL-style file.

    `own_gold`: the last column but one is the gold tag, the last the prediction. `others`: keep the columns between.
    """
    file = source.only
    cells = ragged.split(ragged.first_data_line(file.data))
    header = cells if has_header(file) else None
    notes = () if header is None or _is_named(header) else (_taken_for_a_header(file, header),)
    wanted = _wanted(source, len(cells), header, own_gold=own_gold)
    wanted = wanted if others else replace(wanted, others={})
    pieces = _parse(file, len(cells), wanted)
    kinds = np.concatenate([p.kinds for p in pieces])
    tags = [Tags.joined([p.tags[i] for p in pieces]) for i in range(len(pieces[0].tags))]
    columns = [pl.concat([p.columns[i] for p in pieces]) for i in range(len(pieces[0].columns))]
    del pieces
    if header is not None:
        kinds, tags, columns = _without_header(kinds, tags, columns)
    kinds, tags, columns = _without_tagged_comments(kinds, tags, columns)
    return replace(_annotations(file, wanted, kinds, tags, columns), notes=notes)


def has_header(file: File) -> bool:
    """Tell whether the first line names the columns: by its words, or since only there columns of tags have none."""
    first, *others = [ragged.split(line) for line in islice(ragged.data_lines(file.data), LOOKED_AT + 1)] or [[]]
    if len(first) < 2:
        return False
    if _is_named(first):
        return True
    if any(len(cells) != len(first) for cells in others):
        return False
    tagged = {i: column for i, column in enumerate(zip(*others, strict=True)) if i and all(map(split_tag, column))}
    types = {kind for column in tagged.values() for _, kind in filter(None, map(split_tag, column))} - {""}
    if not types or len(first) - 1 not in tagged:
        return False
    names = [first[i] for i in tagged]
    like_tags = any(split_tag(name) or _LIKE_A_TAG.fullmatch(name) or name in types for name in names)
    return not like_tags and len(set(first)) == len(first) and all(_WORDS.fullmatch(cell) for cell in first)


def _is_named(cells: list[str]) -> bool:
    """Tell a header by its words."""
    return cells[0].lower() in HEADER_TOKEN and cells[-1].lower() in HEADER_TAG


def _taken_for_a_header(file: File, cells: list[str]) -> Warned:
    said = f"the first line ({quoted(', '.join(cells))}) is taken for a header, as {quoted(cells[-1])} is no tag"
    return warned(f"{file.name}: {said}", when=When.FIRST)


@dataclass(frozen=True)
class _Wanted:
    """Which columns to keep: tags first, then the token, then what else the file has."""

    tags: tuple[int, ...]
    token: int | None
    others: dict[str, int]

    def numbers(self, width: int) -> list[int]:
        """Return the columns that are parsed; the first and the last tell what a line is."""
        given = {0, width - 1, self.token or 0, *self.tags, *self.others.values()}
        return sorted(given)


@dataclass(frozen=True)
class _Piece:
    kinds: NDArray[np.uint8]
    tags: list[Tags]
    columns: list[pl.Series]


def _wanted(source: Source, width: int, header: list[str] | None, *, own_gold: bool) -> _Wanted:
    names = header or [f"col{i + 1}" for i in range(width)]
    tag = width - 1
    if source.column is not None:
        tag = _column_index(source, names, width)
    token = 0 if width > 1 and tag != 0 else None
    tags: tuple[int, ...] = (tag,)
    if own_gold and source.column is not None:
        raise source.only.error("a column is named, but there is no --gold; add --gold FILE:COLUMN")
    if own_gold:
        if width < 3:
            raise source.only.error(
                f"{width} columns; without --gold a system's file needs token, gold tag and prediction; add --gold FILE"
            )
        tags = (tag, tag - 1)
    others = {names[i]: i for i in range(width) if i not in (*tags, token)}
    return _Wanted(tags, token, others)


def _column_index(source: Source, names: list[str], width: int) -> int:
    column = source.column or ""
    if (index := column_index(column, names)) is not None:
        return index
    known = [*names, *(str(i + 1) for i in range(width))]
    raise source.only.error(f"no column {quoted(column)}; {did_you_mean(column, known)}")


def _parse(file: File, width: int, wanted: _Wanted) -> list[_Piece]:
    separator = ragged.separator(file.data)
    try:
        numbers = wanted.numbers(width)
        return [_encode(_tidy(piece, width, separator, numbers), wanted, tidy=True) for piece in _pieces(file.data)]
    except (pl.exceptions.PolarsError, ragged.Untidy):
        if error := file.utf8_error():
            raise error from None
    kinds, columns = ragged.parse(file, width)
    return [_encode(_Lines(kinds, dict(enumerate(columns))), wanted)]


def _pieces(data: bytes) -> Iterator[bytes]:
    """Cut the file at line ends, so that parsing needs little memory beside the result."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + PIECE) + 1 or len(data)
        yield data[start:end]
        start = end


def _tidy(piece: bytes, width: int, separator: str, numbers: list[int]) -> _Lines:
    """Parse some columns of lines that all have the same number of them, or raise."""
    body = piece.lstrip(b"\r\n")
    leading = piece.count(b"\n", 0, len(piece) - len(body))
    if body.startswith(BOM):
        body = BOM + body  # Polars drops one, but here it is part of a token
    names = [f"c{i}" for i in range(width)]
    if not body:
        empty = pl.Series([None], dtype=pl.String).new_from_index(0, leading)
        return _Lines(np.zeros(leading, np.uint8), dict.fromkeys(numbers, empty))
    frame = pl.read_csv(
        body,
        separator=separator,
        quote_char=None,
        has_header=False,
        schema=dict.fromkeys(names, pl.String),
        columns=None if len(numbers) == width else numbers,
    )
    columns = dict(zip(numbers, frame.get_columns(), strict=True))
    first, last = columns[0], columns[width - 1]
    kinds = np.where(last.is_null().to_numpy(), np.uint8(BLANK), np.uint8(TOKEN))
    if width > 1:
        _mark_short_lines(kinds, first, last, [columns[i] for i in numbers[1:-1]])
    kinds[first.eq_missing(DOCSTART).to_numpy()] = DOCUMENT
    if leading:
        kinds = np.concatenate([np.zeros(leading, np.uint8), kinds])
        blank = pl.Series([None] * leading, dtype=pl.String)
        columns = {i: pl.concat([blank, column]) for i, column in columns.items()}
    return _Lines(kinds, columns)


def _mark_short_lines(kinds: NDArray[np.uint8], first: pl.Series, last: pl.Series, between: list[pl.Series]) -> None:
    """Tell comments from lines with too few columns among those without a last one."""
    short = last.is_null() & first.is_not_null()
    if short.any():
        cells = first.filter(short)
        if not (cells.str.starts_with("#") | (cells == DOCSTART)).all():
            raise ragged.Untidy
        kinds[short.to_numpy()] = COMMENT
    for middle in between:
        if (last.is_null() & middle.is_not_null() & first.is_null()).any():
            raise ragged.Untidy


def _encode(lines: _Lines, wanted: _Wanted, *, tidy: bool = False) -> _Piece:
    token = pl.Series(lines.kinds == TOKEN)

    def cells(column: int) -> pl.Series:
        found = lines.columns[column].filter(token)
        return found.fill_null("") if found.null_count() else found

    tags = [Tags.encode(cells(i) if tidy else cells(i).str.strip_chars(" ")) for i in wanted.tags]
    if tidy and any(re.search("[ \t]", name) for t in tags for name in t.names):
        raise ragged.Untidy
    kept = [i for i in (wanted.token, *wanted.others.values()) if i is not None]
    return _Piece(lines.kinds, tags, [cells(i) for i in kept])


_Columns = tuple["NDArray[np.uint8]", list[Tags], list[pl.Series]]


def _drop(kinds: NDArray[np.uint8], tags: list[Tags], columns: list[pl.Series], token: NDArray[np.bool_]) -> _Columns:
    """Make some token lines comments."""
    kinds = kinds.copy()
    kinds[np.flatnonzero(kinds == TOKEN)[token]] = COMMENT
    keep = pl.Series(~token)
    return kinds, [t.take(~token) for t in tags], [c.filter(keep) for c in columns]


def _without_header(kinds: NDArray[np.uint8], tags: list[Tags], columns: list[pl.Series]) -> _Columns:
    first = np.zeros(len(tags[0].codes), np.bool_)
    first[0] = True
    return _drop(kinds, tags, columns, first)


def _without_tagged_comments(kinds: NDArray[np.uint8], tags: list[Tags], columns: list[pl.Series]) -> _Columns:
    """Drop lines that begin with `#` and whose last column is no tag, in a file whose other tags are tags."""
    odd = unknown_tags(tags[0])
    if not odd or not columns:
        return kinds, tags, columns
    comment = np.isin(tags[0].codes, odd) & columns[0].str.starts_with("#").to_numpy()
    has_tags = any("-" in name and split_tag(name) for name in tags[0].names)
    return _drop(kinds, tags, columns, comment) if has_tags and comment.any() else (kinds, tags, columns)


def _annotations(
    file: File, wanted: _Wanted, kinds: NDArray[np.uint8], tags: list[Tags], columns: list[pl.Series]
) -> Annotations:
    if not len(tags[0].codes):
        raise file.error(ragged.NO_DATA)
    sequence = kinds[kinds != COMMENT]
    token = sequence == TOKEN
    edges = np.flatnonzero(np.diff(token, prepend=False, append=False))
    at, stop = edges[::2], edges[1::2]
    offsets = np.concatenate([[0], np.cumsum(stop - at)])
    documents, docstarts = None, None
    if (sequence == DOCUMENT).any():
        documents = np.searchsorted(np.flatnonzero(sequence == DOCUMENT), at)
        docstarts = sequence[sequence != BLANK] == DOCUMENT
    names = ([] if wanted.token is None else ["token"]) + list(wanted.others)
    named = dict(zip(names, columns, strict=True))
    return Annotations(
        name=file.name,
        items=len(at),
        offsets=offsets,
        tokens=named.pop("token", None) if wanted.token is not None else None,
        token_rows=kinds == TOKEN,
        token_columns=named,
        tags=tags[0],
        own_gold=tags[1] if len(tags) > 1 else None,
        documents=documents,
        docstarts=docstarts,
    )
