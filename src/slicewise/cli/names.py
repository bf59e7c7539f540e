"""Names that an option lists between commas."""

from __future__ import annotations

from collections.abc import Iterable

from slicewise.errors import UserError, quoted

RENAME = "rename it with --system NAME=FILE, or --system-names"


def listed(texts: Iterable[str] | None) -> list[str]:
    """Return the names of an option that may be repeated, or hold several."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


def two_names(text: str, option_name: str, hint: str = "") -> tuple[str, str]:
    """Return the two names of an option."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise UserError(f"{quoted(text)} does not name two; write {option_name} A,B{hint}")
    return parts[0], parts[1]


def two_systems(text: str, option_name: str) -> tuple[str, str]:
    """Return the two systems of an option."""
    return two_names(text, option_name, f"; a system with a comma in its name: {RENAME}" if text.count(",") > 1 else "")


def check_commas(texts: Iterable[str], option_name: str, systems: Iterable[str]) -> None:
    """Refuse a system with a comma in its name among names between commas."""
    for name in systems:
        if "," in name and any(name in text for text in texts):
            raise UserError(f"{option_name}: {quoted(name)} has the comma that separates names; {RENAME}")
