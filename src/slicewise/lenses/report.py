"""`report`: every lens on every data set, and the items behind every number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from slicewise.annotations import Task
from slicewise.engine.gather import whole
from slicewise.errors import UserError
from slicewise.evaluation import Evaluation
from slicewise.extract.items import ItemFeatures, Wanted
from slicewise.extract.units import UnitFeatures
from slicewise.lenses import behind, statements
from slicewise.lenses.breakdown import Plan, Sliced, find_measure
from slicewise.lenses.buckets import broken_down, buckets_of
from slicewise.lenses.buckets import buckets as break_down
from slicewise.lenses.complement import complement
from slicewise.lenses.difficulty import difficulty
from slicewise.lenses.evidence import Evidence
from slicewise.lenses.features import features
from slicewise.lenses.score import score
from slicewise.lenses.study import check_alike, study
from slicewise.results.report import Part, ReportResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from slicewise.attributes import Attribute
    from slicewise.bucketing import Buckets
    from slicewise.lenses.evidence import Behind
    from slicewise.lenses.outcomes import Outcomes
    from slicewise.results.report import Statement
    from slicewise.results.score import ScoreResult

EXAMPLES = 20
MOST_EXAMPLES = 1000


def report(
    evaluations: Evaluation | Iterable[Evaluation],
    *,
    attributes: Sequence[str | Attribute | Callable[..., Any]] | str = (),
    buckets: int | None = None,
    cuts: Mapping[str, Any] | None = None,
    cross: Sequence[tuple[str, str]] = (),
    compare: Sequence[tuple[str, str]] = (),
    shared_cuts: bool = False,
    metrics: Sequence[str] | str = (),
    beta: float = 1.0,
    threshold: float | str | None = None,
    bigrams: bool = False,
    shapes: bool = False,
    min_count: int | None = None,
    top: int = 20,
    examples: int = EXAMPLES,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    title: str | None = None,
    on_step: Callable[[str], None] | None = None,
) -> ReportResult:
    """Look at one evaluation, or at several data sets, through every lens.

    Options are those of the lenses. `examples`: how many items of each slice the page has. `top`: how many features
    and strings are listed. Lenses that the data does not allow are left out, and the result says why.
    """
    if not 0 <= examples <= MOST_EXAMPLES:
        raise UserError(f"examples is {examples}; expected 0 to {MOST_EXAMPLES:,}")
    if top < 0:
        raise UserError(f"top is {top}; expected 0 (all) or more")
    loaded = [evaluations] if isinstance(evaluations, Evaluation) else list(evaluations)
    loaded = [whole(evaluation, "a report") for evaluation in loaded]
    check_alike(loaded)
    step = on_step or (lambda _: None)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    plan: dict[str, Any] = {"attributes": attributes, "buckets": buckets, "cuts": cuts}
    inference: dict[str, Any] = {"resamples": resamples, "confidence": confidence, "seed": seed}
    several = len(loaded) > 1
    request = _Request(
        plan=plan,
        cross=cross,
        compare=compare,
        given=buckets_of(loaded, **plan | {"attributes": _listed(attributes)}, metrics=names)
        if shared_cuts and several
        else {},
        metrics=names,
        beta=beta,
        threshold=threshold,
        words={"bigrams": bigrams, "shapes": shapes, "min_count": min_count},
        top=top,
        examples=examples,
        inference=inference,
    )
    parts: list[Part] = []
    found: list[Statement] = []
    for evaluation in loaded:
        begins = f"{evaluation.name}: " if several else ""
        part, said = _look(evaluation, request, partial(_step, step, begins))
        parts.append(part)
        found += said
    together = None
    if several:
        step("comparing the data sets")
        together = study(
            loaded, **plan, compare=compare, shared_cuts=shared_cuts, metrics=names, beta=beta, **inference
        )
    pinned = [one.signature(*([f"dataset:{one.name}"] if several else [])) for one in loaded]
    return ReportResult(
        command="report",
        signature=" | ".join([*pinned, *request.signature()]),
        data=loaded[0].summary() if together is None else together.data,
        title=title or ", ".join(evaluation.name for evaluation in loaded),
        parts=tuple(parts),
        study=together,
        statements=statements.strongest(found, {name for part in parts for name in _best(part.score)}),
        survived=len(found),
    )


def _best(score: ScoreResult | None) -> tuple[str, ...]:
    """Return the systems that cannot be told apart from the best."""
    if score is None:
        return ()
    return score.groups[0] if score.groups else (score.ranking()[0],)


def _step(step: Callable[[str], None], begins: str, text: str) -> None:
    step(f"{begins}{text}")


def _listed(attributes: Sequence[str | Attribute | Callable[..., Any]] | str) -> Sequence[Any]:
    return [attributes] if isinstance(attributes, str) else attributes


@dataclass(frozen=True, kw_only=True)
class _Request:
    """What the lenses are asked for."""

    plan: dict[str, Any]
    cross: Sequence[tuple[str, str]]
    compare: Sequence[tuple[str, str]]
    given: Mapping[str, Buckets]
    metrics: Sequence[Any]
    beta: float
    threshold: float | str | None
    words: dict[str, Any]
    top: int
    examples: int
    inference: dict[str, Any]

    def signature(self) -> list[str]:
        """Return what pins the page beyond the data: all that was asked for, and what is drawn."""
        named = [one if isinstance(one, str) else str(getattr(one, "name", one)) for one in self.attributes]
        asked = {
            "metrics": "+".join(self.metrics),
            "beta": "" if self.beta == 1 else f"{self.beta:g}",
            "attributes": "+".join(named),
            "threshold": "" if self.threshold is None else str(self.threshold),
            "min-count": "" if self.words["min_count"] is None else str(self.words["min_count"]),
        }
        own = [f"{name}:{value}" for name, value in asked.items() if value]
        own += [*Plan.of(**self.plan).signature(), *(["shared-cuts"] if self.given else [])]
        own += [f"cross:{a}+{b}" for a, b in self.cross] + [f"compare:{a}+{b}" for a, b in self.compare]
        own += [name for name, value in self.words.items() if value is True]
        own += [f"top:{self.top}", f"examples:{self.examples}"]
        return own + [f"{name}:{value}" for name, value in self.inference.items()]

    @property
    def attributes(self) -> Sequence[Any]:
        """The attributes named."""
        return _listed(self.plan["attributes"])

    def bare(self, lens: str) -> bool:
        """Whether nothing was asked of a lens by name, so that it may be left out where the data does not allow it."""
        asked = {
            "score": True,
            "buckets": any([*self.plan.values(), self.cross, self.compare]),
            "complement": self.threshold is not None,
            "difficulty": self.threshold is not None,
        }
        return not asked.get(lens, any(value is not None and value is not False for value in self.words.values()))


def _look(evaluation: Evaluation, request: _Request, step: Callable[[str], None]) -> tuple[Part, list[Statement]]:
    """Look at one data set through every lens."""
    found: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    for name, look in _lenses(evaluation, request).items():
        step(name)
        try:
            found[name] = look()
        except UserError as error:
            if not request.bare(name):
                raise
            left_out[name] = str(error)
    step("gathering examples")
    evidence = Evidence(
        evaluation,
        examples=request.examples,
        seed=request.inference["seed"],
        metrics=() if evaluation.task.has_units else request.metrics,
        threshold=request.threshold,
    )
    part = Part(
        name=evaluation.name,
        dated=evaluation.dated,
        left_out=left_out,
        evidence=evidence.plain(_slices(evaluation, request, evidence.outcomes, found)),
        **found,
    )
    return part, list(_statements(evaluation, request, evidence.outcomes, found))


def _lenses(e: Evaluation, request: _Request) -> dict[str, Callable[[], Any]]:
    """Return what makes each lens's result."""
    scored: dict[str, Any] = {"metrics": request.metrics, "beta": request.beta, **request.inference}
    right: dict[str, Any] = {} if e.task.has_units else {"metrics": request.metrics, "threshold": request.threshold}
    by_units = _by_units(e)
    words: dict[str, Any] = {"units": by_units, "top": request.top, **request.words}
    scores = request.inference if by_units else scored
    two = e.ranked_systems if len(e.ranked_systems) == 2 else None
    steps = {} if two is None else {
        way: lambda way=way: features(e, direction=way, change=(two[0], two[1]), **words, **scores)
        for way in ("worsening", "improving")
    }  # fmt: skip
    return {
        "score": lambda: score(e, **scored),
        "buckets": lambda: break_down(
            e, **request.plan, cross=request.cross, compare=request.compare, shared_with=request.given, **scored
        ),
        "features": lambda: features(e, **words, **scores),
        **steps,
        "complement": lambda: complement(e, compare=request.compare, beta=request.beta, **right, **request.inference),
        "difficulty": lambda: difficulty(e, compare=request.compare, top=request.top, **right, **request.inference),
    }


