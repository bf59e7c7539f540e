"""Hostile surroundings: devices, links, closed and full outputs, interrupts; and data of unexpected kinds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.work import work_of

import slicewise

if TYPE_CHECKING:
    from collections.abc import Callable

GOLD = "a\tB-X\nb\tO\n\n"
COMMAND = (sys.executable, "-m", "slicewise")


def value(run: Callable[..., Any], metric: str, *arguments: str) -> float:
    ran = run("score", *arguments, "--json", "-", "--resamples", "0")
    assert ran.code == 0, ran.err
    return float(json.loads(ran.out)["result"]["systems"]["m"]["metrics"][metric]["value"])


def test_an_interrupt_exits_with_130_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "g.conll").write_text(GOLD * 600_000)
    arguments = ("score", "--gold", "g.conll", "--system", "m=g.conll", "--json", "o.json")
    process = subprocess.Popen((*COMMAND, *arguments), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.9)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode in (130, 0)
    found = sorted(p.name for p in tmp_path.iterdir())
    assert found in (["g.conll"], ["g.conll", "o.json"])
    assert process.returncode == 130 or "o.json" in found
    if "o.json" in found:  # the result was written, whole, before it could be shown
        assert json.loads((tmp_path / "o.json").read_text(encoding="utf-8"))["result"]


def test_told_to_end_it_leaves_no_temporary_files(tmp_path: Path) -> None:
    """Large rows of text are written as Parquet for as long as they are worked on."""
    (tmp_path / "s.jsonl").write_text('{"s": 1, "t": "some words"}\n' * 400_000)
    (tmp_path / "tmp").mkdir()
    rows = ("features", "--task", "scores", "--system", "m=s.jsonl:s", "--input", "s.jsonl:t", "--part-rows", "9000")
    process = subprocess.Popen(
        (*COMMAND, *rows, "--json", "o.json"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip
    end = time.monotonic() + 30
    while not list((tmp_path / "tmp").glob("slicewise.*/*")) and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)
    assert (process.returncode, said) == (143, (b"", b""))
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "o.json").exists()


def test_a_link_is_followed_and_a_pipe_is_written_to(write: Callable[..., str], run: Callable[..., Any]) -> None:
    write("g.conll", GOLD)
    write("real/t.json", "old")
    Path("link.json").symlink_to("real/t.json")
    assert run("score", "--gold", "g.conll", "-s", "m=g.conll", "--json", "link.json").code == 0
    assert Path("link.json").is_symlink()
    assert json.loads(Path("real/t.json").read_text())["command"] == "score"
    os.mkfifo("pipe")
    reader = subprocess.Popen(("cat", "pipe"), stdout=subprocess.PIPE)
    assert run("score", "--gold", "g.conll", "-s", "m=g.conll", "--json", "pipe").code == 0
    assert json.loads(reader.communicate(timeout=30)[0])["command"] == "score"
    assert Path("pipe").is_fifo()


def test_tokens_of_white_space_do_not_move_character_spans(write: Callable[..., str], run: Callable[..., Any]) -> None:
    text = {"text": "a \n b", "tokens": ["a", "\n", "b"], "spans": [{"start": 4, "end": 5, "label": "X"}]}
    tokens = {"tokens": ["a", "\n", "b"], "spans": [{"start": 2, "end": 3, "label": "X"}]}
    write("c.jsonl", json.dumps(text) + "\n")
    write("t.jsonl", json.dumps(tokens) + "\n")
    assert value(run, "f1", "--gold", "c.jsonl", "-s", "m=t.jsonl") == 1
    assert value(run, "f1", "--gold", "t.jsonl", "-s", "m=c.jsonl") == 1


def test_lists_among_strings_are_lists(write: Callable[..., str], run: Callable[..., Any]) -> None:
    write("g.jsonl", '{"labels": ["a", "b"]}\n{"labels": "c"}\n')
    write("s.jsonl", '{"labels": ["a", "b"]}\n{"labels": ["c"]}\n')
    assert value(run, "f1", "--gold", "g.jsonl", "-s", "m=s.jsonl") == 1
    texts = slicewise.Evaluation.from_texts([["a", "b"], "c"], {"m": ["b", "c"]})
    assert slicewise.score(texts, metrics="exact-match", resamples=0).systems["m"].metrics["exact-match"].value == 1


@pytest.mark.parametrize(
    ("lines", "task"),
    [
        (["very positive", "positive", "neutral", "negative", "very negative"] * 40, "labels"),
        (["US politics", "UK politics", "politics"] * 20, "labels"),
        ([f"this is sentence number {i} of the text" for i in range(40)], "text"),
        ([f"{i / 7:.5f}" for i in range(40)], "text"),
        (["red", "red blue", "blue", "blue green", "green"] * 10, "multilabel"),
        (["yes", "no", "yes"], "labels"),
    ],
)
def test_plausible_files_are_told_right(write: Callable[..., str], lines: list[str], task: str) -> None:
    name = write("g.txt", "\n".join(lines) + "\n")
    assert slicewise.load(gold=name, systems={"m": name}).task == task


def test_no_answer_is_not_the_negative_label() -> None:
    gold = ["0", "1", "0", "a", "1", "0"]
    answers = ["0", None, "1", "a", "1", None]
    plain = slicewise.score(slicewise.Evaluation.from_labels(gold, {"m": answers}), resamples=0)
    negative = slicewise.score(slicewise.Evaluation.from_labels(gold, {"m": answers}, negative_label="0"), resamples=0)
    for metric in ("accuracy", "kappa", "mcc", "balanced-accuracy"):
        assert negative.systems["m"].metrics[metric].value == plain.systems["m"].metrics[metric].value


def test_an_ignored_label_does_not_make_an_empty_output_right() -> None:
    evaluation = slicewise.Evaluation.from_labels(["x", "x", "i", "i"], {"m": ["x", "x", None, "i"]}, ignore=["i"])
    assert slicewise.score(evaluation, resamples=0).systems["m"].metrics["accuracy"].value == 0.75


def test_labels_that_become_ignored_ones_are_ignored() -> None:
    evaluation = slicewise.Evaluation.from_labels(["a", "b"], {"m": ["a", "b"]}, map={"a": "b"}, ignore=["b"])
    assert evaluation.units.height == 0


def test_data_sets_with_nearly_one_name_get_folders_of_their_own(
    write: Callable[..., str], run: Callable[..., Any]
) -> None:
    write("g.conll", GOLD)
    write(
        "c.toml",
        "".join(f'[[dataset]]\nname = "{n}"\ngold = "g.conll"\nsystems = {{m = "g.conll"}}\n' for n in ("a/b", "a_b")),
    )
    assert run("score", "--config", "c.toml", "--csv", "out", "--resamples", "0").code == 0
    assert sorted(p.name for p in Path("out").iterdir()) == ["a_b", "a_b-2"]


@pytest.mark.parametrize(
    "content",
    [
        '{"tokens": [["a"]], "tags": [["O"]]}',
        '{"tokens": ["a"], "tags": [{"x": 1}]}',
        '{"text": null, "tokens": ["a"], "spans": [{"start": 0, "end": 1, "label": "X"}]}',
        '{"tokens": ["a"], "spans": [{"start": 0, "end": 1, "label": ["X"]}]}',
        '{"labels": [["a"]]}',
    ],
)
def test_values_of_an_unexpected_kind_are_one_line(
    write: Callable[..., str], run: Callable[..., Any], content: str
) -> None:
    write("x.jsonl", content + "\n")
    ran = run("score", "--gold", "x.jsonl", "-s", "m=x.jsonl", "--resamples", "0")
    assert ran.code in (0, 2)
    if ran.code:
        assert ran.err.startswith("slicewise: x.jsonl")
        assert ran.err.count("\n") == 1


def test_escape_sequences_in_a_header_do_not_reach_the_terminal(
    write: Callable[..., str], run: Callable[..., Any]
) -> None:
    write("x.csv", "text,lab\x1b]0;HACK\x07el\na,b\n")
    ran = run("score", "--gold", "x.csv:foo", "-s", "m=x.csv:foo")
    assert ran.code == 2
    assert "\x1b" not in ran.err
    assert "\n" not in slicewise.Evaluation.from_labels(["a"], {"A\nB": ["a"]}).signature()


@pytest.mark.parametrize("n", [120, 200])
def test_hundreds_of_spans_that_all_overlap_are_solved_at_once(n: int) -> None:
    """By a matrix: to take them one by one would be a million lines of code that is run."""
    items = [["w"] * (2 * n)]
    gold = [[(i, n + i, "X") for i in range(n)]]
    returned = [[(i, n + i + 1, "Y") for i in range(n)]]
    evaluation = slicewise.Evaluation.from_spans(items, gold, {"m": returned})
    result = slicewise.score(evaluation, resamples=0)
    assert result.systems["m"].errors == {"boundary": 0, "type": 0, "boundary_type": n, "missed": 0, "spurious": 0}
    assert work_of(lambda: slicewise.score(evaluation, resamples=0)).lines < 20_000
