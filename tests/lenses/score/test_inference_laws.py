"""Intervals and p-values of `score`: do they cover, are they calibrated, and are they what a slow reference gets?"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from support.few_draws import few_draws
from support.profiles import with_examples
from support.slow_scores import corpus_interval, exact_p, holm, randomisation_p, widened_interval, wilson

from slicewise import Evaluation, score
from slicewise.annotations import Task
from slicewise.engine.cells import count_cells
from slicewise.metrics import find_metric
from slicewise.stats.canonical import canonical_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.lenses.score.result import ScoreResult
    from slicewise.metrics.metric import Metric
    from slicewise.results.estimates import Value


SIMULATED = 250
DOCUMENTS, SENTENCES = 50, 8


def clustered(rng: np.random.Generator, documents: int = DOCUMENTS) -> list[float]:
    """Return right and wrong answers; how hard a document is decides most of it. The true mean is ½."""
    ease = np.repeat(rng.beta(0.5, 0.5, documents), SENTENCES)
    return [float(x) for x in rng.random(len(ease)) < ease]


def document_names(documents: int = DOCUMENTS) -> list[str]:
    return [str(i // SENTENCES) for i in range(documents * SENTENCES)]


def labelled(seed: int, items: int, systems: int = 2, documents: int | None = None) -> Evaluation:
    """Return three labels and systems that are right with 50 to 80 %."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(["A", "B", "C"], items)
    outputs: dict[str, list[str]] = {}
    for i in range(systems):
        other = rng.choice(["A", "B", "C"], items)
        outputs[f"s{i}"] = np.where(rng.random(items) < 0.5 + 0.3 * i / systems, gold, other).tolist()
    clusters = None if documents is None else [str(d) for d in rng.integers(0, documents, items)]
    return Evaluation.from_labels(gold.tolist(), outputs, clusters=clusters)


def value_of(result: ScoreResult, system: str = "s0", metric: str | None = None) -> Value:
    return result.systems[system].metrics[metric or result.metrics[0]]


# ------------------------------------------------------------------ coverage and calibration


def test_intervals_cover_the_true_value_because_whole_documents_are_drawn() -> None:
    rng = np.random.default_rng(11)
    covered = {"doc": 0, "item": 0}
    for seed in range(SIMULATED):
        scores = clustered(rng)
        for cluster in covered:
            evaluation = Evaluation.from_scores({"s0": scores}, clusters=document_names(), cluster=cluster)
            ci = value_of(score(evaluation, resamples=200, seed=seed)).ci
            assert ci is not None
            covered[cluster] += ci[0] <= 0.5 <= ci[1]
    # 95 %, give or take 3 standard errors of the simulation
    assert 0.91 <= covered["doc"] / SIMULATED <= 0.99
    assert covered["item"] / SIMULATED <= 0.75


@few_draws(400)
def test_the_paired_test_is_calibrated_because_whole_documents_are_exchanged() -> None:
    rng = np.random.default_rng(12)
    found: dict[str, list[float]] = {"doc": [], "item": []}
    for seed in range(SIMULATED):
        systems = {"a": clustered(rng), "b": clustered(rng)}
        for cluster, ps in found.items():
            evaluation = Evaluation.from_scores(systems, clusters=document_names(), cluster=cluster)
            p = score(evaluation, resamples=1, seed=seed).pairs[0].p
            assert p is not None
            ps.append(p)
    by_document, by_item = (np.array(found[cluster]) for cluster in ("doc", "item"))
    for level in (0.05, 0.2, 0.5):
        spread = 3.3 * np.sqrt(level * (1 - level) / SIMULATED)
        assert abs((by_document <= level).mean() - level) <= spread + 0.01, level
    assert (by_item <= 0.05).mean() >= 0.15


def test_a_real_difference_is_found() -> None:
    rng = np.random.default_rng(13)
    scores = clustered(rng)
    better = [max(x, float(rng.random() < 0.3)) for x in scores]
    pair = score(Evaluation.from_scores({"a": better, "b": scores}, clusters=document_names())).pairs[0]
    assert pair.p is not None
    assert pair.ci is not None
    assert pair.p < 0.01
    assert pair.ci[0] > 0


# ------------------------------------------------------------------ references


METRICS = ("accuracy", "macro-f1", "kappa")
LIMITS = {"accuracy": (0.0, 1.0), "macro-f1": (0.0, 1.0), "kappa": (-1.0, 1.0)}
DRAWN: dict[str, Any] = {"draws": 80, "seed": 5, "confidence": 0.9}


