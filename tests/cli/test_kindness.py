"""Slips that would give a silent wrong answer are said, and names are what a person would expect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import slicewise

if TYPE_CHECKING:
    from support.commands import Run, Write

GOLD = "a\tB-PER\nb\tO\n\nc\tB-LOC\n\n"
OTHER = "a\tB-PER\nb\tO\n\nc\tB-PERS\n\n"


def scored(run: Run, *arguments: str) -> dict[str, Any]:
    ran = run("score", *arguments, "--json", "-", "--resamples", "0")
    assert ran.code == 0, ran.err
    document: dict[str, Any] = json.loads(ran.out)
    return document


def test_files_without_a_name_are_systems_of_their_own(write: Write, run: Run) -> None:
    write("g.conll", GOLD)
    names = [write("ner-v1.0.conll", GOLD), write("ner-v1.5.conll", OTHER)]
    found = scored(run, "--gold", "g.conll", "-s", names[0], "-s", names[1])
    assert found["data"]["systems"] == ["ner-v1.0", "ner-v1.5"]
    assert found["data"]["restarts"] == {}


def test_two_files_that_would_get_one_name_are_refused(write: Write, run: Run) -> None:
    write("g.conll", GOLD)
    write("old/out.conll", GOLD)
    write("new/out.conll", OTHER)
    ran = run("score", "--gold", "g.conll", "-s", "old/out.conll", "-s", "new/out.conll")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "slicewise: two systems would be called 'out'; name them: --system NAME=FILE\n"


def test_a_column_without_a_name_gives_its_own(write: Write, run: Run) -> None:
    write("log.jsonl", '{"a": {"ok": true}, "b": {"ok": false}}\n{"a": {"ok": true}, "b": {"ok": true}}\n')
    found = scored(run, "-s", "log.jsonl:a.ok", "-s", "log.jsonl:b.ok")
    assert found["data"]["systems"] == ["a.ok", "b.ok"]
    assert found["data"]["name"] == "log"


def test_a_mapped_label_that_nobody_has_is_said(write: Write, run: Run) -> None:
    write("g.conll", GOLD)
    found = scored(run, "--gold", "g.conll", "-s", "m=g.conll", "--map", "PRE=PER")
    assert "--map PRE=PER: no unit has the label PRE" in found["data"]["warnings"]


def test_a_label_that_gold_never_has_is_said(write: Write, run: Run) -> None:
    write("g.conll", GOLD)
    write("m.conll", OTHER)
    found = scored(run, "--gold", "g.conll", "-s", "m=m.conll", "-s", "same=g.conll")
    assert [w for w in found["data"]["warnings"] if "never a label" in w] == [
        "m: never a label in gold: 'PERS' (1 unit)"
    ]


def test_tabs_in_text_are_said_to_be_references(write: Write, run: Run) -> None:
    write("g.tsv", "one two\tx\nthree four five\ty\n")
    write("s.txt", "one two\nno\n")
    found = scored(run, "--gold", "g.tsv", "-s", "s=s.txt", "-m", "exact-match", "--task", "text")
    assert found["result"]["systems"]["s"]["metrics"]["exact-match"]["value"] == 0.5
    assert "name one: FILE:2" in found["data"]["warnings"][0]


@pytest.mark.parametrize(
    ("given", "scheme"), [("BIO", "iob2"), ("IOB2", "iob2"), ("iobes", "bioes"), ("BMEWO", "bmes")]
)
def test_schemes_go_by_other_names_too(write: Write, run: Run, given: str, scheme: str) -> None:
    write("g.conll", GOLD)
    found = scored(run, "--gold", "g.conll", "-s", "m=g.conll", "--scheme", given)
    assert f"scheme:{scheme}" in found["signature"]


def test_metrics_may_be_separated_by_commas(write: Write, run: Run) -> None:
    write("g.conll", GOLD)
    found = scored(run, "--gold", "g.conll", "-s", "m=g.conll", "-m", "f2.0,precision")
    assert found["result"]["metrics"] == ["f2", "precision"]


def test_systems_of_the_command_line_join_those_of_the_configuration(write: Write, run: Run) -> None:
    write("g.conll", GOLD)
    write("c.toml", '[[dataset]]\nname = "d"\ngold = "g.conll"\n[dataset.systems]\na = "g.conll"\n')
    assert scored(run, "--config", "c.toml", "-s", "b=g.conll")["data"]["systems"] == ["a", "b"]


def test_no_arguments_show_help_and_nothing_else(run: Run) -> None:
    ran = run()
    assert ran.code == 2
    assert "Usage" in ran.out + ran.err
    assert "; see" not in ran.err


def test_units_of_scores_are_items(write: Write, run: Run) -> None:
    write("s.txt", "0.5\n1\n")
    ran = run("units", "--system", "m=s.txt", "--task", "scores", "-o", "u.csv")
    assert ran.code == 0, ran.err
    assert pl.read_csv("u.csv").to_dicts() == [
        {"item": 0, "m": 0.5, "cluster": 0},
        {"item": 1, "m": 1.0, "cluster": 1},
    ]


def test_units_of_labels_have_their_text(write: Write, run: Run) -> None:
    write("g.txt", "x\ny\n")
    write("in.txt", "first text\nsecond\n")
    ran = run("units", "--gold", "g.txt", "--system", "m=g.txt", "--task", "labels", "--input", "in.txt", "-o", "u.csv")
    assert ran.code == 0, ran.err
    assert pl.read_csv("u.csv")["text"].to_list() == ["first text", "second"]


def test_an_evaluation_shows_itself_briefly_and_data_from_memory_are_pinned() -> None:
    one = slicewise.Evaluation.from_labels(["a", "b"], {"m": ["a", "a"]})
    other = slicewise.Evaluation.from_labels(["a", "b"], {"m": ["a", "b"]})
    assert repr(one) == "<slicewise.Evaluation 'data': task labels, 2 items, 3 units, systems m>"
    assert one.signature() != other.signature()
    assert repr(slicewise.score(one, resamples=0)).startswith("data · 2 items")


def test_python_mistakes_get_a_sentence() -> None:
    one = slicewise.Evaluation.from_labels(["a", "b"], {"m": ["a", "a"]})
    assert slicewise.score(one, metrics="accuracy", resamples=0).metrics == ("accuracy",)
    with pytest.raises(slicewise.UserError, match="did you mean 'scores'"):
        slicewise.score(one, resamples=0).to_polars("score")
    with pytest.raises(slicewise.UserError, match="systems must be named"):
        slicewise.Evaluation.from_labels(["a"], ["a"])  # type: ignore[arg-type]
    with pytest.raises(slicewise.UserError, match="systems must be named"):
        slicewise.Evaluation.from_tags(None, [["O"]], [["O"]])  # type: ignore[arg-type]


def test_a_header_of_a_numbered_column_is_noticed(write: Write, run: Run) -> None:
    rows = "".join(f"text {i}\t{'good' if i % 2 else 'bad'}\n" for i in range(30))
    write("g.tsv", "review\tsentiment\n" + rows)
    found = scored(run, "--gold", "g.tsv:2", "-s", "m=g.tsv:2")
    assert (
        "g.tsv: is 'sentiment' in the first row a header? if so, name the column: FILE:sentiment"
        in found["data"]["warnings"]
    )
    write("h.tsv", rows)
    assert not [w for w in scored(run, "--gold", "h.tsv:2", "-s", "m=h.tsv:2")["data"]["warnings"] if "header" in w]


def test_items_without_spans_are_counted(write: Write, run: Run) -> None:
    write("g.jsonl", '{"tokens": ["a"], "spans": [{"start": 0, "end": 1, "label": "X"}]}\n{"tokens": ["b"]}\n')
    warnings = scored(run, "--gold", "g.jsonl", "-s", "m=g.jsonl")["data"]["warnings"]
    assert [w for w in warnings if "1 item without 'spans', taken to have none" in w]
