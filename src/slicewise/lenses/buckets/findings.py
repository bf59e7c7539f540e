"""What survives correction, in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from slicewise.evaluation import Evaluation
from slicewise.lenses.buckets.result import AttributeResult, Finding, Measured
from slicewise.lenses.slicing.breakdown import Measure, sizes
from slicewise.lenses.slicing.draws import SMALL, BucketDraws
from slicewise.lenses.slicing.result import Comparison
from slicewise.results.base import defined
from slicewise.stats.multiplicity import ALPHA


def findings_of(
    evaluation: Evaluation,
    tallies: Sequence[BucketDraws],
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
        for finding in _differences(comparison, by_name[comparison.attribute], measure, evaluation.systems)
    ]
    return tuple(sorted([*gaps, *differences], key=lambda f: (-_weight(f), -f.difference, f.text)))


def _weight(finding: Finding) -> float:
    """Return what a finding is ranked by: its worth, less the more of all units are in the bucket.

    Of a difference, only what goes beyond the difference over all units counts.
    """
    beyond = (finding.worth or 0.0) - finding.share * max(finding.overall or 0.0, 0.0)
    return beyond * (1 - finding.share)


def _gaps(
    evaluation: Evaluation,
    system: str,
    by_name: Mapping[str, BucketDraws],
    results: Mapping[str, AttributeResult],
    measure: Measure,
) -> list[Finding]:
    i = evaluation.systems.index(system)
    surviving = {
        name: d
        for name, result in results.items()
        if (d := result.systems[system]).q is not None and d.q < ALPHA and _expected(result, str(d.worst), system)
    }
    if not surviving:
        return []
    sure = [
        name
        for name, d in surviving.items()
        if all(_expected(results[name], str(bucket), system) >= SMALL for bucket in (d.worst, d.best))
    ]
    widest = max(sure, key=lambda name: surviving[name].gap or 0.0) if len(sure) > 1 else ""
    of_all = not widest or surviving[widest].gap == max(d.gap or 0.0 for d in surviving.values())
    praise = "the largest gap of any attribute" if of_all else f"the largest gap between buckets of {SMALL} or more"
    findings = []
    for name, diagnosis in surviving.items():
        tally = by_name[name]
        places = {slot.name: k for k, slot in enumerate(tally.broken.slots)}
        worst, best = places[str(diagnosis.worst)], places[str(diagnosis.best)]
        n, _ = sizes(tally.broken, measure)
        without = measure.finish(np.delete(tally.broken.totals[i], worst, axis=0).sum(axis=0))
        gain = defined(float(measure.sign * (without - measure.finish(tally.broken.totals[i].sum(axis=0)))))
        gap, raw = float(diagnosis.gap or 0.0), float(diagnosis.raw_gap or 0.0)
        believed = gap / raw if raw else 1.0
        text = (
            f"{system} loses {_shown(gap, measure)} on {tally.broken.said(worst)} (n = {int(n[i, worst]):,}) "
            f"against {tally.broken.said(best)} (n = {int(n[i, best]):,})"
        )
        text += f", {praise}" if name == widest else ""
        findings.append(
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
                raw_difference=raw,
                ci=diagnosis.ci,
                p=float(diagnosis.p or 0.0),
                q=float(diagnosis.q or 0.0),
                worth=None if gain is None else gain * believed,
                raw_worth=gain,
            )
        )
    return findings


def _expected(attribute: AttributeResult, bucket: str, system: str) -> int:
    """Return how many gold units a bucket has; where there are none, all that is returned is wrong by construction."""
    scored = next(b.systems[system] for b in attribute.buckets if b.name == bucket)
    return scored.n if isinstance(scored, Measured) else scored.n_gold


def _differences(comparison: Comparison, tally: BucketDraws, measure: Measure, systems: Sequence[str]) -> list[Finding]:
    findings = []
    places = {slot.name: k for k, slot in enumerate(tally.broken.slots)}
    n, _ = sizes(tally.broken, measure)
    for extreme, sign in ((comparison.largest, 1), (comparison.smallest, -1)):
        if extreme.q is None or extreme.q >= ALPHA or extreme.bucket is None or sign * (extreme.difference or 0.0) <= 0:
            continue
        better, worse = (comparison.a, comparison.b) if sign * measure.sign > 0 else (comparison.b, comparison.a)
        slot = places[extreme.bucket]
        phrase, size = tally.broken.said(slot), int(n[:, slot].max())
        share = size / max(1.0, float(n.max(axis=0).sum()))
        difference = abs(float(extreme.difference or 0.0))
        flipped = better != comparison.a
        values = dict(zip(systems, measure.finish(tally.broken.totals.sum(axis=1)), strict=True))
        overall = float(measure.sign * (values[better] - values[worse]))
        totals = tally.broken.totals
        ahead, behind = (totals[list(systems).index(name)] for name in (better, worse))
        mended = measure.finish(behind.sum(axis=0) - behind[slot] + ahead[slot])
        worth = defined(float(measure.sign * (mended - values[worse])))
        beside = f"n = {size:,}, {overall:+.2f} over all".replace("-", "−")
        findings.append(
            Finding(
                text=f"{better} beats {worse} by {_shown(difference, measure)} on {phrase} ({beside}).",
                kind="difference",
                system=better,
                against=worse,
                attribute=comparison.attribute,
                bucket=extreme.bucket,
                n=size,
                share=share,
                difference=difference,
                raw_difference=difference,
                ci=None if extreme.ci is None else (-extreme.ci[1], -extreme.ci[0]) if flipped else extreme.ci,
                p=float(extreme.p or 0.0),
                q=extreme.q,
                worth=worth,
                raw_worth=worth,
                overall=overall,
            )
        )
    return findings


def _shown(value: float, measure: Measure) -> str:
    name = measure.name.upper() if measure.name[:1] == "f" and measure.name[1:2].isdigit() else measure.name
    return f"{value:.2f} {'mean score' if name == 'mean' else name}"
