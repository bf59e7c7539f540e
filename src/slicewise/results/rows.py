"""Values of results as rows of a table."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from slicewise.results.base import Bounds, Row
from slicewise.results.estimates import Prf


def row_of(entry: Any, *names: str) -> Row:
    """Return fields of a dataclass as a row, all but tuples unless named; the interval `ci` as two columns."""
    row: Row = {}
    for name in names or [field.name for field in fields(entry)]:
        value = getattr(entry, name)
        if name == "ci":
            row |= bounds_row(value)
        elif not isinstance(value, tuple):
            row[name] = value
    return row


def bounds_row(ci: Bounds | None, prefix: str = "") -> Row:
    """Return an interval as two columns."""
    lo, hi = ci or (None, None)
    return {f"{prefix}lo": lo, f"{prefix}hi": hi}


def prf_row(prf: Prf) -> Row:
    """Return counts, P, R and F1 with their intervals."""
    return row_of(prf, "n_gold", "n_pred", "tp") | scores_row(prf)


def scores_row(scores: Any) -> Row:
    """Return P, R and F1 with their intervals."""
    row: Row = {}
    for name in ("precision", "recall", "f1"):
        row |= {name: getattr(scores, name)} | bounds_row((scores.ci or {}).get(name), f"{name}_")
    return row
