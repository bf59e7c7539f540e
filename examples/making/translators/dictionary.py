"""Words and their translations, learnt by IBM model 1: a translator of its own, and what the other two start from."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NULL = "<null>"
Table = dict[str, dict[str, float]]


def tokens(line: str) -> list[str]:
    """Words and marks."""
    return re.findall(r"\w+|[^\w\s]", line)


class Casing:
    """Tells names, which have a capital within sentences, from words that only begin one."""

    def __init__(self, lines: Sequence[list[str]]) -> None:
        self.big = {word for words in lines for word in words[1:] if word[0].isupper()}

    def lower(self, words: list[str]) -> list[str]:
        """The first word in small letters unless it is a name."""
        first = words[0]
        return words if first in self.big else [first.lower(), *words[1:]]


def detokenise(words: Sequence[str]) -> str:
    """Words as a line of text."""
    text = re.sub(r" ([.,])", r"\1", " ".join(words)) or "."
    return text[0].upper() + text[1:]


def model_one(pairs: Sequence[tuple[list[str], list[str]]], rounds: int = 5) -> Table:
    """IBM model 1 by EM: how likely each target word is, given a source word."""
    table: Table = {}
    for source, target in pairs:
        for word in (NULL, *source):
            row = table.setdefault(word, {})
            for other in target:
                row[other] = 1.0
    for _ in range(rounds):
        counts: dict[str, defaultdict[str, float]] = {word: defaultdict(float) for word in table}
        for source, target in pairs:
            for other in target:
                total = sum(table[word][other] for word in (NULL, *source))
                for word in (NULL, *source):
                    counts[word][other] += table[word][other] / total
        table = {
            word: {other: count / sum(row.values()) for other, count in row.items()} for word, row in counts.items()
        }
    return table


def best(table: Table, word: str) -> str:
    """The likeliest translation; a word never seen stays as it is."""
    row = table.get(word)
    return max(row, key=lambda other: row[other]) if row else word


@dataclass(frozen=True)
class Learnt:
    """What all three start from."""

    pairs: list[tuple[list[str], list[str]]]
    table: Table
    back: Table
    casing: Casing

    @classmethod
    def train(cls, sources: Sequence[str], targets: Sequence[str]) -> Learnt:
        """Tokenises the pairs and learns words in both directions."""
        left, right = [tokens(line) for line in sources], [tokens(line) for line in targets]
        casing, english = Casing(left), Casing(right)
        pairs = [(casing.lower(a), english.lower(b)) for a, b in zip(left, right, strict=True)]
        return cls(pairs, model_one(pairs), model_one([(b, a) for a, b in pairs]), casing)

    def read(self, line: str) -> list[str]:
        """The tokens of a source line."""
        return self.casing.lower(tokens(line))


def translate(learnt: Learnt, line: str) -> str:
    """Word by word, in the order of the source."""
    return detokenise([best(learnt.table, word) for word in learnt.read(line)])
