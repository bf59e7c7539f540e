"""`load` for Parquet files that are larger than memory, or that a cluster works on."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slicewise.align.options import check_options
from slicewise.annotations import Task
from slicewise.engine.gather import Here
from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.evaluation import name_runs
from slicewise.parted import evaluation_of
from slicewise.read.convert import convert
from slicewise.read.source import PARQUET, digests_of, paths_of, split_column, stem_of
from slicewise.table_parts import TableParts, TrainingFile, bounds_of, find_role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from slicewise.evaluation import Evaluation
    from slicewise.parts import Runner

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
    given = [*([] if gold is None else [str(gold)]), *(str(path) for path in runs.files.values()), *map(str, inputs)]
    files = {path: _files(path) for path in given}
    every = sorted({path for paths in files.values() for path in paths})
    texts = [path for path in every if not _is_parquet(path)]
    size = sum(Path(path).stat().st_size for path in every if path != "-")
    if texts and asked.elsewhere:
        raise UserError("a cluster reads Parquet; make it with slicewise convert", where=texts[0])
    if texts and not (_convertible(texts) and (asked.part_rows or size > LARGE)):
        return None
    scratch = None if asked.elsewhere else Scratch()
    columnar = {} if scratch is None else {path: _converted(path, scratch, format, on_file) for path in texts}
    roles = {path: find_role(*split_column(path), files[path], columnar) for path in given}
    if uncut := next((role for role in roles.values() if role.is_uncut), None):
        if asked.elsewhere:
            raise UserError(
                "lines with a header are not read in parts; convert it with --format table", where=uncut.name
            )
        return None
    reference = roles[given[0]]
    for role in roles.values():
        if role.items != reference.items:
            here, there = counted(role.items, "item"), counted(reference.items, "item")
            raise UserError(f"{here}, but {there} in {reference.name}; expected the same items", where=role.name)
    if not (texts or asked.elsewhere or asked.part_rows or reference.items > MANY_ITEMS or size > LARGE):
        return None
    chosen = check_options(**options)
    if chosen.strict and chosen.scheme is None and chosen.task not in NOT_TAGGED:
        if asked.elsewhere:
            raise UserError("a cluster cannot tell the tag scheme that --strict goes by; add --scheme NAME")
        return None  # all tags have to be seen to tell the scheme
    runner = asked.runner()
    rows = asked.part_rows or _fitting(reference.items, size, runner.at_once)
    gold_column = None if gold is None else split_column(str(gold))[1]
    named = tuple(map(str, inputs))
    training = None if train is None else TrainingFile(str(train), format, gold_column, named, token_columns)
    source = TableParts(
        name=name or stem_of(reference.name),
        gold=None if gold is None else reference,
        systems={run: roles[str(path)] for run, path in runs.files.items()},
        inputs=tuple(roles[path] for path in named),
        restarts=runs.restarts,
        options=chosen,
        format=format,
        train=training,
        bounds=bounds_of(reference.items, rows),
        token_columns=token_columns,
        given=tuple(given),
    )
    order = [("gold", str(gold))] if gold is not None else []
    order += [("in", path) for path in named] + ([] if train is None else [("train", str(train))])
    order += [(run, str(path)) for run, path in runs.files.items()]
    digests = _digests(order[:1] if gold is not None else [], on_file)
    digests += [f"format:{format}"] if format else []
    digests += _digests(order[1:] if gold is not None else order, on_file)
    if on_file is not None:
        on_file(reference.name)
    return evaluation_of(
        source,
        runner,
        digests=digests,
        dated=datetime.fromtimestamp(max(Path(path).stat().st_mtime for path in every), UTC).date().isoformat(),
        whole=None if asked.elsewhere else whole,
        scratch=scratch,
    )


def _files(path: str) -> list[str]:
    name, _ = split_column(path)
    return paths_of(name)


def _is_parquet(path: str) -> bool:
    """Tell Parquet by how a file begins; one whose name says so is, and damaged if it does not."""
    if path == "-" or path.lower().endswith(".parquet"):
        return path != "-"
    with Path(path).open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def _convertible(paths: Sequence[str]) -> bool:
    """Tell whether files are JSONL or tables by their names, which can be written as Parquet piece by piece."""
    return all(path != "-" and COMPRESSED.sub("", path.lower()).endswith(ROWS) for path in paths)


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
