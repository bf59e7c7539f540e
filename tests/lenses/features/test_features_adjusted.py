"""What features are adjusted for, and what is said where that cannot be done."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from slicewise import Evaluation, UserError, features
from slicewise.lenses.ranking.result import Feature


def scored(texts: list[str] | None, scores: list[float], documents: list[str] | None = None) -> Evaluation:
    return Evaluation.from_scores({"m": scores}, inputs=texts, clusters=documents)


def rows(evaluation: Evaluation, **options: Any) -> dict[str, Feature]:
    (found,) = features(evaluation, top=0, fold=False, resamples=0, **options).lists
    return {feature.feature: feature for feature in found.features}


def hard_document(seed: int) -> Evaluation:
    """One document is hard and a hundred times as long as the others; half of its items have a word."""
    rng = np.random.default_rng(seed)
    document = np.concatenate([np.zeros(1000, np.int64), np.repeat(np.arange(1, 31), 10)])
    scores = (rng.random(1300) < np.where(document == 0, 0.3, 0.7)).astype(float)
    texts = ["word a" if d == 0 and rng.random() < 0.5 else "a" for d in document]
    return scored(texts, scores.tolist(), [f"d{d}" for d in document])


@pytest.mark.parametrize("seed", range(6))
def test_a_word_of_one_hard_document_is_not_found(seed: int) -> None:
    row = rows(hard_document(seed), adjust=[])["in:word"]
    assert row.method == "hypergeometric, by cluster"
    assert row.p > 0.02


def test_lengths_have_the_p_that_they_have_where_nothing_is_adjusted_for() -> None:
    rng = np.random.default_rng(0)
    document = np.repeat(np.arange(40), 10)
    lengths, hard = rng.integers(2, 12, 40), rng.random(40)
    scores = (rng.random(400) < 0.4 + 0.4 * hard[document]).astype(float).tolist()
    texts = [" ".join(rng.choice(["a", "b", "c"], size=lengths[d])) for d in document]
    evaluation = scored(texts, scores, [f"d{d}" for d in document])
    plain = rows(evaluation, numbers=True, adjust=[])["in length large"]
    adjusted = rows(evaluation, numbers=True)
    assert plain.method == "kendall, by cluster"
    assert adjusted["in length large"].p == pytest.approx(plain.p)
    for name, row in rows(evaluation, adjust=[]).items():
        assert adjusted[name].raw_p == pytest.approx(row.p)


def test_one_document_tells_nothing_of_documents() -> None:
    texts = ["a b" if i % 3 else "a" for i in range(60)]
    scores = [float(i % 3 > 0) for i in range(60)]
    result = features(scored(texts, scores, ["d"] * 60), adjust=[])
    assert result.lists[0].clusters is None
    assert any("all items are of one" in text for text in result.data["warnings"])
    assert (
        rows(scored(texts, scores, ["d"] * 60), adjust=[])["in:b"].p == rows(scored(texts, scores), adjust=[])["in:b"].p
    )


def test_what_is_the_same_everywhere_is_said_and_not_adjusted_for() -> None:
    evaluation = scored(["a b", "c d"] * 20, [float(i % 5 > 0) for i in range(40)])
    result = features(evaluation, adjust=["length"])
    assert result.lists[0].adjusted_for == ()
    assert any("nothing is adjusted for 'length'" in text for text in result.data["warnings"])
    assert not any("nothing is adjusted" in text for text in features(evaluation).data["warnings"])  # not asked for


def test_length_needs_text() -> None:
    evaluation = Evaluation.from_labels(["a", "b"] * 10, {"m": ["a"] * 20})
    with pytest.raises(UserError, match="no text whose length"):
        features(evaluation, adjust=["length"])


def test_intervals_of_right_and_wrong_stay_within_what_differences_can_be() -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(list("abcdefgh"), size=3)) for _ in range(60)]
    evaluation = scored(texts, (rng.random(60) < 0.5).astype(float).tolist(), [f"d{i // 30}" for i in range(60)])
    (found,) = features(evaluation, top=0).lists
    bounds = [feature.ci for feature in found.features if feature.ci is not None]
    assert bounds
    assert all(-1 <= lo <= hi <= 1 for lo, hi in bounds)
    assert found.interval is not None
    assert "widened" in found.interval


def test_units_of_labels_are_one_per_item() -> None:
    labels = ["x", "y", "y"] * 20
    evaluation = Evaluation.from_labels(labels, {"m": ["x", "y", "x"] * 20}, texts=["a b", "c", "d e f"] * 20)
    assert all(of.clusters is None for of in features(evaluation, units=True, attributes=["label"]).lists)


def test_the_json_has_adjusted_and_raw() -> None:
    result = features(hard_document(0), resamples=0)
    (written,) = json.loads(result.to_json())["result"]["lists"]
    assert {"p", "raw_p", "difference", "raw_difference"} <= set(written["features"][0])