def difference(metric: Metric, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the difference of two systems whose statistics stand one after the other."""
    a, b = np.split(sums, 2)
    return np.asarray(metric.value(a) - metric.value(b))


@pytest.mark.parametrize("documents", [None, 9])
@few_draws(200)
def test_p_and_interval_as_a_slow_reference_with_the_same_draws(documents: int | None) -> None:
    evaluation = labelled(3, 24, documents=documents)
    result = score(evaluation, metrics=METRICS, resamples=80, confidence=0.9, seed=5)
    assert "Wilson" in result.inference.interval
    assert "(macro-f1, kappa: percentiles)" in result.inference.interval
    assert "widened" in result.inference.difference_interval
    cells = count_cells(evaluation, evaluation.systems)
    cells = cells[canonical_order(cells)]
    for name in METRICS:
        metric = find_metric(name, Task.LABELS)
        pair = next(p for p in result.pairs if p.metric == name)
        assert pair.p == pytest.approx(randomisation_p(cells, metric.value, draws=200, seed=5), abs=1e-12)
        for i, system in enumerate(evaluation.systems):
            if name == "accuracy":
                expected = corpus_interval(cells[:, i], metric.value, **DRAWN)
            else:
                expected = widened_interval(cells[:, i], metric.value, LIMITS[name], **DRAWN)
            assert value_of(result, system, name).ci == pytest.approx(expected, abs=1e-9)
        both, width = cells.reshape(len(cells), -1), LIMITS[name][1] - LIMITS[name][0]
        expected = widened_interval(both, partial(difference, metric), (-width, width), **DRAWN)
        assert pair.ci == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_p_is_near_that_of_all_ways_of_swapping(seed: int) -> None:
    evaluation = labelled(20 + seed, 24, documents=7)
    result = score(evaluation, metrics=METRICS, resamples=10, seed=seed)
    cells = count_cells(evaluation, evaluation.systems)
    for pair in result.pairs:
        exact = exact_p(cells, find_metric(pair.metric, Task.LABELS).value)
        assert result.inference.draws == 10_000
        assert pair.p == pytest.approx(exact, abs=4.5 * np.sqrt(exact * (1 - exact) / 10_000) + 2e-4)


@few_draws(999)
def test_q_is_holm_over_the_pairs_of_each_metric() -> None:
    result = score(labelled(4, 80, systems=4), metrics=METRICS, resamples=10)
    for metric in METRICS:
        pairs = [pair for pair in result.pairs if pair.metric == metric]
        assert [(pair.a, pair.b) for pair in pairs] == list(combinations(["s0", "s1", "s2", "s3"], 2))
        assert [pair.q for pair in pairs] == pytest.approx(holm([pair.p or 0.0 for pair in pairs]))
        assert any(pair.q != pair.p for pair in pairs)


@pytest.mark.parametrize(("systems", "draws"), [(2, 10_000), (12, 13_200)])
def test_there_are_enough_draws_for_the_pairs(systems: int, draws: int) -> None:
    result = score(labelled(6, 6, systems=systems), metrics=["accuracy"], resamples=5)
    assert result.inference.draws == draws
    assert f"{draws:,} draws" in result.inference.test


def test_groups_are_neighbours_that_cannot_be_told_apart() -> None:
    rng = np.random.default_rng(8)
    right = {"low": 0.3, "low2": 0.32, "high": 0.9, "middle": 0.6}
    systems = {name: (rng.random(400) < share).astype(float).tolist() for name, share in right.items()}
    result = score(Evaluation.from_scores(systems), resamples=20)
    low = tuple(sorted(("low", "low2"), key=lambda name: -np.mean(systems[name])))
    assert result.groups == (("high",), ("middle",), low)
    different = {frozenset((p.a, p.b)) for p in result.pairs if p.q is not None and p.q < 0.05}
    for group in result.groups:
        assert not any(frozenset(pair) in different for pair in combinations(group, 2))


# ------------------------------------------------------------------ seeds, sizes and what is undefined


def everything(value: Any, key: str) -> list[Any]:
    """Return all values under a key, at any depth."""
    if isinstance(value, dict):
        own = [value[key]] if key in value else []
        return own + [x for inner in value.values() for x in everything(inner, key)]
    return [x for inner in value for x in everything(inner, key)] if isinstance(value, list) else []


def test_same_seed_same_bytes() -> None:
    one, two = (score(labelled(9, 40), resamples=100, seed=7).to_json() for _ in range(2))
    assert one == two


def test_another_seed_gives_other_intervals_and_the_same_values() -> None:
    evaluation = labelled(9, 40)
    one, two = (score(evaluation, resamples=100, seed=seed) for seed in (0, 1))
    for system, scores in one.systems.items():
        for metric, value in scores.metrics.items():
            assert value.value == two.systems[system].metrics[metric].value
            assert value.ci != two.systems[system].metrics[metric].ci
    assert [pair.difference for pair in one.pairs] == [pair.difference for pair in two.pairs]
    assert [pair.p for pair in one.pairs] != [pair.p for pair in two.pairs]
    assert one.signature != two.signature


def test_without_resamples_there_are_values_alone() -> None:
    evaluation = labelled(9, 40)
    result, full = score(evaluation, resamples=0), score(evaluation, resamples=10)
    body = result.to_dict()["result"]
    assert len(body["pairs"]) == 5
    assert {pair.get(key) for pair in body["pairs"] for key in ("ci", "p", "q")} == {None}
    assert not any(everything(body["systems"], "ci"))
    assert result.groups == ()
    assert result.inference.interval == result.inference.test == ""
    assert [pair.difference for pair in result.pairs] == [pair.difference for pair in full.pairs]
    assert "interval" not in str(result)


def test_one_cluster_cannot_be_resampled() -> None:
    evaluation = Evaluation.from_labels(["A", "B", "A"], {"x": ["A", "B", "A"], "y": ["B"] * 3}, clusters=["d"] * 3)
    result = score(evaluation)
    body = result.to_dict()["result"]
    assert not any(everything(body["systems"], "ci"))
    assert {pair[key] for pair in body["pairs"] for key in ("ci", "p", "q")} == {None}
    assert any("1 document" in warning for warning in result.data["warnings"])


def test_what_was_not_done_is_not_claimed() -> None:
    """With one cluster there is no interval and no test, so none is named and nothing is significant."""
    shown = str(score(Evaluation.from_labels(["A"] * 3, {"x": ["A"] * 3, "y": ["B"] * 3}, clusters=["d"] * 3)))
    assert "percentiles" not in shown
    assert "Wilson" not in shown
    assert "Holm" not in shown
    assert "significant" not in shown


@pytest.mark.parametrize(("items", "warned"), [(29, True), (30, False)])
def test_fewer_than_thirty_clusters_are_said(items: int, warned: bool) -> None:
    warnings = score(labelled(1, items), resamples=5).data["warnings"]
    assert any("30" in warning for warning in warnings) == warned


@pytest.mark.parametrize("named", [False, True])
def test_more_than_ten_thousand_clusters_are_grouped(named: bool) -> None:
    n = 10_001
    scores = np.random.default_rng(1).random(n)
    names = [f"document {i}" for i in range(n)] if named else None
    evaluation = Evaluation.from_scores({"s0": scores.tolist()}, clusters=names)
    clusters = evaluation.aligned.clusters
    assert clusters.count == n
    assert 5_000 < clusters.groups <= 10_000
    result = score(evaluation, resamples=100)
    assert result.data["clusters"] == n
    assert "10,001" in result.inference.interval
    assert f"{clusters.groups:,} groups" in result.inference.interval
    ci = value_of(result).ci
    assert ci is not None
    assert (ci[1] - ci[0]) / 2 == pytest.approx(1.96 * scores.std() / np.sqrt(n), rel=0.25)


def test_up_to_ten_thousand_clusters_stay_as_they_are() -> None:
    evaluation = Evaluation.from_scores({"s0": [0.0, 1.0] * 5_000})
    assert evaluation.aligned.clusters.groups == 10_000
    assert "groups" not in score(evaluation, resamples=2).inference.interval


@with_examples(15)
@given(st.integers(2, 8), st.integers(0, 1000))
def test_undefined_draws_are_left_out_and_counted(items: int, seed: int) -> None:
    """Only the first item has a unit: F1 is undefined wherever it is not drawn, and the same elsewhere."""
    gold = [["A"]] + [[] for _ in range(items - 1)]
    evaluation = Evaluation.from_labels(gold, {"s0": [["A", "B"], *gold[1:]]})
    value = value_of(score(evaluation, metrics=["f1"], resamples=400, seed=seed))
    assert value.value == pytest.approx(2 / 3)
    # the draws do not vary: as if (1 + 2)/2 units were independent
    assert value.ci == pytest.approx(wilson(2 / 3, 1.5, student.isf(0.025, items - 1)))
    share = (1 - 1 / items) ** items
    assert abs(value.undefined_draws / 400 - share) <= 4.5 * np.sqrt(share * (1 - share) / 400)


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.99])
def test_more_confidence_makes_wider_intervals(confidence: float) -> None:
    evaluation = labelled(2, 60)
    narrow, wide = (value_of(score(evaluation, resamples=300, confidence=c)).ci for c in (confidence, 0.999))
    assert narrow is not None
    assert wide is not None
    assert wide[0] <= narrow[0] < narrow[1] <= wide[1]
    assert wide[1] - wide[0] > narrow[1] - narrow[0]
