"""What a converted file was is told, and all that goes by the format goes as with the original."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import slicewise
from slicewise import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Write

OWN = "Ann NNP B-PER B-PER\nsang VBD O B-PER\n\nBob NNP B-LOC B-PER\n"
GOLD = "-DOCSTART- O\n\nAnn NN\nsang VB\n\n-DOCSTART- O\n\nBob NN\n"
WORDS = {"label": ["a", "b"], "mine": ["x", "y"], "text": ["one", "two"]}
JSONL = "".join(json.dumps({key: values[i] for key, values in WORDS.items()}) + "\n" for i in (0, 1, 1, 0))


def both(data: dict[str, Any], **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the scores of the files, and of the files converted."""
    new = {key: value if isinstance(value, dict) else converted(value) for key, value in data.items()}
    new["systems"] = {name: converted(file) for name, file in data["systems"].items()}
    found = []
    for one in (data, new):
        document = slicewise.score(slicewise.load(**one, name="x", **options), resamples=5).to_dict()
        del document["signature"]
        found.append(document)
    return found[0], found[1]


def converted(given: str) -> str:
    name, colon, column = given.partition(":")
    slicewise.convert(name, f"{name}.parquet")
    return f"{name}.parquet{colon}{column}"


def test_a_system_that_brings_its_gold(write: Write) -> None:
    before, after = both({"systems": {"a": write("a.conll", OWN), "b": write("b.conll", OWN)}})
    assert after == before


def test_a_system_that_brings_no_gold(write: Write) -> None:
    file = converted(write("a.conll", "Ann B-PER\n\nsang O\n"))
    with pytest.raises(UserError, match="2 columns; without --gold a system's file needs token, gold tag"):
        slicewise.load(systems={"a": file})
    file = converted(write("b.conll", OWN))
    with pytest.raises(UserError, match="a column is named, but there is no --gold"):
        slicewise.load(systems={"a": f"{file}:2"})


@pytest.mark.parametrize("predictions", ["NN\nNN\n\nNN\n", "O\n\nNN\nNN\n\nO\n\nNN\n"])
def test_predictions_alone(write: Write, predictions: str) -> None:
    gold, system = write("gold.conll", GOLD), write("a.txt", predictions)
    before, after = both({"gold": gold, "systems": {"a": system}}, task="tokens")
    assert after == before
    mixed = slicewise.load(gold=f"{gold}.parquet", systems={"a": system}, name="x", task="tokens")
    assert slicewise.score(mixed, resamples=5).to_dict()["result"] == before["result"]


def test_training_data_in_objects_has_its_own_answer(write: Write) -> None:
    gold, train = write("gold.jsonl", JSONL), write("train.jsonl", JSONL)
    found = []
    for file in (train, converted(train)):
        loaded = slicewise.load(gold=f"{gold}:mine", train=file, systems={"a": f"{gold}:mine"})
        assert loaded.train is not None
        found.append(repr(loaded.train).replace(file, ""))
    assert found[0] == found[1]


@pytest.mark.parametrize(("said", "content"), [("conll", "a O\n\nb O\n"), ("jsonl", JSONL), ("lines", "a\nb\n")])
def test_the_format_may_be_said(write: Write, said: str, content: str) -> None:
    file = write("x", content)
    before, after = both({"gold": file, "systems": {"a": file}}, format=said)
    assert after == before


def test_other_formats_are_no_lines(write: Write) -> None:
    file = converted(write("y.jsonl", JSONL))
    with pytest.raises(UserError, match="a jsonl file in Parquet, not lines; convert it again with --format lines"):
        slicewise.load(gold=file, systems={"a": file}, format="lines")


def test_text_that_looks_like_conll_is_no_input(write: Write, tmp_path: Path) -> None:
    text = write("in.txt", "Ann O\n\nsang O\n")
    file = converted(write("gold.txt", "a\nb\nc\n"))
    with pytest.raises(UserError, match="a conll file in Parquet, not lines; convert it again with --format lines"):
        slicewise.load(gold=file, systems={"a": file}, inputs=converted(text))
    slicewise.convert(text, tmp_path / "in.parquet", format="lines")
    assert slicewise.load(gold=file, systems={"a": file}, inputs="in.parquet").aligned.items == 3
