"""Ilvari into English: sentence pairs, and the work of three translators."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from making.files import write_rows
from making.language import Language
from making.translators import dictionary
from making.translators.dictionary import Learnt
from making.translators.memory import Memory
from making.translators.phrases import Phrases

if TYPE_CHECKING:
    from pathlib import Path

TRAIN, TEST = 3000, 700
Pair = tuple[str, str]


def make(output: Path) -> None:
    """Writes the folder `translation`."""
    language = Language(random.Random("translation"))
    train = write_pairs(language, TRAIN, set())
    language.late = True
    test = write_pairs(language, TEST, {source for source, _ in train})
    folder = output / "translation"
    for part, pairs in (("train", train), ("test", test)):
        write_rows(folder / f"{part}.src", [source for source, _ in pairs])
        write_rows(folder / f"{part}.ref", [target for _, target in pairs])
    learnt = Learnt.train([source for source, _ in train], [target for _, target in train])
    sources = [source for source, _ in test]
    memory, phrases = Memory(learnt), Phrases(learnt)
    write_rows(folder / "systems" / "dictionary.txt", [dictionary.translate(learnt, line) for line in sources])
    write_rows(folder / "systems" / "memory.txt", [memory.translate(line) for line in sources])
    write_rows(folder / "systems" / "phrase.txt", [phrases.translate(line) for line in sources])


def write_pairs(language: Language, count: int, seen: set[str]) -> list[Pair]:
    """Pairs whose source is not among those seen."""
    pairs: dict[str, str] = {}
    while len(pairs) < count:
        source, target = language.sentence()
        if source not in seen:
            pairs.setdefault(source, target)
    return list(pairs.items())
