"""One self-contained HTML page: texts, figures and the items of slices, without any request to the network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slicewise.render.blocks import Sentence
from slicewise.render.figures import Figure
from slicewise.render.page.document import as_page

__all__ = ["Page", "PageFinding", "Part", "Section", "as_page"]

Part = Sentence | Figure


@dataclass(frozen=True)
class PageFinding:
    """A statement that survives correction, with what it rests on."""

    text: str
    number: str
    n: int
    q: float | None
    worth: float | None
    lens: str
    section: str
    """The id of the section with its evidence."""
    dataset: str
    slice: str | None
    systems: tuple[str, ...] = ()
    """Those that it is about: of its items, these systems' outputs are shown."""


@dataclass(frozen=True)
class Section:
    """What one lens shows of one data set or of all."""

    id: str
    title: str
    question: str
    """What it answers."""
    caution: str
    """What not to conclude."""
    parts: tuple[Part, ...]
    dataset: str
    """The name of the data set that its slices belong to."""
    group: str = ""
    """A heading over several sections."""


@dataclass(frozen=True)
class Page:
    """All that a page shows."""

    title: str
    facts: tuple[tuple[str, str], ...]
    """What was evaluated: labels and values."""
    signature: str
    lead: tuple[Part, ...]
    findings: tuple[PageFinding, ...]
    no_findings: str
    """Shown instead of findings where there are none."""
    sections: tuple[Section, ...]
    systems: tuple[str, ...]
    """All systems, in the order of the palette."""
    evidence: Mapping[str, Mapping[str, Any]]
    """The items behind slices, by data set, as plain JSON values."""
