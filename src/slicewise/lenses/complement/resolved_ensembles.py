"""What ensembles return once overlapping units are resolved, as in a file of tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.engine.local import aggregate
from slicewise.evaluation import Evaluation
from slicewise.lenses.complement.result import EnsembleScore, Resolved
from slicewise.lenses.outcomes.outcomes import OutcomeReader, Outcomes
from slicewise.matching.overlaps import Spans, overlap_counts
from slicewise.matching.resolve import resolved
from slicewise.metrics.counts import f_beta, precision, recall
from slicewise.results.base import defined

MembersAndVotes = tuple[tuple[str, ...], int]
"""Members, and how many of them must agree."""

NESTED = -1
"""Key of the row with the number of overlapping gold units."""


def as_tags(evaluation: Evaluation, reader: OutcomeReader, several: Sequence[EnsembleScore]) -> list[EnsembleScore]:
    """Return ensembles with what they score once overlapping units are resolved; not so where gold has overlaps."""
    if evaluation.task not in (Task.SPANS, Task.TOKENS):
        return list(several)
    counts = aggregate(evaluation, _Kept(reader, tuple((ensemble.systems, ensemble.k or 1) for ensemble in several)))
    rows = {at: (returned, kept, right) for at, returned, kept, right in counts.iter_rows()}
    if rows.get(NESTED, (0,))[0]:
        return list(several)
    return [replace(ensemble, resolved=_scored(ensemble, *rows[i])) for i, ensemble in enumerate(several)]


def _scored(ensemble: EnsembleScore, returned: int, kept: int, right: int) -> Resolved:
    counts = np.array([right, kept, ensemble.n_gold], np.float64)
    return Resolved(
        n_pred=kept,
        tp=right,
        precision=defined(float(precision(counts))),
        recall=defined(float(recall(counts))),
        f1=defined(float(f_beta(counts))),
        left_out=returned - kept,
    )


@dataclass(frozen=True)
class _Kept:
    """Kernel: resolves overlaps in the output of each ensemble, and counts the units."""

    reader: OutcomeReader
    ensembles: tuple[MembersAndVotes, ...]
    by: tuple[str, ...] = ("ensemble",)
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part: units returned, those that are kept, and those of them that are right."""
        outcomes, units = self.reader(part), part.units
        spans = Spans(*(units[name].to_numpy().astype(np.int64) for name in ("item", "start", "end")))
        gold = spans[outcomes.gold]
        rows = [(NESTED, int((overlap_counts(gold, gold) > 1).sum()), 0, 0)]
        if not rows[0][1]:
            label = units["label"].to_physical().to_numpy().astype(np.int64)
            rows += [(i, *_counts(outcomes, spans, label, *ensemble)) for i, ensemble in enumerate(self.ensembles)]
        return pl.DataFrame(rows, dict.fromkeys(("ensemble", "returned", "kept", "right"), pl.Int64), orient="row")


def _counts(
    outcomes: Outcomes, spans: Spans, label: np.ndarray[tuple[int], np.dtype[np.int64]], members: Sequence[str], k: int
) -> tuple[int, int, int]:
    """Return how many units an ensemble returns, how many are kept, and how many of these are right."""
    has = [outcomes.has[outcomes.systems.index(name)] for name in members]
    votes = np.asarray(np.sum(has, axis=0, dtype=np.int64))
    rows = np.flatnonzero(votes >= k)
    kept = rows[resolved(spans[rows], votes[rows], label[rows])]
    return len(rows), len(kept), int(outcomes.gold[kept].sum())
