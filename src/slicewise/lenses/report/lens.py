"""`report`: every lens on every data set, and the items behind every number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from slicewise.attributes import Attribute
from slicewise.engine.local import whole
from slicewise.errors import UserError
from slicewise.evaluation import Evaluation
from slicewise.lenses import registry
from slicewise.lenses.buckets import BucketsResult, buckets_of
from slicewise.lenses.contract import Lens, LensContext, ReportOptions
from slicewise.lenses.inference import check_top
from slicewise.lenses.report.evidence import Evidence
from slicewise.lenses.report.result import Part, ReportResult
from slicewise.lenses.report.statements import strongest
from slicewise.lenses.slicing.breakdown import Plan
from slicewise.lenses.study import check_alike, study
from slicewise.results.base import Result
from slicewise.results.statement import Statement

Step = Callable[[str], None]

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
    check_top(top)
    loaded = [evaluations] if isinstance(evaluations, Evaluation) else list(evaluations)
    # the page has the items behind its numbers, picked from all of them
    loaded = [whole(evaluation, "a report") for evaluation in loaded]
    check_alike(loaded)
    options = ReportOptions(
        attributes=_listed(attributes),
        buckets=buckets,
        cuts=cuts or None,
        cross=tuple(cross),
        compare=tuple(compare),
        shared_cuts=shared_cuts,
        metrics=_listed(metrics),
        beta=beta,
        threshold=threshold,
        bigrams=bigrams,
        shapes=shapes,
        min_count=min_count,
        top=top,
        examples=examples,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )
    return _report(loaded, options, title, on_step or (lambda _: None))


def _report(
    loaded: Sequence[Evaluation], options: ReportOptions, title: str | None, step: Callable[[str], None]
) -> ReportResult:
    several = len(loaded) > 1
    if options.shared_cuts and several:
        options = replace(options, shared_buckets=buckets_of(loaded, **options.slicing, metrics=options.metrics))
    parts: list[Part] = []
    findings: list[Statement] = []
    for evaluation in loaded:
        part, stated = _look(evaluation, options, partial(_step, step, f"{evaluation.name}: " if several else ""))
        parts.append(part)
        findings += stated
    together = None
    if several:
        step("comparing the data sets")
        compared, shared = options.compare, options.shared_cuts
        together = study(loaded, **options.slicing, compare=compared, shared_cuts=shared, **options.scoring)
    pinned = [evaluation.signature(*([f"dataset:{evaluation.name}"] if several else [])) for evaluation in loaded]
    return ReportResult(
        command="report",
        signature=" | ".join([*pinned, *_signature(options)]),
        data=loaded[0].summary() if together is None else together.data,
        title=title or ", ".join(evaluation.name for evaluation in loaded),
        parts=tuple(parts),
        study=together,
        statements=strongest(findings, {name for part in parts for name in part.score.leaders()}),
        survived=len(findings),
    )


def _step(step: Step, begins: str, text: str) -> None:
    step(f"{begins}{text}")


def _listed(names: Sequence[Any] | str) -> tuple[Any, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _signature(options: ReportOptions) -> list[str]:
    """Return the options that the result depends on, for the signature."""
    named = [a if isinstance(a, str) else str(getattr(a, "name", a)) for a in options.attributes]
    given = {
        "metrics": "+".join(options.metrics),
        "beta": "" if options.beta == 1 else f"{options.beta:g}",
        "attributes": "+".join(named),
        "threshold": "" if options.threshold is None else str(options.threshold),
        "min-count": "" if options.min_count is None else str(options.min_count),
    }
    parts = [f"{name}:{value}" for name, value in given.items() if value]
    parts += [*Plan.of(**options.slicing).signature(), *(["shared-cuts"] if options.shared_buckets else [])]
    parts += [f"cross:{a}+{b}" for a, b in options.cross] + [f"compare:{a}+{b}" for a, b in options.compare]
    parts += [name for name in ("bigrams", "shapes") if getattr(options, name)]
    parts += [f"top:{options.top}", f"examples:{options.examples}"]
    return parts + [f"{name}:{value}" for name, value in options.inference.items()]


def _look(evaluation: Evaluation, options: ReportOptions, step: Step) -> tuple[Part, list[Statement]]:
    """Run every lens on one data set."""
    results: dict[str, Result] = {}
    left_out: dict[str, str] = {}
    for lens in registry.lenses():
        for name, run in lens.runs(evaluation).items():
            step(name)
            try:
                _check_task(lens, evaluation)
                results[name] = run(evaluation, options)
            except UserError as error:
                if lens.required or options.asks_for(lens):
                    raise
                left_out[name] = str(error)
    step("gathering examples")
    evidence = Evidence(
        evaluation,
        examples=options.examples,
        seed=options.seed,
        metrics=() if evaluation.task.has_units else options.metrics,
        threshold=options.threshold,
    )
    part = Part(name=evaluation.name, dated=evaluation.dated, results=results, left_out=left_out)
    sliced = part.results.get("buckets")
    context = LensContext(
        evaluation=evaluation,
        options=options,
        outcomes=evidence.outcomes,
        results=results,
        best=part.score.leaders(),
        counts={name: scores.micro for name, scores in part.score.systems.items() if scores.micro is not None},
        summaries={name: attribute.summary for name, attribute in sliced.attributes.items()}
        if isinstance(sliced, BucketsResult)
        else {},
    )
    used = [(lens, results[lens.name]) for lens in registry.lenses() if lens.name in results]
    shown = evidence.plain(rows for lens, result in used for rows in lens.slices(result, context))
    stated = (
        [statement for lens, result in used for statement in lens.findings(result, context)]
        if options.resamples
        else []
    )
    return replace(part, evidence=shown), stated


def _check_task(lens: Lens, evaluation: Evaluation) -> None:
    if evaluation.task not in lens.tasks:
        served = ", ".join(sorted(task.value for task in lens.tasks))
        raise UserError(f"{lens.name} is for {served}, but the task is {evaluation.task.value}")
