"""Large tables as one evaluation in partitions: a first pass counts labels and numbers clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from slicewise.align import few_clusters, unknown_labels
from slicewise.align.clusters import Clusters
from slicewise.annotations import Task
from slicewise.data_warnings import DataWarning, merge_warnings
from slicewise.engine.local import aggregate, collect_parts, reduce_parts
from slicewise.engine.protocols import FIELDS, TEXTS, Parts, PartSource, Runner, Scratch
from slicewise.evaluation import Evaluation
from slicewise.loading.cluster_numbers import by_remainder, cluster_numbering, first_names, item_numbering
from slicewise.loading.table_parts import (
    CLUSTER_COUNTS,
    DISTINCT_CLUSTERS,
    EDGES,
    SURVEY,
    ClusterNames,
    TableParts,
    whole_clusters,
)

LOOKED_AT = 10_000
"""Items from which the task and the columns are inferred."""


def parted_evaluation(
    source: TableParts,
    runner: Runner,
    *,
    digests: Sequence[str],
    dated: str | None,
    load_whole: Callable[[], Evaluation] | None,
    scratch: Scratch | None = None,
) -> Evaluation:
    """Return large tables as an evaluation whose rows stay on disk."""
    items = source.bounds[-1]
    first = source.between(0, min(items, LOOKED_AT), frozenset({TEXTS, FIELDS}))
    source = replace(source, options=replace(source.options, task=first.task))
    evaluation = replace(first, digests=tuple(digests), dated=dated, first=0)

    def over(part_source: PartSource) -> Evaluation:
        return evaluation.parted(Parts(part_source, runner))

    kind = first.aligned.clusters.kind
    nothing_to_count = first.task is Task.SCORES and kind == "item"
    survey = SURVEY(first.between(0, 0)) if nothing_to_count else aggregate(over(source), SURVEY)
    parts, numbering, scattered = len(source), item_numbering(items), False
    if kind != "item":
        names = over(ClusterNames(source))
        remainders, names_in_order = reduce_parts(names, CLUSTER_COUNTS, by_remainder, first_names)
        numbering = cluster_numbering(kind, remainders, names_in_order["name"])
        edges = pl.concat(collect_parts(names, EDGES)).rows()
        source = replace(source, bounds=whole_clusters(source.bounds, edges))
        distinct = pl.concat(collect_parts(over(ClusterNames(source)), DISTINCT_CLUSTERS))
        scattered = int(distinct["clusters"].sum()) > numbering.count
    labels = tuple(sorted({key for what, key, _ in survey.iter_rows() if what.startswith("label:")}))
    source = replace(source, labels=labels if first.task.has_units else None, numbering=numbering)
    gold = int(survey.filter(pl.col("what") == "label:gold")["n"].sum()) if first.task.has_units else None
    no_items = np.zeros(0, np.uint32)
    clusters = Clusters(numbering.kind, no_items, no_items, numbering.count, numbering.groups)
    head = replace(
        first.aligned.between(0, 0),
        items=items,
        clusters=clusters,
        labels=labels,
        units=None if first.aligned.units is None else _no_units(first.aligned.units, labels),
        warnings=(*_warnings(survey, source, parts, first, labels), *few_clusters(clusters)),
    )
    return replace(evaluation, aligned=head, parts=Parts(source, runner, gold, load_whole, scratch, scattered))


def _no_units(units: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    return units.clear().with_columns(label=pl.Series([], dtype=pl.Enum(labels)))


def _warnings(
    survey: pl.DataFrame, source: TableParts, parts: int, first: Evaluation, labels: Sequence[str]
) -> list[DataWarning]:
    """Merge the warnings of the partitions."""
    located = [key.partition(" ") for key in survey.filter(pl.col("what") == "warning")["key"]]
    totals = dict(survey.filter(pl.col("what") == "total").select("key", "n").iter_rows())
    merged = merge_warnings([(int(start), DataWarning.from_json(text)) for start, _, text in located], parts, totals)
    merged.sort(key=lambda warning: _file_of(str(warning), source))
    if not first.task.has_units:
        return merged
    counts = {}
    for name in ("gold", *first.systems):
        label_counts = dict(survey.filter(pl.col("what") == f"label:{name}").select("key", "n").iter_rows())
        counts[name] = np.array([label_counts.get(label, 0) for label in labels], np.int64)
    return merged + unknown_labels(counts, labels)


def _file_of(text: str, source: TableParts) -> int:
    """Return the position of the file that a warning is about, in reading order."""
    roles = [*([] if source.gold is None else [source.gold]), *source.systems.values()]
    return next((i for i, role in enumerate(roles) if text.startswith(f"{role.called}: ")), len(roles))
