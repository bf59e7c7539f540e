"""The view of a report in a terminal, and the figures of all its lenses."""

from __future__ import annotations

from dataclasses import replace

from slicewise.lenses.report.result import ReportResult
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.figures import Figure
from slicewise.render.numbers import probability, signed
from slicewise.results.base import Result
from slicewise.results.files import safe_name, unique
from slicewise.results.heading import heading


def blocks(result: ReportResult) -> list[Block]:
    """Return the findings, or that there are none, and what was left out."""
    several = len(result.parts) > 1
    view: list[Block] = [Sentence(heading(part.score.data), "title") for part in result.parts]
    view += [Sentence(f"! {warning}", "warning") for warning in result.data["warnings"]]
    view += [_findings(result, several=several)] if result.statements else [Sentence(nothing_survives(result))]
    view += [
        Sentence(f"Left out{f' of {part.name}' if several else ''}: {lens}: {reason}.", "aside")
        for part in result.parts
        for lens, reason in part.left_out.items()
    ]
    return [*view, Sentence(result.signature, "aside")]


def nothing_survives(result: ReportResult) -> str:
    """Say that nothing survives correction, or that nothing was tested."""
    tested = any(part.score.inference.resamples for part in result.parts)
    return (
        "Nothing survives correction: no lens finds a difference that chance does not explain."
        if tested
        else "Nothing was tested: there were no resamples, or there is one cluster only."
    )


def _findings(result: ReportResult, *, several: bool) -> Grid:
    rows = tuple(
        (
            *([statement.dataset] if several else []),
            statement.text,
            f"{statement.n:,}",
            probability(statement.q),
            signed(statement.worth, 3),
        )
        for statement in result.statements
    )
    columns = [*([Column("data", "left")] if several else []), Column("finding", "left"), Column("n"), Column("q")]
    left = result.survived - len(result.statements)
    note = "worth: what the score would gain if it were mended. q: corrected within its lens."
    note += f" {left:,} more {'survives' if left == 1 else 'survive'} correction; see the page." if left > 0 else ""
    return Grid("What is most worth fixing", (*columns, Column("worth")), rows, note, name="findings")


def grids(result: ReportResult) -> list[Grid]:
    """Return the findings and the tables of all lenses, each under a name of its own."""
    findings = [block for block in blocks(result) if isinstance(block, Grid)]
    named = [(begins, grid) for begins, lens_result in _named(result) for grid in lens_result.grids()]
    return [*findings, *(replace(grid, name=f"{begins}-{grid.name}") for begins, grid in named)]


def figures(result: ReportResult) -> list[Figure]:
    """Return the figures of all lenses, each under a name of its own."""
    named = [(begins, figure) for begins, lens_result in _named(result) for figure in lens_result.figures()]
    names = unique([safe_name(f"{begins}-{figure.name}") for begins, figure in named])
    return [replace(figure, name=name) for name, (_, figure) in zip(names, named, strict=True)]


def _named(result: ReportResult) -> list[tuple[str, Result]]:
    """Return the results of all lenses, each with what its tables' and figures' names begin with."""
    named: list[tuple[str, Result]] = [] if result.study is None else [("study", result.study)]
    for part in result.parts:
        begins = f"{part.name}-" if len(result.parts) > 1 else ""
        named += [(f"{begins}{lens}", lens_result) for lens, lens_result in part.results.items()]
    return named
