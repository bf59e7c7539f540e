"""The result of `report`: every lens on every data set, what is most worth fixing, and the page that shows it all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slicewise.results.base import Result, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from slicewise.render.blocks import Block, Grid
    from slicewise.render.figures import Figure
    from slicewise.render.page import Page
    from slicewise.results.buckets import BucketsResult
    from slicewise.results.complement import ComplementResult
    from slicewise.results.difficulty import DifficultyResult
    from slicewise.results.features import FeaturesResult
    from slicewise.results.score import ScoreResult
    from slicewise.results.study import StudyResult

PAGES = (".html", ".htm")
LENSES = ("score", "buckets", "features", "worsening", "improving", "complement", "difficulty")


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """One data set through all lenses; what the data does not allow is left out, with the reason."""

    name: str
    dated: str | None
    score: ScoreResult | None = None
    buckets: BucketsResult | None = None
    features: FeaturesResult | None = None
    worsening: FeaturesResult | None = None
    """Of two systems: what gets worse from the first to the second."""
    improving: FeaturesResult | None = None
    complement: ComplementResult | None = None
    difficulty: DifficultyResult | None = None
    left_out: Mapping[str, str]
    evidence: Mapping[str, Any]

    def results(self) -> Iterator[tuple[str, Result]]:
        """Yield the lenses that the data allows."""
        for name in LENSES:
            found: Result | None = getattr(self, name)
            if found is not None:
                yield name, found


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportResult(Result):
    """All lenses on all data sets."""

    title: str
    parts: tuple[Part, ...]
    study: StudyResult | None
    statements: tuple[Statement, ...]
    """The strongest, what is worth most first."""
    survived: int
    """How many statements survive correction, of all lenses."""

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON: those of all lenses."""
        return {
            "findings": self.statements,
            "datasets": {
                part.name: {name: result.body() for name, result in part.results()} | {"left_out": dict(part.left_out)}
                for part in self.parts
            },
            "study": None if self.study is None else self.study.body(),
        }

    def tables(self) -> dict[str, list[Row]]:
        """Return the findings."""
        from dataclasses import asdict

        return {"findings": [asdict(one) for one in self.statements]}

    def blocks(self) -> list[Block]:
        """Return what a person is shown: the findings."""
        from slicewise.results.report_view import blocks

        return blocks(self)

    def grids(self) -> list[Grid]:
        """Return the findings, and every table of every lens."""
        from slicewise.results.report_view import grids

        return grids(self)

    def figures(self) -> list[Figure]:
        """Return the figures of all lenses; with several data sets their names begin with that of the data."""
        from slicewise.results.report_view import figures

        return figures(self)

    def page(self) -> Page:
        """Return the page that explains it all."""
        from slicewise.results.report_page import page

        return page(self)

    def to_html(self) -> str:
        """Return the page as one self-contained HTML document."""
        from slicewise.render.page import as_page

        return as_page(self.page())

    def write(self, path: Path) -> None:
        """Write the page to a file."""
        from slicewise.results.files import check_ending, write_text

        check_ending(path, PAGES)
        write_text(path, self.to_html())
