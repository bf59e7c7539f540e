"""What figures share: safe names, flags of rows, and columns that have values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from slicewise.render.marks import tooltip
from slicewise.results.files import safe_name, unique

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import altair as alt

    from slicewise.render.figures import Field, Figure, Row


def safely_named(figures: Sequence[Figure]) -> list[Figure]:
    """Return figures whose names are safe as file names and differ from each other."""
    names = unique([safe_name(figure.name) for figure in figures])
    return [replace(figure, name=name) for figure, name in zip(figures, names, strict=True)]


def hidden(*, unless: bool) -> Row:
    """Return the flag of a row that is in the table alone."""
    return {} if unless else {"hidden": True}


def has_values(rows: Sequence[Row], key: str) -> bool:
    """Return whether any row has a value."""
    return any(row.get(key) not in (None, "") for row in rows)


def with_values(fields: Iterable[Field], rows: Sequence[Row]) -> tuple[Field, ...]:
    """Return the columns that have values."""
    return tuple(field for field in fields if has_values(rows, field.key))


def known_tips(rows: Sequence[Row], *fields: tuple[str, str] | tuple[str, str, str]) -> list[alt.Tooltip]:
    """Return a tooltip without the fields that no row has; fields that the chart computes are kept."""
    keys = {key for key in rows[0] if not has_values(rows, key)}
    return tooltip(*(field for field in fields if field[0].partition(":")[0] not in keys))


def more_note(drawn: int, all_of_them: int, noun: str, which: str = "first") -> str:
    """Return a note on the rows that are in the table but not in the chart; empty where the chart has all."""
    left = all_of_them - drawn
    return f"The chart has the {which} {drawn:,} {noun}; {left:,} more are in the table." if left > 0 else ""
