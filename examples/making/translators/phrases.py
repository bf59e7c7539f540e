"""Phrases instead of words, and a verb that is moved until the English sounds right."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING

from making.translators.dictionary import Learnt, best, detokenise

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 4
BETWEEN = frozenset({"and", "but", ",", "."})
Words = tuple[str, ...]


class Phrases:
    """Phrases read off the alignments; the verb at the end is tried in every place, and English decides."""

    def __init__(self, learnt: Learnt) -> None:
        self.learnt = learnt
        counts: dict[Words, Counter[Words]] = {}
        self.trigrams: Counter[Words] = Counter()
        for source, target in learnt.pairs:
            moved = self._moved_by_alignment(source, target)
            for phrase, other in extract(moved, target, self._align(moved, target)):
                counts.setdefault(phrase, Counter())[other] += 1
            padded = ("<", "<", *target, ">")
            self.trigrams.update(tuple(padded[i : i + n]) for n in (1, 2, 3) for i in range(len(padded) - n + 1))
        self.phrases = {phrase: choose(found) for phrase, found in counts.items()}

    def translate(self, line: str) -> str:
        """Clause by clause, the version that sounds most like English."""
        said: list[str] = []
        for clause, end in self._clauses(self.learnt.read(line)):
            versions = [self._cover(version) for version in moves(clause)]
            said.extend([*max(versions, key=self._fluency), best(self.learnt.table, end)])
        return detokenise(said)

    def _clauses(self, words: list[str]) -> list[tuple[list[str], str]]:
        """Cut after words that mean 'and' or 'but' and after marks, which are kept apart."""
        clauses: list[tuple[list[str], str]] = []
        start = 0
        for i, word in enumerate(words):
            if best(self.learnt.table, word) in BETWEEN:
                clauses.append((words[start:i], word))
                start = i + 1
        return clauses

    def _align(self, source: Sequence[str], target: Sequence[str]) -> set[tuple[int, int]]:
        """Pairs of words that choose each other, and those beside them that choose in one direction only."""
        table, back = self.learnt.table, self.learnt.back
        there = {(likeliest([table[one].get(word, 0.0) for one in source]), j) for j, word in enumerate(target)}
        again = {(i, likeliest([back[one].get(word, 0.0) for one in target])) for i, word in enumerate(source)}
        both = there & again
        return both | {(i, j) for i, j in sorted(there | again) if (i, j - 1) in both or (i, j + 1) in both}

    def _moved_by_alignment(self, source: list[str], target: list[str]) -> list[str]:
        """The training sentence with its last word where its translation stands."""
        links = sorted(self._align(source, target))
        moved: list[str] = []
        start = 0
        for clause, end in self._clauses(source):
            verb = start + len(clause) - 1
            at = min((j for i, j in links if i == verb), default=len(target))
            place = next((i for i, j in links if start <= i < verb and j > at), verb)
            moved.extend([*source[start:place], *source[verb : start + len(clause)], *source[place:verb], end])
            start = verb + 2
        return moved

    def _cover(self, words: list[str]) -> list[str]:
        """The likeliest phrases that cover the sentence from left to right, longer ones first."""
        table: list[tuple[float, list[str]]] = [(0.0, [])]
        for end in range(1, len(words) + 1):
            options: list[tuple[float, list[str]]] = []
            for start in range(max(0, end - LONGEST), end):
                score, so_far = table[start]
                found = self.phrases.get(tuple(words[start:end]))
                if found:
                    options.append((score + log(found[1]) - 1.0, [*so_far, *found[0]]))
                elif end - start == 1:
                    options.append((score - 8.0, [*so_far, best(self.learnt.table, words[start])]))
            table.append(max(options, key=lambda option: option[0]))
        return table[-1][1]

    def _fluency(self, words: list[str]) -> float:
        padded = ("<", "<", *words, ".", ">")
        total = 0.0
        for i in range(2, len(padded)):
            one, two, three = (self.trigrams[tuple(padded[i - n : i + 1])] for n in (0, 1, 2))
            before_two, before_one = self.trigrams[tuple(padded[i - 2 : i])], self.trigrams[tuple(padded[i - 1 : i])]
            mixed = 0.6 * three / max(before_two, 1) + 0.3 * two / max(before_one, 1) + 0.1 * (one + 1) / 20000
            total += log(mixed)
        return total / len(padded)


def moves(words: list[str]) -> list[list[str]]:
    """The clause, and the clause with its last word in every earlier place."""
    *body, verb = words or [""]
    return [[*body[:i], verb, *body[i:]] for i in range(len(body), -1, -1)] if verb else [[]]


def likeliest(chances: Sequence[float]) -> int:
    """The place of the largest, the first of equals."""
    return chances.index(max(chances))


def choose(found: Counter[Words]) -> tuple[Words, float]:
    """The most frequent translation and a careful estimate of its probability."""
    phrase = min(found, key=lambda other: (-found[other], other))
    return phrase, found[phrase] / (found.total() + 0.5)


def extract(source: Sequence[str], target: Sequence[str], links: set[tuple[int, int]]) -> list[tuple[Words, Words]]:
    """The pairs of phrases that no link leaves."""
    pairs: list[tuple[Words, Words]] = []
    for start in range(len(source)):
        for end in range(start + 1, min(start + LONGEST, len(source)) + 1):
            inside = [j for i, j in links if start <= i < end]
            if not inside:
                continue
            low, high = min(inside), max(inside)
            if all(start <= i < end for i, j in links if low <= j <= high):
                low = widen(low, links)
                pairs.append((tuple(source[start:end]), tuple(target[low : high + 1])))
    return pairs


def widen(low: int, links: set[tuple[int, int]]) -> int:
    """Takes in the words just before that are linked to nothing, such as 'did not' before a verb."""
    linked = {j for _, j in links}
    while low > 0 and low - 1 not in linked:
        low -= 1
    return low
