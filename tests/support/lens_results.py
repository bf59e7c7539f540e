"""The lenses that a report runs on a data set, which also take it in parts, and their results as tests compare them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import slicewise
from slicewise.lenses import registry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LENSES: dict[str, Callable[..., Any]] = {
    lens.name: registry.function(lens.name) for lens in registry.lenses() if lens.run is not None
}


def converted(folder: Path, path: Path) -> str:
    """Return a file as Parquet."""
    to = folder / f"{path.parent.name}.{path.name}.parquet"
    if not to.exists():
        slicewise.convert(str(path), str(to))
    return str(to)


def content(document: str) -> dict[str, Any]:
    """Return a result from its JSON, without the words on how the task was told: a part tells it, or the whole."""
    found: dict[str, Any] = json.loads(document)
    found["data"]["notes"] = found["data"]["notes"][1:]
    return found
