"""A study against a slow and obvious reference, written from the definitions (section 5): fractions, loops and scipy.

F1 of every run in every bucket comes from the slow counterpart of `buckets`, as an exact fraction, so that what is
equal is equal. Where two buckets are equally good either may be picked; the rest follows from the pick.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.stats
from support.slow_buckets import FROM_TRAINING, Data, count, default_way, describe, mean, same
from support.slow_permutation import (
    Rows,
    bucket_means,
    exact_p,
    exact_swaps_p,
    slow_standardised,
    slow_variances,
)

from slicewise import UserError, study
from slicewise.annotations import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from slicewise import Evaluation
    from slicewise.lenses.study.result import StudyDiagnosis, StudyResult

CORE = ("label", "eLen", "sLen", "eDen", "oDen", "eFre", "tFre", "eCon", "tCon")
NAMES = ("neural", "rules", "crf", "a b")
WORDS = ("Ada", "Oslo", "in", "New", "York", "met", "Bob", "of")
SEEDS = (2, 3, 4, 6, 9, 10)

Scores = list[Fraction | None]
"""F1 of one run in every bucket; None where the bucket is empty."""
Spans = tuple[tuple[int, int, str], ...]


# ---------------------------------------------------------------------- data


@dataclass(frozen=True)
class Set:
    """A data set with the runs of each system."""

    name: str
    data: Data
    runs: Mapping[str, tuple[str, ...]]

    def evaluation(self) -> Evaluation:
        return replace(self.data.evaluation(), name=self.name, restarts=dict(self.runs))


def random_spans(rng: random.Random, words: Sequence[str], labels: Sequence[str], most: int = 2) -> Spans:
    found: set[tuple[int, int, str]] = set()
    for _ in range(rng.randint(0, most)):
        start = rng.randrange(len(words))
        found.add((start, min(len(words), start + rng.choice((1, 1, 2, 3, 5))), rng.choice(labels)))
    return tuple(sorted(found))


def random_set(rng: random.Random, name: str, systems: Sequence[str], *, train: bool, empty: bool) -> Set:
    """Return sentences, gold, and systems that keep some gold spans, lose some, and invent some."""
    labels = rng.sample(("PER", "LOC", "ORG", "W"), rng.randint(2, 4))
    items = tuple(tuple(rng.choice(WORDS) for _ in range(rng.randint(1, 7))) for _ in range(rng.randint(6, 14)))
    train_items = tuple(tuple(rng.choice(WORDS[1:]) for _ in range(rng.randint(1, 6))) for _ in range(8))
    gold = tuple(() if empty else random_spans(rng, item, labels) for item in items)
    runs, outputs = {}, {}
    for system in systems:
        n, skill = rng.choice((1, 1, 2, 3)), rng.uniform(0.2, 0.95)
        runs[system] = (system,) if n == 1 else tuple(f"{system}#{i}" for i in range(1, n + 1))
        for run in runs[system]:
            outputs[run] = tuple(
                tuple(sorted({s for s in spans if rng.random() < skill} | set(random_spans(rng, words, labels, 1))))
                for spans, words in zip(gold, items, strict=True)
            )
    data = Data(
        task=Task.SPANS,
        items=items,
        gold=gold,
        systems=outputs,
        train_items=train_items if train else None,
        train=tuple(random_spans(rng, item, labels) for item in train_items) if train else (),
    )
    return Set(name, data, runs)


def random_study(seed: int) -> list[Set]:
    """Return 3 to 6 data sets: some lack a system, one may lack training data, and one may have no gold units."""
    rng = random.Random(seed)
    systems = rng.sample(NAMES, rng.randint(2, 4))
    sets = []
    for k in range(3 + seed % 4):
        own = [s for s in systems if k != 1 or s != systems[-1]]
        no_train, empty = seed % 3 == 0 and k == 2, seed % 5 == 4 and k == 0
        sets.append(random_set(rng, f"set {k}", own, train=not no_train, empty=empty))
    return sets


# ---------------------------------------------------------------------- the reference


class Reference:
    """T[system, attribute, bucket] of every data set and run, and what the definitions make of it."""

    def __init__(self, sets: Sequence[Set]) -> None:
        self.sets = sets
        self.table: dict[tuple[str, str, str], list[Scores]] = {}
        """Data set, system, attribute → one list of scores per run."""
        self.counts: dict[tuple[str, str, str, int, int], Any] = {}
        self.slots: dict[tuple[str, str], list[str | int]] = {}
        """Data set, attribute → what its buckets line up by: their place, or their label."""
        self.zeta: dict[tuple[str, str], float | None] = {}
        for one in sets:
            for attribute in CORE:
                if attribute in FROM_TRAINING and one.data.train_items is None:
                    continue
                rows = describe(one.data, attribute)
                slots = default_way(attribute).slots(rows)
                by_label = attribute == "label"
                self.slots[one.name, attribute] = [str(s.value) if by_label else k for k, s in enumerate(slots)]
                self.zeta[one.name, attribute] = mean([row.value for row in rows if row.gold])
                for system, runs in one.runs.items():
                    self.table[one.name, system, attribute] = []
                    for restart, run in enumerate(runs, 1):
                        counts = count(rows, slots, run)
                        for k, c in enumerate(counts):
                            self.counts[one.name, system, attribute, restart, k] = c
                        scores = [f1(c.tp, c.n_pred, c.n_gold) for c in counts]
                        self.table[one.name, system, attribute].append(scores)

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(system for one in self.sets for system in one.runs))

    def datasets(self, *systems: str, attribute: str) -> list[str]:
        """Return the data sets that have these systems and the attribute."""
        return [one.name for one in self.sets if all((one.name, s, attribute) in self.table for s in systems)]

    def averaged(self, dataset: str, system: str, attribute: str) -> Scores:
        """Return T[i, j, :] with the restarts averaged."""
        return [average(own) for own in zip(*self.table[dataset, system, attribute], strict=True)]

    def runs(self, dataset: str, system: str, attribute: str, *, each: bool) -> list[Scores]:
        """Return a system's blocks on a data set."""
        return self.table[dataset, system, attribute] if each else [self.averaged(dataset, system, attribute)]

    def keyed(self, dataset: str, attribute: str, scores: Scores) -> dict[str | int, Fraction]:
        """Return the filled buckets by what lines up over data sets."""
        pairs = zip(self.slots[dataset, attribute], scores, strict=True)
        return {key: score for key, score in pairs if score is not None}

    def spearman(self, dataset: str, system: str, attribute: str) -> float | None:
        """Null where the attribute has no order, F1 is constant, or fewer than 3 buckets are filled."""
        values = self.averaged(dataset, system, attribute)
        filled = [(rank, float(v)) for rank, v in enumerate(values) if v is not None]
        if attribute == "label" or len(filled) < 3 or len({v for _, v in filled}) < 2:
            return None
        return float(scipy.stats.spearmanr([r for r, _ in filled], [v for _, v in filled]).statistic)

    def std(self, dataset: str, system: str, attribute: str) -> float | None:
        filled = [float(v) for v in self.averaged(dataset, system, attribute) if v is not None]
        return float(np.std(filled, ddof=0)) if filled else None

    def friedman(self, blocks: Sequence[Mapping[str | int, Fraction]], attribute: str) -> tuple[float | None, int, int]:
        """Return p, how many blocks were tested and how many were dropped."""
        every = [key for block in blocks for key in block]
        treatments = list(dict.fromkeys(every))
        if attribute == "label":
            treatments = [t for t in treatments if all(t in block for block in blocks)]
        whole = [block for block in blocks if all(t in block for t in treatments)]
        dropped = len(blocks) - len(whole)
        if len(treatments) < 3 or len(whole) < 2:
            return None, len(whole), dropped
        columns = [[float(block[t]) for block in whole] for t in treatments]
        if all(len(set(row)) == 1 for row in zip(*columns, strict=True)):
            return None, len(whole), dropped  # nothing but ties
        return float(scipy.stats.friedmanchisquare(*columns).pvalue), len(whole), dropped


