"""`slicewise items` through the real command: order, filters, differences, marks, the stream, wrong options."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support.commands import Ran, Run, Write, refused

if TYPE_CHECKING:
    from pathlib import Path


DATA = ("--gold", "g.txt", "--input", "in.txt", "--system", "a=a.txt", "--system", "b=b.txt")
TEXTS = ["Good film", "bad food here", "not bad, though", "no idea at 12.5", "Very good", "bad bad film"]
GOLD = ["pos", "neg", "pos", "neg", "pos", "neg"]
A = ["pos", "neg", "neg", "pos", "pos", "neg"]  # wrong: 2, 3
B = ["neg", "neg", "pos", "pos", "pos", "pos"]  # wrong: 0, 3, 5


@pytest.fixture
def files(write: Write, tmp_path: Path) -> Path:
    for name, lines in {"in.txt": TEXTS, "g.txt": GOLD, "a.txt": A, "b.txt": B}.items():
        write(name, "".join(f"{line}\n" for line in lines))
    return tmp_path


def found(ran: Ran) -> list[dict[str, Any]]:
    assert ran.code == 0, ran.err
    items: list[dict[str, Any]] = json.loads(ran.out)["result"]["items"]
    return items


def numbers(ran: Ran) -> list[int]:
    return [item["item"] for item in found(ran)]


def test_every_item_with_its_scores_and_answers(files: Path, run: Run) -> None:
    items = found(run("items", *DATA, "--json", "-"))
    assert [item["item"] for item in items] == list(range(6))
    assert [item["score"] for item in items] == [1, 1, 0, 0, 1, 1]
    assert items[2] | {"bad": None} == {
        "item": 2,
        "score": 0.0,
        "scores": {"a": 0.0, "b": 1.0},
        "in": TEXTS[2],
        "exp": "pos",
        "out": "neg",
        "outputs": {"a": "neg", "b": "pos"},
        "bad": None,
    }


def test_order(files: Path, run: Run) -> None:
    assert numbers(run("items", *DATA, "--worst", "--json", "-")) == [2, 3, 0, 1, 4, 5]
    assert numbers(run("items", *DATA, "--best", "--json", "-")) == [0, 1, 4, 5, 2, 3]
    assert numbers(run("items", *DATA, "--worst", "--only", "b", "--top", "2", "--json", "-")) == [0, 3]
    changed = found(run("items", *DATA, "--diff", "a,b", "--json", "-"))
    assert [(item["item"], item["score"]) for item in changed] == [(0, -1), (5, -1), (1, 0), (3, 0), (4, 0), (2, 1)]
    assert numbers(run("items", *DATA, "--diff", "a,b", "--best", "--top", "1", "--json", "-")) == [2]


def test_lower_is_better_is_respected(files: Path, run: Run) -> None:
    ran = run("items", *DATA[:2], "--system", "a=a.txt", "--task", "text", "-m", "wer", "--worst", "--json", "-")
    assert numbers(ran) == [2, 3, 0, 1, 4, 5]


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        ("in:bad", [1, 2, 5]),
        ("in<1>:bad", [1, 2, 5]),
        ("in:bad++food", [1]),
        ("in:SHAPE:Aa+", [0, 4]),
        ("exp:pos", [0, 2, 4]),
        ("out:neg", [1, 2, 5]),
        ("exp:pos~~in:bad", [2]),
        ("in:bad~~in:film", [5]),
        ("exp pos ~ out neg", [2]),
        ("in length large", [3]),
        ("in length large (≥ 6)", [3]),
        ("in = Very good", [4]),
        ("label:neg", [1, 2, 3, 5]),
    ],
)
def test_filters(feature: str, expected: list[int], files: Path, run: Run) -> None:
    """A label is one of any unit: gold's, or a system's."""
    assert sorted(numbers(run("items", *DATA, "--feature", feature, "--json", "-"))) == sorted(
        expected if feature != "label:neg" else [0, 1, 2, 3, 5]
    )


def test_text_is_written_as_lines(files: Path, run: Run) -> None:
    ran = run("items", *DATA, "--feature", "in:though", "--worst")
    assert ran.out.splitlines()[1].startswith("1 item with in:though, worst first; accuracy of a")
    assert ran.out.splitlines()[2] == "0.000  item 2  (a 0.000 · b 1.000)"
    assert ran.out.splitlines()[3].split() == ["in", "not", "bad,", "‹though›"]
    assert [line.split() for line in ran.out.splitlines()[4:]] == [["exp", "pos"], ["a", "neg"], ["b", "pos"]]


def test_a_reader_may_go_away(files: Path) -> None:
    many = files / "many.txt"
    many.write_text("a b c\n" * 30_000, encoding="utf-8")
    (files / "scores.txt").write_text("1\n0\n" * 15_000, encoding="utf-8")
    command = [sys.executable, "-m", "slicewise", "items", "--task", "scores"]
    command += ["--input", str(many), "--system", f"m={files / 'scores.txt'}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = [process.stdout.readline() for _ in range(3)]
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(60) == 0
    assert "30,000 items" in first[0]
    assert "Traceback" not in errors
    assert "Broken" not in errors


def test_tables(files: Path, run: Run) -> None:
    assert run("items", *DATA, "--csv", "out").code == 0
    with (files / "out" / "items.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == [str(i) for i in range(6)]
    assert rows[2]["score:b"] == "1.0"
    assert rows[2]["out:a"] == "neg"


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--feature", "in:thoug"), "no item has the feature 'in:thoug'; did you mean 'in:though'?"),
        (("--feature", "bad"), "did you mean 'in:bad'?"),
        (("--feature", "in:bad~~in:nothing"), "no item has the feature"),
        (("--feature", ""), "no item has the feature"),
        (("--worst", "--best"), "--worst and --best"),
        (("--diff", "a"), "--diff A,B"),
        (("--diff", "a,c"), "no system 'c'"),
        (("--diff", "a,a"), "cannot be compared with itself"),
        (("--only", "c"), "no system 'c'"),
        (("--top", "-1"), "top is -1"),
        (("--tokenizer", "x"), "unknown tokenizer 'x'"),
        (("--metric", "kappa"), "has no score of a single item"),
    ],
)
def test_wrong_options(options: tuple[str, ...], part: str, files: Path, run: Run) -> None:
    refused(run("items", *DATA, *options), part)


def test_nothing_is_shown_where_a_later_system_has_no_score(write: Write, run: Run) -> None:
    write("g.txt", "1\n2\n")
    write("x.txt", "1\nx\n")
    data = ("--gold", "g.txt", "-s", "a=g.txt", "-s", "b=x.txt", "--task", "text", "--metric", "rmse")
    refused(run("items", *data), "'x' is no number")


def test_spans_show_their_units(write: Write, run: Run) -> None:
    write("g.conll", "Ada B-PER\nin O\nRome B-LOC\n\nnothing O\n\n")
    write("s.conll", "Ada B-PER\nin O\nRome O\n\nnothing O\n\n")
    items = found(run("items", "--gold", "g.conll", "--system", "s=s.conll", "--json", "-"))
    assert [(i["in"], i["exp"], i["out"]) for i in items] == [
        ("Ada in Rome", "PER Ada; LOC Rome", "PER Ada"),
        ("nothing", "", ""),
    ]
    assert items[0]["score"] == pytest.approx(2 / 3)
    assert items[1]["score"] == 1.0
    ran = run("items", "--gold", "g.conll", "--system", "s=s.conll", "--feature", "left:in", "--json", "-")
    assert numbers(ran) == [0]


def test_hostile_text(write: Write, run: Run) -> None:
    texts = ["\x1b[31mred", "<script>alert(1)</script>", "a\u202eb", "^x$ *", "‹x›", ""] * 4
    write("in.txt", "".join(f"{text}\n" for text in texts))
    write("g.txt", "x\ny\n" * 12)
    write("s.txt", "x\n" * 24)
    data = ("--task", "labels", "--gold", "g.txt", "--input", "in.txt", "--system", "s=s.txt")
    ran = run("items", *data, "--worst")
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert len(found(run("items", *data, "--json", "-"))) == 24
    assert numbers(run("items", *data, "--feature", "in:*", "--json", "-")) == [3, 9, 15, 21]
