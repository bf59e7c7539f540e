"""Who and what a document is about: a cast of names that it comes back to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from making.conll import OUTSIDE, Sentence, Token
from making.grammar import read_words

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from making.names import Name, Pool

OFTEN = 0.62  # how often a name is one of the cast rather than a new one
SWITCH = 0.3  # how often a name with two labels gets the other one
SHORT = 0.75  # how often a person named before is called by the last name
SHORT_AT_FIRST = 0.25  # and how often one who is new


LISTS = read_words("lists")
ARTICLE_FIRST = frozenset(LISTS["article.first"])
ARTICLE_LAST = frozenset(LISTS["article.last"])


@dataclass
class Cast:
    """Fills the name slots of one document, without the same name twice in a sentence."""

    pools: Mapping[str, Pool]
    topic: str
    late: float
    rng: random.Random
    size: int = 3
    articles: bool = True
    _cast: dict[str, list[Name]] = field(default_factory=dict)
    _met: set[Name] = field(default_factory=set)
    _used: set[Name] = field(default_factory=set)

    def new_sentence(self) -> None:
        """Names may be used again."""
        self._used.clear()

    def fill(self, slot: str) -> Sentence:
        """The tokens of a name for a slot; `UCITY` is a city in capitals, and `EVENT` depends on the topic."""
        upper = slot == "UCITY"
        kind = "CITY" if upper else slot
        if f"{kind}.{self.topic}" in self.pools:
            kind = f"{kind}.{self.topic}"
        name = self._pick(kind)
        words = self._form(name) if name.label == "PER" else name.words
        label = name.other if name.other and self.rng.random() < SWITCH else name.label
        tokens = entity([word.upper() for word in words] if upper else words, label)
        return [Token("the", OUTSIDE), *tokens] if self.articles and takes_article(words) else tokens

    def _pick(self, kind: str) -> Name:
        if kind not in self._cast:
            self._cast[kind] = [self.pools[kind].draw(self.rng, self.late) for _ in range(self.size)]
        name = self._cast[kind][0]
        for _ in range(8):
            known = self.rng.random() < OFTEN
            name = self.rng.choice(self._cast[kind]) if known else self.pools[kind].draw(self.rng, self.late)
            if name not in self._used:
                break
        self._used.add(name)
        return name

    def _form(self, name: Name) -> tuple[str, ...]:
        """The full name when a person is new; mostly the last name afterwards."""
        chance = SHORT if name in self._met else SHORT_AT_FIRST
        self._met.add(name)
        if self.rng.random() < chance:
            return name.words[1:] or name.words
        return name.words


def entity(words: list[str] | tuple[str, ...], label: str) -> Sentence:
    """Words tagged as one entity."""
    return [Token(word, f"{'I' if i else 'B'}-{label}") for i, word in enumerate(words)]


def takes_article(words: tuple[str, ...]) -> bool:
    """Whether a name is written with 'the' before it."""
    return words[0] in ARTICLE_FIRST or words[-1] in ARTICLE_LAST
