"""Self- and comparative diagnosis over data sets: what was picked on some is tested on the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from slicewise.arrays import Array
from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.lenses.study.performance import DatasetPerformance, Table, blocks_of, mean_of, zeta_of
from slicewise.lenses.study.result import HeldOutPick, StudyDiagnosis
from slicewise.results.base import defined
from slicewise.stats.multiplicity import benjamini_hochberg
from slicewise.stats.omnibus import wilcoxon

ENOUGH = 3
"""Data sets from which on buckets are picked on the others and tested on the one left out."""
LEFT_OUT = "Wilcoxon signed-rank over data sets, each picked on the others"
PAPER = "paper's way: Wilcoxon signed-rank over data sets and restarts, picked and tested on the same data"
WITHIN_SELF = "Welch t test on the cluster bootstrap, corrected before picking"
WITHIN_PAIR = "approximate randomisation by cluster, corrected before picking"
GROUPED_BY = "eCon"


def pairs_of(table: Table, compare: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of systems to compare: the requested ones, or all with a < b by code points."""
    if not compare:
        return list(combinations(sorted(table.systems), 2))
    for pair in compare:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise UserError(f"{quoted(','.join(pair))} are not two systems; write --compare A,B")
        for name in pair:
            if name not in table.systems:
                raise UserError(f"no system {quoted(name)} to compare; {did_you_mean(name, table.systems)}")
        if not any(pair[0] in part.runs and pair[1] in part.runs for part in table.parts):
            raise UserError(f"no data set has both {pair[0]} and {pair[1]}; compare systems of the same data")
    return [(a, b) for a, b in compare]


def diagnose_each(table: Table, pairs: Sequence[tuple[str, str]]) -> list[StudyDiagnosis]:
    """Return the diagnoses of each data set for itself, where there are too few to pick on the others."""
    diagnoses = []
    for part in table.parts:
        within: dict[str, Any] = {"dataset": part.name, "group": None, "datasets": (part.name,)}
        within |= {"held_out": None, "n": 1}
        for name, attribute in part.result.attributes.items():
            for system, runs in part.runs.items():
                d = attribute.systems[runs[0]]
                test = WITHIN_SELF if d.p is not None else ""
                within |= {"a": system, "b": None, "attribute": name, "ci": d.ci, "p": d.p, "q": d.q, "test": test}
                diagnoses.append(
                    StudyDiagnosis(
                        kind="self", best=d.best, worst=d.worst, difference=d.gap, raw_difference=d.raw_gap, **within
                    )
                )
        firsts = {runs[0]: system for system, runs in part.runs.items()}
        for c in part.result.comparisons:
            within |= {"a": firsts.get(c.a, c.a), "b": firsts.get(c.b, c.b), "attribute": c.attribute}
            for kind, e in (("largest", c.largest), ("smallest", c.smallest)):
                within |= {"ci": e.ci, "p": e.p, "q": e.q, "test": WITHIN_PAIR if e.p is not None else ""}
                diagnoses.append(
                    StudyDiagnosis(
                        kind=kind,
                        best=e.bucket,
                        worst=None,
                        difference=e.difference,
                        raw_difference=e.difference,
                        **within,
                    )
                )
    return [d for d in diagnoses if d.b is None or (d.a, d.b) in pairs]


def diagnose_over(
    table: Table,
    pairs: Sequence[tuple[str, str]],
    *,
    paper: bool = False,
    blocks: bool = False,
    only: Sequence[str] | None = None,
    group: str | None = None,
) -> list[StudyDiagnosis]:
    """Return the diagnoses over data sets: all, or those of a group."""
    diagnoses = []
    for attribute in table.attributes:
        for system in table.systems:
            parts = [p for p in table.having(system, attribute) if only is None or p.name in only]
            rows = [blocks_of(p, system, attribute, blocks=blocks or paper) for p in parts]
            diagnoses.append(_diagnosed(table, attribute, parts, rows, "self", system, None, paper=paper, group=group))
        for a, b in pairs:
            parts = [p for p in table.having(a, attribute) if b in p.runs and (only is None or p.name in only)]
            rows = [_differences(p, a, b, attribute, blocks=blocks or paper) for p in parts]
            diagnoses += [
                _diagnosed(table, attribute, parts, rows, kind, a, b, paper=paper, group=group)
                for kind in ("largest", "smallest")
            ]
    return [d for d in diagnoses if d.datasets]


def _differences(part: DatasetPerformance, a: str, b: str, attribute: str, *, blocks: bool) -> Array:
    """Return a − b in each slot: restarts averaged, or the first of a against the first of b, and so on."""
    ours, theirs = (blocks_of(part, system, attribute, blocks=blocks) for system in (a, b))
    both = min(len(ours), len(theirs))
    return np.asarray(ours[:both] - theirs[:both])


