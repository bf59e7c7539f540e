"""The options of scoring."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from slicewise.cli.data_options import DataOptions
from slicewise.cli.names import listed
from slicewise.cli.option import SCORING, option
from slicewise.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.annotations import Task

ALL_WAYS = ("first", "each", "blocks", "average")
"""What --restarts may say, each to some command."""

Threshold = Annotated[
    str | None,
    option("--threshold", "From which score on an item counts as found; 25% = a quantile of the scores.", SCORING, "X"),
]


@dataclass(frozen=True, kw_only=True)
class MetricOptions:
    """What to score by."""

    metric: Annotated[
        list[str] | None, option("--metric -m", "A metric; repeat. The first ranks.", SCORING, "NAME")
    ] = None
    beta: Annotated[float | None, option("--beta", "F_β instead of F1: above 1, recall counts more.", SCORING, "B")] = (
        None
    )

    def chosen(self, data: DataOptions, ways: "Sequence[str]" = ("first", "each")) -> dict[str, Any]:
        """Return how to score: what the command line says, else what the configuration file says.

        The file serves all commands: what it says of restarts holds where a command knows such a way.
        """
        names = [f.name for f in fields(self) if f.init]
        from_file = {k: v for k, v in data.scoring.items() if k in names}
        if from_file.get("restarts") in {*ALL_WAYS} - {*ways}:
            del from_file["restarts"]
        options = from_file | {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        options["metrics"] = listed(options.pop("metric", None))
        return options


@dataclass(frozen=True, kw_only=True)
class ScoringOptions(MetricOptions):
    """What to score by, and how sure the scores are."""

    resamples: Annotated[
        int | None, option("--resamples", "Bootstrap draws; 0 = no intervals; 1000.", SCORING, "N")
    ] = None
    confidence: Annotated[float | None, option("--confidence", "Of the intervals; 0.95.", SCORING, "SHARE")] = None
    seed: Annotated[int | None, option("--seed", "Of the draws; 0.", SCORING, "N")] = None
    restarts: Annotated[
        str | None, option("--restarts", "first or each: which runs paired tests take.", SCORING, "WHICH")
    ] = None


@dataclass(frozen=True, kw_only=True)
class OutcomeOptions(ScoringOptions):
    """How to score where units are right or wrong, and only scored items have a metric."""

    metric: Annotated[
        list[str] | None, option("--metric -m", "What items of text and scores are scored by.", SCORING, "NAME")
    ] = None
    restarts: Annotated[
        str | None, option("--restarts", "first or each: which runs of a system take part.", SCORING, "WHICH")
    ] = None

    def check_metric(self, task: "Task") -> None:
        """Refuse a metric of units."""
        if self.metric and task.has_units:
            raise UserError(
                f"units of the task {task.value} are right or wrong; --metric is for scored items; leave it out"
            )
