"""Columns as the user names them: by their name, or by their number from 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MOST_DIGITS = 18
"""A longer number is a name: no file has so many columns."""


def column_number(column: str) -> int | None:
    """Return the number that a column is named by; None where it is a name."""
    return int(column) if column.isdecimal() and len(column) <= MOST_DIGITS else None


def by_number(column: str | None) -> bool:
    """Tell whether a column, or the first step of a dotted path, is named by its number."""
    return column is not None and column_number(column.partition(".")[0]) is not None


def top_level_name(column: str, names: Iterable[str]) -> str | None:
    """Return the longest name that a dotted path begins with."""
    return max((name for name in names if column == name or column.startswith(f"{name}.")), key=len, default=None)


def column_index(column: str, names: Sequence[str]) -> int | None:
    """Return the place, from 0, of a column among those of a file; None where it is not there."""
    if column in names:
        return names.index(column)
    number = column_number(column)
    return number - 1 if number is not None and 1 <= number <= len(names) else None
