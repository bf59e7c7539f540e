"""A report as a page: what was evaluated, what is most worth fixing, and a section per lens and data set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from slicewise.errors import counted
from slicewise.render.blocks import Sentence
from slicewise.render.numbers import signed
from slicewise.render.page import Finding, Page, Section
from slicewise.results.buckets_view import left_out as attributes_left_out
from slicewise.results.difficulty import DifficultyResult
from slicewise.results.files import safe_name
from slicewise.results.heading import called
from slicewise.results.report_view import nothing_survives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slicewise.render.figures import Figure
    from slicewise.results.report import Part, ReportResult, Statement

SUSPECTS = ("suspects", "set-aside")
"""How the names of figures begin that are about suspect gold."""


@dataclass(frozen=True)
class Lens:
    """How a lens's section is introduced."""

    title: str
    question: str
    caution: str


LENSES = {
    "score": Lens(
        "Scores and errors",
        "How good is each system, what kinds of errors does it make, and what would repairing each kind be worth?",
        "Systems in one group cannot be told apart on this data; that does not make them equal. What a repair would be "
        "worth assumes that nothing else changes.",
    ),
    "buckets": Lens(
        "Buckets",
        "Which kinds of units are hard, and on which do systems differ?",
        "A gap says that a bucket is harder, not why: attributes go together. Buckets marked as small are rough. The "
        "widest gap was picked among many, so that its interval is too hopeful; q corrects for the picking.",
    ),
    "features": Lens(
        "Features",
        "Which words, labels, neighbours and values go with errors, beyond chance?",
        "A feature that goes with errors need not cause them. Gains of several features do not add up: they share "
        "units. An interval is of the difference of the means, q of a test by ranks: where a few documents have most "
        "of the units, the two may disagree.",
    ),
    "change": Lens(
        "From one to the other",
        "What gets worse from the first system to the second, and what gets better?",
        "Of two systems that err by chance, each is better somewhere: look at q.",
    ),
    "complement": Lens(
        "Complementarity",
        "Would two systems, or a vote of several, be better than the best alone?",
        "Ensembles that were chosen on this data look better than they are, the more the freer the choice was; the "
        "cross-validated one does not.",
    ),
    "difficulty": Lens(
        "Difficulty",
        "What do all systems find, what does nobody find, and who stands out where it is hard?",
        "Bins depend on which systems take part: with weaker systems more is hard. A system has a part in making the "
        "bins; the table in which the others alone make them does not have this circle.",
    ),
    "suspects": Lens(
        "Suspect gold",
        "Where do nearly all systems contradict gold in the same way?",
        "A suspect is a place to look at, not an error of gold: systems that learned from the same data err alike. "
        "What nobody finds is most often just hard, the more so with few systems.",
    ),
}
FEATURES = (
    "How features are written: in:WORD is a word of the text, span:WORD a word of the unit itself, left:WORD and "
    "right:WORD the words beside it, label:NAME its label; SHAPE writes letters as A and a, digits as 9, and + for "
    "more of the same; large and small are the quarter with the largest or smallest values of an attribute."
)
STUDY = Lens(
    "Across data sets",
    "Which attributes move which systems, on which data sets?",
    "With few data sets a rank correlation takes few values, and Wilcoxon's test over fewer than six of them cannot be "
    "significant.",
)


def page(result: ReportResult) -> Page:
    """Return the page."""
    systems = dict.fromkeys(
        name for part in result.parts if part.score is not None for name in part.score.data["systems"]
    )
    if result.study is not None:  # restarts are averaged there, under the system's own name
        systems |= dict.fromkeys(result.study.systems)
    return Page(
        title=result.title,
        facts=tuple(_facts(result)),
        signature=result.signature,
        lead=tuple(_lead(result)),
        findings=tuple(_finding(result, one) for one in result.statements),
        no_findings=nothing_survives(result),
        sections=tuple(_sections(result)),
        systems=tuple(systems),
        evidence={part.name: part.evidence for part in result.parts},
    )


def _facts(result: ReportResult) -> Iterator[tuple[str, str]]:
    """Yield what was evaluated."""
    several = len(result.parts) > 1
    for part in result.parts:
        data = part.score.data if part.score is not None else result.data
        facts = [*([] if several else [part.name]), counted(data["items"], "item")]
        if data["clusters"] != data["items"]:
            facts.append(counted(data["clusters"], "document" if data["cluster"] == "doc" else "cluster"))
        facts += [] if data["gold_units"] is None else [counted(data["gold_units"], "gold unit")]
        facts += [] if part.dated is None else [f"files of {part.dated}"]
        yield part.name if several else "Data", "; ".join([", ".join(facts), *data["notes"]])
    first = result.parts[0].score
    if first is not None:
        names = list(first.data["systems"])
        yield "Systems", f"{len(names)}: {', '.join(names)}"
        if first.inference.resamples:
            drawn = f"{first.inference.resamples:,} bootstrap draws" if several else first.inference.interval
            yield "Intervals", f"{first.inference.confidence:.0%}, {drawn}, seed {first.inference.seed}"


