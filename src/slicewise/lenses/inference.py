"""How numbers become statements: options, intervals and the words for the methods, the same in all lenses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.evaluation import Evaluation
from slicewise.metrics.prf import f_name
from slicewise.results.base import Bounds
from slicewise.results.estimates import WILSON, Inference
from slicewise.stats.intervals import MANY_CLUSTERS
from slicewise.stats.multiplicity import ALPHA

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


def check_top(top: int) -> None:
    """Check how many are listed."""
    if top < 0:
        raise UserError(f"top is {top}; expected 0 (all) or more")


def summary_with(evaluation: Evaluation, warnings: Iterable[str]) -> dict[str, Any]:
    """Return what a result says of its data, with further warnings."""
    data = evaluation.summary()
    return data | {"warnings": [*data["warnings"], *warnings]}


def inference_signature(
    *, resamples: int, confidence: float, seed: int, beta: float = 1.0, restarts: str = "first"
) -> list[str]:
    """Return what pins the draws, and what of β and restarts differs from the defaults."""
    parts = [f"seed:{seed}", f"resamples:{resamples}", f"confidence:{confidence}"]
    parts += [] if beta == 1 else [f"beta:{f_name(beta)[1:]}"]
    return parts + ([] if restarts == "first" else [f"restarts:{restarts}"])


def inference_block(
    evaluation: Evaluation,
    *,
    drawn: bool,
    resamples: int,
    confidence: float,
    seed: int,
    draws: int = 0,
    correction: str = Inference.correction,
    proportions: bool = True,
    others: Sequence[str] = (),
) -> Inference:
    """Return how a result's intervals were made, if any were `drawn`, and its paired tests, if they took `draws`.

    `proportions`: whether its main values are proportions. `others`: further metrics, of which the contrary is true.
    """
    percentile = percentile_method(evaluation, resamples)
    main = wilson_method(evaluation, resamples) if proportions else percentile
    main += f" ({', '.join(others)}: {'percentiles' if proportions else WILSON})" if others else ""
    return Inference(
        resamples=resamples if drawn else 0,
        confidence=confidence,
        seed=seed,
        interval=main if drawn else "",
        difference_interval=percentile if drawn else "",
        test=test_method(evaluation, draws) if draws else "",
        correction=correction,
        draws=draws,
    )


def wilson_method(evaluation: Evaluation, resamples: int) -> str:
    """Return how intervals of proportions were made."""
    return f"{WILSON}, from {resamples:,} draws of {_drawn(evaluation)}"


def percentile_method(evaluation: Evaluation, resamples: int) -> str:
    """Return how other intervals were made."""
    few = evaluation.aligned.clusters.groups < MANY_CLUSTERS
    return f"percentiles of {resamples:,} draws of {_drawn(evaluation)}{', widened as they are few' if few else ''}"


def _drawn(evaluation: Evaluation) -> str:
    """Return what was drawn."""
    clusters = evaluation.aligned.clusters
    over = counted(clusters.count, _noun(evaluation))
    if clusters.groups < clusters.count:
        over += f" in {clusters.groups:,} groups"
    return over


def test_method(evaluation: Evaluation, draws: int) -> str:
    """Return how paired tests were made."""
    return f"approximate randomisation by {_noun(evaluation)}, {draws:,} draws"


def _noun(evaluation: Evaluation) -> str:
    return {"item": "item", "doc": "document"}.get(evaluation.aligned.clusters.kind, "cluster")


def significant(q: float | None) -> bool:
    """Whether something survives correction."""
    return q is not None and q < ALPHA


def bounds_of(lo: float, hi: float) -> Bounds | None:
    """Return an interval, or None where no draw was defined, or an end is too large to be a number."""
    return (lo, hi) if np.isfinite(lo) and np.isfinite(hi) else None
