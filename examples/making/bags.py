"""Texts as bags of words, and naive Bayes on them; for the classification examples."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WORD = re.compile(r"[\w'-]+|[^\w\s]")


def words(text: str) -> list[str]:
    """Words and marks in small letters."""
    return WORD.findall(text.lower())


def bigrams(text: str) -> list[str]:
    """Words and pairs of words, each once."""
    single = words(text)
    pairs = [f"{a} {b}" for a, b in pairwise(single)]
    return list(dict.fromkeys([*single, *pairs, "always"]))


@dataclass(frozen=True)
class Bayes:
    """Multinomial naive Bayes with one added to each count."""

    priors: dict[str, float]
    likely: dict[str, dict[str, float]]

    @classmethod
    def train(cls, texts: Sequence[str], labels: Sequence[str]) -> Bayes:
        """Counts words under each label."""
        counts: dict[str, Counter[str]] = {label: Counter() for label in sorted(set(labels))}
        for text, label in zip(texts, labels, strict=True):
            counts[label].update(words(text))
        vocabulary = sorted({word for count in counts.values() for word in count})
        sizes = {label: count.total() + len(vocabulary) for label, count in counts.items()}
        likely = {
            label: {word: log((count[word] + 1) / sizes[label]) for word in vocabulary}
            for label, count in counts.items()
        }
        return cls({label: log(labels.count(label) / len(labels)) for label in counts}, likely)

    def predict(self, text: str) -> str:
        """The likeliest label; words never seen say nothing."""
        found = words(text)

        def score(label: str) -> float:
            likely = self.likely[label]
            return self.priors[label] + sum(likely.get(word, 0.0) for word in found)

        return max(self.priors, key=score)
