"""Numbers as rows of a table of values."""

from __future__ import annotations

from slicewise.results.base import Bounds, Row
from slicewise.results.estimates import Prf


def bounds_row(ci: Bounds | None, prefix: str = "") -> Row:
    """Return an interval as two columns."""
    lo, hi = ci or (None, None)
    return {f"{prefix}lo": lo, f"{prefix}hi": hi}


def prf_row(prf: Prf) -> Row:
    """Return counts, P, R and F1 with their intervals."""
    row: Row = {"n_gold": prf.n_gold, "n_pred": prf.n_pred, "tp": prf.tp}
    for name in ("precision", "recall", "f1"):
        row |= {name: getattr(prf, name)} | bounds_row(None if prf.ci is None else prf.ci[name], f"{name}_")
    return row
