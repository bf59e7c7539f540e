"""The command line: a thin door over the Python functions of the same names."""

from __future__ import annotations

import gc
import inspect
import io
import os
import sys
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from slicewise._version import __version__
from slicewise.data_options import FEATURES, OUTPUT, RANKING, SCORING, SLICING, DataOptions, option
from slicewise.errors import UserError, counted, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from slicewise.annotations import Task
    from slicewise.results.base import Result

ALL_WAYS = ("first", "each", "blocks", "average")
"""What --restarts may say, each to some command."""

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


Metrics = Annotated[
    list[str] | None,
    option("--metric", "-m", help="A metric; repeat. The first ranks.", panel=SCORING, metavar="NAME"),
]
Beta = Annotated[
    float | None, option("--beta", help="F_β instead of F1: above 1, recall counts more.", panel=SCORING, metavar="B")
]
Draws = Annotated[
    int | None, option("--resamples", help="Bootstrap draws; 0 = no intervals; 1000.", panel=SCORING, metavar="N")
]
Confidence = Annotated[
    float | None, option("--confidence", help="Of the intervals; 0.95.", panel=SCORING, metavar="SHARE")
]
Seed = Annotated[int | None, option("--seed", help="Of the draws; 0.", panel=SCORING, metavar="N")]
Restarts = Annotated[
    str | None,
    option("--restarts", help="first or each: which runs paired tests take.", panel=SCORING, metavar="WHICH"),
]
Attributes = Annotated[
    list[str] | None,
    option(
        "--attribute", "-a", help="An attribute, or FILE.py:FUNCTION; repeat. all, core.", panel=SLICING, metavar="NAME"
    ),
]
Size = Annotated[int | None, option("--buckets", help="How many buckets; 4.", panel=SLICING, metavar="M")]
Cuts = Annotated[
    list[str] | None,
    option(
        "--cuts", help="Cut points: numbers, quantile(M), width(M) or values; repeat.", panel=SLICING,
        metavar="ATTR=A,B,C",
    ),
]  # fmt: skip
SharedCuts = Annotated[
    bool | None, option("--shared-cuts", help="Cut all data sets at the same points.", panel=SLICING)
]
Compare = Annotated[
    list[str] | None, option("--compare", help="Two systems; repeat. All pairs.", panel=SLICING, metavar="A,B")
]

Threshold = Annotated[
    str | None,
    option(
        "--threshold",
        help="From which score on an item counts as found; 25% = a quantile of the scores.",
        panel=SCORING,
        metavar="X",
    ),
]
ItemMetric = Annotated[
    list[str] | None,
    option("--metric", "-m", help="What items of text and scores are scored by.", panel=SCORING, metavar="NAME"),
]
TakingPart = Annotated[
    str | None,
    option("--restarts", help="first or each: which runs of a system take part.", panel=SCORING, metavar="WHICH"),
]
Tokenizer = Annotated[
    str | None,
    option(
        "--tokenizer", help="words, whitespace, 13a, char, icu or geval; words for running text.", panel=FEATURES,
        metavar="NAME",
    ),
]  # fmt: skip

Latex = Annotated[
    Path | None, option("--latex", help="Every table as a LaTeX file (booktabs).", panel=OUTPUT, metavar="DIR")
]
Markdown = Annotated[
    Path | None, option("--markdown", help="Every table as a Markdown file.", panel=OUTPUT, metavar="DIR")
]


@_command
def score(
    data: DataOptions,
    *,
    metric: Metrics = None,
    beta: Beta = None,
    resamples: Draws = None,
    confidence: Confidence = None,
    seed: Seed = None,
    restarts: Restarts = None,
) -> None:
    """Give corpus scores with intervals, per label, kinds of error, and paired tests between systems."""
    from slicewise.lenses.score import score as lens

    own = {
        "metric": metric, "beta": beta, "resamples": resamples, "confidence": confidence, "seed": seed,
        "restarts": restarts,
    }  # fmt: skip
    _check_outputs(data)
    results: list[Result] = []
    with _progress(data) as step:
        for evaluation in data.evaluations(lambda file: step(f"reading {file}")):
            step(f"scoring {evaluation.name}")
            results.append(lens(evaluation, **_scoring(data, own)))
    _deliver(data, results)


