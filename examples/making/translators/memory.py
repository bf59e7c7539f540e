"""A translation memory: the nearest sentence seen before, with the words that differ exchanged."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from making.translators.dictionary import Learnt, best, detokenise

if TYPE_CHECKING:
    from collections.abc import Sequence


class Memory:
    """The most similar sentence of the training set, with the words that differ replaced."""

    def __init__(self, learnt: Learnt) -> None:
        self.learnt = learnt
        self.index: dict[str, list[int]] = {}
        for number, (source, _) in enumerate(learnt.pairs):
            for word in dict.fromkeys(source):
                self.index.setdefault(word, []).append(number)

    def translate(self, line: str) -> str:
        """The stored translation, mended where source words were exchanged."""
        words = self.learnt.read(line)
        source, target = self._nearest(words)
        mended = list(target)
        for new, old in exchanged(words, source):
            at = max(range(len(target)), key=lambda i: self.learnt.table.get(old, {}).get(target[i], 0.0))
            mended[at] = best(self.learnt.table, new)
        return detokenise(mended)

    def _nearest(self, words: list[str]) -> tuple[list[str], list[str]]:
        shared: Counter[int] = Counter()
        for word in dict.fromkeys(words):
            numbers = self.index.get(word, [])
            for number in numbers:
                shared[number] += 1
        near = sorted(shared, key=lambda n: (-2 * shared[n] / (len(words) + len(self.learnt.pairs[n][0])), n))[:30]
        nearest = min(near, key=lambda n: (distance(words, self.learnt.pairs[n][0])[-1][-1], n))
        return self.learnt.pairs[nearest]


def distance(a: Sequence[str], b: Sequence[str]) -> list[list[int]]:
    """The table of edit distances between the beginnings of two sentences."""
    rows = [list(range(len(b) + 1))]
    for i, word in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (word != other)))
        rows.append(row)
    return rows


def exchanged(new: Sequence[str], old: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of words that stand in the same place in two sentences and differ."""
    rows = distance(new, old)
    pairs: list[tuple[str, str]] = []
    i, j = len(new), len(old)
    while i and j:
        if rows[i][j] == rows[i - 1][j - 1] + (new[i - 1] != old[j - 1]):
            if new[i - 1] != old[j - 1]:
                pairs.append((new[i - 1], old[j - 1]))
            i, j = i - 1, j - 1
        elif rows[i][j] == rows[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return pairs
