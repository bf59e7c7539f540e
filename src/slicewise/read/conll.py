"""CoNLL-style files: a token a line, its tag in a column, blank lines between sentences.

Tidy files are parsed as they are; a file that Polars' CSV parser cannot take line for line (runs of spaces, comments of
other widths, stray blanks) is taken apart line by line in `ragged`, which also finds what is wrong and where.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Annotations, Tags
from slicewise.arrays import Mask
from slicewise.data_warnings import DataWarning, When, warning
from slicewise.errors import did_you_mean, quoted
from slicewise.read import ragged
from slicewise.read.columns import column_index
from slicewise.read.parquet import Origin
from slicewise.read.ragged import BLANK, COMMENT, DOCUMENT, TOKEN
from slicewise.read.reader import SAMPLE, Reader, Sign, ends_with
from slicewise.read.schemes import TAG, split_tag, unknown_tags
from slicewise.read.source import BOM, File, Source, pieces_of

EXTENSIONS = (".conll", ".conllu", ".bio", ".iob", ".iob2", ".bioes", ".bmes", ".conll03")
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
    names, header = _column_names(file)
    notes = (_taken_for_a_header(file, names),) if header and not _is_named(names) else ()
    tag_numbers, token = tag_columns(source, names, own_gold=own_gold)
    between = {name: i for i, name in enumerate(names) if others and i not in (*tag_numbers, token)}
    roles = _ColumnRoles(tag_numbers, token, between)
    lines = _TokenLines.joined(_parse(file, len(names), roles))
    if header:
        lines = lines.without(np.arange(len(lines.tags[0].codes)) == 0)
    return replace(_annotations(file, roles, _without_tagged_comments(lines)), notes=notes)


def _column_names(file: File) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether a header gives them."""
    cells, header = ragged.split(ragged.first_data_line(file.data)), has_header(file)
    return cells if header else [f"col{i + 1}" for i in range(len(cells))], header


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


def _taken_for_a_header(file: File, cells: list[str]) -> DataWarning:
    note = f"the first line ({quoted(', '.join(cells))}) is taken for a header, as {quoted(cells[-1])} is no tag"
    return warning(f"{file.name}: {note}", when=When.FIRST)


@dataclass(frozen=True)
class _ColumnRoles:
    """Which columns to keep: tags first, then the token, then what else the file has."""

    tags: tuple[int, ...]
    token: int | None
    others: dict[str, int]

    def numbers(self, width: int) -> list[int]:
        """Return the columns that are parsed; the first and the last tell what a line is."""
        return sorted({0, width - 1, self.token or 0, *self.tags, *self.others.values()})


@dataclass(frozen=True)
class _TokenLines:
    """Lines with the tags and the other columns of those that are tokens."""

    kinds: NDArray[np.uint8]
    tags: list[Tags]
    columns: list[pl.Series]

    @classmethod
    def joined(cls, pieces: Sequence[_TokenLines]) -> _TokenLines:
        """Concatenate the pieces of a file."""
        tags = [Tags.joined(each) for each in zip(*(piece.tags for piece in pieces), strict=True)]
        columns = [pl.concat(each) for each in zip(*(piece.columns for piece in pieces), strict=True)]
        return cls(np.concatenate([piece.kinds for piece in pieces]), tags, columns)

    def without(self, token: Mask) -> _TokenLines:
        """Turn some token lines into comments."""
        kinds = self.kinds.copy()
        kinds[np.flatnonzero(kinds == TOKEN)[token]] = COMMENT
        keep = pl.Series(~token)
        return _TokenLines(kinds, [t.take(~token) for t in self.tags], [c.filter(keep) for c in self.columns])


def tag_columns(source: Source, names: Sequence[str], *, own_gold: bool) -> tuple[tuple[int, ...], int | None]:
    """Return which columns are tags (with their own gold: the last and the last but one) and which is the token."""
    file, column, width = source.only, source.column, len(names)
    tag = width - 1 if column is None else column_index(column, names)
    if column is not None and tag is None:
        known = [*names, *(str(i + 1) for i in range(width))]
        raise file.error(f"no column {quoted(column)}; {did_you_mean(column, known)}")
    if own_gold and column is not None:
        raise file.error("a column is named, but there is no --gold; add --gold FILE:COLUMN")
    if own_gold and width < 3:
        needs = "without --gold a system's file needs token, gold tag and prediction; add --gold FILE"
        raise file.error(f"{width} columns; {needs}")
    tag = tag or 0
    return (tag, tag - 1) if own_gold else (tag,), 0 if tag else None


def _parse(file: File, width: int, roles: _ColumnRoles) -> list[_TokenLines]:
    separator = ragged.separator(file.data)
    try:
        numbers, pieces = roles.numbers(width), pieces_of(file.data, PIECE)
        return [_encode(_tidy(piece, width, separator, numbers), roles, tidy=True) for _, piece in pieces]
    except (pl.exceptions.PolarsError, ragged.Untidy):
        if error := file.utf8_error():
            raise error from None
    kinds, columns = ragged.parse(file, width)
    return [_encode(_Lines(kinds, dict(enumerate(columns))), roles)]


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


