"""Names of slices: sets of units that charts, tables and links of a page refer to."""

from __future__ import annotations

from urllib.parse import quote


def _name(*parts: object) -> str:
    return "/".join(quote(str(part), safe="", errors="replace") for part in parts)


def label_slice(label: str) -> str:
    """Return the name of all units with a label."""
    return _name("label", label)


def error_slice(system: str, kind: str) -> str:
    """Return the name of a system's errors of one kind."""
    return _name("error", system, kind)


def confusion_slice(system: str, gold: str, returned: str) -> str:
    """Return the name of what gold calls one thing and a system another."""
    return _name("confusion", system, gold, returned)


def bucket_slice(attribute: str, bucket: str) -> str:
    """Return the name of the units in a bucket."""
    return _name("bucket", attribute, bucket)


def feature_slice(over: str, system: str, feature: str) -> str:
    """Return the name of the items or units of a system that have a feature."""
    return _name("feature", over, system, feature)


def pair_slice(a: str, b: str) -> str:
    """Return the name of a's errors that b does not make."""
    return _name("pair", a, b)


def pattern_slice(systems: tuple[str, ...]) -> str:
    """Return the name of the gold units that exactly these systems find."""
    return _name("pattern", *systems)


def bin_slice(n: int, system: str | None = None) -> str:
    """Return the name of the gold units that n systems find, all of them or those that one system finds."""
    return _name("bin", n) if system is None else _name("bin", n, system)


def spurious_slice(n: int, system: str | None = None) -> str:
    """Return the name of the units that n systems return and gold has not, all or those of one system."""
    return _name("spurious", n) if system is None else _name("spurious", n, system)


def form_slice(surface: str) -> str:
    """Return the name of the gold units with one text."""
    return _name("form", surface)


def suspect_slice(rank: int) -> str:
    """Return the name of one suspect, counted from 1."""
    return _name("suspect", rank)
