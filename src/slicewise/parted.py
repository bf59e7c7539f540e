"""Large tables as one evaluation in parts: what numbers labels and clusters have is counted first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.align import few_clusters, unknown_labels
from slicewise.align.clusters import Clusters
from slicewise.annotations import Task
from slicewise.engine.gather import gathered, reduced, summed
from slicewise.naming import by_remainder, first_names, item_naming, naming_of
from slicewise.parts import FIELDS, TEXTS, Parts
from slicewise.table_parts import ClusterCounts, ClustersHere, Edges, NamesInParts, Survey, whole_clusters
from slicewise.warned import Warned, of_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slicewise.evaluation import Evaluation
    from slicewise.parts import PartSource, Runner, Scratch
    from slicewise.table_parts import TableParts

LOOKED_AT = 10_000
"""Items that tell the task, and which columns there are."""


def evaluation_of(
    source: TableParts,
    runner: Runner,
    *,
    digests: Sequence[str],
    dated: str | None,
    whole: Callable[[], Evaluation] | None,
    scratch: Scratch | None = None,
) -> Evaluation:
    """Return large tables as an evaluation whose rows stay where they are."""
    items = source.bounds[-1]
    first = source.between(0, min(items, LOOKED_AT), frozenset({TEXTS, FIELDS}))
    source = replace(source, options=replace(source.options, task=first.task))
    made = replace(first, digests=tuple(digests), dated=dated, first=0)

    def over(now: PartSource) -> Evaluation:
        return made.parted(Parts(now, runner))

    kind = first.aligned.clusters.kind
    told = first.task is Task.SCORES and kind == "item"  # there is nothing to be counted
    found = Survey()(first.between(0, 0)) if told else summed(over(source), Survey())
    parts, naming, scattered = len(source), item_naming(items), False
    if kind != "item":
        names = over(NamesInParts(source))
        remainders, known = reduced(names, ClusterCounts(), by_remainder, first_names)
        naming = naming_of(kind, remainders, known["name"])
        edges = pl.concat(gathered(names, Edges())).rows()
        source = replace(source, bounds=whole_clusters(source.bounds, edges))
        here = pl.concat(gathered(over(NamesInParts(source)), ClustersHere()))
        scattered = int(here["clusters"].sum()) > naming.count
    labels = tuple(sorted({key for what, key, _ in found.iter_rows() if what.startswith("label:")}))
    source = replace(source, labels=labels if first.task.has_units else None, naming=naming)
    gold = int(found.filter(pl.col("what") == "label:gold")["n"].sum()) if first.task.has_units else None
    nothing = np.zeros(0, np.uint32)
    clusters = Clusters(naming.kind, nothing, nothing, naming.count, naming.groups)
    head = replace(
        first.aligned.between(0, 0),
        items=items,
        clusters=clusters,
        labels=labels,
        units=None if first.aligned.units is None else _no_units(first.aligned.units, labels),
        warnings=(*_warnings(found, source, parts, first, labels), *few_clusters(clusters)),
    )
    return replace(made, aligned=head, parts=Parts(source, runner, gold, whole, scratch, scattered))


def _no_units(units: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    return units.clear().with_columns(label=pl.Series([], dtype=pl.Enum(labels)))


def _warnings(
    found: pl.DataFrame, source: TableParts, parts: int, first: Evaluation, labels: Sequence[str]
) -> list[Warned]:
    """Return what is to be said of the whole data from what was said of its parts."""
    said = [key.partition(" ") for key in found.filter(pl.col("what") == "warning")["key"]]
    totals = dict(found.filter(pl.col("what") == "total").select("key", "n").iter_rows())
    merged = of_whole([(int(start), Warned.from_json(text)) for start, _, text in said], parts, totals)
    merged.sort(key=lambda one: _file_of(str(one), source))
    if not first.task.has_units:
        return merged
    counts = {}
    for name in ("gold", *first.systems):
        own = dict(found.filter(pl.col("what") == f"label:{name}").select("key", "n").iter_rows())
        counts[name] = np.array([own.get(label, 0) for label in labels], np.int64)
    return merged + unknown_labels(counts, labels)


def _file_of(text: str, source: TableParts) -> int:
    """Return the place of the file that something is said of, in the order in which files are looked at."""
    roles = [*([] if source.gold is None else [source.gold]), *source.systems.values()]
    return next((i for i, role in enumerate(roles) if text.startswith(f"{role.called}: ")), len(roles))
