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
    worst: Annotated[bool, option("--worst", "Low scores first.", RANKING)] = False,
    best: Annotated[bool, option("--best", "High scores first.", RANKING)] = False,
    diff: Annotated[
        str | None, option("--diff", "By the difference of two systems, worsened first.", RANKING, "OLD,NEW")
    ] = None,
    feature: Annotated[
        str | None, option("--feature", "Only items with it: in:though, exp:1~~in:sad, …", FEATURES, "F")
    ] = None,
    only: Annotated[str | None, option("--only", "The system that the order goes by.", RANKING, "SYSTEM")] = None,
    tokenizer: Tokenizer = None,
    top: Annotated[int | None, option("--top", "How many; all, or 20 on a terminal.", RANKING, "N")] = None,
    scoring: MetricOptions,
    data: DataOptions,
) -> None:
    """Show item by item: scores, text, what was expected and returned; sorted, filtered by a feature."""
    from slicewise.lenses.items import items as lens
    from slicewise.lenses.items.result import SHOWN

    if worst and best:
        raise UserError("--worst and --best ask for different orders; choose one")
    check_outputs(data)
    read = data.json is not None or data.csv is not None
    limit = top if top is not None else SHOWN if sys.stdout.isatty() and not read else 0
    options = scoring.chosen(data) | {"feature": feature, "only": only, "tokenizer": tokenizer, "top": limit}
    options["order"] = "worst" if worst else "best" if best else "file"
    options["change"] = two_systems(diff, "--diff") if diff else None
    with progress(data) as step:
        results = [lens(evaluation, **options) for evaluation in data.evaluations(step, "scoring the items of")]
    deliver(data, results)
