"""Input that is odd but plausible: the same column twice, lists, tabs inside fields, blank outputs, huge numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from support.commands import Ran, Run, Write, refused

if TYPE_CHECKING:
    from pathlib import Path


def result(ran: Ran) -> Any:
    assert ran.code == 0, ran.err
    assert "Warning" not in ran.err
    return json.loads(ran.out)["result"]


def test_the_same_column_of_two_files(write: Write, run: Run) -> None:
    for name in ("d1.csv", "d2.csv"):
        write(name, "text,y\na,A\nb,B\nc,A\n")
    write("s.txt", "A\nB\nB\n")
    data = (
        "--gold",
        "d1.csv:y",
        "--task",
        "labels",
        "-s",
        "s=s.txt",
        "--input",
        "d1.csv:text",
        "--input",
        "d2.csv:text",
    )
    items = result(run("items", *data, "--json", "-"))["items"]
    assert (items[0]["in<1>"], items[0]["in<2>"]) == ("a", "a")


@pytest.mark.parametrize("column", ["l", "b"])
def test_an_input_that_is_no_text(column: str, write: Write, run: Run, tmp_path: Path) -> None:
    frame = pl.DataFrame({"l": [["a", "b"], [], None, ["c"]], "b": [b"x", b"\xff", None, b"z"]})
    frame.write_parquet(tmp_path / "p.parquet")
    write("g.txt", "A\nB\nA\nB\n")
    data = ("--gold", "g.txt", "--task", "labels", "-s", "s=g.txt", "--input", f"p.parquet:{column}")
    refused(run("items", *data), "name a column of text")


def test_a_tab_inside_a_field(write: Write, run: Run) -> None:
    write("t.jsonl", '{"text":"one\\ttwo three"}\n{"text":"b"}\n{"text":"c"}\n')
    write("g.txt", "A\nB\nA\n")
    write("z.txt", "z1\nz2\nz3\n")
    data = ("--gold", "g.txt", "--task", "labels", "-s", "s=g.txt", "--input", "t.jsonl:text", "--input", "z.txt")
    lines = run("items", *data, "--top", "1").out.splitlines()
    assert [line.split() for line in lines[3:5]] == [["in<text>", "one", "two", "three"], ["in<2>", "z1"]]


def test_a_pair_with_tildes(write: Write, run: Run) -> None:
    write("i.txt", "- ~ a\n" * 6 + "b c\n" * 6)
    write("g.txt", "A\nB\n" * 6)
    data = ("--gold", "g.txt", "--task", "labels", "-s", "s=g.txt", "--input", "i.txt")
    items = result(run("items", *data, "--feature", "in:~~~in:a", "--json", "-"))["items"]
    assert [item["item"] for item in items] == list(range(6))


def test_a_system_that_returns_nothing(write: Write, run: Run) -> None:
    write("g.txt", "a b c\nd\ne f\n")
    write("e.txt", "\n\n\n")
    found = result(run("score", "--gold", "g.txt", "--task", "text", "-s", "a=e.txt", "-m", "wer", "--json", "-"))
    assert found["systems"]["a"]["metrics"]["wer"]["value"] == 1.0


def test_a_text_that_is_missing(write: Write, run: Run) -> None:
    write("g.jsonl", '{"text":"a b","label":"A"}\n{"label":"B"}\n')
    write("s.txt", "A\nA\n")
    result(run("score", "--gold", "g.jsonl", "-s", "s=s.txt", "--json", "-"))


def test_numbers_out_of_range(write: Write, run: Run) -> None:
    write("huge.txt", "1e308\n-1e308\n1\n4\n")
    message = "huge.txt:1: score '1e308'; expected at most 1e+300 either side of 0"
    refused(run("score", "--task", "scores", "-s", "a=huge.txt"), message)
    write("g.txt", "a b\n")
    write("o.txt", "-1e308 -1e308\n")
    refused(
        run("score", "--gold", "g.txt", "--task", "text", "-s", "a=o.txt", "-m", "perplexity"),
        "o.txt:1: perplexity of a: '-1e308' is no log probability; expected a natural logarithm, from -1e+100 to 0",
    )
    refused(run("score", "--gold", "g.txt", "--task", "labels", "-s", "a=g.txt", "--beta", "1e200"), "beta is 1e+200")


def test_own_code_that_warns_or_fails_without_a_word(write: Write, run: Run) -> None:
    code = [
        "import numpy as np",
        "def nan(gold, output): return float(np.float64(0) / np.float64(0))",
        "def silent(gold, output): raise ValueError",
        "def large(gold, output): return 10 ** 400",
        "def finite(gold, output): return 1e308",
    ]
    write("m.py", "\n".join(code) + "\n")
    write("g.txt", "a\nb\n")
    data = ("score", "--gold", "g.txt", "--task", "text", "-s", "a=g.txt", "-m")
    refused(run(*data, "m.py:nan"), "it returned nan")
    refused(run(*data, "m.py:silent"), "raised ValueError: no message")
    refused(run(*data, "m.py:large"), "too large")
    refused(run(*data, "m.py:finite"), "it returned 1e+308, which is too large; expected at most 1e+100")


@pytest.mark.parametrize("command", ["score", "buckets", "features", "items", "difficulty"])
def test_a_tab_in_an_output_is_white_space_of_its_text(command: str, write: Write, run: Run) -> None:
    write("g.txt", "one two\nthree\nx\nfour five\n")
    write("i.txt", "a\nb\nc\nd e\n")
    write("s.txt", "one\ttwo\nthree\n\nfour five\n")
    write("s.jsonl", "".join(f'{{"output": "{text}"}}\n' for text in ("one\\ttwo", "three", "", "four five")))
    data = ("--gold", "g.txt", "--input", "i.txt", "--task", "text", "-m", "token-f1", "--json", "-")
    more = {"buckets": ("-a", "outRatio"), "features": ("--min-count", "1", "--bigrams")}.get(command, ())
    lines, objects = (result(run(command, *data, *more, "-s", f"s={file}")) for file in ("s.txt", "s.jsonl"))
    assert lines == objects


def test_a_tab_in_one_output_does_not_change_the_others(write: Write, run: Run) -> None:
    write("m.py", "def same(gold, output): return gold == output\n")
    write("g.txt", "one\nthree\n")
    write("s.txt", "one\ttwo\nthree\n")
    data = ("--gold", "g.txt", "--task", "text", "-s", "^s$=s.txt", "-m", "m.py:same", "--json", "-")
    assert result(run("score", *data))["systems"]["^s$"]["metrics"]["same"]["value"] == 0.5


@pytest.mark.parametrize("output", ["s.txt", "s.jsonl"])
def test_rankings_are_separated_by_tabs_or_lists(output: str, write: Write, run: Run) -> None:
    write("g.txt", "b\ta\nc\n")
    write("i.txt", "x y\nz\n")
    write("s.txt", "A  x\tB\na\tc\n")
    write("s.jsonl", '{"output": ["A  x", "B"]}\n{"output": ["a", "c"]}\n')
    data = ("--gold", "g.txt", "--input", "i.txt", "--task", "text", "-s", f"s={output}", "-m", "mrr", "--json", "-")
    normalised = ("--normalise", "lower", "--normalise", "spaces")
    found = result(run("score", *data, *normalised))
    assert found["systems"]["s"]["metrics"]["mrr"]["value"] == 0.5
    buckets = result(run("buckets", *data, *normalised, "-a", "outRatio"))["attributes"]["outRatio"]
    assert buckets["cuts"] == [1.5]
