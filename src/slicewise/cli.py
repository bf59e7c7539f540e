"""The command line: a thin door over the Python functions of the same names."""

from __future__ import annotations

import inspect
import io
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from slicewise._version import __version__
from slicewise.errors import UserError, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from slicewise.evaluation import Evaluation
    from slicewise.results.base import Result

app = typer.Typer(
    name="slicewise",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Where a language system is wrong, whether that is real, and what fixing it would be worth.",
    epilog="Try: slicewise score --gold test.conll --system mine=output.conll",
)

DATA, READING, INFERENCE, OUTPUT = "Data", "Reading and comparing", "Scoring", "Output"


def _option(*names: str, help: str, panel: str, metavar: str | None = None) -> Any:  # noqa: A002
    return typer.Option(*names, help=help, rich_help_panel=panel, metavar=metavar, show_default=False)


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """What is evaluated; the same for all commands."""

    gold: Annotated[str | None, _option("--gold", help="The gold standard.", panel=DATA, metavar="FILE[:COLUMN]")] = (
        None
    )
    system: Annotated[
        list[str] | None,
        _option(
            "--system", "-s", help="A system's output; repeat. The same NAME again is a restart.", panel=DATA,
            metavar="NAME=FILE[:COLUMN]",
        ),
    ] = None  # fmt: skip
    input: Annotated[
        list[str] | None,
        _option("--input", help="Input text, one item per line or row; repeat.", panel=DATA, metavar="FILE[:COLUMN]"),
    ] = None
    train: Annotated[str | None, _option("--train", help="Training data.", panel=DATA, metavar="FILE")] = None
    matrix: Annotated[
        str | None,
        _option(
            "--matrix", help="Instead of gold and systems: a 0/1 table of items × systems.", panel=DATA, metavar="FILE"
        ),
    ] = None
    system_names: Annotated[
        str | None, _option("--system-names", help="Names of the matrix's columns.", panel=DATA, metavar="A,B,C")
    ] = None
    name: Annotated[
        str | None, _option("--name", help="The data set's name; with --config: which one.", panel=DATA, metavar="TEXT")
    ] = None
    config: Annotated[
        Path | None, _option("--config", help="The same settings in a file.", panel=DATA, metavar="FILE.toml")
    ] = None
    task: Annotated[
        str | None,
        _option(
            "--task",
            help="spans, tokens, labels, multilabel, text or scores; told from the files.",
            panel=READING,
            metavar="TASK",
        ),
    ] = None
    format: Annotated[
        str | None,
        _option("--format", help="conll, jsonl, table or lines; told from the files.", panel=READING, metavar="FORMAT"),
    ] = None
    cluster: Annotated[
        str | None,
        _option(
            "--cluster", help="What items are resampled by: a field, or item; documents where marked.", panel=READING,
            metavar="FIELD|item",
        ),
    ] = None  # fmt: skip
    map: Annotated[
        list[str] | None, _option("--map", help="Rename a label; repeat.", panel=READING, metavar="OLD=NEW")
    ] = None
    ignore: Annotated[
        list[str] | None, _option("--ignore", help="Leave out a label; repeat.", panel=READING, metavar="LABEL")
    ] = None
    scheme: Annotated[
        str | None,
        _option("--scheme", help="auto, iob1, iob2, bioes, bilou, bmes or io.", panel=READING, metavar="SCHEME"),
    ] = None
    strict: Annotated[
        bool | None, _option("--strict", help="Drop tags that the scheme does not allow.", panel=READING)
    ] = None
    strict_tokens: Annotated[
        bool | None, _option("--strict-tokens", help="Token texts that differ are an error.", panel=READING)
    ] = None
    strip_prefix: Annotated[
        bool | None, _option("--strip-prefix", help="Task tokens: compare tags without B-, I- ….", panel=READING)
    ] = None
    negative_label: Annotated[
        str | None,
        _option("--negative-label", help="The label that makes no unit; O for tokens.", panel=READING, metavar="LABEL"),
    ] = None
    lower: Annotated[
        bool | None, _option("--lower", help="Fold case where attributes compare strings.", panel=READING)
    ] = None
    json: Annotated[
        str | None, _option("--json", help="The result as JSON; - is standard output.", panel=OUTPUT, metavar="FILE|-")
    ] = None
    csv: Annotated[
        Path | None, _option("--csv", help="The result's tables as CSV files.", panel=OUTPUT, metavar="DIR")
    ] = None
    quiet: Annotated[bool, _option("--quiet", "-q", help="No progress and no notes.", panel=OUTPUT)] = False
    scoring: dict[str, Any] = field(default_factory=dict, init=False)

    def evaluations(self, on_file: Callable[[str], None]) -> Iterator[Evaluation]:
        """Load each data set in turn."""
        from slicewise.evaluation import load

        several = self._datasets()
        for options in several:
            try:
                yield load(**options, on_file=on_file)
            except UserError as error:
                if len(several) == 1 or error.where is not None:
                    raise
                raise UserError(f"data set {options.get('name')}: {error}") from None

    def _datasets(self) -> list[dict[str, Any]]:
        given = self._given()
        if self.config is None:
            return [given]
        from slicewise.config import datasets, read_settings
        from slicewise.errors import did_you_mean, quoted

        settings = read_settings(self.config)
        self.scoring.update(settings.scoring())
        found = datasets(settings, self.config)
        if self.name is not None and settings.dataset:
            names = [str(d.get("name", "")) for d in found]
            if self.name not in names:
                raise UserError(
                    f"no data set {quoted(self.name)}; {did_you_mean(self.name, names)}", where=str(self.config)
                )
            found = [d for d in found if d.get("name") == self.name]
        systems = given.pop("systems", {})
        return [d | given | {"systems": d.get("systems", {}) | systems} for d in found]

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
                raise UserError(f"{several[0]!r} has more than one =; write --map OLD=NEW once per label")
        if self.ignore:
            given["ignore"] = self.ignore
        return given


