"""`slicewise buckets`."""

from typing import Annotated

from slicewise.cli.data_options import DataOptions
from slicewise.cli.engine import EngineOptions
from slicewise.cli.names import two_names
from slicewise.cli.option import SLICING, option
from slicewise.cli.output import check_outputs, deliver
from slicewise.cli.progress import progress
from slicewise.cli.scoring import ScoringOptions
from slicewise.cli.slicing import Compare, SharedCuts, SlicingOptions
from slicewise.cli.tables import TableOptions


def buckets(
    *,
    slicing: SlicingOptions,
    cross: Annotated[list[str] | None, option("--cross", "Two attributes crossed; repeat.", SLICING, "A,B")] = None,
    shared_cuts: SharedCuts = None,
    compare: Compare = None,
    scoring: ScoringOptions,
    tables: TableOptions,
    engine: EngineOptions,
    data: DataOptions,
) -> None:
    """Break scores down by attributes of the units, with self- and comparative diagnosis (one data set)."""
    from slicewise.lenses.buckets import buckets as lens

    check_outputs(data, tables)
    results = []
    with progress(data) as step:
        loaded = data.evaluations(step, token_columns=True, engine=engine)
        evaluations = list(loaded) if shared_cuts else loaded
        for evaluation in evaluations:
            step(f"breaking down {evaluation.name}")
            options = scoring.chosen(data) | slicing.chosen(data, compare)
            options["cross"] = [two_names(pair, "--cross") for pair in cross or ()]
            options["shared_with"] = evaluations if shared_cuts else ()
            results.append(lens(evaluation, **options))
    deliver(data, results, tables)
