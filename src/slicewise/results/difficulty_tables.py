"""A difficulty result as long tables of values."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slicewise.results.base import Row
    from slicewise.results.difficulty import BinTable, DifficultyResult


def tables(result: DifficultyResult) -> dict[str, list[Row]]:
    """Return every part that is there as rows."""
    found: dict[str, list[Row]] = {
        "gold_bins": _bins(result.gold),
        "spurious_bins": _bins(result.spurious),
        "leave_one_out": _left_out(result),
        "singular": _singular(result),
        "pairwise": _pairwise(result),
        "profile": _profile(result),
        "attributes": _attributes(result),
        "columns": _columns(result),
        "features": _features(result),
        "spread": _spread(result),
        "surface": _surface(result),
        "mentions": _mentions(result),
        "suspects": [one.row(i) for i, one in enumerate(result.suspects, 1)],
        "without_suspects": [
            {
                "set_aside": one.kind, "suspects": one.suspects, "system": name, result.metric: value,
                "rank": one.ranking.index(name) + 1,
            }
            for one in result.without_suspects
            for name, value in one.scores.items()
        ],
    }  # fmt: skip
    return {name: rows for name, rows in found.items() if rows or name == "gold_bins"}


def _bins(table: BinTable) -> list[Row]:
    return [
        {"bin": n, "total": total, "system": name, "found": counts[n], "share": table.shares[name][n]}
        for name, counts in table.systems.items()
        for n, total in enumerate(table.totals)
    ]


def _left_out(result: DifficultyResult) -> list[Row]:
    return [
        {"system": name, "bin": n, "total": one.totals[n], "found": one.found[n], "share": one.shares[n]}
        for name, one in (result.leave_one_out or {}).items()
        for n in range(len(one.totals))
    ]


def _singular(result: DifficultyResult) -> list[Row]:
    return [
        {"system": name, "found": one.found, "share": one.share, "of_own": one.of_own}
        for name, one in result.singular.items()
    ]


def _pairwise(result: DifficultyResult) -> list[Row]:
    return [
        {
            "a": pair.a, "b": pair.b, "bin": one.bin, "n": one.n, "share_a": one.a, "share_b": one.b,
            "difference": one.difference, "lo": None if one.ci is None else one.ci[0],
            "hi": None if one.ci is None else one.ci[1],
        }
        for pair in result.pairwise
        for one in pair.bins
    ]  # fmt: skip


def _profile(result: DifficultyResult) -> list[Row]:
    return [{"bin": n, "n": one.n, **one.shares} for n, one in result.profile.items()]


def _attributes(result: DifficultyResult) -> list[Row]:
    return [
        {"bin": n, "attribute": name, "mean": of.mean, "bucket": bucket, "n": count}
        for n, one in result.profile.items()
        for name, of in one.attributes.items()
        for bucket, count in of.buckets.items()
    ]


def _columns(result: DifficultyResult) -> list[Row]:
    return [
        {"bin": n, "column": name, "value": value, "n": count}
        for n, one in result.profile.items()
        for name, values in one.columns.items()
        for value, count in values.items()
    ]


def _features(result: DifficultyResult) -> list[Row]:
    if result.features is None:
        return []
    rows: list[Row] = []
    for one in result.features.features:
        values = {field.name: getattr(one, field.name) for field in fields(one)}
        lo, hi = values.pop("ci") or (None, None)
        values["folded"], values["units"] = ("\t".join(values[name]) for name in ("folded", "units"))
        values["examples"] = " ".join(map(str, values["examples"]))
        rows.append({**values, "difference_lo": lo, "difference_hi": hi})
    return rows


def _spread(result: DifficultyResult) -> list[Row]:
    return [
        {"surface": one.surface, "n": one.n, "lost": one.lost, **{f"bin_{n}": k for n, k in enumerate(one.bins)}}
        for one in result.spread
    ]


def _surface(result: DifficultyResult) -> list[Row]:
    """Return the string that was asked for: how many mentions of each kind there are in each bin."""
    if result.surface is None:
        return []
    one = result.surface
    parts = {"gold": one.bins, "in longer": one.containing, "spurious": one.spurious}
    return [
        {"surface": one.surface, "side": side, "bin": n, "mentions": k}
        for side, bins in parts.items()
        for n, k in enumerate(bins)
    ]


def _mentions(result: DifficultyResult) -> list[Row]:
    """Return the mentions of strings that resist, those that are found, and those of the string asked for."""
    rows: list[Row] = []
    for form in result.spread:
        for side, own in (("resistant", form.resistant), ("found", form.found)):
            rows += [{"surface": form.surface, "side": side, "bin": len(m.systems), **m.row()} for m in own]
    if result.surface is not None:
        one = result.surface
        for side, own in (("asked", one.mentions), ("in longer", one.longer), ("spurious", one.returned)):
            rows += [{"surface": one.surface, "side": side, "bin": len(m.systems), **m.row()} for m in own]
    return rows
