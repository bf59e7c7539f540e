"""`buckets`: the attribute breakdown of one data set, self-diagnosis, comparative diagnosis, and findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slicewise.lenses.breakdown import Breakdown, Plan, Sliced, find_measure, shared_cuts, sizes
from slicewise.lenses.contests import compare_systems, pairs_to_compare
from slicewise.lenses.findings import findings_of
from slicewise.lenses.gaps import Picked, diagnosis_of, picked_buckets
from slicewise.lenses.inference import check_options, interval_method, test_method
from slicewise.lenses.tally import SMALL, Tally
from slicewise.metrics.counts import N_GOLD, N_PRED, TP, f_beta, precision, recall
from slicewise.results.base import count, defined
from slicewise.results.buckets import (
    AttributeResult,
    Bucket,
    BucketsResult,
    Measured,
    OtherPrf,
)
from slicewise.results.score import Inference, Prf
from slicewise.stats.intervals import Resamples
from slicewise.stats.ranks import spearman, spread
from slicewise.stats.tests import paired_draws

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from slicewise.attributes import Attribute
    from slicewise.bucketing import Buckets
    from slicewise.evaluation import Evaluation
    from slicewise.lenses.breakdown import Measure

    Array = NDArray[np.float64]

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
    measure = find_measure(evaluation.task, metrics, beta)
    plan = replace(Plan.of(attributes, buckets, cuts, cross), shared=bool(shared_with))
    sliced = Sliced(evaluation, plan, measure)
    given = _shared(sliced, shared_with)
    broken = broken_down(sliced, given)
    compared = evaluation.systems if restarts == "each" else evaluation.ranked_systems
    pairs = [] if compare is None else pairs_to_compare(evaluation, compared, compare)
    groups = evaluation.aligned.clusters.groups
    drawn = Resamples(groups, resamples, seed, keep=True) if resamples and groups > 1 else None
    tallies = [Tally.of(one, measure, drawn, confidence) for one in broken]
    draws = paired_draws(len(pairs)) if pairs and drawn is not None else 0
    comparisons = compare_systems(evaluation, tallies, pairs, measure, draws=draws, seed=seed)
    diagnoses = picked_buckets(evaluation, tallies, measure)
    results = {t.broken.name: _attribute(evaluation, t, measure, diagnoses[t.broken.name]) for t in tallies}
    named = bool(plan.attributes) and "all" not in plan.attributes
    shown = [
        t.broken.name
        for t in tallies
        if named or " × " in t.broken.name or (t.broken.described.attribute.core and len(_filled(t)) > 1)
    ]
    parts = [
        f"measure:{measure.name}",
        f"attributes:{'+'.join(t.broken.described.attribute.versioned for t in tallies)}",
    ]
    parts += [*plan.signature(), f"seed:{seed}", f"resamples:{resamples}", f"confidence:{confidence}"]
    parts += ["shared-cuts"] if shared_with else []
    parts += [f"cross:{a}+{b}" for a, b in cross] + [f"compare:{a}+{b}" for a, b in compare or ()]
    parts += [] if restarts == "first" else [f"restarts:{restarts}"]
    data = evaluation.summary()
    data["warnings"] = [*data["warnings"], *_oddities(tallies, evaluation)]
    return BucketsResult(
        command="buckets",
        signature=evaluation.signature(*parts),
        data=data,
        metric=measure.name,
        lower_is_better=measure.sign < 0,
        overall=_overall(evaluation, tallies, measure),
        attributes=results,
        comparisons=comparisons,
        findings=findings_of(evaluation, tallies, results, comparisons, measure),
        absent={name: need.value for name, need in sliced.lacking.items()},
        shown=tuple(shown or results),
        inference=Inference(
            resamples=resamples if drawn else 0,
            confidence=confidence,
            seed=seed,
            interval=interval_method(evaluation, resamples) if drawn else "",
            test=test_method(evaluation, draws) if draws else "",
            correction=CORRECTION if drawn else "",
            draws=draws,
        ),
    )


def _shared(sliced: Sliced, others: Sequence[Evaluation] | Mapping[str, Buckets]) -> Mapping[str, Buckets]:
    """Return buckets cut from the gold units of several evaluations, where that is asked for."""
    if isinstance(others, Mapping):
        return others
    if not others:
        return {}
    strangers = [other for other in others if other is not sliced.evaluation]
    every = [sliced, *(Sliced(other, sliced.plan, sliced.measure) for other in strangers)]
    return shared_cuts(sliced.plan, [[*one.described, *one.only_crossed] for one in every])


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
    sliced = [Sliced(one, plan, find_measure(one.task, metrics, 1.0)) for one in evaluations]
    return shared_cuts(plan, [one.described for one in sliced])


def broken_down(sliced: Sliced, given: Mapping[str, Buckets]) -> list[Breakdown]:
    """Return every attribute's breakdown, in the buckets given or in its own, and those of crossed attributes."""
    return sliced.broken_down(given)


