"""The mean of scores that are 0 or 1 is a share, as accuracy is; that of graded ones is not."""

from __future__ import annotations

import numpy as np
import pytest
from support.parts import never_whole

from slicewise import Evaluation, buckets, score


def both(right: list[int], documents: list[str]) -> tuple[Evaluation, Evaluation]:
    """Return the same outcomes as scores and as labels."""
    lengths = ["a" * (1 + i % 7) for i in range(len(right))]
    scored = Evaluation.from_scores({"m": [float(value) for value in right]}, inputs=lengths, clusters=documents)
    labels = ["y" if value else "n" for value in right]
    return scored, Evaluation.from_labels(["y"] * len(right), {"m": labels}, texts=lengths, clusters=documents)


@pytest.mark.parametrize("share", [0.3, 0.95, 1.0])
def test_scores_of_0_and_1_have_the_intervals_of_accuracy(share: float) -> None:
    rng = np.random.default_rng(0)
    right = (rng.random(60) < share).astype(int).tolist()
    scored, labelled = both(right, [f"d{i // 4}" for i in range(60)])
    given, expected = score(scored), score(labelled, metrics=["accuracy"])
    mean, accuracy = given.systems["m"].metrics["mean"], expected.systems["m"].metrics["accuracy"]
    assert mean.value == accuracy.value
    assert mean.ci == pytest.approx(accuracy.ci, abs=0.03)  # other draws
    assert mean.ci is not None
    assert 0 <= mean.ci[0] < mean.ci[1] <= 1
    assert "Wilson" in given.inference.interval
    of_scores = buckets(scored, metrics=["mean"], attributes=["chars"])
    of_labels = buckets(labelled, metrics=["accuracy"], attributes=["chars"])
    for one, other in zip(of_scores.attributes["chars"].buckets, of_labels.attributes["chars"].buckets, strict=True):
        bounds = of_scores.bounds(one.systems["m"])
        assert bounds == pytest.approx(of_labels.bounds(other.systems["m"]), abs=0.03)
        assert bounds is None or bounds[0] < bounds[1]


def test_graded_scores_have_percentiles() -> None:
    evaluation = Evaluation.from_scores({"a": [0.0, 1.0] * 10, "b": [0.0, 0.5] * 10})
    assert "Wilson" not in score(evaluation).inference.interval


def test_every_part_counts() -> None:
    evaluation = Evaluation.from_scores({"a": [0.0, 1.0] * 10 + [0.25]})
    assert score(never_whole(evaluation, 3)).inference.interval == score(evaluation).inference.interval
