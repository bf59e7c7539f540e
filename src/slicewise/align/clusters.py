"""Resampling clusters: the cluster of each item, and at most 10,000 groups of clusters."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Annotations, as_text
from slicewise.arrays import Ints
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.stats.canonical import splitmix64

FindClusters = Callable[[Annotations], "Clusters"]

MOST_GROUPS = 10_000


@dataclass(frozen=True)
class Clusters:
    """Each item's cluster (numbered from 0) and the group that is resampled in its place."""

    kind: str
    """`item`, `doc`, or the field that names the clusters."""
    cluster: NDArray[np.uint32]
    group: NDArray[np.uint32]
    count: int
    groups: int


def find_clusters(gold: Annotations, field: str | None) -> Clusters:
    """Return the clusters: the field that the user names, else documents where the file marks them, else items."""
    kind, names = cluster_names(gold, field)
    if names is None:
        return grouped(kind, np.arange(gold.items, dtype=np.uint32), None)
    distinct, codes = numbered(names)
    return grouped(kind, codes, distinct)


def numbered(names: pl.Series) -> tuple[pl.Series, NDArray[np.uint32]]:
    """Return the different names in the order in which they stand, and the number of each item's among them."""
    distinct = names.unique(maintain_order=True)
    if not len(names):
        return distinct, np.zeros(0, np.uint32)
    numbers = pl.Series(range(len(distinct)), dtype=pl.UInt32)
    return distinct, names.replace_strict(distinct, numbers, return_dtype=pl.UInt32).to_numpy()


def cluster_names(gold: Annotations, field: str | None, first: int = 0) -> tuple[str, pl.Series | None]:
    """Return what clusters are, and the name (or number) of each item's; None where every item is one.

    `first` is the number of the first item, from which items without a name have theirs.
    """
    columns = {name: gold.metadata.get_column(name).alias("") for name in gold.metadata.columns}
    marked = gold.documents is not None and "doc" not in columns
    if field is None:
        field = "doc" if marked or "doc" in columns else "item"
    if field == "item":
        return "item", None
    if field == "doc" and marked and gold.documents is not None:
        return "doc", pl.Series(gold.documents)
    if field not in columns:
        raise UserError(
            f"no field {quoted(field)} to cluster by; {did_you_mean(field, ['item', *columns])}", where=gold.name
        )
    refused = f"the field {quoted(field)} holds %s; --cluster needs plain values"
    if isinstance(columns[field].dtype, pl.List):
        raise gold.error(refused % "lists")
    names = as_text(columns[field], lambda kind, item: gold.error(refused % kind, item=item))
    if not names.null_count():
        return field, names
    item_names = pl.Series([f"\0{i}" for i in range(first, first + len(names))])
    return field, names.zip_with(names.is_not_null(), item_names)


def grouped(kind: str, cluster: NDArray[np.uint32], names: pl.Series | None) -> Clusters:
    """Assign clusters to groups: one each, in the order of their names; more than 10,000 are hashed into as many.

    Without names, numbers stand for them.
    """
    count = int(cluster.max()) + 1 if len(cluster) else 0
    if count <= MOST_GROUPS:
        place = np.arange(count) if names is None else names.cast(pl.String).rank("ordinal").to_numpy() - 1
        return Clusters(kind, cluster, place.astype(np.uint32)[cluster], count, count)
    group = remainders(np.arange(count, dtype=np.uint64) if names is None else names)
    number = np.cumsum(np.bincount(group, minlength=MOST_GROUPS) > 0) - 1
    return Clusters(kind, cluster, number.astype(np.uint32)[group][cluster], count, int(number[-1]) + 1)


def remainders(clusters: NDArray[np.uint64] | pl.Series) -> Ints:
    """Return the hash of each cluster's number or name, below 10,000."""
    if isinstance(clusters, pl.Series):
        hashes = _named(clusters) if clusters.dtype == pl.String else splitmix64(clusters.to_numpy().astype(np.uint64))
    else:
        hashes = splitmix64(clusters)
    return (hashes % np.uint64(MOST_GROUPS)).astype(np.int64)


def _named(names: pl.Series) -> NDArray[np.uint64]:
    return splitmix64(np.array([zlib.crc32(name.encode()) for name in names], dtype=np.uint64))
