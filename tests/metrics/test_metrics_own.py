"""A user's own metric gives what the same metric of the catalogue gives, and says in one line what is wrong with it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from slicewise import Evaluation, UserError, load, score
from slicewise.annotations import Task
from slicewise.metrics import find_metric

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Write


MINE = '''\
"""My metrics."""
import math
import os

def same(gold, output):
    """Whether they are the same."""
    print("comparing")
    return gold.strip() == output.strip()

def turned(output, gold):
    return float(output == gold)

def other_names(reference, hypothesis):
    return float(reference) - float(hypothesis)

def loss(gold, output):
    return (float(gold) - float(output)) ** 2
loss.greater_is_better = False
loss.best = 0

def with_input(input, output):
    return input == output

def three(a, b, c):
    return len(a) + 10 * len(b) + 100 * len(c)

def optional(gold, output, scale=2):
    return scale

def alone(output):
    return output

class Rate:
    """Sum of errors/sum of gold."""
    greater_is_better = False
    item_score = False
    best = 0.0

    def statistics(self, gold, output):
        return abs(float(gold) - float(output)), float(gold)

    def finish(self, sums):
        return sums[0] / sums[1]

rate = Rate()

class Edits(Rate):
    def finish(self, sums):
        return sums[0]

class Several(Rate):
    def __init__(self, n):
        self.n = n

class NoFinish:
    def statistics(self, gold, output):
        return [1]

class Uneven(Rate):
    def statistics(self, gold, output):
        return [1] * len(output)

class Flat(Rate):
    def statistics(self, gold, output):  # flat
        return 3

class Strange(Rate):
    def finish(self, sums):
        return "high"

class Broken(Rate):
    def finish(self, sums):
        return {}["no"]

def nothing(gold, output):
    pass

def text(gold, output):
    return "0.5"

def infinite(gold, output):
    return math.inf if output == "3" else 1

def fails(gold, output):
    def inner():
        raise ValueError("bad\\n" + output)
    inner()

def leaves(gold, output):
    raise SystemExit(3)

def in_the_library(gold, output):
    return os.path.join(1)

def mixed(output, reference):
    return 0

def one(x):
    return 0

number = 3
'''


@pytest.fixture
def evaluation(write: Write) -> Evaluation:
    write("mine.py", MINE)
    return Evaluation.from_texts(["1", "2", "4"], {"s": ["1", "3", "4"], "t": ["2", "2", "0"]}, inputs=["1", "x", "0"])


def value(evaluation: Evaluation, name: str, system: str = "s") -> float | None:
    result = score(evaluation, metrics=f"mine.py:{name}", resamples=20)
    assert result.metrics == (name,)
    return result.systems[system].metrics[name].value


def test_it_is_what_the_catalogue_has(evaluation: Evaluation) -> None:
    ours = score(evaluation, metrics=["exact-match", "mse"], resamples=200)
    theirs = score(evaluation, metrics=["mine.py:same", "mine.py:loss"], resamples=200)
    assert theirs.lower_is_better == ("loss",)
    for mine, known in (("same", "exact-match"), ("loss", "mse")):
        for system in "st":
            own, listed = theirs.systems[system].metrics[mine], ours.systems[system].metrics[known]
            assert replace(own, ci=None) == replace(listed, ci=None)
            # nobody knows that a function of the user's is a proportion, or that it has limits
            assert own.ci is not None
            assert listed.ci is not None
            assert own.ci[0] <= listed.ci[0] <= listed.ci[1] <= own.ci[1]
        pairs = [next(p for p in r.pairs if p.metric == m) for r, m in ((theirs, mine), (ours, known))]
        limits = (-1.0, 1.0) if known == "exact-match" else (-np.inf, np.inf)
        assert pairs[0].ci is not None
        lo, hi = np.clip(pairs[0].ci, *limits).tolist()
        assert replace(pairs[0], metric=known, ci=(lo, hi)) == pairs[1]


def test_how_it_asks_for_what_it_wants(evaluation: Evaluation) -> None:
    assert value(evaluation, "turned") == pytest.approx(2 / 3)
    assert value(evaluation, "other_names", "t") == pytest.approx((-1 + 0 + 4) / 3)
    assert value(evaluation, "with_input", "t") == pytest.approx(1 / 3)
    assert value(evaluation, "three") == 111
    assert value(evaluation, "optional") == 2
    with pytest.raises(UserError, match="the metric with_input takes the input, and there is none; add --input FILE"):
        value(Evaluation.from_texts(["1"], {"s": ["1"]}), "with_input")


@pytest.mark.parametrize("name", ["Rate", "rate"])
def test_statistics_that_are_summed(evaluation: Evaluation, name: str) -> None:
    assert value(evaluation, name, "s") == pytest.approx(1 / 7)
    assert value(evaluation, name, "t") == pytest.approx(5 / 7)
    metric = find_metric(f"mine.py:{name}", Task.TEXT)
    assert (metric.greater_is_better, metric.item_score, metric.best) == (False, False, 0.0)
    assert metric.summary == "Sum of errors/sum of gold"


def test_dividing_by_nothing_is_undefined(write: Write, evaluation: Evaluation) -> None:
    assert value(Evaluation.from_texts(["0", "0"], {"s": ["1", "2"]}), "Rate") is None
    write("mine.py", MINE.replace("sums[0] / sums[1]", "None if sums[1] > 6 else float('nan')"))
    assert value(evaluation, "Rate") is None
    metric = find_metric("mine.py:Edits", Task.TEXT)
    found = metric.finish(np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 3.0]]))  # no items; two without an error
    np.testing.assert_array_equal(found, [np.nan, 0.0])


def test_other_tasks(evaluation: Evaluation) -> None:
    labels = Evaluation.from_labels(["a", "b", "a"], {"s": ["a", "a", None]})
    result = score(labels, metrics=["mine.py:turned", "accuracy"], resamples=0).systems["s"].metrics
    assert result["turned"] == result["accuracy"]
    assert value(Evaluation.from_scores({"s": [0.25, 0.5]}), "alone") == 0.375
    spans = Evaluation.from_spans([["w"]], [[(0, 1, "A")]], {"s": [[]]})
    with pytest.raises(
        UserError, match=r"'mine\.py:same' is for labels and scores and text, but the task is spans; use"
    ):
        value(spans, "same")


def test_the_signature_has_the_file(write: Write, evaluation: Evaluation) -> None:
    first = score(evaluation, metrics="mine.py:same", resamples=0).signature
    assert "| same(file:" in first
    write("mine.py", MINE + "\n")
    assert score(evaluation, metrics="mine.py:same", resamples=0).signature != first


def test_what_it_prints_is_no_result(evaluation: Evaluation, capsys: pytest.CaptureFixture[str]) -> None:
    value(evaluation, "same")
    out, err = capsys.readouterr()
    assert out == ""
    assert "comparing" in err


def test_two_of_one_name(write: Write, evaluation: Evaluation) -> None:
    write("other.py", "def mse(gold, output):\n    return 1\n")
    assert score(evaluation, metrics=["other.py:mse", "other.py:mse"], resamples=0).metrics == ("mse",)
    for names in (["other.py:mse", "mse"], ["mse", "other.py:mse"]):
        with pytest.raises(UserError, match="two metrics are called 'mse'; rename your function"):
            score(evaluation, metrics=names, resamples=0)


WRONG: dict[str, tuple[str, str]] = {
    "nothing": ("def nothing", "nothing: s, item 0 (counted from 0): it returned None; expected a number"),
    "text": ("def text", "text: s, item 0 (counted from 0): it returned '0.5'; expected a number"),
    "infinite": ("def infinite", "infinite: s, item 1 (counted from 0): it returned inf; expected a finite number"),
    "fails": ("raise ValueError", "fails: s, item 0 (counted from 0): raised ValueError: bad 1; mend the function"),
    "leaves": ("raise SystemExit", "leaves: s, item 0 (counted from 0): raised SystemExit: 3; mend the function"),
    "in_the_library": ("os.path", "in_the_library: s, item 0 (counted from 0): raised TypeError: "),
    "mixed": ("def mixed", "the metric 'mixed' has the parameters output, reference; expected gold, output and, if"),
    "one": ("def one", "the metric 'one' has the parameters x; expected gold, output"),
    "sme": ("", "no function 'sme' in it; did you mean 'same'? there are: same, turned"),
    "number": ("", "no function 'number' in it; "),
    "Several": ("", "making an object of the class 'Several' raised TypeError: "),
    "NoFinish": ("", "'NoFinish' has statistics, but no finish(sums); add it"),
    "Flat": ("flat", "Flat: s, item 0 (counted from 0): its statistics are a int; expected a sequence of numbers"),
    "Strange": ("", "'Strange': the finish of [1.0, 7.0] failed: it returned 'high'; expected a number"),
    "Broken": ('["no"]', "'Broken': the finish of [1.0, 7.0] raised KeyError: 'no'; mend the function"),
}
"""What stands on the line that is named, and what is said of it."""


def at(text: str) -> str:
    """The place of a text in the file."""
    lines = [i for i, line in enumerate(MINE.splitlines(), 1) if text in line]
    return f"mine.py:{lines[0]}: " if text else "mine.py: "


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_one_line(evaluation: Evaluation, name: str) -> None:
    text, expected = WRONG[name]
    with pytest.raises(UserError) as said:
        value(evaluation, name)
    assert str(said.value).startswith(at(text) + expected)
    assert "\n" not in str(said.value)


def test_statistics_are_always_as_many(write: Write) -> None:
    write("mine.py", MINE)
    with pytest.raises(
        UserError, match=r"Uneven: s, item 1 \(counted from 0\): it returned 2 numbers; expected 1, as before"
    ):
        value(Evaluation.from_texts(["1", "1"], {"s": ["1", "11"]}), "Uneven")
    with pytest.raises(UserError, match=r"Uneven: s, item 0 \(counted from 0\): its statistics are empty"):
        value(Evaluation.from_texts(["1", "1"], {"s": ["", "11"]}), "Uneven")


def test_a_file_that_is_none(write: Write) -> None:
    write("broken.py", "x = 1\ndef f(:\n")
    write("stops.py", "x = 1\nx = 1 / 0\n")
    write("g.txt", "1\n")
    evaluation = load(gold="g.txt", systems={"s": "g.txt"}, task="text")
    for name, message in (
        ("no.py:f", r"^no\.py: there is no such file; check the path"),
        ("broken.py:f", r"^broken\.py:2: is not valid Python: .*; mend the line"),
        ("stops.py:f", r"^stops\.py:2: running the file raised ZeroDivisionError: division by zero"),
    ):
        with pytest.raises(UserError, match=message):
            score(evaluation, metrics=name, resamples=0)


def test_the_line_is_that_of_the_users_file_and_not_of_one_with_the_same_name(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(sys.modules, "mine", None)
    del sys.modules["mine"]  # and it is gone again afterwards
    write("lib/mine.py", "\n" * 30 + "def help_me(text):\n    return 1 / 0\n")
    importing = "import sys; sys.path.insert(0, 'lib')\nfrom mine import help_me\n\n"
    write("mine.py", importing + "def f(gold, output):\n    return help_me(gold)\n")
    with pytest.raises(UserError, match=r"^mine\.py:5: f: s, item 0 \(counted from 0\): raised ZeroDivisionError"):
        score(Evaluation.from_texts(["1"], {"s": ["1"]}), metrics="mine.py:f", resamples=0)


def test_a_file_elsewhere(write: Write, tmp_path: Path, evaluation: Evaluation) -> None:
    write("folder/deep/Mine.py", MINE)
    for path in (
        "folder/deep/Mine.py",
        str(tmp_path / "folder" / "deep" / "Mine.py"),
        "./folder/../folder/deep/Mine.py",
    ):
        result = score(evaluation, metrics=f"{path}:same", resamples=0)
        assert result.systems["s"].metrics["same"].value == pytest.approx(2 / 3)
        with pytest.raises(UserError) as said:
            score(evaluation, metrics=f"{path}:fails", resamples=0)
        assert str(said.value).startswith(
            at("raise ValueError").replace("mine.py", path) + "fails: s, item 0 (counted from 0)"
        )
