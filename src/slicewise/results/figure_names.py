"""Names of figures, which may have names from the data in them, as names of files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from slicewise.results.files import safe_name, unique

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.render.figures import Figure


def safely_named(figures: Sequence[Figure]) -> list[Figure]:
    """Return figures whose names are safe as files' names and differ from each other."""
    names = unique([safe_name(figure.name) for figure in figures])
    return [replace(figure, name=name) for figure, name in zip(figures, names, strict=True)]