def _lead(result: ReportResult) -> Iterator[Sentence | Figure]:
    """Yield who is best and who cannot be told apart, the scores, and what to know of the data."""
    if result.study is not None:
        yield from [figure for figure in result.study.figures() if figure.name == "holistic"]
    for part in result.parts:
        if part.score is None:
            continue
        begins = f"{part.name}: " if len(result.parts) > 1 else ""
        yield from (Sentence(begins + text) for text in _ranks(part))
        if result.study is None:
            yield replace(part.score.figures()[0], tab="")
    for warning in dict.fromkeys(w for part in result.parts if part.score for w in part.score.data["warnings"]):
        yield Sentence(warning, "warning")


def _ranks(part: Part) -> Iterator[str]:
    """Say who is best, who cannot be told apart, and what repairing the best system's errors would be worth."""
    score = part.score
    if score is None:
        return
    best = score.ranking()[0]
    metric = score.metrics[0]
    value = score.systems[best].metrics[metric].value
    alike = [name for name in (score.groups[0] if score.groups else ()) if name != best]
    if value is not None:
        apart = f"; {', '.join(alike)} cannot be told apart from it on this data" if alike else ""
        yield f"{best} is best, with {called(metric)} {value:.4f}{apart}."
    repairs = {kind: one.value for kind, one in (score.systems[best].repairs or {}).items() if one.value}
    if repairs:
        worth = ", ".join(
            f"{kind.replace('_', ' and ')} {signed(gain, 3)}"
            for kind, gain in sorted(repairs.items(), key=lambda item: -(item[1] or 0.0))[:3]
        )
        yield f"What repairing all errors of one kind would be worth to {best}, in F1: {worth}."


def _finding(result: ReportResult, one: Statement) -> Finding:
    part = next(part for part in result.parts if part.name == one.dataset)
    known = one.slice is not None and one.slice in part.evidence["slices"]
    number = f"{100 * one.number:.0f} points" if one.unit == "share" else f"{one.number:.3f} {called(one.unit)}"
    return Finding(
        text=one.text,
        number=number,
        n=one.n,
        q=one.q,
        worth=one.worth,
        lens=LENSES[one.lens].title,
        section=_anchor(result, part, one.lens),
        dataset=one.dataset,
        slice=one.slice if known else None,
        systems=tuple(name for name in part.evidence["systems"] if name in (one.system, one.against)),
    )


def _anchor(result: ReportResult, part: Part, lens: str) -> str:
    place = f"{result.parts.index(part) + 1}-{safe_name(part.name)}-" if len(result.parts) > 1 else ""
    return f"{place}{lens}"


def _sections(result: ReportResult) -> Iterator[Section]:
    """Yield the study's section, then those of every data set."""
    several = len(result.parts) > 1
    if result.study is not None:
        yield Section(
            id="study",
            title=STUDY.title,
            question=STUDY.question,
            caution=STUDY.caution,
            parts=tuple(figure for figure in result.study.figures() if figure.name != "holistic"),
            dataset="",
        )
    for part in result.parts:
        for lens, parts in _of_lenses(part):
            told = LENSES[lens]
            yield Section(
                id=_anchor(result, part, lens),
                title=told.title,
                question=told.question,
                caution=told.caution,
                parts=parts,
                dataset=part.name,
                group=part.name if several else "",
            )


def _of_lenses(part: Part) -> Iterator[tuple[str, tuple[Sentence | Figure, ...]]]:
    """Yield each lens with what its section has."""
    for lens, found in part.results():
        said = [Sentence(text) for text in _sentences(part, lens)]
        drawn = _best_first(part, found.figures())
        if isinstance(found, DifficultyResult):
            yield lens, (*said, *(one for one in drawn if not one.name.startswith(SUSPECTS)))
            suspect = tuple(one for one in drawn if one.name.startswith(SUSPECTS) and one.rows)
            if suspect and not found.rule:  # scored items have no gold to suspect
                yield "suspects", suspect
        elif lens == "worsening":
            yield "change", (*drawn, *([] if part.improving is None else part.improving.figures()))
        elif lens != "improving":
            yield lens, (*said, *drawn)
    for lens, reason in part.left_out.items():
        if lens in LENSES:
            yield lens, (Sentence(f"Left out: {reason}.", "aside"),)


def _best_first(part: Part, figures: list[Figure]) -> list[Figure]:
    """Return figures with those of systems in the order of the systems' scores."""
    ranking = [] if part.score is None else part.score.ranking()
    own = [figure for figure in figures if figure.tab in ranking]
    ordered = iter(sorted(own, key=lambda figure: ranking.index(figure.tab)))
    return [next(ordered) if figure.tab in ranking else figure for figure in figures]


def _sentences(part: Part, lens: str) -> list[str]:
    """Return what a lens says in words."""
    if lens == "complement" and part.complement is not None:
        return list(part.complement.findings)
    if lens == "difficulty" and part.difficulty is not None:
        rule = part.difficulty.rule
        return [*([f"{rule[0].upper()}{rule[1:]}."] if rule else []), *part.difficulty.findings]
    if lens == "features":
        return [FEATURES]
    if lens == "buckets" and part.buckets is not None:
        needs: dict[str, list[str]] = {}
        for name, need in part.buckets.absent.items():
            needs.setdefault(need, []).append(name)
        return [f"Left out: {attributes_left_out(names, need)}." for need, names in needs.items()]
    return []
