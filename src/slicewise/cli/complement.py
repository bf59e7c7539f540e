"""`slicewise complement`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from slicewise.cli.data_options import DataOptions
from slicewise.cli.engine import EngineOptions
from slicewise.cli.names import check_commas
from slicewise.cli.option import OUTPUT, SCORING, SLICING, option
from slicewise.cli.output import check_output, check_outputs, deliver
from slicewise.cli.progress import progress
from slicewise.cli.scoring import OutcomeOptions, Threshold
from slicewise.cli.slicing import SlicingOptions
from slicewise.cli.tables import TableOptions
from slicewise.errors import UserError, counted

if TYPE_CHECKING:
    from slicewise.lenses.complement.result import Ensemble


@dataclass(frozen=True, kw_only=True)
class ComplementScoring(OutcomeOptions):
    """How to score: β weighs two kinds of complementarity."""

    beta: Annotated[float | None, option("--beta", "Of F_comp: above 1, what is missed counts more.", SCORING, "B")] = (
        None
    )


def complement(
    *,
    slicing: SlicingOptions,
    compare: Annotated[
        list[str] | None, option("--compare", "List the units of two systems; repeat. The best two.", SLICING, "A,B")
    ] = None,
    top: Annotated[int, option("--top", "Units listed per question; 0 = all; 10.", SLICING, "N")] = 10,
    write_ensemble: Annotated[
        Path | None, option("--write-ensemble", "What systems return together, as a system file.", OUTPUT, "FILE")
    ] = None,
    ensemble: Annotated[
        str | None,
        option(
            "--ensemble",
            "Which: union:A,B, intersection:A,B, vote:K, vote:K:A,B,C, majority, plurality, greedy, oracle.",
            OUTPUT,
            "WHICH",
        ),
    ] = None,
    threshold: Threshold = None,
    scoring: ComplementScoring,
    tables: TableOptions,
    engine: EngineOptions,
    data: DataOptions,
) -> None:
    """Compare every two systems by whose errors they repair, and score unions, intersections and votes."""
    from slicewise.lenses.complement import complement as lens

    check_outputs(data, tables)
    if write_ensemble is None and ensemble is not None:
        raise UserError("--ensemble says what --write-ensemble FILE writes; add it")
    if write_ensemble is not None:
        data.check_one("--write-ensemble")
        check_output(data, write_ensemble, "--write-ensemble")
    options = {"threshold": threshold, "top": top, "write_ensemble": write_ensemble, "ensemble": ensemble}
    wide = bool(slicing.attribute or data.slicing.get("attributes"))
    results = []
    with progress(data) as step:
        for evaluation in data.evaluations(step, "comparing the systems of", token_columns=wide, engine=engine):
            scoring.check_metric(evaluation.task)
            check_commas([ensemble or ""], "--ensemble", evaluation.systems)
            result = lens(evaluation, **scoring.chosen(data) | slicing.chosen(data, compare) | options)
            results.append(result)
            if result.written is not None:
                data.say(_written_message(result.written))
    deliver(data, results, tables)


def _written_message(written: "Ensemble") -> str:
    left = f", {written.dropped:,} that overlap others left out" if written.dropped else ""
    return f"wrote {written.path}: {written.ensemble}; {counted(written.units, 'unit')}{left}"
