"""What a feature's items would gain: shrunk by what all tests say, since it was picked among many; raw beside it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from support.slow_features import Asked, Data, item_features, item_numbers, item_rows, ranked
from support.slow_mixture import density, slow_mixture

from slicewise import Evaluation, features
from slicewise.annotations import Task
from slicewise.lenses.ranking.sentences import tells
from slicewise.render.blocks import Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.lenses.ranking.result import FeatureList


def slow_parts(found: FeatureList, tested: Sequence[float]) -> list[float]:
    """Return which part of each gain is believed: z of one-sided p, those above a half as good as no evidence."""

    def z_of(p: float) -> float:
        return NormalDist().inv_cdf(p) if p < 0.5 else 0.0

    share, spread = slow_mixture([z_of(p) for p in tested if p < 0.5])
    parts = []
    for feature in found.features:
        z = z_of(feature.p)
        effect, chance = share * density(z, 1 + spread), (1 - share) * density(z, 1)
        parts.append(effect / (effect + chance) * spread / (1 + spread))
    return parts


def assert_gains(found: FeatureList, tested: Sequence[float]) -> None:
    assert found.tested == len(tested)
    for feature, part in zip(found.features, slow_parts(found, tested), strict=True):
        assert feature.raw_expected_improvement is not None
        expected = part * feature.raw_expected_improvement
        assert feature.expected_improvement == pytest.approx(expected, rel=2e-3, abs=1e-6), feature.feature


def drawn(seed: int = 0, items: int = 120) -> Data:
    """Return items with one word that lowers scores, and others that do not."""
    rng = np.random.default_rng(seed)
    words = [
        [f"w{k}" for k in rng.choice(12, 4, replace=False)] + ["bad"] * int(rng.random() < 0.25) for _ in range(items)
    ]
    right = [rng.random() < (0.35 if "bad" in own else 0.85) for own in words]
    texts = tuple((" ".join(own),) for own in words)
    return Data(task=Task.LABELS, fields=texts, gold=("y",) * items, systems={"s": tuple("yn"[not ok] for ok in right)})


@pytest.mark.parametrize("direction", ["worst", "best"])
@pytest.mark.parametrize("more", [{}, {"pairs": True}, {"numbers": True}])
def test_gains_are_shrunk_as_all_tests_say(direction: str, more: dict[str, bool]) -> None:
    own, asked = drawn(), Asked(min_count=5, **more)  # type: ignore[arg-type]
    (found,) = features(own.evaluation(), direction=direction, top=0, fold=False, **asked.options()).lists
    slow = ranked(
        item_rows(own, "s", "accuracy"),
        item_features(own, "s", asked),
        item_numbers(own, "s", asked),
        asked,
        high=direction == "best",
    )
    assert_gains(found, slow.tested)
    if direction == "worst":
        first = next(feature for feature in found.features if feature.feature == "in:bad")
        assert 0 < (first.expected_improvement or 0) < (first.raw_expected_improvement or 0)


def test_units_and_graded_scores() -> None:
    rng = np.random.default_rng(4)
    words = [[f"w{k}" for k in rng.choice(10, 3)] for _ in range(80)]
    gold = [[(i, i + 1, "X") for i in range(3)] for _ in words]
    out = [
        [span for span in spans if rng.random() < (0.3 if own[span[0]] == "w1" else 0.9)]
        for own, spans in zip(words, gold, strict=True)
    ]
    asked: dict[str, Any] = {"top": 0, "fold": False, "resamples": 0}
    found = features(Evaluation.from_spans(words, gold, {"s": out}), units=True, attributes=["label"], **asked).lists[0]
    assert_gains(found, [feature.p for feature in found.features])
    scores = [rng.normal() - ("w1" in own) for own in words]
    texts = [" ".join(own) for own in words]
    (graded,) = features(Evaluation.from_scores({"s": scores}, inputs=texts), **asked).lists
    assert_gains(graded, [feature.p for feature in graded.features])


def test_of_equal_gains_the_surer_is_believed_more() -> None:
    (found,) = features(drawn(1).evaluation(), top=0, fold=False).lists
    parts = [
        f.expected_improvement / f.raw_expected_improvement
        for f in found.features
        if f.raw_expected_improvement and f.expected_improvement is not None
    ]
    assert all(one >= other - 1e-12 for one, other in pairwise(parts))
    assert 0 <= parts[-1] <= parts[0] <= 1


def test_shown_or_not_folded_or_not_the_gain_is_the_same() -> None:
    own = drawn(2).evaluation()
    whole = {f.feature: f.expected_improvement for f in features(own, top=0, fold=False).lists[0].features}
    few = {f.feature: f.expected_improvement for f in features(own, top=3).lists[0].features}
    assert len(few) == 3
    assert few.items() <= whole.items()


def test_the_published_tools_gains_and_confusions_are_as_measured() -> None:
    own = drawn().evaluation()
    (published,) = features(own, geval=True, top=0).lists
    (found,) = features(own, top=0).lists
    for feature in (*published.features, *found.confusions):
        assert feature.expected_improvement == feature.raw_expected_improvement
    assert found.confusions


def test_the_sentence_says_the_gain_that_is_believed() -> None:
    result = features(drawn().evaluation(), top=5, adjust=[])
    gain = next(f.expected_improvement for f in result.lists[0].features if f.feature == "in:bad")
    said = next(block.text for block in result.blocks() if isinstance(block, Sentence) and "in:bad " in block.text)
    assert f"would add {gain:.4f}." in said


def test_what_is_surely_worse_is_told_though_nothing_of_its_gain_is_believed() -> None:
    (found,) = features(drawn().evaluation(), top=1).lists
    assert tells(found, replace(found.features[0], expected_improvement=0.0))
    assert not tells(found, replace(found.features[0], raw_expected_improvement=-0.1))


def simulated(items: int, runs: int) -> tuple[float, float]:
    """Return the gain of the first feature over the true one, raw and shrunk; one word in five has an effect."""
    raw, shrunk, true = 0.0, 0.0, 0.0
    often = 1 / np.arange(1, 401)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        words = rng.choice(400, size=(items, 10), p=often / often.sum())
        has = np.zeros((items, 400), np.bool_)
        has[np.arange(items)[:, None], words] = True
        effect = np.where(rng.random(400) < 0.2, rng.normal(0, 0.4, 400), 0.0)
        chance = 1 / (1 + np.exp(-1.4 - has @ effect))
        scores = (rng.random(items) < chance).astype(float).tolist()
        evaluation = Evaluation.from_scores({"s": scores}, inputs=[" ".join(f"w{k}" for k in own) for own in words])
        first = features(evaluation, top=1, fold=False).lists[0].features[0]
        mask = has[:, int(first.feature.rpartition("w")[2])]
        raw += first.raw_expected_improvement or 0.0
        shrunk += first.expected_improvement or 0.0
        true += float(chance[~mask].mean() - chance.mean())
    return raw / true, shrunk / true


def test_the_gain_of_the_first_feature_is_nearer_to_the_truth() -> None:
    raw, shrunk = simulated(600, 30)
    assert raw > 1.3
    assert 0.6 < shrunk < 1.25