def _assignment(text: str, usage: str) -> tuple[str, str]:
    left, equals, right = text.partition("=")
    if not equals or not left or not right:
        raise UserError(f"{text!r} is not of the form {usage.rsplit(maxsplit=1)[-1]}; write {usage}")
    return left, right


def _systems(given: list[str]) -> dict[str, list[str] | str]:
    """Return the files of each system. The same name given twice makes restarts; files without a name never do."""
    found: dict[str, list[str]] = {}
    unnamed: list[str] = []
    for text in given:
        if "=" not in text or Path(text).exists():
            unnamed.append(text)
            continue
        name, path = _assignment(text, "--system NAME=FILE")
        found.setdefault(name, []).append(path)
    for text in unnamed:
        name = _own_name(text)
        if name in found:
            raise UserError(f"two systems would be called {name!r}; name them: --system NAME=FILE")
        found[name] = [text]
    return {name: files[0] if len(files) == 1 else files for name, files in found.items()}


def _own_name(text: str) -> str:
    """Return a file's stem, or the column where one is named."""
    path, _, column = text.rpartition(":")
    return column if path and not Path(text).exists() else Path(text).name.removesuffix(Path(text).suffix)


def _command(function: Callable[..., None]) -> Callable[..., None]:
    """Add the data options to a command's own."""
    hints = get_type_hints(DataOptions, include_extras=True)
    shared = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(DataOptions)
        if f.init
    ]
    names = {p.name for p in shared}
    own = [p for p in inspect.signature(function, eval_str=True).parameters.values() if p.name != "data"]

    def run(**given: Any) -> None:
        data = DataOptions(**{name: given.pop(name) for name in names})
        function(data, **given)

    run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    run.__doc__ = function.__doc__
    app.command(function.__name__)(run)
    return function


@_command
def score(
    data: DataOptions,
    *,
    metric: Annotated[
        list[str] | None,
        _option("--metric", "-m", help="A metric; repeat. The first ranks.", panel=INFERENCE, metavar="NAME"),
    ] = None,
    beta: Annotated[
        float | None,
        _option("--beta", help="F_β instead of F1: above 1, recall counts more.", panel=INFERENCE, metavar="B"),
    ] = None,
    resamples: Annotated[
        int | None,
        _option("--resamples", help="Bootstrap draws; 0 = no intervals; 1000.", panel=INFERENCE, metavar="N"),
    ] = None,
    confidence: Annotated[
        float | None, _option("--confidence", help="Of the intervals; 0.95.", panel=INFERENCE, metavar="SHARE")
    ] = None,
    seed: Annotated[int | None, _option("--seed", help="Of the draws; 0.", panel=INFERENCE, metavar="N")] = None,
    restarts: Annotated[
        str | None,
        _option("--restarts", help="first or each: which runs paired tests take.", panel=INFERENCE, metavar="WHICH"),
    ] = None,
) -> None:
    """Give corpus scores with intervals, per label, kinds of error, and paired tests between systems."""
    from slicewise.lenses.score import score as lens

    own = {
        "metric": metric,
        "beta": beta,
        "resamples": resamples,
        "confidence": confidence,
        "seed": seed,
        "restarts": restarts,
    }
    _check_outputs(data)
    results: list[Result] = []
    with _progress(data) as step:
        for evaluation in data.evaluations(lambda file: step(f"reading {file}")):
            step(f"scoring {evaluation.name}")
            options = data.scoring | {key: value for key, value in own.items() if value is not None}
            options["metrics"] = [name for given in options.pop("metric", ()) for name in given.split(",") if name]
            results.append(lens(evaluation, **options))
    _deliver(data, results)


