"""Annotations of gold and systems over the same items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from slicewise.align.clusters import Clusters
from slicewise.annotations import Places, Tags, Task
from slicewise.arrays import Ints
from slicewise.data_warnings import DataWarning


@dataclass(frozen=True, kw_only=True)
class Aligned:
    """The annotations of gold and systems over the same items."""

    task: Task
    items: int
    clusters: Clusters
    lengths: Ints
    length_unit: str
    """What item lengths and span offsets count: `tokens`, `characters`, or `labels` where there is no text."""
    units: pl.DataFrame | None = None
    labels: tuple[str, ...] = ()
    answers: pl.DataFrame | None = None
    tokens: pl.Series | None = None
    offsets: Ints | None = None
    token_columns: Mapping[str, pl.Series] = field(default_factory=dict)
    tags: Mapping[str, Tags] = field(default_factory=dict)
    """The tags of gold and of each system as its file has them, where it has tags."""
    fields: pl.DataFrame = field(default_factory=pl.DataFrame)
    metadata: pl.DataFrame = field(default_factory=pl.DataFrame)
    confidences: Mapping[str, pl.Series] = field(default_factory=dict)
    """How sure each system is of each item's output, where its file says so."""
    places: Mapping[str, Places] = field(default_factory=dict)
    """Of texts, which only metrics read: where each item stands in the file of gold, and of each system."""
    notes: tuple[str, ...] = ()
    warnings: tuple[DataWarning, ...] = ()

    @property
    def has_words(self) -> bool:
        """Whether items have tokens, or text to be split into words; such words are not the tokens that tags are of."""
        return self.tokens is not None or (self.fields.width > 0 and self.length_unit != "tokens")

    def between(self, start: int, stop: int) -> Aligned:
        """Return some items, one after the other, numbered anew; labels, clusters and groups keep their numbers."""
        size = stop - start
        units = self.units
        if units is not None:
            first, last = np.searchsorted(units["item"].to_numpy(), [start, stop]).tolist()
            units = units.slice(first, last - first).with_columns(pl.col("item") - pl.lit(start, pl.UInt32))
        offsets, token_range = self.offsets, slice(0, 0)
        if offsets is not None:
            token_range = slice(int(offsets[start]), int(offsets[stop]))
            offsets = offsets[start : stop + 1] - offsets[start]
        clusters = replace(
            self.clusters, cluster=self.clusters.cluster[start:stop], group=self.clusters.group[start:stop]
        )
        return replace(
            self,
            items=size,
            clusters=clusters,
            lengths=self.lengths[start:stop],
            units=units,
            answers=None if self.answers is None else self.answers.slice(start, size),
            tokens=None if self.tokens is None else self.tokens[token_range],
            offsets=offsets,
            token_columns={name: column[token_range] for name, column in self.token_columns.items()},
            tags={name: tags.between(token_range.start, token_range.stop) for name, tags in self.tags.items()},
            fields=self.fields.slice(start, size),
            metadata=self.metadata.slice(start, size),
            confidences={name: column.slice(start, size) for name, column in self.confidences.items()},
            places={name: replace(places, first=places.first + start) for name, places in self.places.items()},
        )
