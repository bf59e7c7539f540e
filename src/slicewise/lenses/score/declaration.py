"""The lens `score`, as everything that lists lenses reads it."""

from __future__ import annotations

from collections.abc import Iterator

from slicewise.lenses.contract import Lens, LensContext
from slicewise.lenses.inference import significant
from slicewise.lenses.score.lens import score
from slicewise.lenses.score.result import ScoreResult
from slicewise.lenses.score.slices import slices
from slicewise.results.heading import called
from slicewise.results.slices import pair_slice
from slicewise.results.statement import Statement


def statements(result: ScoreResult, _: LensContext) -> Iterator[Statement]:
    """Yield a statement if the best group of systems beats the next significantly."""
    if len(result.groups) < 2:
        return
    metric, best, next_one = result.metrics[0], result.groups[0][0], result.groups[1][0]
    for pair in result.pairs:
        if pair.metric == metric and {pair.a, pair.b} == {best, next_one} and significant(pair.q) and pair.difference:
            size = abs(pair.difference)
            yield Statement(
                text=f"{best} beats {next_one} by {size:.3f} {called(metric)} over all the data.",
                lens="score",
                dataset=result.data["name"],
                system=next_one,
                against=best,
                number=size,
                unit=metric,
                n=result.data["gold_units"] or result.data["items"],
                q=float(pair.q or 0.0),
                worth=size,
                slice=pair_slice(next_one, best),
                topic="all",
            )


LENS = Lens(
    name="score",
    title="Scores and errors",
    question="How good is each system, what kinds of errors does it make, and what would repairing each kind be worth?",
    caution=(
        "Systems in one group cannot be told apart on this data; that does not make them equal. What a repair would be "
        "worth assumes that nothing else changes."
    ),
    run=lambda evaluation, options: score(evaluation, **options.scoring),
    required=True,
    slices=slices,
    findings=statements,
)
