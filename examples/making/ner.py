"""Trains the taggers of a domain and writes what they say about its test set, in the shapes that real files have."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from making.conll import Columns, Document, Sentence, bioes, flatten, iob1, write_predictions
from making.taggers import crf, features, gazetteer, hmm, perceptron

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

Tags = list[list[str]]
COLUMNS: dict[str, Columns] = {
    "gazetteer": lambda token, tag: f"{token.text} {tag}",
    "hmm": lambda token, tag: f"{token.text}\t{tag}",
    "perceptron": lambda token, tag: f"{token.text}\t{token.tag}\t{tag}",
    "crf": lambda token, tag: f"{token.text}\t{tag}",
    "crf-char": lambda _, tag: tag,
}
SCHEMES: dict[str, Callable[[Sequence[str]], list[str]]] = {"iob1": iob1, "iob2": list, "bioes": bioes}
RESTARTS = (1, 2)


@dataclass(frozen=True)
class Files:
    """The tag scheme of each system's file, where it is not IOB2, and that of the gold column some repeat."""

    scheme: Mapping[str, str] = field(default_factory=dict)
    gold: str = "iob2"


def write_systems(folder: Path, train: Sequence[Document], test: Sequence[Document], files: Files) -> None:
    """All systems of a domain; the two CRFs twice, each time on another four fifths of the documents."""
    known, unknown = flatten(train), flatten(test)
    write(folder, "gazetteer", "", unknown, gazetteer.Gazetteer.train(known).tag(unknown), files)
    write(folder, "hmm", "", unknown, hmm.Hmm.train(known).tag(unknown), files)
    write(folder, "perceptron", "", unknown, perceptron.train(known, random.Random(1)).tag(unknown), files)
    for name, describe in (("crf", features.words), ("crf-char", features.characters)):
        for restart in RESTARTS:
            tags = crf.train_and_tag(part_of(train, restart), unknown, describe)
            write(folder, name, f".{restart}", unknown, tags, files)


def part_of(train: Sequence[Document], restart: int) -> list[Sentence]:
    """Four of five documents, in an order of their own."""
    rng = random.Random(restart)
    return flatten(rng.sample(train, len(train) * 4 // 5))


def write(folder: Path, name: str, ending: str, gold: Sequence[Sentence], tags: Tags, files: Files) -> None:
    """One system's file."""
    to_scheme = SCHEMES[files.scheme.get(name, "iob2")]
    gold_scheme = SCHEMES[files.gold]
    shown = [
        [
            token._replace(tag=tag)
            for token, tag in zip(sentence, gold_scheme([token.tag for token in sentence]), strict=True)
        ]
        for sentence in gold
    ]
    write_predictions(folder / f"{name}{ending}.conll", shown, [to_scheme(each) for each in tags], COLUMNS[name])
