"""Large tables in parts: ranges of rows of Parquet files, each aligned by itself under the numbers of the whole."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from slicewise.align.clusters import MOST_GROUPS, Clusters, cluster_names, remainders
from slicewise.annotations import CONFIDENCES, Annotations, Task
from slicewise.errors import UserError, did_you_mean, explained, quoted
from slicewise.evaluation import Evaluation
from slicewise.given import as_training, read_training, without_answers
from slicewise.parts import FIELDS, TEXTS
from slicewise.read import read, tell_format
from slicewise.read.parquet import origin
from slicewise.read.source import File, Source, open_source
from slicewise.read.stacked import one_schema, with_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.align import Aligned, Options
    from slicewise.evaluation import Training

    Heads = tuple[str, ...] | None
    """Columns that are read; None: all."""

MOST_PARTS = 256
AT_ONCE = 1 << 20
"""Items whose groups are worked out at a time."""
EDGES = {"first": pl.String, "last": pl.String, "size": pl.Int64}


@dataclass(frozen=True)
class Role:
    """What a user named: Parquet files, one after the other, and a column of them."""

    name: str
    column: str | None
    paths: tuple[str, ...]
    starts: tuple[int, ...]
    """The number of each file's first item, and of all."""
    schema: pl.Schema = field(repr=False)
    """The columns of all files together, with types that hold what each of them has."""
    stubs: tuple[bytes, ...] = field(repr=False)
    """Each file without its rows: the columns of all files, and where it came from."""
    shown: tuple[str, ...]
    """What users know the files as."""
    above: tuple[int, ...]
    """How many lines of each stand above its first row."""

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.starts[-1]

    @property
    def called(self) -> str:
        """The files as the user named them."""
        return self.name if self.column is None else f"{self.name}:{self.column}"

    @property
    def is_uncut(self) -> bool:
        """Whether the first row means something to all others: lines that begin with a header."""
        made_from = [origin(File(self.name, stub, "")) for stub in self.stubs]
        named = self.column is not None and not self.column.partition(".")[0].isdigit()
        return any(one is not None and one.format == "lines" and (one.header or named) for one in made_from)

    def between(self, start: int, stop: int, rows: _Rows, heads: Heads) -> Source:
        """Read some rows."""
        wanted = self.schema if heads is None else pl.Schema({head: self.schema[head] for head in heads})
        files = []
        for i, path in enumerate(self.paths):
            first, last = max(start, self.starts[i]), min(stop, self.starts[i + 1])
            if first < last or (start == stop == self.starts[i]):
                before = first - self.starts[i]
                own = with_schema(rows.of(path, before, last - first, heads), wanted)
                files.append(File(self.shown[i], self.stubs[i], "", rows=own, first_row=before + self.above[i]))
        return Source(self.name, tuple(files[:1] if start == stop else files), self.column)


@dataclass(frozen=True)
class _Rows:
    """Rows of files, read once for all roles that are columns of them."""

    wanted: Mapping[str, Heads]
    """The columns of each file that any role wants."""
    shared: frozenset[str]
    """Files that several roles are columns of; rows of the others are not kept."""
    _read: dict[tuple[str, int, int], pl.DataFrame] = field(default_factory=dict)

    @classmethod
    def for_all(cls, roles: Sequence[tuple[Role, Heads]]) -> _Rows:
        """Return those of some roles."""
        wanted: dict[str, Heads] = {}
        for role, heads in roles:
            for path in role.paths:
                known = wanted.get(path, ())
                wanted[path] = None if known is None or heads is None else tuple(dict.fromkeys(known + heads))
        paths = Counter(path for role, _ in roles for path in role.paths)
        return cls(wanted, frozenset(path for path, n in paths.items() if n > 1))

    def of(self, path: str, start: int, size: int, heads: Heads) -> pl.DataFrame:
        """Return some rows of a file with some of its columns."""
        if path not in self.shared:
            return _rows(path, start, size, heads)
        place = path, start, size
        if place not in self._read:
            self._read[place] = _rows(path, start, size, self.wanted[path])
        frame = self._read[place]
        if heads is None:
            return frame
        return pl.DataFrame([frame.get_column(head) for head in heads if head in frame.columns])


