"""Annotations from Python values: lists of tags, of spans, of answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from slicewise.annotations import Annotations, Tags
from slicewise.arrays import Ints
from slicewise.errors import UserError


def as_series(values: Iterable[Any]) -> pl.Series:
    """Return answers as a column; sets of labels are put in order."""
    listed = [sorted(v) if isinstance(v, (set, frozenset)) else list(v) if isinstance(v, tuple) else v for v in values]
    if any(isinstance(value, list) for value in listed):
        listed = [value if isinstance(value, list) or value is None else [value] for value in listed]
    return pl.Series(listed, strict=False)


def tagged(
    name: str, tags: Sequence[Sequence[str]], tokens: Sequence[Sequence[str]] | None, documents: Sequence[Any] | None
) -> Annotations:
    """Return sentences of tags, with their tokens and documents where given."""
    offsets = _offsets(tags)
    if tokens is not None and not np.array_equal(offsets, _offsets(tokens)):
        raise UserError(f"{name}: tags and tokens differ in length; expected one tag per token")
    if documents is not None and len(documents) != len(tags):
        raise UserError(f"{len(documents)} documents for {len(tags)} sentences; expected one per sentence")
    return Annotations(
        name=name,
        items=len(tags),
        offsets=offsets,
        tags=Tags.encode(pl.Series(list(chain.from_iterable(tags)), dtype=pl.String)),
        tokens=None if tokens is None else pl.Series(list(chain.from_iterable(tokens)), dtype=pl.String),
        metadata=_documents(documents),
    )


def _offsets(sequences: Sequence[Sequence[Any]]) -> Ints:
    return np.concatenate([[0], np.cumsum([len(s) for s in sequences], dtype=np.int64)]).astype(np.int64)


def _documents(documents: Sequence[Any] | None) -> pl.DataFrame:
    return pl.DataFrame() if documents is None else pl.DataFrame({"doc": pl.Series([str(d) for d in documents])})


def spanned(
    name: str,
    spans: Sequence[Sequence[tuple[int, int, str]]],
    items: Sequence[str] | Sequence[Sequence[str]] | None,
    documents: Sequence[Any] | None,
) -> Annotations:
    """Return spans over texts (character offsets) or lists of tokens; over gold's where none are given."""
    rows = [(i, start, end, label) for i, item in enumerate(spans) for start, end, label in item]
    schema = {"item": pl.Int64, "start": pl.Int64, "end": pl.Int64, "label": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    texts, tokens, offsets = None, None, None
    if items is not None and len(items) and isinstance(items[0], str):
        texts = pl.Series(list(items), dtype=pl.String)
    elif items is not None:
        tokens = pl.Series(list(chain.from_iterable(items)), dtype=pl.String)
        offsets = _offsets(items)
    if any(extra is not None and len(extra) != len(spans) for extra in (items, documents)):
        raise UserError(f"{name}: items, documents and spans differ in length; expected one of each per item")
    return Annotations(
        name=name,
        items=len(spans),
        spans=frame,
        texts=texts,
        tokens=tokens,
        offsets=offsets,
        metadata=_documents(documents),
    )
