"""Colours and chart settings: one palette and one set of shapes for systems, on light and on dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slicewise.render.visible import drawable

PALETTE = (
    "#3b82c4", "#e0702f", "#2f9e77", "#c65b9c", "#b8930f", "#7a68c9",
    "#c9493f", "#4aa8b5", "#7f8b2a", "#9a6b4f", "#8790a0", "#5b7f3a",
)  # fmt: skip
"""Of middle lightness, so that each stands out from white and from near black."""
SHAPES = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left",
)  # fmt: skip
SEQUENTIAL = "blues"
DIVERGING = "blueorange"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"


def colours(systems: Sequence[str]) -> list[str]:
    """Return a colour per system, in their order; restarts of a system share one, after twelve they come again."""
    return [PALETTE[place % len(PALETTE)] for place, _ in _places(systems)]


def shapes(systems: Sequence[str]) -> list[str]:
    """Return a shape per system, in their order; another for each restart."""
    return [SHAPES[(place + place // len(PALETTE) + run) % len(SHAPES)] for place, run in _places(systems)]


def _places(systems: Sequence[str]) -> list[tuple[int, int]]:
    """Return the place of each system, and which of its restarts each is, counted from 0."""
    bases: dict[str, int] = {}
    places = []
    for name in systems:
        base, _, run = name.rpartition("#")
        of_restart = bool(base) and run.isdecimal() and len(run) < 10
        place = bases.setdefault(base if of_restart else name, len(bases))
        places.append((place, int(run) - 1 if of_restart else 0))
    return places


def repainted(spec: Any, systems: Sequence[str]) -> Any:
    """Return a chart's specification with the colours and shapes that its systems have among all of a page."""
    drawn = [drawable(name) for name in systems]
    looks = {"color": colours(systems), "shape": shapes(systems)}
    return _repainted(spec, {key: dict(zip(drawn, values, strict=True)) for key, values in looks.items()})


def _repainted(spec: Any, looks: Mapping[str, Mapping[str, str]]) -> Any:
    if isinstance(spec, list):
        return [_repainted(value, looks) for value in spec]
    if not isinstance(spec, dict):
        return spec
    return {
        key: _painted(value, looks[key]) if key in looks else _repainted(value, looks) for key, value in spec.items()
    }


def _painted(channel: Any, values: Mapping[str, str]) -> Any:
    """Return the encoding of a system's colour or shape with the page's values."""
    scale = channel.get("scale") if isinstance(channel, dict) and channel.get("field") == "system" else None
    if not scale or not set(scale.get("domain", ())) <= set(values):
        return channel
    return channel | {"scale": scale | {"range": [values[name] for name in scale["domain"]]}}


def _config(*, ink: str, quiet: str, line: str, ground: str) -> dict[str, Any]:
    """Return the settings that all charts share."""
    words = {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 500}
    return {
        "background": ground,
        "font": FONT,
        "view": {"stroke": None},
        "axis": {**words, "domainColor": line, "gridColor": line, "tickColor": line, "labelLimit": 220},
        "legend": {**words, "labelLimit": 220, "symbolStrokeWidth": 0, "orient": "top", "columns": 6},
        "header": {**words},
        "title": {"color": ink, "anchor": "start", "fontSize": 14},
        "text": {"color": ink},
        "rule": {"color": quiet},
        "style": {"guide-label": {"fill": ink}, "guide-title": {"fill": ink}},
    }


LIGHT = _config(ink="#1f2933", quiet="#69737f", line="#dfe3e8", ground="#ffffff")
DARK = _config(ink="#e4e8ee", quiet="#9aa4b2", line="#39424e", ground="#14191f")
