"""Scores of whole files: known values, and other programs on the same files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from seqeval.metrics import f1_score
from sklearn import metrics as sk
from sklearn.preprocessing import MultiLabelBinarizer

from slicewise import load, score

if TYPE_CHECKING:
    from pathlib import Path

WNUT17 = {
    "arcada": 39.98, "drexel_cci": 26.30, "flytxt": 38.35, "mic-cis": 37.06, "sjtu_adapt": 40.42,
    "spinningbytes": 40.78, "uh_ritual": 41.86,
}  # fmt: skip
SENTIMENT = {"lexicon": 0.709, "bayes": 0.821, "perceptron": 0.857}
TOPICS = {"keywords": (0.743, 0.424), "bayes": (0.753, 0.483), "perceptron": (0.792, 0.570)}
ENTITIES = {
    "news": {"gazetteer": 0.624, "hmm": 0.756, "perceptron": 0.796, "crf.1": 0.830, "crf-char.2": 0.838},
    "chat": {"gazetteer": 0.434, "hmm": 0.600, "perceptron": 0.661, "crf.1": 0.678, "crf-char.2": 0.738},
}
QUESTIONS = {"keywords": 0.408, "neighbour": 0.429, "parser": 0.735}


def value(scores: object) -> float:
    assert isinstance(scores, float)
    return scores


def last_column(path: Path) -> list[list[str]]:
    """Return the sentences of a file, each a list of the cells of its last column."""
    sentences: list[list[str]] = [[]]
    for line in path.read_text(encoding="utf-8").split("\n"):
        if not line.strip() or line.startswith("-DOCSTART-"):
            sentences.append([])
        else:
            sentences[-1].append(line.split()[-1])
    return [sentence for sentence in sentences if sentence]


def test_wnut17(shared_data: Path) -> None:
    folder = shared_data / "wnut17"
    evaluation = load(gold=folder / "test.conll", systems={name: folder / f"systems/{name}.conll" for name in WNUT17})
    result = score(evaluation, resamples=0)
    assert result.data["items"] == 1287
    assert result.data["gold_units"] == 1079
    found = {name: round(100 * value(scores.metrics["f1"].value), 2) for name, scores in result.systems.items()}
    assert found == WNUT17
    assert result.ranking()[0] == "uh_ritual"


def test_sst2(shared_data: Path) -> None:
    folder = shared_data / "sst2"
    evaluation = load(
        gold=f"{folder}/sst2-dataset.tsv:2", systems={"lstm": folder / "sst2-lstm-output.txt"}, task="labels"
    )
    result = score(evaluation, resamples=0)
    assert result.data["items"] == 1821
    assert round(value(result.systems["lstm"].metrics["accuracy"].value), 4) == 0.8803


@pytest.mark.parametrize("name", ENTITIES)
def test_entities_as_seqeval(examples: Path, name: str) -> None:
    folder = examples / name
    systems = {system: folder / f"systems/{system}.conll" for system in ENTITIES[name]}
    result = score(load(gold=folder / "test.conll", systems=systems), resamples=0)
    gold = last_column(folder / "test.conll")
    for system, known in ENTITIES[name].items():
        found = value(result.systems[system].metrics["f1"].value)
        assert found == pytest.approx(f1_score(gold, last_column(systems[system])), abs=1e-12), system
        assert round(found, 3) == known


def test_sentiment(examples: Path) -> None:
    folder = examples / "sentiment"
    systems = {name: folder / f"systems/{name}.txt" for name in SENTIMENT}
    result = score(load(gold=f"{folder}/test.tsv:2", systems=systems), resamples=0)
    gold = [line.split("\t")[1] for line in (folder / "test.tsv").read_text(encoding="utf-8").splitlines()]
    for name, known in SENTIMENT.items():
        returned = systems[name].read_text(encoding="utf-8").split()
        metrics = result.systems[name].metrics
        assert round(value(metrics["accuracy"].value), 3) == known
        assert metrics["accuracy"].value == pytest.approx(sk.accuracy_score(gold, returned))
        assert metrics["macro-f1"].value == pytest.approx(sk.f1_score(gold, returned, average="macro"))
        assert metrics["mcc"].value == pytest.approx(sk.matthews_corrcoef(gold, returned))


def test_topics(examples: Path) -> None:
    folder = examples / "topics"
    files = {"keywords": "keywords.jsonl", "bayes": "bayes.jsonl", "perceptron": "perceptron.txt"}
    systems = {name: folder / "systems" / file for name, file in files.items()}
    result = score(load(gold=folder / "test.jsonl", systems=systems), resamples=0)

    def labels(path: Path) -> list[list[str]]:
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        return [json.loads(line)["labels"] if path.suffix == ".jsonl" else line.split() for line in lines]

    gold = labels(folder / "test.jsonl")
    binary = MultiLabelBinarizer().fit(gold)
    for name, (micro, exact) in TOPICS.items():
        both = binary.transform(gold), binary.transform(labels(systems[name]))
        metrics = result.systems[name].metrics
        assert round(value(metrics["f1"].value), 3) == micro
        assert round(value(metrics["exact-match"].value), 3) == exact
        assert metrics["f1"].value == pytest.approx(sk.f1_score(*both, average="micro"))
        assert metrics["macro-f1"].value == pytest.approx(sk.f1_score(*both, average="macro"))
        assert metrics["hamming-loss"].value == pytest.approx(sk.hamming_loss(*both))


def test_questions(examples: Path) -> None:
    log = examples / "questions/log.jsonl"
    first = json.loads(log.read_text(encoding="utf-8").split("\n", 1)[0])
    systems = {name: f"{log}:{name}.correct" for name in QUESTIONS}
    assert set(QUESTIONS) <= set(first)
    result = score(load(systems=systems, task="scores"), resamples=0)
    found = {name: round(value(scores.metrics["mean"].value), 3) for name, scores in result.systems.items()}
    assert found == QUESTIONS
