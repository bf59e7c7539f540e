"""The one table that everything reads: gold and N systems over the same items and units."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from slicewise._version import __version__
from slicewise.align import Aligned, Options, align, training_units
from slicewise.align.spans import split_input, tagged_lines
from slicewise.annotations import Annotations, Tags, Task
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.read import open_source, read, tags_alone, tell_format
from slicewise.read.schemes import ALIASES, SCHEMES
from slicewise.read.source import COMPRESSED, check_exists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import narwhals.typing as nwt
    from numpy.typing import NDArray

    from slicewise.align.units import UnitSet
    from slicewise.read.source import Source

RESERVED = {"gold", "item", "start", "end", "label", "group", "cluster", "text", "slice", "bin"}
"""Names that tables use for other columns."""
Path_ = str | Path


@dataclass(frozen=True)
class Training:
    """The training file: its items, tokens and units, for attributes that count what a system has seen."""

    annotations: Annotations
    units: UnitSet | None

    def summary(self) -> dict[str, int | None]:
        """Return the sizes that stand in a result."""
        tokens = None if self.annotations.offsets is None else int(self.annotations.offsets[-1])
        return {
            "items": self.annotations.items,
            "tokens": tokens,
            "units": None if self.units is None else len(self.units),
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class Evaluation:
    """Gold and systems, aligned. Made by `load` or by one of the `from_…` methods; never changed."""

    name: str
    aligned: Aligned
    systems: tuple[str, ...]
    """Every run: a system, or `NAME#1`, `NAME#2` … where it has restarts."""
    restarts: Mapping[str, tuple[str, ...]]
    """The runs of each system."""
    options: Options = field(default_factory=Options)
    train: Training | None = None
    digests: tuple[str, ...] = ()
    """`role:hash` of each file."""

    def __post_init__(self) -> None:
        _check(self)

    def __repr__(self) -> str:
        a = self.aligned
        size = f"{a.items:,} items" + (f", {self.units.height:,} units" if self.task.has_units else "")
        return (
            f"<slicewise.Evaluation {self.name!r}: task {self.task.value}, {size}, systems {', '.join(self.systems)}>"
        )

    @property
    def task(self) -> Task:
        """The task."""
        return self.aligned.task

    @property
    def units(self) -> pl.DataFrame:
        """One row per distinct unit: item, start, end, label, group, gold and a boolean per system."""
        if self.aligned.units is None:
            raise UserError(f"the task {self.task.value} has no units; its items carry a score each")
        return self.aligned.units

    def answers(self, name: str) -> pl.Series:
        """Return what gold or a system answered per item; nameless, since Polars takes some names for patterns."""
        if self.aligned.answers is None:
            raise UserError(f"the task {self.task.value} has no answer per item")
        return self.aligned.answers.get_column(name).alias("")

    @property
    def items(self) -> pl.DataFrame:
        """One row per item: its number, its cluster and group, and its length."""
        a = self.aligned
        return pl.DataFrame(
            {
                "item": np.arange(a.items, dtype=np.uint32),
                "cluster": a.clusters.cluster,
                "group": a.clusters.group,
                "length": a.lengths.astype(np.uint32),
            }
        )

    @property
    def ranked_systems(self) -> tuple[str, ...]:
        """One run of each system: its first."""
        return tuple(runs[0] for runs in self.restarts.values())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know about the data."""
        return self.aligned.warnings

    def summary(self) -> dict[str, Any]:
        """Return the `data` part of every result."""
        gold = int(self.units["gold"].sum()) if self.task.has_units else None
        return {
            "name": self.name,
            "task": self.task.value,
            "items": self.aligned.items,
            "clusters": self.aligned.clusters.count,
            "cluster": self.aligned.clusters.kind,
            "gold_units": gold,
            "systems": list(self.systems),
            "restarts": {name: list(runs) for name, runs in self.restarts.items() if len(runs) > 1},
            "train": None if self.train is None else self.train.summary(),
            "notes": list(self.aligned.notes),
            "warnings": list(self.warnings),
        }

    def signature(self, *parts: str) -> str:
        """Return one line that pins version, files, options and what a command adds."""
        own = [f"slicewise:{__version__}", f"task:{self.task.value}", *self.digests, *self.options.signature()]
        return " | ".join([*own, *parts])

    def surface(self) -> pl.Series:
        """Return the text of each unit; empty where the items have none."""
        units, a = self.units, self.aligned
        if a.tokens is not None and a.offsets is not None:
            start = a.offsets[units["item"].to_numpy()] + units["start"].to_numpy()
            size = (units["end"] - units["start"]).to_numpy()
            position = np.repeat(start - np.cumsum(size) + size, size) + np.arange(int(size.sum()))
            words = pl.DataFrame({"unit": np.repeat(np.arange(len(size)), size), "word": a.tokens.gather(position)})
            return words.group_by("unit", maintain_order=True).agg(pl.col("word").str.join(" "))["word"].alias("text")
        if a.length_unit == "characters" and "in" in a.fields.columns and self.task is Task.SPANS:
            text = a.fields["in"].gather(units["item"])
            return pl.DataFrame({"text": text, "at": units["start"], "n": units["end"] - units["start"]}).select(
                pl.col("text").str.slice(pl.col("at"), pl.col("n"))
            )["text"]
        if self.task in (Task.LABELS, Task.MULTILABEL) and a.fields.width:
            return a.fields.to_series(0).gather(units["item"]).alias("text")
        return pl.Series("text", [""], dtype=pl.String).new_from_index(0, units.height)

    # ------------------------------------------------------------------ made from what Python users have

    @classmethod
    def from_tags(
        cls,
        tokens: Sequence[Sequence[str]] | None,
        gold: Sequence[Sequence[str]],
        systems: Mapping[str, Sequence[Any]],
        *,
        documents: Sequence[Any] | None = None,
        name: str = "data",
        **options: Any,
    ) -> Self:
        """Make an evaluation from lists of tags, one list per sentence, as seqeval takes them.

        A system's value is such a list, or a list of several (restarts).
        """
        reference = _tagged("gold", gold, tokens, documents)
        runs = _runs(systems, lambda value: bool(value) and bool(value[0]) and not isinstance(value[0][0], str))
        files = {run: _tagged(run, tags, None, None) for run, tags in runs.files.items()}
        return cls._build(name, reference, files, runs.restarts, [], _options(**options))

    @classmethod
    def from_spans(
        cls,
        items: Sequence[str] | Sequence[Sequence[str]],
        gold: Sequence[Sequence[tuple[int, int, str]]],
        systems: Mapping[str, Sequence[Sequence[tuple[int, int, str]]]],
        *,
        documents: Sequence[Any] | None = None,
        name: str = "data",
        **options: Any,
    ) -> Self:
        """Make an evaluation from (start, end, label) spans over texts (character offsets) or lists of tokens."""
        reference = _spanned("gold", gold, items, documents)
        _check_named(systems)
        files = {run: _spanned(run, spans, None, None) for run, spans in systems.items()}
        return cls._build(name, reference, files, {run: (run,) for run in files}, [], _options(**options))

    @classmethod
    def from_labels(
        cls,
        gold: Sequence[Any],
        systems: Mapping[str, Sequence[Any]],
        *,
        texts: Sequence[str] | None = None,
        clusters: Sequence[Any] | None = None,
        name: str = "data",
        **options: Any,
    ) -> Self:
        """Make an evaluation from one label per item, or from a list of labels per item (multi-label)."""
        several = any(isinstance(g, (list, tuple, set, frozenset)) for g in gold)
        options.setdefault("task", Task.MULTILABEL if several else Task.LABELS)
        return cls._from_answers(gold, systems, texts, clusters, name, options)

    @classmethod
    def from_texts(
        cls,
        gold: Sequence[Any],
        systems: Mapping[str, Sequence[str]],
        *,
        inputs: Sequence[str] | None = None,
        clusters: Sequence[Any] | None = None,
        name: str = "data",
        **options: Any,
    ) -> Self:
        """Make an evaluation from one output text per item; gold is a reference, or a list of several."""
        options.setdefault("task", Task.TEXT)
        return cls._from_answers(gold, systems, inputs, clusters, name, options)

    @classmethod
    def from_scores(
        cls,
        systems: Mapping[str, Sequence[float]],
        *,
        inputs: Sequence[str] | None = None,
        clusters: Sequence[Any] | None = None,
        name: str = "data",
        **options: Any,
    ) -> Self:
        """Make an evaluation from one score per item and system."""
        options.setdefault("task", Task.SCORES)
        return cls._from_answers(None, systems, inputs, clusters, name, options)

    @classmethod
    def from_frame(
        cls,
        frame: nwt.IntoDataFrame,
        *,
        systems: Mapping[str, str] | Sequence[str],
        gold: str | None = None,
        tokens: str | None = None,
        inputs: Sequence[str] = (),
        name: str = "data",
        **options: Any,
    ) -> Self:
        """Make an evaluation from a frame (Polars, pandas, Arrow …) with one row per item and a column per system.

        With `tokens` (a column of lists) gold and systems are columns of lists of tags.
        """
        import narwhals as nw

        table = nw.from_native(frame, eager_only=True).to_polars()
        columns = dict(systems) if hasattr(systems, "keys") else {s: s for s in systems}
        for column in [*columns.values(), *inputs, *([gold] if gold else []), *([tokens] if tokens else [])]:
            if column not in table.columns:
                raise UserError(f"no column {quoted(column)} in the frame; {did_you_mean(column, table.columns)}")
        used = {gold, tokens, *columns.values(), *inputs}
        rest = table.select([c for c in table.columns if c not in used])

        def one(column: str) -> Annotations:
            return Annotations(name=column, items=table.height, answers=table[column], metadata=rest)

        texts = [Annotations(name=c, items=table.height, answers=table[c].cast(pl.String)) for c in inputs]
        files = {run: one(column) for run, column in columns.items()}
        reference = None if gold is None else one(gold)
        if tokens is not None and reference is not None:
            words, offsets = split_input(table[tokens])
            reference = replace(tagged_lines(reference), tokens=words)
            if not np.array_equal(offsets, reference.offsets if reference.offsets is not None else []):
                raise UserError(
                    f"{quoted(str(gold))} and {quoted(tokens)} differ in length; expected one tag per token"
                )
        return cls._build(name, reference, files, {run: (run,) for run in files}, texts, _options(**options))

    @classmethod
    def _from_answers(
        cls,
        gold: Sequence[Any] | None,
        systems: Mapping[str, Sequence[Any]],
        texts: Sequence[str] | None,
        clusters: Sequence[Any] | None,
        name: str,
        options: dict[str, Any],
    ) -> Self:
        metadata = pl.DataFrame() if clusters is None else pl.DataFrame({"doc": pl.Series([str(c) for c in clusters])})

        def one(label: str, values: Sequence[Any]) -> Annotations:
            return Annotations(name=label, items=len(values), answers=_series(values), metadata=metadata)

        _check_named(systems)
        files = {run: one(run, values) for run, values in systems.items()}
        inputs = [] if texts is None else [Annotations(name="input", items=len(texts), answers=pl.Series(list(texts)))]
        reference = None if gold is None else one("gold", gold)
        return cls._build(name, reference, files, {run: (run,) for run in files}, inputs, _options(**options))

    @classmethod
    def _build(
        cls,
        name: str,
        gold: Annotations | None,
        files: Mapping[str, Annotations],
        restarts: Mapping[str, tuple[str, ...]],
        inputs: Sequence[Annotations],
        options: Options,
        train: Annotations | None = None,
        digests: Sequence[str] = (),
    ) -> Self:
        if not files:
            raise UserError("no system to evaluate; add --system NAME=FILE")
        for system in files:
            if system in RESERVED or system.startswith(("error:", "overlaps:")) or not system.strip():
                raise UserError(f"a system cannot be called {quoted(system)}; choose another name")
        aligned = align(gold, files, inputs, options)
        training = None if train is None else Training(train, training_units(train, aligned.task, options))
        return cls(
            name=name,
            aligned=aligned,
            systems=tuple(files),
            restarts=restarts,
            options=options,
            train=training,
            digests=tuple(digests) or (f"data:{_digest(aligned)}",),
        )


