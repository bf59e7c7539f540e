"""Attributes in sentences and tables."""

from __future__ import annotations

from collections.abc import Mapping


def absences(absent: Mapping[str, str]) -> list[str]:
    """Return which attributes need what, a text for each need."""
    names_by_need: dict[str, list[str]] = {}
    for name, need in absent.items():
        names_by_need.setdefault(need, []).append(name)
    return [
        f"{', '.join(names)}, which {'needs' if len(names) == 1 else 'need'} {need}"
        for need, names in names_by_need.items()
    ]


def mean(zeta: float | None) -> str:
    """Write the mean of an attribute."""
    return "–" if zeta is None else f"{zeta:,.0f}" if abs(zeta) >= 1000 else f"{zeta:.3g}"
