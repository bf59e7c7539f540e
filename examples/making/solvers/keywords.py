"""One keyword decides what is done with the first two numbers, which are read only if they are in digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from making.numerals import WEEKDAYS
from making.solvers.reading import QUOTED, UNKNOWN, Answer, digits, letters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

KEYWORDS: tuple[tuple[str, str, Callable[[int, int], int]], ...] = (
    ("left", "Something is taken away", lambda a, b: a - b),
    ("minus", "Something is taken away", lambda a, b: a - b),
    (" - ", "Something is taken away", lambda a, b: a - b),
    ("died", "The years are subtracted", lambda a, b: b - a),
    ("from", "The days are subtracted", lambda a, b: b - a),
    ("shares", "Something is divided", lambda a, b: a // b if b else 0),
    ("get back", "The price is taken off", lambda a, b: 100 - a * b),
    ("holds", "There are several of the same", lambda a, b: a * b),
    ("times", "Something is multiplied", lambda a, b: a * b),
    (" * ", "Something is multiplied", lambda a, b: a * b),
    ("train", "Speed times time", lambda a, b: a * b),
    ("hours and", "Hours become minutes", lambda a, b: 60 * a + b),
    ("Half", "Half of it", lambda a, _: a // 2),
    ("centimetres are", "Metres become centimetres", lambda a, _: a * 100),
    (" grams are", "Kilograms become grams", lambda a, _: a * 1000),
    ("next", "The last step is repeated", lambda a, b: a + b),
    ("more", "Something is added", lambda a, b: a + b),
    ("together", "Something is added", lambda a, b: a + b),
    ("older", "Something is added", lambda a, b: a + b),
    ("plus", "Something is added", lambda a, b: a + b),
    ("+", "Something is added", lambda a, b: a + b),
    ("How many", "I add what I see", lambda a, b: a + b),
)


def by_keywords(text: str) -> Answer:
    """The first keyword found decides."""
    word = letters(text)
    if "backwards" in text:
        return Answer(f"I turn {word} round.", word[::-1], 0.95)
    if "vowels" in text:
        return Answer("I count a, e, i, o and u.", str(sum(c in "aeiou" for c in word)), 0.9)
    if "words are in" in text:
        return Answer("I count the gaps.", str(word.count(" ") + 1), 0.9)
    if "occur" in text:
        return Answer(f"I look whether it is in {word}.", "1", 0.5)
    if "first in the alphabet" in text:
        return Answer("I take the one that is named first.", QUOTED.findall(text)[0], 0.5)
    found = digits(text)
    if ("next" in text or "series" in text) and len(found) > 1:
        return Answer(f"The last step was {found[-1] - found[-2]}.", str(2 * found[-1] - found[-2]), 0.7)
    if "weekday" in text and found:
        day = next(name for name in WEEKDAYS if name in text)
        return Answer(f"I count on from {day}.", WEEKDAYS[(WEEKDAYS.index(day) + found[0]) % 7], 0.8)
    return by_first_keyword(text, found)


def by_first_keyword(text: str, found: Sequence[int]) -> Answer:
    """An operation on the first two numbers, if there are so many."""
    for rank, (keyword, why, operation) in enumerate(KEYWORDS):
        if keyword in text and found:
            second = found[1] if len(found) > 1 else 0
            sure = (0.85 if len(found) == 2 else 0.45) - 0.01 * rank
            return Answer(f"{why}: {found[0]} and {second}.", str(operation(found[0], second)), round(sure, 2))
    return UNKNOWN
