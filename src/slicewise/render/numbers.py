"""How numbers are written for people."""

from __future__ import annotations

Bounds = tuple[float, float]


def score(value: float | None, digits: int = 4) -> str:
    """Write a value, or a dash where it is undefined."""
    return "–" if value is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int = 4) -> str:
    """Write a difference with its sign."""
    return "–" if value is None else f"{value:+.{digits}f}".replace("-", "−")


def bounds(ci: Bounds | None, digits: int = 3) -> str:
    """Write an interval."""
    return "" if ci is None else f"[{ci[0]:.{digits}f}, {ci[1]:.{digits}f}]".replace("-", "−")


def probability(p: float | None) -> str:
    """Write a p-value: small ones as a bound."""
    if p is None:
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def whole(n: float) -> str:
    """Write a count; halves keep their half."""
    return f"{int(n):,}" if float(n).is_integer() else f"{n:,.1f}"
