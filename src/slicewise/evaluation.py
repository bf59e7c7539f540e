"""The evaluation table: gold and N systems over the same items and units."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import narwhals.typing as nwt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise._version import __version__
from slicewise.align import Aligned, Options, align, training_units
from slicewise.align.clusters import FindClusters
from slicewise.align.options import check_options
from slicewise.align.spans import split_input, tagged_lines
from slicewise.align.units import UnitSet
from slicewise.annotations import Annotations, Task
from slicewise.engine.protocols import FIELDS, TEXTS, Parts
from slicewise.errors import UserError, counted, did_you_mean, printable, quoted
from slicewise.memo import Memo
from slicewise.read.python_values import as_series, spanned, tagged

RESERVED = {"gold", "item", "start", "end", "label", "group", "cluster", "text", "slice", "bin"}
"""Names that tables use for other columns."""
SHORT = 8
"""Tokens of a unit that is short."""


@dataclass(frozen=True)
class Training:
    """Training data: items, tokens and units, for attributes that count occurrences in training."""

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
    dated: str | None = None
    """The day on which the newest of the files was last changed."""
    first: int = 0
    """Of a partition: the global number of its first item."""
    parts: Parts | None = None
    """Of partitioned data: its partitions; no rows are in memory."""
    memo: Memo = field(default_factory=Memo, init=False, compare=False)
    """A cache of values derived from these rows."""

    def __post_init__(self) -> None:
        _check(self)

    def __repr__(self) -> str:
        a = self.aligned
        size = f"{a.items:,} items" + (f", {self.units.height:,} units" if self.task.has_units else "")
        size = size if self.parts is None else f"{a.items:,} items in {counted(len(self.parts.source), 'part')}"
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

    def confidence(self, name: str) -> pl.Series:
        """Return how sure a system says it is of each output; null where it does not say."""
        if name in self.aligned.confidences:
            return self.aligned.confidences[name]
        return pl.Series([None], dtype=pl.Float64).new_from_index(0, self.aligned.items)

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
    def gold_units(self) -> int | None:
        """How many units gold has; None of tasks without units."""
        if self.parts is not None:
            return self.parts.gold_units
        return int(self.units["gold"].sum()) if self.task.has_units else None

    def between(self, start: int, stop: int, without: frozenset[str] = frozenset()) -> Self:
        """Return the part with some of the items, one after the other; `without` their texts or other fields."""
        part = self.aligned.between(start, stop)
        if TEXTS in without:
            part = replace(part, fields=pl.DataFrame())
        if FIELDS in without:
            part = replace(part, metadata=pl.DataFrame())
        return replace(self, aligned=part, first=self.first + start)

    def parted(self, parts: Parts) -> Self:
        """Return the same data without its rows, which are in parts."""
        head = replace(self.aligned.between(0, 0), items=self.aligned.items)
        return replace(self, aligned=head, parts=parts)

    @property
    def ranked_systems(self) -> tuple[str, ...]:
        """One run of each system: its first."""
        return tuple(runs[0] for runs in self.restarts.values())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know about the data."""
        return tuple(map(str, self.aligned.warnings))

    def summary(self) -> dict[str, Any]:
        """Return the `data` part of every result."""
        return {
            "name": self.name,
            "task": self.task.value,
            "items": self.aligned.items,
            "clusters": self.aligned.clusters.count,
            "cluster": self.aligned.clusters.kind,
            "gold_units": self.gold_units,
            "systems": list(self.systems),
            "restarts": {name: list(runs) for name, runs in self.restarts.items() if len(runs) > 1},
            "train": None if self.train is None else self.train.summary(),
            "notes": list(self.aligned.notes),
            "warnings": list(self.warnings),
        }

    def signature(self, *parts: str) -> str:
        """Return one line that pins version, files, options and what a command adds."""
        fields = [f"slicewise:{__version__}", f"task:{self.task.value}", *self.digests, *self.options.signature()]
        return printable(" | ".join([*fields, *parts]))

    def token_texts(self) -> pl.Series | None:
        """Return the tokens of each item with spaces between; None where items have none."""
        return None if self.aligned.tokens is None else self._by_item(self.aligned.tokens)

    def tag_texts(self, name: str) -> pl.Series | None:
        """Return the tags of each item as the file of gold or of a system has them, with spaces between."""
        tags = self.aligned.tags.get(name)
        return None if tags is None else self._by_item(tags.written())

    def _by_item(self, values: pl.Series) -> pl.Series | None:
        """Return a text per token as one text per item, with spaces between."""
        a = self.aligned
        if a.offsets is None:
            return None
        item = np.repeat(np.arange(a.items), np.diff(a.offsets))
        frame = pl.DataFrame({"item": item, "value": values})
        joined = frame.group_by("item", maintain_order=True).agg(pl.col("value").str.join(" "))
        texts = pl.DataFrame({"item": np.arange(a.items)}).join(joined, on="item", how="left", maintain_order="left")
        return texts["value"].fill_null("").alias("")

    def surface(self) -> pl.Series:
        """Return the text of each unit; empty where the items have none."""
        return self._surface

    @cached_property
    def _surface(self) -> pl.Series:
        units, a = self.units, self.aligned
        if a.tokens is not None and a.offsets is not None:
            start = a.offsets[units["item"].to_numpy()] + units["start"].to_numpy()
            size = (units["end"] - units["start"]).to_numpy()
            return _joined(a.tokens, start, size).alias("text")
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
        train: tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]] | None = None,
        name: str = "data",
        **options: Any,
    ) -> Self:
        """Make an evaluation from lists of tags, one list per sentence, as seqeval takes them.

        A system's value is such a list, or a list of several (restarts). `train`: training tokens and tags.
        """
        reference = tagged("gold", gold, tokens, documents)
        runs = name_runs(systems, lambda value: bool(value) and bool(value[0]) and not isinstance(value[0][0], str))
        files = {run: tagged(run, tags, None, None) for run, tags in runs.files.items()}
        training = None if train is None else tagged("train", train[1], train[0], None)
        return cls.build(name, reference, files, runs.restarts, [], check_options(**options), training)

    @classmethod
    def from_spans(
        cls,
        items: Sequence[str] | Sequence[Sequence[str]],
        gold: Sequence[Sequence[tuple[int, int, str]]],
        systems: Mapping[str, Sequence[Sequence[tuple[int, int, str]]]],
        *,
        documents: Sequence[Any] | None = None,
        train: tuple[Sequence[Any], Sequence[Sequence[tuple[int, int, str]]]] | None = None,
        name: str = "data",
        **options: Any,
    ) -> Self:
        """Make an evaluation from (start, end, label) spans over texts (character offsets) or lists of tokens.

        `train`: training items and their spans.
        """
        reference = spanned("gold", gold, items, documents)
        _check_named(systems)
        files = {run: spanned(run, spans, None, None) for run, spans in systems.items()}
        training = None if train is None else spanned("train", train[1], train[0], None)
        return cls.build(name, reference, files, None, [], check_options(**options), training)

    @classmethod
    def from_labels(
        cls,
        gold: Sequence[Any],
        systems: Mapping[str, Sequence[Any]],
        *,
        texts: Sequence[str] | None = None,
        clusters: Sequence[Any] | None = None,
        train: tuple[Sequence[str], Sequence[Any]] | None = None,
        name: str = "data",
        **options: Any,
    ) -> Self:
        """Make an evaluation from one label per item, or from a list of labels per item (multi-label).

        `train`: training texts and their labels.
        """
        several = any(isinstance(g, (list, tuple, set, frozenset)) for g in gold)
        options.setdefault("task", Task.MULTILABEL if several else Task.LABELS)
        return cls._from_answers(gold, systems, texts, clusters, name, options, train)

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
        rest = pl.DataFrame([column for column in table.get_columns() if column.name not in used])

        def one(column: str, metadata: pl.DataFrame) -> Annotations:
            return Annotations(name=column, items=table.height, answers=table[column], metadata=metadata)

        texts = [Annotations(name=c, items=table.height, answers=table[c].cast(pl.String)) for c in inputs]
        nothing = rest if gold is None else pl.DataFrame()  # without gold, the systems bring the fields
        files = {run: one(column, nothing) for run, column in columns.items()}
        reference = None if gold is None else one(gold, rest)
        if tokens is not None and reference is not None:
            words, offsets = split_input(table[tokens])
            reference = replace(tagged_lines(reference), tokens=words)
            if not np.array_equal(offsets, reference.offsets if reference.offsets is not None else []):
                raise UserError(
                    f"{quoted(str(gold))} and {quoted(tokens)} differ in length; expected one tag per token"
                )
        return cls.build(name, reference, files, None, texts, check_options(**options))

    @classmethod
    def _from_answers(
        cls,
        gold: Sequence[Any] | None,
        systems: Mapping[str, Sequence[Any]],
        texts: Sequence[str] | None,
        clusters: Sequence[Any] | None,
        name: str,
        options: dict[str, Any],
        train: tuple[Sequence[str], Sequence[Any]] | None = None,
    ) -> Self:
        metadata = pl.DataFrame() if clusters is None else pl.DataFrame({"doc": pl.Series([str(c) for c in clusters])})
        for extra in (clusters, texts):
            if extra is not None and any(len(extra) != len(values) for values in systems.values()):
                raise UserError("clusters, texts and outputs differ in length; expected one of each per item")

        def one(label: str, values: Sequence[Any]) -> Annotations:
            return Annotations(name=label, items=len(values), answers=as_series(values), metadata=metadata)

        _check_named(systems)
        files = {run: one(run, values) for run, values in systems.items()}
        inputs = [] if texts is None else [Annotations(name="input", items=len(texts), answers=pl.Series(list(texts)))]
        reference = None if gold is None else one("gold", gold)
        training = None
        if train is not None:
            training = replace(one("train", train[1]), metadata=pl.DataFrame(), texts=pl.Series(list(train[0])))
        return cls.build(name, reference, files, None, inputs, check_options(**options), training)

    @classmethod
    def build(
        cls,
        name: str,
        gold: Annotations | None,
        files: Mapping[str, Annotations],
        restarts: Mapping[str, tuple[str, ...]] | None,
        inputs: Sequence[Annotations],
        options: Options,
        train: Annotations | None = None,
        digests: Sequence[str] = (),
        clusters: FindClusters | None = None,
    ) -> Self:
        """Align and check, for all constructors; `restarts`: the runs of each system, one each where None."""
        if not files:
            raise UserError("no system to evaluate; add --system NAME=FILE")
        for system in files:
            if not isinstance(system, str):
                raise UserError(f"the system name {system!r} is no text; names are strings")
            if system in RESERVED or system.startswith(("error:", "overlaps:")) or not system.strip():
                raise UserError(f"a system cannot be called {quoted(system)}; choose another name")
        aligned = align(gold, files, inputs, options, clusters)
        training = None if train is None else Training(train, training_units(train, aligned.task, options))
        return cls(
            name=name,
            aligned=aligned,
            systems=tuple(files),
            restarts={run: (run,) for run in files} if restarts is None else restarts,
            options=options,
            train=training,
            digests=tuple(digests) or (f"data:{_digest(aligned, training)}",),
        )


