"""How a report is shown in a terminal, and the figures of all its lenses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import probability, signed
from slicewise.results.files import safe_name, unique
from slicewise.results.heading import heading

if TYPE_CHECKING:
    from slicewise.render.figures import Figure
    from slicewise.results.base import Result
    from slicewise.results.report import ReportResult


def blocks(result: ReportResult) -> list[Block]:
    """Return the findings, or that there are none, and what was left out."""
    several = len(result.parts) > 1
    found: list[Block] = [
        Sentence(heading(part.score.data), "title") for part in result.parts if part.score is not None
    ]
    found += [Sentence(f"! {warning}", "warning") for warning in result.data["warnings"]]
    found += [_findings(result, several=several)] if result.statements else [Sentence(nothing_survives(result))]
    found += [
        Sentence(f"Left out{f' of {part.name}' if several else ''}: {lens}: {reason}.", "aside")
        for part in result.parts
        for lens, reason in part.left_out.items()
    ]
    return [*found, Sentence(result.signature, "aside")]


def nothing_survives(result: ReportResult) -> str:
    """Say that nothing survives correction, or that nothing was tested."""
    tested = any(part.score is not None and part.score.inference.resamples for part in result.parts)
    return (
        "Nothing survives correction: no lens finds a difference that chance does not explain."
        if tested
        else "Nothing was tested: there were no resamples, or there is one cluster only."
    )


def _findings(result: ReportResult, *, several: bool) -> Grid:
    rows = tuple(
        (
            *([one.dataset] if several else []),
            one.text,
            f"{one.n:,}",
            probability(one.q),
            signed(one.worth, 3),
        )
        for one in result.statements
    )
    columns = [*([Column("data", "left")] if several else []), Column("finding", "left"), Column("n"), Column("q")]
    more = result.survived - len(result.statements)
    note = "worth: what the score would gain if it were mended. q: corrected within its lens."
    note += f" {more:,} more {'survives' if more == 1 else 'survive'} correction; see the page." if more > 0 else ""
    return Grid("What is most worth fixing", (*columns, Column("worth")), rows, note, name="findings")


def grids(result: ReportResult) -> list[Grid]:
    """Return the findings and the tables of all lenses, each under a name of its own."""
    own = [block for block in blocks(result) if isinstance(block, Grid)]
    found = [(begins, grid) for begins, one in _named(result) for grid in one.grids()]
    return [*own, *(replace(grid, name=f"{begins}-{grid.name}") for begins, grid in found)]


def figures(result: ReportResult) -> list[Figure]:
    """Return the figures of all lenses, each under a name of its own."""
    found = [(begins, figure) for begins, one in _named(result) for figure in one.figures()]
    names = unique([safe_name(f"{begins}-{figure.name}") for begins, figure in found])
    return [replace(figure, name=name) for name, (_, figure) in zip(names, found, strict=True)]


def _named(result: ReportResult) -> list[tuple[str, Result]]:
    """Return the results of all lenses, each with what its tables' and figures' names begin with."""
    found: list[tuple[str, Result]] = [] if result.study is None else [("study", result.study)]
    for part in result.parts:
        begins = f"{part.name}-" if len(result.parts) > 1 else ""
        found += [(f"{begins}{lens}", own) for lens, own in part.results()]
    return found