def load(
    *,
    systems: Mapping[str, Path_ | Sequence[Path_]] | None = None,
    gold: Path_ | None = None,
    inputs: Sequence[Path_] = (),
    train: Path_ | None = None,
    matrix: Path_ | None = None,
    system_names: Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002 (the word that users know)
    name: str | None = None,
    on_file: Callable[[str], None] | None = None,
    **options: Any,
) -> Evaluation:
    """Read gold and systems from files and align them.

    Files are named as on the command line: `FILE` or `FILE:COLUMN`; a list of files is a system with restarts. Options
    are those of the command line: task, scheme, strict, strict_tokens, strip_prefix, negative_label, map, ignore,
    cluster, lower. `on_file` is called with the name of each file before it is read.
    """
    if matrix is not None:
        return _load_matrix(matrix, system_names, name, gold, systems, _options(**options))
    if not systems:
        raise UserError("no system to evaluate; add --system NAME=FILE")
    opened = _Opened(on_file)
    gold_file, gold_format = None, None
    if gold is not None:
        source = opened("gold", gold)
        gold_format = format or tell_format(source)
        gold_file = read(source, gold_format)
        del source
    runs = _runs(systems, lambda value: not isinstance(value, (str, Path)))
    chosen = _options(**options)
    opened.digests += [f"format:{format}"] if format else []
    files = _Files({run: opened.later(run, path) for run, path in runs.files.items()}, format, gold_format)
    texts = [_read_input(opened("in", path), format) for path in inputs]
    training = None if train is None else read(opened("train", train), format)
    return Evaluation._build(
        name or opened.stem, gold_file, files, runs.restarts, texts, chosen, training, opened.digests
    )


