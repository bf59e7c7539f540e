"""What a metric cannot read, and what is wrong with a user's own, in one line through the command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from conftest import Ran

Write = Callable[[str, str | bytes], str]
Run = Callable[..., Ran]

FILES = {
    "numbers.txt": "1\n2.5\n0\n",
    "words.txt": "1\nabc\n0\n",
    "sure.txt": "1\n0.5\n1.5\n",
    "yes.txt": "1\n0\n1\n",
    "logs.txt": "-1 -2\n-0.5\n0.5\n",
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
        r"mse: s, item 1 \(counted from 0\): output 'abc' is no number; expected a finite number, as 12 or 0\.5",
    ),
    "a number is expected in gold": (
        ("words.txt", "numbers.txt", "spearman"),
        r"spearman: s, item 1 \(counted from 0\): reference 'abc'",
    ),
    "one number is expected": (
        ("tabs.txt", "numbers.txt", "mae"),
        r"mae: s, item 0 \(counted from 0\): reference is 2 texts separated by",
    ),
    "a probability is expected": (
        ("yes.txt", "sure.txt", "log-loss"),
        r"log-loss: s, item 2 \(counted from 0\): output '1\.5' is no probability; expected a number from 0 to 1",
    ),
    "0 or 1 is expected": (
        ("numbers.txt", "yes.txt", "brier"),
        r"brier: s, item 1 \(counted from 0\): reference '2\.5' is neither 0 nor 1",
    ),
    "a logarithm is expected": (
        ("texts.txt", "logs.txt", "perplexity"),
        r"perplexity: s, item 2 \(counted from 0\): '0\.5' is no log probability; expected a natural",
    ),
    "a label's probability": (
        ("labels.txt", "soft.txt", "multilabel-f1"),
        r"multilabel-f1: s, item 1 \(counted from 0\): 'A:2' has the",
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
