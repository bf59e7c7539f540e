"""The first lines of a result: what was evaluated, and warnings."""

from __future__ import annotations

from typing import Any

from slicewise.errors import counted
from slicewise.render.blocks import Block, Sentence


def heading(data: dict[str, Any]) -> str:
    """Return the data's name and sizes, and how it was read."""
    parts = [data["name"], counted(data["items"], "item")]
    if data["clusters"] != data["items"]:
        noun = "document" if data["cluster"] == "doc" else "cluster"
        parts.append(counted(data["clusters"], noun) + ("" if noun == "document" else f" by {data['cluster']}"))
    if data["gold_units"] is not None:
        parts.append(counted(data["gold_units"], "gold unit"))
    parts.append("; ".join(data["notes"]) or f"task {data['task']}")
    return " · ".join(parts)


def opening(data: dict[str, Any]) -> list[Block]:
    """Return the first blocks of a view: the heading and the warnings."""
    return [Sentence(heading(data), "title"), *(Sentence(f"! {text}", "warning") for text in data["warnings"])]


def called(metric: str) -> str:
    """Return a metric's name in a sentence: F1, mean score."""
    if metric == "mean":
        return "mean score"
    return metric.upper() if metric[:1] == "f" and metric[1:2].isdigit() else metric
