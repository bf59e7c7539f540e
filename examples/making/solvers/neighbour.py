"""The most similar question seen before, and whatever formula would have answered that one."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from making.numerals import SPELT
from making.solvers.reading import Answer, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from making.asked import Question

FORMULAS: tuple[tuple[str, Callable[[list[int]], int]], ...] = (
    ("a + b", lambda n: n[0] + n[1]),
    ("a - b", lambda n: n[0] - n[1]),
    ("b - a", lambda n: n[1] - n[0]),
    ("a * b", lambda n: n[0] * n[1]),
    ("a / b", lambda n: n[0] // n[1]),
    ("a + b - c", lambda n: n[0] + n[1] - n[2]),
    ("a * b + c", lambda n: n[0] * n[1] + n[2]),
    ("a + b * c", lambda n: n[0] + n[1] * n[2]),
    ("a - b * c", lambda n: n[0] - n[1] * n[2]),
    ("a * b * c", lambda n: n[0] * n[1] * n[2]),
    ("c - a * b", lambda n: n[2] - n[0] * n[1]),
    ("a + b + c", lambda n: n[0] + n[1] + n[2]),
    ("2 * a - b", lambda n: 2 * n[0] - n[1]),
    ("60 * a + b", lambda n: 60 * n[0] + n[1]),
    ("a / 2", lambda n: n[0] // 2),
    ("60 * a", lambda n: 60 * n[0]),
    ("100 * a", lambda n: 100 * n[0]),
    ("1000 * a", lambda n: 1000 * n[0]),
    ("7 * a", lambda n: 7 * n[0]),
    ("z + z - y", lambda n: 2 * n[-1] - n[-2]),
    ("y + z", lambda n: n[-1] + n[-2]),
    ("2 * z", lambda n: 2 * n[-1]),
)


class Neighbour:
    """Answers by analogy with questions whose answers it knows."""

    def __init__(self, known: Sequence[Question]) -> None:
        self.known = [(shape(question.text), question) for question in known]

    def answer(self, text: str) -> Answer:
        """The formula of the nearest question, or else its very answer."""
        mine = shape(text)
        likeness, nearest = max(
            ((overlap(mine, theirs), question) for theirs, question in self.known), key=lambda pair: pair[0]
        )
        sure = round(0.1 + 0.8 * likeness**3, 2)
        for name, formula in FORMULAS:
            if tried(formula, numbers(nearest.text)) == nearest.answer:
                result = tried(formula, numbers(text))
                return Answer(f"I have seen something like it, and it was {name}.", result, sure if result else 0.1)
        return Answer("I have seen something like it before.", nearest.answer, round(sure * 0.6, 2))


def shape(text: str) -> frozenset[str]:
    """The words of a question and their pairs, with all numbers alike."""
    words = [
        "#" if word.isdigit() or word in SPELT else word for word in re.findall(r"\w+(?:-\w+)?|[^\w\s]", text.lower())
    ]
    return frozenset([*words, *(f"{a} {b}" for a, b in pairwise(words))])


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """How much two sets have in common, from 0 to 1."""
    return len(a & b) / len(a | b)


def tried(formula: Callable[[list[int]], int], found: list[int]) -> str | None:
    """The value of a formula, if there are numbers enough."""
    try:
        return str(formula(found))
    except (IndexError, ZeroDivisionError):
        return None