def _encode(lines: _Lines, roles: _ColumnRoles, *, tidy: bool = False) -> _TokenLines:
    token = pl.Series(lines.kinds == TOKEN)

    def cells(column: int) -> pl.Series:
        column_cells = lines.columns[column].filter(token)
        return column_cells.fill_null("") if column_cells.null_count() else column_cells

    tags = [Tags.encode(cells(i) if tidy else cells(i).str.strip_chars(" ")) for i in roles.tags]
    if tidy and any(re.search("[ \t]", name) for t in tags for name in t.names):
        raise ragged.Untidy
    kept = [i for i in (roles.token, *roles.others.values()) if i is not None]
    return _TokenLines(lines.kinds, tags, [cells(i) for i in kept])


def _without_tagged_comments(lines: _TokenLines) -> _TokenLines:
    """Drop lines that begin with `#` and whose last column is no tag, in a file whose other tags are tags."""
    tags = lines.tags[0]
    odd = unknown_tags(tags)
    if not odd or not lines.columns:
        return lines
    comment = np.isin(tags.codes, odd) & lines.columns[0].str.starts_with("#").to_numpy()
    has_tags = any("-" in name and split_tag(name) for name in tags.names)
    return lines.without(comment) if has_tags and comment.any() else lines


def _annotations(file: File, roles: _ColumnRoles, lines: _TokenLines) -> Annotations:
    kinds, tags = lines.kinds, lines.tags
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
    names = ([] if roles.token is None else ["token"]) + list(roles.others)
    named = dict(zip(names, lines.columns, strict=True))
    return Annotations(
        name=file.name,
        items=len(at),
        offsets=offsets,
        tokens=named.pop("token", None) if roles.token is not None else None,
        token_rows=kinds == TOKEN,
        token_columns=named,
        tags=tags[0],
        own_gold=tags[1] if len(tags) > 1 else None,
        documents=documents,
        docstarts=docstarts,
    )


def columnar(source: Source) -> tuple[pl.DataFrame, Origin]:
    """Return a row per sentence: lists of tokens, tags and what stands between, and the number of its document."""
    annotations, names = read(source), _names(source.only)
    cells = [
        *([] if annotations.tokens is None else [annotations.tokens]),
        *annotations.token_columns.values(),
        _written(annotations),
    ]
    flat = [cell.alias(str(i)) for i, cell in enumerate(cells)]
    item = pl.Series("item", np.repeat(np.arange(annotations.items), annotations.lengths)).set_sorted()
    frame = pl.DataFrame([item, *flat]).group_by("item", maintain_order=True).agg(pl.all()).drop("item")
    frame.columns = _titles(names)
    if annotations.documents is None or annotations.docstarts is None:
        return frame, Origin("conll", names)
    documents = pl.Series("doc", annotations.documents).cast(pl.String)
    return frame.with_columns(documents), Origin("conll", names, int(annotations.docstarts.sum()))


def _names(file: File) -> tuple[str, ...]:
    """Return the distinct names of the columns of a CoNLL-style file."""
    names, _ = _column_names(file)
    if twice := [name for name in names if names.count(name) > 1]:
        raise file.error(f"two columns are called {quoted(twice[0])}; rename one of them")
    return tuple(names)


def _titles(names: tuple[str, ...]) -> list[str]:
    """Return what the columns are called in Parquet: tokens and tags, and those between as in the file."""
    between = list(names[1:-1])
    if not {"tokens", "tags", "doc", ""}.isdisjoint(between):
        between = [f"col{i + 2}" for i in range(len(between))]
    return ["tokens", *between, "tags"] if len(names) > 1 else ["tags"]


def _written(annotations: Annotations) -> pl.Series:
    """Return the tags as they stand in the file."""
    if annotations.tags is None:
        raise TypeError(annotations.name)
    return annotations.tags.written()


def _looks_like_conll(source: Source) -> bool:
    data = source.files[0].data
    end = data.rfind(b"\n", 0, SAMPLE) if len(data) > SAMPLE else len(data)
    end = data.find(b"\n", SAMPLE) if end < 0 else end  # one line is longer than the sample
    sample = (data if end < 0 else data[:end]).decode(errors="replace")
    rows = [ragged.split(line.rstrip(" \t\r")) for line in sample.split("\n") if line.strip() and line[0] != "#"]
    rows = [row for row in rows if row[0] != DOCSTART]
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


def _is_tag(cell: str) -> bool:
    return cell == "O" or TAG.match(cell) is not None


READER = Reader(
    name="conll",
    extensions=EXTENSIONS,
    signs={Sign.EXTENSION: ends_with(*EXTENSIONS), Sign.LAYOUT: _looks_like_conll},
    read=read,
    tag_columns=True,
    columnar=columnar,
)
