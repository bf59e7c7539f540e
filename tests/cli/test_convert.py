"""`slicewise convert`: what it writes, what it refuses, and that results stay the same."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import slicewise
from slicewise import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from support.commands import Run, Write


Given = dict[str, Any]
CONLL = "Ann B-PER\nsang O\n\nBob B-PER\n"
NER = ("hmm", "perceptron", "crf.1", "crf-char.1")
DATA: dict[str, Given] = {
    "news": {
        "gold": "news/test.conll",
        "train": "news/train.conll",
        "systems": {name: f"news/systems/{name}.conll" for name in NER},
    },
    "chat": {"gold": "chat/test.conll", "systems": {name: f"chat/systems/{name}.conll" for name in NER}},
    "sentiment": {
        "gold": "sentiment/test.tsv:2",
        "inputs": ["sentiment/test.tsv:1"],
        "train": "sentiment/train.tsv",
        "systems": {name: f"sentiment/systems/{name}.txt" for name in ("bayes", "lexicon")},
    },
    "topics": {
        "gold": "topics/test.jsonl",
        "train": "topics/train.jsonl",
        "systems": {"bayes": "topics/systems/bayes.jsonl", "perceptron": "topics/systems/perceptron.txt"},
    },
    "translation": {
        "gold": "translation/test.ref",
        "inputs": ["translation/test.src"],
        "systems": {name: f"translation/systems/{name}.txt" for name in ("dictionary", "phrase")},
    },
    "questions": {
        "inputs": ["questions/log.jsonl:question"],
        "systems": {name: f"questions/log.jsonl:{name}.correct" for name in ("keywords", "parser")},
    },
}
REAL: dict[str, Given] = {
    "wnut17": {
        "gold": "wnut17/test.conll",
        "train": "wnut17/train.conll",
        "systems": {name: f"wnut17/systems/{name}.conll" for name in ("arcada", "uh_ritual")},
    },
    "sst2": {
        "gold": "sst2/sst2-dataset.tsv:2",
        "inputs": ["sst2/sst2-dataset.tsv:1"],
        "systems": {name: f"sst2/sst2-{name}-output.txt" for name in ("cnn", "lstm")},
    },
    "ted": {
        "gold": "ted-slk-eng/ted_multi_slk_eng-dataset.tsv:2",
        "inputs": ["ted-slk-eng/ted_multi_slk_eng-dataset.tsv:1"],
        "systems": {name: f"ted-slk-eng/ted_multi_slk_eng-{name}-output.txt" for name in ("nmt", "pbmt")},
    },
    "gsm8k": {
        "inputs": ["gsm8k/example_model_solutions.jsonl:question"],
        "systems": {
            f"{size}{kind}": f"gsm8k/example_model_solutions.jsonl:{size}_{kind}.is_correct"
            for size in ("6b", "175b")
            for kind in ("finetuning", "verification")
        },
    },
}
FAST: Given = {"resamples": 20}
COMMANDS: dict[str, Given] = {
    "score": FAST, "buckets": FAST, "features": {}, "items": {}, "complement": FAST, "difficulty": FAST, "units": {},
}  # fmt: skip


@pytest.mark.parametrize("name", DATA)
def test_results_stay_the_same(examples: Path, tmp_path: Path, name: str) -> None:
    check_same(examples, DATA[name], tmp_path, ("score", "features", "units") if name == "translation" else COMMANDS)


@pytest.mark.parametrize("name", REAL)
def test_results_on_real_data_stay_the_same(shared_data: Path, tmp_path: Path, name: str) -> None:
    if not (shared_data / str(next(iter(REAL[name]["systems"].values()))).partition(":")[0]).exists():
        pytest.skip(f"no {name} in the shared data")
    check_same(shared_data, REAL[name], tmp_path, ("score", "units"))


def check_same(folder: Path, data: Given, into: Path, commands: Iterable[str]) -> None:
    """Evaluate files and their conversions by every command, and compare the documents but for the files' hashes."""
    converted: dict[str, str] = {}
    before = documents(changed(data, lambda file: str(folder / file)), commands)
    after = documents(changed(data, lambda file: made(folder / file, into, converted)), commands)
    assert before.keys() == after.keys()
    for command, document in before.items():
        for new, old in converted.items():
            after[command] = after[command].replace(new, old)
        assert without_lines(after[command], converted) == without_lines(document, converted), command


def without_lines(document: str, converted: Mapping[str, str]) -> str:
    """Return a document without the numbers of lines, which Parquet has not."""
    for old in converted.values():
        document = re.sub(rf"{re.escape(old)}:\d+", old, document)
    return re.sub(r"first at line \d+", "first", document)


def changed(data: Given, change: Callable[[str], str]) -> Given:
    found = {key: change(value) for key, value in data.items() if isinstance(value, str)}
    systems = {name: change(file) for name, file in data["systems"].items()}
    return found | {"systems": systems, "inputs": [change(file) for file in data.get("inputs", ())]}


def made(given: Path, into: Path, converted: dict[str, str]) -> str:
    """Convert a file, once, and return its name with the column."""
    name, colon, column = str(given).partition(":")
    target = into / Path(name).parent.name / f"{Path(name).stem}{len(Path(name).suffix)}.parquet"
    target = target if Path(name).suffix != ".src" else target.with_name("src.parquet")
    target.parent.mkdir(exist_ok=True)
    if str(target) not in converted:
        slicewise.convert(name, target, rows=300)
        converted[str(target)] = name
    return f"{target}{colon}{column}"


