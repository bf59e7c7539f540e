"""`buckets`: the attribute breakdown of one data set, self-diagnosis, comparative diagnosis, and findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from slicewise.bucketing import Buckets, bucketing_of
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.lenses.breakdown import Breakdown, Plan, Sliced, find_measure, shared_cuts, sizes
from slicewise.lenses.companion import correlations
from slicewise.lenses.inference import ALPHA, bounds_of, check_options, interval_method, test_method
from slicewise.metrics.counts import N_GOLD, N_PRED, TP, f_beta, precision, recall
from slicewise.results.base import count, defined
from slicewise.results.buckets import (
    AttributeResult,
    Bucket,
    BucketsResult,
    Comparison,
    Diagnosis,
    Extreme,
    Finding,
    Measured,
    OtherPrf,
)
from slicewise.results.score import Inference, Prf, Value
from slicewise.stats.contrasts import differences_p, proportion_variance
from slicewise.stats.exchange import slice_randomisation
from slicewise.stats.intervals import Resamples, percentile_interval
from slicewise.stats.multiplicity import benjamini_hochberg
from slicewise.stats.ranks import spearman, spread
from slicewise.stats.tests import paired_draws

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from slicewise.attributes import Attribute
    from slicewise.evaluation import Evaluation
    from slicewise.lenses.breakdown import Measure
    from slicewise.results.base import Bounds

    Array = NDArray[np.float64]

SMALL = 30
"""A bucket with fewer gold units is marked."""
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
    plan = _plan(attributes, buckets, cuts, cross)
    sliced = Sliced(evaluation, plan, measure)
    given = _shared(sliced, shared_with)
    broken = _broken_down(sliced, given)
    compared = evaluation.systems if restarts == "each" else evaluation.ranked_systems
    pairs = [] if compare is None else _pairs(evaluation, compared, compare)
    groups = evaluation.aligned.clusters.groups
    drawn = Resamples(groups, resamples, seed, keep=True) if resamples and groups > 1 else None
    tallies = [_Tally.of(evaluation, sliced, one, measure, drawn, confidence) for one in broken]
    draws = paired_draws(len(pairs)) if pairs and drawn is not None else 0
    comparisons = _comparisons(evaluation, tallies, pairs, measure, draws=draws, seed=seed)
    diagnoses = _diagnoses(evaluation, tallies, measure)
    results = {t.broken.name: _attribute(evaluation, t, measure, diagnoses[t.broken.name]) for t in tallies}
    named = bool(plan.attributes) and "all" not in plan.attributes
    shown = [t.broken.name for t in tallies if named or t.broken.described.attribute.core or " × " in t.broken.name]
    parts = [
        f"measure:{measure.name}",
        f"attributes:{'+'.join(t.broken.described.attribute.versioned for t in tallies)}",
    ]
    parts += [*plan.signature(), f"seed:{seed}", f"resamples:{resamples}", f"confidence:{confidence}"]
    parts += ["shared-cuts"] if shared_with else []
    parts += [f"cross:{a}+{b}" for a, b in cross] + [f"compare:{a}+{b}" for a, b in compare or ()]
    parts += [] if restarts == "first" else [f"restarts:{restarts}"]
    data = evaluation.summary()
    data["warnings"] = [*data["warnings"], *sliced.notes, *_oddities(tallies, evaluation)]
    return BucketsResult(
        command="buckets",
        signature=evaluation.signature(*parts),
        data=data,
        metric=measure.name,
        lower_is_better=measure.sign < 0,
        overall=_overall(evaluation, tallies, measure),
        attributes=results,
        comparisons=comparisons,
        findings=_findings(evaluation, tallies, results, comparisons, measure),
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
    every = [sliced if other is sliced.evaluation else Sliced(other, sliced.plan, sliced.measure) for other in others]
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
    plan = _plan(attributes, buckets, cuts, ())
    sliced = [Sliced(one, plan, find_measure(one.task, metrics, 1.0)) for one in evaluations]
    return shared_cuts(plan, [one.described for one in sliced])


def _plan(
    attributes: Sequence[str | Attribute | Callable[..., Any]] | str,
    buckets: int | None,
    cuts: Mapping[str, Any] | None,
    cross: Sequence[tuple[str, str]],
) -> Plan:
    return Plan(
        attributes=(attributes,) if isinstance(attributes, str) else tuple(attributes),
        buckets=buckets,
        cuts={name: bucketing_of(name, how) for name, how in (cuts or {}).items()},
        crosses=tuple((a, b) for a, b in cross),
    )


def _broken_down(sliced: Sliced, given: Mapping[str, Buckets]) -> list[Breakdown]:
    broken = [sliced.break_down(one, given.get(one.attribute.name)) for one in sliced.described]
    known = {one.name: one for one in broken}
    known |= {one.attribute.name: sliced.break_down(one, given.get(one.attribute.name)) for one in sliced.only_crossed}
    lowered = {name.lower(): one for name, one in known.items()}
    return broken + [sliced.cross(lowered[a.lower()], lowered[b.lower()]) for a, b in sliced.plan.crosses]


def _pairs(evaluation: Evaluation, compared: Sequence[str], asked: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of systems to compare: all, a < b by code points, or those asked for, in their order."""
    if not asked:
        return list(combinations(sorted(compared), 2))
    names = {name: runs[0] for name, runs in evaluation.restarts.items()} | {run: run for run in evaluation.systems}
    for pair in asked:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise UserError(f"{quoted(','.join(pair))} are not two systems; write --compare A,B")
        for name in pair:
            if name not in names:
                raise UserError(f"no system {quoted(name)} to compare; {did_you_mean(name, names)}")
    return [(names[a], names[b]) for a, b in asked]


