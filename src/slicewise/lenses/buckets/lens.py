"""`buckets`: the attribute breakdown of one data set, self-diagnosis, comparative diagnosis, and findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.attributes import Attribute
from slicewise.bucketing import Buckets
from slicewise.evaluation import Evaluation
from slicewise.lenses.buckets.findings import findings_of
from slicewise.lenses.buckets.result import AttributeResult, Bucket, BucketsResult, Measured, OtherPrf
from slicewise.lenses.buckets.self_diagnosis import Picked, diagnosis_of, picked_buckets
from slicewise.lenses.inference import check_options, inference_block, inference_signature, summary_with
from slicewise.lenses.intervals import listed_bounds
from slicewise.lenses.slicing.breakdown import Measure, Plan, Sliced, find_measure, share_measure, shared_cuts, sizes
from slicewise.lenses.slicing.comparisons import compare_systems, pairs_to_compare
from slicewise.lenses.slicing.draws import SMALL, BucketDraws
from slicewise.metrics.counts import N_GOLD, N_PRED, PROPORTIONS, TP
from slicewise.results.base import Bounds, count, defined
from slicewise.results.estimates import Inference, Prf
from slicewise.stats.intervals import Resamples
from slicewise.stats.ranks import spearman, spread
from slicewise.stats.tests import paired_draws

CORRECTION = "Benjamini–Hochberg over all buckets, attributes and systems (pairs of systems), before picking"


def buckets(
    evaluation: Evaluation,
    *,
    attributes: Sequence[str | Attribute | Callable[..., Any]] | str = (),
    buckets: int | None = None,
    cuts: Mapping[str, Any] | None = None,
    cross: Sequence[tuple[str, str]] = (),
    shared_with: Sequence[Evaluation] | Mapping[str, Buckets] = (),
    compare: Sequence[tuple[str, str]] | None = (),
    metrics: Sequence[str] | str = (),
    beta: float = 1.0,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    restarts: str = "first",
) -> BucketsResult:
    """Break every system's score down by attributes of its units.

    `attributes`: all that the data has, unless named; a function is one of your own. `buckets`: how many. `cuts`:
    attribute → cut points, or "quantile(6)", "width(5)", "values". `cross`: pairs of attributes whose buckets are
    crossed. `shared_with`: evaluations whose gold units the cuts are taken from as well, or the buckets
    that were cut from them. `compare`: pairs of systems,
    all unless named; None: no pairs.
    """
    check_options(beta=beta, resamples=resamples, confidence=confidence, seed=seed, restarts=restarts)
    metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    measure = find_measure(evaluation, metrics, beta)
    plan = replace(Plan.of(attributes, buckets, cuts, cross), shared=bool(shared_with))
    sliced = Sliced(evaluation, plan, measure)
    given = _shared(sliced, shared_with)
    broken = sliced.broken_down(given)
    compared = evaluation.systems if restarts == "each" else evaluation.ranked_systems
    pairs = [] if compare is None else pairs_to_compare(evaluation, compared, compare)
    groups = evaluation.aligned.clusters.groups
    drawn = Resamples(groups, resamples, seed, keep=True) if resamples and groups > 1 else None
    tallies = [BucketDraws.of(breakdown, measure, drawn, confidence) for breakdown in broken]
    draws = paired_draws(len(pairs)) if pairs and drawn is not None else 0
    comparisons = compare_systems(evaluation, tallies, pairs, measure, draws=draws, seed=seed)
    diagnoses = picked_buckets(evaluation, tallies, measure)
    results = {t.broken.name: _attribute(evaluation, t, measure, diagnoses[t.broken.name]) for t in tallies}
    drawing: dict[str, Any] = {"resamples": resamples, "confidence": confidence, "seed": seed}
    parts = [*_signature(measure, tallies), *plan.signature(), *inference_signature(**drawing)]
    parts += ["shared-cuts"] if shared_with else []
    parts += [f"cross:{a}+{b}" for a, b in cross] + [f"compare:{a}+{b}" for a, b in compare or ()]
    parts += [] if restarts == "first" else [f"restarts:{restarts}"]
    return BucketsResult(
        command="buckets",
        signature=evaluation.signature(*parts),
        data=summary_with(evaluation, _oddities(tallies, evaluation)),
        metric=measure.name,
        lower_is_better=measure.sign < 0,
        overall=_overall(evaluation, tallies, measure),
        attributes=results,
        comparisons=comparisons,
        findings=findings_of(evaluation, tallies, results, comparisons, measure),
        absent={name: need.value for name, need in sliced.lacking.items()},
        shown=tuple(_shown(plan, tallies) or results),
        inference=_inference(evaluation, measure, drawing, draws, drawn=drawn is not None),
    )


def _signature(measure: Measure, tallies: Sequence[BucketDraws]) -> list[str]:
    attributes = "+".join(tally.broken.described.attribute.versioned for tally in tallies)
    return [f"measure:{measure.name}", f"attributes:{attributes}"]


def _shown(plan: Plan, tallies: Sequence[BucketDraws]) -> list[str]:
    """Return the attributes that the terminal shows: those that were named, or the paper's if they tell units apart."""
    named = bool(plan.attributes) and "all" not in plan.attributes
    return [
        t.broken.name
        for t in tallies
        if named or " × " in t.broken.name or (t.broken.described.attribute.core and len(_filled(t)) > 1)
    ]


