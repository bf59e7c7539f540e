"""Several outputs of one system: their names, their summary, and who takes part in the tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from slicewise import Evaluation, UserError, load, score

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Write

Tags = list[list[str]]


def made(seed: int, share: float, gold: Tags) -> Tags:
    rng = np.random.default_rng(seed)
    return [[tag if rng.random() < share else "O" for tag in sentence] for sentence in gold]


def corpus(shares: dict[str, list[float]], sentences: int = 60) -> Evaluation:
    gold = [["B-X", "O", "B-Y"]] * sentences
    systems: dict[str, Any] = {}
    for i, (name, several) in enumerate(shares.items()):
        runs = [made(10 * i + j, share, gold) for j, share in enumerate(several)]
        systems[name] = runs if len(runs) > 1 else runs[0]
    return Evaluation.from_tags(None, gold, systems)


def test_runs_are_numbered_and_summarised() -> None:
    result = score(corpus({"one": [0.9], "many": [0.5, 0.7, 0.6]}), resamples=0)
    assert list(result.systems) == ["one", "many#1", "many#2", "many#3"]
    assert list(result.restarts) == ["many"]
    for metric in result.metrics:
        values = np.array([result.systems[f"many#{i}"].metrics[metric].value for i in (1, 2, 3)], dtype=float)
        spread = result.restarts["many"][metric]
        assert spread.n == 3
        assert spread.mean == pytest.approx(np.mean(values))
        assert spread.std == pytest.approx(np.std(values, ddof=1))
        assert (spread.min, spread.max) == (values.min(), values.max())
    document = result.to_dict()
    assert document["data"]["systems"] == ["one", "many#1", "many#2", "many#3"]
    assert document["result"]["restarts"]["many"]["f1"]["n"] == 3


def test_a_run_without_a_value_is_left_out_of_the_summary() -> None:
    gold = [["O", "B-X"], ["O", "O"]]
    nothing = [["O", "O"], ["O", "O"]]
    result = score(Evaluation.from_tags(None, gold, {"s": [gold, nothing]}), metrics=["precision"], resamples=0)
    spread = result.restarts["s"]["precision"]
    assert (spread.n, spread.mean, spread.std) == (1, 1.0, None)


@pytest.mark.parametrize(
    ("restarts", "compared"), [("first", ["many#1", "one"]), ("each", ["many#1", "many#2", "one"])]
)
def test_the_first_run_takes_part_in_tests_or_each(restarts: str, compared: list[str]) -> None:
    result = score(corpus({"one": [0.9], "many": [0.5, 0.7]}), resamples=10, restarts=restarts)
    assert sorted({name for pair in result.pairs for name in (pair.a, pair.b)}) == compared
    assert sorted(name for group in result.groups for name in group) == compared


def test_a_list_of_files_is_a_system_with_restarts(write: Write) -> None:
    write("gold.conll", "a B-X\nb O\n\nc B-X\n")
    write("one.conll", "a B-X\nb O\n\nc B-X\n")
    write("two.conll", "a B-X\nb O\n\nc O\n")
    evaluation = load(gold="gold.conll", systems={"s": ["one.conll", "two.conll"], "t": ["two.conll"]})
    assert evaluation.systems == ("s#1", "s#2", "t")
    result = score(evaluation, resamples=0)
    assert result.restarts["s"]["f1"].mean == pytest.approx((1 + 2 / 3) / 2)
    assert "s#1" in result.signature
    assert "s#2" in result.signature


def test_two_runs_never_share_a_name() -> None:
    gold = [["B-X"]]
    with pytest.raises(UserError, match="name"):
        Evaluation.from_tags(None, gold, {"a#1": [["O"]], "a": [gold, gold]})


def test_an_empty_first_sentence_is_not_taken_for_restarts() -> None:
    gold: Tags = [[], ["B-X"]]
    assert Evaluation.from_tags(None, gold, {"s": gold}).systems == ("s",)
    assert Evaluation.from_tags(None, gold, {"s": [gold, gold]}).systems == ("s#1", "s#2")


def test_nothing_is_said_about_a_run_that_was_not_compared() -> None:
    """The best run is the second of its system; only first runs are tested, so only they can be told apart or not."""
    result = score(corpus({"many": [0.5, 0.98], "one": [0.52]}), resamples=50)
    assert result.ranking()[0] == "many#2"
    claims = " ".join(str(result).split())
    assert not any("many#2" in pair.a + pair.b for pair in result.pairs)
    assert "many#2 is first" not in claims
    assert "many#2 is best" not in claims


def test_pairs_are_shown_though_the_best_run_was_not_compared() -> None:
    shares = {f"s{i}": [0.5 + i / 50] for i in range(5)} | {"many": [0.6, 0.99]}
    result = score(corpus(shares), resamples=5)
    assert len([pair for pair in result.pairs if pair.metric == "f1"]) == 15
    table = str(result).partition("Differences of f1")[2]
    assert "s1" in table
    assert "s2" in table


def test_a_deviation_that_is_too_large_is_undefined(tmp_path: Path) -> None:
    """It stands in no figure, of which a page could not be made."""
    files = {"g": "1\n2\n3\n", "a": "1e90\n2\n3\n", "b": "1\n2\n4\n"}
    paths = {name: tmp_path / name for name in files}
    for name, content in files.items():
        paths[name].write_text(content)
    evaluation = load(gold=paths["g"], systems={"s": [paths["a"], paths["b"]]}, task="text")
    found = score(evaluation, metrics=["mse"], resamples=0)
    spread = found.restarts["s"]["mse"]
    assert (spread.std, spread.min) == (None, 1 / 3)
    assert spread.mean == pytest.approx(1e180 / 6)
    numbers = [value for figure in found.figures() for row in figure.rows for value in row.values()]
    assert all(math.isfinite(value) for value in numbers if isinstance(value, float))