def _by_units(evaluation: Evaluation) -> bool:
    """Whether features are ranked over units: where an item has several."""
    return evaluation.task.has_units and evaluation.task is not Task.LABELS


def _slices(
    evaluation: Evaluation, request: _Request, outcomes: Outcomes, found: Mapping[str, Any]
) -> Iterator[Behind]:
    """Yield every slice of every lens that there is."""
    yield from behind.of_scores(evaluation)
    if "buckets" in found:
        plan = Plan.of(**request.plan, crosses=request.cross)
        sliced = Sliced(evaluation, plan, find_measure(evaluation.task, request.metrics, request.beta))
        yield from behind.of_buckets(sliced, broken_down(sliced, request.given))
    ranked = [found[name] for name in ("features", "worsening", "improving") if name in found]
    if ranked:
        wanted = Wanted(ngrams=2 if request.words["bigrams"] else 1, shapes=request.words["shapes"], least=0)
        made = (UnitFeatures if _by_units(evaluation) else ItemFeatures)(evaluation, wanted)
        for one in ranked:
            yield from behind.of_features(evaluation, outcomes, one, made)
    if "complement" in found:
        yield from behind.of_complement(outcomes, found["complement"])
    if "difficulty" in found:
        yield from behind.of_difficulty(evaluation, outcomes, found["difficulty"])


def _statements(
    evaluation: Evaluation, request: _Request, outcomes: Outcomes, found: Mapping[str, Any]
) -> Iterator[Statement]:
    """Yield what survives correction, of every lens that there is."""
    if not request.inference["resamples"]:
        return
    groups, seed = evaluation.aligned.clusters.groups, request.inference["seed"]
    yield from statements.of_scores(found["score"])
    if "buckets" in found:
        yield from statements.of_buckets(found["buckets"], _best(found["score"]))
    if "features" in found:
        yield from statements.of_features(found["features"], found["score"])
    if "complement" in found:
        yield from statements.of_complement(found["complement"], outcomes, groups, seed)
    if "difficulty" in found:
        described = found["buckets"].attributes if "buckets" in found else {}
        yield from statements.of_difficulty(found["difficulty"], {name: one.summary for name, one in described.items()})