class _Files(Mapping[str, Annotations]):
    """Systems' files, each read when it is asked for, so that only one is in memory at a time."""

    def __init__(self, openers: Mapping[str, Callable[[], Source]], format: str | None, gold: str | None) -> None:  # noqa: A002
        self.openers = openers
        self.format = format
        self.gold = gold
        """The format of the gold file; without one, CoNLL-style files bring their own gold."""

    def __getitem__(self, run: str) -> Annotations:
        source = self.openers[run]()
        told = self.format or tell_format(source)
        if told == "lines" and self.gold == "conll" and tags_alone(source):
            told = "conll"
        return read(source, told, own_gold=self.gold is None and told == "conll")

    def __iter__(self) -> Iterator[str]:
        return iter(self.openers)

    def __len__(self) -> int:
        return len(self.openers)


def _read_input(source: Source, format: str | None) -> Annotations:  # noqa: A002
    """Read input text: a column, the `text` of JSONL objects, or lines; never tokens in columns."""
    told = tell_format(source) if format in (None, "conll") else format
    return read(source, "lines" if told == "conll" else told)


class _Opened:
    """Opens sources, each file once, and remembers their hashes in the order of reading."""

    def __init__(self, on_file: Callable[[str], None] | None = None) -> None:
        self.on_file = on_file
        self.digests: list[str] = []
        self.first: str = ""
        self.kept: dict[str, Source] = {}

    def __call__(self, role: str, path: Path_) -> Source:
        if self.on_file is not None:
            self.on_file(str(path))
        source = open_source(path, self.kept)
        self.first = self.first or source.name
        column = "" if source.column is None else f":{source.column}"
        self.digests += [f"{role}:{file.digest[:12]}{column}" for file in source.files]
        return source

    def later(self, role: str, path: Path_) -> Callable[[], Source]:
        """Return a function that opens a source; that it is there is checked at once."""
        self.first = self.first or check_exists(path)
        return lambda: self(role, path)

    @property
    def stem(self) -> str:
        """The first file's name without folder and ending."""
        name = "stdin" if self.first == "-" else Path(self.first).name
        for ending in COMPRESSED:
            name = name.removesuffix(ending)
        return Path(name).stem


