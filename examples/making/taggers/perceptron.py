"""An averaged perceptron that tags from left to right and never looks back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from making.conll import OUTSIDE, Sentence, tags_of, words_of
from making.linear import Averaged
from making.taggers.features import spelling

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

ROUNDS = 4


@dataclass(frozen=True)
class Perceptron:
    """Weights for every feature and tag."""

    model: Averaged

    def tag(self, sentences: Sequence[Sentence]) -> list[list[str]]:
        """IOB2 tags of every sentence."""
        return [self._tag(words_of(sentence)) for sentence in sentences]

    def _tag(self, words: list[str]) -> list[str]:
        tags: list[str] = []
        for i in range(len(words)):
            tags.append(self.model.predict(describe(words, i, tags[-1] if tags else OUTSIDE)))
        return tags


def train(sentences: Sequence[Sentence], rng: random.Random) -> Perceptron:
    """A few rounds over the sentences in random order, with the model's own last tag as a feature."""
    labels = sorted({token.tag for sentence in sentences for token in sentence})
    model = Averaged(labels)
    order = list(sentences)
    for _ in range(ROUNDS):
        rng.shuffle(order)
        for sentence in order:
            words, last = words_of(sentence), OUTSIDE
            for i, gold in enumerate(tags_of(sentence)):
                last = model.learn(describe(words, i, last), gold)
    return Perceptron(model.averaged())


def describe(words: Sequence[str], i: int, last: str) -> list[str]:
    """Spelling features and the tag before."""
    return [*spelling(words, i), "t=" + last, f"t={last}|{words[i].lower()}"]
