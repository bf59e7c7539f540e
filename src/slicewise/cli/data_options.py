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

Format = Annotated[
    str | None, option("--format", "conll, jsonl, table or lines; told from the files.", READING, "FORMAT")
]
Quiet = Annotated[bool, option("--quiet -q", "No progress and no notes.", OUTPUT)]


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """What is evaluated; the same for all commands."""

    gold: Annotated[str | None, option("--gold", "The gold standard.", DATA, "FILE[:COLUMN]")] = None
    system: Annotated[
        list[str] | None,
        option(
            "--system -s", "A system's output; repeat. The same NAME again is a restart.", DATA, "NAME=FILE[:COLUMN]"
        ),
    ] = None
    input: Annotated[
        list[str] | None, option("--input", "Input text, one item per line or row; repeat.", DATA, "FILE[:COLUMN]")
    ] = None
    train: Annotated[str | None, option("--train", "Training data.", DATA, "FILE")] = None
    matrix: Annotated[
        str | None, option("--matrix", "Instead of gold and systems: a 0/1 table of items × systems.", DATA, "FILE")
    ] = None
    system_names: Annotated[str | None, option("--system-names", "Names of the matrix's columns.", DATA, "A,B,C")] = (
        None
    )
    name: Annotated[str | None, option("--name", "The data set's name; with --config: which one.", DATA, "TEXT")] = None
    config: Annotated[Path | None, option("--config", "The same settings in a file.", DATA, "FILE.toml")] = None
    task: Annotated[
        str | None,
        option("--task", "spans, tokens, labels, multilabel, text or scores; told from the files.", READING, "TASK"),
    ] = None
    format: Format = None
    cluster: Annotated[
        str | None,
        option(
            "--cluster", "What items are resampled by: a field, or item; documents where marked.", READING, "FIELD|item"
        ),
    ] = None
    map: Annotated[list[str] | None, option("--map", "Rename a label; repeat.", READING, "OLD=NEW")] = None
    ignore: Annotated[list[str] | None, option("--ignore", "Leave out a label; repeat.", READING, "LABEL")] = None
    scheme: Annotated[
        str | None, option("--scheme", "auto, iob1, iob2, bioes, bilou, bmes or io.", READING, "SCHEME")
    ] = None
    strict: Annotated[bool | None, option("--strict", "Drop tags that the scheme does not allow.", READING)] = None
    strict_tokens: Annotated[
        bool | None, option("--strict-tokens", "Token texts that differ are an error.", READING)
    ] = None
    strip_prefix: Annotated[
        bool | None, option("--strip-prefix", "Task tokens: compare tags without B-, I- ….", READING)
    ] = None
    negative_label: Annotated[
        str | None, option("--negative-label", "The label that makes no unit; O for tokens.", READING, "LABEL")
    ] = None
    lower: Annotated[bool | None, option("--lower", "Fold case where attributes compare strings.", READING)] = None
    normalise: Annotated[
        list[str] | None,
        option(
            "--normalise --normalize",
            "Before comparing texts or labels: lower, casefold, punctuation, spaces or s/REGEX/NEW/; repeat.",
            READING,
            "STEP",
        ),
    ] = None
    json: Annotated[str | None, option("--json", "The result as JSON; - is standard output.", OUTPUT, "FILE|-")] = None
    csv: Annotated[Path | None, option("--csv", "The result's tables as CSV files.", OUTPUT, "DIR")] = None
    raw_csv: Annotated[bool, option("--raw-csv", "CSV cells as they are: no ' before =, +, - and @.", OUTPUT)] = False
    quiet: Quiet = False
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
                evaluation = load(
                    **options, on_file=lambda file: step(f"reading {file}"), token_columns=token_columns, **large
                )
            except UserError as error:
                if len(self._datasets) == 1 or error.where is not None:
                    raise
                raise UserError(f"data set {options.get('name')}: {error}") from None
            if doing is not None:
                step(f"{doing} {evaluation.name}")
            yield evaluation

    def say(self, text: str) -> None:
        """Write a message to standard error."""
        if not self.quiet:
            sys.stderr.write(f"slicewise: {printable(text)}\n")

    def check_one(self, option_name: str) -> None:
        """Refuse several data sets where one file is written."""
        if len(self._datasets) > 1:
            raise UserError(f"several data sets and one {option_name}; pick one with --name")

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
        """The identities of all files that are read: data, configuration and user code."""
        from slicewise.read.source import identity
        from slicewise.user_code import split_name

        files = [file for options in self._datasets for file in _files(options)]
        files += [] if self.config is None else [str(self.config)]
        named = [*self.scoring.get("metric", ()), *self.slicing.get("attributes", ())]
        files += [*self.code, *(parts[0] for name in named if (parts := split_name(name)) is not None)]
        return {identity(file) for file in files} - {None}

    def _check_streams(self) -> None:
        """Refuse a stream that several data sets name: it can be read only once."""
        from slicewise.read.source import identity, is_stream

        streams = [{identity(file): file for file in _files(o) if is_stream(file)} for o in self._datasets]
        for stream, times in Counter(stream for named in streams for stream in named).items():
            if times > 1:
                name = next(named[stream] for named in streams if stream in named)
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
        options = self._command_line()
        if self._file is None:
            return [options]
        systems = options.pop("systems", {})
        return [d | options | {"systems": d.get("systems", {}) | systems} for d in self._file.datasets]

    def _command_line(self) -> dict[str, Any]:
        """Return the options of the command line as keywords of `load`."""
        plain = (
            "gold", "train", "matrix", "name", "task", "format", "cluster", "scheme", "strict", "strict_tokens",
            "strip_prefix", "negative_label", "lower",
        )  # fmt: skip
        options = {name: getattr(self, name) for name in plain if getattr(self, name) is not None}
        if self.system:
            options["systems"] = _systems(self.system)
        repeated = {"inputs": self.input, "ignore": self.ignore, "normalise": self.normalise}
        options |= {name: values for name, values in repeated.items() if values}
        if self.system_names is not None:
            options["system_names"] = self.system_names.split(",")
        if self.map:
            options["map"] = dict(_assignment(text, "--map OLD=NEW") for text in self.map)
            if several := [text for text in self.map if text.count("=") > 1]:
                raise UserError(f"{quoted(several[0])} has more than one =; write --map OLD=NEW once per label")
        return options


def _files(options: dict[str, Any]) -> list[str]:
    """Return the files that keywords of `load` name, those of folders and patterns one by one, where they are there."""
    from slicewise.read.files import paths_of
    from slicewise.read.source import split_column

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


def _systems(texts: list[str]) -> dict[str, list[str] | str]:
    """Return the files of each system. The same name given twice makes restarts; files without a name never do."""
    systems: dict[str, list[str]] = {}
    unnamed: list[str] = []
    for text in texts:
        if "=" not in text or is_file(text):
            unnamed.append(text)
            continue
        name, path = _assignment(text, "--system NAME=FILE")
        systems.setdefault(name, []).append(path)
    for text in unnamed:
        name = _name_of(text)
        if name in systems:
            raise UserError(f"two systems would be called {quoted(name)}; name them: --system NAME=FILE")
        systems[name] = [text]
    return {name: files[0] if len(files) == 1 else files for name, files in systems.items()}


def _name_of(text: str) -> str:
    """Return a file's stem, or the column where one is named."""
    path, _, column = text.rpartition(":")
    return column if path and not is_file(text) else Path(text).name.removesuffix(Path(text).suffix)
