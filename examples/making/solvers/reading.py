"""What all solvers read in a question, and what they say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from making.numerals import SPELT

NUMBER = re.compile(r"\d+")
QUOTED = re.compile(r"'([^']+)'")


@dataclass(frozen=True)
class Answer:
    """What a program says, and how sure it is."""

    why: str
    answer: str | None
    confidence: float


UNKNOWN = Answer("I do not understand the question.", None, 0.05)


def digits(text: str) -> list[int]:
    """The numbers written in digits."""
    return [int(found) for found in NUMBER.findall(text)]


def numbers(text: str, largest: int = 99) -> list[int]:
    """The numbers in digits and, up to `largest`, in words."""
    found = re.findall(r"\d+|[a-z]+(?:-[a-z]+)?", text.lower())
    return [
        int(word) if word.isdigit() else SPELT[word]
        for word in found
        if word.isdigit() or SPELT.get(word, 1000) <= largest
    ]


def letters(text: str) -> str:
    """The last thing in quotation marks."""
    found = QUOTED.findall(text)
    return found[-1] if found else ""
