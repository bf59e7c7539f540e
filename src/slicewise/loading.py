"""`load`: files into an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from slicewise.align.options import check_options
from slicewise.annotations import Annotations, Task
from slicewise.errors import UserError, explained
from slicewise.evaluation import Evaluation, name_runs
from slicewise.read import open_source, read, tags_alone, tell_format
from slicewise.read.source import COMPRESSED, check_exists, split_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from slicewise.align import Aligned, Options
    from slicewise.read.source import Source

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
    **options: Any,
) -> Evaluation:
    """Read gold and systems from files and align them.

    Files are named as on the command line: `FILE` or `FILE:COLUMN`; a list of files is a system with restarts. Options
    are those of the command line: task, scheme, strict, strict_tokens, strip_prefix, negative_label, map, ignore,
    cluster, lower, normalise. `token_columns=False` saves memory: columns between token and
    tag are not kept. `on_file` is called with the name of each file before it is read.
    """
    inputs = [inputs] if isinstance(inputs, (str, Path)) else inputs
    if matrix is not None:
        return _load_matrix(matrix, system_names, name, gold, systems, check_options(**options))
    if not systems:
        raise UserError("no system to evaluate; add --system NAME=FILE")
    opened = _Opened(on_file)
    gold_file, gold_format, gold_column = None, None, None
    if gold is not None:
        source = opened("gold", gold)
        gold_column = source.column
        gold_format = format or tell_format(source)
        with explained(source.name):
            gold_file = read(source, gold_format, others=token_columns)
        del source
    runs = name_runs(systems, lambda value: not isinstance(value, (str, Path)))
    chosen = check_options(**options)
    opened.digests += [f"format:{format}"] if format else []
    files = _Files({run: opened.later(run, path) for run, path in runs.files.items()}, format, gold_format)
    texts = [_read_input(opened("in", path), format) for path in inputs]
    training = None
    if train is not None:
        with explained(str(train)):
            training = _read_training(opened("train", train), format, gold_column, inputs, others=token_columns)
    made = Evaluation.build(
        name or opened.stem, gold_file, files, runs.restarts, texts, chosen, training, opened.digests
    )
    given = [*([] if gold is None else [gold]), *runs.files.values(), *inputs]
    return replace(made, dated=opened.dated, aligned=_without_answers(made.aligned, [str(path) for path in given]))


def _without_answers(aligned: Aligned, given: Sequence[str]) -> Aligned:
    """Return items without the fields that are gold, input or a system: they are no facts about the items.

    Fields come from the first file given.
    """
    sources = [split_column(path) for path in given]
    used = {column for name, column in sources if name == sources[0][0]}
    kept = [column for column in aligned.metadata.get_columns() if column.name not in used]
    return replace(aligned, metadata=pl.DataFrame(kept))


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
        with explained(source.name):
            return read(source, told, own_gold=self.gold is None and told == "conll", others=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self.openers)

    def __len__(self) -> int:
        return len(self.openers)


def _read_input(source: Source, format: str | None) -> Annotations:  # noqa: A002
    """Read input text: a column, the `text` of JSONL objects, or lines; never tokens in columns."""
    told = tell_format(source) if format in (None, "conll") else format
    with explained(source.name):
        return read(source, "lines" if told == "conll" else told)


def _read_training(
    source: Source,
    format: str | None,  # noqa: A002
    gold_column: str | None,
    inputs: Sequence[Path_],
    *,
    others: bool,
) -> Annotations:
    """Read training data; a table has the columns of the gold and the input, lines without labels are texts."""
    column = source.column or gold_column
    told = format or tell_format(replace(source, column=column))
    found = read(replace(source, column=column) if told == "table" else source, told, others=others)
    if told == "lines" and inputs:
        return replace(found, texts=found.answers, answers=None)
    text_column = split_column(str(inputs[0]))[1] if inputs else None
    if found.texts is None and text_column is not None and told in ("table", "jsonl"):
        return replace(found, texts=read(replace(source, column=text_column), told).answers)
    return found


class _Opened:
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
        column = "" if source.column is None else f":{source.column}"
        self.digests += [f"{role}:{file.digest[:12]}{column}" for file in source.files]
        known = [time for time in (self.newest, *(file.modified for file in source.files)) if time is not None]
        self.newest = max(known, default=None)
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
        """The first file's name without folder and ending."""
        name = "stdin" if self.first == "-" else Path(self.first).name
        for ending in COMPRESSED:
            name = name.removesuffix(ending)
        return Path(name).stem


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
    metadata = pl.DataFrame() if table.names is None else table.names.to_frame("id")
    files = {
        system: Annotations(
            name=str(matrix), items=len(table.right), answers=pl.Series(table.right[:, i]), metadata=metadata
        )
        for i, system in enumerate(table.systems)
    }
    restarts = {system: (system,) for system in files}
    options = replace(options, task=Task.SCORES)
    made = Evaluation.build(name or opened.stem, None, files, restarts, [], options, digests=opened.digests)
    return replace(made, dated=opened.dated)
