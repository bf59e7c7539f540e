"""Outputs of the task `text` beside their references."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from slicewise.arrays import Array, Ints
from slicewise.metrics.metric import ItemError
from slicewise.metrics.reading import references


@dataclass(frozen=True)
class TextPairs:
    """Every output beside each reference of its item; pairs of an item stand together."""

    items: int
    item: Ints
    """The item of each pair."""
    outputs: pl.Series
    references: pl.Series

    def best(self, scores: Array, sizes: Array) -> Ints:
        """Return the pair of the highest score of each item; the smaller size where scores are equal."""
        if len(self.item) == self.items:
            return self.item
        order = np.lexsort((sizes, -scores, self.item))
        return order[np.searchsorted(self.item, np.arange(self.items))]


def pairs(gold: pl.Series | None, outputs: pl.Series) -> TextPairs:
    """Return outputs beside their references."""
    listed = reference_lists(gold)
    numbers = listed.list.len().to_numpy().astype(np.int64)
    item = np.repeat(np.arange(len(listed)), numbers)
    return TextPairs(len(listed), item, output_texts(outputs).gather(item), listed.explode())


def output_texts(outputs: pl.Series) -> pl.Series:
    """Return one text per output; lists are put together with tabs."""
    return outputs.list.join("\t") if isinstance(outputs.dtype, pl.List) else outputs


def reference_lists(gold: pl.Series | None) -> pl.Series:
    """Return the references of each item, of which there is at least one."""
    texts = references(gold)
    if not isinstance(texts.dtype, pl.List):
        return texts.to_frame("text").select(pl.concat_list("text")).to_series()
    listed = texts.list.drop_nulls()
    empty = (listed.list.len() == 0).fill_null(True)
    if empty.any():
        first = int(empty.arg_max() or 0)
        raise ItemError(first, "no reference; give it one, or leave the item out", side="reference")
    return listed


def words(texts: pl.Series) -> list[list[str]]:
    """Return the words of texts, which white space separates."""
    return [text.split() for text in texts]