def f1(tp: int, n_pred: int, n_gold: int) -> Fraction | None:
    return Fraction(2 * tp, n_pred + n_gold) if n_pred + n_gold else None


def average(values: Sequence[Fraction | None]) -> Fraction | None:
    known = [v for v in values if v is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def mean_over(rows: Sequence[Mapping[str | int, Fraction]]) -> dict[str | int, Fraction]:
    """Return the mean of every bucket over the rows in which it is filled."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return {
        key: sum((row[key] for row in rows if key in row), Fraction(0)) / sum(key in row for row in rows)
        for key in keys
    }


def mean_float(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None


def signed_rank_p(differences: Sequence[Fraction]) -> float | None:
    """Return the two-sided p of Wilcoxon's test over all ways to flip signs; scipy's where that is exact too."""
    some = [d for d in differences if d]
    if not some:
        return None
    ranks = scipy.stats.rankdata([float(abs(d)) for d in some])
    middle = sum(ranks) / 2
    observed = abs(sum(r for r, d in zip(ranks, some, strict=True) if d > 0) - middle)
    if len(some) > 11:
        return None
    flips = product((False, True), repeat=len(some))
    far = sum(
        abs(sum(r for r, up in zip(ranks, flip, strict=True) if up) - middle) >= observed - 1e-9 for flip in flips
    )
    p = float(far / 2 ** len(some))
    if len({abs(d) for d in some}) == len(some):
        assert p == pytest.approx(scipy.stats.wilcoxon([float(d) for d in some], method="exact").pvalue)
    return p


def assert_close(found: float | None, expected: float | None, what: object) -> None:
    if found is None or expected is None:
        assert found is expected, (what, found, expected)
    else:
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), what


def reached(values: Mapping[str | int, Fraction], key: str | int, extreme: Callable[..., Fraction]) -> bool:
    return key in values and values[key] == extreme(values.values())


# ---------------------------------------------------------------------- one random study each


@pytest.fixture(scope="module", params=SEEDS)
def sets(request: pytest.FixtureRequest) -> list[Set]:
    return random_study(request.param)


@pytest.fixture(scope="module")
def reference(sets: list[Set]) -> Reference:
    return Reference(sets)


@pytest.fixture(scope="module")
def result(sets: list[Set]) -> StudyResult:
    return study((one.evaluation() for one in sets), resamples=0)


@pytest.fixture(scope="module")
def blocks(sets: list[Set]) -> StudyResult:
    return study((one.evaluation() for one in sets), resamples=0, restarts="blocks")


@pytest.fixture(scope="module")
def paper(sets: list[Set]) -> StudyResult:
    return study((one.evaluation() for one in sets), resamples=0, paper_tests=True)


def names_of(result: StudyResult) -> dict[str, list[str]]:
    """Return for each attribute the names of the buckets by place, on the data set that has the most."""
    found: dict[tuple[str, str], dict[int, str]] = {}
    for cell in result.performance:
        found.setdefault((cell.dataset, cell.attribute), {})[cell.place] = cell.bucket
    longest: dict[str, list[str]] = {}
    for (_, attribute), own in found.items():
        if len(own) > len(longest.get(attribute, ())):
            longest[attribute] = [own[k] for k in range(len(own))]
    return longest


def test_the_random_studies_have_what_is_to_be_tested() -> None:
    """Missing systems, restarts, empty buckets, labels that differ, and attributes that a data set lacks."""
    studies = [random_study(seed) for seed in SEEDS]
    assert {len(sets) for sets in studies} == {3, 4, 5, 6}
    assert {len(Reference(sets).systems) for sets in studies} == {2, 3, 4}
    references = [Reference(sets) for sets in studies]
    assert all(len(r.datasets(s, attribute="eLen")) < len(r.sets) for r in references for s in r.systems[-1:])
    assert {len(runs) for r in references for runs in r.table.values()} == {1, 2, 3}
    assert any(v is None for r in references for runs in r.table.values() for scores in runs for v in scores)
    assert any(len(r.datasets(attribute="eLen")) > len(set(r.datasets("crf", attribute="eCon"))) for r in references)
    assert any(not one.data.expected for sets in studies for one in sets)


def test_performance(reference: Reference, result: StudyResult) -> None:
    found = {(c.dataset, c.system, c.attribute, c.restart, c.place): c for c in result.performance}
    assert found.keys() == reference.counts.keys()
    for key, counts in reference.counts.items():
        cell = found[key]
        assert (cell.n_gold, cell.n_pred, cell.tp) == counts, key
        assert same(cell.f1, counts.f1), key
        assert cell.value == cell.f1


def test_what_is_missing(reference: Reference, result: StudyResult) -> None:
    lacking = {(s, one.name) for one in reference.sets for s in reference.systems if s not in one.runs}
    assert set(result.missing) == lacking
    assert lacking
    assert set(result.systems) == set(reference.systems)


def test_holistic(sets: list[Set], reference: Reference, result: StudyResult) -> None:
    found = {(h.system, h.dataset): h for h in result.holistic}
    assert len(found) == len(result.holistic)
    for system in reference.systems:
        means = []
        for one in sets:
            if system not in one.runs:
                assert (system, one.name) not in found
                continue
            gold = one.data.expected
            own = [one.data.returned[run] for run in one.runs[system]]
            values = [f1(len(gold & units), len(units), len(gold)) for units in own]
            value = average(values)
            means.append(value)
            row = found[system, one.name]
            assert_close(row.value, None if value is None else float(value), (system, one.name))
            assert row.runs == len(own)
            assert row.n == len(gold) or not gold
            known = [float(v) for v in values if v is not None]
            assert_close(row.std, float(np.std(known, ddof=1)) if len(known) > 1 else None, (system, one.name))
        over = average(means)
        assert_close(found[system, None].value, None if over is None else float(over), system)
        assert found[system, None].n == sum(m is not None for m in means)


def test_model_wise(reference: Reference, result: StudyResult) -> None:
    found = {(m.system, m.dataset, m.attribute): m for m in result.model_wise}
    assert len(found) == len(result.model_wise)
    expected = 0
    for system in reference.systems:
        for attribute in CORE:
            there = reference.datasets(system, attribute=attribute)
            rho = [reference.spearman(d, system, attribute) for d in there]
            sigma = [reference.std(d, system, attribute) for d in there]
            for d, r, s in zip(there, rho, sigma, strict=True):
                assert_close(found[system, d, attribute].spearman, r, (system, d, attribute))
                assert_close(found[system, d, attribute].std, s, (system, d, attribute))
            assert_close(found[system, None, attribute].spearman, mean_float(rho), (system, attribute))
            assert_close(found[system, None, attribute].std, mean_float(sigma), (system, attribute))
            expected += len(there) + 1
    assert len(found) == expected


@pytest.mark.parametrize("each", [False, True])
def test_friedman_of_a_system_over_data_sets(
    reference: Reference, result: StudyResult, blocks: StudyResult, each: bool
) -> None:
    found = {(m.system, m.attribute): m for m in (blocks if each else result).model_wise if m.dataset is None}
    for (system, attribute), row in found.items():
        own = [
            reference.keyed(d, attribute, scores)
            for d in reference.datasets(system, attribute=attribute)
            for scores in reference.runs(d, system, attribute, each=each)
        ]
        p, tested, dropped = reference.friedman(own, attribute)
        assert_close(row.friedman_p, p, (system, attribute, own))
        assert (row.blocks, row.dropped) == (tested, dropped), (system, attribute)


@pytest.mark.parametrize("each", [False, True])
def test_friedman_of_a_data_set_over_systems(
    reference: Reference, result: StudyResult, blocks: StudyResult, each: bool
) -> None:
    rows = (blocks if each else result).attribute_wise
    assert {(a.dataset, a.attribute) for a in rows} == set(reference.slots)
    for row in rows:
        own = [
            reference.keyed(row.dataset, row.attribute, scores)
            for one in reference.sets
            if one.name == row.dataset
            for system in one.runs
            for scores in reference.runs(row.dataset, system, row.attribute, each=each)
        ]
        p, tested, dropped = reference.friedman(own, row.attribute)
        assert_close(row.friedman_p, p, (row.dataset, row.attribute, own))
        assert (row.blocks, row.dropped) == (tested, dropped), (row.dataset, row.attribute)


def test_measures_do_not_depend_on_what_the_blocks_are(result: StudyResult, blocks: StudyResult) -> None:
    """Restarts are averaged before Spearman and standard deviation, whatever the tests take."""
    assert result.holistic == blocks.holistic
    assert result.relative_changes == blocks.relative_changes
    for ours, theirs in zip(result.model_wise, blocks.model_wise, strict=True):
        assert (ours.spearman, ours.std) == (theirs.spearman, theirs.std)
    for a, b in zip(result.attribute_wise, blocks.attribute_wise, strict=True):
        assert (a.zeta, a.rho) == (b.zeta, b.rho)


def test_attribute_wise(reference: Reference, result: StudyResult) -> None:
    for row in result.attribute_wise:
        systems = [s for one in reference.sets if one.name == row.dataset for s in one.runs]
        rho = [reference.spearman(row.dataset, s, row.attribute) for s in systems]
        assert_close(row.rho, mean_float([None if r is None else abs(r) for r in rho]), (row.dataset, row.attribute))
        zeta = reference.zeta[row.dataset, row.attribute]
        assert_close(row.zeta, zeta, (row.dataset, row.attribute))
        every = [z for (_, a), z in reference.zeta.items() if a == row.attribute and z is not None]
        relative = None if zeta is None or not max(every) else zeta / max(every)
        assert_close(row.zeta_relative, relative, (row.dataset, row.attribute))


def test_relative_change(reference: Reference, result: StudyResult) -> None:
    found = {(c.a, c.b, c.dataset, c.attribute, c.place): c.change for c in result.relative_changes}
    expected: dict[tuple[str, str, str, str, int], float | None] = {}
    for a, b in combinations(sorted(reference.systems), 2):
        for attribute in CORE:
            for d in reference.datasets(a, b, attribute=attribute):
                ours, theirs = (reference.averaged(d, s, attribute) for s in (a, b))
                for k, (x, y) in enumerate(zip(ours, theirs, strict=True)):
                    expected[a, b, d, attribute, k] = float((x - y) / y) if x is not None and y else None
    assert found.keys() == expected.keys()
    assert any(v is None for v in expected.values())
    for key, value in expected.items():
        assert_close(found[key], value, key)


def key_of(names: Mapping[str, Sequence[str]], d: StudyDiagnosis, bucket: str | None) -> str | int | None:
    """Return what a picked bucket lines up by: its label, or its place."""
    return bucket if bucket is None or d.attribute == "label" else names[d.attribute].index(bucket)


def rows_of(reference: Reference, d: StudyDiagnosis, *, each: bool) -> dict[str, list[dict[str | int, Fraction]]]:
    """Return per data set what a diagnosis is about: F1, or the difference of two systems, by bucket."""
    found = {}
    for name in d.datasets:
        ours = [reference.keyed(name, d.attribute, s) for s in reference.runs(name, d.a, d.attribute, each=each)]
        if d.b is not None:
            theirs = [reference.keyed(name, d.attribute, s) for s in reference.runs(name, d.b, d.attribute, each=each)]
            pairs = zip(ours, theirs, strict=False)  # the first against the first, and so on
            ours = [{key: x[key] - y[key] for key in x if key in y} for x, y in pairs]
        found[name] = ours
    return found


def shared(means: Mapping[str, dict[str | int, Fraction]], d: StudyDiagnosis) -> dict[str, dict[str | int, Fraction]]:
    """Return what can be picked: of labels, those that all data sets have."""
    if d.attribute != "label":
        return dict(means)
    return {name: {k: v for k, v in own.items() if all(k in o for o in means.values())} for name, own in means.items()}


def check_pick(values: Mapping[str | int, Fraction], d: StudyDiagnosis, best: str | int | None, worst: Any) -> None:
    """A pick is an extreme of these values, and there is none where there are too few."""
    if len(values) < (2 if d.kind == "self" else 1):
        assert best is None
        return
    assert best is not None, (d, values)
    if d.kind == "self":
        assert reached(values, best, max), (d, values)
        assert reached(values, worst, min), (d, values)
    else:
        assert worst is None
        assert reached(values, best, max if d.kind == "largest" else min), (d, values)


def gap(values: Mapping[str | int, Fraction], best: str | int | None, worst: str | int | None) -> Fraction | None:
    """Return the value of one bucket, or the difference of two; None where one is empty."""
    if best is None or best not in values or (worst is not None and worst not in values):
        return None
    return values[best] - (values[worst] if worst is not None else 0)


def floats(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


@pytest.mark.parametrize("each", [False, True])
def test_diagnoses_pick_the_extremes_over_data_sets(
    reference: Reference, result: StudyResult, blocks: StudyResult, each: bool
) -> None:
    """Restarts are averaged in either case: as blocks they would be pseudo-replicates."""
    chosen = blocks if each else result
    plain = [d for d in chosen.diagnoses if d.group is None]
    pairs = list(combinations(sorted(reference.systems), 2))
    expected: set[tuple[str, str | None, str, str]]
    expected = {(s, None, "self", a) for s in reference.systems for a in CORE if reference.datasets(s, attribute=a)}
    expected |= {
        (*pair, kind, a)
        for pair in pairs
        for kind in ("largest", "smallest")
        for a in CORE
        if reference.datasets(*pair, attribute=a)
    }
    assert {(d.a, d.b, d.kind, d.attribute) for d in plain} == expected
    assert len(plain) == len(expected)
    names = names_of(chosen)
    for d in plain:
        systems = (d.a,) if d.b is None else (d.a, d.b)
        assert list(d.datasets) == reference.datasets(*systems, attribute=d.attribute)
        check_diagnosis(reference, names, d)


def check_diagnosis(reference: Reference, names: Mapping[str, Sequence[str]], d: StudyDiagnosis) -> None:
    rows = rows_of(reference, d, each=False)
    means = shared({name: mean_over(own) for name, own in rows.items()}, d)
    best, worst = (key_of(names, d, b) for b in (d.best, d.worst))
    over = mean_over(list(means.values()))
    check_pick(over, d, best, worst)
    assert_close(d.difference, floats(gap(over, best, worst)), d)
    assert [own.dataset for own in d.by_dataset] == list(d.datasets)
    for own in d.by_dataset:
        assert_close(own.difference, floats(gap(means[own.dataset], best, worst)), (d, own))
    several = [row for row in means.values() if len(row) > 1]
    equal = all(len(set(row.values())) == 1 for row in several)
    if len(d.datasets) < 3 or len(over) < 2 or (d.kind == "self" and equal):
        # one bucket is all units: no finding about buckets; and where all are equal, nothing is to be tested
        assert (d.p, d.q, d.n, d.test, d.smallest_p) == (None, None, 0, "", None)
        return
    if d.p is None:
        assert d.kind != "self"
        assert not any(value for row in means.values() for value in row.values()), d  # no cluster differs
        return
    assert "permuted within each" in d.test if d.kind == "self" else "swapped by cluster" in d.test
    assert d.n == (len(several) if d.kind == "self" else len(d.datasets))
    assert d.smallest_p is not None
    assert d.p > 0.8 * d.smallest_p - 0.001  # of 10,000 draws


def test_the_papers_way(reference: Reference, paper: StudyResult) -> None:
    """Every run of every data set is a pair; the bucket is picked on the data that it is tested on."""
    names = names_of(paper)
    for d in paper.diagnoses:
        if d.group is not None:
            continue
        rows = rows_of(reference, d, each=True)
        over = mean_over(list(shared({name: mean_over(own) for name, own in rows.items()}, d).values()))
        best, worst = (key_of(names, d, b) for b in (d.best, d.worst))
        check_pick(over, d, best, worst)
        assert_close(d.difference, floats(gap(over, best, worst)), d)
        if len(over) < 2:
            assert (d.p, d.q, d.n, d.test) == (None, None, 0, "")
            continue
        assert "paper" in d.test
        if d.kind == "self":
            filled = [row for own in rows.values() for row in own if len(row) > 1]
            tested = [max(row.values()) - min(row.values()) for row in filled]
        else:
            tested = [g for own in rows.values() for row in own if (g := gap(row, best, worst)) is not None]
        assert d.n == sum(value != 0 for value in tested), d
        if d.n <= 11:
            assert_close(d.p, signed_rank_p(tested), (d, tested))


def test_groups_by_the_mean_of_an_attribute(sets: list[Set], reference: Reference, result: StudyResult) -> None:
    grouped = study((one.evaluation() for one in sets), resamples=0, group_by=["sLen", "eDen"])
    for attribute in ("sLen", "eDen"):
        means = {name: z for (name, a), z in reference.zeta.items() if a == attribute and z is not None}
        low, high = (
            {n for d in grouped.diagnoses if d.group == f"{g} {attribute}" for n in d.datasets} for g in ("low", "high")
        )
        assert low | high == set(means)
        assert not low & high
        assert len(low) == len(means) // 2
        assert max(means[n] for n in low) <= min(means[n] for n in high)
    some = [d for d in grouped.diagnoses if d.group is not None]
    assert {d.group for d in some} == {"low sLen", "high sLen", "low eDen", "high eDen"}
    names = names_of(grouped)
    for d in some:
        check_diagnosis(reference, names, d)
    plain = [(d.a, d.b, d.kind, d.attribute, d.p) for d in grouped.diagnoses if d.group is None]
    assert plain == [(d.a, d.b, d.kind, d.attribute, d.p) for d in result.diagnoses if d.group is None]


def test_six_data_sets_are_grouped_by_consistency_unasked(sets: list[Set], result: StudyResult) -> None:
    groups = {d.group for d in result.diagnoses} - {None}
    assert groups == ({"low eCon", "high eCon"} if len(sets) >= 6 else set())


@pytest.mark.parametrize("way", ["average", "blocks", "paper"])
def test_every_p_has_its_q(result: StudyResult, blocks: StudyResult, paper: StudyResult, way: str) -> None:
    found = {"average": result, "blocks": blocks, "paper": paper}[way]
    for rows in (found.model_wise, found.attribute_wise):
        check_corrected([(row.friedman_p, row.friedman_q) for row in rows])
    for family in {(d.b is None, d.group) for d in found.diagnoses}:
        check_corrected([(d.p, d.q) for d in found.diagnoses if (d.b is None, d.group) == family])


def check_corrected(pairs: Sequence[tuple[float | None, float | None]]) -> None:
    assert all((p is None) == (q is None) for p, q in pairs)
    tested = [(p, q) for p, q in pairs if p is not None and q is not None]
    assert all(q >= p for p, q in tested)
    if tested:
        expected = scipy.stats.false_discovery_control([p for p, _ in tested], method="bh")
        assert [q for _, q in tested] == pytest.approx(list(expected))


def test_the_first_run_of_each_system(sets: list[Set]) -> None:
    """`restarts="first"` is the study of the first files alone."""
    first = study((one.evaluation() for one in sets), resamples=0, restarts="first")
    alone = [
        Set(
            one.name,
            one.data.named({runs[0]: system for system, runs in one.runs.items()}),
            {s: (s,) for s in one.runs},
        )
        for one in sets
    ]
    expected = study((one.evaluation() for one in alone), resamples=0)
    assert {cell.restart for cell in first.performance} == {1}
    assert first.holistic == expected.holistic
    for part in ("performance", "model_wise", "attribute_wise", "diagnoses", "relative_changes"):
        assert ordered_rows(getattr(first, part)) == ordered_rows(getattr(expected, part)), part


def ordered_rows(rows: Sequence[Any]) -> list[Any]:
    """Buckets of labels depend on what the other runs return, too: theirs are left out."""
    return [row for row in rows if row.attribute != "label"]


# ---------------------------------------------------------------------- edges


def by_length(
    name: str, systems: Mapping[str, Sequence[int]], sizes: Sequence[int] = (1, 2, 3, 4), per: int = 4
) -> Evaluation:
    """Return a data set with so many entities of each length; a system finds some of each, and nothing else."""
    items = tuple(tuple("abcdefgh"[:n]) for n in sizes for _ in range(per))
    gold: tuple[Spans, ...] = tuple(((0, n, "X"),) for n in sizes for _ in range(per))
    outputs = {}
    for system, found in systems.items():
        keep = [k < n for n in found for k in range(per)]
        outputs[system] = tuple(g if k else () for g, k in zip(gold, keep, strict=True))
    return replace(Data(task=Task.SPANS, items=items, gold=gold, systems=outputs).evaluation(), name=name)


def test_too_few_blocks_or_treatments() -> None:
    one = study([by_length("a", {"s": (4, 3, 2, 1)})], attributes="eLen", resamples=0)
    assert [(m.friedman_p, m.blocks) for m in one.model_wise if m.dataset is None] == [(None, 1)]
    assert [(a.friedman_p, a.blocks) for a in one.attribute_wise] == [(None, 1)]
    pair = study(
        [by_length(n, {"s": (4, 2), "t": (3, 1)}, sizes=(1, 2)) for n in "abc"], attributes="eLen", resamples=0
    )
    assert {(m.friedman_p, m.treatments) for m in pair.model_wise if m.dataset is None} == {(None, 2)}
    assert {(a.friedman_p, a.treatments) for a in pair.attribute_wise} == {(None, 2)}
    assert {m.spearman for m in pair.model_wise} == {None}  # two buckets are filled


def test_a_block_with_an_empty_bucket_is_dropped_and_counted() -> None:
    systems = {"s": (4, 3, 2, 1), "t": (3, 3, 2, 2)}
    whole = [by_length(name, systems) for name in "abc"]
    short = by_length("d", {name: own[:3] for name, own in systems.items()}, sizes=(1, 2, 3))
    found = study([*whole, short], attributes="eLen", resamples=0)
    row = next(m for m in found.model_wise if m.dataset is None and m.system == "s")
    assert (row.blocks, row.treatments, row.dropped) == (3, 4, 1)
    f1s = [[2 * k / (4 + k)] * 3 for k in (4, 3, 2, 1)]
    assert row.friedman_p == pytest.approx(scipy.stats.friedmanchisquare(*f1s).pvalue)
    own = next(a for a in found.attribute_wise if a.dataset == "d")
    assert (own.blocks, own.treatments, own.dropped) == (2, 3, 0)


def test_constant_f1_has_no_correlation_and_no_spread() -> None:
    found = study([by_length(name, {"s": (2, 2, 2, 2)}) for name in "abc"], attributes="eLen", resamples=0)
    assert {(m.spearman, m.std) for m in found.model_wise} == {(None, 0.0)}
    assert {a.rho for a in found.attribute_wise} == {None}
    assert {m.friedman_p for m in found.model_wise} == {None}
    assert {d.p for d in found.diagnoses} == {None}


def test_a_change_from_zero_is_undefined() -> None:
    found = study([by_length("a", {"s": (4, 2, 0, 0), "t": (2, 0, 0, 1)})], attributes="eLen", resamples=0)
    assert [c.change for c in found.relative_changes] == [pytest.approx(1 / (2 / 3) - 1), None, None, -1.0]


def test_few_data_sets_are_diagnosed_one_by_one() -> None:
    """With fewer than three there is no test over them: p is corrected over all buckets before picking."""
    systems = {"s": (4, 3, 1, 0), "t": (4, 4, 4, 0)}
    found = study([by_length(name, systems) for name in "ab"], attributes=["eLen", "sLen"], resamples=40)
    assert {d.dataset for d in found.diagnoses} == {"a", "b"}
    assert {
        (d.kind, d.best, d.worst) for d in found.diagnoses if d.attribute == "eLen" and d.a == "s" and d.b is None
    } == {("self", "XS", "XL")}
    largest = next(d for d in found.diagnoses if d.kind == "smallest" and d.attribute == "eLen")
    assert largest.best == "L"
    assert largest.difference == pytest.approx(2 / 5 - 1)
    assert all(d.p is not None and d.q is not None and d.p <= d.q for d in found.diagnoses)
    assert {d.by_dataset for d in found.diagnoses} == {()}


def test_the_tests_over_data_sets_are_those_of_the_definitions() -> None:
    """From entities by length, of which each item is a cluster: against all permutations, and all swaps."""
    per, draws = 5, 10_000
    kept = {"s": [(5, 3, 1), (3, 5, 0), (5, 4, 2)], "t": [(5, 1, 1), (4, 4, 2), (4, 5, 1)]}
    sets = [by_length(f"d{d}", {name: own[d] for name, own in kept.items()}, (1, 2, 3), per) for d in range(3)]
    result = study(sets, attributes="eLen", cuts={"eLen": [1, 2]}, resamples=0)
    found = {(d.kind, d.a): d for d in result.diagnoses}
    cells = [
        [
            [[[int(at == k and i < kept[s][d][k])] * 2 + [int(at == k)] for at in range(3)] for s in "st"]
            for k in range(3)
            for i in range(per)
        ]
        for d in range(3)
    ]
    for i, system in enumerate("st"):
        values: Rows = [[2 * n / (per + n) for n in row] for row in kept[system]]
        variances: Rows = [[*slow_variances([[cluster[i]] for cluster in clusters])] for clusters in cells]
        means = bucket_means(values)
        p = exact_p(slow_standardised(values, variances), means.index(max(means)), means.index(min(means)))
        assert found["self", system].p == pytest.approx(p, abs=5 * (p / draws) ** 0.5 + 2 / draws)
    for kind, p in zip(("largest", "smallest"), exact_swaps_p(cells), strict=True):
        assert found[kind, "s"].p == pytest.approx(p, abs=5 * (p / draws) ** 0.5 + 2 / draws)


def test_order_makes_no_difference(sets: list[Set]) -> None:
    """Neither that of the data sets nor that of the systems."""
    plain = study((one.evaluation() for one in sets), resamples=0, attributes=["eLen", "sLen"])
    turned = [Set(one.name, one.data, dict(list(one.runs.items())[::-1])) for one in reversed(sets)]
    other = study((one.evaluation() for one in turned), resamples=0, attributes=["eLen", "sLen"])

    def rows(result: StudyResult) -> dict[Any, Any]:
        return {
            (d.kind, d.a, d.b, d.attribute, d.group): (d.best, d.worst, round(d.difference or 0.0, 12), d.p, d.q)
            for d in result.diagnoses
        }

    assert rows(plain) == rows(other)


def test_averaging_before_ranking_is_not_ranking_before_averaging() -> None:
    """One run rises, the other falls twice as steeply: the mean falls, though the mean of the two correlations is 0."""
    e = by_length("a", {"s#1": (1, 2, 3, 4), "s#2": (4, 2, 1, 0)})
    found = study([replace(e, restarts={"s": ("s#1", "s#2")})], attributes="eLen", resamples=0)
    f = [[2 * k / (4 + k) for k in run] for run in ((1, 2, 3, 4), (4, 2, 1, 0))]
    averaged = [(a + b) / 2 for a, b in zip(*f, strict=True)]
    row = found.model_wise[0]
    assert row.spearman == pytest.approx(scipy.stats.spearmanr(averaged, range(4)).statistic)
    assert row.std == pytest.approx(np.std(averaged))
    assert row.std != pytest.approx(np.mean([np.std(own) for own in f]))


def test_equal_means_of_restarts_are_ties() -> None:
    """2/5 and 14/15 are 2/3 on average, as 2/3 and 2/3 are: nothing to rank, whatever the last digits say."""
    e = by_length("a", {"s#1": (2, 4, 7, 4), "s#2": (7, 4, 2, 4)}, per=8)
    e = replace(e, restarts={"s": ("s#1", "s#2")})
    found = study([e], attributes="eLen", resamples=0)
    assert found.model_wise[0].spearman is None
    assert found.model_wise[0].std == pytest.approx(0, abs=1e-12)
    same_everywhere = study([replace(e, name=name) for name in "abc"], attributes="eLen", resamples=0)
    assert {m.friedman_p for m in same_everywhere.model_wise} == {None}


@pytest.mark.parametrize("options", [{"restarts": "each"}, {"restarts": "mean"}, {"buckets": 1}])
def test_what_study_refuses(options: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        study([by_length("a", {"s": (1, 2, 3, 4)})], **options)


def test_shared_cuts_are_the_cuts_of_all_gold_units_together(sets: list[Set]) -> None:
    found = study((one.evaluation() for one in sets), attributes=["sLen"], shared_cuts=True, resamples=0)
    rows = [row for one in sets for row in describe(one.data, "sLen")]
    slots = default_way("sLen").slots(rows)
    for one in sets:
        for system, runs in one.runs.items():
            for restart, run in enumerate(runs, 1):
                expected = count(describe(one.data, "sLen"), slots, run)
                cells = [
                    c for c in found.performance if (c.dataset, c.system, c.restart) == (one.name, system, restart)
                ]
                assert [(c.n_gold, c.n_pred, c.tp) for c in sorted(cells, key=lambda c: c.place)] == expected


def test_what_no_data_set_shares_is_not_picked_and_not_tested() -> None:
    """Two systems, and labels that no two data sets have in common."""
    sets = []
    for name, label in (("a", "X"), ("b", "Y"), ("c", "Z")):
        gold: tuple[Spans, ...] = (((0, 1, label),), ((0, 1, label),))
        systems: dict[str, tuple[Spans, ...]] = {"s": gold, "t": (gold[0], ())}
        data = Data(task=Task.SPANS, items=(("w",), ("w",)), gold=gold, systems=systems)
        sets.append(Set(name, data, {"s": ("s",), "t": ("t",)}).evaluation())
    for paper in (False, True):
        found = study(sets, attributes="label", resamples=0, paper_tests=paper)
        own = [d for d in found.diagnoses if d.b is not None]
        assert {(d.kind, d.best, d.difference, d.p) for d in own} == {
            ("largest", None, None, None),
            ("smallest", None, None, None),
        }
