"""`load` for Parquet files that are larger than memory, or that a cluster works on."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slicewise.align.options import check_options
from slicewise.annotations import Task
from slicewise.engine.gather import Here
from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.evaluation import name_runs
from slicewise.parted import evaluation_of
from slicewise.read.convert import convert
from slicewise.read.source import PARQUET, digests_of, is_stream, paths_of, split_column, stem_of
from slicewise.roles import find_role
from slicewise.table_parts import TableParts, TrainingFile, bounds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from slicewise.align.options import Options
    from slicewise.evaluation import Evaluation
    from slicewise.parts import Runner
    from slicewise.roles import Role

ENGINES = ("embedded", "spark")
MANY_ITEMS = 2_000_000
LARGE = 500_000_000
"""From so many items or bytes on, files are large."""
PART_ROWS, PART_BYTES = 500_000, 100_000_000
"""What a part has at most, where the user does not say."""
LEAST_ROWS = 20_000
"""Parts of fewer rows are not worth another task."""
NOT_TAGGED = (Task.LABELS, Task.MULTILABEL, Task.TEXT, Task.SCORES)
BLOCK = 1 << 24
ROWS = (".jsonl", ".ndjson", ".csv", ".tsv")
COMPRESSED = re.compile(r"(\.(gz|xz|bz2|zst))+$")


class Scratch:
    """A folder for what is worked out of parts and wanted again; it goes when the data does."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="slicewise."))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


@dataclass(frozen=True)
class Asked:
    """How a user wants large files to be worked on."""

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
    def elsewhere(self) -> bool:
        """Whether a cluster works on the parts."""
        return bool(self.engine != "embedded")

    def runner(self) -> Runner:
        """Return what works on parts."""
        if not self.elsewhere:
            return Here(self.on_part)
        from slicewise.engine.spark import Spark, session_of

        return Spark(session_of(self.engine, self.master), self.on_part)


@dataclass(frozen=True)
class Named:
    """What a user named, from gold on, and the files behind it."""

    gold: str | None
    runs: Mapping[str, str]
    restarts: Mapping[str, tuple[str, ...]]
    inputs: tuple[str, ...]
    train: str | None
    format: str | None
    token_columns: bool

    @property
    def every(self) -> list[str]:
        """Gold, systems and inputs."""
        return [*([] if self.gold is None else [self.gold]), *self.runs.values(), *self.inputs]

    @cached_property
    def files(self) -> dict[str, list[str]]:
        """The files of each."""
        return {name: paths_of(split_column(name)[0]) for name in self.every}

    @cached_property
    def paths(self) -> list[str]:
        """All files."""
        return sorted({path for paths in self.files.values() for path in paths})

    @cached_property
    def texts(self) -> list[str]:
        """Those that are not Parquet."""
        return [path for path in self.paths if not _is_parquet(path)]

    @property
    def size(self) -> int:
        """How many bytes they have."""
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
        """Return the hashes of all files, under what they are."""
        order = [("in", path) for path in self.inputs] + ([] if self.train is None else [("train", self.train)])
        order += self.runs.items()
        found = [] if self.gold is None else _digests([("gold", self.gold)], on_file)
        found += [f"format:{self.format}"] if self.format else []
        return found + _digests(order, on_file)


