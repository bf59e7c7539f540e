"""`slicewise score`."""

from slicewise.cli.data_options import DataOptions
from slicewise.cli.engine import EngineOptions
from slicewise.cli.output import check_outputs, deliver
from slicewise.cli.progress import progress
from slicewise.cli.scoring import ScoringOptions
from slicewise.cli.tables import TableOptions


def score(*, scoring: ScoringOptions, tables: TableOptions, engine: EngineOptions, data: DataOptions) -> None:
    """Give corpus scores with intervals, per label, kinds of error, and paired tests between systems."""
    from slicewise.lenses.score import score as lens

    check_outputs(data, tables)
    with progress(data) as step:
        results = [lens(e, **scoring.chosen(data)) for e in data.evaluations(step, "scoring", engine=engine)]
    deliver(data, results, tables)