@dataclass(frozen=True)
class _Runs:
    files: dict[str, Any]
    restarts: dict[str, tuple[str, ...]]


def _runs(systems: Mapping[str, Any], is_several: Any) -> _Runs:
    """Name the runs: a system with several outputs becomes NAME#1, NAME#2 …."""
    _check_named(systems)
    files: dict[str, Any] = {}
    restarts: dict[str, tuple[str, ...]] = {}
    for name, value in systems.items():
        several = list(value) if is_several(value) else [value]
        names = (name,) if len(several) == 1 else tuple(f"{name}#{i}" for i in range(1, len(several) + 1))
        restarts[name] = names
        if taken := set(names) & set(files):
            raise UserError(f"two systems have the same name, {quoted(min(taken))}; give each its own")
        files.update(zip(names, several, strict=True))
    return _Runs(files, restarts)


def _check_named(systems: object) -> None:
    if not isinstance(systems, Mapping):
        raise UserError('systems must be named: {"name": output, …}')


def _options(**given: Any) -> Options:
    """Check options at the public door."""
    known = list(Options.__dataclass_fields__)
    for key in given:
        if key not in known:
            raise UserError(f"unknown option {quoted(key)}; {did_you_mean(key, known)}")
    task, scheme = given.get("task"), given.get("scheme")
    scheme = given["scheme"] = None if scheme is None else ALIASES.get(str(scheme).lower(), str(scheme).lower())
    task = task if task is None else str(task).lower()
    if task is not None and task not in list(Task):
        raise UserError(f"unknown task {quoted(str(task))}; {did_you_mean(str(task), list(Task))}")
    if scheme == "auto":
        given["scheme"] = scheme = None
    if scheme is not None and scheme not in SCHEMES:
        raise UserError(f"unknown tag scheme {quoted(str(scheme))}; {did_you_mean(str(scheme), ['auto', *SCHEMES])}")
    if given.get("map") is None:
        given.pop("map", None)
    given["ignore"] = frozenset(given.get("ignore") or ())
    given["task"] = None if task is None else Task(task)
    return Options(**given)


