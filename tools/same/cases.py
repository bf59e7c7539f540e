"""The command lines that both versions are run with. They use no option that an older version may lack."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from same.data_sets import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from same.data_sets import DataSet

RESULT = ("--json", "result.json", "--csv", "csv")
TABLES = (*RESULT, "--latex", "latex", "--markdown", "markdown")
DRAWS = ("--resamples", "50")
PARTS = (1, 3, 7)
SPARK_PARTS = 3
SPARK = ("--engine", "spark", "--master", "local[2]")
QUICK = ("chat", "sentiment", "questions")
"""The data sets of a quick run, in memory and in three parts."""


@dataclass(frozen=True)
class Case:
    """A command line, run in a folder that has the case's name and keeps all that it writes."""

    name: str
    arguments: tuple[str, ...]
    needs: tuple[str, ...] = ()
    """Cases that write what this one reads."""
    counted: str = ""
    """A Parquet file whose rows are divided into parts, seen from the case's folder."""
    parts: int = 0


@dataclass(frozen=True)
class Lens:
    """A command with options, and whether it works on data in parts."""

    name: str
    arguments: tuple[str, ...]
    in_parts: bool = False
    of_units: bool = False
    """Whether only data with units has it."""
    scores: bool = True
    """Whether it takes a metric."""


def cases(data_sets: Iterable[DataSet], *, spark: bool = False, quick: bool = False) -> list[Case]:
    """Return the cases of some data sets, and of the examples' configuration with several."""
    chosen = [data for data in data_sets if not quick or data.name in QUICK]
    several = [] if quick else _configured()
    return [*(case for data in chosen for case in _cases(data, spark=spark, quick=quick)), *several]


def selected(every: Sequence[Case], patterns: Sequence[str]) -> list[Case]:
    """Return the cases with one of these patterns in their names, and those that they need."""
    wanted = [case for case in every if any(fnmatch(case.name, f"*{pattern}*") for pattern in patterns)]
    needed = {name for case in wanted for name in (case.name, *case.needs)}
    return [case for case in every if case.name in needed]


def _cases(data: DataSet, *, spark: bool, quick: bool) -> list[Case]:
    """Return a data set's cases: converted, in memory, in parts, on Spark."""
    lenses = [lens for lens in _lenses(data) if data.has_units or not lens.of_units]
    converted = {file: f"{data.name}.convert.{file.replace('/', '.')}" for file in data.files}
    found = [Case(name, ("convert", str(data.folder / file), "-o", "data.parquet")) for file, name in converted.items()]
    metric = ("--metric", data.metric) if data.metric else ()
    lines = {lens: (*lens.arguments, *(metric if lens.scores else ())) for lens in lenses}
    here = data.arguments(lambda file: str(data.folder / file))
    found += [Case(f"{data.name}.{lens.name}.memory", (*lines[lens], *here)) for lens in lenses]

    there = data.arguments(lambda file: f"../{converted[file]}/data.parquet")
    ways: list[tuple[str, int, tuple[str, ...]]] = [(f"parts-{n}", n, ()) for n in ((3,) if quick else PARTS)]
    ways += [("spark", SPARK_PARTS, SPARK)] if spark else []
    for way, parts, engine in ways:
        found += [
            Case(
                f"{data.name}.{lens.name}.{way}",
                (*lines[lens], *there, *engine),
                tuple(converted.values()),
                f"../{converted[data.counted]}/data.parquet",
                parts,
            )
            for lens in lenses
            if lens.in_parts
        ]
    return found


def _lenses(data: DataSet) -> list[Lens]:
    """Return every command with its options, but for those that name the data."""
    pair = data.first_two
    first = ("--only", data.systems[0][0])
    more = ("--bigrams", "--shapes", "--numbers", *first)
    few = first if data.task == "text" else ()  # scores that nearly all differ take long to rank
    columns = {"spans": "bins,errors,attributes", "text": "attributes"}.get(data.task, "bins,attributes")
    metrics = ("--metric", "bleu", "--metric", "chrf") if data.task == "text" else ()
    suspects = ("--write-suspects", "suspects.csv")
    return [
        Lens("score", ("score", *metrics, *TABLES, *DRAWS), in_parts=True),
        Lens("buckets", ("buckets", *TABLES, *DRAWS), in_parts=True),
        Lens("features", ("features", *few, *TABLES), in_parts=True),
        Lens("features-more", ("features", *more, "--best", *TABLES), in_parts=True),
        Lens("features-worsening", ("features", "--worsening", pair, *TABLES), in_parts=True),
        Lens("features-units", ("features", "--units", *more, *TABLES), in_parts=True, of_units=True),
        Lens("complement", ("complement", *TABLES, *DRAWS), in_parts=True),
        Lens("difficulty", ("difficulty", *suspects, *TABLES, *DRAWS), in_parts=True),
        Lens("ensemble", ("complement", "--write-ensemble", "ensemble.txt", *DRAWS), of_units=True),
        Lens("study", ("study", *TABLES, *DRAWS)),
        Lens("items", ("items", *RESULT)),
        Lens("items-diff", ("items", "--diff", pair, "--top", "50", *RESULT)),
        Lens("units", ("units", "--with", columns, "-o", "units.csv", *RESULT), scores=False),
        Lens("report", ("report", "-o", "page.html", *TABLES, *DRAWS)),
    ]


def _configured() -> list[Case]:
    """Return the cases of the configuration in the examples, with two data sets."""
    data = ("--config", str(EXAMPLES / "slicewise.toml"))
    lines = {
        "score": ("score", *TABLES, *DRAWS),
        "study": ("study", *TABLES, *DRAWS),
        "study-pair": ("study", "--compare", "crf,hmm", "--shared-cuts", "--group-by", "eLen", *TABLES, *DRAWS),
        "report": ("report", "-o", "page.html", *TABLES, *DRAWS),
    }
    return [Case(f"config.{name}.memory", (*line, *data)) for name, line in lines.items()]