def _inference(
    evaluation: Evaluation, measure: Measure, drawing: Mapping[str, Any], draws: int, *, drawn: bool
) -> Inference:
    correction = CORRECTION if drawn else ""
    return inference_block(
        evaluation, drawn=drawn, draws=draws, correction=correction, proportions=measure.size is not None, **drawing
    )


def _shared(sliced: Sliced, others: Sequence[Evaluation] | Mapping[str, Buckets]) -> Mapping[str, Buckets]:
    """Return buckets cut from the gold units of several evaluations, if requested."""
    if isinstance(others, Mapping):
        return others
    if not others:
        return {}
    strangers = [other for other in others if other is not sliced.evaluation]
    all_sliced = [sliced, *(Sliced(other, sliced.plan, sliced.measure) for other in strangers)]
    return shared_cuts(sliced.plan, [[*each.described, *each.only_crossed] for each in all_sliced])


def buckets_of(
    evaluations: Sequence[Evaluation],
    *,
    attributes: Sequence[str | Attribute | Callable[..., Any]],
    buckets: int | None,
    cuts: Mapping[str, Any] | None,
    metrics: Sequence[str],
) -> dict[str, Buckets]:
    """Return buckets cut from the gold units of several evaluations together, for all of them."""
    plan = replace(Plan.of(attributes, buckets, cuts, ()), shared=True)
    sliced = [Sliced(evaluation, plan, find_measure(evaluation, metrics, 1.0)) for evaluation in evaluations]
    return shared_cuts(plan, [each.described for each in sliced])


def _attribute(evaluation: Evaluation, tally: BucketDraws, measure: Measure, picked: Picked) -> AttributeResult:
    broken = tally.broken
    attribute = broken.described.attribute
    measured = _measured(tally, measure)
    n_gold, _ = sizes(broken, measure)
    bucket_results = [
        Bucket(
            name=slot.name,
            lo=slot.lo,
            hi=slot.hi,
            value=slot.value,
            interval=slot.interval,
            said=broken.said(k),
            n=int(n_gold[:, k].max(initial=0)),
            small=bool(0 < n_gold[:, k].max(initial=0) < SMALL),
            systems={name: measured[i][k] for i, name in enumerate(evaluation.systems)},
        )
        for k, slot in enumerate(broken.slots)
    ]
    rho = spearman(tally.values, broken.ranks)
    sigma = spread(tally.values)
    return AttributeResult(
        summary=attribute.summary,
        version=attribute.version,
        kind="number" if broken.buckets.numeric else "category",
        unit=broken.described.unit,
        ordered=broken.buckets.ordered,
        zeta=broken.described.zeta(),
        cuts=broken.buckets.cuts,
        buckets=tuple(bucket_results),
        systems={
            name: diagnosis_of(tally, picked, i, defined(float(rho[i])), defined(float(sigma[i])))
            for i, name in enumerate(evaluation.systems)
        },
    )


