"""Linear-chain conditional random fields, by python-crfsuite."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pycrfsuite

from making.conll import Sentence, tags_of, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from making.taggers.features import Describe

SETTINGS = {"c1": 0.05, "c2": 0.02, "max_iterations": 60, "feature.minfreq": 2}


def train_and_tag(train: Sequence[Sentence], test: Sequence[Sentence], describe: Describe) -> list[list[str]]:
    """IOB2 tags of the test sentences by a field trained on the others."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=SETTINGS, verbose=False)
    for sentence in train:
        trainer.append(described(sentence, describe), tags_of(sentence))
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        tags = [list(map(str, tagger.tag(described(sentence, describe)))) for sentence in test]
        tagger.close()
    return tags


def described(sentence: Sentence, describe: Describe) -> list[list[str]]:
    """The features of every word."""
    words = words_of(sentence)
    return [describe(words, i) for i in range(len(words))]
