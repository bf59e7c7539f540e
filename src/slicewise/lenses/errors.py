"""The errors of every system on spans: kinds, SemEval counts and confusions, per unit and summed by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.matching.error_types import KINDS, TYPE, ErrorTypes, error_types
from slicewise.matching.semeval import semeval_matches
from slicewise.results.score import Confusion

__all__ = ["KINDS", "STATISTICS", "WAYS", "SpanErrors", "label_confusions", "span_confusions", "span_errors"]

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation

WAYS = ("strict", "exact", "partial", "type")
STATISTICS = len(KINDS) + len(WAYS)


@dataclass(frozen=True)
class SpanErrors:
    """One system's wrong units, and its credit in the four SemEval ways."""

    types: ErrorTypes
    credit: NDArray[np.float64]
    """Units × ways."""

    def columns(self) -> list[NDArray[np.float64]]:
        """Return per unit what is summed: an error of each kind where it is counted, then the credits."""
        kinds = [(self.types.counted & (self.types.kind == code + 1)).astype(np.float64) for code in range(len(KINDS))]
        return [*kinds, *self.credit.T]

    def overlapping(self) -> dict[str, int]:
        """Return how many of the missed and of the spurious units overlap something of the other side."""
        return {
            kind: int((self.types.overlaps & (self.types.kind == KINDS.index(kind) + 1)).sum())
            for kind in ("missed", "spurious")
        }


def span_errors(evaluation: Evaluation, system: str) -> SpanErrors:
    """Match a system's spurious and missed spans, and count in four ways."""
    units = evaluation.units
    item, start, end = (units[name].to_numpy().astype(np.int64) for name in ("item", "start", "end"))
    label = units["label"].to_physical().to_numpy().astype(np.int64)
    gold, returned = units["gold"].to_numpy(), units[system].to_numpy()
    types = error_types(item, start, end, label, gold, returned)
    ways = semeval_matches(item, start, end, label, gold, returned)
    return SpanErrors(types, np.column_stack([getattr(ways, way) for way in WAYS]))


def span_confusions(evaluation: Evaluation, system: str, errors: SpanErrors) -> tuple[Confusion, ...]:
    """Count labels of spans with equal boundaries: the right ones, and the pairs whose type is wrong."""
    units, labels = evaluation.units, evaluation.aligned.labels
    label = units["label"].to_physical().to_numpy().astype(np.int64)
    right = np.flatnonzero((units["gold"] & units[system]).to_numpy())
    wrong = np.flatnonzero(errors.types.counted & (errors.types.kind == TYPE))
    gold = np.concatenate([label[right], label[wrong]])
    returned = np.concatenate([label[right], label[errors.types.partner[wrong]]])
    return _counted(gold, returned, labels)


def label_confusions(evaluation: Evaluation, system: str) -> tuple[Confusion, ...]:
    """Count gold labels against returned ones, of items or of tokens; a token without a unit has the negative label."""
    if evaluation.task is Task.LABELS:
        given = {"gold": evaluation.answers("gold"), "returned": evaluation.answers(system)}
        answers = pl.DataFrame(given).fill_null("")
    elif evaluation.task is Task.TOKENS:
        negative = evaluation.options.negative_label or "O"
        at = ["item", "start"]
        units = evaluation.units.with_columns(pl.col("label").cast(pl.String))
        gold = units.filter(units["gold"]).select(*at, gold="label")
        returned = units.filter(units[system]).select(*at, returned="label")
        answers = gold.join(returned, on=at, how="full", coalesce=True).fill_null(negative)
    else:
        return ()
    found = answers.group_by("gold", "returned").len().sort("gold", "returned")
    return tuple(Confusion(gold=g, returned=r, n=n) for g, r, n in found.iter_rows())


def _counted(gold: NDArray[np.int64], returned: NDArray[np.int64], labels: Sequence[str]) -> tuple[Confusion, ...]:
    codes, n = np.unique(gold * len(labels) + returned, return_counts=True)
    return tuple(
        Confusion(gold=labels[int(code) // len(labels)], returned=labels[int(code) % len(labels)], n=int(times))
        for code, times in zip(codes, n, strict=True)
    )
