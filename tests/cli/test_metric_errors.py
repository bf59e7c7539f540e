"""What a metric cannot read, and what is wrong with a user's own, in one line through the command."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from slicewise import Evaluation, UserError, score

if TYPE_CHECKING:
    from support.commands import Ran, Run, Write

FILES = {
    "numbers.txt": "1\n2.5\n0\n",
    "words.txt": "1\nabc\n0\n",
    "sure.txt": "1\n0.5\n1.5\n",
    "large.txt": "1\n1e308\n1\n",
    "yes.txt": "1\n0\n1\n",
    "logs.txt": "-1 -2\n-0.5\n0.5 0.5\n",
    "texts.txt": "a b\nc\nd\n",
    "tabs.txt": "1\t2\n3\n4\n",
    "labels.txt": "A B\nA\nB\n",
    "soft.txt": "A:0.5\nA:2\nB\n",
    "tags.conll": "Ada\tB-PER\nmet\tO\n",
    "mine.py": (
        "def unsure(gold, output):\n    return float('nan') if output == '2.5' else 1\n\n"
        "def wrong(gold, output):\n    return gold.nosuch\n"
    ),
}

CASES: dict[str, tuple[tuple[str, str, str], str]] = {
    "a number is expected": (
        ("numbers.txt", "words.txt", "mse"),
        r"words\.txt:2: mse of s: output 'abc' is no number; expected a finite number, as 12 or 0\.5",
    ),
    "a number is expected in gold": (
        ("words.txt", "numbers.txt", "spearman"),
        r"words\.txt:2: spearman of s: reference 'abc'",
    ),
    "one number is expected": (
        ("tabs.txt", "numbers.txt", "mae"),
        r"tabs\.txt:1: mae of s: reference is 2 texts separated by",
    ),
    "a probability is expected": (
        ("yes.txt", "sure.txt", "log-loss"),
        r"sure\.txt:3: log-loss of s: output '1\.5' is no probability; expected a number from 0 to 1",
    ),
    "0 or 1 is expected": (
        ("numbers.txt", "yes.txt", "brier"),
        r"numbers\.txt:2: brier of s: reference '2\.5' is neither 0 nor 1",
    ),
    "a logarithm is expected": (
        ("texts.txt", "logs.txt", "perplexity"),
        r"logs\.txt:3: perplexity of s: '0\.5' is no log probability; expected a natural",
    ),
    "a label's probability": (
        ("labels.txt", "soft.txt", "multilabel-f1"),
        r"soft\.txt:2: multilabel-f1 of s: 'A:2' has the",
    ),
    "a number that is too large": (
        ("numbers.txt", "large.txt", "rmse"),
        r"large\.txt:2: rmse of s: output '1e308' is too large; expected at most 1e\+100 either side of 0$",
    ),
    "as many tokens are expected": (
        ("texts.txt", "logs.txt", "token-accuracy"),
        r"logs\.txt:3: token-accuracy of s: 2 tokens where the reference has 1; expected as many",
    ),
    "NaN from a user's metric": (
        ("numbers.txt", "numbers.txt", "mine.py:unsure"),
        r"mine\.py:1: unsure: s, item 1 \(counted from 0\): it returned nan; expected a finite number",
    ),
    "an error in a user's metric": (
        ("numbers.txt", "numbers.txt", "mine.py:wrong"),
        r"mine\.py:5: wrong: s, item 0 \(counted from 0\): raised AttributeError: 'str' object has no attribute",
    ),
    "no such function": (
        ("numbers.txt", "numbers.txt", "mine.py:wrnog"),
        r"mine\.py: no function 'wrnog' in it; did you mean 'wrong'\? there are: unsure, wrong",
    ),
    "a metric of other tasks": (
        ("numbers.txt", "numbers.txt", "hamming-loss"),
        r"the metric 'hamming-loss' is for multilabel, but the task is text; use one of: .*mse.*ndcg@10",
    ),
    "an F of other tasks": (
        ("numbers.txt", "numbers.txt", "f3"),
        r"the metric 'f3' is for .*spans.*, but the task is text",
    ),
    "a depth of 0": (("numbers.txt", "numbers.txt", "ndcg@0"), r"unknown metric 'ndcg@0'; did you mean 'ndcg@10'\?"),
}


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    for name, content in FILES.items():
        write(name, content)


def check(ran: Ran, message: str) -> None:
    assert ran.code == 2
    assert ran.out == ""
    lines = [line for line in ran.err.splitlines() if not line.startswith("slicewise: warning: ")]
    assert len(lines) == 1
    assert re.match(f"slicewise: {message}", lines[0]), lines[0]


@pytest.mark.parametrize("command", ["score", "buckets"])
@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_read(case: str, command: str, run: Run) -> None:
    (gold, system, metric), message = CASES[case]
    if command == "buckets" and metric == "spearman":
        message = "the metric 'spearman' cannot be summed over buckets; use one of: "
    data = ("--gold", gold, "--system", f"s={system}", "--input", "texts.txt", "--task", "text")
    check(run(command, *data, "--metric", metric, "--json", "-"), message)


PLACES = {
    "lines": ("numbers.txt", "words.txt", "words.txt:2"),
    "objects": ("numbers.jsonl", "words.jsonl", "words.jsonl:3"),
    "a table": ("numbers.jsonl", "words.csv:b", "words.csv:4"),
    "a column of lines": ("numbers.jsonl", "words.tsv:2", "words.tsv:2"),
    "several files": ("numbers.jsonl", "some/*.csv:b", "some/2.csv:2"),
    "gold": ("words.csv:b", "numbers.jsonl", "words.csv:4"),
}
CONVERTED = {"words.jsonl:3": "words.jsonl:2", "words.csv:4": "words.csv:3"}
"""Where parts of a file are read, its rows are counted: not blank lines, nor those inside a cell."""


@pytest.mark.parametrize("parts", [(), ("--part-rows", "1")])
@pytest.mark.parametrize("case", PLACES)
def test_where_a_value_stands(case: str, parts: tuple[str, ...], write: Write, run: Run) -> None:
    gold, system, place = PLACES[case]
    write("numbers.jsonl", '{"output": 1}\n{"output": 2}\n{"output": 3}\n')
    write("words.jsonl", '{"output": "1"}\n\n{"output": "abc"}\n{"output": 2}\n')
    write("words.csv", 'a,b\n"x\ny",1\nz,abc\nz,0\n')
    write("words.tsv", "a\t1\nb\tabc\nc\t3\n")
    write("some/1.csv", "a,b\nx,1\n")
    write("some/2.csv", "a,b\nx,abc\nx,2\n")
    data = ("--gold", gold, "--system", f"s={system}", "--task", "text", "--metric", "mae")
    place = re.escape(CONVERTED.get(place, place) if parts else place)
    side = "reference" if case == "gold" else "output"
    check(run("score", *data, *parts), rf"{place}: mae of s: {side} 'abc' is no number; expected a finite")


def test_values_that_stand_in_no_file() -> None:
    evaluation = Evaluation.from_texts(["1", "2"], {"s": ["1", "abc"]})
    with pytest.raises(UserError, match=r"^mae: s, item 1 \(counted from 0\): output 'abc' is no number"):
        score(evaluation, metrics=["mae"])


@pytest.mark.parametrize("metric", ["mine.py:unsure", "mse", "map"])
def test_a_task_without_answers(metric: str, run: Run) -> None:
    data = ("--gold", "tags.conll", "--system", "s=tags.conll")
    message = rf"the metric '{re.escape(metric)}' is for .*text, but the task is spans; use one of: .*macro-f1"
    for command in ("score", "buckets"):
        check(run(command, *data, "--metric", metric), message)


def test_buckets_of_labels_count_units(run: Run) -> None:
    data = ("--gold", "yes.txt", "--system", "s=yes.txt", "--task", "labels")
    for metric in ("nmi", "mine.py:unsure"):
        check(
            run("buckets", *data, "--metric", metric), f"buckets are compared by counts of units, not by {metric}; use"
        )


def test_tabs_of_rankings_are_no_cause_for_a_warning(run: Run) -> None:
    for gold in ("tabs.txt", "numbers.txt"):
        data = ("--gold", gold, "--system", "s=tabs.txt", "--task", "text")
        ran = run("score", *data, "--metric", "map", "--json", "-")
        assert "tabs" not in ran.err
        assert not [said for said in json.loads(ran.out)["data"]["warnings"] if "tabs" in said]


def test_results_are_json_whatever_a_metric_prints(write: Write, run: Run) -> None:
    write("loud.py", "print('loading')\ndef loud(gold, output):\n    print(gold)\n    return 1\n")
    ran = run(
        "score", "--gold", "yes.txt", "--system", "s=yes.txt", "--task", "text", "-m", "loud.py:loud", "--json", "-"
    )
    assert ran.code == 0
    assert json.loads(ran.out)["result"]["systems"]["s"]["metrics"]["loud"]["value"] == 1.0
    assert "loading" in ran.err
