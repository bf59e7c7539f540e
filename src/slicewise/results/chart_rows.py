"""What rows of figures share: flags, ends of intervals, and columns that have values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.render.marks import tooltip

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import altair as alt

    from slicewise.render.figures import Field, Row
    from slicewise.results.base import Bounds


def hidden(*, unless: bool) -> Row:
    """Return the flag of a row that is in the table alone."""
    return {} if unless else {"hidden": True}


def ends(ci: Bounds | None, lo: str = "lo", hi: str = "hi") -> Row:
    """Return an interval as two values."""
    return dict(zip((lo, hi), ci or (None, None), strict=True))


def has_values(rows: Sequence[Row], key: str) -> bool:
    """Tell whether any row has a value."""
    return any(row.get(key) not in (None, "") for row in rows)


def with_values(fields: Iterable[Field], rows: Sequence[Row]) -> tuple[Field, ...]:
    """Return the columns that have values."""
    return tuple(field for field in fields if has_values(rows, field.key))


def known_tips(rows: Sequence[Row], *fields: tuple[str, str] | tuple[str, str, str]) -> list[alt.Tooltip]:
    """Return what a mark says when it is pointed at, without what no row has; keys that the chart makes are kept."""
    keys = {key for key in rows[0] if not has_values(rows, key)}
    return tooltip(*(field for field in fields if field[0].partition(":")[0] not in keys))


def more_note(drawn: int, all_of_them: int, noun: str, which: str = "first") -> str:
    """Say that the chart has some rows and the table all; nothing where it has all."""
    left = all_of_them - drawn
    return f"The chart has the {which} {drawn:,} {noun}; {left:,} more are in the table." if left > 0 else ""