def _measured(tally: BucketDraws, measure: Measure) -> list[list[Prf | Measured]]:
    """Return every system's score in every slot, with intervals."""
    systems, slots = tally.values.shape
    if measure.metric is not None:
        n, _ = sizes(tally.broken, measure)
        bounds = _bounds(tally, measure)
        return [
            [
                Measured(
                    n=int(n[i, k]),
                    value=defined(float(tally.values[i, k])),
                    ci=None if bounds is None else bounds[i * slots + k][0],
                    undefined_draws=0 if bounds is None else bounds[i * slots + k][1],
                )
                for k in range(slots)
            ]
            for i in range(systems)
        ]
    measures = {name: share_measure(name, proportion) for name, proportion in PROPORTIONS.items()}
    extra = measure.name not in (*measures, "accuracy")
    measures |= {measure.name: measure} if extra else {}
    totals = tally.broken.totals
    values = {name: of.finish(totals) for name, of in measures.items()}
    intervals = {name: _bounds(tally, of) for name, of in measures.items()}

    def prf(i: int, k: int) -> Prf:
        bounds = {name: listed[i * slots + k] for name, listed in intervals.items() if listed is not None}
        shown = {name: defined(float(value_table[i, k])) for name, value_table in values.items()}
        kind: type[Prf] = Prf
        if extra:
            kind, shown["value"] = OtherPrf, shown.pop(measure.name)
        return kind(
            n_gold=int(totals[i, k, N_GOLD]),
            n_pred=int(totals[i, k, N_PRED]),
            tp=count(float(totals[i, k, TP])),
            **shown,
            ci={name: bound[0] for name, bound in bounds.items()} or None,
            undefined_draws={name: bound[1] for name, bound in bounds.items()} or None,
        )

    return [[prf(i, k) for k in range(slots)] for i in range(systems)]


def _bounds(tally: BucketDraws, measure: Measure) -> list[tuple[Bounds | None, int]] | None:
    interval = tally.own_intervals if measure.name == tally.measure.name else tally.intervals(measure)
    return None if interval is None else listed_bounds(interval)


def _overall(
    evaluation: Evaluation, tallies: Sequence[BucketDraws], measure: Measure
) -> dict[str, dict[str, float | None]]:
    """Return the measure over all units, per kind of unit and system."""
    values_by_unit: dict[str, dict[str, float | None]] = {}
    for tally in tallies:
        unit = tally.broken.described.unit
        if unit not in values_by_unit:
            values = measure.finish(tally.broken.totals.sum(axis=1))
            values_by_unit[unit] = {name: defined(float(v)) for name, v in zip(evaluation.systems, values, strict=True)}
    return values_by_unit


def _oddities(tallies: Sequence[BucketDraws], evaluation: Evaluation) -> list[str]:
    """Return warnings on attributes with one bucket only, and on gold without units."""
    if evaluation.gold_units == 0:
        return ["gold has no units: attributes that are cut by its values have one bucket, of returned units"]
    alone = [t.broken for t in tallies if len(_filled(t)) < 2 and evaluation.aligned.items > 1]
    equal = [breakdown.name for breakdown in alone if breakdown.different < 2]
    tied = [breakdown.name for breakdown in alone if breakdown.name not in equal]
    hint = "ties are not split; try --cuts ATTR=A,B,C"
    reasons = {"all values are equal or missing": equal, f"nearly all values are equal ({hint})": tied}
    return [f"one bucket only, since {reason}: {', '.join(names)}" for reason, names in reasons.items() if names]


def _filled(tally: BucketDraws) -> NDArray[np.int64]:
    return np.flatnonzero(~np.isnan(tally.values).all(axis=0))
