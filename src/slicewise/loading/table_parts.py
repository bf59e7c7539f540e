"""Large tables in partitions: ranges of rows of Parquet files, aligned under global label and cluster numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from slicewise.align import Aligned, Options, training_units
from slicewise.align.clusters import Clusters, cluster_names
from slicewise.annotations import CONFIDENCES, Annotations, Task
from slicewise.engine.protocols import FIELDS, TEXTS, FunctionKernel
from slicewise.errors import explained
from slicewise.evaluation import Evaluation, Training
from slicewise.loading.cluster_numbers import ClusterNumbering, named_clusters
from slicewise.loading.roles import Columns, Role, RowReader
from slicewise.loading.training import read_training, without_answers
from slicewise.read import open_source, read, tell_format
from slicewise.read.columns import top_level_name

MOST_PARTS = 256
EDGE_SCHEMA = {"first": pl.String, "last": pl.String, "size": pl.Int64}

_training_cache: dict[str, Training] = {}
"""Training data is read once per process."""


@dataclass(frozen=True)
class TrainingFile:
    """Where training data is, and how it is read."""

    path: str
    format: str | None
    gold_column: str | None
    inputs: tuple[str, ...]
    others: bool

    def training(self, task: Task, options: Options) -> Training:
        """Read it."""
        key = repr((self, task, options))
        if key not in _training_cache:
            _training_cache.clear()
            with explained(self.path):
                source = open_source(self.path)
                annotations = read_training(source, self.format, self.gold_column, self.inputs, others=self.others)
            _training_cache[key] = Training(annotations, training_units(annotations, task, options))
        return _training_cache[key]


@dataclass(frozen=True)
class TableParts:
    """Partitions of Parquet files, read by the worker that maps them; it is pickled to get there."""

    name: str
    gold: Role | None
    systems: Mapping[str, Role]
    inputs: tuple[Role, ...]
    restarts: Mapping[str, tuple[str, ...]]
    options: Options
    format: str | None
    train: TrainingFile | None
    bounds: tuple[int, ...]
    """Where parts begin, and the end."""
    labels: tuple[str, ...] | None = None
    """Of all data; None: not counted yet."""
    numbering: ClusterNumbering | None = None
    token_columns: bool = False
    given: tuple[str, ...] = ()
    """Gold, systems and inputs as the user named them."""

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def items(self, i: int) -> int:
        """Return how many items a part has."""
        return self.bounds[i + 1] - self.bounds[i]

    def part(self, i: int, needs: frozenset[str]) -> Evaluation:
        """Read and align a part."""
        return self.between(self.bounds[i], self.bounds[i + 1], needs)

    def head(self, needs: frozenset[str]) -> Evaluation:
        """Return a part without items."""
        return self.between(0, min(1, self.bounds[-1]), needs).between(0, 0)

    @property
    def reference(self) -> Role:
        """The file that brings the items' fields: gold, or the first system."""
        return self.gold or next(iter(self.systems.values()))

    def between(self, start: int, stop: int, needs: frozenset[str]) -> Evaluation:
        """Read and align some rows."""
        # tags may have their tokens in the inputs
        with_inputs = TEXTS in needs or self.options.task in (Task.SPANS, Task.TOKENS)
        roles = [*self.systems.values(), *(self.inputs if with_inputs else ())]
        roles = roles if self.gold is None else [self.gold, *roles]
        read = self._read(roles, start, stop, needs)
        gold = None if self.gold is None else next(read)
        files = {name: next(read) for name in self.systems}
        clusters = None if self.numbering is None else partial(self._clusters, self.numbering, start)
        evaluation = Evaluation.build(
            self.name, gold, files, self.restarts, list(read), self.options, digests=("part",), clusters=clusters
        )
        aligned = evaluation.aligned if self.labels is None else _renumbered(evaluation.aligned, self.labels)
        fields = without_answers(aligned, self.given).metadata if FIELDS in needs else pl.DataFrame()
        aligned = replace(aligned, metadata=fields)
        training = None if self.train is None else self.train.training(evaluation.task, self.options)
        return replace(evaluation, aligned=aligned, train=training, first=start)

    def cluster_names(self, start: int, stop: int) -> pl.Series:
        """Return the names (or numbers) of some items' clusters, which are not the items themselves."""
        annotations = next(self._read([self.reference], start, stop, frozenset()))
        names = cluster_names(annotations, self.options.cluster, start)[1]
        if names is None:
            raise ValueError("every item is a cluster")
        return names

    def _clusters(self, numbering: ClusterNumbering, start: int, reference: Annotations) -> Clusters:
        names = cluster_names(reference, self.options.cluster, start)[1]
        return numbering.of(names, start, reference.items)

    def _read(self, roles: Sequence[Role], start: int, stop: int, needs: frozenset[str]) -> Iterator[Annotations]:
        """Read the rows of some roles, the first of which brings the items' fields."""
        columns = [_columns_read(role, self.options, needs, first=i == 0) for i, role in enumerate(roles)]
        reader = RowReader.for_all(list(zip(roles, columns, strict=True)))
        for i, role in enumerate(roles):
            source = role.between(start, stop, reader, columns[i])
            kind = self.format or tell_format(source)
            with explained(source.name):
                own_gold = self.gold is None and kind == "conll"
                yield read(source, kind, own_gold=own_gold, others=i == 0 and self.token_columns)