def _rows(path: str, start: int, size: int, heads: Heads) -> pl.DataFrame:
    scan = pl.scan_parquet(path, glob=False)
    try:
        if heads is not None:
            names = scan.collect_schema().names()
            scan = scan.select(pl.nth([names.index(head) for head in heads if head in names]))
        return scan.slice(start, size).collect()
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise _damaged(path, problem) from None


def _damaged(path: str, problem: Exception) -> UserError:
    first = (str(problem).strip().splitlines() or [type(problem).__name__])[0][:160]
    if isinstance(problem, FileNotFoundError):
        return UserError("the file is not there; a cluster needs it under this path on every worker", where=path)
    return UserError(f"the Parquet file is cut or damaged ({first}); make it again", where=path)


def find_role(name: str, column: str | None, files: Sequence[str], columnar: Mapping[str, str]) -> Role:
    """Look at the files behind a role: how many rows each has, and that the column is in all of them, alike.

    `columnar` are those that were converted.
    """
    looked = [_looked_at(columnar.get(path, path)) for path in files]
    starts = np.cumsum([0, *(one.rows for one in looked)])
    known: tuple[str, pl.DataType] | None = None
    for path, schema in zip(files, (one.schema for one in looked), strict=True):
        if column is None:
            continue
        kind = _kind(path, schema, column)
        if known is not None and _family(kind) != _family(known[1]):
            message = f"column {quoted(column)} is {kind} here, but {known[1]} in {known[0]}; make them the same"
            raise UserError(message, where=path)
        known = known or (path, kind)
    every = one_schema(files, [one.schema for one in looked])
    return Role(
        name=name,
        column=column,
        paths=tuple(str(Path(columnar.get(path, path)).absolute()) for path in files),
        starts=tuple(starts.tolist()),
        schema=every,
        stubs=tuple(_stub(every, one.metadata) for one in looked),
        shown=tuple(files),
        above=tuple(int(path in columnar and ".csv" in path.lower()) for path in files),
    )


@dataclass(frozen=True)
class _Looked:
    """What a Parquet file says of itself."""

    rows: int
    schema: pl.Schema
    metadata: tuple[tuple[str, str], ...]


def _looked_at(path: str) -> _Looked:
    state = Path(path).stat()
    return _looked_into(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1024)
def _looked_into(path: str, _size: int, _changed: int) -> _Looked:
    try:
        scan = pl.scan_parquet(path, glob=False)
        schema = scan.collect_schema()
        rows = int(scan.select(pl.len()).collect().item())
        metadata = {k: v for k, v in pl.read_parquet_metadata(path).items() if k != "ARROW:schema"}
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise _damaged(path, problem) from None
    return _Looked(rows, schema, tuple(metadata.items()))


def _stub(schema: pl.Schema, metadata: tuple[tuple[str, str], ...]) -> bytes:
    """Return a file without rows."""
    stub = io.BytesIO()
    pl.DataFrame(schema=schema).write_parquet(stub, metadata=dict(metadata))
    return stub.getvalue()


def _kind(path: str, schema: pl.Schema, column: str) -> pl.DataType:
    """Return the type of a column by its name, its number from 1, or a dotted path into objects."""
    if column in schema:
        return schema[column]
    if column.isdigit() and 1 <= int(column) <= len(schema):
        return list(schema.values())[int(column) - 1]
    head = _head(schema.names(), column)
    if head is None:
        raise UserError(f"no column {quoted(column)}; {did_you_mean(column, schema.names())}", where=path)
    kind: Any = schema[head]
    rest = column[len(head) + 1 :]
    while rest and isinstance(kind, pl.Struct):
        fields = {one.name: one.dtype for one in kind.fields}
        inner = _head(list(fields), rest)
        if inner is None:
            raise UserError(f"no column {quoted(rest)} in {quoted(head)}; {did_you_mean(rest, fields)}", where=path)
        kind, rest = fields[inner], rest[len(inner) + 1 :]
    return kind  # type: ignore[no-any-return]


