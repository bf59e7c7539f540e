"""Sequences of tokens as numbers: equal sequences have equal numbers, and their occurrences in a corpus are counted.

All sequences are read at once, their first tokens, then their second, and so on; positions of the corpus that begin no
sequence fall away at each step, so that the corpus is not searched for each sequence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from slicewise.arrays import Ints


@dataclass(frozen=True)
class Step:
    """One token further: the known (prefix, token) pairs, sorted; the place of a pair is the number of its prefix."""

    pairs: Ints
    first: int
    """The number of the first prefix of this step."""


@dataclass(frozen=True)
class Sequences:
    """The distinct sequences of some corpora."""

    numbers: Ints
    """Of each sequence that was given."""
    steps: tuple[Step, ...]
    words: int
    """The size of the vocabulary."""
    size: int
    """How many numbers there are; 0 is the empty sequence."""

    @classmethod
    def of(cls, tokens: Ints, start: Ints, length: Ints, words: int) -> Sequences:
        """Give numbers to the sequences `tokens[start : start + length]`."""
        numbers = np.zeros(len(start), np.int64)
        alive = np.flatnonzero(length > 0)
        steps: list[Step] = []
        next_number = 1
        for at in range(int(length.max(initial=0))):
            keys = numbers[alive] * words + tokens[start[alive] + at]
            pairs, place = np.unique(keys, return_inverse=True) if at else _distinct(keys, words)
            numbers[alive] = next_number + place
            steps.append(Step(pairs, next_number))
            next_number += len(pairs)
            alive = alive[length[alive] > at + 1]
        return cls(numbers, tuple(steps), words, next_number)

    def occurrences(self, tokens: Ints, item: Ints) -> Ints:
        """Count each sequence in a corpus, `(size,)`; an occurrence does not go over the end of its item."""
        counts = np.zeros(self.size, np.int64)
        for step, (_, number) in zip(self.steps, self.matches(tokens, item), strict=False):
            known = len(step.pairs)
            counts[step.first : step.first + known] = np.bincount(number - step.first, minlength=known)
        return counts

    def matches(self, tokens: Ints, item: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Yield, for sequences of one token, of two and so on, where they stand in a corpus, and which they are."""
        if not self.steps:
            return
        place = np.full(self.words, -1)
        place[self.steps[0].pairs] = np.arange(len(self.steps[0].pairs))
        number = place[tokens]
        position = np.flatnonzero(number >= 0)
        number = number[position] + self.steps[0].first
        yield position, number
        for at, step in enumerate(self.steps[1:], 1):
            following = position + at
            inside = following < len(tokens)
            inside[inside] = item[following[inside]] == item[position[inside]]
            position, number = position[inside], number[inside]
            pair = number * self.words + tokens[position + at]
            place = np.minimum(np.searchsorted(step.pairs, pair), len(step.pairs) - 1)
            known = step.pairs[place] == pair
            position, number = position[known], step.first + place[known]
            if not len(position):
                return
            yield position, number


def _distinct(numbers: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the distinct numbers, all below `size`, in order, and the place of each among them."""
    present = np.zeros(size, np.bool_)
    present[numbers] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[numbers]
