"""The result of `report`: every lens on every data set, what is most worth fixing, and the page that shows it all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from slicewise.lenses.result import LensResult
from slicewise.lenses.score import ScoreResult
from slicewise.lenses.study import StudyResult
from slicewise.render.figures import Figure
from slicewise.render.page import Page
from slicewise.results.base import Result, Row
from slicewise.results.statement import Statement

PAGES = (".html", ".htm")


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """One data set through all lenses; what the data does not allow is left out, with the reason.

    A result is also an attribute, under the name of its lens: `part.buckets`; None where there is none.
    """

    name: str
    dated: str | None
    results: Mapping[str, Result]
    left_out: Mapping[str, str]
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def score(self) -> ScoreResult:
        """The scores, without which there is no report."""
        return cast("ScoreResult", self.results["score"])

    def __getattr__(self, name: str) -> Any:
        from slicewise.lenses.registry import lenses

        if name in self.__dict__.get("results", ()):
            return self.results[name]
        if not name.startswith("_") and any(name in (lens.name, *lens.between_two) for lens in lenses() if lens.run):
            return None
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportResult(LensResult):
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
                part.name: {name: result.body() for name, result in part.results.items()}
                | {"left_out": dict(part.left_out)}
                for part in self.parts
            },
            "study": None if self.study is None else self.study.body(),
        }

    def tables(self) -> dict[str, list[Row]]:
        """Return the findings."""
        from dataclasses import asdict

        return {"findings": [asdict(statement) for statement in self.statements]}

    def figures(self) -> list[Figure]:
        """Return the figures of all lenses; with several data sets their names begin with that of the data."""
        from slicewise.lenses.report.view import figures

        return figures(self)

    def page(self) -> Page:
        """Return the page that explains it all."""
        from slicewise.lenses.report.page import page

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
