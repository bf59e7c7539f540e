"""Features and items of public data: what stands out there does so here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import slicewise

if TYPE_CHECKING:
    from pathlib import Path


def test_sentiment(shared_data: Path) -> None:
    folder = shared_data / "sst2"
    ev = slicewise.load(
        gold=f"{folder / 'sst2-dataset.tsv'}:2",
        inputs=f"{folder / 'sst2-dataset.tsv'}:1",
        systems={name: folder / f"sst2-{name}-output.txt" for name in ("lstm", "cnn")},
        task="labels",
    )
    lstm, cnn = slicewise.features(ev, pairs=True, shapes=True, adjust=[]).lists
    assert lstm.value == pytest.approx(0.8803, abs=5e-5)
    negation = lstm.features[0]
    assert negation.feature == "exp:positive~~in:SHAPE:a.a"  # n't in a positive text
    assert negation.q is not None
    assert negation.q < 0.05
    assert negation.metric is not None
    assert negation.metric < 0.6
    assert {one.feature for one in cnn.confusions} == {"exp positive ~ out negative", "exp negative ~ out positive"}
    (worse,) = slicewise.features(ev, direction="worsening", change=("lstm", "cnn")).lists
    assert (worse.system, worse.against, worse.metric) == ("cnn", "lstm", "accuracy")
    shown = list(slicewise.items(ev, order="worst", feature=negation.feature, top=5).items)
    assert all(item.expected == "positive" and item.outputs["lstm"] == "negative" for item in shown)


@pytest.mark.parametrize("metric", ["bleu", "gleu"])
def test_translation(shared_data: Path, metric: str) -> None:
    folder = shared_data / "ted-slk-eng"
    ev = slicewise.load(
        gold=f"{folder / 'ted_multi_slk_eng-dataset.tsv'}:2",
        inputs=f"{folder / 'ted_multi_slk_eng-dataset.tsv'}:1",
        systems={"nmt": folder / "ted_multi_slk_eng-nmt-output.txt"},
        task="text",
    )
    (worst,) = slicewise.features(ev, metrics=metric, numbers=True).lists
    assert worst.tested > 2000
    assert all(f.mean < (f.rest_mean or 0) for f in worst.features if f.kind == "token")


def test_questions(shared_data: Path) -> None:
    log = shared_data / "gsm8k" / "example_model_solutions.jsonl"
    models = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
    ev = slicewise.load(
        inputs=f"{log}:question", systems={name: f"{log}:{name}.is_correct" for name in models}, task="scores"
    )
    lists = slicewise.features(ev, numbers=True).lists
    assert [one.system for one in lists] == list(models)
    for one in lists:
        assert "in length large" in {f.feature for f in one.features[:3]}  # long questions are hard for all of them
    raw = slicewise.features(ev, only=models[-1], resamples=0, adjust=[]).lists[0]
    (adjusted,) = slicewise.features(ev, only=models[-1], resamples=0).lists
    assert raw.features[0].feature == "in:,"  # long questions have commas
    assert raw.significant > 10
    assert adjusted.significant == 0
    assert {"in:month", "in:years", "in:twice"} <= {f.feature for f in adjusted.features[:5]}
