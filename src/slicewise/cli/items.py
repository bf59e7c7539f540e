"""`slicewise items`."""

import sys
from typing import Annotated

from slicewise.cli.data_options import DataOptions
from slicewise.cli.features import Tokenizer
from slicewise.cli.names import two_systems
from slicewise.cli.option import FEATURES, RANKING, option
from slicewise.cli.output import check_outputs, deliver
from slicewise.cli.progress import progress
from slicewise.cli.scoring import MetricOptions
from slicewise.errors import UserError


def items(
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
    scoring: MetricOptions,
    data: DataOptions,
) -> None:
    """Show item by item: scores, text, what was expected and returned; sorted, filtered by a feature."""
    from slicewise.lenses.items import items as lens
    from slicewise.results.items import SHOWN

    if worst and best:
        raise UserError("--worst and --best ask for different orders; choose one")
    check_outputs(data)
    read = data.json is not None or data.csv is not None
    limit = top if top is not None else SHOWN if sys.stdout.isatty() and not read else 0
    results = []
    with progress(data) as step:
        for evaluation in data.evaluations(step, "scoring the items of"):
            found = lens(
                evaluation,
                **scoring.chosen(data),
                order="worst" if worst else "best" if best else "file",
                change=two_systems(diff, "--diff") if diff else None,
                feature=feature,
                only=only,
                tokenizer=tokenizer,
                top=limit,
            )
            results.append(found)
    deliver(data, results)
