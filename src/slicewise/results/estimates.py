"""Estimates in results: a value with its interval, counts with precision and recall, the method of inference."""

from __future__ import annotations

from dataclasses import dataclass

from slicewise.results.base import Bounds

WILSON = "Wilson with an effective n"
"""The method of the intervals of proportions."""


@dataclass(frozen=True, kw_only=True)
class Prf:
    """Counts, and what is computed from them; `ci` has an interval for each."""

    n_gold: int
    n_pred: int
    tp: float
    precision: float | None
    recall: float | None
    f1: float | None
    ci: dict[str, Bounds | None] | None
    undefined_draws: dict[str, int] | None = None
    """In how many draws each was undefined and left out."""


@dataclass(frozen=True, kw_only=True)
class Mean:
    """A mean over labels."""

    precision: float | None
    recall: float | None
    f1: float | None
    ci: dict[str, Bounds | None] | None
    undefined_draws: dict[str, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Value:
    """A number with its interval, and the draws in which it was undefined."""

    value: float | None
    ci: Bounds | None
    undefined_draws: int = 0


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """How often a gold label was returned as another (or the same)."""

    gold: str
    returned: str
    n: int


@dataclass(frozen=True, kw_only=True)
class Inference:
    """How intervals and p-values were made."""

    resamples: int
    confidence: float
    seed: int
    interval: str
    test: str
    difference_interval: str = ""
    """Of differences, and of other values that are no proportions."""
    correction: str = "Holm over the pairs of each metric"
    draws: int = 0
