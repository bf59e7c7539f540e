"""Longest match from a list of the names seen in training, each with its most frequent label."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from making.conll import Sentence, Span, iob2, spans, tags_of, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Key = tuple[str, ...]


@dataclass(frozen=True)
class Gazetteer:
    """Names and their labels; knows nothing of context."""

    labels: dict[Key, str]
    longest: int

    @classmethod
    def train(cls, sentences: Sequence[Sentence]) -> Gazetteer:
        """Counts the labels of every name."""
        counts: dict[Key, Counter[str]] = {}
        for sentence in sentences:
            words = words_of(sentence)
            for start, end, label in spans(tags_of(sentence)):
                counts.setdefault(tuple(words[start:end]), Counter())[label] += 1
        labels = {key: min(found, key=lambda label: (-found[label], label)) for key, found in counts.items()}
        return cls(labels, max(map(len, labels)))

    def tag(self, sentences: Sequence[Sentence]) -> list[list[str]]:
        """IOB2 tags of every sentence."""
        return [iob2(self._find(words_of(sentence)), len(sentence)) for sentence in sentences]

    def _find(self, words: list[str]) -> list[Span]:
        found: list[Span] = []
        start = 0
        while start < len(words):
            length = next((n for n in range(self.longest, 0, -1) if tuple(words[start : start + n]) in self.labels), 0)
            length = min(length, len(words) - start)
            if length:
                found.append(Span(start, start + length, self.labels[tuple(words[start : start + length])]))
            start += length or 1
        return found