def _joined(tokens: pl.Series, start: NDArray[np.int64], size: NDArray[np.integer[Any]]) -> pl.Series:
    """Return so many tokens from each start on, with spaces between; short units a length at a time: that is quick."""
    parts, places = [pl.Series("", [], dtype=pl.String)], [np.zeros(0, np.int64)]
    for length in range(1, SHORT + 1):
        at = np.flatnonzero(size == length)
        words = [tokens.gather(start[at] + i).alias(str(i)) for i in range(length)]
        parts.append(pl.DataFrame(words).select(pl.concat_str(pl.all(), separator=" ").alias("")).to_series())
        places.append(at)
    at = np.flatnonzero(size > SHORT)
    unit, long = np.repeat(np.arange(len(at)), size[at]), size[at].astype(np.int64)
    position = np.repeat(start[at] - np.cumsum(long) + long, long) + np.arange(len(unit))
    words_of = pl.DataFrame({"unit": unit, "word": tokens.gather(position)}).group_by("unit", maintain_order=True)
    parts.append(words_of.agg(pl.col("word").str.join(" "))["word"].alias(""))
    places.append(at)
    return pl.concat(parts).gather(np.argsort(np.concatenate(places), kind="stable"))


@dataclass(frozen=True)
class Runs:
    """Outputs by run, and the runs of each system."""

    files: dict[str, Any]
    restarts: dict[str, tuple[str, ...]]