@dataclass(frozen=True, eq=False)
class _Tally:
    """A breakdown with its values and their draws."""

    broken: Breakdown
    values: Array
    """`(systems, slots)`."""
    draws: Array | None
    """Statistics in every draw, `(draws, systems, slots, k)`."""
    drawn_values: Array | None
    confidence: float
    correlations: list[Value] | None

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        sliced: Sliced,
        broken: Breakdown,
        measure: Measure,
        drawn: Resamples | None,
        confidence: float,
    ) -> _Tally:
        values = measure.finish(broken.totals)
        draws = None if drawn is None else _draws(broken, measure, drawn)
        drawn_values = None if draws is None else measure.finish(draws)
        companion = correlations(evaluation, sliced, broken, drawn, confidence)
        return cls(broken, values, draws, drawn_values, confidence, companion)

    def bounds(self, drawn: Array) -> list[tuple[Bounds | None, int]]:
        """Return the bounds of `(draws, values)`, and in how many draws each was undefined."""
        found = percentile_interval(drawn, confidence=self.confidence)
        rows = zip(found.lo, found.hi, found.undefined, strict=True)
        return [(bounds_of(float(lo), float(hi)), int(undefined)) for lo, hi, undefined in rows]


def _draws(broken: Breakdown, measure: Measure, drawn: Resamples) -> Array:
    """Return the statistics of every draw; gold counts, which all systems share, are summed once."""
    cells = broken.cells
    if measure.metric is not None or not broken.shared:
        return drawn.sums(cells)
    groups, systems, slots, _ = cells.shape
    own = cells[..., :N_GOLD].reshape(groups, -1)
    sums = drawn.sums(np.concatenate([own, cells[:, 0, :, N_GOLD]], axis=1))
    gold = np.broadcast_to(sums[:, None, own.shape[1] :, None], (len(sums), systems, slots, 1))
    return np.concatenate([sums[:, : own.shape[1]].reshape(-1, systems, slots, N_GOLD), gold], axis=3)


# ---------------------------------------------------------------------- one system


@dataclass(frozen=True, eq=False)
class _Picked:
    """The best and the worst slot of each system, and the test of their difference; -1 where there are none."""

    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    p: Array
    q: Array


def _diagnoses(evaluation: Evaluation, tallies: Sequence[_Tally], measure: Measure) -> dict[str, _Picked]:
    """Test every two buckets of every attribute and system, correct over all of them, then pick."""
    every = [_gap_p(t, measure) for t in tallies]
    flat = [p[:, np.triu(np.ones(p.shape[1:], np.bool_), 1)] for p in every]
    corrected = benjamini_hochberg(np.concatenate([f.ravel() for f in flat])) if flat else np.zeros(0)
    found: dict[str, _Picked] = {}
    at = 0
    for tally, p, part in zip(tallies, every, flat, strict=True):
        q = np.full(p.shape, np.nan)
        upper = np.triu_indices(p.shape[1], 1)
        q[:, upper[0], upper[1]] = corrected[at : at + part.size].reshape(part.shape)
        q = np.fmax(q, q.swapaxes(1, 2))
        at += part.size
        best, worst = _extremes(measure.sign * tally.values)
        rows = np.arange(len(evaluation.systems))
        found[tally.broken.name] = _Picked(best, worst, p[rows, best, worst], q[rows, best, worst])
    return found


