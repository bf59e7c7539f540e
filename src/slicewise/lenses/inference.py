"""How numbers become statements: options, intervals and the words for the methods, the same in all lenses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slicewise.errors import UserError, counted, did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.evaluation import Evaluation
    from slicewise.results.base import Bounds

ALPHA = 0.05
LARGEST_BETA = 1_000_000_000
MOST_RESAMPLES = 1_000_000


def check_options(
    *, beta: float, resamples: int, confidence: float, seed: int, restarts: str, ways: Sequence[str] = ("first", "each")
) -> None:
    """Check the options of all inference at the public door."""
    if not 0 < beta <= LARGEST_BETA:
        raise UserError(f"beta is {beta:g}; expected a number above 0, and at most {LARGEST_BETA:,}")
    if not 0 <= resamples <= MOST_RESAMPLES:
        limits = f"0 (no intervals) to {MOST_RESAMPLES:,}, usually 1000"
        raise UserError(f"resamples is {resamples}; expected {limits}")
    if not 0 < confidence < 1:
        raise UserError(f"confidence is {confidence:g}; expected a share between 0 and 1, such as 0.95")
    if seed < 0:
        raise UserError(f"seed is {seed}; expected 0 or more")
    if restarts not in ways:
        raise UserError(f"unknown value {quoted(restarts)} for restarts; {did_you_mean(restarts, ways)}")


def interval_method(evaluation: Evaluation, resamples: int) -> str:
    """Return how intervals were made."""
    clusters = evaluation.aligned.clusters
    over = counted(clusters.count, _noun(evaluation))
    if clusters.groups < clusters.count:
        over += f" in {clusters.groups:,} groups"
    return f"percentile bootstrap over {over}, {resamples:,} draws"


def test_method(evaluation: Evaluation, draws: int) -> str:
    """Return how paired tests were made."""
    return f"approximate randomisation by {_noun(evaluation)}, {draws:,} draws"


def _noun(evaluation: Evaluation) -> str:
    return {"item": "item", "doc": "document"}.get(evaluation.aligned.clusters.kind, "cluster")


def bounds_of(lo: float, hi: float) -> Bounds | None:
    """Return an interval, or None where no draw was defined, or an end is too large to be a number."""
    return (lo, hi) if np.isfinite(lo) and np.isfinite(hi) else None
