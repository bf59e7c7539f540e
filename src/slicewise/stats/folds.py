"""Intervals of what is cross-validated: folds share the data that choices were made on."""

from __future__ import annotations

from math import sqrt


def widened_for_folds(value: float, lo: float, hi: float, folds: int) -> tuple[float, float]:
    """Widen an interval around its value by √(1 + K/(K−1)), K the folds.

    The bootstrap holds the choices fixed. Other data would have led to other choices: their variance is added, that
    of an estimate on the share (K−1)/K of the data.
    """
    factor = sqrt(1 + folds / (folds - 1))
    return value + factor * (lo - value), value + factor * (hi - value)