def _head(names: Sequence[str], column: str) -> str | None:
    """Return the longest name that a dotted path begins with."""
    return max((name for name in names if column == name or column.startswith(f"{name}.")), key=len, default=None)


def _family(kind: pl.DataType) -> str:
    return "number" if kind.is_numeric() or kind == pl.Boolean else str(kind)


@dataclass(frozen=True)
class Naming:
    """The numbers that clusters have in the whole data."""

    kind: str
    count: int
    names: tuple[str, ...] | None
    """Of at most 10,000 clusters, each a group of its own: their names in the order of their numbers."""
    numbers: tuple[int, ...] | None
    """Of more, which are put into groups by a hash: the number of each remainder's group."""
    documents: tuple[int, ...] | None = None
    """Of more that have numbers for names: all numbers, in order; what is hashed is a number's place."""

    @property
    def groups(self) -> int:
        """How many groups there are."""
        if self.numbers is not None:
            return max(self.numbers) + 1
        return self.count

    def of(self, names: pl.Series | None, first: int, items: int) -> Clusters:
        """Return the clusters of a part's items."""
        own = np.arange(items, dtype=np.uint32)
        if names is not None:
            distinct = names.unique(maintain_order=True)
            own = names.replace_strict(distinct, pl.Series(range(len(distinct))), return_dtype=pl.UInt32).to_numpy()
        if self.numbers is not None:
            at = remainders(
                np.arange(first, first + items, dtype=np.uint64) if names is None else self._hashed(distinct)
            )
            group = np.array(self.numbers, np.uint32)[at]
            group = group if names is None else group[own]
        elif names is None or self.names is None:
            group = own + np.uint32(first)
        else:
            places = pl.Series(range(len(self.names)), dtype=pl.UInt32)
            group = names.replace_strict(pl.Series(self.names), places, return_dtype=pl.UInt32).to_numpy()
        return Clusters(self.kind, own, group, self.count, self.groups)

    def _hashed(self, names: pl.Series) -> NDArray[np.uint64] | pl.Series:
        if self.documents is None:
            return names
        return np.searchsorted(np.array(self.documents), names.cast(pl.Int64).to_numpy()).astype(np.uint64)


