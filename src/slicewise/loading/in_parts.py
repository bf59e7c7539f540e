"""`load` for files that are larger than memory, or that are processed on a cluster."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from slicewise.align.options import Options, check_options
from slicewise.annotations import Task
from slicewise.engine.local import LocalRunner
from slicewise.engine.protocols import Runner
from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.evaluation import Evaluation, name_runs
from slicewise.loading.parted_evaluation import parted_evaluation
from slicewise.loading.roles import Role, find_role
from slicewise.loading.table_parts import TableParts, TrainingFile, bounds_of
from slicewise.read.convert import convert
from slicewise.read.files import paths_of
from slicewise.read.registry import READERS
from slicewise.read.source import PARQUET, File, digests_of, is_stream, split_column, stem_of

ENGINES = ("embedded", "spark")
MANY_ITEMS = 2_000_000
LARGE = 500_000_000
"""Items and bytes from which on files are large."""
PART_ROWS, PART_BYTES = 500_000, 100_000_000
"""Largest partition by default."""
LEAST_ROWS = 20_000
"""Smaller partitions are not worth another task."""
NOT_TAGGED = (Task.LABELS, Task.MULTILABEL, Task.TEXT, Task.SCORES)


class ScratchFolder:
    """A temporary folder for intermediate results; it is deleted with the data."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="slicewise."))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


@dataclass(frozen=True)
class EngineSpec:
    """The engine for data in partitions, and its options."""

    part_rows: int | None
    engine: Any
    master: str | None
    on_part: Callable[[int, int], None] | None

    def __post_init__(self) -> None:
        if isinstance(self.engine, str) and self.engine not in ENGINES:
            raise UserError(f"unknown engine {quoted(self.engine)}; {did_you_mean(self.engine, ENGINES)}")
        if self.part_rows is not None and self.part_rows < 0:
            raise UserError(f"part-rows is {self.part_rows}; expected 1 or more, or 0 to leave it to Slicewise")
        if self.master is not None and self.engine == "embedded":
            raise UserError("--master is of a Spark cluster; add --engine spark")

    @property
    def remote(self) -> bool:
        """Whether kernels run on a cluster."""
        return bool(self.engine != "embedded")

    def runner(self) -> Runner:
        """Return the runner of kernels."""
        if not self.remote:
            return LocalRunner(self.on_part)
        from slicewise.engine.spark import Spark, session_of

        return Spark(session_of(self.engine, self.master), self.on_part)


@dataclass(frozen=True)
class DataSpec:
    """The data that a user names, and its files."""

    gold: str | None
    runs: Mapping[str, str]
    restarts: Mapping[str, tuple[str, ...]]
    inputs: tuple[str, ...]
    train: str | None
    format: str | None
    token_columns: bool

    @property
    def names(self) -> list[str]:
        """Gold, systems and inputs."""
        return [*([] if self.gold is None else [self.gold]), *self.runs.values(), *self.inputs]

    @cached_property
    def files(self) -> dict[str, list[str]]:
        """The files of each."""
        return {name: paths_of(split_column(name)[0]) for name in self.names}

    @cached_property
    def paths(self) -> list[str]:
        """All files."""
        return sorted({path for paths in self.files.values() for path in paths})

    @cached_property
    def texts(self) -> list[str]:
        """The files that are not Parquet."""
        return [path for path in self.paths if not _is_parquet(path)]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(Path(path).stat().st_size for path in self.paths if not is_stream(path))

    @property
    def dated(self) -> str:
        """The day on which the last of them changed."""
        return datetime.fromtimestamp(max(Path(path).stat().st_mtime for path in self.paths), UTC).date().isoformat()

    def training(self) -> TrainingFile | None:
        """Return where training data is."""
        if self.train is None:
            return None
        column = None if self.gold is None else split_column(self.gold)[1]
        return TrainingFile(self.train, self.format, column, self.inputs, self.token_columns)

    def digests(self, on_file: Callable[[str], None] | None) -> list[str]:
        """Return the hashes of all files, each with its role."""
        order = [("in", path) for path in self.inputs] + ([] if self.train is None else [("train", self.train)])
        order += self.runs.items()
        of_gold = [] if self.gold is None else _digests([("gold", self.gold)], on_file)
        return of_gold + ([f"format:{self.format}"] if self.format else []) + _digests(order, on_file)


def load_in_parts(
    engine: EngineSpec,
    load_whole: Callable[[], Evaluation],
    *,
    systems: Mapping[str, Any] | None,
    gold: str | Path | None,
    inputs: Sequence[str | Path],
    train: str | Path | None,
    matrix: str | Path | None,
    format: str | None,  # noqa: A002
    name: str | None,
    token_columns: bool,
    on_file: Callable[[str], None] | None,
    options: Mapping[str, Any],
) -> Evaluation | None:
    """Return files as an evaluation in partitions; None where they are to be read into memory."""
    if engine.remote and (matrix is not None or not systems):
        raise UserError("--engine spark works on Parquet files of --gold and --system; convert the matrix to Parquet")
    if matrix is not None or not systems:
        return None
    runs = name_runs(systems, lambda value: not isinstance(value, (str, Path)))
    spec = DataSpec(
        gold=None if gold is None else str(gold),
        runs={run: str(path) for run, path in runs.files.items()},
        restarts=runs.restarts,
        inputs=tuple(map(str, inputs)),
        train=None if train is None else str(train),
        format=format,
        token_columns=token_columns,
    )
    if not _can_be_partitioned(engine, spec):
        return None
    scratch = None if engine.remote else ScratchFolder()
    columnar = {} if scratch is None else {path: _converted(path, scratch, format, on_file) for path in spec.texts}
    roles = {role: find_role(*split_column(role), spec.files[role], columnar) for role in spec.names}
    chosen, reference = check_options(**options), roles[spec.names[0]]
    if not (_is_large(engine, spec, reference) and _is_independent(engine, list(roles.values()), chosen)):
        return None
    _check_items(list(roles.values()))
    runner = engine.runner()
    rows = engine.part_rows or _rows_per_part(reference.items, spec.size, runner.at_once)
    source = _table_parts(name or stem_of(reference.name), spec, roles, chosen, bounds_of(reference.items, rows))
    digests = spec.digests(on_file)
    if on_file is not None:
        on_file(reference.name)
    whole = None if engine.remote else load_whole
    return parted_evaluation(source, runner, digests=digests, dated=spec.dated, load_whole=whole, scratch=scratch)


