"""`load`: files into an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from slicewise.align import Options
from slicewise.align.options import check_options
from slicewise.annotations import Annotations, Task
from slicewise.errors import UserError, explained
from slicewise.evaluation import Evaluation, name_runs
from slicewise.loading.in_parts import EngineSpec, load_in_parts
from slicewise.loading.training import read_training, without_answers
from slicewise.read import open_source, read, tags_alone, tell_format
from slicewise.read.files import check_exists
from slicewise.read.source import Source, digests_of, stem_of

Path_ = str | Path


def load(
    *,
    systems: Mapping[str, Path_ | Sequence[Path_]] | None = None,
    gold: Path_ | None = None,
    inputs: Sequence[Path_] | Path_ = (),
    train: Path_ | None = None,
    matrix: Path_ | None = None,
    system_names: Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002 (the word that users know)
    name: str | None = None,
    token_columns: bool = True,
    on_file: Callable[[str], None] | None = None,
    part_rows: int | None = None,
    engine: Any = "embedded",
    master: str | None = None,
    on_part: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Evaluation:
    """Read gold and systems from files and align them.

    Files are named as on the command line: `FILE` or `FILE:COLUMN`; a list of files is a system with restarts. Options
    are those of the command line: task, scheme, strict, strict_tokens, strip_prefix, negative_label, map, ignore,
    cluster, lower, normalise. `token_columns=False` saves memory: columns between token and
    tag are not kept. `on_file` is called with the name of each file before it is read.

    Parquet files larger than memory: `part_rows` are read and worked on at a time (0: only of large files, in parts
    that fit), and `on_part` is called with the number of items done and of all. `engine`: "spark", with the `master`
    of a cluster or the session that the environment names, or a SparkSession; all workers must see the files.
    """
    inputs = [inputs] if isinstance(inputs, (str, Path)) else inputs
    arguments: dict[str, Any] = {"systems": systems, "gold": gold, "inputs": inputs, "train": train, "matrix": matrix}
    arguments |= {"format": format, "name": name, "token_columns": token_columns, "on_file": on_file}
    engine_spec = EngineSpec(part_rows, engine, master, on_part)
    if part_rows is not None or engine_spec.remote:
        large = load_in_parts(engine_spec, lambda: load(**arguments, **options), **arguments, options=options)
        if large is not None:
            return large
    if matrix is not None:
        return _load_matrix(matrix, system_names, name, gold, systems, check_options(**options))
    del arguments["matrix"]
    return _load_whole(**arguments, options=check_options(**options))


def _load_whole(
    *,
    systems: Mapping[str, Path_ | Sequence[Path_]] | None,
    gold: Path_ | None,
    inputs: Sequence[Path_],
    train: Path_ | None,
    format: str | None,  # noqa: A002
    name: str | None,
    token_columns: bool,
    on_file: Callable[[str], None] | None,
    options: Options,
) -> Evaluation:
    """Read files into memory and align them."""
    if not systems:
        raise UserError("no system to evaluate; add --system NAME=FILE")
    opened = _SourceOpener(on_file)
    gold_file, gold_format, gold_column = None, None, None
    if gold is not None:
        source = opened("gold", gold)
        gold_column = source.column
        gold_format = format or tell_format(source)
        with explained(source.name):
            gold_file = read(source, gold_format, others=token_columns)
        del source
    runs = name_runs(systems, lambda value: not isinstance(value, (str, Path)))
    opened.digests += [f"format:{format}"] if format else []
    files = _Files({run: opened.later(run, path) for run, path in runs.files.items()}, format, gold_format)
    texts = [_read_input(opened("in", path), format) for path in inputs]
    training = None
    if train is not None:
        with explained(str(train)):
            texts_named = [str(path) for path in inputs]
            training = read_training(opened("train", train), format, gold_column, texts_named, others=token_columns)
    evaluation = Evaluation.build(
        name or opened.stem, gold_file, files, runs.restarts, texts, options, training, opened.digests
    )
    named = [*([] if gold is None else [gold]), *runs.files.values(), *inputs]
    aligned = without_answers(evaluation.aligned, [str(path) for path in named])
    return replace(evaluation, dated=opened.dated, aligned=aligned)


class _Files(Mapping[str, Annotations]):
    """Systems' files, each read lazily, so that only one is in memory at a time."""

    def __init__(self, openers: Mapping[str, Callable[[], Source]], format: str | None, gold: str | None) -> None:  # noqa: A002
        self.openers = openers
        self.format = format
        self.gold = gold
        """The format of the gold file; without one, CoNLL-style files bring their own gold."""

    def __getitem__(self, run: str) -> Annotations:
        source = self.openers[run]()
        kind = self.format or tell_format(source)
        if kind == "lines" and self.gold == "conll" and tags_alone(source):
            kind = "conll"
        with explained(source.name):
            return read(source, kind, own_gold=self.gold is None and kind == "conll", others=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self.openers)

    def __len__(self) -> int:
        return len(self.openers)


def _read_input(source: Source, format: str | None) -> Annotations:  # noqa: A002
    """Read input text: a column, the `text` of JSONL objects, or lines; never tokens in columns."""
    kind = tell_format(source) if format in (None, "conll") else format
    with explained(source.name):
        return read(source, "lines" if kind == "conll" else kind)


class _SourceOpener:
    """Opens sources, each file once, and remembers their hashes in the order of reading."""

    def __init__(self, on_file: Callable[[str], None] | None = None) -> None:
        self.on_file = on_file
        self.digests: list[str] = []
        self.newest: float | None = None
        self.first: str = ""
        self.kept: dict[str, Source] = {}

    def __call__(self, role: str, path: Path_) -> Source:
        if self.on_file is not None:
            self.on_file(str(path))
        source = open_source(path, self.kept)
        self.first = self.first or source.name
        self.digests += digests_of(role, [file.digest for file in source.files], source.column)
        times = [time for time in (self.newest, *(file.modified for file in source.files)) if time is not None]
        self.newest = max(times, default=None)
        return source

    def later(self, role: str, path: Path_) -> Callable[[], Source]:
        """Return a function that opens a source; that it is there is checked at once."""
        self.first = self.first or check_exists(path)
        return lambda: self(role, path)

    @property
    def dated(self) -> str | None:
        """The day on which the newest of the files was last changed."""
        return None if self.newest is None else datetime.fromtimestamp(self.newest, UTC).date().isoformat()

    @property
    def stem(self) -> str:
        """What the data is called after its first file."""
        return stem_of(self.first)


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
    opened = _SourceOpener()
    table = reader.read(opened("matrix", matrix), system_names)
    metadata = pl.DataFrame() if table.names is None else table.names.to_frame("id")
    files = {
        system: Annotations(
            name=str(matrix), items=len(table.right), answers=pl.Series(table.right[:, i]), metadata=metadata
        )
        for i, system in enumerate(table.systems)
    }
    options = replace(options, task=Task.SCORES)
    evaluation = Evaluation.build(name or opened.stem, None, files, None, [], options, digests=opened.digests)
    return replace(evaluation, dated=opened.dated)
