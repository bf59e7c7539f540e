"""Sums of statistics by slice and cluster group: the only operation that another engine has to provide.

Group-bys are written once, as Narwhals expressions over lazy frames; sums of integers are exact on every engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import narwhals as nw
import narwhals.typing as nwt

TP, PRED, GOLD, WRONG = "tp:{}", "pred:{}", "n_gold", "wrong:{}"


def sums(
    frame: nw.LazyFrame[nwt.IntoLazyFrame],
    by: Sequence[str],
    columns: Mapping[str, nw.Expr],
    *,
    ordered: bool = True,
) -> nw.LazyFrame[nwt.IntoLazyFrame]:
    """Sum each expression within each combination of `by`; `ordered`: sorted by it."""
    prepared = frame.select(*by, **columns)
    table = prepared.group_by(*by).agg(*(nw.col(name).sum() for name in columns))
    return table.sort(*by) if ordered else table


def unit_sums(
    units: nw.LazyFrame[nwt.IntoLazyFrame], systems: Sequence[str], by: Sequence[str]
) -> nw.LazyFrame[nwt.IntoLazyFrame]:
    """Count gold units, and each system's returned units and true positives, by slice."""
    columns = {GOLD: _count(nw.col("gold"))}
    for system in systems:
        columns[PRED.format(system)] = _count(nw.col(system))
        columns[TP.format(system)] = _count(nw.col("gold") & nw.col(system))
    return sums(units, by, columns)


def wrong_cases(
    units: nw.LazyFrame[nwt.IntoLazyFrame], systems: Sequence[str], case: Sequence[str], by: Sequence[str]
) -> nw.LazyFrame[nwt.IntoLazyFrame]:
    """Count, by slice, the cases (items, or tokens) that have a unit which a system missed or invented."""
    flags = {WRONG.format(s): _count(nw.col("gold") != nw.col(s)) for s in systems}
    per_case = units.select(*case, *by, **flags).group_by(*case, *by).agg(*(nw.col(name).max() for name in flags))
    return sums(per_case, by, {name: nw.col(name) for name in flags})


def _count(flag: nw.Expr) -> nw.Expr:
    return flag.cast(nw.Int64)
