"""A report as a page: what was evaluated, what is most worth fixing, and a section per lens and data set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from slicewise.errors import counted
from slicewise.lenses import contract, registry
from slicewise.lenses.report.result import Part, ReportResult
from slicewise.lenses.report.view import nothing_survives
from slicewise.render.blocks import Sentence
from slicewise.render.figures import Figure
from slicewise.render.numbers import signed
from slicewise.render.page import Page, PageFinding, Section
from slicewise.results.files import safe_name
from slicewise.results.heading import called
from slicewise.results.statement import Statement


def page(result: ReportResult) -> Page:
    """Return the page."""
    systems = dict.fromkeys(name for part in result.parts for name in part.score.data["systems"])
    if result.study is not None:  # restarts are averaged there, under the system's own name
        systems |= dict.fromkeys(result.study.systems)
    return Page(
        title=result.title,
        facts=tuple(_facts(result)),
        signature=result.signature,
        lead=tuple(_lead(result)),
        findings=tuple(_finding(result, statement) for statement in result.statements),
        no_findings=nothing_survives(result),
        sections=tuple(_sections(result)),
        systems=tuple(systems),
        evidence={part.name: part.evidence for part in result.parts},
    )


def _facts(result: ReportResult) -> Iterator[tuple[str, str]]:
    """Yield what was evaluated."""
    several = len(result.parts) > 1
    for part in result.parts:
        data = part.score.data
        facts = [*([] if several else [part.name]), counted(data["items"], "item")]
        if data["clusters"] != data["items"]:
            facts.append(counted(data["clusters"], "document" if data["cluster"] == "doc" else "cluster"))
        facts += [] if data["gold_units"] is None else [counted(data["gold_units"], "gold unit")]
        facts += [] if part.dated is None else [f"files of {part.dated}"]
        yield part.name if several else "Data", "; ".join([", ".join(facts), *data["notes"]])
    first = result.parts[0].score
    names = list(first.data["systems"])
    yield "Systems", f"{len(names)}: {', '.join(names)}"
    if first.inference.resamples:
        drawn = f"{first.inference.resamples:,} bootstrap draws" if several else first.inference.interval
        yield "Intervals", f"{first.inference.confidence:.0%}, {drawn}, seed {first.inference.seed}"


def _lead(result: ReportResult) -> Iterator[Sentence | Figure]:
    """Yield who is best and who cannot be told apart, the scores, and what to know of the data."""
    if result.study is not None:
        yield from result.study.lead()
    for part in result.parts:
        begins = f"{part.name}: " if len(result.parts) > 1 else ""
        yield from (Sentence(begins + text) for text in _ranks(part))
        if result.study is None:
            yield replace(part.score.figures()[0], tab="")
    for warning in dict.fromkeys(w for part in result.parts for w in part.score.data["warnings"]):
        yield Sentence(warning, "warning")


def _ranks(part: Part) -> Iterator[str]:
    """Say who is best, who cannot be told apart, and what repairing the best system's errors would be worth."""
    score = part.score
    best = score.ranking()[0]
    metric = score.metrics[0]
    value = score.systems[best].metrics[metric].value
    alike = [name for name in score.leaders() if name != best]
    if value is not None:
        apart = f"; {', '.join(alike)} cannot be told apart from it on this data" if alike else ""
        yield f"{best} is best, with {called(metric)} {value:.4f}{apart}."
    repairs = {kind: gain.value for kind, gain in (score.systems[best].repairs or {}).items() if gain.value}
    if repairs:
        worth = ", ".join(
            f"{kind.replace('_', ' and ')} {signed(gain, 3)}"
            for kind, gain in sorted(repairs.items(), key=lambda item: -(item[1] or 0.0))[:3]
        )
        yield f"What repairing all errors of one kind would be worth to {best}, in F1: {worth}."


def _finding(result: ReportResult, statement: Statement) -> PageFinding:
    part = next(part for part in result.parts if part.name == statement.dataset)
    known = statement.slice is not None and statement.slice in part.evidence["slices"]
    number = (
        f"{100 * statement.number:.0f} points"
        if statement.unit == "share"
        else f"{statement.number:.3f} {called(statement.unit)}"
    )
    return PageFinding(
        text=statement.text,
        number=number,
        n=statement.n,
        q=statement.q,
        worth=statement.worth,
        lens=registry.lens(statement.lens).title,
        section=_anchor(result, part, statement.lens),
        dataset=statement.dataset,
        slice=statement.slice if known else None,
        systems=tuple(name for name in part.evidence["systems"] if name in (statement.system, statement.against)),
    )


def _anchor(result: ReportResult, part: Part, lens: str) -> str:
    place = f"{result.parts.index(part) + 1}-{safe_name(part.name)}-" if len(result.parts) > 1 else ""
    return f"{place}{lens}"


def _sections(result: ReportResult) -> Iterator[Section]:
    """Yield the study's section, then those of every data set."""
    if result.study is not None:
        study = registry.lens("study")
        yield _section(study.main_section, study.name, tuple(study.section(result.study)))
    several = len(result.parts) > 1
    for part in result.parts:
        for declared, shown in _of_lenses(part):
            section = _section(declared, _anchor(result, part, declared.name), shown)
            yield replace(section, dataset=part.name, group=part.name if several else "")


def _section(declared: contract.LensSection, anchor: str, shown: tuple[Sentence | Figure, ...]) -> Section:
    return Section(
        id=anchor, title=declared.title, question=declared.question, caution=declared.caution, parts=shown, dataset=""
    )


def _of_lenses(part: Part) -> Iterator[tuple[contract.LensSection, tuple[Sentence | Figure, ...]]]:
    """Yield each lens's sections with what they show, then what was left out."""
    for lens in registry.lenses():
        for section, shown in lens.sections(part.results):
            yield section, _best_first(part, shown)
    for name, reason in part.left_out.items():
        if name in registry.names():
            yield registry.lens(name).main_section, (Sentence(f"Left out: {reason}.", "aside"),)


def _best_first(part: Part, shown: tuple[Sentence | Figure, ...]) -> tuple[Sentence | Figure, ...]:
    """Return what is shown with the figures of systems in the order of the systems' scores."""
    ranking = part.score.ranking()
    of_systems = [figure for figure in shown if isinstance(figure, Figure) and figure.tab in ranking]
    ordered = iter(sorted(of_systems, key=lambda figure: ranking.index(figure.tab)))
    return tuple(next(ordered) if part_shown in of_systems else part_shown for part_shown in shown)