def _table_parts(
    name: str, spec: DataSpec, roles: Mapping[str, Role], options: Options, bounds: tuple[int, ...]
) -> TableParts:
    return TableParts(
        name=name,
        gold=None if spec.gold is None else roles[spec.gold],
        systems={run: roles[path] for run, path in spec.runs.items()},
        inputs=tuple(roles[path] for path in spec.inputs),
        restarts=spec.restarts,
        options=options,
        format=spec.format,
        train=spec.training(),
        bounds=bounds,
        token_columns=spec.token_columns,
        given=tuple(spec.names),
    )


def _can_be_partitioned(engine: EngineSpec, spec: DataSpec) -> bool:
    """Return whether files are Parquet, or large and convertible to Parquet."""
    texts = spec.texts
    if texts and engine.remote:
        raise UserError("a cluster reads Parquet; make it with slicewise convert", where=texts[0])
    if spec.train is not None and is_stream(split_column(spec.train)[0]):
        if engine.remote:
            raise UserError("a cluster cannot read a stream; save it as a file", where=spec.train)
        return False
    return not texts or (_convertible(texts) and bool(engine.part_rows or spec.size > LARGE))


def _is_large(engine: EngineSpec, spec: DataSpec, reference: Role) -> bool:
    """Return whether data is to be read in partitions: it is large, or the user requests it."""
    requested = bool(spec.texts or engine.remote or engine.part_rows)
    return requested or reference.items > MANY_ITEMS or spec.size > LARGE


def _is_independent(engine: EngineSpec, roles: Sequence[Role], options: Options) -> bool:
    """Return whether partitions can be read independently; if not, raise on a cluster."""
    reason = next(_dependencies(roles, options), None)
    if reason is not None and engine.remote:
        raise reason
    return reason is None


def _dependencies(roles: Sequence[Role], options: Options) -> Iterator[UserError]:
    """Yield the reasons why partitions cannot be read independently, as errors for a cluster."""
    for role in roles:
        if role.needs_first_row:
            yield UserError(
                "lines with a header are not read in parts; convert it with --format table", where=role.name
            )
        if role.items != roles[0].items and (role.made_from, roles[0].made_from) == ("lines", "conll"):
            yield UserError("tags alone are not read in parts; convert it with --format conll", where=role.name)
    if options.strict and options.scheme is None and options.task not in NOT_TAGGED:
        yield UserError("a cluster cannot tell the tag scheme that --strict goes by; add --scheme NAME")


def _check_items(roles: Sequence[Role]) -> None:
    for role in roles:
        if not role.items:
            raise UserError("no rows; expected at least one item", where=role.name)
        if role.items != roles[0].items:
            count, expected = counted(role.items, "item"), counted(roles[0].items, "item")
            raise UserError(f"{count}, but {expected} in {roles[0].name}; expected the same items", where=role.name)


def _is_parquet(path: str) -> bool:
    """Return whether a file is Parquet, by its first bytes or its name.

    A stream is read once, by its reader: here it is none.
    """
    if is_stream(path):
        return False
    if path.lower().endswith(".parquet"):
        return True
    try:
        with Path(path).open("rb") as file:
            return file.read(len(PARQUET)) == PARQUET
    except OSError:
        return False  # its reader says why


def _convertible(paths: Sequence[str]) -> bool:
    """Tell whether files can be written as Parquet piece by piece, by their names."""
    streams = [reader.stream for reader in READERS.values() if reader.stream is not None]
    extensions = tuple(extension for stream in streams for extension in stream.extensions)
    return all(not is_stream(path) and File(path, b"", "").suffix in extensions for path in paths)


def _converted(path: str, scratch: ScratchFolder, format: str | None, on_file: Callable[[str], None] | None) -> str:  # noqa: A002
    """Write a file as Parquet for as long as it is worked on."""
    if on_file is not None:
        on_file(path)
    to = scratch.folder / f"{len(list(scratch.folder.iterdir()))}.parquet"
    convert(path, to, format=format)
    return str(to)


def _rows_per_part(items: int, size: int, at_once: int) -> int:
    """Return the rows per partition: no more than fit into memory, and few enough to keep all workers busy."""
    shared = PART_ROWS if at_once == 1 else max(LEAST_ROWS, -(-items // (2 * at_once)))
    return max(1, min(PART_ROWS, items * PART_BYTES // max(1, size), shared))


_hashed: dict[tuple[str, int, int], str] = {}


def _digests(order: Sequence[tuple[str, str]], on_file: Callable[[str], None] | None) -> list[str]:
    """Return the hash of each file, with its role."""
    digests = []
    for role, path in order:
        name, column = split_column(path)
        hashes = []
        for file in paths_of(name):
            state = Path(file).stat()
            key = (file, state.st_size, state.st_mtime_ns)
            if key not in _hashed:
                if on_file is not None:
                    on_file(file)
                with Path(file).open("rb") as content:
                    _hashed[key] = hashlib.file_digest(content, "sha256").hexdigest()
            hashes.append(_hashed[key])
        digests += digests_of(role, hashes, column)
    return digests
