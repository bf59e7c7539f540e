"""Large tables as one evaluation in parts: what numbers labels and clusters have is counted first."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.align import few_clusters, unknown_labels
from slicewise.align.clusters import Clusters
from slicewise.annotations import Task
from slicewise.engine.gather import gathered, summed
from slicewise.errors import counted
from slicewise.parts import FIELDS, TEXTS, Parts
from slicewise.table_parts import Edges, Survey, item_naming, named, whole_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slicewise.evaluation import Evaluation
    from slicewise.parts import Runner, Scratch
    from slicewise.table_parts import TableParts

LOOKED_AT = 10_000
"""Items that tell the task, and which columns there are."""
ABSENT = ("no unit has the label", "no unit has this label", "nothing has this label", "gold has no units")
"""What is said of the whole only if it holds of every part."""
LINE = re.compile(r"\bline (\d+)")
COUNT = re.compile(r"(\d[\d,]*) (empty output|unit|item|tag|token|line)s?\b")
OF_ALL = re.compile(r" of [\d,]+ differs?\b")
FIRST = re.compile(r"\(first: .* at (.*):(\d+)\);")
"""Of tokens that differ: of how many, and which is the first."""


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

    def over(now: TableParts) -> Evaluation:
        return made.parted(Parts(now, runner))

    kind = first.aligned.clusters.kind
    told = first.task is Task.SCORES and kind == "item"  # there is nothing to be counted
    found = Survey(source)(first.between(0, 0)) if told else summed(over(source), Survey(source))
    names = found.filter(pl.col("what") == "cluster")["key"].to_list()
    naming = item_naming(items) if kind == "item" else named(kind, names, numbered=source.numbered)
    parts = len(source)
    if kind != "item" and parts > 1:
        edges = pl.concat(gathered(over(source), Edges(source))).rows()
        source = replace(source, bounds=whole_clusters(source.bounds, edges))
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
    return replace(made, aligned=head, parts=Parts(source, runner, gold, whole, scratch))


def _no_units(units: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    return units.clear().with_columns(label=pl.Series([], dtype=pl.Enum(labels)))


def _warnings(
    found: pl.DataFrame, source: TableParts, parts: int, first: Evaluation, labels: Sequence[str]
) -> list[str]:
    """Return what is to be said of the whole data from what was said of its parts."""
    said = {key: n for what, key, n in found.iter_rows() if what == "warning" and "to resample" not in key}
    said = {text: n for text, n in said.items() if "never a label in gold" not in text}
    said = {text: n for text, n in said.items() if n == parts or not any(words in text for words in ABSENT)}
    together: dict[str, list[tuple[str, int]]] = {}
    for text, n in said.items():
        alike = FIRST.sub("#", OF_ALL.sub("#", LINE.sub("#", COUNT.sub("#", text))))
        together.setdefault(alike, []).append((text, n))
    tokens = int(found.filter(pl.col("what") == "tokens")["n"].sum())
    merged = [_added(several, source, tokens) for several in together.values()]
    merged.sort(key=lambda text: _file_of(text, source))
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


def _added(several: list[tuple[str, int]], source: TableParts, tokens: int) -> str:
    """Return what parts say alike with their numbers added up, and the first line."""
    files = list(source.reference.shown)
    several.sort(
        key=lambda one: (
            [(files.index(name) if name in files else 0, int(line)) for name, line in FIRST.findall(one[0])],
            [int(line) for line in LINE.findall(one[0])],
        )
    )
    totals: dict[int, int] = {}
    for text, n in several:
        if any(words in text for words in ABSENT):
            return text
        for i, match in enumerate(COUNT.finditer(text)):
            totals[i] = totals.get(i, 0) + n * int(match[1].replace(",", ""))
    places = iter(sorted(totals))
    said = OF_ALL.sub(f" of {tokens:,} {'differs' if totals.get(0) == 1 else 'differ'}", several[0][0])
    return COUNT.sub(lambda match: counted(totals[next(places)], match[2]), said)
