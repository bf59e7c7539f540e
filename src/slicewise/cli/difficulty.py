"""`slicewise difficulty`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from slicewise.cli.data_options import DataOptions
from slicewise.cli.engine import EngineOptions
from slicewise.cli.option import OUTPUT, RANKING, SLICING, option
from slicewise.cli.output import check_output, check_outputs, deliver
from slicewise.cli.progress import progress
from slicewise.cli.scoring import OutcomeOptions, Threshold
from slicewise.cli.slicing import SlicingOptions
from slicewise.cli.tables import TableOptions
from slicewise.errors import counted

if TYPE_CHECKING:
    from slicewise.lenses.difficulty.result import DifficultyResult


@dataclass(frozen=True, kw_only=True)
class DifficultyScoring(OutcomeOptions):
    """How to score: there is no F, so no β."""

    beta: None = field(default=None, init=False)


def difficulty(
    *,
    surface: Annotated[str | None, option("--surface", "One string's mentions over the bins.", SLICING, "TEXT")] = None,
    slicing: SlicingOptions,
    compare: Annotated[
        list[str] | None, option("--compare", "Two systems bin by bin; repeat. The best two.", SLICING, "A,B")
    ] = None,
    top: Annotated[int, option("--top", "How many features, strings and mentions; 0 = all; 10.", RANKING, "N")] = 10,
    write_suspects: Annotated[
        Path | None, option("--write-suspects", "Suspect gold for an annotator, .csv, .tsv or .jsonl.", OUTPUT, "FILE")
    ] = None,
    threshold: Threshold = None,
    scoring: DifficultyScoring,
    tables: TableOptions,
    engine: EngineOptions,
    data: DataOptions,
) -> None:
    """Put units into bins by how many systems find them: who owns which, what is in them, suspect gold."""
    from slicewise.lenses.difficulty import difficulty as lens
    from slicewise.lenses.difficulty.result import SUSPECT_FILES
    from slicewise.results.files import check_ending

    check_outputs(data, tables)
    if write_suspects is not None:
        check_ending(write_suspects, SUSPECT_FILES)
        data.check_one("--write-suspects")
        check_output(data, write_suspects, "--write-suspects")
    own_options = {"threshold": threshold, "top": top, "surface": surface}
    results = []
    with progress(data) as step:
        for evaluation in data.evaluations(step, "comparing the systems of", token_columns=True, engine=engine):
            scoring.check_metric(evaluation.task)
            options = scoring.chosen(data) | slicing.chosen(data, compare) | own_options
            results.append(lens(evaluation, **options, on_step=step))
    if write_suspects is not None:
        results[0].write_suspects(write_suspects, raw_csv=data.raw_csv)
        data.say(f"wrote {_suspects(results[0])} to {write_suspects}")
    deliver(data, results, tables)


def _suspects(result: "DifficultyResult") -> str:
    listed, total = len(result.suspects), result.suspects_found
    return counted(listed, "suspect") + (f" of {total:,}" if listed < total else "")
