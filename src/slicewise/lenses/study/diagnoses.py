"""Self- and comparative diagnosis over data sets: buckets are picked, and tested as picked ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from slicewise.arrays import Array
from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.lenses.study.performance import DatasetPerformance, Table, blocks_of, mean_of, zeta_of
from slicewise.lenses.study.permutation_tests import ENOUGH, PermutationTests, Tested
from slicewise.lenses.study.result import DatasetDifference, StudyDiagnosis
from slicewise.results.base import defined
from slicewise.stats.multiplicity import benjamini_hochberg
from slicewise.stats.omnibus import wilcoxon

PAPER = "paper's way: Wilcoxon signed-rank over data sets and restarts, picked and tested on the same data"
WITHIN_SELF = "Welch t test on the cluster bootstrap, corrected before picking"
WITHIN_PAIR = "approximate randomisation by cluster, corrected before picking"
GROUPED_BY = "eCon"
Pick = tuple[int, int | None]
"""The place of the best and of the worst bucket, or of the one where two systems differ most."""


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
    """Return the diagnoses of each data set for itself, where there are too few for a test over them."""
    diagnoses = []
    for part in table.parts:
        within: dict[str, Any] = {"dataset": part.name, "group": None, "datasets": (part.name,)}
        within["n"] = 1
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
    tests: PermutationTests | None,
    *,
    only: Sequence[str] | None = None,
    group: str | None = None,
) -> list[StudyDiagnosis]:
    """Return the diagnoses over data sets, all or those of a group; without `tests`, tested the paper's way."""
    diagnoses = []
    for attribute in table.attributes:
        over = partial(_over, table, attribute, only, blocks=tests is None)
        picked = [_picked(over(system), "self", table) for system in table.systems]
        differences = [over(a, b) for a, b in pairs]
        pairwise = [_picked(values, kind, table) for values in differences for kind in ("largest", "smallest")]
        if tests is None:
            tested = [_papers_test(choice) for choice in (*picked, *pairwise)]
        else:
            tested = [_tested_gap(table, choice, tests) for choice in picked]
            tested += _tested_differences(table, attribute, differences, tests)
        diagnoses += [
            _diagnosis(table, choice, t, group) for choice, t in zip((*picked, *pairwise), tested, strict=True)
        ]
    return [d for d in diagnoses if d.datasets]


@dataclass(frozen=True, eq=False)
class Differing:
    """What a diagnosis is picked from: a system's values, or the differences of two, on each data set."""

    attribute: str
    a: str
    b: str | None
    parts: tuple[DatasetPerformance, ...]
    rows: tuple[Array, ...]
    """Of each data set, `(blocks, buckets)`."""
    means: Array
    """`(data sets, buckets)`; of categories, those that all have."""

    @property
    def testable(self) -> bool:
        """Whether there is more than one bucket: one is all units, and no finding about buckets."""
        return bool((~np.isnan(mean_of(self.means))).sum() > 1)


@dataclass(frozen=True, eq=False)
class Picked(Differing):
    """The same with the buckets that were picked."""

    kind: str
    sign: int
    place: Pick | None


def _over(
    table: Table, attribute: str, only: Sequence[str] | None, a: str, b: str | None = None, *, blocks: bool
) -> Differing:
    parts = [p for p in table.having(a, attribute) if only is None or p.name in only]
    if b is None:
        rows = [blocks_of(p, a, attribute, blocks=blocks) for p in parts]
    else:
        parts = [p for p in parts if b in p.runs]
        rows = [_differences(p, a, b, attribute, blocks=blocks) for p in parts]
    lined = [table.lined_up(part, attribute, scores) for part, scores in zip(parts, rows, strict=True)]
    means = np.array([mean_of(scores) for scores in lined]).reshape(len(parts), len(table.treatments(attribute)))
    if not table.attribute(attribute).ordered:
        means[:, np.isnan(means).any(axis=0)] = np.nan
    return Differing(attribute, a, b, tuple(parts), tuple(lined), means)


def _differences(part: DatasetPerformance, a: str, b: str, attribute: str, *, blocks: bool) -> Array:
    """Return a − b in each slot: restarts averaged, or the first of a against the first of b, and so on."""
    ours, theirs = (blocks_of(part, system, attribute, blocks=blocks) for system in (a, b))
    both = min(len(ours), len(theirs))
    return np.asarray(ours[:both] - theirs[:both])


def _picked(values: Differing, kind: str, table: Table) -> Picked:
    sign = -1 if table.parts[0].result.lower_is_better and kind == "self" else 1
    place = _pick(sign * mean_of(values.means), kind) if len(values.means) else None
    return Picked(**vars(values), kind=kind, sign=sign, place=place)


def _tested_gap(table: Table, choice: Picked, tests: PermutationTests) -> Tested:
    if len(choice.parts) < ENOUGH or choice.place is None or choice.place[1] is None:
        return Tested()
    family = len(table.attributes) * len(table.systems)
    return tests.gap(
        table, choice.attribute, choice.a, choice.parts, choice.means, (choice.place[0], choice.place[1]), family
    )


def _tested_differences(
    table: Table, attribute: str, differences: Sequence[Differing], tests: PermutationTests
) -> list[Tested]:
    """Return the tests of the largest and of the smallest difference of each pair, in their order."""
    testable = [choice for choice in differences if len(choice.parts) >= ENOUGH and choice.testable]
    parts = {part.name: part for choice in testable for part in choice.parts}
    pairs = [(choice.a, choice.b or "") for choice in testable]
    means = [mean_of(choice.means) for choice in testable]
    family = 2 * len(table.attributes) * len(differences)
    tested = tests.differences(table, attribute, list(parts.values()), pairs, means, family)
    untested = {"largest": Tested(), "smallest": Tested()}
    return [
        tested.get((choice.a, choice.b or ""), untested)[kind]
        for choice in differences
        for kind in ("largest", "smallest")
    ]


def _papers_test(choice: Picked) -> Tested:
    """Test by Wilcoxon what was picked on the same data; a system's best and worst are picked for each block."""
    if not choice.testable:
        return Tested()
    values = [
        _gap(choice.sign * row, _pick(choice.sign * row, "self") if choice.kind == "self" else choice.place)
        for block in choice.rows
        for row in block
    ]
    test = wilcoxon(np.array(values))
    return Tested(defined(test.p), None, test.n, PAPER)


def _diagnosis(table: Table, choice: Picked, tested: Tested, group: str | None) -> StudyDiagnosis:
    names = table.treatments(choice.attribute)
    best, worst = choice.place or (None, None)
    overall = defined(_gap(choice.sign * mean_of(choice.means), choice.place)) if choice.place else None
    return StudyDiagnosis(
        kind=choice.kind,
        a=choice.a,
        b=choice.b,
        attribute=choice.attribute,
        dataset=None,
        group=group,
        datasets=tuple(part.name for part in choice.parts),
        best=None if best is None else names[best],
        worst=None if worst is None else names[worst],
        difference=overall,
        raw_difference=overall,
        ci=None,
        p=tested.p,
        q=None,
        n=tested.n,
        test=tested.test,
        smallest_p=tested.smallest_p,
        by_dataset=tuple(
            DatasetDifference(dataset=part.name, difference=defined(_gap(choice.sign * row, choice.place)))
            for part, row in zip(choice.parts, choice.means, strict=True)
        ),
    )


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
    table: Table, pairs: Sequence[tuple[str, str]], group_by: Sequence[str], tests: PermutationTests
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
            diagnoses += diagnose_over(table, pairs, tests, only=members, group=f"{level} {name}")
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
