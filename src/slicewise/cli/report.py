"""`slicewise report`."""

import webbrowser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from slicewise.cli.data_options import DataOptions
from slicewise.cli.names import two_names
from slicewise.cli.option import FEATURES, OUTPUT, RANKING, SLICING, option
from slicewise.cli.output import check_output, check_outputs, deliver
from slicewise.cli.progress import progress
from slicewise.cli.scoring import ScoringOptions, Threshold
from slicewise.cli.slicing import Compare, SharedCuts, SlicingOptions
from slicewise.cli.tables import TableOptions


@dataclass(frozen=True, kw_only=True)
class ReportScoring(ScoringOptions):
    """How to score: each lens takes restarts as it does by itself."""

    restarts: None = field(default=None, init=False)


def report(
    *,
    output: Annotated[Path, option("--output -o", "The page; report.html.", OUTPUT, "FILE.html")] = Path("report.html"),
    open_it: Annotated[bool, option("--open", "Open the page in a browser.", OUTPUT)] = False,
    examples: Annotated[int, option("--examples", "Items of each slice that the page has; 20.", OUTPUT, "N")] = 20,
    title: Annotated[str | None, option("--title", "Of the page.", OUTPUT, "TEXT")] = None,
    slicing: SlicingOptions,
    cross: Annotated[
        list[str] | None, option("--cross", "Buckets of two attributes at once; repeat.", SLICING, "A,B")
    ] = None,
    shared_cuts: SharedCuts = None,
    compare: Compare = None,
    bigrams: Annotated[bool, option("--bigrams", "Rank bigrams as well.", FEATURES)] = False,
    shapes: Annotated[bool, option("--shapes", "Rank word shapes as well.", FEATURES)] = False,
    min_count: Annotated[int | None, option("--min-count", "Leave out rarer features; 5.", RANKING, "N")] = None,
    top: Annotated[int, option("--top", "How many features and strings; 0 = all; 20.", RANKING, "N")] = 20,
    threshold: Threshold = None,
    scoring: ReportScoring,
    tables: TableOptions,
    data: DataOptions,
) -> None:
    """Explain the systems to a person: all lenses on one self-contained HTML page, with the items behind it."""
    from slicewise.lenses.report import report as lens
    from slicewise.lenses.report.result import PAGES
    from slicewise.results.files import check_ending

    check_ending(output, PAGES)
    check_outputs(data, tables)
    check_output(data, output, "--output")
    with progress(data) as step:
        evaluations = list(data.evaluations(step, token_columns=True))
        options = scoring.chosen(data) | slicing.chosen(data, compare) | {"shared_cuts": bool(shared_cuts)}
        options |= {"examples": examples, "title": title, "bigrams": bigrams, "shapes": shapes, "min_count": min_count}
        options |= {"top": top, "threshold": threshold}
        options["cross"] = [two_names(pair, "--cross") for pair in cross or ()]
        result = lens(evaluations, **options, on_step=step)
        step("writing the page")
        result.write(output)
    data.say(f"wrote {output} ({output.stat().st_size / 1e6:.1f} MB)")
    deliver(data, [result], tables)
    if open_it:
        webbrowser.open(output.resolve().as_uri())