def name_runs(systems: Mapping[str, Any], is_several: Any) -> Runs:
    """Name the runs: a system with several outputs becomes NAME#1, NAME#2 …."""
    _check_named(systems)
    files: dict[str, Any] = {}
    restarts: dict[str, tuple[str, ...]] = {}
    for name, value in systems.items():
        several = list(value) if is_several(value) else [value]
        if not several:
            raise UserError(f"the system {quoted(name)} has no output; name its file, or leave the system out")
        names = (name,) if len(several) == 1 else tuple(f"{name}#{i}" for i in range(1, len(several) + 1))
        restarts[name] = names
        if taken := set(names) & set(files):
            raise UserError(f"two systems have the same name, {quoted(min(taken))}; give each its own")
        files.update(zip(names, several, strict=True))
    return Runs(files, restarts)


def _check_named(systems: object) -> None:
    if not isinstance(systems, Mapping):
        raise UserError('systems must be named: {"name": output, …}')


def _digest(aligned: Aligned, train: Training | None) -> str:
    """Return a hash of data that came from no file."""
    digest = hashlib.sha256()
    frames = [
        frame for frame in (aligned.units, aligned.answers, aligned.fields, aligned.metadata) if frame is not None
    ]
    columns = [column for frame in frames for column in frame.get_columns()]
    columns += [] if aligned.tokens is None else [aligned.tokens]
    if train is not None:
        columns += [c for c in (train.annotations.tokens, train.annotations.texts) if c is not None]
        for numbers in () if train.units is None else (train.units.item, train.units.start, train.units.end):
            digest.update(numbers.tobytes())
        if train.units is not None:
            columns.append(pl.Series(train.units.labels, dtype=pl.String).gather(train.units.label))
    for column in columns:
        plain = column.alias("")
        values = plain.to_list() if column.dtype.is_nested() else plain.cast(pl.String).to_list()
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
