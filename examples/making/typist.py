"""How people type: in small letters, with slips, hashtags and loooong words. Tags stay with their tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from making.conll import OUTSIDE, Sentence, Span, Token, spans, tags_of, words_of
from making.grammar import read_words

if TYPE_CHECKING:
    import random

STRETCHED = frozenset(read_words("lists")["stretched"])
VOWELS = "aeiou"


@dataclass(frozen=True)
class Typist:
    """One person in a thread and their habits, as chances."""

    small: float
    capitals: float
    slips: float
    hashtags: float
    rng: random.Random

    @classmethod
    def somebody(cls, rng: random.Random) -> Typist:
        """A person drawn at random: careful, lazy or loud."""
        small = rng.choice((0.03, 0.25, 0.7, 0.97))
        return cls(
            small, rng.choice((0.0, 0.01, 0.08)), rng.choice((0.0, 0.03, 0.08, 0.15)), rng.choice((0.0, 0.05, 0.2)), rng
        )

    def type(self, sentence: Sentence) -> Sentence:
        """A message as this person would type it."""
        shouting = self.rng.random() < self.capitals
        small = self.rng.random() < self.small
        typed: Sentence = []
        for token in self._tagged(sentence):
            text = token.text
            if shouting:
                text = text.upper()
            elif small:
                text = text.lower()
            typed.append(Token(self._slip(self._stretch(text)), token.tag))
        return typed

    def _tagged(self, sentence: Sentence) -> Sentence:
        """Some names as hashtags: `New York` becomes the one token `#NewYork`."""
        out: Sentence = []
        at = 0
        words = words_of(sentence)
        for span in spans(tags_of(sentence)):
            out.extend(sentence[at : span.start])
            out.extend(self._name(sentence, words, span))
            at = span.end
        return [*out, *sentence[at:]]

    def _name(self, sentence: Sentence, words: list[str], span: Span) -> Sentence:
        joined = "".join(words[span.start : span.end])
        if joined.isalnum() and self.rng.random() < self.hashtags:
            return [Token("#" + joined, f"B-{span.label}")]
        return sentence[span.start : span.end]

    def _stretch(self, text: str) -> str:
        if text.lower() in STRETCHED and self.rng.random() < 0.25:
            last = max(i for i in range(len(text)) if i == 0 or text[i].lower() in VOWELS)
            return text[:last] + text[last] * self.rng.randint(3, 6) + text[last + 1 :]
        return text

    def _slip(self, text: str) -> str:
        """A letter lost, doubled or swapped with the next; words of other scripts and marks are left alone."""
        if len(text) < 4 or not text.isascii() or not text.isalpha() or self.rng.random() >= self.slips:
            return text
        i = self.rng.randrange(1, len(text) - 1)
        return self.rng.choice(
            (text[:i] + text[i + 1 :], text[: i + 1] + text[i:], text[:i] + text[i + 1] + text[i] + text[i + 2 :])
        )


def outside(words: list[str]) -> Sentence:
    """Words that belong to no entity."""
    return [Token(word, OUTSIDE) for word in words]