def _scoring(data: DataOptions, own: dict[str, Any], ways: Sequence[str] = ("first", "each")) -> dict[str, Any]:
    """Return how to score: what the command line says, else what the configuration file says.

    The file serves all commands: what it says of restarts holds where a command knows such a way.
    """
    from_file = {k: v for k, v in data.scoring.items() if k != "restarts" or v in ways or v not in ALL_WAYS}
    options = from_file | {key: value for key, value in own.items() if value is not None}
    options["metrics"] = _listed(options.pop("metric", ()))
    return options


def _listed(given: Iterable[str]) -> list[str]:
    """Return the names of an option that may be repeated, or hold several, separated by commas."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


@_command
def buckets(
    data: DataOptions,
    *,
    attribute: Attributes = None,
    buckets: Size = None,
    cuts: Cuts = None,
    cross: Annotated[
        list[str] | None, option("--cross", help="Two attributes crossed; repeat.", panel=SLICING, metavar="A,B")
    ] = None,
    shared_cuts: SharedCuts = None,
    compare: Compare = None,
    metric: Metrics = None,
    beta: Beta = None,
    resamples: Draws = None,
    confidence: Confidence = None,
    seed: Seed = None,
    restarts: Restarts = None,
    latex: Latex = None,
    markdown: Markdown = None,
) -> None:
    """Break scores down by attributes of the units, with self- and comparative diagnosis (one data set)."""
    from slicewise.lenses.buckets import buckets as lens

    own = {
        "metric": metric, "beta": beta, "resamples": resamples, "confidence": confidence, "seed": seed,
        "restarts": restarts,
    }  # fmt: skip
    _check_outputs(data, latex, markdown)
    with _progress(data) as step:
        loaded = data.evaluations(lambda file: step(f"reading {file}"), token_columns=True)
        evaluations = list(loaded) if shared_cuts else loaded
        results: list[Result] = []
        for evaluation in evaluations:
            step(f"breaking down {evaluation.name}")
            options = _scoring(data, own) | _slicing(data, attribute, buckets, cuts, compare)
            options["cross"] = [_two(pair, "--cross") for pair in cross or ()]
            options["shared_with"] = evaluations if shared_cuts else ()
            results.append(lens(evaluation, **options))
    _write_grids(data, results, latex, markdown)
    _deliver(data, results)


def _slicing(
    data: DataOptions,
    attribute: list[str] | None,
    buckets: int | None,
    cuts: list[str] | None,
    compare: list[str] | None,
) -> dict[str, Any]:
    """Return how to slice: what the command line says, else what the configuration file says."""
    from slicewise.bucketing import parse_cuts

    given = dict(data.slicing)
    if attribute:
        given["attributes"] = _listed(attribute)
    if buckets is not None:
        given["buckets"] = buckets
    if cuts:
        given["cuts"] = given.get("cuts", {}) | dict(parse_cuts(text) for text in cuts)
    if compare:
        given["compare"] = [_two(pair, "--compare") for pair in compare]
    return given


def _two(text: str, option_name: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise UserError(f"{text!r} does not name two; write {option_name} A,B")
    return parts[0], parts[1]


@_command
def study(
    data: DataOptions,
    *,
    attribute: Attributes = None,
    buckets: Size = None,
    cuts: Cuts = None,
    shared_cuts: SharedCuts = None,
    compare: Compare = None,
    group_by: Annotated[
        list[str] | None,
        option(
            "--group-by",
            help="Diagnose data sets with a low and a high mean of ATTR apart; repeat.",
            panel=SLICING,
            metavar="ATTR",
        ),
    ] = None,
    paper_tests: Annotated[
        bool, option("--paper-tests", help="Diagnose as the paper did: pick and test on the same data.", panel=SLICING)
    ] = False,
    metric: Metrics = None,
    beta: Beta = None,
    resamples: Draws = None,
    confidence: Confidence = None,
    seed: Seed = None,
    restarts: Annotated[
        str | None,
        option("--restarts", help="average, blocks (of the tests) or first.", panel=SCORING, metavar="WHICH"),
    ] = None,
    latex: Latex = None,
    markdown: Markdown = None,
) -> None:
    """Study several data sets × systems × restarts: model-, attribute- and bucket-wise measures and tests."""
    from slicewise.lenses.study import WAYS
    from slicewise.lenses.study import study as lens

    own = {
        "metric": metric, "beta": beta, "resamples": resamples, "confidence": confidence, "seed": seed,
        "restarts": restarts,
    }  # fmt: skip
    _check_outputs(data, latex, markdown)
    with _progress(data) as step:
        evaluations = list(data.evaluations(lambda file: step(f"reading {file}"), token_columns=True))
        options = _scoring(data, own, WAYS) | _slicing(data, attribute, buckets, cuts, compare)
        options |= {"shared_cuts": bool(shared_cuts), "group_by": _listed(group_by or ()), "paper_tests": paper_tests}
        result = lens(evaluations, **options, on_dataset=lambda name: step(f"breaking down {name}"))
    _write_grids(data, [result], latex, markdown)
    _deliver(data, [result])


def _write_grids(data: DataOptions, results: Sequence[Result], latex: Path | None, markdown: Path | None) -> None:
    """Write every table as a file that can go into a paper; several data sets in folders of their own."""
    from slicewise.render.latex import as_latex
    from slicewise.render.markdown import as_markdown
    from slicewise.results.files import safe_name, unique, write_texts

    media = [(latex, "tex", as_latex), (markdown, "md", lambda grid: as_markdown([grid]))]
    for folder, ending, rendered in media:
        if folder is None:
            continue
        for result, own in zip(results, unique([safe_name(r.data["name"]) for r in results]), strict=True):
            made = result.grids()
            names = unique([safe_name(grid.name) for grid in made])
            place = folder if len(results) == 1 else folder / own
            texts = {name: rendered(grid) for name, grid in zip(names, made, strict=True)}
            for text in texts:
                data.check_not_read(place / f"{text}.{ending}")
            _say(data, f"wrote {counted(len(write_texts(place, texts, ending)), 'table')} to {place}{os.sep}")


@_command
def features(
    data: DataOptions,
    *,
    worst: Annotated[bool, option("--worst", help="Features of low scores (default).", panel=RANKING)] = False,
    best: Annotated[bool, option("--best", help="Features of high scores.", panel=RANKING)] = False,
    worsening: Annotated[
        str | None,
        option("--worsening", help="What got worse from one system to another.", panel=RANKING, metavar="OLD,NEW"),
    ] = None,
    improving: Annotated[
        str | None,
        option("--improving", help="What got better from one system to another.", panel=RANKING, metavar="OLD,NEW"),
    ] = None,
    ratio: Annotated[
        bool, option("--ratio", help="Compare two systems by new/old, not by new − old.", panel=RANKING)
    ] = False,
    units: Annotated[bool, option("--units", help="Rank over units: missed and spurious ones.", panel=RANKING)] = False,
    only: Annotated[
        list[str] | None, option("--only", help="One system; repeat. All.", panel=RANKING, metavar="SYSTEM")
    ] = None,
    bigrams: Annotated[bool, option("--bigrams", help="Two adjacent tokens, too.", panel=FEATURES)] = False,
    ngrams: Annotated[
        int | None, option("--ngrams", help="Runs of up to N adjacent tokens.", panel=FEATURES, metavar="N")
    ] = None,
    shapes: Annotated[bool, option("--shapes", help="Word shapes, too: A+, Aa+, 99.9.", panel=FEATURES)] = False,
    pairs: Annotated[bool, option("--pairs", help="Every two features of an item, too.", panel=FEATURES)] = False,
    numbers: Annotated[bool, option("--numbers", help="Numerical fields and lengths, too.", panel=FEATURES)] = False,
    attribute: Annotated[
        list[str] | None,
        option(
            "--attribute", "-a", help="An attribute, FILE.py:FUNCTION, or all; repeat.", panel=FEATURES, metavar="NAME"
        ),
    ] = None,
    tokenizer: Tokenizer = None,
    min_count: Annotated[
        int | None,
        option("--min-count", help="Items with a feature, and without it, at least; 5.", panel=FEATURES, metavar="N"),
    ] = None,
    min_pair_count: Annotated[
        int | None,
        option("--min-pair-count", help="The same for pairs and their parts.", panel=FEATURES, metavar="N"),
    ] = None,
    top: Annotated[int, option("--top", help="How many are shown; 0 = all.", panel=RANKING, metavar="N")] = 20,
    no_fold: Annotated[
        bool, option("--no-fold", help="Show features of the same items one by one.", panel=RANKING)
    ] = False,
    correction: Annotated[
        str, option("--correction", help="Of p for many tests: bh, by or holm.", panel=RANKING, metavar="HOW")
    ] = "bh",
    geval: Annotated[
        bool, option("--geval", help="The numbers of the published tool, exactly.", panel=RANKING)
    ] = False,
    metric: Metrics = None,
    beta: Beta = None,
    resamples: Draws = None,
    confidence: Confidence = None,
    seed: Seed = None,
    restarts: Restarts = None,
    latex: Latex = None,
    markdown: Markdown = None,
) -> None:
    """Rank the words, shapes, labels, lengths and values that go with low scores, beyond chance."""
    from slicewise.lenses.features import features as lens

    asked = {"worst": worst, "best": best, "worsening": worsening, "improving": improving}
    chosen = [name for name, value in asked.items() if value]
    if len(chosen) > 1:
        raise UserError(f"--{chosen[0]} and --{chosen[1]} ask for different lists; choose one")
    direction = chosen[0] if chosen else "worst"
    pair = worsening or improving
    own = {
        "metric": metric, "beta": beta, "resamples": resamples, "confidence": confidence, "seed": seed,
        "restarts": restarts,
    }  # fmt: skip
    _check_outputs(data, latex, markdown)
    with _progress(data) as step:
        options: dict[str, Any] = {
            "direction": direction,
            "change": _two(pair, f"--{direction}") if pair else None,
            "only": _listed(only or ()),
            "bigrams": bigrams,
            "ngrams": ngrams,
            "shapes": shapes,
            "pairs": pairs,
            "numbers": numbers,
            "attributes": _listed(attribute or ()),
            "tokenizer": tokenizer,
            "min_count": min_count,
            "min_pair_count": min_pair_count,
            "top": top,
            "fold": not no_fold,
            "units": units,
            "ratio": ratio,
            "geval": geval,
            "correction": correction,
            "on_step": step,
        }
        loaded = data.evaluations(lambda file: step(f"reading {file}"), token_columns=bool(attribute or units))
        results: list[Result] = [lens(evaluation, **_scoring(data, own), **options) for evaluation in loaded]
    _write_grids(data, results, latex, markdown)
    _deliver(data, results)


@_command
def items(
    data: DataOptions,
    *,
    worst: Annotated[bool, option("--worst", help="Low scores first.", panel=RANKING)] = False,
    best: Annotated[bool, option("--best", help="High scores first.", panel=RANKING)] = False,
    diff: Annotated[
        str | None,
        option("--diff", help="By the difference of two systems, worsened first.", panel=RANKING, metavar="OLD,NEW"),
    ] = None,
    feature: Annotated[
        str | None,
        option("--feature", help="Only items with it: in:though, exp:1~~in:sad, …", panel=FEATURES, metavar="F"),
    ] = None,
    only: Annotated[
        str | None, option("--only", help="The system that the order goes by.", panel=RANKING, metavar="SYSTEM")
    ] = None,
    tokenizer: Tokenizer = None,
    top: Annotated[
        int | None, option("--top", help="How many; all, or 20 on a terminal.", panel=RANKING, metavar="N")
    ] = None,
    metric: Metrics = None,
    beta: Beta = None,
) -> None:
    """Show item by item: scores, text, what was expected and returned; sorted, filtered by a feature."""
    from slicewise.lenses.items import items as lens
    from slicewise.results.items import SHOWN

    if worst and best:
        raise UserError("--worst and --best ask for different orders; choose one")
    _check_outputs(data)
    read = data.json is not None or data.csv is not None
    limit = top if top is not None else SHOWN if sys.stdout.isatty() and not read else 0
    results: list[Result] = []
    with _progress(data) as step:
        for evaluation in data.evaluations(lambda file: step(f"reading {file}")):
            step(f"scoring the items of {evaluation.name}")
            scoring = _scoring(data, {"metric": metric, "beta": beta})
            results.append(
                lens(
                    evaluation,
                    metrics=scoring["metrics"],
                    beta=scoring.get("beta", 1.0),
                    order="worst" if worst else "best" if best else "file",
                    change=_two(diff, "--diff") if diff else None,
                    feature=feature,
                    only=only,
                    tokenizer=tokenizer,
                    top=limit,
                )
            )
    _deliver(data, results)


@_command
def complement(
    data: DataOptions,
    *,
    attribute: Attributes = None,
    buckets: Size = None,
    cuts: Cuts = None,
    compare: Annotated[
        list[str] | None,
        option("--compare", help="List the units of two systems; repeat. The best two.", panel=SLICING, metavar="A,B"),
    ] = None,
    top: Annotated[
        int, option("--top", help="Units listed per question; 0 = all; 10.", panel=SLICING, metavar="N")
    ] = 10,
    write_ensemble: Annotated[
        Path | None,
        option(
            "--write-ensemble", help="What systems return together, as a system file.", panel=OUTPUT, metavar="FILE"
        ),
    ] = None,
    ensemble: Annotated[
        str | None,
        option(
            "--ensemble",
            help="Which: union:A,B, intersection:A,B, vote:K, vote:K:A,B,C, majority, plurality, greedy, oracle.",
            panel=OUTPUT,
            metavar="WHICH",
        ),
    ] = None,
    threshold: Threshold = None,
    metric: ItemMetric = None,
    beta: Annotated[
        float | None,
        option("--beta", help="Of F_comp: above 1, what is missed counts more.", panel=SCORING, metavar="B"),
    ] = None,
    resamples: Draws = None,
    confidence: Confidence = None,
    seed: Seed = None,
    restarts: TakingPart = None,
    latex: Latex = None,
    markdown: Markdown = None,
) -> None:
    """Compare every two systems by whose errors they repair, and score unions, intersections and votes."""
    from slicewise.lenses.complement import complement as lens

    own = {
        "metric": metric, "beta": beta, "resamples": resamples, "confidence": confidence, "seed": seed,
        "restarts": restarts,
    }  # fmt: skip
    _check_outputs(data, latex, markdown)
    if write_ensemble is None and ensemble is not None:
        raise UserError("--ensemble says what --write-ensemble FILE writes; add it")
    if write_ensemble is not None:
        _check_output(data, write_ensemble, "--write-ensemble")
    results: list[Result] = []
    with _progress(data) as step:
        for evaluation in data.evaluations(lambda file: step(f"reading {file}"), token_columns=bool(attribute)):
            step(f"comparing the systems of {evaluation.name}")
            _check_item_metric(evaluation.task, metric)
            options = _scoring(data, own) | _slicing(data, attribute, buckets, cuts, compare)
            options |= {"threshold": threshold, "top": top, "write_ensemble": write_ensemble, "ensemble": ensemble}
            found = lens(evaluation, **options)
            results.append(found)
            if found.written is not None:
                left = f", {found.written.dropped:,} that overlap others left out" if found.written.dropped else ""
                units = counted(found.written.units, "unit")
                _say(data, f"wrote {found.written.path}: {found.written.ensemble}; {units}{left}")
    _write_grids(data, results, latex, markdown)
    _deliver(data, results)


def _check_item_metric(task: Task, metric: list[str] | None) -> None:
    if metric and task.has_units:
        raise UserError(
            f"units of the task {task.value} are right or wrong; --metric is for scored items; leave it out"
        )


@_command
def difficulty(
    data: DataOptions,
    *,
    surface: Annotated[
        str | None, option("--surface", help="One string's mentions over the bins.", panel=SLICING, metavar="TEXT")
    ] = None,
    attribute: Attributes = None,
    buckets: Size = None,
    cuts: Cuts = None,
    compare: Annotated[
        list[str] | None,
        option("--compare", help="Two systems bin by bin; repeat. The best two.", panel=SLICING, metavar="A,B"),
    ] = None,
    top: Annotated[
        int, option("--top", help="How many features, strings and mentions; 0 = all; 10.", panel=RANKING, metavar="N")
    ] = 10,
    write_suspects: Annotated[
        Path | None,
        option(
            "--write-suspects",
            help="Suspect gold for an annotator, .csv, .tsv or .jsonl.",
            panel=OUTPUT,
            metavar="FILE",
        ),
    ] = None,
    threshold: Threshold = None,
    metric: ItemMetric = None,
    resamples: Draws = None,
    confidence: Confidence = None,
    seed: Seed = None,
    restarts: TakingPart = None,
    latex: Latex = None,
    markdown: Markdown = None,
) -> None:
    """Put units into bins by how many systems find them: who owns which, what is in them, suspect gold."""
    from slicewise.lenses.difficulty import difficulty as lens
    from slicewise.results.difficulty import SUSPECT_FILES
    from slicewise.results.files import check_ending

    own = {
        "metric": metric, "resamples": resamples, "confidence": confidence, "seed": seed, "restarts": restarts,
    }  # fmt: skip
    _check_outputs(data, latex, markdown)
    if write_suspects is not None:
        check_ending(write_suspects, SUSPECT_FILES)
        _check_output(data, write_suspects, "--write-suspects")
    results = []
    with _progress(data) as step:
        for evaluation in data.evaluations(lambda file: step(f"reading {file}"), token_columns=True):
            step(f"comparing the systems of {evaluation.name}")
            _check_item_metric(evaluation.task, metric)
            options = _scoring(data, own) | _slicing(data, attribute, buckets, cuts, compare)
            options.pop("beta", None)
            options |= {"threshold": threshold, "top": top, "surface": surface}
            results.append(lens(evaluation, **options, on_step=step))
    if write_suspects is not None:
        results[0].write_suspects(write_suspects)
        listed, found = len(results[0].suspects), results[0].suspects_found
        of = f" of {found:,}" if listed < found else ""
        _say(data, f"wrote {counted(listed, 'suspect')}{of} to {write_suspects}")
    _write_grids(data, results, latex, markdown)
    _deliver(data, list(results))


@app.command()
def attributes() -> None:
    """List the attributes that buckets and study can use, with a sentence each."""
    from slicewise.attributes import catalogue
    from slicewise.attributes.listing import listing
    from slicewise.attributes.own import from_entry_points
    from slicewise.render.terminal import show

    show(listing(catalogue() | {attribute.name: attribute for attribute in from_entry_points()}))


@_command
def units(
    data: DataOptions,
    *,
    include: Annotated[
        str | None,
        option(
            "--with", help="More columns: bins, errors, attributes.", panel=OUTPUT, metavar="bins,errors,attributes"
        ),
    ] = None,
    output: Annotated[
        Path | None, option("--output", "-o", help="A .csv, .jsonl or .parquet file.", panel=OUTPUT, metavar="FILE")
    ] = None,
) -> None:
    """Show the unit table itself: every gold and every returned unit, and who has it."""
    from slicewise.lenses.units import units as lens

    _check_outputs(data)
    if output is not None:
        _check_output(data, output, "--output")
    chosen = tuple(part.strip() for part in (include or "").split(",") if part.strip())
    with _progress(data) as step:
        results = []
        wide = "attributes" in chosen
        for evaluation in data.evaluations(lambda file: step(f"reading {file}"), token_columns=wide):
            step(f"listing the units of {evaluation.name}")
            results.append(lens(evaluation, include=chosen))
    if output is not None:
        results[0].write(output)
        _say(data, f"wrote {output}")
    _deliver(data, list(results))


def _check_output(data: DataOptions, path: Path, option_name: str) -> None:
    """Check a file that is written beside the result: one data set's, not read, and not the result's own."""
    from slicewise.results.files import check_writable

    data.check_one(option_name)
    check_writable(path)
    data.check_not_read(path)
    if data.json not in (None, "-") and Path(str(data.json)).resolve() == path.resolve():
        raise UserError(f"is written by both --json and {option_name}; choose another path", where=str(path))


def _check_outputs(data: DataOptions, *folders: Path | None) -> None:
    from slicewise.results.files import check_writable

    for folder in folders:
        if folder is not None:
            check_writable(folder, folder=True)
    if data.json not in (None, "-"):
        check_writable(Path(str(data.json)))
        data.check_not_read(Path(str(data.json)))
    if data.csv is not None:
        check_writable(data.csv, folder=True)


def _deliver(data: DataOptions, results: list[Result]) -> None:
    """Write what was asked for, and show the rest; a reader that goes away (`| head`) is no error."""
    try:
        _write(data, results)
    except BrokenPipeError:
        _silence()
        return
    except OSError as error:
        _silence()
        raise UserError(f"standard output cannot be written: {error.strerror or error}") from None
    for warning in dict.fromkeys(warning for result in results for warning in result.data["warnings"]):
        _say(data, f"warning: {printable(warning)}")


def _silence() -> None:
    """Let nothing more be written to standard output, not even when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(data: DataOptions, results: list[Result]) -> None:
    from slicewise.results.files import safe_name, unique, write_tables, write_text

    text = _json(results) if data.json is not None else ""
    if data.csv is not None:
        for result, name in zip(results, unique([safe_name(r.data["name"]) for r in results]), strict=True):
            folder = data.csv if len(results) == 1 else data.csv / name
            tables = {"units": result.to_polars()} if result.command == "units" else result.tables()
            for table in tables:
                data.check_not_read(folder / f"{table}.csv")
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
        if (lines := result.lines()) is not None:
            sys.stdout.writelines(f"{line}\n" for line in lines)
            continue
        # warnings go to standard error, or stand here where nothing may go there
        show(block for block in result.blocks() if data.quiet or getattr(block, "tone", "") != "warning")
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
    _prepare_streams()
    if any(_is_not_text(argument) for argument in sys.argv):
        _fail("an argument is not valid UTF-8; rename the file, or write the name in UTF-8")
    # typer shows only the subclasses of the exception that all misuse of the command line raises
    misuse: type[Exception] = next(k for k in typer.BadParameter.__mro__ if k.__name__ == "ClickException")
    gc.disable()  # a command is short: looking for cycles costs a tenth of its start and finds nothing
    try:
        if isinstance(code := app(standalone_mode=False), int) and code:
            sys.exit(code)  # 130 after Ctrl-C
    except UserError as error:
        _fail(str(error))
    except misuse as error:
        _fail(_one_line(error))
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except MemoryError:
        _fail("not enough memory; use fewer systems or a smaller file")
    finally:
        gc.enable()


def _prepare_streams() -> None:
    """Write UTF-8 whatever the locale: results are full of text from the data. A closed stream swallows it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (to the end)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")


def _is_not_text(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeEncodeError:
        return True
    return "\0" in argument


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