def _gap_p(tally: _Tally, measure: Measure) -> Array:
    """Return the p of the difference of every two slots, `(systems, slots, slots)`."""
    if tally.drawn_values is None:
        return np.full((*tally.values.shape, tally.values.shape[1]), np.nan)
    totals = tally.broken.totals
    if measure.metric is not None:
        floor = _typical_variance(tally, measure)
    elif measure.finish is recall:
        floor = proportion_variance(totals[..., TP], totals[..., N_GOLD])
    elif measure.finish is precision:
        floor = proportion_variance(totals[..., TP], totals[..., N_PRED])
    else:
        floor = proportion_variance(totals[..., TP], (totals[..., N_GOLD] + totals[..., N_PRED]) / 2)
    return differences_p(tally.values, tally.drawn_values, floor)


def _typical_variance(tally: _Tally, measure: Measure) -> Array:
    """Return, where a slot has the same value in every draw, the variance that so many typical items would have."""
    if tally.drawn_values is None or tally.draws is None:
        raise ValueError("no draws")
    n, _ = sizes(tally.broken, measure)
    overall = np.nanvar(measure.finish(tally.draws.sum(axis=2)), axis=0) * n.sum(axis=1)
    defined_draws = np.nan_to_num(tally.drawn_values, nan=0.0)
    same = np.ptp(np.where(np.isnan(tally.drawn_values), tally.values, defined_draws), axis=0) == 0
    return np.asarray(np.where(same, overall[:, None] / (n + 4), 0.0))


