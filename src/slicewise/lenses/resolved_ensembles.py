"""What ensembles return once overlapping units are resolved, as in a file of tags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.engine.gather import summed
from slicewise.matching.overlaps import Spans, overlap_counts
from slicewise.matching.resolve import resolved
from slicewise.metrics.counts import f_beta, precision, recall
from slicewise.results.base import defined
from slicewise.results.complement import Resolved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.outcomes import Outcomes, Reader
    from slicewise.results.complement import Together

    Wanted = tuple[tuple[str, ...], int]
    """Members, and how many of them must agree."""

NESTED = -1
"""Stands beside the number of gold units that overlap each other."""


def as_tags(evaluation: Evaluation, reader: Reader, several: Sequence[Together]) -> list[Together]:
    """Return ensembles with what they score once overlapping units are resolved; not so where gold has overlaps."""
    if evaluation.task not in (Task.SPANS, Task.TOKENS):
        return list(several)
    found = summed(evaluation, _Kept(reader, tuple((one.systems, one.k or 1) for one in several)))
    rows = {at: (returned, kept, right) for at, returned, kept, right in found.iter_rows()}
    if rows.get(NESTED, (0,))[0]:
        return list(several)
    return [replace(one, resolved=_scored(one, *rows[i])) for i, one in enumerate(several)]


def _scored(one: Together, returned: int, kept: int, right: int) -> Resolved:
    counts = np.array([right, kept, one.n_gold], np.float64)
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
    """Resolves what each ensemble returns, and counts it."""

    reader: Reader
    wanted: tuple[Wanted, ...]
    by: tuple[str, ...] = ("ensemble",)
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part: units returned, those that are kept, and those of them that are right."""
        outcomes, units = self.reader(part), part.units
        spans = Spans(*(units[name].to_numpy().astype(np.int64) for name in ("item", "start", "end")))
        own = spans[outcomes.gold]
        rows = [(NESTED, int((overlap_counts(own, own) > 1).sum()), 0, 0)]
        if not rows[0][1]:
            label = units["label"].to_physical().to_numpy().astype(np.int64)
            rows += [(i, *_counts(outcomes, spans, label, *one)) for i, one in enumerate(self.wanted)]
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