def documents(data: Given, commands: Iterable[str]) -> dict[str, str]:
    evaluation = slicewise.load(**data, name="x")
    found = {}
    for command in commands:
        options = COMMANDS[command] | (
            {"metrics": ["gleu"]} if evaluation.task == "text" and command != "units" else {}
        )
        try:
            document = getattr(slicewise, command)(evaluation, **options).to_dict()
        except UserError as error:
            assert command in ("buckets", "complement", "difficulty"), error  # noqa: PT017 (they are not for all tasks)
            document = {"signature": "", "error": str(error)}
        del document["signature"]
        found[command] = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return found


@pytest.fixture
def folder(write: Write, tmp_path: Path) -> Path:
    write("gold.conll", CONLL)
    write("log.jsonl", '{"label": "a"}\n{"label": "b"}\n')
    return tmp_path


def test_one_file(folder: Path, run: Run) -> None:
    ran = run("convert", "gold.conll", "-o", "gold.parquet")
    assert (ran.code, ran.err) == (0, "")
    assert re.fullmatch(r"gold\.parquet: 2 items, 28 B → [\d.]+ k?B\n", ran.out)
    assert pl.read_parquet("gold.parquet").to_dict(as_series=False) == {
        "tokens": [["Ann", "sang"], ["Bob"]],
        "tags": [["B-PER", "O"], ["B-PER"]],
    }


def test_several_files_go_to_a_folder(folder: Path, run: Run) -> None:
    ran = run("convert", "gold.conll", "log.jsonl", "-o", "new/folder/", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert sorted(path.name for path in (folder / "new/folder").iterdir()) == ["gold.parquet", "log.parquet"]


def test_a_file_is_replaced_only_by_force(folder: Path, run: Run) -> None:
    (folder / "gold.parquet").write_text("mine")
    ran = run("convert", "log.jsonl", "gold.conll", "-o", ".")
    assert ran.code == 2
    assert ran.err == "slicewise: gold.parquet: is there already; choose another path, or replace it with --force\n"
    assert (folder / "gold.parquet").read_text() == "mine"
    assert not (folder / "log.parquet").exists()
    assert run("convert", "gold.conll", "-o", "gold.parquet", "--force").code == 0
    assert pl.read_parquet("gold.parquet").height == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("none.conll -o x.parquet", "none.conll: no such file; check the path"),
        ("gold.conll -o x.csv", "x.csv: unknown ending '.csv'; expected one of .parquet"),
        ("gold.conll log.jsonl -o x.parquet", "x.parquet: 2 files and one output; name a folder, as -o x.parquet/"),
        ("gold.conll gold.conll -o x/", "would be written of both gold.conll and gold.conll; convert them one by one"),
        ("gold.conll -o no/x.parquet", "no/x.parquet: cannot be written: 'no' is no folder; make it, or"),
        ("gold.conll -o gold.conll/", "gold.conll: cannot be written: 'gold.conll' is no folder"),
        ("gold.conll -o x.parquet --rows 0", "0 rows to a group; expected 1 to 1,000,000,000"),
        (f"gold.conll -o x.parquet --rows {10**20}", "00 rows to a group; expected 1 to 1,000,000,000"),
        ("gold.conll -o x.parquet --format conl", "unknown format 'conl'; did you mean 'conll'?"),
        ("gold.conll:1 -o x.parquet", "gold.conll:1: a column is named; a file is converted with all its columns"),
        (". -o x.parquet", ".: is a folder; name its files"),
        ("old.parquet -o x.parquet", "old.parquet: is Parquet already; use it as it is"),
        ("old.parquet -o old.parquet --force", "old.parquet: is read and would be written over"),
        ("bad.jsonl -o x.parquet", "bad.jsonl:2: not valid JSON"),
        ("empty.jsonl -o x.parquet", "the field 'b' holds objects without fields, which Parquet has not; leave it out"),
        ("gold.conll", "Missing option '--output'"),
    ],
)
def test_mistakes_are_told_in_a_line(folder: Path, run: Run, arguments: str, message: str) -> None:
    pl.DataFrame({"label": ["a"]}).write_parquet("old.parquet")
    (folder / "bad.jsonl").write_text('{"a": 1}\n{"a"\n')
    (folder / "empty.jsonl").write_text('{"a": 1, "b": [{"c": {}}]}\n')
    there = files(folder)
    ran = run("convert", *arguments.split())
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert files(folder) == there


def files(folder: Path) -> Iterable[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def test_ctrl_c_leaves_nothing(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(frame: pl.DataFrame, out: io.BufferedWriter, **_: object) -> None:
        out.write(b"PAR1")
        raise KeyboardInterrupt

    monkeypatch.setattr(pl.DataFrame, "write_parquet", stopped)
    there = files(folder)
    assert run("convert", "gold.conll", "-o", "x.parquet").code == 130
    assert files(folder) == there


def test_rows_of_a_group(folder: Path) -> None:
    (folder / "x.txt").write_text("".join(f"line {i}\n" for i in range(1000)))
    whole = slicewise.convert("x.txt", "whole.parquet")
    parts = slicewise.convert("x.txt", "parts.parquet", rows=10)
    assert whole.items == parts.items == 1000
    assert pl.read_parquet("parts.parquet").equals(pl.read_parquet("whole.parquet"))
    assert parts.after > 2 * whole.after  # a hundred groups, each with its own dictionary and statistics


def test_the_new_file_is_as_old_as_the_original(folder: Path) -> None:
    os.utime("gold.conll", (10**9, 10**9))
    slicewise.convert("gold.conll", "gold.parquet")
    assert Path("gold.parquet").stat().st_mtime == 10**9


def test_standard_input(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CONLL.encode())))
    ran = run("convert", "-", "-o", "new/")
    assert ran.code == 0
    assert re.fullmatch(r"new/stdin\.parquet: 2 items, [\d.]+ k?B\n", ran.out)