def _extremes(values: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each row is largest and smallest, the first of equals; the same place where fewer than two are."""
    high = np.argmax(np.where(np.isnan(values), -np.inf, values), axis=1)
    low = np.argmin(np.where(np.isnan(values), np.inf, values), axis=1)
    few = (~np.isnan(values)).sum(axis=1) < 2
    return np.where(few, 0, high), np.where(few, 0, low)


def _attribute(evaluation: Evaluation, tally: _Tally, measure: Measure, picked: _Picked) -> AttributeResult:
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
            name: _diagnosis(tally, picked, i, defined(float(rho[i])), defined(float(sigma[i])))
            for i, name in enumerate(evaluation.systems)
        },
    )


def _diagnosis(tally: _Tally, picked: _Picked, i: int, rho: float | None, sigma: float | None) -> Diagnosis:
    best, worst = int(picked.best[i]), int(picked.worst[i])
    companion = None if tally.correlations is None else tally.correlations[i]
    filled = (~np.isnan(tally.values[i])).sum()
    if filled < 2:
        return Diagnosis(spearman=rho, std=sigma, best=None, worst=None, gap=None, correlation=companion)
    ci = None
    if tally.drawn_values is not None:
        drawn = tally.drawn_values[:, i, best] - tally.drawn_values[:, i, worst]
        ci = tally.bounds(drawn[:, None])[0][0]
    slots = tally.broken.slots
    return Diagnosis(
        spearman=rho,
        std=sigma,
        best=slots[best].name,
        worst=slots[worst].name,
        gap=float(abs(tally.values[i, best] - tally.values[i, worst])),
        ci=None if ci is None else ci if tally.values[i, best] >= tally.values[i, worst] else (-ci[1], -ci[0]),
        p=defined(float(picked.p[i])),
        q=defined(float(picked.q[i])),
        correlation=companion,
    )


def _measured(tally: _Tally, measure: Measure) -> list[list[Prf | Measured]]:
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
        drawn = np.stack([one(tally.draws) for one in measures.values()], axis=-1).reshape(len(tally.draws), -1)
        intervals = tally.bounds(drawn)

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


# ---------------------------------------------------------------------- two systems


def _comparisons(
    evaluation: Evaluation,
    tallies: Sequence[_Tally],
    pairs: Sequence[tuple[str, str]],
    measure: Measure,
    *,
    draws: int,
    seed: int,
) -> tuple[Comparison, ...]:
    """Test every pair of systems in every bucket, correct over all of them, then pick the two extremes."""
    comparable = [t for t in tallies if t.broken.shared]
    if not pairs or not comparable:
        return ()
    places = np.array([[evaluation.systems.index(name) for name in pair] for pair in pairs])
    every = [np.full((len(pairs), len(t.broken.slots)), np.nan) for t in comparable]
    if draws:
        cells = [t.broken.cells for t in comparable]
        every = [p for p, _ in slice_randomisation(cells, measure.finish, places, draws=draws, seed=seed)]
    corrected = benjamini_hochberg(np.concatenate([p.ravel() for p in every]))
    made, at = [], 0
    for tally, p in zip(comparable, every, strict=True):
        q = corrected[at : at + p.size].reshape(p.shape)
        at += p.size
        made += _compared(tally, pairs, places, p, q)
    order = {pair: i for i, pair in enumerate(pairs)}
    return tuple(sorted(made, key=lambda c: order[c.a, c.b]))


def _compared(
    tally: _Tally, pairs: Sequence[tuple[str, str]], places: NDArray[np.int64], p: Array, q: Array
) -> list[Comparison]:
    difference = tally.values[places[:, 0]] - tally.values[places[:, 1]]
    nowhere: NDArray[np.bool_] = np.asarray(np.isnan(difference).all(axis=1))
    largest = np.argmax(np.where(np.isnan(difference), -np.inf, difference), axis=1)
    smallest = np.argmin(np.where(np.isnan(difference), np.inf, difference), axis=1)
    bounds: list[tuple[Bounds | None, int]] = [(None, 0)] * (2 * len(pairs))
    if tally.drawn_values is not None:
        slot = np.concatenate([largest, smallest])
        a, b = np.tile(places[:, 0], 2), np.tile(places[:, 1], 2)
        bounds = tally.bounds(tally.drawn_values[:, a, slot] - tally.drawn_values[:, b, slot])

    def extreme(i: int, k: int, ci: Bounds | None) -> Extreme:
        if nowhere[i]:
            return Extreme(bucket=None, difference=None)
        return Extreme(
            bucket=tally.broken.slots[k].name,
            difference=float(difference[i, k]),
            ci=ci,
            p=defined(float(p[i, k])),
            q=defined(float(q[i, k])),
        )

    return [
        Comparison(
            a=a,
            b=b,
            attribute=tally.broken.name,
            largest=extreme(i, int(largest[i]), bounds[i][0]),
            smallest=extreme(i, int(smallest[i]), bounds[len(pairs) + i][0]),
        )
        for i, (a, b) in enumerate(pairs)
    ]


# ---------------------------------------------------------------------- what is said


def _overall(evaluation: Evaluation, tallies: Sequence[_Tally], measure: Measure) -> dict[str, dict[str, float | None]]:
    """Return the measure over all units, per kind of unit and system."""
    found: dict[str, dict[str, float | None]] = {}
    for tally in tallies:
        unit = tally.broken.described.unit
        if unit not in found:
            values = measure.finish(tally.broken.totals.sum(axis=1))
            found[unit] = {name: defined(float(v)) for name, v in zip(evaluation.systems, values, strict=True)}
    return found


def _oddities(tallies: Sequence[_Tally], evaluation: Evaluation) -> list[str]:
    """Say which attributes have one bucket only, and that there is no gold to cut by."""
    if evaluation.task.has_units and not evaluation.units["gold"].any():
        return ["gold has no units, so there are no cut points: every attribute has one bucket of returned units"]
    alone = [t.broken for t in tallies if len(_filled(t)) < 2 and evaluation.aligned.items > 1]
    equal = [one.name for one in alone if one.described.every_value.drop_nulls().n_unique() < 2]
    tied = [one.name for one in alone if one.name not in equal]
    said = [f"one bucket only, since all values are equal or missing: {', '.join(equal)}"] if equal else []
    hint = "ties are not split; try --cuts ATTR=A,B,C"
    return [
        *said,
        *([f"one bucket only, since nearly all values are equal ({hint}): {', '.join(tied)}"] if tied else []),
    ]


def _filled(tally: _Tally) -> NDArray[np.int64]:
    return np.flatnonzero(~np.isnan(tally.values).all(axis=0))


def _findings(
    evaluation: Evaluation,
    tallies: Sequence[_Tally],
    results: Mapping[str, AttributeResult],
    comparisons: Sequence[Comparison],
    measure: Measure,
) -> tuple[Finding, ...]:
    """Return a sentence for each gap and each difference that survives correction, what is worth most first."""
    by_name = {tally.broken.name: tally for tally in tallies}
    gaps = [
        finding
        for system in evaluation.ranked_systems
        for finding in _gaps(evaluation, system, by_name, results, measure)
    ]
    differences = [
        finding
        for comparison in comparisons
        for finding in _differences(comparison, by_name[comparison.attribute], measure)
    ]
    return tuple(sorted([*gaps, *differences], key=lambda f: (-_weight(f), -f.difference, f.text)))


def _weight(finding: Finding) -> float:
    """Return what a finding is ranked by: its worth, less the more of all units are in the bucket."""
    return (finding.worth or 0.0) * (1 - finding.share)


def _gaps(
    evaluation: Evaluation,
    system: str,
    by_name: Mapping[str, _Tally],
    results: Mapping[str, AttributeResult],
    measure: Measure,
) -> list[Finding]:
    i = evaluation.systems.index(system)
    surviving = {
        name: own
        for name, result in results.items()
        if (own := result.systems[system]).q is not None and own.q < ALPHA and _expected(result, str(own.worst), system)
    }
    if not surviving:
        return []
    sure = [
        name for name in surviving if all(_expected(results[name], b, system) >= SMALL for b in _named(surviving[name]))
    ]
    widest = max(sure, key=lambda name: surviving[name].gap or 0.0) if len(sure) > 1 else ""
    found = []
    for name, diagnosis in surviving.items():
        tally = by_name[name]
        places = {slot.name: k for k, slot in enumerate(tally.broken.slots)}
        worst, best = places[str(diagnosis.worst)], places[str(diagnosis.best)]
        n, _ = sizes(tally.broken, measure)
        without = measure.finish(np.delete(tally.broken.totals[i], worst, axis=0).sum(axis=0))
        gain = defined(float(measure.sign * (without - measure.finish(tally.broken.totals[i].sum(axis=0)))))
        gap = float(diagnosis.gap or 0.0)
        text = (
            f"{system} loses {_shown(gap, measure)} on {tally.broken.said(worst)} (n = {int(n[i, worst]):,}) "
            f"against {tally.broken.said(best)} (n = {int(n[i, best]):,})"
        )
        text += ", the largest gap of any attribute" if name == widest else ""
        found.append(
            Finding(
                text=f"{text}.",
                kind="gap",
                system=system,
                against=None,
                attribute=name,
                bucket=tally.broken.slots[worst].name,
                n=int(n[i, worst]),
                share=float(n[i, worst] / max(1.0, n[i].sum())),
                difference=gap,
                ci=diagnosis.ci,
                p=float(diagnosis.p or 0.0),
                q=float(diagnosis.q or 0.0),
                worth=gain,
            )
        )
    return found


def _named(diagnosis: Diagnosis) -> tuple[str, str]:
    return str(diagnosis.worst), str(diagnosis.best)


def _expected(attribute: AttributeResult, bucket: str, system: str) -> int:
    """Return how many gold units a bucket has; where there are none, all that is returned is wrong by construction."""
    scored = next(b.systems[system] for b in attribute.buckets if b.name == bucket)
    return scored.n if isinstance(scored, Measured) else scored.n_gold


def _differences(comparison: Comparison, tally: _Tally, measure: Measure) -> list[Finding]:
    found = []
    places = {slot.name: k for k, slot in enumerate(tally.broken.slots)}
    n, _ = sizes(tally.broken, measure)
    for extreme, sign in ((comparison.largest, 1), (comparison.smallest, -1)):
        if extreme.q is None or extreme.q >= ALPHA or extreme.bucket is None or sign * (extreme.difference or 0.0) <= 0:
            continue
        better, worse = (comparison.a, comparison.b) if sign * measure.sign > 0 else (comparison.b, comparison.a)
        slot = places[extreme.bucket]
        said, size = tally.broken.said(slot), int(n[:, slot].max())
        share = size / max(1.0, float(n.max(axis=0).sum()))
        difference = abs(float(extreme.difference or 0.0))
        flipped = better != comparison.a
        found.append(
            Finding(
                text=f"{better} beats {worse} by {_shown(difference, measure)} on {said} (n = {size:,}).",
                kind="difference",
                system=better,
                against=worse,
                attribute=comparison.attribute,
                bucket=extreme.bucket,
                n=size,
                share=share,
                difference=difference,
                ci=None if extreme.ci is None else (-extreme.ci[1], -extreme.ci[0]) if flipped else extreme.ci,
                p=float(extreme.p or 0.0),
                q=extreme.q,
                worth=difference * share,
            )
        )
    return found


def _shown(value: float, measure: Measure) -> str:
    name = measure.name.upper() if measure.name[:1] == "f" and measure.name[1:2].isdigit() else measure.name
    return f"{value:.2f} {'mean score' if name == 'mean' else name}"
