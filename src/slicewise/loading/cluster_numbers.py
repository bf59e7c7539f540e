"""Cluster numbers of data in partitions: the same as those of the whole data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.align.clusters import MOST_GROUPS, Clusters, numbered, remainders
from slicewise.arrays import Ints, Mask

AT_ONCE = 1 << 20
"""Items whose groups are computed at a time."""


@dataclass(frozen=True)
class ClusterNumbering:
    """The numbers of clusters, and of groups of clusters, in all data."""

    kind: str
    count: int
    names: tuple[str, ...] | None
    """Of at most 10,000 clusters, each a group of its own: their names in the order of their numbers."""
    numbers: tuple[int, ...] | None
    """Of more, which are put into groups by a hash: the number of each remainder's group."""

    @property
    def groups(self) -> int:
        """How many groups there are."""
        if self.numbers is not None:
            return max(self.numbers) + 1
        return self.count

    def of(self, names: pl.Series | None, first: int, items: int) -> Clusters:
        """Return the clusters of a partition's items."""
        if names is None:
            local = np.arange(items, dtype=np.uint32)
            group = local + np.uint32(first) if self.numbers is None else self._hashed(np.arange(first, first + items))
            return Clusters(self.kind, local, group, self.count, self.groups)
        distinct, local = numbered(names)
        if self.names is None:
            group = self._hashed(distinct)
        elif not len(distinct):
            group = local
        else:
            places = pl.Series(range(len(self.names)), dtype=pl.UInt32)
            names_in_order = pl.Series(self.names, dtype=pl.String)
            group = distinct.cast(pl.String).replace_strict(names_in_order, places, return_dtype=pl.UInt32).to_numpy()
        return Clusters(self.kind, local, group[local], self.count, self.groups)

    def _hashed(self, clusters: Ints | pl.Series) -> NDArray[np.uint32]:
        """Return the groups of more than 10,000 clusters."""
        at = remainders(clusters if isinstance(clusters, pl.Series) else clusters.astype(np.uint64))
        return np.array(self.numbers, np.uint32)[at]


def item_numbering(items: int) -> ClusterNumbering:
    """Return the groups of items that are clusters of their own."""
    if items <= MOST_GROUPS:
        return ClusterNumbering("item", items, None, None)
    occurring = np.zeros(MOST_GROUPS, np.bool_)
    for start in range(0, items, AT_ONCE):
        occurring[remainders(np.arange(start, min(items, start + AT_ONCE), dtype=np.uint64))] = True
        if occurring.all():
            break
    return ClusterNumbering("item", items, None, _in_order(occurring))


def cluster_numbering(kind: str, remainders: pl.DataFrame, first: pl.Series) -> ClusterNumbering:
    """Return the groups of clusters that have names, from how many have each remainder, and the first of all names."""
    count = int(remainders["clusters"].sum())
    if count <= MOST_GROUPS:
        return ClusterNumbering(kind, count, tuple(first.to_list()), None)
    occurring = np.zeros(MOST_GROUPS, np.bool_)
    occurring[remainders["remainder"].to_numpy()] = True
    return ClusterNumbering(kind, count, None, _in_order(occurring))


def _in_order(occurring: Mask) -> tuple[int, ...]:
    """Return the number of each remainder that occurs, counted from 0."""
    return tuple(np.maximum(np.cumsum(occurring) - 1, 0).tolist())


def named_clusters(names: pl.Series) -> pl.DataFrame:
    """Return the clusters of some items by the remainder of their hash and their name, with how many items each has."""
    distinct = names.value_counts()
    cluster_names = distinct.to_series(0).alias("name")
    columns = [
        pl.Series("remainder", remainders(cluster_names)),
        cluster_names.cast(pl.String),
        distinct.to_series(1).cast(pl.Int64).alias("n"),
    ]
    return pl.DataFrame(columns)


def by_remainder(clusters: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Count the clusters of all parts by remainder."""
    return clusters.group_by("remainder").agg(clusters=nw.len().cast(nw.Int64))


def first_names(clusters: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return the names of all parts' clusters, of more than 10,000 the first."""
    return clusters.select("name").sort("name").head(MOST_GROUPS)
