"""What a lens is: one question, the function that answers it, and how a report shows the answer.

A lens declares itself as `LENS` in its own folder; `registry.py` lists the folders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from slicewise.annotations import Task
from slicewise.bucketing import Buckets
from slicewise.evaluation import Evaluation
from slicewise.lenses.outcomes.outcomes import Outcomes
from slicewise.lenses.slice_rows import SliceRows
from slicewise.render.blocks import Sentence
from slicewise.render.figures import Figure
from slicewise.results.base import Result
from slicewise.results.estimates import Prf
from slicewise.results.statement import Statement

Results = Mapping[str, Result]
Shown = Iterable[Sentence | Figure]
Run = Callable[[Evaluation, "ReportOptions"], Result]


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """The options of a report, of which each lens reads those that it knows."""

    attributes: tuple[Any, ...] = ()
    buckets: int | None = None
    cuts: Mapping[str, Any] | None = None
    cross: tuple[tuple[str, str], ...] = ()
    compare: tuple[tuple[str, str], ...] = ()
    shared_cuts: bool = False
    shared_buckets: Mapping[str, Buckets] = field(default_factory=dict)
    """The buckets of all data sets together, where they share their cuts."""
    metrics: tuple[Any, ...] = ()
    beta: float = 1.0
    threshold: float | str | None = None
    bigrams: bool = False
    shapes: bool = False
    min_count: int | None = None
    top: int = 20
    examples: int = 20
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 0

    @property
    def slicing(self) -> dict[str, Any]:
        """How to slice, as keywords of the lenses."""
        return {"attributes": self.attributes, "buckets": self.buckets, "cuts": self.cuts}

    @property
    def inference(self) -> dict[str, Any]:
        """How to draw, as keywords of the lenses."""
        return {"resamples": self.resamples, "confidence": self.confidence, "seed": self.seed}

    @property
    def scoring(self) -> dict[str, Any]:
        """How to score, and how to draw."""
        return {"metrics": self.metrics, "beta": self.beta, **self.inference}

    def outcomes(self, task: Task) -> dict[str, Any]:
        """Return when items count as found; units are right or wrong by themselves."""
        return {} if task.has_units else {"metrics": self.metrics, "threshold": self.threshold}

    def asks_for(self, lens: Lens) -> bool:
        """Whether an option asks for this lens in particular, so that it may not be left out."""
        defaults = {f.name: f.default for f in fields(self)}
        return any(getattr(self, name) != defaults[name] for name in lens.options)


@dataclass(frozen=True, kw_only=True, eq=False)
class LensContext:
    """One data set in a report: what slices and findings are made of once all lenses have run."""

    evaluation: Evaluation
    options: ReportOptions
    outcomes: Outcomes
    results: Results
    """By lens; `worsening` and `improving` are of the lens `features`."""
    best: tuple[str, ...] = ()
    """The systems that cannot be told apart from the best."""
    counts: Mapping[str, Prf] = field(default_factory=dict)
    """Each system's counts over all units, where the task has units."""
    summaries: Mapping[str, str] = field(default_factory=dict)
    """What the attributes that units are sliced by mean."""


@dataclass(frozen=True, kw_only=True)
class LensSection:
    """A section of a page: what it answers, what it shows, and what not to conclude of it."""

    name: str
    """Of its anchor."""
    title: str
    question: str
    caution: str
    shows: Callable[[Results], Shown | None]
    """Makes its sentences and figures of the results of a data set; None: these have nothing for it."""


@dataclass(frozen=True, kw_only=True)
class Lens:
    """One question to the slices, declared once for everything that lists lenses."""

    name: str
    title: str
    question: str
    """In one line."""
    caution: str = ""
    """What not to conclude."""
    tasks: frozenset[Task] = frozenset(Task)
    """Those that it serves; a report of another leaves it out, and says so."""
    run: Run | None = None
    """Makes its result in a report; None: it takes no part in reports of a data set."""
    between_two: Mapping[str, Run] = field(default_factory=dict)
    """Further results, by name, where exactly two systems are compared."""
    required: bool = False
    """Whether a report makes no sense without it, so that its errors end the report."""
    options: tuple[str, ...] = ()
    """Options of a report by which this lens is asked for; else it may be left out where the data does not allow it."""
    slices: Callable[[Any, LensContext], Iterable[SliceRows]] = lambda *_: ()
    """The units behind every number that its result shows."""
    findings: Callable[[Any, LensContext], Iterable[Statement]] = lambda *_: ()
    """What survives correction."""
    section: Callable[[Any], Shown] = lambda result: result.figures()
    """What its section of a page shows of its result."""
    more_sections: tuple[LensSection, ...] = ()

    def runs(self, evaluation: Evaluation) -> dict[str, Run]:
        """Return what a report runs on a data set, by the names of the results."""
        if self.run is None:
            return {}
        return {self.name: self.run, **(self.between_two if len(evaluation.ranked_systems) == 2 else {})}

    def sections(self, results: Results) -> Sequence[tuple[LensSection, tuple[Sentence | Figure, ...]]]:
        """Return its sections of a page, where the data allowed the lens, with what they show."""
        if self.name not in results:
            return []
        shown = [(section, section.shows(results)) for section in (self.main_section, *self.more_sections)]
        return [(section, tuple(parts)) for section, parts in shown if parts is not None]

    @property
    def main_section(self) -> LensSection:
        """The section of its result."""
        return LensSection(
            name=self.name,
            title=self.title,
            question=self.question,
            caution=self.caution,
            shows=lambda results: self.section(results[self.name]),
        )