def load_in_parts(
    asked: Asked,
    whole: Callable[[], Evaluation],
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
    """Return files as an evaluation in parts; None where they are small, or no Parquet files, and may be read whole."""
    if asked.elsewhere and (matrix is not None or not systems):
        raise UserError("--engine spark works on Parquet files of --gold and --system; convert the matrix to Parquet")
    if matrix is not None or not systems:
        return None
    runs = name_runs(systems, lambda value: not isinstance(value, (str, Path)))
    named = Named(
        gold=None if gold is None else str(gold),
        runs={run: str(path) for run, path in runs.files.items()},
        restarts=runs.restarts,
        inputs=tuple(map(str, inputs)),
        train=None if train is None else str(train),
        format=format,
        token_columns=token_columns,
    )
    if not _may_be_cut(asked, named):
        return None
    scratch = None if asked.elsewhere else Scratch()
    columnar = {} if scratch is None else {path: _converted(path, scratch, format, on_file) for path in named.texts}
    roles = {one: find_role(*split_column(one), named.files[one], columnar) for one in named.every}
    chosen = check_options(**options)
    reference, every = roles[named.every[0]], list(roles.values())
    if not (_is_large(asked, named, reference) and _has_parts(asked, every, chosen)):
        return None
    _check_items(every)
    runner = asked.runner()
    source = TableParts(
        name=name or stem_of(reference.name),
        gold=None if gold is None else reference,
        systems={run: roles[path] for run, path in named.runs.items()},
        inputs=tuple(roles[path] for path in named.inputs),
        restarts=named.restarts,
        options=chosen,
        format=format,
        train=named.training(),
        bounds=bounds_of(reference.items, asked.part_rows or _fitting(reference.items, named.size, runner.at_once)),
        token_columns=token_columns,
        given=tuple(named.every),
    )
    digests = named.digests(on_file)
    if on_file is not None:
        on_file(reference.name)
    return evaluation_of(
        source,
        runner,
        digests=digests,
        dated=named.dated,
        whole=None if asked.elsewhere else whole,
        scratch=scratch,
    )


def _may_be_cut(asked: Asked, named: Named) -> bool:
    """Tell whether files are Parquet, or large and can be written as Parquet."""
    texts = named.texts
    if texts and asked.elsewhere:
        raise UserError("a cluster reads Parquet; make it with slicewise convert", where=texts[0])
    if named.train is not None and is_stream(split_column(named.train)[0]):
        if asked.elsewhere:
            raise UserError("a cluster cannot read a stream; save it as a file", where=named.train)
        return False
    return not texts or (_convertible(texts) and bool(asked.part_rows or named.size > LARGE))


def _is_large(asked: Asked, named: Named, reference: Role) -> bool:
    """Tell whether data is to be read in parts: it is large, or the user says so."""
    wanted = bool(named.texts or asked.elsewhere or asked.part_rows)
    return wanted or reference.items > MANY_ITEMS or named.size > LARGE


def _has_parts(asked: Asked, roles: Sequence[Role], options: Options) -> bool:
    """Tell whether a part can be understood without the others; where it cannot, a cluster refuses."""
    reason = next(_reasons(roles, options), None)
    if reason is not None and asked.elsewhere:
        raise reason
    return reason is None


def _reasons(roles: Sequence[Role], options: Options) -> Iterator[UserError]:
    """Return why all of the data has to be seen, as a cluster would say."""
    for role in roles:
        if role.is_uncut:
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
            here, there = counted(role.items, "item"), counted(roles[0].items, "item")
            raise UserError(f"{here}, but {there} in {roles[0].name}; expected the same items", where=role.name)


def _is_parquet(path: str) -> bool:
    """Tell Parquet by how a file begins; one whose name says so is, and damaged if it does not.

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
    """Tell whether files are JSONL or tables by their names, which can be written as Parquet piece by piece."""
    return all(not is_stream(path) and COMPRESSED.sub("", path.lower()).endswith(ROWS) for path in paths)


def _converted(path: str, scratch: Scratch, format: str | None, on_file: Callable[[str], None] | None) -> str:  # noqa: A002
    """Write a file as Parquet for as long as it is worked on."""
    if on_file is not None:
        on_file(path)
    to = scratch.folder / f"{len(list(scratch.folder.iterdir()))}.parquet"
    convert(path, to, format=format)
    return str(to)


def _fitting(items: int, size: int, at_once: int) -> int:
    """Return how many rows a part has: no more than fit, and not so many that there is too little to do at once."""
    shared = PART_ROWS if at_once == 1 else max(LEAST_ROWS, -(-items // (2 * at_once)))
    return max(1, min(PART_ROWS, items * PART_BYTES // max(1, size), shared))


_hashed: dict[tuple[str, int, int], str] = {}


def _digests(order: Sequence[tuple[str, str]], on_file: Callable[[str], None] | None) -> list[str]:
    """Return the hash of each file, read bit by bit, under what it is."""
    found = []
    for role, path in order:
        name, column = split_column(path)
        hashes = []
        for file in paths_of(name):
            state = Path(file).stat()
            key = (file, state.st_size, state.st_mtime_ns)
            if key not in _hashed:
                if on_file is not None:
                    on_file(file)
                _hashed[key] = _digest(file)
            hashes.append(_hashed[key])
        found += digests_of(role, hashes, column)
    return found


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