def _attribute(evaluation: Evaluation, tally: Tally, measure: Measure, picked: Picked) -> AttributeResult:
    broken = tally.broken
    attribute = broken.described.attribute
    measured = _measured(tally, measure)
    n_gold, _ = sizes(broken, measure)
    made = [
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
        buckets=tuple(made),
        systems={
            name: diagnosis_of(tally, picked, i, defined(float(rho[i])), defined(float(sigma[i])))
            for i, name in enumerate(evaluation.systems)
        },
    )


def _measured(tally: Tally, measure: Measure) -> list[list[Prf | Measured]]:
    """Return every system's score in every slot, with intervals."""
    systems, slots = tally.values.shape
    if measure.metric is not None:
        n, _ = sizes(tally.broken, measure)
        found = None if tally.drawn_values is None else tally.bounds(tally.drawn_values.reshape(-1, systems * slots))
        return [
            [
                Measured(
                    n=int(n[i, k]),
                    value=defined(float(tally.values[i, k])),
                    ci=None if found is None else found[i * slots + k][0],
                    undefined_draws=0 if found is None else found[i * slots + k][1],
                )
                for k in range(slots)
            ]
            for i in range(systems)
        ]
    measures: dict[str, Callable[[Array], Array]] = {"precision": precision, "recall": recall, "f1": f_beta}
    extra = {} if measure.name in (*measures, "accuracy") else {measure.name: measure.finish}
    measures = measures | extra
    totals = tally.broken.totals
    values = {name: one(totals) for name, one in measures.items()}
    intervals = None
    if tally.draws is not None:
        drawn = np.stack([one(tally.draws) for one in measures.values()], axis=-1)
        intervals = tally.bounds(drawn.reshape(len(drawn), systems * slots * len(measures)))

    def one(i: int, k: int) -> Prf:
        at = (i * slots + k) * len(measures)
        own = None if intervals is None else dict(zip(measures, intervals[at : at + len(measures)], strict=True))
        shown = {name: defined(float(found[i, k])) for name, found in values.items()}
        kind: type[Prf] = Prf
        if extra:
            kind, shown["value"] = OtherPrf, shown.pop(measure.name)
        return kind(
            n_gold=int(totals[i, k, N_GOLD]),
            n_pred=int(totals[i, k, N_PRED]),
            tp=count(float(totals[i, k, TP])),
            **shown,
            ci=None if own is None else {name: found[0] for name, found in own.items()},
            undefined_draws=None if own is None else {name: found[1] for name, found in own.items()},
        )

    return [[one(i, k) for k in range(slots)] for i in range(systems)]


def _overall(evaluation: Evaluation, tallies: Sequence[Tally], measure: Measure) -> dict[str, dict[str, float | None]]:
    """Return the measure over all units, per kind of unit and system."""
    found: dict[str, dict[str, float | None]] = {}
    for tally in tallies:
        unit = tally.broken.described.unit
        if unit not in found:
            values = measure.finish(tally.broken.totals.sum(axis=1))
            found[unit] = {name: defined(float(v)) for name, v in zip(evaluation.systems, values, strict=True)}
    return found


def _oddities(tallies: Sequence[Tally], evaluation: Evaluation) -> list[str]:
    """Say which attributes have one bucket only, and that there is no gold to cut by."""
    if evaluation.gold_units == 0:
        return ["gold has no units: attributes that are cut by its values have one bucket, of returned units"]
    alone = [t.broken for t in tallies if len(_filled(t)) < 2 and evaluation.aligned.items > 1]
    equal = [one.name for one in alone if one.different < 2]
    tied = [one.name for one in alone if one.name not in equal]
    said = [f"one bucket only, since all values are equal or missing: {', '.join(equal)}"] if equal else []
    hint = "ties are not split; try --cuts ATTR=A,B,C"
    return [
        *said,
        *([f"one bucket only, since nearly all values are equal ({hint}): {', '.join(tied)}"] if tied else []),
    ]


def _filled(tally: Tally) -> NDArray[np.int64]:
    return np.flatnonzero(~np.isnan(tally.values).all(axis=0))
