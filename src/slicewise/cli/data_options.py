"""The options that all commands share: what is evaluated, how it is read, and where results go."""

import stat
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from slicewise.cli.option import DATA, OUTPUT, READING, option
from slicewise.errors import UserError, is_file, printable, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slicewise.cli.engine import EngineOptions
    from slicewise.cli.progress import Steps
    from slicewise.config import Config
    from slicewise.evaluation import Evaluation

WITH_MATRIX = {"matrix", "system_names", "name", "cluster", "lower", "gold", "systems"}
"""What a table of 0 and 1 goes with; gold and systems are refused where it is read."""


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """What is evaluated; the same for all commands."""

    gold: Annotated[str | None, option("--gold", help="The gold standard.", panel=DATA, metavar="FILE[:COLUMN]")] = None
    system: Annotated[
        list[str] | None,
        option(
            "--system", "-s", help="A system's output; repeat. The same NAME again is a restart.", panel=DATA,
            metavar="NAME=FILE[:COLUMN]",
        ),
    ] = None  # fmt: skip
    input: Annotated[
        list[str] | None,
        option("--input", help="Input text, one item per line or row; repeat.", panel=DATA, metavar="FILE[:COLUMN]"),
    ] = None
    train: Annotated[str | None, option("--train", help="Training data.", panel=DATA, metavar="FILE")] = None
    matrix: Annotated[
        str | None,
        option(
            "--matrix", help="Instead of gold and systems: a 0/1 table of items × systems.", panel=DATA, metavar="FILE"
        ),
    ] = None
    system_names: Annotated[
        str | None, option("--system-names", help="Names of the matrix's columns.", panel=DATA, metavar="A,B,C")
    ] = None
    name: Annotated[
        str | None, option("--name", help="The data set's name; with --config: which one.", panel=DATA, metavar="TEXT")
    ] = None
    config: Annotated[
        Path | None, option("--config", help="The same settings in a file.", panel=DATA, metavar="FILE.toml")
    ] = None
    task: Annotated[
        str | None,
        option(
            "--task",
            help="spans, tokens, labels, multilabel, text or scores; told from the files.",
            panel=READING,
            metavar="TASK",
        ),
    ] = None
    format: Annotated[
        str | None,
        option("--format", help="conll, jsonl, table or lines; told from the files.", panel=READING, metavar="FORMAT"),
    ] = None
    cluster: Annotated[
        str | None,
        option(
            "--cluster", help="What items are resampled by: a field, or item; documents where marked.", panel=READING,
            metavar="FIELD|item",
        ),
    ] = None  # fmt: skip
    map: Annotated[
        list[str] | None, option("--map", help="Rename a label; repeat.", panel=READING, metavar="OLD=NEW")
    ] = None
    ignore: Annotated[
        list[str] | None, option("--ignore", help="Leave out a label; repeat.", panel=READING, metavar="LABEL")
    ] = None
    scheme: Annotated[
        str | None,
        option("--scheme", help="auto, iob1, iob2, bioes, bilou, bmes or io.", panel=READING, metavar="SCHEME"),
    ] = None
    strict: Annotated[
        bool | None, option("--strict", help="Drop tags that the scheme does not allow.", panel=READING)
    ] = None
    strict_tokens: Annotated[
        bool | None, option("--strict-tokens", help="Token texts that differ are an error.", panel=READING)
    ] = None
    strip_prefix: Annotated[
        bool | None, option("--strip-prefix", help="Task tokens: compare tags without B-, I- ….", panel=READING)
    ] = None
    negative_label: Annotated[
        str | None,
        option("--negative-label", help="The label that makes no unit; O for tokens.", panel=READING, metavar="LABEL"),
    ] = None
    lower: Annotated[
        bool | None, option("--lower", help="Fold case where attributes compare strings.", panel=READING)
    ] = None
    normalise: Annotated[
        list[str] | None,
        option(
            "--normalise",
            "--normalize",
            help="Before comparing texts or labels: lower, casefold, punctuation, spaces or s/REGEX/NEW/; repeat.",
            panel=READING,
            metavar="STEP",
        ),
    ] = None
    json: Annotated[
        str | None, option("--json", help="The result as JSON; - is standard output.", panel=OUTPUT, metavar="FILE|-")
    ] = None
    csv: Annotated[
        Path | None, option("--csv", help="The result's tables as CSV files.", panel=OUTPUT, metavar="DIR")
    ] = None
    raw_csv: Annotated[
        bool, option("--raw-csv", help="CSV cells as they are: no ' before =, +, - and @.", panel=OUTPUT)
    ] = False
    quiet: Annotated[bool, option("--quiet", "-q", help="No progress and no notes.", panel=OUTPUT)] = False
    code: tuple[str, ...] = ()
    """Python files that other options name, as FILE.py:NAME; no option itself."""

    def evaluations(
        self,
        step: "Steps",
        doing: str | None = None,
        *,
        token_columns: bool = False,
        engine: "EngineOptions | None" = None,
    ) -> "Iterator[Evaluation]":
        """Load each data set in turn, and say so; `token_columns` keeps the columns between token and tag."""
        from slicewise.loading import load

        large = {} if engine is None else engine.chosen(step.part)
        self._check_streams()
        for options in self._datasets:
            try:
                if "matrix" in options:
                    _check_matrix(options)
                found = load(
                    **options, on_file=lambda file: step(f"reading {file}"), token_columns=token_columns, **large
                )
            except UserError as error:
                if len(self._datasets) == 1 or error.where is not None:
                    raise
                raise UserError(f"data set {options.get('name')}: {error}") from None
            if doing is not None:
                step(f"{doing} {found.name}")
            yield found

    def say(self, text: str) -> None:
        """Tell the user something beside the result."""
        if not self.quiet:
            sys.stderr.write(f"slicewise: {printable(text)}\n")

    def check_one(self, what: str) -> None:
        """Refuse several data sets where one file is written."""
        if len(self._datasets) > 1:
            raise UserError(f"several data sets and one {what}; pick one with --name")

    def check_not_read(self, output: Path) -> None:
        """Refuse to write over a file that is read, under whatever name."""
        from slicewise.read.source import identity

        try:
            is_regular = stat.S_ISREG(output.stat().st_mode)
        except OSError:
            return
        if is_regular and identity(output) in self._inputs:
            raise UserError("is read and would be written over; choose another path", where=str(output))

    @cached_property
    def _inputs(self) -> set[tuple[int, int] | None]:
        """What all files that are read are told by: data, the configuration, the user's own code."""
        from slicewise.own_code import split_name
        from slicewise.read.source import identity

        files = [file for options in self._datasets for file in _files(options)]
        files += [] if self.config is None else [str(self.config)]
        named = [*self.scoring.get("metric", ()), *self.slicing.get("attributes", ())]
        files += [*self.code, *(parts[0] for name in named if (parts := split_name(name)) is not None)]
        return {identity(file) for file in files} - {None}

    def _check_streams(self) -> None:
        """Refuse a stream that several data sets name: it can be read only once."""
        from slicewise.read.source import identity, is_stream

        streams = [{identity(file): file for file in _files(o) if is_stream(file)} for o in self._datasets]
        for stream, times in Counter(stream for each in streams for stream in each).items():
            if times > 1:
                name = next(each[stream] for each in streams if stream in each)
                raise UserError(
                    "is named by several data sets and can be read only once; save it as a file", where=name
                )

    @property
    def scoring(self) -> dict[str, Any]:
        """How the configuration file says to score."""
        return {} if self._file is None else self._file.scoring

    @property
    def slicing(self) -> dict[str, Any]:
        """How the configuration file says to slice."""
        return {} if self._file is None else self._file.slicing

    @cached_property
    def _file(self) -> "Config | None":
        if self.config is None:
            return None
        from slicewise.config import read_config

        return read_config(self.config, self.name)

    @cached_property
    def _datasets(self) -> list[dict[str, Any]]:
        given = self._given()
        if self._file is None:
            return [given]
        systems = given.pop("systems", {})
        return [d | given | {"systems": d.get("systems", {}) | systems} for d in self._file.datasets]

    def _given(self) -> dict[str, Any]:
        """Return what the user set, as keywords of `load`."""
        plain = (
            "gold", "train", "matrix", "name", "task", "format", "cluster", "scheme", "strict", "strict_tokens",
            "strip_prefix", "negative_label", "lower",
        )  # fmt: skip
        given = {name: getattr(self, name) for name in plain if getattr(self, name) is not None}
        if self.system:
            given["systems"] = _systems(self.system)
        if self.input:
            given["inputs"] = self.input
        if self.system_names is not None:
            given["system_names"] = self.system_names.split(",")
        if self.map:
            given["map"] = dict(_assignment(text, "--map OLD=NEW") for text in self.map)
            if several := [text for text in self.map if text.count("=") > 1]:
                raise UserError(f"{quoted(several[0])} has more than one =; write --map OLD=NEW once per label")
        if self.ignore:
            given["ignore"] = self.ignore
        if self.normalise:
            given["normalise"] = self.normalise
        return given


