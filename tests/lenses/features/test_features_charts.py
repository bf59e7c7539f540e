"""Figures of features: the numbers of the JSON, whatever the names, and charts that are drawn."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from support.drawn_charts import HOSTILE, check_figures, named, rows_of
from support.needs import need_module

import slicewise
from slicewise import Evaluation
from slicewise.results.slices import feature_slice

if TYPE_CHECKING:
    from pathlib import Path

    from slicewise.lenses.features.result import FeaturesResult
    from slicewise.render.figures import Figure

need_module("altair", "altair")
need_module("vl_convert", "vl-convert-python")


@pytest.fixture(scope="module")
def chat(examples: Path) -> Evaluation:
    names = ("gazetteer", "crf.1", "hmm")
    systems = {name.removesuffix(".1"): examples / "chat" / "systems" / f"{name}.conll" for name in names}
    return slicewise.load(gold=examples / "chat" / "test.conll", systems=dict(systems))


def lists(result: FeaturesResult) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result.to_dict()["result"]["lists"]
    return found


def check_numbers(figures: list[Figure], name: str, ranked: dict[str, Any]) -> None:
    """Check the rows of a ranking, and of its effects, against the JSON."""
    keys = (
        "feature",
        "n",
        "metric",
        "rest_metric",
        "difference",
        "expected_improvement",
        "raw_expected_improvement",
        "auc",
        "tau",
        "q",
    )
    columns = ("feature", "n", "metric", "rest", "difference", "gain", "raw_gain", "auc", "tau", "q")
    rows = rows_of(figures, f"features-{name}", *columns)
    assert rows == [tuple(one[key] for key in keys) for one in ranked["features"]]
    ends = [tuple(one["ci"] or (None, None)) for one in ranked["features"]]
    assert rows_of(figures, f"features-{name}", "lo", "hi") == ends
    assert rows_of(figures, f"feature-effects-{name}", "lo", "hi") == ends
    some = ("feature", "n", "difference", "q")
    assert rows_of(figures, f"feature-effects-{name}", *some) == [
        tuple(one[k] for k in some) for one in ranked["features"]
    ]
    folded = ["; ".join(one["folded"]) for one in ranked["features"]]
    assert [row["folded"] for row in named(figures, f"features-{name}").rows] == folded


def test_every_list_has_its_numbers(chat: Evaluation, capfd: pytest.CaptureFixture[str]) -> None:
    result = slicewise.features(chat, units=True, resamples=50, only=["crf"], top=25)
    figures = result.figures()
    check_figures(figures, capfd)
    for ranked in lists(result):
        check_numbers(figures, f"{ranked['over']}-crf", ranked)
        (first, *_) = named(figures, f"features-{ranked['over']}-crf").rows
        assert first["slice"] == feature_slice(ranked["over"], "crf", first["feature"])
    assert named(figures, "features-gold-crf").table_first
    assert any(first["lo"] is not None for first in named(figures, "features-gold-crf").rows)


def test_what_is_not_drawn_is_in_the_table_and_is_counted(chat: Evaluation) -> None:
    figures = slicewise.features(chat, units=True, resamples=0, only=["crf"], top=25).figures()
    ranking = named(figures, "features-gold-crf")
    assert [row.get("hidden", False) for row in ranking.rows] == [False] * 20 + [True] * 5
    assert "5 more are in the table" in ranking.note


def test_a_step_between_systems(chat: Evaluation, capfd: pytest.CaptureFixture[str]) -> None:
    result = slicewise.features(chat, direction="worsening", change=("hmm", "crf"), resamples=0)
    figures = result.figures()
    check_figures(figures, capfd)
    (ranked,) = lists(result)
    check_numbers(figures, "items-hmm→crf".replace("→", "_"), ranked)
    assert figures[0].rows[0]["slice"] == feature_slice("items", "hmm→crf", ranked["features"][0]["feature"])
    assert "from hmm to crf" in figures[0].title


def test_confusions_are_listed(examples: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = examples / "sentiment"
    data = slicewise.load(task="labels", gold=f"{folder}/test.tsv:2", systems={"l": folder / "systems" / "lexicon.txt"})
    result = slicewise.features(data, resamples=0)
    figures = result.figures()
    check_figures(figures, capfd)
    expected = [(one["feature"], one["n"], one["expected_improvement"]) for one in lists(result)[0]["confusions"]]
    assert rows_of(figures, "feature-confusions-items-l", "feature", "n", "gain") == expected != []


def hostile() -> Evaluation:
    """Return data whose words, labels and systems are all hostile."""
    chance = random.Random(0)
    items = [[chance.choice(HOSTILE) for _ in range(4)] for _ in range(60)]
    gold = [[(i, i + 1, chance.choice(HOSTILE)) for i in range(4) if chance.random() < 0.6] for _ in items]
    systems = {name: [[span for span in own if chance.random() < 0.5] for own in gold] for name in HOSTILE[:4]}
    return Evaluation.from_spans(items, gold, systems)


def test_hostile_names_are_values_only(capfd: pytest.CaptureFixture[str]) -> None:
    result = slicewise.features(hostile(), units=True, resamples=0, only=[HOSTILE[0], HOSTILE[2]])
    figures = result.figures()
    assert len(figures) == 2 * sum(bool(ranked["features"]) for ranked in lists(result)) > 2
    check_figures(figures, capfd)


def test_a_list_without_features_has_no_figure() -> None:
    tiny = Evaluation.from_spans([["a"], ["b"]], [[(0, 1, "X")], []], {"s": [[], []]})
    assert slicewise.features(tiny, resamples=0).figures() == []


def test_the_chart_is_the_first_ranking(chat: Evaluation) -> None:
    result = slicewise.features(chat, resamples=0, only=["crf"])
    spec = result.chart().to_dict()
    assert [row["feature"] for row in spec["datasets"]["rows"]] == [f.feature for f in result.lists[0].features]