def _diagnosed(
    table: Table,
    attribute: str,
    parts: Sequence[DatasetPerformance],
    rows: Sequence[Array],
    kind: str,
    a: str,
    b: str | None,
    *,
    paper: bool,
    group: str | None,
) -> StudyDiagnosis:
    """Pick a bucket (or two) and test it: on each data set what was picked on the others, or the paper's way."""
    names = table.treatments(attribute)
    sign = -1 if table.parts[0].result.lower_is_better and kind == "self" else 1
    lined = [table.lined_up(part, attribute, scores) for part, scores in zip(parts, rows, strict=True)]
    means = np.array([mean_of(scores) for scores in lined]) if lined else np.zeros((0, len(names)))
    if not table.attribute(attribute).ordered:
        means[:, np.isnan(means).any(axis=0)] = np.nan  # of categories, those that all have
    place = _pick(sign * mean_of(means), kind) if len(means) else None
    picks, tested = [], []
    for i, (part, scores) in enumerate(zip(parts, lined, strict=True)):
        if paper:
            chosen = place
            values = [_gap(sign * row, _pick(sign * row, kind) if kind == "self" else place) for row in scores]
        else:
            others = np.delete(means, i, axis=0)
            chosen = _pick(sign * mean_of(others), kind) if len(others) else None
            values = [_gap(sign * row, chosen) for row in scores]
        tested += values
        value = defined(float(mean_of(np.array(values))))
        best, worst = (None, None) if chosen is None else chosen
        picks.append(
            HeldOutPick(
                dataset=part.name,
                best=None if best is None else names[best],
                worst=None if worst is None else names[worst],
                difference=value,
            )
        )
    one_bucket = (~np.isnan(mean_of(means))).sum() < 2  # that is all units: no finding about buckets
    enough = (paper or len(parts) >= ENOUGH) and not one_bucket
    test = wilcoxon(np.array(tested)) if enough else None
    overall = defined(float(mean_of(np.array([_gap(sign * mean_of(means), place)])))) if place else None
    held_out = defined(float(mean_of(np.array(tested)))) if tested and not paper and len(parts) > 1 else None
    return StudyDiagnosis(
        kind=kind,
        a=a,
        b=b,
        attribute=attribute,
        dataset=None,
        group=group,
        datasets=tuple(part.name for part in parts),
        best=None if place is None else names[place[0]],
        worst=None if place is None or place[1] is None else names[place[1]],
        difference=overall,
        raw_difference=overall,
        held_out=held_out,
        ci=None,
        p=None if test is None else defined(test.p),
        q=None,
        n=0 if test is None else test.n,
        test="" if test is None else PAPER if paper else LEFT_OUT,
        picks=tuple(picks),
    )


Pick = tuple[int, int | None]


def _pick(values: Array, kind: str) -> Pick | None:
    """Return the best and the worst place, or the one where a difference is largest or smallest; first of equals."""
    known = ~np.isnan(values)
    if known.sum() < (2 if kind == "self" else 1):
        return None
    high = int(np.argmax(np.where(known, values, -np.inf)))
    low = int(np.argmin(np.where(known, values, np.inf)))
    return (high, low) if kind == "self" else (high if kind == "largest" else low, None)


def _gap(values: Array, pick: Pick | None) -> float:
    """Return the difference of two places, or the value at one."""
    if pick is None:
        return float("nan")
    best, worst = pick
    return float(values[best] if worst is None else values[best] - values[worst])


def diagnose_groups(
    table: Table, pairs: Sequence[tuple[str, str]], group_by: Sequence[str], *, blocks: bool
) -> list[StudyDiagnosis]:
    """Return diagnoses of the data sets whose mean of an attribute is low, and of those where it is high."""
    if not group_by and len(table.parts) < 2 * ENOUGH:
        return []
    diagnoses = []
    for name in group_by or (GROUPED_BY,):
        if name not in table.attributes:
            if not group_by:
                continue
            raise UserError(f"no attribute {quoted(name)} to group by; {did_you_mean(name, table.attributes)}")
        means = [(zeta, part.name) for part in table.parts if (zeta := zeta_of(part, name)) is not None]
        if len(means) < 2:
            raise UserError(f"{name} has a mean on {counted(len(means), 'data set')}; grouping needs two or more")
        ordered = [dataset for _, dataset in sorted(means)]
        half = len(ordered) // 2
        if not group_by and split_is_arbitrary(means):
            continue
        for level, members in (("low", ordered[:half]), ("high", ordered[half:])):
            diagnoses += diagnose_over(table, pairs, blocks=blocks, only=members, group=f"{level} {name}")
    return diagnoses


def split_is_arbitrary(means: Sequence[tuple[float, str]]) -> bool:
    """Return whether data sets with the same mean would be in the low and in the high half."""
    zetas = sorted(zeta for zeta, _ in means)
    return len(zetas) > 1 and zetas[len(zetas) // 2 - 1] == zetas[len(zetas) // 2]


def corrected(diagnoses: Sequence[StudyDiagnosis]) -> list[StudyDiagnosis]:
    """Correct over all tests of one kind (one system, two systems) and group that are not corrected yet."""
    with_q = list(diagnoses)
    for family in {(d.b is None, d.group) for d in with_q}:
        tested = [i for i, d in enumerate(with_q) if d.dataset is None and d.p is not None]
        places = [i for i in tested if (with_q[i].b is None, with_q[i].group) == family]
        q = benjamini_hochberg(np.array([with_q[i].p for i in places], np.float64))
        for i, value in zip(places, q, strict=True):
            with_q[i] = replace(with_q[i], q=float(value))
    return with_q