def _files(options: dict[str, Any]) -> list[str]:
    """Return the files that keywords of `load` name, those of folders and patterns one by one, where they are there."""
    from slicewise.read.source import paths_of, split_column

    named = [options.get(key) for key in ("gold", "train", "matrix")] + [*options.get("inputs", ())]
    for files in options.get("systems", {}).values():
        named += [files] if isinstance(files, str) else files
    paths = []
    for name in named:
        try:
            paths += [] if name is None else paths_of(split_column(name)[0])
        except UserError:  # said where it is read
            continue
    return paths


def _check_matrix(options: dict[str, Any]) -> None:
    """Refuse what a table of 0 and 1 has no use for."""
    for key, value in options.items():
        if key not in WITH_MATRIX and (key, value) != ("task", "scores"):
            name = {"inputs": "input"}.get(key, key).replace("_", "-")
            raise UserError(
                f"--{name} does not go with --matrix: a table of 0 and 1 has no text, no labels and no "
                "formats to choose from; leave it out"
            )


def _assignment(text: str, usage: str) -> tuple[str, str]:
    left, equals, right = text.partition("=")
    if not equals or not left or not right:
        raise UserError(f"{quoted(text)} is not of the form {usage.rsplit(maxsplit=1)[-1]}; write {usage}")
    return left, right


def _systems(given: list[str]) -> dict[str, list[str] | str]:
    """Return the files of each system. The same name given twice makes restarts; files without a name never do."""
    found: dict[str, list[str]] = {}
    unnamed: list[str] = []
    for text in given:
        if "=" not in text or is_file(text):
            unnamed.append(text)
            continue
        name, path = _assignment(text, "--system NAME=FILE")
        found.setdefault(name, []).append(path)
    for text in unnamed:
        name = _own_name(text)
        if name in found:
            raise UserError(f"two systems would be called {quoted(name)}; name them: --system NAME=FILE")
        found[name] = [text]
    return {name: files[0] if len(files) == 1 else files for name, files in found.items()}


def _own_name(text: str) -> str:
    """Return a file's stem, or the column where one is named."""
    path, _, column = text.rpartition(":")
    return column if path and not is_file(text) else Path(text).name.removesuffix(Path(text).suffix)
