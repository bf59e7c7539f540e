"""Large tables in parts: ranges of rows of Parquet files, each aligned by itself under the numbers of the whole."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from slicewise.align.clusters import cluster_names
from slicewise.annotations import CONFIDENCES, Task
from slicewise.errors import explained
from slicewise.evaluation import Evaluation
from slicewise.given import as_training, read_training, without_answers
from slicewise.naming import named_clusters
from slicewise.parts import FIELDS, TEXTS
from slicewise.read import read, tell_format
from slicewise.read.source import open_source
from slicewise.roles import Rows, head_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from slicewise.align import Aligned, Options
    from slicewise.align.clusters import Clusters
    from slicewise.annotations import Annotations
    from slicewise.evaluation import Training
    from slicewise.naming import Naming
    from slicewise.roles import Heads, Role

MOST_PARTS = 256
EDGES = {"first": pl.String, "last": pl.String, "size": pl.Int64}

_read_already: dict[str, Training] = {}
"""Training data is read once in a process."""


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
        if key not in _read_already:
            _read_already.clear()
            with explained(self.path):
                source = open_source(self.path)
                found = read_training(source, self.format, self.gold_column, self.inputs, others=self.others)
            _read_already[key] = as_training(found, task, options)
        return _read_already[key]


@dataclass(frozen=True)
class TableParts:
    """Parts of Parquet files that are read where they are worked on; it travels there."""

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
    """Of the whole data; None: not known yet."""
    naming: Naming | None = None
    token_columns: bool = False
    given: tuple[str, ...] = ()
    """What the user named, from gold on."""

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
        wanted = TEXTS in needs or self.options.task in (Task.SPANS, Task.TOKENS)  # tags may have their tokens there
        roles = [*self.systems.values(), *(self.inputs if wanted else ())]
        roles = roles if self.gold is None else [self.gold, *roles]
        read = self._read(roles, start, stop, needs)
        gold = None if self.gold is None else next(read)
        files = {name: next(read) for name in self.systems}
        clusters = None if self.naming is None else partial(self._clusters, self.naming, start)
        made = Evaluation.build(
            self.name, gold, files, self.restarts, list(read), self.options, digests=("part",), clusters=clusters
        )
        aligned = made.aligned if self.labels is None else _renumbered(made.aligned, self.labels)
        fields = without_answers(aligned, self.given).metadata if FIELDS in needs else pl.DataFrame()
        aligned = replace(aligned, metadata=fields)
        training = None if self.train is None else self.train.training(made.task, self.options)
        return replace(made, aligned=aligned, train=training, first=start)

    def cluster_names(self, start: int, stop: int) -> pl.Series:
        """Return the names (or numbers) of some items' clusters, which are not the items themselves."""
        own = next(self._read([self.reference], start, stop, frozenset()))
        names = cluster_names(own, self.options.cluster, start)[1]
        if names is None:
            raise ValueError("every item is a cluster")
        return names

    def _clusters(self, naming: Naming, start: int, reference: Annotations) -> Clusters:
        names = cluster_names(reference, self.options.cluster, start)[1]
        return naming.of(names, start, reference.items)

    def _read(self, roles: Sequence[Role], start: int, stop: int, needs: frozenset[str]) -> Iterator[Annotations]:
        """Read the rows of some roles, the first of which brings the items' fields."""
        heads = [_heads(role, self.options, needs, first=i == 0) for i, role in enumerate(roles)]
        rows = Rows.for_all(list(zip(roles, heads, strict=True)))
        for i, role in enumerate(roles):
            source = role.between(start, stop, rows, heads[i])
            told = self.format or tell_format(source)
            with explained(source.name):
                own_gold = self.gold is None and told == "conll"
                yield read(source, told, own_gold=own_gold, others=i == 0 and self.token_columns)


def _heads(role: Role, options: Options, needs: frozenset[str], *, first: bool) -> Heads:
    """Return the columns that have to be read: of a named column that alone, and what it cannot do without."""
    fields = FIELDS in needs
    if role.column is None or (first and (fields or options.cluster is not None)):
        return None
    names = role.schema.names()
    head = role.column if role.column in names else head_of(names, role.column)
    if head is None:  # by its number
        return None
    in_text = options.task in (None, Task.SPANS, Task.TOKENS)  # units stand in a text, which all files may have
    wanted = [head]
    wanted += ["doc"] if first else []
    wanted += ["text"] if in_text or (first and TEXTS in needs) else []
    wanted += ["tokens"] if in_text else []
    wanted += CONFIDENCES if fields else []
    return tuple(dict.fromkeys(name for name in wanted if name in names))


def _renumbered(aligned: Aligned, labels: tuple[str, ...]) -> Aligned:
    """Return units whose labels are numbered as in the whole data."""
    if aligned.units is None:
        return aligned
    label = aligned.units["label"].cast(pl.String).cast(pl.Enum(labels))
    return replace(aligned, units=aligned.units.with_columns(label=label), labels=labels)


def bounds_of(items: int, rows: int) -> tuple[int, ...]:
    """Return where parts of so many rows begin, and the end; not more parts than 256."""
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


@dataclass(frozen=True)
class Survey:
    """Counts the labels of gold and systems, to which numbers are given, and what is to be said."""

    by: tuple[str, ...] = ("what", "key")
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        said = [f"{part.first} {one.to_json()}" for one in part.aligned.warnings]
        tokens = 0 if part.aligned.tokens is None else len(part.aligned.tokens)
        totals = {"items": part.aligned.items, "tokens": tokens}
        tables = [_counts("warning", said, [1] * len(said)), _counts("total", list(totals), list(totals.values()))]
        if part.task.has_units:
            names = part.units["label"].cast(pl.String)
            for column in ("gold", *part.systems):
                own = names.filter(part.units[column]).value_counts()
                tables.append(_counts(f"label:{column}", own.to_series(0).to_list(), own.to_series(1).to_list()))
        return pl.concat(tables)


def _counts(what: str, keys: Sequence[str], n: Sequence[int]) -> pl.DataFrame:
    schema = {"key": pl.String, "n": pl.Int64}
    table = pl.DataFrame({"key": list(keys), "n": list(n)}, schema=schema)
    return table.select(pl.lit(what).alias("what"), "key", "n")


@dataclass(frozen=True)
class NamesInParts:
    """Of every part the names of its items' clusters."""

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


@dataclass(frozen=True)
class ClusterCounts:
    """Counts the items of clusters."""

    by: tuple[str, ...] = ("remainder", "name")
    needs: frozenset[str] = frozenset()

    def __call__(self, names: pl.Series) -> pl.DataFrame:
        """Return the counts of a part."""
        return named_clusters(names)


@dataclass(frozen=True)
class ClustersHere:
    """How many clusters a part has."""

    by: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()

    def __call__(self, names: pl.Series) -> pl.DataFrame:
        """Return one row."""
        return pl.DataFrame({"clusters": [names.n_unique()]}, schema={"clusters": pl.Int64})


@dataclass(frozen=True)
class Edges:
    """The first and the last cluster of a part, and where its second begins."""

    by: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()

    def __call__(self, names: pl.Series) -> pl.DataFrame:
        """Return one row."""
        if not len(names):
            return pl.DataFrame(schema=EDGES)
        others = names != names[0]
        size = others.arg_max() if others.any() else len(names)
        ends = {"first": [str(names[0])], "last": [str(names[-1])]}
        return pl.DataFrame(ends | {"size": [size]}, schema=EDGES)
