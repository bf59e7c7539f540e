"""The lens `complement`, as everything that lists lenses reads it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slicewise.evaluation import Evaluation
from slicewise.lenses.complement.lens import complement
from slicewise.lenses.complement.result import ComplementResult
from slicewise.lenses.complement.slices import slices
from slicewise.lenses.contract import Lens, LensContext, ReportOptions
from slicewise.metrics.counts import f_beta
from slicewise.render.blocks import Sentence
from slicewise.results.statement import Statement
from slicewise.stats.canonical import canonical_order
from slicewise.stats.multiplicity import ALPHA
from slicewise.stats.tests import paired_draws, randomisation_p


def _run(evaluation: Evaluation, options: ReportOptions) -> ComplementResult:
    drawing = options.outcomes(evaluation.task) | options.inference
    return complement(evaluation, compare=options.compare, beta=options.beta, **drawing)


def statements(result: ComplementResult, context: LensContext) -> Iterator[Statement]:
    """Yield a statement if a majority vote beats the best system significantly."""
    outcomes = context.outcomes
    groups, seed = context.evaluation.aligned.clusters.groups, context.options.seed
    systems = list(result.systems)
    if result.rule or len(systems) < 3 or groups < 2:
        return
    best = max(systems, key=lambda name: (result.systems[name].f1 or 0.0, name))
    has = {name: outcomes.has[outcomes.systems.index(name)] for name in systems}
    needed = len(systems) // 2 + 1
    vote = np.sum(list(has.values()), axis=0) >= needed
    cells = np.zeros((groups, 2, 3))
    for i, returned in enumerate((vote, has[best])):
        for j, counted_rows in enumerate((returned & outcomes.gold, returned, outcomes.gold)):
            cells[:, i, j] = np.bincount(outcomes.group[counted_rows], minlength=groups)
    values = f_beta(cells.sum(axis=0))
    gain = float(values[0] - values[1])
    p, _ = randomisation_p(cells[canonical_order(cells)], f_beta, np.array([[0, 1]]), draws=paired_draws(1), seed=seed)
    if gain > 0 and p[0] < ALPHA:
        yield Statement(
            text=f"A vote in which {needed} of the {len(systems)} systems must agree beats the best of them, {best}, "
            f"by {gain:.3f} F1.",
            lens="complement",
            dataset=result.data["name"],
            system=best,
            number=gain,
            unit="f1",
            n=int(outcomes.gold.sum()),
            q=float(p[0]),
            worth=gain,
            slice=None,
            topic="vote",
        )


LENS = Lens(
    name="complement",
    title="Complementarity",
    question="Would two systems, or a vote of several, be better than the best alone?",
    caution=(
        "Ensembles that were chosen on this data look better than they are, the more the freer the choice was; the "
        "cross-validated one does not."
    ),
    run=_run,
    options=("threshold",),
    slices=slices,
    findings=statements,
    section=lambda result: [*map(Sentence, result.findings), *result.figures()],
)