def _in_order(there: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the number of each remainder that occurs, counted from 0."""
    return tuple(np.maximum(np.cumsum(there) - 1, 0).tolist())


def item_naming(items: int) -> Naming:
    """Return the groups of items that are clusters of their own."""
    if items <= MOST_GROUPS:
        return Naming("item", items, None, None)
    there = np.zeros(MOST_GROUPS, np.bool_)
    for start in range(0, items, AT_ONCE):
        there[remainders(np.arange(start, min(items, start + AT_ONCE), dtype=np.uint64))] = True
        if there.all():
            break
    return Naming("item", items, None, _in_order(there))


def named(kind: str, names: Sequence[str], *, numbered: bool) -> Naming:
    """Return the groups of clusters that have names, or numbers for names."""
    if len(names) <= MOST_GROUPS:
        return Naming(kind, len(names), tuple(names), None)
    hashed = np.arange(len(names), dtype=np.uint64) if numbered else pl.Series(list(names), dtype=pl.String)
    there = np.bincount(remainders(hashed), minlength=MOST_GROUPS) > 0
    documents = tuple(sorted(int(name) for name in names)) if numbered else None
    return Naming(kind, len(names), None, _in_order(there), documents)


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
        return self.between(0, 1, needs).between(0, 0)

    @property
    def reference(self) -> Role:
        """The file that brings the items' fields: gold, or the first system."""
        return self.gold or next(iter(self.systems.values()))

    def between(self, start: int, stop: int, needs: frozenset[str]) -> Evaluation:
        """Read and align some rows."""
        roles = [*self.systems.values(), *(self.inputs if TEXTS in needs else ())]
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

    @property
    def numbered(self) -> bool:
        """Whether clusters are documents that the file numbers."""
        own = next(self._read([self.reference], 0, 1, frozenset()))
        names = cluster_names(own, self.options.cluster)[1]
        return names is not None and names.dtype != pl.String

    def cluster_names(self, part: Evaluation) -> pl.Series:
        """Return the name of each item's cluster; none where every item is one."""
        start = part.first
        if not part.aligned.items:
            return pl.Series([], dtype=pl.String)
        own = next(self._read([self.reference], start, start + part.aligned.items, frozenset()))
        names = _cluster_names(own, self.options, start)
        return pl.Series([], dtype=pl.String) if names is None else names

    def _clusters(self, naming: Naming, start: int, reference: Annotations) -> Clusters:
        return naming.of(_cluster_names(reference, self.options, start), start, reference.items)

    def _read(self, roles: Sequence[Role], start: int, stop: int, needs: frozenset[str]) -> Iterator[Annotations]:
        """Read the rows of some roles, the first of which brings the items' fields."""
        heads = [_heads(role, self.options, needs, first=i == 0) for i, role in enumerate(roles)]
        rows = _Rows.for_all(list(zip(roles, heads, strict=True)))
        for i, role in enumerate(roles):
            source = role.between(start, stop, rows, heads[i])
            told = self.format or tell_format(source)
            with explained(source.name):
                own_gold = self.gold is None and told == "conll"
                yield read(source, told, own_gold=own_gold, others=i == 0 and self.token_columns)


def _cluster_names(reference: Annotations, options: Options, start: int) -> pl.Series | None:
    names = cluster_names(reference, options.cluster, start)[1]
    return None if names is None else names.cast(pl.String)


def _heads(role: Role, options: Options, needs: frozenset[str], *, first: bool) -> Heads:
    """Return the columns that have to be read: of a named column that alone, and what it cannot do without."""
    fields = FIELDS in needs
    if role.column is None or (first and (fields or options.cluster is not None)):
        return None
    names = role.schema.names()
    head = role.column if role.column in names else _head(names, role.column)
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
        if i and kept[-1] < start < bounds[-1]:
            kept.append(start)
    return (*kept, bounds[-1])


@dataclass(frozen=True)
class Survey:
    """Counts what numbers are given to: the labels of gold and systems, and named clusters; and what is to be said."""

    source: TableParts
    by: tuple[str, ...] = ("what", "key")
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        tables = [_counts("warning", part.warnings, [1] * len(part.warnings))]
        if part.aligned.tokens is not None:
            tables.append(_counts("tokens", [""], [len(part.aligned.tokens)]))
        if part.task.has_units:
            names = part.units["label"].cast(pl.String)
            for column in ("gold", *part.systems):
                own = names.filter(part.units[column]).value_counts()
                tables.append(_counts(f"label:{column}", own.to_series(0).to_list(), own.to_series(1).to_list()))
        clusters = self.source.cluster_names(part).value_counts()
        tables.append(_counts("cluster", clusters.to_series(0).to_list(), clusters.to_series(1).to_list()))
        return pl.concat(tables)


def _counts(what: str, keys: Sequence[str], n: Sequence[int]) -> pl.DataFrame:
    schema = {"key": pl.String, "n": pl.Int64}
    table = pl.DataFrame({"key": list(keys), "n": list(n)}, schema=schema)
    return table.select(pl.lit(what).alias("what"), "key", "n")


@dataclass(frozen=True)
class Edges:
    """The first and the last cluster of a part, and where its second begins."""

    source: TableParts
    by: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return one row."""
        names = self.source.cluster_names(part)
        if not len(names):
            return pl.DataFrame(schema=EDGES)
        others = names != names[0]
        size = others.arg_max() if others.any() else len(names)
        return pl.DataFrame({"first": [names[0]], "last": [names[-1]], "size": [size]}, schema=EDGES)