@_command
def units(
    data: DataOptions,
    *,
    include: Annotated[
        str | None, _option("--with", help="More columns: bins, errors.", panel=OUTPUT, metavar="bins,errors")
    ] = None,
    output: Annotated[
        Path | None, _option("--output", "-o", help="A .csv, .jsonl or .parquet file.", panel=OUTPUT, metavar="FILE")
    ] = None,
) -> None:
    """Show the unit table itself: every gold and every returned unit, and who has it."""
    from slicewise.lenses.units import units as lens
    from slicewise.results.files import check_writable

    _check_outputs(data)
    if output is not None:
        check_writable(output)
    chosen = tuple(part.strip() for part in (include or "").split(",") if part.strip())
    with _progress(data) as step:
        results = []
        for evaluation in data.evaluations(lambda file: step(f"reading {file}")):
            step(f"listing the units of {evaluation.name}")
            results.append(lens(evaluation, include=chosen))
    if output is not None:
        if len(results) > 1:
            raise UserError("several data sets and one --output; pick one with --name, or use --csv DIR")
        results[0].write(output)
        _say(data, f"wrote {output}")
    _deliver(data, list(results))


def _check_outputs(data: DataOptions) -> None:
    from slicewise.results.files import check_writable

    if data.json not in (None, "-"):
        check_writable(Path(str(data.json)))
    if data.csv is not None:
        check_writable(data.csv, folder=True)


def _deliver(data: DataOptions, results: list[Result]) -> None:
    """Write what was asked for, and show the rest; a reader that goes away (`| head`) is no error."""
    try:
        _write(data, results)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(data: DataOptions, results: list[Result]) -> None:
    from slicewise.results.files import safe_name, write_tables, write_text

    text = _json(results) if data.json is not None else ""
    if data.csv is not None:
        for result in results:
            folder = data.csv if len(results) == 1 else data.csv / safe_name(result.data["name"])
            tables = {"units": result.to_polars()} if result.command == "units" else result.tables()
            _say(data, f"wrote {counted(len(write_tables(folder, tables)), 'table')} to {folder}{os.sep}")
    if data.json == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    if data.json is not None:
        write_text(Path(data.json), text)
        _say(data, f"wrote {data.json}")
    from slicewise.render.terminal import show

    for i, result in enumerate(results):
        if i:
            sys.stdout.write("\n")
        show(result.blocks())
    sys.stdout.flush()


def _json(results: list[Result]) -> str:
    """Return one result's document, or one that holds those of several data sets."""
    if len(results) == 1:
        return results[0].to_json()
    import json

    documents = [result.to_dict() for result in results]
    head = {key: documents[0][key] for key in ("slicewise", "schema", "command")}
    parts = [{key: d[key] for key in ("signature", "data", "result")} for d in documents]
    signature = " || ".join(d["signature"] for d in documents)
    return (
        json.dumps(head | {"signature": signature, "datasets": parts}, ensure_ascii=False, indent=1, allow_nan=False)
        + "\n"
    )


def _say(data: DataOptions, text: str) -> None:
    if not data.quiet:
        sys.stderr.write(f"slicewise: {text}\n")


@contextmanager
def _progress(data: DataOptions) -> Iterator[Callable[[str], None]]:
    """Say on standard error what is being done, for how long; nothing when it is no terminal, or --quiet."""
    if data.quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)
        yield lambda text: progress.update(task, description=escape(text))


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"slicewise {__version__}\n")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line: 0 done, 2 the user's input is wrong."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # whatever the locale: results are full of text from the data
    # typer shows only the subclasses of the exception that all misuse of the command line raises
    misuse: type[Exception] = next(k for k in typer.BadParameter.__mro__ if k.__name__ == "ClickException")
    try:
        app(standalone_mode=False)
    except UserError as error:
        _fail(str(error))
    except misuse as error:
        _fail(_one_line(error))
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except MemoryError:
        _fail("not enough memory; use fewer systems or a smaller file")


def _one_line(error: Any) -> str:
    text = " ".join(error.format_message().split())
    if not text:
        sys.exit(2)  # help was shown
    context = getattr(error, "ctx", None)
    return f"{text.rstrip('.')}; see {context.command_path if context else 'slicewise'} --help"


def _fail(message: str) -> None:
    sys.stderr.write(f"slicewise: {message}\n")
    sys.exit(2)


if __name__ == "__main__":
    main()
