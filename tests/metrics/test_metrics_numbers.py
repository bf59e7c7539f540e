"""Metrics of numbers, probabilities, rankings and classes against scikit-learn, SciPy and slow, obvious references."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import (
    brier_score_loss,
    f1_score,
    fbeta_score,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    ndcg_score,
    normalized_mutual_info_score,
)

from slicewise import Evaluation, UserError, score
from slicewise.annotations import Task
from slicewise.engine.cells import item_statistics
from slicewise.metrics import find_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def value(metric: str, gold: Sequence[Any], outputs: Sequence[Any], **options: Any) -> float | None:
    evaluation = Evaluation.from_texts(gold, {"s": outputs}, **options)
    return score(evaluation, metrics=metric, resamples=0).systems["s"].metrics[metric].value


def item_scores(metric: str, gold: Sequence[Any], outputs: Sequence[Any]) -> list[float]:
    evaluation = Evaluation.from_texts(gold, {"s": outputs})
    found = find_metric(metric, Task.TEXT)
    assert found.item_score
    return list(found.item_values(np.column_stack(list(item_statistics(evaluation, found, ["s"]).values()))))


def written(numbers: Array) -> list[str]:
    return [repr(float(number)) for number in numbers]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


# ------------------------------------------------------------------ numbers


@pytest.mark.parametrize(("offset", "size"), [(0.0, 1.0), (1e6, 1.0), (-3e4, 1e-3), (0.0, 1e90), (0.0, 1e-90)])
def test_errors_and_correlations_of_numbers(rng: np.random.Generator, offset: float, size: float) -> None:
    gold = offset + size * rng.normal(size=200)
    outputs = gold + 0.7 * size * rng.normal(size=200)
    e, o = written(gold), written(outputs)
    assert value("mse", e, o) == pytest.approx(mean_squared_error(gold, outputs), rel=1e-12)
    assert value("rmse", e, o) == pytest.approx(math.sqrt(mean_squared_error(gold, outputs)), rel=1e-12)
    assert value("mae", e, o) == pytest.approx(mean_absolute_error(gold, outputs), rel=1e-12)
    smape = 100 * np.mean(np.abs(gold - outputs) / (np.abs(gold) + np.abs(outputs)))
    assert value("smape", e, o) == pytest.approx(smape, rel=1e-12)
    if size > 1e-10:  # the squares of smaller numbers underflow in SciPy
        assert value("pearson", e, o) == pytest.approx(pearsonr(gold / size, outputs / size)[0], rel=1e-9)
    assert value("spearman", e, o) == pytest.approx(spearmanr(gold, outputs)[0], rel=1e-12)


def test_numbers_of_a_few_items() -> None:
    assert item_scores("mse", ["1", "2", "0"], ["3", "2.5", "0"]) == [4.0, 0.25, 0.0]
    assert item_scores("rmse", ["1", "2", "0"], ["3", "2.5", "0"]) == [2.0, 0.5, 0.0]
    assert item_scores("mae", ["1", "2", "0"], ["3", "2.5", "0"]) == [2.0, 0.5, 0.0]
    assert item_scores("smape", ["1", "0", "0", "-1"], ["3", "0", "5", "1"]) == [50.0, 0.0, 100.0, 100.0]
    assert not find_metric("pearson", Task.TEXT).item_score
    assert not find_metric("spearman", Task.TEXT).item_score


def test_a_correlation_with_a_constant_is_undefined() -> None:
    for constant in ("0.1", "3", "1e-20", "123456.7"):
        for metric in ("pearson", "spearman"):
            assert value(metric, ["1", "2", "3.3"], [constant] * 3) is None
            assert value(metric, [constant] * 3, ["1", "2", "3.3"]) is None
            assert value(metric, ["1"], [constant]) is None


def test_ties_have_the_mean_of_their_ranks(rng: np.random.Generator) -> None:
    gold, outputs = rng.integers(0, 4, 60), rng.integers(0, 5, 60)
    expected = spearmanr(gold, outputs)[0]
    assert value("spearman", [str(g) for g in gold], [str(o) for o in outputs]) == pytest.approx(expected, abs=1e-14)


def test_items_that_count_several_times(rng: np.random.Generator) -> None:
    pooled = find_metric("spearman", Task.TEXT).pooled
    assert pooled is not None
    rows = np.column_stack([rng.integers(0, 9, 40), rng.normal(size=40)]).astype(np.float64)
    weights = rng.integers(0, 4, (40, 7))
    for found, times in zip(pooled(rows, weights.astype(np.float64)), weights.T, strict=True):
        repeated = np.repeat(rows, times, axis=0)
        assert found == pytest.approx(spearmanr(repeated[:, 0], repeated[:, 1])[0], abs=1e-13)


# ------------------------------------------------------------------ probabilities


def test_losses_of_probabilities(rng: np.random.Generator) -> None:
    gold, p = rng.integers(0, 2, 300), rng.random(300)
    e, o = [str(g) for g in gold], written(p)
    assert value("log-loss", e, o) == pytest.approx(log_loss(gold, p), rel=1e-12)
    assert value("likelihood", e, o) == pytest.approx(math.exp(-log_loss(gold, p)), rel=1e-12)
    assert value("brier", e, o) == pytest.approx(brier_score_loss(gold, p), rel=1e-12)
    assert value("ece", e, o) == pytest.approx(slow_ece(gold, p), rel=1e-12)
    assert item_scores("likelihood", ["1", "0"], ["0.25", "0.25"]) == pytest.approx([0.25, 0.75])


def slow_ece(gold: NDArray[Any], p: Array) -> float:
    total = 0.0
    for k in range(10):
        inside = [(y, q) for y, q in zip(gold, p, strict=True) if k / 10 < q <= (k + 1) / 10 or (k == 0 and q == 0)]
        if inside:
            ones, mean = (sum(x) / len(inside) for x in zip(*inside, strict=True))
            total += len(inside) / len(p) * abs(ones - mean)
    return total


def test_a_bin_includes_its_end() -> None:
    tenths = [k / 10 for k in range(11)]
    gold = np.array([k % 2 for k in range(11)])
    found = value("ece", [str(g) for g in gold], [str(p) for p in tenths])
    assert found == pytest.approx(slow_ece(gold, np.array(tenths)), abs=1e-15)


def test_what_is_true_has_at_least_some_probability() -> None:
    assert value("log-loss", ["1"], ["0"]) == pytest.approx(-math.log(1e-15))
    assert value("log-loss", ["0"], ["1"]) == pytest.approx(-math.log(1e-15))
    assert value("log-loss", ["0", "1"], ["0", "1"]) == 0.0
    assert value("likelihood", ["1", "1"], ["0", "1"]) == pytest.approx(math.sqrt(1e-15))
    assert value("brier", [True, False], ["1", "1.0"]) == 0.5


def test_perplexity() -> None:
    assert value("perplexity", ["a b", "c"], ["-1 -2", "-0.5"]) == pytest.approx(math.exp(3.5 / 3))
    assert value("perplexity", ["a b", "c d e"], ["-3", "-0.5"]) == pytest.approx(math.exp(3.5 / 5))
    assert value("perplexity", ["x", ""], ["-1 -2 -3", ""]) == pytest.approx(math.exp(2))
    assert value("perplexity", [""], [""]) is None
    assert item_scores("perplexity", ["a b", ""], ["-1 -2", "-4"]) == pytest.approx([math.exp(1.5), math.exp(4)])


# ------------------------------------------------------------------ rankings

IDS = [f"d{i}" for i in range(15)]


@pytest.mark.parametrize("depth", [1, 3, 10, 20])
def test_gain_of_rankings(rng: np.random.Generator, depth: int) -> None:
    for _ in range(30):
        ranking = [str(i) for i in rng.permutation(IDS)]
        relevant = [str(i) for i in rng.choice(IDS, size=int(rng.integers(1, 8)), replace=False)]
        truth = np.array([[1.0 if i in relevant else 0.0 for i in ranking]])
        expected = ndcg_score(truth, -np.arange(len(ranking))[None], k=depth)
        assert value(f"ndcg@{depth}", [relevant], [ranking]) == pytest.approx(expected, rel=1e-12)


def test_precision_and_rank(rng: np.random.Generator) -> None:
    gold = [[str(i) for i in rng.choice(IDS, size=int(rng.integers(0, 6)), replace=False)] for _ in range(50)]
    rankings = [[str(i) for i in rng.permutation(IDS)[: int(rng.integers(0, 15))]] for _ in range(50)]
    rated = [(g, r) for g, r in zip(gold, rankings, strict=True) if g]
    assert len(rated) < 50
    precisions, ranks = [], []
    for relevant, ranking in rated:
        hits = [len(set(ranking[: k + 1]) & set(relevant)) / (k + 1) for k, i in enumerate(ranking) if i in relevant]
        precisions.append(sum(hits) / len(relevant))
        ranks.append(max([1 / (k + 1) for k, i in enumerate(ranking) if i in relevant], default=0.0))
    assert value("map", gold, rankings) == pytest.approx(sum(precisions) / len(rated), rel=1e-12)
    assert value("mrr", gold, rankings) == pytest.approx(sum(ranks) / len(rated), rel=1e-12)


def test_rankings_of_a_few_items() -> None:
    assert item_scores("map", [["a", "b"]], [["a", "x", "a", "b"]]) == pytest.approx([(1 + 2 / 3) / 2])
    assert item_scores("mrr", ["a", "b", ""], ["a", "x", "x"]) == pytest.approx([1.0, 0.0, math.nan], nan_ok=True)
    assert value("mrr", ["a", "b", ""], ["a", "x", "x"]) == 0.5
    assert value("mrr", [""], ["a"]) is None
    assert find_metric("NDCG@05", Task.TEXT).name == "ndcg@5"
    with pytest.raises(UserError, match="'ndcg@5' is for text, but the task is labels"):
        find_metric("ndcg@5", Task.LABELS)


# ------------------------------------------------------------------ classes


@pytest.mark.parametrize("task", [Task.LABELS, Task.TEXT])
def test_mutual_information(rng: np.random.Generator, task: Task) -> None:
    for classes in (2, 5, 30):
        gold, found = (["c" + str(i) for i in rng.integers(0, classes, 80)] for _ in range(2))
        expected = normalized_mutual_info_score(gold, found)
        assert value("nmi", gold, found, task=task) == pytest.approx(expected, abs=1e-12)
    other = {name: name[::-1] for name in set(gold)}
    assert value("nmi", gold, [other[name] for name in gold], task=task) == pytest.approx(1)
    assert value("nmi", ["a", "a"], ["b", "b"], task=task) is None
    assert value("nmi", ["a", "b"], ["b", "b"], task=task) == 0


def test_no_answer_is_a_class_of_its_own() -> None:
    evaluation = Evaluation.from_labels(["a", "b", "c", "c"], {"s": ["x", "", "y", None]})
    found = score(evaluation, metrics="nmi", resamples=0).systems["s"].metrics["nmi"].value
    assert found == pytest.approx(normalized_mutual_info_score([0, 1, 2, 2], [0, 1, 2, 1]))


# ------------------------------------------------------------------ several labels


def test_several_labels(rng: np.random.Generator) -> None:
    gold, found = (rng.integers(0, 2, (60, 4)) for _ in range(2))
    names = ["A", "B", "C:x", "D"]
    e, o = ([[n for n, has in zip(names, row, strict=True) if has] for row in rows] for rows in (gold, found))
    texts = [" ".join(row) for row in e], [" ".join(row) for row in o]
    for metric, expected in (
        ("multilabel-f1", f1_score(gold, found, average="micro")),
        ("multilabel-f2", fbeta_score(gold, found, beta=2, average="micro")),
        ("multilabel-f0.5", fbeta_score(gold, found, beta=0.5, average="micro")),
    ):
        assert value(metric, *texts) == pytest.approx(expected, abs=1e-14)
        assert value(f"soft-{metric}", *texts) == pytest.approx(expected, abs=1e-14)
        evaluation = Evaluation.from_labels(e, {"s": o})
        result = score(evaluation, metrics=[metric, metric.removeprefix("multilabel-")], resamples=0).systems["s"]
        assert result.metrics[metric].value == pytest.approx(expected, abs=1e-14)
        assert result.metrics[metric] == result.metrics[metric.removeprefix("multilabel-")]


def test_labels_with_probabilities() -> None:
    gold, outputs = ["A B", "", "C", ""], ["A:0.5 C:0.25", "", "C:0.4 C:0.1", "A:0.9"]
    assert value("multilabel-f1", gold, outputs) == pytest.approx(2 * 1 / (3 + 2))
    assert value("soft-multilabel-f1", gold, outputs) == pytest.approx(2 * 0.9 / (3 + 0.5 + 0.25 + 0.4 + 0.9))
    assert item_scores("multilabel-f1", gold, outputs) == pytest.approx([2 / 3, 1, 0, 0])
    assert item_scores("soft-multilabel-f1", gold, outputs) == pytest.approx([1 / 2.75, 1, 0.8 / 1.4, 0])
    assert value("multilabel-f1", ["a:b x:"], ["a:b x: :0.3"]) == pytest.approx(2 * 2 / 5)


# ------------------------------------------------------------------ what cannot be read

BAD = {
    "word": ("mse", "1", "abc", "output 'abc' is no number; expected a finite number"),
    "gold": ("mae", "x", "1", "reference 'x' is no number"),
    "nan": ("rmse", "1", "nan", "output 'nan' is no number"),
    "infinite": ("pearson", "1", "1e999", "output '1e999' is no number"),
    "large": ("spearman", "1", "1e101", "output '1e101' is too large"),
    "empty": ("smape", "1", "", "output '' is no number"),
    "several": ("mse", ["1", "2"], "1", "reference is 2 texts separated by tabs; expected one number"),
    "probability": ("brier", "1", "1.2", "output '1.2' is no probability; expected a number from 0 to 1"),
    "negative": ("log-loss", "1", "-0.1", "output '-0.1' is no probability"),
    "truth": ("ece", "2", "0.1", "reference '2' is neither 0 nor 1"),
    "log": ("perplexity", "a", "0.5", "'0.5' is no log probability; expected a natural logarithm"),
    "no log": ("perplexity", "a", "a", "'a' is no number; expected log probabilities"),
    "nothing": ("perplexity", "a", "", "the output is empty; expected log probabilities"),
    "soft": ("soft-multilabel-f1", "A", "A:1.5", "'A:1.5' has the probability 1.5; expected LABEL:PROBABILITY"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_said_with_its_item(case: str) -> None:
    metric, gold, output, message = BAD[case]
    fine_gold, fine_output = ("a", "-1") if metric == "perplexity" else ("1", "1")
    with pytest.raises(UserError) as said:
        value(metric, [fine_gold, gold], [fine_output, output])
    assert str(said.value).startswith(f"{metric}: s, item 1 (counted from 0): {message}")
