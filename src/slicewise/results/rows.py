"""Numbers as rows of a table of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slicewise.results.base import Bounds, Row
    from slicewise.results.score import Prf


def bounds_row(ci: Bounds | None) -> Row:
    """Return an interval as two columns."""
    return {"lo": None if ci is None else ci[0], "hi": None if ci is None else ci[1]}


def prf_row(prf: Prf) -> Row:
    """Return counts, P, R and F1 with their intervals."""
    row: Row = {"n_gold": prf.n_gold, "n_pred": prf.n_pred, "tp": prf.tp}
    for name in ("precision", "recall", "f1"):
        ci = None if prf.ci is None else prf.ci[name]
        row |= {
            name: getattr(prf, name),
            f"{name}_lo": None if ci is None else ci[0],
            f"{name}_hi": None if ci is None else ci[1],
        }
    return row
