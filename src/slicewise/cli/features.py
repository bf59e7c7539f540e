"""`slicewise features`."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from slicewise.cli.data_options import DataOptions
from slicewise.cli.engine import EngineOptions
from slicewise.cli.names import check_commas, listed, two_systems
from slicewise.cli.option import FEATURES, RANKING, option
from slicewise.cli.output import check_outputs, deliver
from slicewise.cli.progress import progress
from slicewise.cli.scoring import ScoringOptions
from slicewise.cli.tables import TableOptions
from slicewise.errors import UserError

Tokenizer = Annotated[
    str | None,
    option("--tokenizer", "words, whitespace, 13a, char, icu or geval; words for running text.", FEATURES, "NAME"),
]


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """Which features there are."""

    bigrams: Annotated[bool, option("--bigrams", "Two adjacent tokens, too.", FEATURES)] = False
    ngrams: Annotated[int | None, option("--ngrams", "Runs of up to N adjacent tokens.", FEATURES, "N")] = None
    shapes: Annotated[bool, option("--shapes", "Word shapes, too: A+, Aa+, 99.9.", FEATURES)] = False
    pairs: Annotated[bool, option("--pairs", "Every two features of an item, too.", FEATURES)] = False
    numbers: Annotated[bool, option("--numbers", "Numerical fields and lengths, too.", FEATURES)] = False
    attribute: Annotated[
        list[str] | None, option("--attribute -a", "An attribute, FILE.py:FUNCTION, or all; repeat.", FEATURES, "NAME")
    ] = None
    tokenizer: Tokenizer = None
    min_count: Annotated[
        int | None, option("--min-count", "Items with a feature, and without it, at least; 5.", FEATURES, "N")
    ] = None
    min_pair_count: Annotated[
        int | None, option("--min-pair-count", "The same for pairs and their parts.", FEATURES, "N")
    ] = None

    def chosen(self) -> dict[str, Any]:
        """Return which features there are, as keywords of the function."""
        options = asdict(self)
        return options | {"attributes": listed(options.pop("attribute"))}


def features(
    *,
    worst: Annotated[bool, option("--worst", "Features of low scores (default).", RANKING)] = False,
    best: Annotated[bool, option("--best", "Features of high scores.", RANKING)] = False,
    worsening: Annotated[
        str | None, option("--worsening", "What got worse from one system to another.", RANKING, "OLD,NEW")
    ] = None,
    improving: Annotated[
        str | None, option("--improving", "What got better from one system to another.", RANKING, "OLD,NEW")
    ] = None,
    ratio: Annotated[bool, option("--ratio", "Compare two systems by new/old, not by new − old.", RANKING)] = False,
    units: Annotated[bool, option("--units", "Rank over units: missed and spurious ones.", RANKING)] = False,
    only: Annotated[list[str] | None, option("--only", "One system; repeat. All.", RANKING, "SYSTEM")] = None,
    features: FeatureOptions,
    top: Annotated[int, option("--top", "How many are shown; 0 = all.", RANKING, "N")] = 20,
    no_fold: Annotated[bool, option("--no-fold", "Show features of the same items one by one.", RANKING)] = False,
    adjust: Annotated[
        list[str] | None,
        option(
            "--adjust",
            "Compare items alike in this: an attribute, a column, or length (default); repeat.",
            RANKING,
            "ATTR",
        ),
    ] = None,
    no_adjust: Annotated[bool, option("--no-adjust", "Compare all items, whatever their length.", RANKING)] = False,
    correction: Annotated[str, option("--correction", "Of p for many tests: bh, by or holm.", RANKING, "HOW")] = "bh",
    geval: Annotated[bool, option("--geval", "The numbers of the published tool, exactly.", RANKING)] = False,
    scoring: ScoringOptions,
    tables: TableOptions,
    engine: EngineOptions,
    data: DataOptions,
) -> None:
    """Rank the words, shapes, labels, lengths and values that go with low scores, beyond chance."""
    from slicewise.lenses.features import features as lens

    direction = _direction({"worst": worst, "best": best, "worsening": worsening, "improving": improving})
    pair = worsening or improving
    check_outputs(data, tables)
    options: dict[str, Any] = {
        "direction": direction,
        "change": two_systems(pair, f"--{direction}") if pair else None,
        "only": listed(only),
        "top": top,
        "fold": not no_fold,
        "units": units,
        "ratio": ratio,
        "geval": geval,
        "correction": correction,
        "adjust": _adjust(adjust, off=no_adjust),
    }
    results = []
    with progress(data) as step:
        for evaluation in data.evaluations(
            step, token_columns=bool(features.attribute or adjust or units), engine=engine
        ):
            check_commas(only or (), "--only", evaluation.systems)
            results.append(lens(evaluation, **scoring.chosen(data), **features.chosen(), **options, on_step=step))
    deliver(data, results, tables)


def _adjust(names: list[str] | None, *, off: bool) -> list[str] | None:
    if names and off:
        raise UserError("--adjust and --no-adjust contradict each other; choose one")
    if names is not None and not listed(names):
        raise UserError("--adjust names nothing; write --adjust ATTR, or --no-adjust to compare all with all")
    return [] if off else None if names is None else listed(names)


def _direction(flags: dict[str, bool | str | None]) -> str:
    chosen = [name for name, value in flags.items() if value]
    if len(chosen) > 1:
        raise UserError(f"--{chosen[0]} and --{chosen[1]} ask for different lists; choose one")
    return chosen[0] if chosen else "worst"