def _columns_read(role: Role, options: Options, needs: frozenset[str], *, first: bool) -> Columns:
    """Return the columns to read: a named column alone, and the columns that it depends on."""
    fields = FIELDS in needs
    if role.column is None or (first and (fields or options.cluster is not None)):
        return None
    names = role.schema.names()
    top = role.column if role.column in names else top_level_name(role.column, names)
    if top is None:  # by its number
        return None
    in_text = options.task in (None, Task.SPANS, Task.TOKENS)  # units stand in a text, which all files may have
    columns = [top]
    columns += ["doc"] if first else []
    columns += ["text"] if in_text or (first and TEXTS in needs) else []
    columns += ["tokens"] if in_text else []
    columns += CONFIDENCES if fields else []
    return tuple(dict.fromkeys(name for name in columns if name in names))


def _renumbered(aligned: Aligned, labels: tuple[str, ...]) -> Aligned:
    """Return units whose labels are numbered as in the whole data."""
    if aligned.units is None:
        return aligned
    label = aligned.units["label"].cast(pl.String).cast(pl.Enum(labels))
    return replace(aligned, units=aligned.units.with_columns(label=label), labels=labels)


def bounds_of(items: int, rows: int) -> tuple[int, ...]:
    """Return the bounds of partitions of about `rows` rows; at most 256 partitions."""
    parts = max(1, min(MOST_PARTS, -(-items // rows)))
    return tuple(items * i // parts for i in range(parts + 1))


def whole_clusters(bounds: Sequence[int], edges: Sequence[tuple[str, str, int]]) -> tuple[int, ...]:
    """Return bounds at which no cluster is cut; of each part its first cluster, its last, and where the next begins."""
    kept = [bounds[0]]
    last = None
    for i, (first, end, size) in enumerate(edges):
        start = bounds[i]
        if i and first == last:
            start += size
        last = end
        if i and kept[-1] < start < bounds[i + 1]:  # else one cluster fills the part, and may go on in the next
            kept.append(start)
    return (*kept, bounds[-1])


def _survey(part: Evaluation) -> pl.DataFrame:
    """Count the labels of gold and systems in a part, and list its warnings."""
    raised = [f"{part.first} {warning.to_json()}" for warning in part.aligned.warnings]
    tokens = 0 if part.aligned.tokens is None else len(part.aligned.tokens)
    totals = {"items": part.aligned.items, "tokens": tokens}
    tables = [_counts("warning", raised, [1] * len(raised)), _counts("total", list(totals), list(totals.values()))]
    if part.task.has_units:
        names = part.units["label"].cast(pl.String)
        for column in ("gold", *part.systems):
            counts = names.filter(part.units[column]).value_counts()
            tables.append(_counts(f"label:{column}", counts.to_series(0).to_list(), counts.to_series(1).to_list()))
    return pl.concat(tables)


def _counts(kind: str, keys: Sequence[str], n: Sequence[int]) -> pl.DataFrame:
    schema = {"key": pl.String, "n": pl.Int64}
    table = pl.DataFrame({"key": list(keys), "n": list(n)}, schema=schema)
    return table.select(pl.lit(kind).alias("what"), "key", "n")


@dataclass(frozen=True)
class ClusterNames:
    """The names of the items' clusters, partition by partition."""

    of: TableParts

    def __len__(self) -> int:
        return len(self.of)

    def items(self, i: int) -> int:
        """Return how many items a part has."""
        return self.of.items(i)

    def head(self, needs: frozenset[str]) -> pl.Series:  # noqa: ARG002 (there are names alone)
        """Return no names."""
        return pl.Series([], dtype=pl.String)

    def part(self, i: int, needs: frozenset[str]) -> pl.Series:  # noqa: ARG002 (there are names alone)
        """Read the names of a part."""
        return self.of.cluster_names(self.of.bounds[i], self.of.bounds[i + 1])


def _distinct_clusters(names: pl.Series) -> pl.DataFrame:
    """Count the distinct clusters of a partition, in one row."""
    return pl.DataFrame({"clusters": [names.n_unique()]}, schema={"clusters": pl.Int64})


def _edges(names: pl.Series) -> pl.DataFrame:
    """Return the first and the last cluster of a partition, and where its second begins, in one row."""
    if not len(names):
        return pl.DataFrame(schema=EDGE_SCHEMA)
    different = names != names[0]
    size = different.arg_max() if different.any() else len(names)
    ends = {"first": [str(names[0])], "last": [str(names[-1])]}
    return pl.DataFrame(ends | {"size": [size]}, schema=EDGE_SCHEMA)


SURVEY = FunctionKernel(_survey, ("what", "key"))
CLUSTER_COUNTS = FunctionKernel(named_clusters, ("remainder", "name"))
DISTINCT_CLUSTERS = FunctionKernel(_distinct_clusters)
EDGES = FunctionKernel(_edges)
