"""Figures of scores: the numbers of the JSON, and charts that are drawn for every task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support import drawn_charts
from support.drawn_charts import HOSTILE, check_figures, ends, named
from support.needs import need_module

from slicewise import Evaluation, score
from slicewise.lenses.score.view import NAMES
from slicewise.results.slices import confusion_slice, error_slice, label_slice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.lenses.score.result import ScoreResult
    from slicewise.render.figures import Figure

need_module("altair", "altair")
need_module("vl_convert", "vl-convert-python")

Span = tuple[int, int, str]
RESAMPLES = 40


def spans(systems: Sequence[str], labels: Sequence[str] = ("LOC", "PER", "ORG")) -> Evaluation:
    """Return twenty-four sentences in which the systems make errors of every kind, each more of them."""
    gold: list[list[Span]] = [[(0, 2, labels[k % len(labels)])] for k in range(24)]
    made: dict[str, list[list[Span]]] = {}
    for j, system in enumerate(systems):
        made[system] = [_wrong(k, labels) if k % 7 < (j % 6) + 1 else list(gold[k]) for k in range(24)]
    return Evaluation.from_spans([["w"] * 4 for _ in gold], gold, made)


def _wrong(k: int, labels: Sequence[str]) -> list[Span]:
    label, other = labels[k % len(labels)], labels[(k + 1) % len(labels)]
    kinds: list[list[Span]] = [[(0, 1, label)], [(0, 2, other)], [(1, 3, other)], [], [(0, 2, label), (3, 4, label)]]
    return kinds[k % 5]


@pytest.fixture(scope="module")
def result() -> ScoreResult:
    return score(spans(["a", "b", "c"]), resamples=RESAMPLES)


@pytest.fixture(scope="module")
def figures(result: ScoreResult) -> list[Figure]:
    return result.figures()


@pytest.fixture(scope="module")
def body(result: ScoreResult) -> dict[str, Any]:
    return drawn_charts.body(result)


def one_of_each(figures: list[Figure]) -> list[Figure]:
    """Return the first figure of each kind."""
    return list({figure.name.partition("-")[0]: figure for figure in reversed(figures)}.values())


def check_prf(row: dict[str, Any], prf: dict[str, Any]) -> None:
    keys = ("n_gold", "n_pred", "precision", "recall")
    assert [row[key] for key in keys] == [prf[key] for key in keys]
    assert [row["value"], row["lo"], row["hi"]] == [prf["f1"], *ends(prf["ci"]["f1"])]


def test_they_are_drawn(figures: list[Figure], capfd: pytest.CaptureFixture[str]) -> None:
    names = [figure.name for figure in figures]
    assert names[:2] == ["scores", "scores-macro-f1"]
    assert {"pairs", "errors", "repairs", "labels", "semeval", "confusions-a"} < set(names)
    check_figures(figures, capfd, rendered=False)
    check_figures(one_of_each(figures), capfd)


def test_scores_are_those_of_the_json(figures: list[Figure], body: dict[str, Any], result: ScoreResult) -> None:
    for metric in body["metrics"]:
        rows = named(figures, "scores" if metric == "f1" else f"scores-{metric}").rows
        assert [row["system"] for row in rows] == result.ranking()
        for row in rows:
            one = body["systems"][row["system"]]["metrics"][metric]
            assert [row["value"], row["lo"], row["hi"]] == [one["value"], *one["ci"]]
    for row in named(figures, "scores").rows:
        micro = body["systems"][row["system"]]["micro"]
        assert (row["precision"], row["recall"]) == (micro["precision"], micro["recall"])


def test_pairs_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    rows = [
        row
        for metric in body["metrics"]
        for row in named(figures, "pairs" if metric == "f1" else f"pairs-{metric}").rows
    ]
    found = [[row[key] for key in ("a", "b", "value", "lo", "hi", "p", "q")] for row in rows]
    expected = [[p["a"], p["b"], p["difference"], *ends(p["ci"]), p["p"], p["q"]] for p in body["pairs"]]
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert all(("faint" in row) == (row["q"] >= 0.05) for row in rows)


def test_errors_and_repairs_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    kinds = {said: kind for kind, said in NAMES.items()}
    seen = 0
    for row in [*named(figures, "errors").rows, *named(figures, "repairs").rows]:
        system, kind = body["systems"][row["system"]], kinds[row["kind"]]
        assert row["n"] == system["errors"][kind]
        assert row["slice"] == error_slice(row["system"], kind)
        if "value" in row:
            gain = system["repairs"][kind]
            assert [row["value"], row["lo"], row["hi"]] == [gain["value"], *gain["ci"]]
            seen += 1
    assert seen == 3 * len(NAMES)


def test_labels_and_ways_are_those_of_the_json(figures: list[Figure], body: dict[str, Any]) -> None:
    for name, part, key in (("labels", "labels", "label"), ("semeval", "semeval", "way")):
        rows = named(figures, name).rows
        assert len(rows) == sum(len(system[part]) for system in body["systems"].values())
        for row in rows:
            check_prf(row, body["systems"][row["system"]][part][row[key]])
            assert row.get("slice") == (label_slice(row["label"]) if key == "label" else None)


def test_confusions_are_those_of_the_json_and_the_right_ones_have_no_colour(
    figures: list[Figure], body: dict[str, Any]
) -> None:
    for system, scores in body["systems"].items():
        rows = named(figures, f"confusions-{system}").rows
        expected = {(c["gold"], c["returned"], c["n"]) for c in scores["confusions"]}
        assert {(row["gold"], row["returned"], row["n"]) for row in rows} == expected
        for row in rows:
            assert row["wrong"] == (None if row["gold"] == row["returned"] else row["n"])
            assert row["slice"] == confusion_slice(system, row["gold"], row["returned"])


def test_the_sentence_names_who_cannot_be_told_apart() -> None:
    said = named(score(spans(["a", "b"]), resamples=RESAMPLES).figures(), "pairs").caption
    assert "Not told apart (q ≥ 0.05): a, b." in said


def test_hostile_names_are_drawn(capfd: pytest.CaptureFixture[str]) -> None:
    figures = score(spans(HOSTILE[:4], labels=["", *HOSTILE]), metrics="f1", resamples=RESAMPLES).figures()
    assert {row["label"] for row in named(figures, "labels").rows} == {"", *HOSTILE}
    check_figures(one_of_each(figures), capfd)
    keys = {key for figure in figures for row in figure.rows for key in row}
    assert not keys & set(HOSTILE)


@pytest.mark.parametrize(("n", "resamples"), [(1, 10), (8, 10), (30, 0)])
def test_few_and_many_systems_are_drawn(n: int, resamples: int, capfd: pytest.CaptureFixture[str]) -> None:
    figures = score(spans([f"s{k}" for k in range(n)]), metrics="f1", resamples=resamples).figures()
    check_figures(one_of_each(figures), capfd, rendered=False)
    labels = named(figures, "labels")
    assert len(labels.rows) == 3 * n
    assert len([row for row in labels.rows if "hidden" not in row]) == 3 * min(n, 12)
    assert ("18 more are in the table" in labels.note) == (n == 30)


def test_without_intervals_there_is_no_word_of_them(capfd: pytest.CaptureFixture[str]) -> None:
    figures = score(spans(["a", "b"]), resamples=0).figures()
    check_figures(one_of_each(figures), capfd, rendered=False)
    assert all("interval" not in (figure.caption + figure.note).lower() for figure in figures)
    assert all(row["lo"] is None for row in named(figures, "scores").rows)


def test_restarts_are_those_of_the_json(capfd: pytest.CaptureFixture[str]) -> None:
    gold = [["B-X", "O"], ["O", "B-Y"], ["B-X", "I-X"]]
    runs = [gold, [["O", "O"], *gold[1:]]]
    found = score(Evaluation.from_tags(None, gold, {"one": runs[1], "two": runs}), resamples=RESAMPLES)
    check_figures([named(found.figures(), "restarts")], capfd)
    for metric in found.metrics:
        (row,) = named(found.figures(), "restarts" if metric == found.metrics[0] else f"restarts-{metric}").rows
        spread = found.to_dict()["result"]["restarts"]["two"][metric]
        keys = {"n": "n", "value": "mean", "std": "std", "lo": "min", "hi": "max"}
        assert {key: row[key] for key in keys} == {key: spread[name] for key, name in keys.items()}


def test_every_task_is_drawn(capfd: pytest.CaptureFixture[str]) -> None:
    labels = Evaluation.from_labels(list("abcabcab"), {"x": list("abcabcaa"), "y": list("bbcabccc")})
    several = Evaluation.from_labels([["a"], ["a", "b"], []] * 4, {"x": [["a"], ["b"], ["a"]] * 4})
    texts = Evaluation.from_texts(["one two", "three"] * 4, {"x": ["one two", "four"] * 4, "y": ["one", "three"] * 4})
    scores = Evaluation.from_scores({"x": [0.0, 1.0, 1.0, 0.0], "y": [1.0, 1.0, 1.0, 0.0]})
    drawn = [score(one, resamples=RESAMPLES).figures() for one in (labels, several, scores)]
    drawn.append(score(texts, metrics=["wer", "bleu"], resamples=RESAMPLES).figures())
    for figures in drawn:
        check_figures(one_of_each(figures), capfd, rendered=False)
    assert [figure.name for figure in drawn[-1]] == ["scores", "scores-bleu", "pairs", "pairs-bleu"]
    assert "lower is better" in drawn[-1][0].caption


def test_what_is_undefined_is_drawn_as_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    nothing: list[list[Span]] = [[], []]
    figures = score(Evaluation.from_spans([["w"], ["w"]], nothing, {"a": nothing, "b": nothing})).figures()
    check_figures(one_of_each(figures), capfd)
    assert [row["value"] for row in named(figures, "scores").rows] == [None, None]
    assert named(figures, "scores").spec() is None
