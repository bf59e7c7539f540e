"""`slicewise report`."""

import webbrowser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from slicewise.cli.data_options import DataOptions
from slicewise.cli.names import two
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
    output: Annotated[
        Path, option("--output", "-o", help="The page; report.html.", panel=OUTPUT, metavar="FILE.html")
    ] = Path("report.html"),
    open_it: Annotated[bool, option("--open", help="Open the page in a browser.", panel=OUTPUT)] = False,
    examples: Annotated[
        int, option("--examples", help="Items of each slice that the page has; 20.", panel=OUTPUT, metavar="N")
    ] = 20,
    title: Annotated[str | None, option("--title", help="Of the page.", panel=OUTPUT, metavar="TEXT")] = None,
    slicing: SlicingOptions,
    cross: Annotated[
        list[str] | None,
        option("--cross", help="Buckets of two attributes at once; repeat.", panel=SLICING, metavar="A,B"),
    ] = None,
    shared_cuts: SharedCuts = None,
    compare: Compare = None,
    bigrams: Annotated[bool, option("--bigrams", help="Rank bigrams as well.", panel=FEATURES)] = False,
    shapes: Annotated[bool, option("--shapes", help="Rank word shapes as well.", panel=FEATURES)] = False,
    min_count: Annotated[
        int | None,
        option("--min-count", help="Leave out rarer features; 5.", panel=RANKING, metavar="N"),
    ] = None,
    top: Annotated[
        int, option("--top", help="How many features and strings; 0 = all; 20.", panel=RANKING, metavar="N")
    ] = 20,
    threshold: Threshold = None,
    scoring: ReportScoring,
    tables: TableOptions,
    data: DataOptions,
) -> None:
    """Explain the systems to a person: all lenses on one self-contained HTML page, with the items behind it."""
    from slicewise.lenses.report import report as lens
    from slicewise.results.files import check_ending
    from slicewise.results.report import PAGES

    check_ending(output, PAGES)
    check_outputs(data, tables)
    check_output(data, output, "--output")
    with progress(data) as step:
        evaluations = list(data.evaluations(step, token_columns=True))
        options = scoring.chosen(data) | slicing.chosen(data, compare) | {"shared_cuts": bool(shared_cuts)}
        options |= {"examples": examples, "title": title, "bigrams": bigrams, "shapes": shapes, "min_count": min_count}
        options |= {"top": top, "threshold": threshold}
        options["cross"] = [two(pair, "--cross") for pair in cross or ()]
        result = lens(evaluations, **options, on_step=step)
        step("writing the page")
        result.write(output)
    data.say(f"wrote {output} ({output.stat().st_size / 1e6:.1f} MB)")
    deliver(data, [result], tables)
    if open_it:
        webbrowser.open(output.resolve().as_uri())
