"""Number formatting."""

from __future__ import annotations

Bounds = tuple[float, float]
LONG = 1e16
"""From here on, the last digits of a number say nothing."""


def score(value: float | None, digits: int = 4) -> str:
    """Write a value, or a dash where it is undefined."""
    return "–" if value is None else _fixed(value, digits)


def _fixed(value: float, digits: int, sign: str = "") -> str:
    """Format a value with a number of decimal places; a very large one with as many significant digits."""
    return f"{value:{sign}.{digits}{'f' if abs(value) < LONG else 'g'}}"


def signed(value: float | None, digits: int = 4) -> str:
    """Write a difference with its sign."""
    return "–" if value is None else _fixed(value, digits, "+").replace("-", "−")


def bounds(ci: Bounds | None, digits: int = 3) -> str:
    """Write an interval."""
    return "" if ci is None else f"[{_fixed(ci[0], digits)}, {_fixed(ci[1], digits)}]".replace("-", "−")


def probability(p: float | None) -> str:
    """Write a p-value: small ones as a bound."""
    if p is None:
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def whole(n: float) -> str:
    """Write a count; halves keep their half."""
    return f"{int(n):,}" if float(n).is_integer() else f"{n:,.1f}"
