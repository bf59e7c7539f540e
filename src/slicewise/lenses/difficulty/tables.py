"""A difficulty result as long tables of values."""

from __future__ import annotations

from dataclasses import fields

from slicewise.lenses.difficulty.result import BinTable, DifficultyResult
from slicewise.results.base import Row
from slicewise.results.rows import bounds_row, row_of


def tables(result: DifficultyResult) -> dict[str, list[Row]]:
    """Return every non-empty part as rows."""
    rows_of: dict[str, list[Row]] = {
        "gold_bins": _bins(result.gold),
        "spurious_bins": _bins(result.spurious),
        "leave_one_out": _left_out(result),
        "singular": _singular(result),
        "pairwise": _pairwise(result),
        "profile": [{"bin": n, "n": profile.n, **profile.shares} for n, profile in result.profile.items()],
        "attributes": _attributes(result),
        "columns": _columns(result),
        "features": _features(result),
        "spread": _spread(result),
        "surface": _surface(result),
        "mentions": _mentions(result),
        "suspects": [entry.row(i) for i, entry in enumerate(result.suspects, 1)],
        "without_suspects": [
            {
                "set_aside": entry.kind, "suspects": entry.suspects, "system": name, result.metric: value,
                "rank": entry.ranking.index(name) + 1,
            }
            for entry in result.without_suspects
            for name, value in entry.scores.items()
        ],
    }  # fmt: skip
    return {name: rows for name, rows in rows_of.items() if rows or name == "gold_bins"}


def _bins(table: BinTable) -> list[Row]:
    rows: list[Row] = []
    for name, counts in table.systems.items():
        shares, bounds = table.shares[name], (table.ci or {}).get(name, (None,) * len(counts))
        for n, total in enumerate(table.totals):
            row: Row = {"bin": n, "total": total, "system": name, "found": counts[n], "share": shares[n]}
            rows.append(row | ({} if table.ci is None else bounds_row(bounds[n], "share_")))
    return rows


def _left_out(result: DifficultyResult) -> list[Row]:
    return [
        {"system": name, "bin": n, "total": bins.totals[n], "found": bins.found[n], "share": bins.shares[n]}
        for name, bins in (result.leave_one_out or {}).items()
        for n in range(len(bins.totals))
    ]


def _singular(result: DifficultyResult) -> list[Row]:
    return [
        {"system": name, **row_of(contribution, "found", "share", "of_own")}
        for name, contribution in result.singular.items()
    ]


def _pairwise(result: DifficultyResult) -> list[Row]:
    return [
        row_of(pair, "a", "b")
        | {"bin": entry.bin, "n": entry.n, "share_a": entry.a, "share_b": entry.b}
        | row_of(entry, "difference", "ci")
        for pair in result.pairwise
        for entry in pair.bins
    ]


def _attributes(result: DifficultyResult) -> list[Row]:
    return [
        {"bin": n, "attribute": name, "mean": of.mean, "bucket": bucket, "n": count}
        for n, profile in result.profile.items()
        for name, of in profile.attributes.items()
        for bucket, count in of.buckets.items()
    ]


def _columns(result: DifficultyResult) -> list[Row]:
    return [
        {"bin": n, "column": name, "value": value, "n": count}
        for n, profile in result.profile.items()
        for name, values in profile.columns.items()
        for value, count in values.items()
    ]


def _features(result: DifficultyResult) -> list[Row]:
    if result.features is None:
        return []
    rows: list[Row] = []
    for feature in result.features.features:
        values = {field.name: getattr(feature, field.name) for field in fields(feature)}
        ci = values.pop("ci")
        values["folded"], values["units"] = ("\t".join(values[name]) for name in ("folded", "units"))
        values["examples"] = " ".join(map(str, values["examples"]))
        rows.append(values | bounds_row(ci, "difference_"))
    return rows


def _spread(result: DifficultyResult) -> list[Row]:
    return [
        {"surface": form.surface, "n": form.n, "lost": form.lost, **{f"bin_{n}": k for n, k in enumerate(form.bins)}}
        for form in result.spread
    ]


def _surface(result: DifficultyResult) -> list[Row]:
    """Return the mentions of the requested string by kind and bin."""
    if result.surface is None:
        return []
    surface = result.surface
    parts = {"gold": surface.bins, "in longer": surface.containing, "spurious": surface.spurious}
    return [
        {"surface": surface.surface, "side": side, "bin": n, "mentions": k}
        for side, bins in parts.items()
        for n, k in enumerate(bins)
    ]


def _mentions(result: DifficultyResult) -> list[Row]:
    """Return the mentions of resistant strings, missed and found, and those of the requested string."""
    rows: list[Row] = []
    for form in result.spread:
        for side, mentions in (("resistant", form.resistant), ("found", form.found)):
            rows += [{"surface": form.surface, "side": side, "bin": len(m.systems), **m.row()} for m in mentions]
    if result.surface is not None:
        string = result.surface
        for side, mentions in (("asked", string.mentions), ("in longer", string.longer), ("spurious", string.returned)):
            rows += [{"surface": string.surface, "side": side, "bin": len(m.systems), **m.row()} for m in mentions]
    return rows
