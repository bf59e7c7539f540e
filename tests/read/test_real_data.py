"""Real files, as they are."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from slicewise import Evaluation, load, score

if TYPE_CHECKING:
    from pathlib import Path

F1 = {
    "arcada": 39.98,
    "drexel_cci": 26.30,
    "flytxt": 38.35,
    "mic-cis": 37.06,
    "sjtu_adapt": 40.42,
    "spinningbytes": 40.78,
    "uh_ritual": 41.86,
}


@pytest.fixture(scope="module")
def wnut17(shared_data: Path) -> Evaluation:
    folder = shared_data / "wnut17"
    if not folder.is_dir():
        pytest.skip("no WNUT17 in the shared data")
    systems = {name: folder / "systems" / f"{name}.conll" for name in F1}
    return load(gold=folder / "test.conll", systems=systems, train=folder / "train.conll")


def test_wnut17_sizes(wnut17: Evaluation) -> None:
    assert wnut17.task == "spans"
    assert wnut17.name == "test"
    assert wnut17.aligned.items == 1287
    assert int(wnut17.units["gold"].sum()) == 1079


def test_wnut17_f1(wnut17: Evaluation) -> None:
    found = score(wnut17, resamples=0).systems
    assert {name: round(100 * (s.metrics["f1"].value or 0), 2) for name, s in found.items()} == F1


def test_wnut17_changed_tokens_are_counted(wnut17: Evaluation) -> None:
    assert any("1,283 tokens of" in w for w in wnut17.warnings)


def test_wnut17_training_file(wnut17: Evaluation, shared_data: Path) -> None:
    rows = (shared_data / "wnut17" / "train.conll").read_bytes().decode().split("\n")
    assert wnut17.train is not None
    assert wnut17.train.summary()["tokens"] == sum(bool(row.strip()) for row in rows)


def test_sst2(shared_data: Path) -> None:
    folder = shared_data / "sst2"
    if not folder.is_dir():
        pytest.skip("no SST-2 in the shared data")
    e = load(
        gold=f"{folder}/sst2-dataset.tsv:2",
        inputs=[f"{folder}/sst2-dataset.tsv:1"],
        systems={name: folder / f"sst2-{name}-output.txt" for name in ("lstm", "cnn")},
    )
    assert e.task == "labels"
    assert e.aligned.items == 1821
    assert e.aligned.fields["in"][0].startswith("if you sometimes like to go to the movies")
    assert score(e, resamples=0).systems["lstm"].metrics["accuracy"].value == pytest.approx(0.8803, abs=5e-5)


def test_ted(shared_data: Path) -> None:
    folder = shared_data / "ted-slk-eng"
    if not folder.is_dir():
        pytest.skip("no TED talks in the shared data")
    source = folder / "ted_multi_slk_eng-dataset.tsv"
    systems = {name: folder / f"ted_multi_slk_eng-{name}-output.txt" for name in ("nmt", "pbmt")}
    e = load(gold=f"{source}:2", inputs=[f"{source}:1"], systems=systems)
    with source.open(encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\r\n").split("\t") for line in file]
    assert e.task == "text"
    assert e.aligned.items == len(rows)
    assert e.aligned.fields["in"].to_list() == [row[0] for row in rows]
    assert e.aligned.answers is not None
    assert e.aligned.answers["gold"].to_list() == [row[1] for row in rows]


MODELS = ["6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"]


def test_gsm8k(shared_data: Path) -> None:
    file = shared_data / "gsm8k" / "example_model_solutions.jsonl"
    if not file.is_file():
        pytest.skip("no GSM8K in the shared data")
    e = load(systems={name: f"{file}:{name}.is_correct" for name in MODELS}, inputs=[f"{file}:question"])
    import json

    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    assert e.task == "scores"
    assert e.aligned.items == len(rows) == 1319
    assert e.aligned.fields["in"].to_list() == [row["question"] for row in rows]
    assert e.aligned.answers is not None
    for name in MODELS:
        assert e.aligned.answers[name].to_list() == [float(row[name]["is_correct"]) for row in rows]


def test_the_examples_load(examples: Path) -> None:
    e = load(gold=examples / "news" / "test.conll", systems={"hmm": examples / "news" / "systems" / "hmm.conll"})
    assert e.task == "spans"
    with (examples / "news" / "test.conll").open(encoding="utf-8", newline="") as file:
        tags = [row[-1] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row and row[-1]]
    assert int(e.units["gold"].sum()) == sum(tag.startswith("B-") for tag in tags)
