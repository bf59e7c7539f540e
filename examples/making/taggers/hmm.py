"""A first-order hidden Markov model; words seen once or never are replaced by what they look like."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

from making.conll import Sentence, tags_of, words_of
from making.taggers.features import shape

if TYPE_CHECKING:
    from collections.abc import Sequence

EDGE = "edge"
SMOOTH = 0.05


@dataclass(frozen=True)
class Hmm:
    """Log-probabilities of tags after tags and of words from tags."""

    tags: list[str]
    steps: dict[tuple[str, str], float]
    emits: dict[tuple[str, str], float]
    rarest: dict[str, float]
    known: frozenset[str]

    @classmethod
    def train(cls, sentences: Sequence[Sentence]) -> Hmm:
        """Counts with a little added to each."""
        seen = Counter(word for sentence in sentences for word in words_of(sentence))
        known = frozenset(word for word, count in seen.items() if count > 1)
        steps: Counter[tuple[str, str]] = Counter()
        emits: Counter[tuple[str, str]] = Counter()
        totals: Counter[str] = Counter()
        for sentence in sentences:
            tags = [EDGE, *tags_of(sentence), EDGE]
            steps.update(pairwise(tags))
            totals.update(tags[:-1])
            emits.update((token.tag, look(token.text, known)) for token in sentence)
        tags = sorted(set(totals) - {EDGE})
        forms = len({form for _, form in emits})
        return cls(
            tags,
            {
                (a, b): log((steps[a, b] + SMOOTH) / (totals[a] + SMOOTH * len(totals)))
                for a in sorted(totals)
                for b in sorted(totals)
            },
            {
                (tag, form): log((count + SMOOTH) / (totals[tag] + SMOOTH * forms))
                for (tag, form), count in emits.items()
            },
            {tag: log(SMOOTH / (totals[tag] + SMOOTH * forms)) for tag in tags},
            known,
        )

    def tag(self, sentences: Sequence[Sentence]) -> list[list[str]]:
        """IOB2 tags of every sentence, by Viterbi's algorithm."""
        return [self._best([look(word, self.known) for word in words_of(sentence)]) for sentence in sentences]

    def _best(self, forms: list[str]) -> list[str]:
        scores = {tag: self.steps[EDGE, tag] + self._emit(tag, forms[0]) for tag in self.tags}
        back: list[dict[str, str]] = []
        for form in forms[1:]:
            came = {tag: self._before(tag, scores) for tag in self.tags}
            scores = {tag: scores[came[tag]] + self.steps[came[tag], tag] + self._emit(tag, form) for tag in self.tags}
            back.append(came)
        path = [max(self.tags, key=lambda tag: scores[tag] + self.steps[tag, EDGE])]
        for came in reversed(back):
            path.append(came[path[-1]])
        return path[::-1]

    def _before(self, tag: str, scores: dict[str, float]) -> str:
        return max(self.tags, key=lambda old: scores[old] + self.steps[old, tag])

    def _emit(self, tag: str, form: str) -> float:
        return self.emits.get((tag, form), self.rarest[tag])


def look(word: str, known: frozenset[str]) -> str:
    """The word, or the shape of a word that is not known."""
    return word if word in known else "shape " + shape(word)
