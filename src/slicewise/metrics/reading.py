"""Parsing of outputs of the task `text` as numbers, truth values, probabilities, words and ids."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.arrays import Array, Mask
from slicewise.errors import counted, quoted
from slicewise.metrics.metric import ItemError, Side

LARGEST = 1e100
"""Squares of larger numbers, and their sums, would overflow."""
TRUTHS = {"true": "1", "false": "0"}


def references(gold: pl.Series | None) -> pl.Series:
    """Return gold, which the metrics of `text` need."""
    if gold is None:
        raise ValueError("the metric needs references")
    return gold


def numbers(texts: pl.Series, side: Side) -> Array:
    """Return one finite number per item; `side` is what a message calls it."""
    text = _single_texts(texts, side)
    values = text.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    _check(np.isfinite(values), text, side, "is no number; expected a finite number, as 12 or 0.5")
    _check(np.abs(values) <= LARGEST, text, side, f"is too large; expected at most {LARGEST:g} either side of 0")
    return np.asarray(values, np.float64)


def truths(texts: pl.Series) -> Array:
    """Return gold as 0 or 1."""
    text = _single_texts(texts, "reference")
    values = text.str.to_lowercase().replace(TRUTHS).cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    _check((values == 0) | (values == 1), text, "reference", "is neither 0 nor 1; expected whether it is so")
    return np.asarray(values, np.float64)


def probabilities(texts: pl.Series) -> Array:
    """Return outputs as probabilities."""
    values = numbers(texts, "output")
    text = _single_texts(texts, "output")
    _check((values >= 0) & (values <= 1), text, "output", "is no probability; expected a number from 0 to 1")
    return values


def words(texts: pl.Series) -> list[list[str]]:
    """Return the words of each item, which white space separates."""
    joined = texts.list.join(" ") if isinstance(texts.dtype, pl.List) else texts
    return [text.split() for text in joined]


def ids(texts: pl.Series) -> list[list[str]]:
    """Return the distinct ids of each item, in their order; tabs separate them."""
    lists = texts.to_list() if isinstance(texts.dtype, pl.List) else [[text] for text in texts]
    stripped = ([(text or "").strip() for text in item] for item in lists)
    return [list(dict.fromkeys(filter(None, item))) for item in stripped]


def _single_texts(texts: pl.Series, side: Side) -> pl.Series:
    """Return one text per item."""
    if isinstance(texts.dtype, pl.List):
        sizes = texts.list.len().to_numpy()
        several = sizes > 1
        if several.any():
            item = int(several.argmax())
            message = f"{side} is {counted(int(sizes[item]), 'text')} separated by tabs; expected one number"
            raise ItemError(item, message, side=side)
        texts = texts.list.first().fill_null("")
    return texts.str.strip_chars()


def _check(right: Mask, texts: pl.Series, side: Side, message: str) -> None:
    if not right.all():
        item = int(np.argmin(right))
        raise ItemError(item, f"{side} {quoted(texts[item])} {message}", side=side)
