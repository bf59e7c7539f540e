"""A finding in words, as all lenses state it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Statement:
    """Something that survives correction, of any lens."""

    text: str
    lens: str
    dataset: str
    system: str | None
    """The one that would gain."""
    against: str | None = None
    """The one that it is compared with."""
    number: float
    """The difference that it states."""
    unit: str
    """What the number is of: `f1`, `of the units missed`."""
    n: int
    q: float
    worth: float | None
    """What the system's score would gain if it were mended; None where that is not known."""
    slice: str | None
    """The units behind it."""
    topic: str
    """The attribute or feature that it is about."""