def _load_matrix(
    matrix: Path_,
    system_names: Sequence[str] | None,
    name: str | None,
    gold: Path_ | None,
    systems: Mapping[str, Any] | None,
    options: Options,
) -> Evaluation:
    from slicewise.read import matrix as reader

    if gold is not None or systems:
        raise UserError("--matrix stands instead of --gold and --system; give one or the other")
    opened = _Opened()
    table = reader.read(opened("matrix", matrix), system_names)
    metadata = pl.DataFrame() if table.names is None else pl.DataFrame({"id": table.names})
    files = {
        system: Annotations(
            name=str(matrix), items=len(table.right), answers=pl.Series(table.right[:, i]), metadata=metadata
        )
        for i, system in enumerate(table.systems)
    }
    if len(files) < len(table.systems):
        raise UserError("two columns have the same name; name the systems with --system-names A,B,C", where=str(matrix))
    restarts = {system: (system,) for system in files}
    options = replace(options, task=Task.SCORES)
    return Evaluation._build(name or opened.stem, None, files, restarts, [], options, digests=opened.digests)


def _series(values: Iterable[Any]) -> pl.Series:
    listed = [sorted(v) if isinstance(v, (set, frozenset)) else list(v) if isinstance(v, tuple) else v for v in values]
    return pl.Series(listed, strict=False)


def _tagged(
    name: str, tags: Sequence[Sequence[str]], tokens: Sequence[Sequence[str]] | None, documents: Sequence[Any] | None
) -> Annotations:
    offsets = _offsets(tags)
    if tokens is not None and not np.array_equal(offsets, _offsets(tokens)):
        raise UserError(f"{name}: tags and tokens differ in length; expected one tag per token")
    return Annotations(
        name=name,
        items=len(tags),
        offsets=offsets,
        tags=Tags.encode(pl.Series(list(chain.from_iterable(tags)), dtype=pl.String)),
        tokens=None if tokens is None else pl.Series(list(chain.from_iterable(tokens)), dtype=pl.String),
        metadata=_documents(documents),
    )


def _offsets(sequences: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(s) for s in sequences], dtype=np.int64)]).astype(np.int64)


def _documents(documents: Sequence[Any] | None) -> pl.DataFrame:
    return pl.DataFrame() if documents is None else pl.DataFrame({"doc": pl.Series([str(d) for d in documents])})


def _spanned(
    name: str,
    spans: Sequence[Sequence[tuple[int, int, str]]],
    items: Sequence[str] | Sequence[Sequence[str]] | None,
    documents: Sequence[Any] | None,
) -> Annotations:
    rows = [(i, start, end, label) for i, some in enumerate(spans) for start, end, label in some]
    schema = {"item": pl.Int64, "start": pl.Int64, "end": pl.Int64, "label": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    texts, tokens, offsets = None, None, None
    if items is not None and len(items) and isinstance(items[0], str):
        texts = pl.Series(list(items), dtype=pl.String)
    elif items is not None:
        tokens = pl.Series(list(chain.from_iterable(items)), dtype=pl.String)
        offsets = _offsets(items)
    return Annotations(
        name=name,
        items=len(spans),
        spans=frame,
        texts=texts,
        tokens=tokens,
        offsets=offsets,
        metadata=_documents(documents),
    )


def _digest(aligned: Aligned) -> str:
    """Return a hash of data that came from no file."""
    digest = hashlib.sha256()
    for frame in (aligned.units, aligned.answers):
        for column in [] if frame is None else frame.get_columns():
            values = (
                column.alias("").to_list() if column.dtype.is_nested() else column.alias("").cast(pl.String).to_list()
            )
            digest.update(repr((column.name, values)).encode())
    digest.update(aligned.clusters.cluster.tobytes())
    return digest.hexdigest()[:12]


def _check(evaluation: Evaluation) -> None:
    """Check the invariants of an evaluation."""
    if not evaluation.task.has_units:
        return
    units = evaluation.units
    if units.height and int(units["item"].max()) >= evaluation.aligned.items:  # type: ignore[arg-type]
        raise ValueError("a unit's item is not among the items")
    if not np.logical_or.reduce([units[name].to_numpy() for name in ("gold", *evaluation.systems)]).all():
        raise ValueError("a unit that nobody has")
