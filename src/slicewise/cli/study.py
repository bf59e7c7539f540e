"""`slicewise study`."""

from dataclasses import dataclass
from typing import Annotated

from slicewise.cli.data_options import DataOptions
from slicewise.cli.names import listed
from slicewise.cli.option import SCORING, SLICING, option
from slicewise.cli.output import check_outputs, deliver
from slicewise.cli.progress import progress
from slicewise.cli.scoring import ScoringOptions
from slicewise.cli.slicing import Compare, SharedCuts, SlicingOptions
from slicewise.cli.tables import TableOptions


@dataclass(frozen=True, kw_only=True)
class StudyScoring(ScoringOptions):
    """How to score: a study has ways of its own to take restarts."""

    restarts: Annotated[
        str | None, option("--restarts", "average, blocks (of the tests) or first.", SCORING, "WHICH")
    ] = None


def study(
    *,
    slicing: SlicingOptions,
    shared_cuts: SharedCuts = None,
    compare: Compare = None,
    group_by: Annotated[
        list[str] | None,
        option("--group-by", "Diagnose data sets with a low and a high mean of ATTR apart; repeat.", SLICING, "ATTR"),
    ] = None,
    paper_tests: Annotated[
        bool, option("--paper-tests", "Diagnose as the paper did: pick and test on the same data.", SLICING)
    ] = False,
    scoring: StudyScoring,
    tables: TableOptions,
    data: DataOptions,
) -> None:
    """Study several data sets × systems × restarts: model-, attribute- and bucket-wise measures and tests."""
    from slicewise.lenses.study import study as lens
    from slicewise.lenses.study.lens import WAYS

    check_outputs(data, tables)
    with progress(data) as step:
        evaluations = list(data.evaluations(step, token_columns=True))
        options = scoring.chosen(data, WAYS) | slicing.chosen(data, compare)
        options |= {"shared_cuts": bool(shared_cuts), "group_by": listed(group_by), "paper_tests": paper_tests}
        result = lens(evaluations, **options, on_dataset=lambda name: step(f"breaking down {name}"))
    deliver(data, [result], tables)
